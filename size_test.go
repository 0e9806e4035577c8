package parley_test

import (
	"math"
	"testing"

	"parley"
)

func TestFormatSize(t *testing.T) {
	for bytes, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1267: "1.2 KiB", 20 << 20: "20 MiB", 5<<30 + 1<<29: "5.5 GiB",
		math.MaxInt64: "8 EiB",
	} {
		if got := parley.FormatSize(bytes); got != want {
			t.Errorf("%d is %q, want %q", bytes, got, want)
		}
	}
}
