package browser

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"

	"parley"
	"parley/internal/ai/aitest"
)

// paint returns a PNG with colors that depend on n.
func paint(t *testing.T, n, width, height int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.Set(x, y, color.RGBA{R: uint8(80 * n), G: uint8(255 * x / width), B: uint8(255 * y / height), A: 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// transfer returns statements that make a list with one file.
func transfer(name string, content []byte) string {
	return fmt.Sprintf(`const list = new DataTransfer()
		list.items.add(new File([Uint8Array.fromBase64(%q)], %q, {type: "image/png"}));`,
		base64.StdEncoding.EncodeToString(content), name)
}

// seen is an expression for whether the pictures of a selector are shown.
func seen(selector string, count int) string {
	return fmt.Sprintf(`(() => {
		const all = [...document.querySelectorAll(%s)]
		return all.length === %d &&
			all.every(img => img.src.startsWith("blob:") && img.complete && img.naturalWidth > 0 && img.alt.endsWith(".png"))
	})()`, quoted(selector+" img"), count)
}

// pictureWorld starts a server with two models. The default one sees pictures, the other sees none.
func pictureWorld(t *testing.T) *world {
	t.Helper()
	config := filepath.Join(t.TempDir(), "parley.yaml")
	if err := os.WriteFile(config, []byte("models:\n  Reader: {model: reader, images: false}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "PARLEY_CONFIG="+config, "PARLEY_AI_IMAGES=true")
	w.model.Respond(func(r aitest.Request) []aitest.Step {
		return aitest.Say(fmt.Sprintf("I see %d pictures.", len(r.Messages[len(r.Messages)-1].Images)))
	})
	return w
}

// attach uploads pictures by the field, from the clipboard and by a drop.
func (b *tab) attach() {
	b.Helper()
	b.until(`document.querySelector("#composer")`)
	b.eval(transfer("map.png", paint(b.T, 1, 1200, 700)) + `
		const field = document.querySelector("form input[type=file]")
		field.files = list.files
		field.dispatchEvent(new Event("change", {bubbles: true}))`)
	b.until(seen("form .picture-chips", 1))
	b.eval(transfer("image.png", paint(b.T, 2, 500, 900)) + `
		document.querySelector("#composer").dispatchEvent(new ClipboardEvent("paste", {clipboardData: list, bubbles: true}))`)
	b.until(seen("form .picture-chips", 2))
	b.eval(transfer("harbor.png", paint(b.T, 3, 300, 300)) + `
		document.querySelector(".zone").dispatchEvent(
			new DragEvent("drop", {dataTransfer: list, bubbles: true, cancelable: true}))`)
	b.until(seen("form .picture-chips", 3))
}

// pickModel picks a model in the composer.
func (b *tab) pickModel(name string) {
	b.Helper()
	b.eval(`document.querySelector("form [aria-haspopup=menu]").click()`)
	item := `[...document.querySelectorAll("[role=menuitemradio]")].find(e => e.innerText.includes(` + quoted(name) + `))`
	b.until(item + `?.checkVisibility()`)
	b.eval(item + `.click()`)
	b.until(pickerSays(name))
}

// arrow presses the arrow to the right or to the left.
func (b *tab) arrow(name string, code int64) {
	b.Helper()
	b.key(input.DispatchKeyEventParams{Key: name, Code: name, WindowsVirtualKeyCode: code})
}

func TestPicturesAreSentAndShown(t *testing.T) {
	t.Parallel()
	w := pictureWorld(t)
	token := w.register(t)
	b := signedIn(t, w, token, "", 1280)
	b.attach()
	b.press("Detach harbor.png")
	b.until(seen("form .picture-chips", 2))

	// The page says quietly that a model can't see them.
	const unseen = "This model can't see pictures."
	b.pickModel("Reader")
	b.shows(unseen)
	b.pickModel("Default model")
	b.until(`!document.body.innerText.includes(` + quoted(unseen) + `)`)

	b.ask("What is this?")
	b.shows("I see 2 pictures.")
	b.until(seen("article.user .picture-chips", 2) + ` && !document.querySelector("form .picture-chips")`)
	b.reload()
	b.until(seen("article.user .picture-chips", 2))

	b.showInDialog()

	b.eval(`document.querySelector("button.files").click()`)
	b.until(seen("aside", 2))
	b.press("Remove map.png")
	b.until(seen("aside", 1) + ` && ` + seen("article.user .picture-chips", 1))
	b.checkQuiet(w.url)
	for _, request := range b.requested() {
		if strings.Contains(request, token) {
			t.Errorf("the token is in the address %s", request)
		}
	}
}

// showInDialog opens the first picture of a question, goes on to the others by keys, and closes it.
func (b *tab) showInDialog() {
	b.Helper()
	const shows = `document.querySelector("dialog img")?.naturalWidth === %d &&
		document.querySelector("dialog img").alt === %q`
	b.eval(`const { createObjectURL, revokeObjectURL } = URL
		window.urls = new Set()
		URL.createObjectURL = (blob) => { const url = createObjectURL(blob); urls.add(url); return url }
		URL.revokeObjectURL = (url) => { urls.delete(url); revokeObjectURL(url) }
		const first = document.querySelector("article.user .picture-chips button")
		first.focus()
		first.click()`)
	b.until(fmt.Sprintf(shows, 1200, "map.png"))
	b.until(`document.querySelector("dialog").contains(document.activeElement)`)
	b.arrow("ArrowRight", 39)
	b.until(fmt.Sprintf(shows, 500, "image.png"))
	b.arrow("ArrowRight", 39) // after the last comes the first
	b.until(fmt.Sprintf(shows, 1200, "map.png"))
	b.arrow("ArrowLeft", 37)
	b.until(fmt.Sprintf(shows, 500, "image.png") + ` && document.querySelector("dialog").innerText.includes("2 of 2")`)
	b.escape()
	b.until(`!document.querySelector("dialog") && urls.size === 0`)
	b.until(`document.activeElement === document.querySelector("article.user .picture-chips button")`)
}

func TestAShareSaysThatPicturesAreNotIncluded(t *testing.T) {
	t.Parallel()
	w := pictureWorld(t)
	w.register(t)
	session := w.talk(t, "Capri", "Hello")
	if _, err := w.api.Upload(t.Context(), session, "map.png", bytes.NewReader(paint(t, 1, 40, 30))); err != nil {
		t.Fatal(err)
	}
	if _, err := w.api.Send(t.Context(), parley.SendInput{SessionID: session, Content: "What is this?"}); err != nil {
		t.Fatal(err)
	}
	share, err := w.api.Share(t.Context(), session, parley.ShareInput{})
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, share.URL, 1280)
	b.shows("1 picture that went with this is not included.")
	b.checkQuiet(w.url)
}
