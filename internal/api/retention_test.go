package api_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/extract/history/historytest"
)

// left sweeps and returns the titles of the user's remaining sessions.
func (w *world) left(c *client.Client) (titles []string) {
	w.Helper()
	w.must(w.app.Sweeper.Sweep(w.Context()))
	for _, session := range w.sessions(c, "", parley.Page{}).Sessions {
		titles = append(titles, session.Title)
	}
	slices.Sort(titles)
	return titles
}

// TestARetentionAsksAndWaits sets a retention that deletes another user's sessions.
func TestARetentionAsksAndWaits(t *testing.T) {
	eachWith(t, func(w *world) { w.clock.freeze() }, func(w *world) {
		ctx, admin, ada := w.Context(), w.admin("root"), w.user("ada")
		w.session(ada, "One")
		w.session(ada, "Two")
		pinned := w.session(ada, "Pinned")
		w.must(ada.UpdateSession(ctx, pinned, parley.UpdateSessionInput{Pinned: new(true)}))
		w.clock.forward(90 * time.Minute)
		w.session(ada, "Fresh")

		_, err := admin.UpdateSettings(ctx, parley.SettingsInput{Retention: new("2h"), Sharing: new(false)})
		w.wants(err, parley.CodeSendFailed, 409)
		var refused *client.Error
		if !errors.As(err, &refused) {
			w.Fatal(err)
		}
		if aged, asked := refused.AgedSessions(); !asked || aged != (parley.AgedSessions{Sessions: 2, Users: 1}) {
			w.Errorf("it would delete %+v: %s", aged, refused.Body)
		}
		if !strings.Contains(refused.Message, "sessions: 2, of users: 1") {
			w.Errorf("it says %s", refused.Message)
		}
		if out, err := admin.Settings(ctx); err != nil || out.Retention != "" || !out.Sharing {
			w.Errorf("the settings are %+v, %v", out, err)
		}
		w.set(admin, parley.SettingsInput{Retention: new("2h"), Confirm: true})
		all := []string{"Fresh", "One", "Pinned", "Two"}
		if got := w.left(ada); !slices.Equal(got, all) {
			w.Errorf("at once these are left: %v", got)
		}
		w.clock.forward(59 * time.Minute)
		w.restart()
		ada, admin = w.again(ada), w.again(admin)
		if got := w.left(ada); !slices.Equal(got, all) {
			w.Errorf("within the hour, after a restart, these are left: %v", got)
		}
		// A longer retention needs no confirmation. The hour begins again.
		w.set(admin, parley.SettingsInput{Retention: new("135m")})
		w.clock.forward(time.Minute)
		if got := w.left(ada); !slices.Equal(got, all) {
			w.Errorf("after another change these are left: %v", got)
		}
		w.clock.forward(time.Hour)
		if got := w.left(ada); !slices.Equal(got, []string{"Fresh", "Pinned"}) {
			w.Errorf("after the hour these are left: %v", got)
		}
		if !strings.Contains(w.Log.String(), "the retention is new and deletes nothing yet") {
			w.Error("the log does not announce it")
		}
	})
}

// TestARetentionOfTheConfigurationWaits sets a retention in the configuration. Nobody confirms it.
func TestARetentionOfTheConfigurationWaits(t *testing.T) {
	settings := func(w *world) {
		w.Settings.Retention, w.Fixed = time.Hour, []string{parley.SettingRetention}
		w.clock.freeze()
	}
	eachWith(t, settings, func(w *world) {
		ada := w.user("ada")
		w.session(ada, "Old")
		w.clock.forward(2 * time.Hour)
		if got := w.left(ada); len(got) != 1 {
			w.Errorf("at the first sweep these are left: %v", got)
		}
		w.clock.forward(time.Hour)
		if got := w.left(ada); len(got) != 0 {
			w.Errorf("after an hour these are left: %v", got)
		}
	})
}

func TestImportedSessionsCountFromTheImport(t *testing.T) {
	eachWith(t, func(w *world) { w.TokenTTL = 8760 * time.Hour }, func(w *world) {
		admin, ada := w.admin("root"), w.user("ada")
		old := historytest.Conversation{
			ID: "c1", Title: "Imported", At: time.Date(2023, 5, 1, 12, 0, 0, 0, time.UTC), Texts: []string{"Hi", "Hello"},
		}
		if _, got := w.imported(ada, historytest.ChatGPT(old)); got.State != parley.ImportDone {
			w.Fatalf("the import is %+v", got)
		}
		w.set(admin, parley.SettingsInput{Retention: new("90d")}) // it deletes nothing and needs no confirmation
		w.must(w.app.Sweeper.Sweep(w.Context()))
		w.clock.forward(89 * 24 * time.Hour)
		if got := w.left(ada); !slices.Equal(got, []string{"Imported"}) {
			w.Errorf("after 89 days these are left: %v", got)
		}
		w.clock.forward(2 * 24 * time.Hour)
		if got := w.left(ada); len(got) != 0 {
			w.Errorf("after 91 days these are left: %v", got)
		}
	})
}
