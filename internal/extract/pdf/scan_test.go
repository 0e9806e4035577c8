package pdf

import (
	"testing"

	"parley/internal/extract/ocr"
)

func TestPagesAreNamedInRanges(t *testing.T) {
	for want, numbers := range map[string][]int{
		"page 3":             {3},
		"pages 3-4":          {3, 4},
		"pages 1, 3-5, 9-10": {1, 3, 4, 5, 9, 10},
	} {
		if got := pageRanges(numbers); got != want {
			t.Errorf("%v: got %s", numbers, got)
		}
	}
}

func TestAPictureOfAPageIsBounded(t *testing.T) {
	for _, tt := range []struct{ width, height float64 }{
		{595, 842}, {2480, 3508}, {50_000, 50_000}, {50_000, 100}, {14_400, 14_400}, {1, 1e9}, {0, 5}, {-9, -9},
	} {
		w, h, err := pixels(tt.width, tt.height, ocr.MaxPixels)
		if err == nil && (w*h > ocr.MaxPixels || max(w, h) > maxSide || min(w, h) < minSide) {
			t.Errorf("%v: %d × %d", tt, w, h)
		}
		if (err != nil) != (min(tt.width, tt.height) < 2) {
			t.Errorf("%v: %d × %d, %v", tt, w, h, err)
		}
	}
}
