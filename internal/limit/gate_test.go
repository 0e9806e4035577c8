package limit

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley"
)

// occupy takes all slots of a gate, each for a while, again and again until ctx ends.
func occupy(ctx context.Context, g *Gate, slots int, each time.Duration) *sync.WaitGroup {
	var all sync.WaitGroup
	for range slots {
		all.Go(func() {
			for ctx.Err() == nil {
				if g.Enter(ctx) != nil {
					return
				}
				time.Sleep(each)
				g.Leave()
			}
		})
	}
	return &all
}

func TestAFreeSlotIsEnteredAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(2, time.Second, time.Second)
		for range 10 {
			for range 2 {
				if err := g.Enter(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			g.Leave()
			g.Leave()
		}
		if g.Full() {
			t.Error("an empty gate is full")
		}
	})
}

func TestTheLineIsLeftInTheOrderItWasJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(1, time.Minute, time.Minute)
		if err := g.Enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		var order []int
		for i := range 5 {
			go func() {
				if err := g.Enter(t.Context()); err != nil {
					t.Error(err)
				}
				order = append(order, i) // one at a time
				g.Leave()
			}()
			synctest.Wait()
		}
		g.Leave()
		synctest.Wait()
		for i, came := range order {
			if came != i {
				t.Fatalf("they came in the order %v", order)
			}
		}
	})
}

func TestNobodyWaitsForLongerThanTheirPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(1, time.Minute, time.Second)
		if err := g.Enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if err := g.Enter(t.Context()); !errors.Is(err, parley.ErrOverloaded) || time.Since(begun) != time.Second {
			t.Errorf("got %v after %v", err, time.Since(begun))
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := g.Enter(gone); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v for a caller who has gone", err)
		}
		g.Leave()
		if err := g.Enter(t.Context()); err != nil {
			t.Errorf("the slot is not free: %v", err)
		}
	})
}

func TestALineThatIsTooSlowIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		g := NewGate(1, time.Second, time.Minute)
		all := occupy(ctx, g, 5, 100*time.Millisecond) // one is in, four wait for 0.4 s
		time.Sleep(time.Minute + 50*time.Millisecond)  // when nobody comes or goes
		if g.Full() {
			t.Error("a wait of less than the target is refused")
		}
		more := occupy(ctx, g, 10, 100*time.Millisecond)
		synctest.Wait()
		if !g.Full() {
			t.Errorf("the line of %d for %v each is still open", g.waiting.Load(), time.Duration(g.pace.Load()))
		}
		if err := g.Enter(t.Context()); !errors.Is(err, parley.ErrOverloaded) {
			t.Errorf("got %v", err)
		}
		cancel()
		all.Wait()
		more.Wait()
		if g.Full() {
			t.Error("it is closed though nobody waits")
		}
	})
}

func TestALineThatStandsHasToBeShorterThanOneThatHasJustFormed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(1, time.Second, time.Minute)
		g.pace.Store(int64(100 * time.Millisecond))
		if err := g.Enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		lineUp := func() {
			for range 4 {
				g.Approach()
			}
		}
		lineUp()
		if g.Full() {
			t.Error("a line of 0.4 s is refused that has just formed")
		}
		time.Sleep(time.Second)
		if g.Full() {
			t.Error("it is refused before it has stood for longer than the target")
		}
		time.Sleep(time.Millisecond)
		if !g.Full() {
			t.Error("it stands, and is still open")
		}
		for range 4 {
			g.Arrive()
		}
		if g.Full() {
			t.Error("it is closed though nobody waits")
		}
		lineUp()
		if g.Full() {
			t.Error("a new line is taken for the old one")
		}
	})
}

func TestALineNoLongerThanTheSlotsIsNeverRefused(t *testing.T) {
	g := NewGate(3, -time.Second, time.Minute) // no line is short enough
	for range 3 {
		if err := g.Enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.Approach()
	}
	if g.Full() {
		t.Error("3 in line for 3 slots are refused")
	}
	g.Approach()
	if !g.Full() {
		t.Error("4 in line for 3 slots are not refused")
	}
}

func TestThoseOnTheirWayCountWhereNoSlotIsFreeForThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		g := NewGate(2, time.Second, time.Minute)
		all := occupy(ctx, g, 6, 200*time.Millisecond) // two are in, four wait for 0.4 s
		time.Sleep(time.Minute + 50*time.Millisecond)  // when nobody comes or goes
		for range 20 {
			g.Approach()
		}
		if !g.Full() {
			t.Error("a line of 4 with 20 on their way is still open")
		}
		cancel()
		all.Wait()
		if !g.Full() {
			t.Error("20 on their way to 2 slots are no line")
		}
		for range 18 {
			g.Arrive()
		}
		if g.Full() {
			t.Error("2 on their way to 2 slots are a line")
		}
	})
}

func TestWithoutAGateEverybodyIsLetIn(t *testing.T) {
	var g *Gate
	g.Approach()
	g.Arrive()
	if err := g.Enter(t.Context()); err != nil || g.Full() {
		t.Errorf("got %v, full: %t", err, g.Full())
	}
	g.Leave()
}

func BenchmarkGate(b *testing.B) {
	g := NewGate(64, time.Second, time.Second)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if g.Full() || g.Enter(context.Background()) != nil {
				b.Error("it is full")
			}
			g.Leave()
		}
	})
}
