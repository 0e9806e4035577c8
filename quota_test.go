package parley

import (
	"testing"
	"time"
)

func TestParseQuota(t *testing.T) {
	for text, want := range map[string]string{
		"none":                        "none",
		"messages=3/d":                "messages=3/d",
		" tokens=1M/d , messages=2/d": "tokens=1000000/d,messages=2/d",
		"tokens=50k/d":                "tokens=50000/d",
	} {
		got, err := ParseQuota(text)
		if err != nil || got.String() != want {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
		again, err := ParseQuota(got.String())
		if err != nil || again != got {
			t.Errorf("%q: %v, %v after it was stored", text, again, err)
		}
	}
	for _, text := range []string{
		"", "3", "messages=3", "messages=3/h", "messages=0/d", "messages=-1/d", "messages=1.5/d", "words=3/d",
		"tokens=1/d,tokens=2/d", "tokens=99999999999G/d", "messages=3/d,",
	} {
		if got, err := ParseQuota(text); err == nil {
			t.Errorf("%q is %v, want an error", text, got)
		}
	}
}

func TestAUsersOwnQuotaComesFirst(t *testing.T) {
	server := Quota{Messages: 5}
	for own, want := range map[string]Quota{
		"": server, "none": {}, "tokens=7/d": {Tokens: 7}, "of a later release": server,
	} {
		if got := server.For(own); got != want {
			t.Errorf("%q: %v, want %v", own, got, want)
		}
	}
}

func TestAQuotaResetsAtMidnight(t *testing.T) {
	east := time.FixedZone("east", 8*60*60)
	for now, want := range map[time.Time]time.Time{
		time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC): time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC),
		time.Date(2026, 3, 2, 7, 0, 0, 0, east):     time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC),
	} {
		if got := QuotaReset(now); !got.Equal(want) {
			t.Errorf("%v: %v, want %v", now, got, want)
		}
	}
}
