package main_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley"
	"parley/internal/ai/aitest"
	"parley/internal/store"
	"parley/internal/testdb"
)

// releases lists the recorded releases by the number of their last migration.
var releases = []int64{1}

// TestADatabaseFromAnEarlierReleaseUpgrades starts the program on data of earlier releases.
func TestADatabaseFromAnEarlierReleaseUpgrades(t *testing.T) {
	t.Parallel()
	for _, release := range releases {
		t.Run(fmt.Sprintf("schema %d", release), func(t *testing.T) {
			t.Parallel()
			testdb.Each(t, func(t *testing.T, databaseURL string) {
				from := recorded(t, release, databaseURL, "before")
				data := from.restore(databaseURL)
				m, settings := model(t)
				settings = append(settings, "PARLEY_DATA="+data, "PARLEY_DATABASE_URL="+databaseURL)
				m.Script(aitest.Say("All of it.")...)
				p := start(t, settings...)
				from.compare(p)
				from.finish(p)
				if out := works(t, settings, "doctor"); strings.Contains(out, "problem") {
					t.Errorf("the doctor says\n%s", out)
				}
				from.use(p)
				p.kill()
				start(t, settings...)
				if out := works(t, settings, "doctor"); strings.Contains(out, "problem") {
					t.Errorf("after it was used, the doctor says\n%s", out)
				}
			})
		})
	}
}

// TestTheReleaseBeforeGoesOnAfterAMigration takes all statements of a process of the last release with another schema
// and runs them on the current schema. A replica that has not been upgraded yet does the same.
func TestTheReleaseBeforeGoesOnAfterAMigration(t *testing.T) {
	t.Parallel()
	databaseURL := testdb.Postgres(t)
	release := releases[0] // as long as there is only one schema
	for _, number := range releases {
		if number < store.Schema() {
			release = number
		}
	}
	recorded(t, release, databaseURL, "before").restore(databaseURL)
	migrated, err := store.Open(t.Context(), "", databaseURL)
	must(t, err)
	must(t, migrated.Close())

	later := recorded(t, release, databaseURL, "after")
	data := later.restore(databaseURL)
	m, settings := model(t)
	settings = append(settings, "PARLEY_DATA="+data, "PARLEY_DATABASE_URL="+databaseURL)
	m.Script(aitest.Say("All of it.")...)
	p := start(t, settings...)
	later.compare(p)
	later.finish(p)
	if out := works(t, settings, "doctor"); strings.Contains(out, "problem") {
		t.Errorf("the doctor says\n%s", out)
	}
}

// TestAKilledMigrationIsFinishedByTheOtherProcess kills one of two processes during a migration. The migration waits
// for a transaction that creates one of its tables. On Citus, this transaction also runs on a worker: some of the
// tables are distributed by then.
func TestAKilledMigrationIsFinishedByTheOtherProcess(t *testing.T) {
	t.Parallel()
	databaseURL := testdb.Postgres(t)
	killMigration(t, databaseURL, databaseURL)
	if testdb.IsCitus() {
		databaseURL = testdb.Postgres(t)
		killMigration(t, databaseURL, testdb.OnWorker(t, databaseURL))
	}
}

// killMigration kills a process during its migration, which waits for a transaction on a node of the database.
func killMigration(t *testing.T, databaseURL, nodeURL string) {
	t.Helper()
	m, settings := model(t)
	settings = append(settings, "PARLEY_DATA="+t.TempDir(), "PARLEY_DATABASE_URL="+databaseURL)
	m.Script(aitest.Say("All of it.")...)
	database, node := connect(t, databaseURL), connect(t, nodeURL)
	holder, err := node.BeginTx(t.Context(), nil)
	must(t, err)
	defer holder.Rollback()
	_, err = holder.ExecContext(t.Context(), `CREATE TABLE files (n BIGINT)`)
	must(t, err)
	sessions := func(db *sql.DB, condition string) (n int) {
		query := `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND ` + condition
		must(t, db.QueryRowContext(t.Context(), query).Scan(&n))
		return n
	}

	first := spawn(t, command(t, settings))
	until(t, "the first is in the middle of a migration", func() bool {
		return sessions(node, `wait_event_type = 'Lock' AND query SIMILAR TO '%CREATE TABLE (public.)?files%'`) == 1
	})
	second := spawn(t, command(t, settings))
	until(t, "the second waits for the first", func() bool {
		return sessions(database, `query LIKE '%pg_try_advisory_lock%'`) == 1
	})
	first.kill()
	must(t, holder.Rollback())
	second.waitUntilReady()
	ada := second.client(nil)
	_, err = ada.Register(t.Context(), parley.RegisterInput{Email: "ada@example.com", Password: "password of ada"})
	must(t, err)
	made, err := ada.CreateSession(t.Context(), parley.CreateSessionInput{})
	must(t, err)
	_, err = ada.Send(t.Context(), parley.SendInput{SessionID: made.SessionID, Content: "Is all of it there?"})
	must(t, err)
	if out := works(t, settings, "doctor"); strings.Contains(out, "problem") || strings.Contains(out, "not distributed") {
		t.Errorf("the doctor says\n%s", out)
	}
}

