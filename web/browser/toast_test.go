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

// TestToastsCoverNoControl saves in the settings and in the administration. The page leaves room for the toast.
func TestToastsCoverNoControl(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := signedIn(t, w, w.register(t), "#/settings", 390)
	b.until(`document.querySelector("input[name=nickname]")`)
	b.write(`input[name="nickname"]`, " L.")
	b.press("Save")
	b.shows("Saved")
	for _, width := range []int64{390, 900, 1440} {
		b.resize(width)
		b.waitForAnimations()
		b.until(`document.querySelector(".settings").getBoundingClientRect().bottom <=
			document.querySelector(".toast").getBoundingClientRect().top`)
		covered := value[[]string](b, `(() => {
			const toast = document.querySelector(".toast").getBoundingClientRect()
			return [...document.querySelectorAll("nav a, nav button, header a, header button")].filter(e => {
				const { left, right, top, bottom } = e.getBoundingClientRect()
				return e.checkVisibility() && left < toast.right && right > toast.left && top < toast.bottom && bottom > toast.top
			}).map(e => e.outerHTML)
		})()`)
		if len(covered) > 0 {
			t.Errorf("at %d px the toast covers %q", width, covered)
		}
	}
	b.eval(`document.querySelector(".toast button").click()`)
	b.until(`document.querySelector(".settings").getBoundingClientRect().bottom === innerHeight`)
	b.checkQuiet(w.url)
}
