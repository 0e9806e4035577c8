package browser

import (
	"fmt"
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