// connect opens a PostgreSQL database until the test ends.
func connect(t *testing.T, databaseURL string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", databaseURL)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return db
}

// recording is a record and its folder.
type recording struct {
	record
	t      *testing.T
	folder string
}

func recorded(t *testing.T, release int64, databaseURL, when string) *recording {
	t.Helper()
	engine := "sqlite"
	if databaseURL != "" {
		engine = "postgres"
	}
	r := &recording{t: t, folder: filepath.Join("testdata", "releases", fmt.Sprintf("schema%d", release), engine, when)}
	text, err := os.ReadFile(filepath.Join(r.folder, "record.json"))
	must(t, err)
	must(t, json.Unmarshal(text, &r.record))
	return r
}

// restore runs the recorded statements. It returns a data folder with the documents.
func (r *recording) restore(databaseURL string) (data string) {
	r.t.Helper()
	data = r.t.TempDir()
	must(r.t, os.CopyFS(filepath.Join(data, "files"), os.DirFS(filepath.Join(r.folder, "files"))))
	text, err := os.ReadFile(filepath.Join(r.folder, "statements.sql"))
	must(r.t, err)
	driver, source := "pgx", databaseURL
	if databaseURL == "" {
		driver, source = "sqlite", "file:"+filepath.Join(data, "parley.db")
	}
	db, err := sql.Open(driver, source)
	must(r.t, err)
	defer db.Close()
	conn, err := db.Conn(r.t.Context())
	must(r.t, err)
	defer conn.Close()
	for statement := range strings.SplitAfterSeq(string(text), ";\n") {
		if _, err := conn.ExecContext(r.t.Context(), statement); err != nil {
			r.t.Fatalf("%v:\n%s", err, statement)
		}
	}
	return data
}

// compare checks that responses still include everything that the earlier release returned.
func (r *recording) compare(p *process) {
	r.t.Helper()
	for user, answers := range r.Answers {
		for path, want := range answers {
			var before, now any
			got := p.read(r.Tokens[user], path)
			must(r.t, errors.Join(json.Unmarshal(want, &before), json.Unmarshal(got, &now)))
			if !includes(now, before) {
				r.t.Errorf("%s of %s is\n%s\nand was\n%s", path, user, got, want)
			}
		}
		_, err := p.client(nil).Login(r.t.Context(),
			parley.LoginInput{Email: user + "@example.com", Password: "password of " + user})
		must(r.t, err)
	}
	_, err := p.client(nil).WithToken(r.Ended).User(r.t.Context())
	refused(r.t, "an ended token", err, parley.CodeBadToken, 401)
}

// includes reports whether now has all values of before.
func includes(now, before any) bool {
	switch before := before.(type) {
	case map[string]any:
		fields, ok := now.(map[string]any)
		for name, value := range before {
			ok = ok && includes(fields[name], value)
		}
		return ok
	case []any:
		items, ok := now.([]any)
		ok = ok && len(items) == len(before)
		for i := 0; ok && i < len(before); i++ {
			ok = includes(items[i], before[i])
		}
		return ok
	}
	return reflect.DeepEqual(now, before)
}

// finish checks that the open reply is completed.
func (r *recording) finish(p *process) {
	r.t.Helper()
	olga := p.client(nil).WithToken(r.Tokens["olga"])
	stored := complete(r.t, olga, r.Open.SessionID, 2)
	if stored[1].ID != r.Open.ReplyID || stored[1].Content != "All of it." {
		r.t.Errorf("the open reply has become %+v", stored[1])
	}
}

// use changes the data of the earlier release.
func (r *recording) use(p *process) {
	r.t.Helper()
	ada, ctx := p.client(nil).WithToken(r.Tokens["ada"]), context.WithoutCancel(r.t.Context())
	found, err := ada.Sessions(ctx, "渡船几点", parley.Page{})
	must(r.t, err)
	if len(found.Sessions) != 1 {
		r.t.Fatalf("found %+v", found)
	}
	sessionID := found.Sessions[0].ID
	out, err := ada.Send(ctx, parley.SendInput{SessionID: sessionID, Content: "A question of another release"})
	must(r.t, err)
	_, err = ada.AddFavorite(ctx, parley.AddFavoriteInput{SessionID: sessionID, MessageID: out.AIResponse.ID})
	must(r.t, err)
	must(r.t, ada.RenameSession(ctx, sessionID, parley.RenameSessionInput{Title: "Renamed"}))
	_, err = ada.Upload(ctx, sessionID, "more.txt", strings.NewReader("More to read."))
	must(r.t, err)
	found, err = ada.Sessions(ctx, "another release", parley.Page{})
	must(r.t, err)
	if len(found.Sessions) != 1 || found.Sessions[0].Title != "Renamed" || found.Sessions[0].MessageCount != 8 {
		r.t.Errorf("found %+v", found)
	}
	must(r.t, ada.DeleteSession(ctx, sessionID))
	bob := p.client(nil).WithToken(r.Tokens["bob"])
	must(r.t, bob.DeleteUser(ctx, parley.DeleteUserInput{Password: "password of bob"}))
}
