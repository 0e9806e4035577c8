package browser

import (
	"fmt"
	"strings"
	"testing"
)

// TestManySessionsKeepThePageInPlace has more sessions than fit the screen: their list
// scrolls, the page does not.
func TestManySessionsKeepThePageInPlace(t *testing.T) {
	w := newWorld(t)
	token := w.register(t)
	for i := range 40 {
		w.talk(t, fmt.Sprintf("Session %d", i), "Hello")
	}
	for _, width := range []int64{768, 1440} {
		b := signedIn(t, w, token, "#/", width)
		b.until(`document.querySelector("#composer")`)
		if width == 1440 {
			b.until(`document.querySelectorAll("nav li").length >= 20`)
		}
		if !value[bool](b, `document.documentElement.scrollHeight <= innerHeight &&
			document.querySelector("#composer").getBoundingClientRect().bottom <= innerHeight`) {
			t.Errorf("at %d px the page is higher than the screen", width)
		}
	}
}

// TestFoundTextsKeepTheSidebarsWidth searches for a word in long texts.
func TestFoundTextsKeepTheSidebarsWidth(t *testing.T) {
	w := newWorld(t)
	token := w.register(t)
	w.talk(t, "Ferries", strings.Repeat("The ferry to Capri leaves at nine in the morning. ", 10))
	b := signedIn(t, w, token, "#/", 1440)
	b.until(`document.querySelectorAll("nav li").length === 1`)
	b.eval(`(() => {
		const search = document.querySelector("nav input")
		search.value = "ferry"
		search.dispatchEvent(new Event("input", { bubbles: true }))
	})()`)
	b.until(`document.querySelector("nav .snippet")`)
	if !value[bool](b, `(() => {
		const nav = document.querySelector("nav")
		return nav.scrollWidth <= nav.clientWidth && document.querySelector("nav input").getBoundingClientRect().right <= nav.getBoundingClientRect().right
	})()`) {
		t.Error("what was found makes the sidebar wider than its column")
	}
}
