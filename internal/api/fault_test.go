package api_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
)

// TestAFaultOfTheDatabaseIsLoggedAndNotSent causes faults by renaming tables.
func TestAFaultOfTheDatabaseIsLoggedAndNotSent(t *testing.T) {
	each(t, func(w *world) {
		ctx := w.Context()
		ada := w.user("ada")
		session := w.session(ada, "")
		db := w.database()
		without := func(table string, try func()) {
			w.Helper()
			_, err := db.ExecContext(ctx, `ALTER TABLE `+table+` RENAME TO gone`)
			w.must(err)
			try()
			_, err = db.ExecContext(ctx, `ALTER TABLE gone RENAME TO `+table)
			w.must(err)
		}
		without("sessions", func() {
			got := w.request("GET", "/api/chat/sessions", "", as(ada))
			if got.StatusCode != 500 || got.code() != parley.CodeInternal || strings.Contains(got.text, "sessions") {
				w.Errorf("HTTP %d, %s", got.StatusCode, got.text)
			}
			if log := w.Log.String(); !strings.Contains(log, "list sessions") ||
				!strings.Contains(log, got.Header.Get("X-Request-Id")) {
				w.Errorf("the log does not know the cause")
			}
		})
		without("messages", func() {
			_, err := ada.Send(ctx, parley.SendInput{SessionID: session, Content: "A question"})
			w.wants(err, parley.CodeSendFailed, 500)
		})
		if got := w.only(ada); got.MessageCount != 0 {
			w.Errorf("a failed send left something: %+v", got)
		}
		w.say(ada, session, "The next one works")
	})
}

func TestAFileThatCantBeStored(t *testing.T) {
	each(t, func(w *world) {
		ctx := w.Context()
		ada := w.user("ada")
		session := w.session(ada, "")
		files := filepath.Join(w.Dir, "files")
		w.must(os.RemoveAll(files))
		_, err := ada.Upload(ctx, session, "a.txt", strings.NewReader("text"))
		w.wants(err, parley.CodeUploadFailed, 500)
		if list, err := ada.Files(ctx, session); err != nil || len(list.Files) != 0 {
			w.Errorf("got %+v, %v", list, err)
		}
	})
}

// TestEveryRequestIsAnsweredInTime holds the database: no request can write.
func TestEveryRequestIsAnsweredInTime(t *testing.T) {
	each(t, func(w *world) {
		ctx := w.Context()
		ada := w.user("ada")
		session := w.session(ada, "")
		release := w.holdDatabase()
		_, err := w.hasty(ada, shortest).CreateSession(ctx, parley.CreateSessionInput{Title: "Never made"})
		w.wants(err, parley.CodeInternal, 504)
		w.busy(ada, session, "Never stored")
		release()
		w.say(ada, session, "The next one works")
		if got := w.only(ada); got.MessageCount != 2 {
			w.Errorf("got %+v", got)
		}
	})
}

// holdDatabase blocks all writes to sessions until release is called.
func (w *world) holdDatabase() (release func()) {
	w.Helper()
	conn, err := w.database().Conn(w.Context())
	w.must(err)
	hold := []string{`BEGIN IMMEDIATE`}
	if w.DatabaseURL != "" {
		hold = []string{`BEGIN`, `LOCK TABLE sessions IN EXCLUSIVE MODE`}
	}
	for _, statement := range hold {
		_, err := conn.ExecContext(w.Context(), statement)
		w.must(err)
	}
	return func() {
		_, err := conn.ExecContext(w.Context(), `ROLLBACK`)
		w.must(err)
		w.must(conn.Close())
	}
}
