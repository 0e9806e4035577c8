package prose

import "testing"

func TestAnchorsNameThePlacesAfterThem(t *testing.T) {
	anchors := Anchors{{3, "page 1"}, {10, "page 3"}}
	for offset, want := range map[int]string{0: "", 2: "", 3: "page 1", 9: "page 1", 10: "page 3", 1000: "page 3"} {
		if got := anchors.At(offset); got != want {
			t.Errorf("%d: got %q, want %q", offset, got, want)
		}
	}
	if got := Anchors(nil).At(5); got != "" {
		t.Errorf("got %q", got)
	}
}
