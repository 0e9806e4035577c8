package quote

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// quotes returns quotes that claim no source.
func quotes(texts ...string) []Quote {
	all := make([]Quote, len(texts))
	for i, text := range texts {
		all[i].Text = text
	}
	return all
}

func TestAQuoteIsFoundAcrossWindows(t *testing.T) {
	const quote, other = "the ferry to Capri leaves at nine in the morning", "the ferry to Ischia of text leaves at nine"
	for _, at := range []int{0, window - 20, window - overlap - 10, 2*window - 20} {
		text := strings.Repeat("One more line of text.\n", 3*window/23)
		text = text[:at] + "\nThe ferry to Capri leaves\nat nine in the morning.\n" + text[at:]
		s := NewSearch(quotes(quote, other))
		if _, err := s.Read(t.Context(), strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		if missing := s.Missing(); len(missing) != 1 || missing[0].Text != other {
			t.Errorf("at %d: %v are missing", at, missing)
		}
	}
}

func TestARepetitiveTextIsSearchedInBoundedTime(t *testing.T) {
	s := NewSearch(quotes(strings.Repeat("a", 8000) + "b"))
	if err := s.Add(t.Context(), strings.Repeat("aaaaaaa\n", window/8)); err != nil {
		t.Fatal(err)
	}
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

// TestAQuoteOfManyPiecesIsLookedForInBoundedTime has quotes of a thousand pieces each, with letters that the text is
// full of.
func TestAQuoteOfManyPiecesIsLookedForInBoundedTime(t *testing.T) {
	quote := strings.Repeat("aaaaaab...", 1000)
	s := NewSearch(quotes(quote, quote, "the ferry to Capri"))
	total := 0
	for _, q := range s.quotes {
		total += len(q.pieces)
	}
	if total != maxPieces {
		t.Errorf("%d pieces are looked for", total)
	}
	for range 4 {
		if err := s.Add(t.Context(), strings.Repeat("aaaaaaaa\n", window/8)); err != nil {
			t.Fatal(err)
		}
	}
	if s.letters.effort < -window {
		t.Errorf("%d bytes were compared", maxEffort-s.letters.effort)
	}
	if len(s.Missing()) != 0 {
		t.Error("a quote that took too much effort counts as missing")
	}
}

func TestASearchEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	const text = "The ferry to Capri leaves at nine."
	s := NewSearch(quotes("the ferry to Capri"))
	if err := s.Add(ctx, text); !errors.Is(err, context.Canceled) || s.Done() {
		t.Errorf("got %v", err)
	}
	if _, err := s.Read(ctx, strings.NewReader(text)); !errors.Is(err, context.Canceled) || s.Done() {
		t.Errorf("got %v", err)
	}
}
