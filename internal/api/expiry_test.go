package api_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/ai/aitest"
)

func TestASessionGoesWhenItsTimeHasCome(t *testing.T) {
	each(t, func(w *world) {
		const marker = "Wackelpudding"
		ada, bob := w.user("ada"), w.user("bob")
		kept := w.session(ada, "Kept")
		w.say(ada, kept, "A question")
		begun := w.clock.now().Unix()
		created, err := ada.CreateSession(w.Context(), parley.CreateSessionInput{Title: marker, ExpiresIn: 3600})
		w.must(err)
		session := created.SessionID
		if created.ExpiresAt < begun+3600 || created.ExpiresAt > w.clock.now().Unix()+3600 {
			w.Errorf("it expires at %d, and was created at %d", created.ExpiresAt, begun)
		}
		said := w.say(ada, session, "Is it "+marker+"?")
		_, err = ada.AddFavorite(w.Context(), parley.AddFavoriteInput{SessionID: session, MessageID: said.UserMessageID})
		w.must(err)
		file, err := ada.Upload(w.Context(), session, marker+".txt", strings.NewReader(marker))
		w.must(err)
		later := w.session(bob, "Later")
		w.must(bob.UpdateSession(w.Context(), later, parley.UpdateSessionInput{ExpiresIn: new(int64(7200))}))
		saved := w.session(bob, "Saved")
		w.must(bob.UpdateSession(w.Context(), saved, parley.UpdateSessionInput{ExpiresIn: new(int64(3600))}))
		w.must(bob.UpdateSession(w.Context(), saved, parley.UpdateSessionInput{ExpiresIn: new(int64(0))}))
		for _, one := range w.sessions(ada, "", parley.Page{}).Sessions {
			if (one.ExpiresAt == created.ExpiresAt) != (one.ID == session) || one.ID == kept && one.ExpiresAt != 0 {
				w.Errorf("the list has %+v", one)
			}
		}
		if found := w.sessions(ada, marker, parley.Page{}).Sessions; len(found) != 1 ||
			found[0].ExpiresAt != created.ExpiresAt {
			w.Errorf("a search finds %+v", found)
		}

		w.must(w.app.Sweeper.Sweep(w.Context()))
		if got := w.sessions(ada, "", parley.Page{}).Total; got != 2 {
			w.Errorf("before the time there are %d sessions", got)
		}
		w.clock.forward(time.Hour + time.Second)
		w.must(w.app.Sweeper.Sweep(w.Context()))
		_, err = ada.Session(w.Context(), session)
		w.wants(err, parley.CodeNoSuchSession, 404)
		_, err = ada.Download(w.Context(), file.FileID)
		w.wants(err, parley.CodeUploadFailed, 404)
		if got := w.only(ada); got.ID != kept {
			w.Errorf("the remaining session is %+v", got)
		}
		if got := w.favorites(ada, "", parley.Page{}).Total; got != 0 {
			w.Errorf("%d favorites are left", got)
		}
		if got := w.sessions(bob, "", parley.Page{}).Total; got != 2 {
			w.Errorf("%d sessions of the other user are left", got)
		}
		w.eventually("the bytes of the file are gone", func() bool { return !w.onDisk(file.FileID) })
		w.eventually("all is indexed", func() bool { return w.count("search_queue", "") == 0 })
		w.eventually("nothing of it is in the data folder", func() bool {
			w.must(w.app.Sweeper.Sweep(w.Context()))
			return !w.inFolder(marker)
		})
		w.clock.forward(time.Hour)
		w.must(w.app.Sweeper.Sweep(w.Context()))
		if got := w.only(bob); got.ID != saved || got.ExpiresAt != 0 {
			w.Errorf("the remaining session is %+v", got)
		}
	})
}

