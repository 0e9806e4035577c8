package browser

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"testing"

	"parley"
)

// selectChats begins a selection with the first of some chats.
func (b *tab) selectChats(titles ...string) {
	b.Helper()
	b.press("Actions for “" + titles[0] + "”")
	b.press("Select")
	for i, title := range titles {
		box := fmt.Sprintf(`[...document.querySelectorAll("nav label")]
			.find(e => e.innerText.trim() === %s)?.querySelector("input")`, quoted(title))
		if i == 0 {
			b.until(box + `?.checked && document.activeElement === ` + box)
			continue
		}
		b.until(box)
		b.eval(box + `.click()`)
	}
	b.shows(fmt.Sprintf("%d selected", len(titles)))
}

// TestSeveralChatsAtOnce exports, archives and deletes selected chats.
func TestSeveralChatsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	for _, title := range []string{"Ferries", "Ferries?", "Trains", "Planes", "Walks"} {
		w.talk(t, title, "Hello")
	}
	b := signedIn(t, w, token, "#/", 1280)
	listed := func(titles ...string) {
		t.Helper()
		b.until(`[...document.querySelectorAll("nav li a")].map(e => e.title).join() === ` + quoted(strings.Join(titles, ",")))
	}
	listed("Walks", "Planes", "Trains", "Ferries?", "Ferries")

	b.selectChats("Ferries", "Ferries?")
	b.eval(`URL.createObjectURL = blob => { blob.arrayBuffer().then(data => {
		window.saved = btoa(String.fromCharCode(...new Uint8Array(data))) }); return "#/" }`)
	b.press("Export as Markdown")
	b.until(`window.saved`)
	files := unzip(t, value[string](b, `window.saved`))
	if len(files) != 2 || !strings.Contains(files["Ferries.md"], "# Ferries\n") ||
		!strings.Contains(files["Ferries (2).md"], "# Ferries?") {
		t.Errorf("the archive has %q", files)
	}

	b.selectChats("Walks", "Planes")
	b.press("Archive")
	b.shows("2 chats were archived.")
	listed("Trains", "Ferries?", "Ferries")

	b.selectChats("Trains", "Ferries")
	b.escape()
	listed("Trains", "Ferries?", "Ferries")
	b.selectChats("Trains", "Ferries")
	b.press("Delete")
	b.shows("Delete 2 chats?")
	b.press("Delete permanently")
	b.shows("2 chats were deleted.")
	listed("Ferries?")
	b.checkQuiet(w.url)
}

// unzip returns the files of an archive in base64.
func unzip(t *testing.T, encoded string) map[string]string {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, file := range archive.File {
		content, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(content) // checks the sum
		content.Close()
		if err != nil {
			t.Fatal(err)
		}
		files[file.Name] = string(text)
	}
	return files
}

// TestAllChatsAreDeleted deletes them in the settings, an archived one too.
func TestAllChatsAreDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.talk(t, "Ferries", "Hello")
	archived := w.talk(t, "Trains", "Hello")
	if err := w.api.UpdateSession(t.Context(), archived, parley.UpdateSessionInput{Archived: new(true)}); err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, w, token, "#/settings/account", 390)
	b.press("Delete all chats")
	b.press("Delete 2 chats")
	b.shows("2 chats were deleted.")
	for _, filter := range []parley.SessionFilter{{}, {Archived: true}} {
		if list, err := w.api.FindSessions(t.Context(), filter, parley.Page{}); err != nil || list.Total != 0 {
			t.Errorf("%+v: %+v, %v", filter, list, err)
		}
	}
	b.press("Delete all chats")
	b.shows("You have no chats.")
	b.checkQuiet(w.url)
}
