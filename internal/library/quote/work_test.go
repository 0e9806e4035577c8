package quote

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// bullets returns a paragraph of quoted bullets. They claim no source, which means that each is looked up.
func bullets(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "- \"Quote %d of many, which is long enough to be looked for in all the texts that there are\"\n", i)
	}
	return b.String()
}

// TestManyQuotesAreReadOnce compares the memory that paragraphs of two lengths take. Four times the quotes take four
// times as much, and less than eight times with the slack of buffers that grow. If each quote read its whole paragraph,
// it would be sixteen times.
func TestManyQuotesAreReadOnce(t *testing.T) {
	for name, text := range map[string]func(count int) string{
		"unclaimed": bullets,
		"proposed":  func(count int) string { return "You could write in contract.txt:\n" + bullets(count) },
		"blocks": func(count int) string {
			return strings.Repeat("A paragraph before it.\n\n> A quote that is long enough to be looked for.\n\n", count)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var memory [2]uint64
			for i, count := range []int{200, 800} {
				reply := text(count)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				found, err := Find(t.Context(), reply, []string{"contract.txt"})
				runtime.ReadMemStats(&after)
				if err != nil || len(found) != 0 {
					t.Fatalf("found %d quotes, %v", len(found), err)
				}
				memory[i] = after.TotalAlloc - before.TotalAlloc
			}
			if memory[1] > 8*memory[0] {
				t.Errorf("the memory grows from %d to %d bytes", memory[0], memory[1])
			}
		})
	}
}

func TestQuotesAreFoundUntilTheContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	found, err := Find(ctx, "contract.txt:\n"+bullets(20), []string{"contract.txt"})
	if !errors.Is(err, context.Canceled) || len(found) != 0 {
		t.Errorf("got %d quotes, %v", len(found), err)
	}
}

func TestTheQuotesOfAParagraphShareItsSources(t *testing.T) {
	const name = "Agreement on the lease of a flat.pdf"
	found, err := Find(t.Context(), `"`+name+`" says "`+strings.Repeat("a", 20)+`" [2].`+"\n"+bullets(30),
		[]string{name})
	if err != nil || len(found) != maxQuotes || found[0].Text != strings.Repeat("a", 20) {
		t.Fatalf("got %d quotes, %v", len(found), err)
	}
	for _, q := range found {
		if len(q.Files) != 1 || q.Files[0] != name || len(q.Sources) != 1 || q.Sources[0] != 2 {
			t.Errorf("got %+v", q)
		}
	}
}