// inFolder reports whether any file of the data folder contains a text.
func (w *world) inFolder(text string) (found bool) {
	w.Helper()
	w.must(filepath.WalkDir(w.Dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		found = found || bytes.Contains(content, []byte(text))
		return err
	}))
	return found
}

func TestTheTimeOfASessionIsChecked(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "Ferries")
		var scenarios []scenario
		for value, good := range map[string]bool{
			"0": true, "3600": true, "315360000": true, "null": true,
			"3599": false, "-1": false, "315360001": false, `"3600"`: false, "3600.5": false,
		} {
			post := scenario{name: "create with " + value, method: "POST", path: "/api/chat/session", status: 200}
			patch := scenario{name: "change to " + value, method: "PATCH", path: "/api/chat/session/" + session, status: 200}
			post.body, patch.body = `{"expires_in":`+value+`}`, `{"pinned":true,"expires_in":`+value+`}`
			for _, s := range []scenario{post, patch} {
				if !good {
					s.status, s.code, s.says = 400, 1001, "expires_in must be"
				}
				scenarios = append(scenarios, s)
			}
		}
		w.play(ada, scenarios)
	})
}

func TestRetention(t *testing.T) {
	eachWith(t, func(w *world) { w.Settings.Retention, w.TokenTTL = 30*24*time.Hour, 8760*time.Hour }, func(w *world) {
		ada := w.user("ada")
		old, marked, pinned := w.session(ada, "Old"), w.session(ada, "Marked"), w.session(ada, "Pinned")
		fresh, empty := w.session(ada, "Fresh"), w.session(ada, "Empty")
		for _, session := range []string{old, marked, pinned, fresh} {
			w.say(ada, session, "A question")
		}
		_, err := ada.AddFavorite(w.Context(), parley.AddFavoriteInput{
			SessionID: marked, MessageID: w.messages(ada, marked)[0].ID,
		})
		w.must(err)
		w.must(ada.UpdateSession(w.Context(), pinned, parley.UpdateSessionInput{Pinned: new(true)}))
		w.clock.forward(29 * 24 * time.Hour)
		w.say(ada, fresh, "Another")
		w.must(w.app.Sweeper.Sweep(w.Context()))
		if got := w.sessions(ada, "", parley.Page{}).Total; got != 5 {
			w.Errorf("before the time there are %d sessions", got)
		}
		w.clock.forward(2 * 24 * time.Hour)
		w.must(w.app.Sweeper.Sweep(w.Context()))
		for session, want := range map[string]bool{old: false, empty: false, marked: true, pinned: true, fresh: true} {
			if _, err := ada.Session(w.Context(), session); (err == nil) != want {
				w.Errorf("kept is %v, want %v", err == nil, want)
			}
		}
		// Once a session is no longer spared, it is deleted within a day.
		w.must(ada.UpdateSession(w.Context(), pinned, parley.UpdateSessionInput{Pinned: new(false)}))
		w.clock.forward(24 * time.Hour)
		w.must(w.app.Sweeper.Sweep(w.Context()))
		_, err = ada.Session(w.Context(), pinned)
		w.wants(err, parley.CodeNoSuchSession, 404)
	})
}

// TestASweepEndsAnOpenTurn lets a session expire while the model writes a reply.
func TestASweepEndsAnOpenTurn(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		created, err := ada.CreateSession(w.Context(), parley.CreateSessionInput{ExpiresIn: 3600})
		w.must(err)
		gone := make(chan struct{})
		w.Model.Script(aitest.Text("and so on"), aitest.Gone(gone))
		stream := w.ask(ada, created.SessionID, "A question")
		stream.started()
		stream.wants(event{"1.0.9", "delta", `{"text":"and so on"}`})
		w.clock.forward(2 * time.Hour)
		w.must(w.app.Sweeper.Sweep(w.Context()))
		<-gone
		events := stream.rest()
		if last := events[len(events)-1]; last.Name != "error" {
			w.Errorf("the stream ends with %+v", last)
		}
	})
}
