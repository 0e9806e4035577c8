package api_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/client"
)

// account exports an account and returns its files.
func (w *world) account(c *client.Client) map[string]string {
	w.Helper()
	archive, err := c.ExportAccount(w.Context())
	w.must(err)
	content, err := io.ReadAll(archive)
	w.must(err)
	w.must(archive.Close())
	files, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	w.must(err)
	all := map[string]string{}
	for _, file := range files.File {
		r, err := file.Open()
		w.must(err)
		text, err := io.ReadAll(r)
		w.must(err)
		all[file.Name] = string(text)
	}
	return all
}

func TestAnAccountIsExported(t *testing.T) {
	each(t, func(w *world) {
		ada, eve := w.user("ada"), w.user("eve")
		w.say(eve, w.session(eve, "Eves"), "A secret of Eve")
		plans := w.session(ada, "Plans: ../../a")
		first := w.say(ada, plans, "A tortoise")
		w.edit(ada, plans, first.UserMessageID, "A heron")
		marked := w.messages(ada, plans)[1].ID
		_, err := ada.AddFavorite(w.Context(), parley.AddFavoriteInput{SessionID: plans, MessageID: marked})
		w.must(err)
		for range 2 {
			_, err = ada.Upload(w.Context(), plans, "时间表.txt", strings.NewReader("Naples 09:00"))
			w.must(err)
		}
		empty := w.session(ada, "")
		all := w.account(ada)

		var profile parley.UserInfo
		w.must(json.Unmarshal([]byte(all["profile.json"]), &profile))
		var favorites []parley.Favorite
		w.must(json.Unmarshal([]byte(all["favorites.json"]), &favorites))
		var days []parley.UsageSum
		w.must(json.Unmarshal([]byte(all["usage.json"]), &days))
		if len(days) == 0 || days[0].Messages == 0 {
			w.Errorf("the usage is %+v", days)
		}
		if profile.Email != w.address("ada") || len(favorites) != 1 || favorites[0].MessageID != marked {
			w.Errorf("the profile is %+v, the favorites are %+v", profile, favorites)
		}
		sessions := map[string]string{}
		for name, text := range all {
			if slices.Contains(strings.Split(name, "/"), "..") || strings.Contains(name, `\`) || strings.Contains(text, "Eve") ||
				strings.Contains(text, "tortoise") {
				w.Errorf("%s: %s", name, text)
			}
			if path.Base(name) == "session.json" {
				var export parley.Export
				w.must(json.Unmarshal([]byte(text), &export))
				sessions[export.SessionID] = path.Dir(name)
				if export.SessionID == plans && (len(export.Messages) != 2 || export.Messages[0].Content != "A heron" ||
					!export.Messages[1].IsFavorited || export.CreatedAt == 0) {
					w.Errorf("the session is %+v", export)
				}
			}
		}
		folder := sessions[plans]
		if len(sessions) != 2 || sessions[empty] == "" || len(all) != 11 ||
			!strings.Contains(all[folder+"/session.md"], "\n\nA heron\n") ||
			all[folder+"/files/时间表.txt"] != "Naples 09:00" || all[folder+"/files/时间表 (2).txt"] != "Naples 09:00" {
			w.Errorf("the archive has %d files: %v", len(all), all)
		}
		got := w.request("HEAD", "/api/user/export", "", as(ada))
		if got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "application/zip" {
			w.Errorf("HEAD: HTTP %d, %v", got.StatusCode, got.Header)
		}
	})
}

// noise returns a text that can't be compressed much.
func noise(size int) string {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // it is not a secret
	text := make([]byte, size)
	for i := range text {
		text[i] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789- "[random.IntN(64)]
	}
	return string(text)
}

// TestOneExportAtATime leaves an archive unread. The archive is too large for the buffers of a connection.
func TestOneExportAtATime(t *testing.T) {
	eachWith(t, func(w *world) { w.MaxUpload, w.SendBuffer = 8<<20, 16<<10 }, func(w *world) {
		ada, eve := w.user("ada"), w.user("eve")
		session := w.session(ada, "")
		_, err := ada.Upload(w.Context(), session, "noise.txt", strings.NewReader(noise(4<<20)))
		w.must(err)
		h := &http.Client{Transport: &http.Transport{}} // the other client reads whole responses
		w.Cleanup(h.CloseIdleConnections)
		unread, err := client.New(w.URL, client.WithHTTPClient(h)).WithToken(ada.Token()).ExportAccount(w.Context())
		w.must(err)
		_, err = ada.ExportAccount(w.Context())
		w.wants(err, parley.CodeInternal, http.StatusServiceUnavailable)
		w.account(eve)
		w.must(unread.Close())
		w.eventually("the first has ended", func() bool {
			again, err := ada.ExportAccount(w.Context())
			if err == nil {
				_ = again.Close()
			}
			return err == nil
		})
	})
}
