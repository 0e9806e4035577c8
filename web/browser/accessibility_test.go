package browser

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestNoPageHasASeriousAccessibilityProblem runs axe on every page in both themes.
func TestNoPageHasASeriousAccessibilityProblem(t *testing.T) {
	g := newGallery(t)
	for _, l := range []look{{"light", "en", 1440}, {"dark", "zh", 390}} {
		t.Run(l.String(), func(t *testing.T) {
			b := g.open(t, l)
			for _, s := range scenes() {
				g.visit(b, s, func() {
					for _, problem := range problems(b) {
						b.Error(problem)
					}
				})
			}
		})
	}
}

// problems returns the serious violations that axe finds on the page.
func problems(b *tab) []string {
	b.Helper()
	axe, err := os.ReadFile("../node_modules/axe-core/axe.min.js")
	if err != nil {
		b.Fatal(err)
	}
	b.eval(string(axe) + `;window.axe = axe`)
	b.waitForAnimations()
	found := value[string](b, `axe.run(document, {resultTypes: ["violations"]})
		.then(result => JSON.stringify(result.violations.filter(v => ["serious", "critical"].includes(v.impact))
			.map(v => v.id + ": " + v.nodes.slice(0, 3)
				.map(n => n.html.slice(0, 160) + " — " + n.failureSummary).join(" | "))))`)
	var list []string
	if err := json.NewDecoder(strings.NewReader(found)).Decode(&list); err != nil {
		b.Fatal(err)
	}
	return list
}

// waitForAnimations waits until all animations of the page but endless ones are finished.
func (b *tab) waitForAnimations() {
	b.Helper()
	value[any](b, `Promise.allSettled(document.getAnimations()
		.filter(a => a.effect.getComputedTiming().iterations < 2).map(a => a.finished)).then(() => true)`)
}
