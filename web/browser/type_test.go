package browser

import (
	"testing"

	"parley/internal/ai/aitest"
)

const headings = "First words.\n\n## When to go\n\nIn May.\n\n### By boat\n\nAt nine.\n"

// TestReadingTextIsEasyOnTheEye looks at the typeface, and compares the spaces above and below headings.
func TestReadingTextIsEasyOnTheEye(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.model.Respond(func(aitest.Request) []aitest.Step { return aitest.Say(headings) })
	session := w.talk(t, "Capri", "When shall we go?")
	b := signedIn(t, w, token, "#/chat/"+session, 1280)
	b.until(`document.querySelector(".assistant h3")`)
	b.until(`[...document.fonts].some(font => font.family.includes("Figtree") && font.status === "loaded")`)
	style := value[[]string](b, `(() => {
		const { fontFamily, fontSize, lineHeight } = getComputedStyle(document.querySelector(".assistant p"))
		return [fontFamily.split(",")[0], fontSize, lineHeight]
	})()`)
	if style[0] != "Figtree" || style[1] != "16px" || style[2] != "28px" {
		t.Errorf("reading text is in %v", style)
	}
	for _, heading := range []string{"h2", "h3"} {
		spaces := value[[]float64](b, `(() => {
			const texts = [...document.querySelectorAll(".assistant .markdown :is(p, h2, h3)")]
			const at = texts.findIndex(text => text.matches("`+heading+`"))
			const [above, heading, below] = texts.slice(at - 1, at + 2).map(text => text.getBoundingClientRect())
			return [heading.top - above.bottom, below.top - heading.bottom]
		})()`)
		if spaces[0] < 24 || spaces[1] > 12 {
			t.Errorf("%s has %v px above and %v px below", heading, spaces[0], spaces[1])
		}
	}
	b.checkQuiet(w.url)
}
