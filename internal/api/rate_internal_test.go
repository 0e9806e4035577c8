package api

import (
	"fmt"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"parley/internal/account"
)

// clocked returns buckets and their clock, which the test sets.
func clocked(rate Rate) (*buckets[int], *time.Time) {
	now := time.Unix(1_767_225_600, 0)
	return newBuckets[int](rate, func() time.Time { return now }), &now
}

func TestABucketFillsUpAgain(t *testing.T) {
	b, now := clocked(Rate{Requests: 6, Per: time.Minute})
	for i := range 6 {
		if wait := b.take(1); wait != 0 {
			t.Fatalf("request %d has to wait for %v", i+1, wait)
		}
	}
	for _, test := range []struct{ after, want time.Duration }{
		{0, 10 * time.Second}, // a refused request takes no token
		{4 * time.Second, 6 * time.Second},
		{6 * time.Second, 0},
		{0, 10 * time.Second},
		{time.Hour, 0},
	} {
		*now = now.Add(test.after)
		if got := b.take(1); got != test.want {
			t.Errorf("%v later it has to wait for %v, want %v", test.after, got, test.want)
		}
	}
	for i := range 5 { // the bucket was full before the hour was over
		if wait := b.take(1); wait != 0 {
			t.Errorf("request %d after the hour has to wait for %v", i+2, wait)
		}
	}
	if b.take(1) == 0 {
		t.Error("the bucket holds more than its limit")
	}
	if wait := b.take(2); wait != 0 {
		t.Errorf("another key has to wait for %v", wait)
	}
}

func TestABucketIsKeptUntilItIsFull(t *testing.T) {
	b, now := clocked(Rate{Requests: 10, Per: time.Minute})
	for range 10 {
		b.take(1)
	}
	*now = now.Add(59 * time.Second)
	for range 9 {
		b.take(1)
	}
	*now = now.Add(2 * time.Second) // a generation ends
	if b.take(2); b.take(1) != 0 || b.take(1) == 0 {
		t.Error("a bucket that was not full was forgotten")
	}
	*now = now.Add(time.Hour)
	b.take(2)
	*now = now.Add(time.Hour)
	if b.take(2); len(b.young) != 1 || len(b.old) != 1 { // the current and the previous generation
		t.Errorf("%d and %d buckets are kept", len(b.young), len(b.old))
	}
}

func TestTheMemoryOfCallersIsBounded(t *testing.T) {
	b, _ := clocked(Rate{Requests: 1, Per: time.Hour})
	for i := range 3 * maxCallers {
		b.take(i)
	}
	if kept := len(b.young) + len(b.old); kept > 2*maxCallers {
		t.Errorf("%d callers are remembered", kept)
	}
	if b.take(3*maxCallers-1) == 0 || b.take(0) != 0 {
		t.Error("the latest were forgotten instead of the first")
	}
}

func BenchmarkRateOfUsers(b *testing.B) {
	for _, users := range []int64{1, 10_000} {
		b.Run(strconv.FormatInt(users, 10), func(b *testing.B) {
			limit := newBuckets[int64](Rate{Requests: 1_000_000_000, Per: time.Second}, time.Now)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for user := int64(0); pb.Next(); user++ {
					limit.take(user % users)
				}
			})
		})
	}
	b.Run("off", func(b *testing.B) {
		var limit *buckets[int64]
		for b.Loop() {
			limit.take(1)
		}
	})
}

func BenchmarkRateOfAddresses(b *testing.B) {
	limit := newBuckets[netip.Addr](Rate{Requests: 1_000_000_000, Per: time.Second}, time.Now)
	addresses := make([]string, 10_000)
	for i := range addresses {
		addresses[i] = fmt.Sprintf("2001:db8:%x::1", i)
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			limit.take(account.Network(addresses[i%len(addresses)]))
		}
	})
}
