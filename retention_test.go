package parley

import (
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"0s": 0, "10s": 10 * time.Second, "1m30s": 90 * time.Second, "720h": 30 * day, "30d": 30 * day,
		"1d12h": 36 * time.Hour, "250ms": 250 * time.Millisecond,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "10", "d", "1.5d", "-1d", "-1s", "1h1d", "1dd", "106752d", "106751d24h", "99999999999d", "2562048h",
		"ten seconds",
	} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%q is %v, want an error", text, got)
		}
	}
}

func TestParseRetention(t *testing.T) {
	for text, want := range map[string]string{
		"": "off", "off": "off", "none": "off", "1h": "1h", "90m": "1h30m", "30d": "720h", "1d10m": "24h10m",
		"1h10s": "1h0m10s", "1h20m30s": "1h20m30s",
	} {
		got, err := ParseRetention(text)
		if err != nil || FormatRetention(got) != want {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
		again, err := ParseRetention(want)
		if err != nil || again != got {
			t.Errorf("%q: %v, %v after it was formatted", text, again, err)
		}
	}
	for _, text := range []string{"59m", "0s", "on", "-1h", "forever"} {
		if got, err := ParseRetention(text); err == nil {
			t.Errorf("%q is %v, want an error", text, got)
		}
	}
}
