package verbatim

import (
	"strings"
	"testing"
)

func TestAQuoteIsFoundAcrossWindows(t *testing.T) {
	const quote = "the ferry to Capri leaves at nine in the morning"
	for _, at := range []int{0, window - 20, window - overlap - 10, 2*window - 20} {
		text := strings.Repeat("One more line of text.\n", 3*window/23)
		text = text[:at] + "\nThe ferry to Capri leaves\nat nine in the morning.\n" + text[at:]
		s := NewSearch([]string{quote, "the ferry to Ischia of text leaves at nine"})
		if _, err := s.ReadFrom(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		if missing := s.Missing(); len(missing) != 1 || missing[0] != 1 {
			t.Errorf("at %d: %v are missing", at, missing)
		}
	}
}

func TestARepetitiveTextIsSearchedInBoundedTime(t *testing.T) {
	s := NewSearch([]string{strings.Repeat("a", 8000) + "b"})
	s.Add(strings.Repeat("aaaaaaa\n", window/8))
	if len(s.Missing()) != 0 {
		t.Error("a quote that took too much effort counts as missing")
	}
}

func TestLocate(t *testing.T) {
	const text = "Einleitung.\nDer „Größte“ Fisch\nschwimmt."
	start, end, found := Locate(text, "der größte FISCH schwimmt")
	if !found || text[start:end] != "Der „Größte“ Fisch\nschwimmt" {
		t.Errorf("found %t: %q", found, text[start:end])
	}
	if _, _, found := Locate(text, "der kleinste Fisch"); found {
		t.Error("a text that is not there was found")
	}
}
