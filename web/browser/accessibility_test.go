package browser

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"parley/internal/testtier"
)

// pages names a scene for each kind of page or dialog. A scene is in a second look only if it differs there in more
// than its colors.
var pages = map[look][]string{
	{"dark", "zh", 390}: {
		"chat", "welcome", "files", "sidebar", "palette", "attached", "edit", "thinking", "failed", "rich", "menu", "share",
		"toast", "models", "account", "selection", "favorites", "search", "file", "settings", "new-key", "admin",
		"admin-users", "admin-settings", "shared", "login", "prompts", "settings-prompts", "new-prompt",
	},
	{"light", "en", 1440}: {"chat", "files", "rich", "settings", "admin-users", "login"},
}

// TestNoPageHasASeriousAccessibilityProblem runs axe on a page of each kind. On a touch screen it also checks that
// fingers have room, and that nothing is cut off by an edge of the screen.
func TestNoPageHasASeriousAccessibilityProblem(t *testing.T) {
	t.Parallel()
	for l, names := range pages {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			newGallery(t).checkAccessibility(t, l, names)
		})
	}
}

// TestNoSceneHasASeriousAccessibilityProblem does the same with every scene in both themes.
func TestNoSceneHasASeriousAccessibilityProblem(t *testing.T) {
	testtier.Rare(t)
	t.Parallel()
	var names []string
	for _, s := range scenes() {
		if s.name != "reference" && s.name != "guides" { // the same long document as that of the other two
			names = append(names, s.name)
		}
	}
	for l := range pages {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			newGallery(t).checkAccessibility(t, l, names)
		})
	}
}

func (g *gallery) checkAccessibility(t *testing.T, l look, names []string) {
	t.Helper()
	b := g.open(t, l)
	if l.width == 390 {
		b.touch()
	}
	checked := 0
	for _, s := range scenes() {
		if !slices.Contains(names, s.name) {
			continue
		}
		checked++
		g.visit(b, s, func() {
			found := problems(b)
			if l.width == 390 {
				found = append(found, value[[]string](b, tooSmall)...)
				found = append(found, value[[]string](b, tooWide)...)
			}
			for _, problem := range found {
				b.Error(problem)
			}
		})
	}
	if checked != len(names) {
		t.Errorf("%d of %d scenes were found", checked, len(names))
	}
}

// touch gives the browser a touch screen.
func (b *tab) touch() {
	b.Helper()
	enabled := emulation.SetTouchEmulationEnabledParams{Enabled: true}
	if _, err := chromedp.Call(b.ctx, emulation.SetTouchEmulationEnabled, enabled); err != nil {
		b.Fatal(err)
	}
	b.until(`matchMedia("(pointer: coarse)").matches`)
}

const (
	// tooSmall is an expression for what a finger does not hit well, or what the browser would zoom into. The target of
	// a checkbox is its label.
	tooSmall = `[...document.querySelectorAll("button, summary, select, input, textarea, a.button, [role=menuitem]")]
		.filter(e => e.checkVisibility({visibilityProperty: true}) && e.getAttribute("aria-hidden") !== "true")
		.flatMap(e => {
			const { width, height } = (e.matches("[type=checkbox], [type=radio]") && e.closest("label") || e)
				.getBoundingClientRect()
			const name = e.outerHTML.slice(0, 100)
			const found = []
			if (Math.min(width, height) < 43.5) found.push("too small for a finger: " + name + " " + width + "x" + height)
			if (e.matches("input:not([type=checkbox], [type=radio]), textarea, select") &&
				parseFloat(getComputedStyle(e).fontSize) < 16) found.push("the browser would zoom into " + name)
			return found
		})`

	// tooWide is an expression for what is cut off by an edge of the screen, unless it can be scrolled to.
	tooWide = `[...document.querySelectorAll("button, input, textarea, select, a, p, h1, h2, h3, li, img, code")]
		.filter(e => e.checkVisibility({visibilityProperty: true}) && !e.closest("[inert], .skip"))
		.filter(e => {
			const { left, right, width } = e.getBoundingClientRect()
			if (width < 2 || left >= -1 && right <= innerWidth + 1) return false
			for (let at = e; at; at = at.parentElement) {
				if (/auto|scroll/.test(getComputedStyle(at).overflowX)) return false
			}
			return true
		}).map(e => "beyond the edge: " + e.outerHTML.slice(0, 120))`
)

// problems returns the serious violations that axe finds on the page, and headings that are empty or skip a level.
func problems(b *tab) []string {
	b.Helper()
	axe, err := os.ReadFile("../node_modules/axe-core/axe.min.js")
	if err != nil {
		b.Fatal(err)
	}
	b.eval(string(axe) + `;window.axe = axe`)
	b.waitForAnimations()
	found := value[string](b, `axe.run(document, {resultTypes: ["violations"]})
		.then(result => JSON.stringify(result.violations
			.filter(v => ["serious", "critical"].includes(v.impact) || ["heading-order", "empty-heading"].includes(v.id))
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
