package browser

import "testing"

// TestToastsDoNotCoverTheComposer deletes a chat, which shows a toast, and compares places.
func TestToastsDoNotCoverTheComposer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	session := w.talk(t, "Ferries", "Hello")
	b := signedIn(t, w, token, "#/chat/"+session, 390)
	b.press("More actions")
	b.press("Delete")
	b.until(button("Undo"))
	for _, width := range []int64{390, 1440} {
		b.resize(width)
		b.waitForAnimations()
		if value[bool](b, `(() => {
			const rect = selector => document.querySelector(selector).getBoundingClientRect()
			const [toast, form, header] = [".toast", "form:has(#composer)", "main header"].map(rect)
			const covers = other => toast.top < other.bottom && toast.bottom > other.top
			return covers(form) || covers(header)
		})()`) {
			t.Errorf("at %d px the toast covers the composer or the header", width)
		}
	}
	b.checkQuiet(w.url)
}
