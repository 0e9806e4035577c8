package store

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/db"
	"parley/internal/db/dbtest"
	"parley/internal/id"
	"parley/internal/testdb"
)

// run runs statements in a transaction.
func (w *world) run(statements ...string) {
	w.t.Helper()
	w.must(w.db.Write(w.t.Context(), func(ctx context.Context, q db.Querier) error {
		for _, statement := range statements {
			if _, err := q.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	}))
}

// plain skips a test of plans on Citus, which shows other ones.
func (w *world) plain() {
	w.t.Helper()
	if w.db.Shared() && testdb.IsCitus() {
		w.t.Skip("the plans are those of a PostgreSQL without Citus")
	}
}

// fill adds many rows to all tables of PostgreSQL. Then a plan that scans one costs more. The plans of SQLite do not
// depend on the rows.
func (w *world) fill() {
	w.t.Helper()
	if !w.db.Shared() {
		return
	}
	w.plain()
	const session, owner = `'00000000-0000-7000-8000-' || lpad(i::text, 12, '0')`, `1000 + i % 500`
	const all = ` FROM generate_series(1, 4000) AS n (i)`
	w.run(
		`INSERT INTO emails (user_id, email_key) SELECT 999 + i, 'e' || i FROM generate_series(1, 500) AS n (i)`,
		`INSERT INTO users (id, email, nickname, password_hash, session_count, created_at)
			SELECT 999 + i, 'e' || i, 'n', 'h', 8, i FROM generate_series(1, 500) AS n (i)`,
		`INSERT INTO sessions (id, user_id, title, message_count, last_message_at, active_at, created_at)
			SELECT `+session+`, `+owner+`, 't', 2, i, i, i`+all,
		`INSERT INTO messages (id, session_id, number, user_id, role, content, created_at)
			SELECT 'q' || i, `+session+`, 1, `+owner+`, 'user', 'q', i`+all,
		`INSERT INTO messages (id, session_id, number, user_id, role, content, created_at)
			SELECT 'r' || i, `+session+`, 2, `+owner+`, 'assistant', 'r', i`+all,
		`INSERT INTO branches
			(user_id, session_id, branch, parent, first, shown, ended, message_count, last_message_at)
			SELECT `+owner+`, `+session+`, 0, 0, 0, 1, 0, 2, i`+all,
		`INSERT INTO tokens (hash, id, user_id, client, created_at, expires_at)
			SELECT CAST('h' || i AS BYTEA), 't' || i, `+owner+`, 'c', i, i + 1000000`+all,
		`INSERT INTO api_keys (hash, id, user_id, name, scopes, created_at, expires_at)
			SELECT CAST('h' || i AS BYTEA), 'k' || i, `+owner+`, 'n', 'read', i, i + 1000000`+all,
		`INSERT INTO recovery_codes (hash, user_id) SELECT CAST('h' || i AS BYTEA), `+owner+all,
		`INSERT INTO password_resets (hash, user_id, created_at)
			SELECT CAST('h' || i AS BYTEA), 999 + i, i + 1000000 FROM generate_series(1, 500) AS n (i)`,
		`INSERT INTO turns (session_id, message_id, user_id, owner, attempt, first, number, named, redo, options)
			SELECT `+session+`, 'r' || i, `+owner+`, 'o' || (1 + i % 50), 1, 1, 2, '', 0, '{}'`+all,
		`INSERT INTO owners (id, lease_until) SELECT 'o' || i, 9000000000000000 FROM generate_series(1, 50) AS n (i)`,
		`INSERT INTO outcomes (message_id, user_id, code, kind, message, ended_at)
			SELECT 'o' || i, `+owner+`, 1, 1, 'm', i + 1000000`+all,
		`INSERT INTO send_keys (user_id, key, digest, session_id, message_id, created_at)
			SELECT `+owner+`, 'k' || i, 'd', `+session+`, 'r' || i, i + 1000000`+all,
		`INSERT INTO files (id, user_id, session_id, name, size, text_size, index_size, type, created_at)
			SELECT 'f' || i, `+owner+`, `+session+`, 'n', 1, 0, 0, 't', i`+all,
		`INSERT INTO file_links (user_id, session_id, file_id) SELECT `+owner+`, `+session+`, 'f' || i`+all,
		`INSERT INTO shares
			(user_id, id, session_id, title, message_count, parts, thinking, created_at, expires_at)
			SELECT `+owner+`, 's' || i, `+session+`, 't', 2, 1, 0, i, i + 1000000`+all,
		`INSERT INTO share_parts (user_id, share_id, part, data) SELECT `+owner+`, 's' || i, 0, ''`+all,
		`INSERT INTO share_links (id, user_id) SELECT 's' || i, `+owner+all,
		`INSERT INTO identities (hash, user_id) SELECT CAST('i' || i AS BYTEA), `+owner+all,
		`INSERT INTO user_identities (user_id, hash, issuer, subject, created_at)
			SELECT `+owner+`, CAST('i' || i AS BYTEA), 'i', 's', i`+all,
		`INSERT INTO sign_ins (hash, browser, nonce, verifier, expires_at)
			SELECT CAST('i' || i AS BYTEA), 'b', 'n', 'v', i + 1000000`+all,
		`INSERT INTO sign_in_codes (hash, issuer, subject, email, nickname, link, expires_at)
			SELECT CAST('i' || i AS BYTEA), 'i', 's', 'e', 'n', 0, i + 1000000`+all,
		`INSERT INTO imports (user_id, id, file_id, size, state, created_at, ended_at)
			SELECT `+owner+`, 'i' || i, '', 1, 'done', i, i`+all,
		`INSERT INTO import_skips (user_id, import_id, place, title, reason)
			SELECT `+owner+`, 'i' || i, 0, 't', 'r'`+all,
		`INSERT INTO import_sources (user_id, digest, session_id) SELECT `+owner+`, 'd' || i, `+session+all,
		`INSERT INTO responses (user_id, id, open, digest, size, created_at, expires_at, context, data)
			SELECT `+owner+`, 'p' || i, 0, '', 0, i, i + 1000000, '', ''`+all,
		`INSERT INTO usage_days (user_id, day, model, input_tokens, output_tokens, thinking_tokens, messages, cost,
			currency, estimated) SELECT `+owner+`, i, 'm', 1, 1, 0, 1, 0, '', 0`+all,
		`INSERT INTO usage_calls (user_id, id, reserved, expires_at) SELECT `+owner+`, 'c' || i, 1, i`+all,
		`INSERT INTO audit_entries (user_id, id, at, event, actor_id, address, request_id, code, object)
			SELECT `+owner+`, `+session+`, i, 'e' || i % 40, 0, '', '', 0, ''`+all,
		`INSERT INTO prompts (user_id, id, name, text, shared, created_at)
			SELECT `+owner+`, `+session+`, 'n', 't', 0, i`+all,
		`INSERT INTO search_queue (user_id, session_id, number) SELECT `+owner+`, `+session+`, 1`+all,
		`INSERT INTO search_blocks (user_id, block, size, names) SELECT `+owner+`, i, 0, ''`+all,
		`INSERT INTO search_pages (user_id, block, first, data) SELECT `+owner+`, i, i, ''`+all,
		`ANALYZE`)
}

// deleteAll deletes the accounts that fill has added, with all they own.
var deleteAll = []string{
	`DELETE FROM users`, `DELETE FROM emails`, `DELETE FROM identities`, `DELETE FROM share_links`,
	`DELETE FROM ended_shares`, `DELETE FROM search_queue`, `DELETE FROM audit_entries`,
}

// Statements that may scan a whole table, since it is small or they need all of it.
var maySweep = regexp.MustCompile(`(?s)FROM owners|FROM settings|FROM bookkeeping|` +
	`FROM file_intents|UPDATE file_intents|FROM ended_shares|` +
	`SELECT user_id, session_id, owner FROM turns\s+WHERE owner NOT IN|` +
	`FROM search_queue WHERE number > |SELECT user_id, id, owner FROM imports\s+WHERE ended_at = 0|` +
	`FROM admin_claims|SELECT expires_at FROM sign_ins ORDER BY|` +
	`^\s*SELECT count\(\*\) FROM (users( WHERE admin = 1)?|turns|imports WHERE ended_at = 0|` +
	`\(SELECT 1 FROM search_queue LIMIT \d+\) q)$|` +
	`SELECT CAST\(COALESCE\(sum\(size |` +
	`SELECT id FROM users ORDER BY id|SELECT id, email, nickname FROM users WHERE id <`)

// A scan of a table, or a sort of what an index could give in order.
var wholeTable = map[string]*regexp.Regexp{
	"sqlite": regexp.MustCompile(`(?m)^SCAN (users|tokens|api_keys|sessions|s|messages|m|q|r|v|branches|turns|t|` +
		`outcomes|send_keys|files|file_links|shares|share_parts|share_links|imports|i|k|import_skips|` +
		`import_sources|responses|` +
		`identities|user_identities|sign_ins|sign_in_codes|usage_days|d|usage_calls|c|audit_entries|recovery_codes|` +
		`password_resets|prompts|search_queue|search_blocks|b|search_pages|p)\b.*$`),
	"postgres": regexp.MustCompile(`(?m)Seq Scan on \S+.*$`),
}

// Every statement of the store runs on tables with a small part for each user.
func TestNoStatementLooksAtAWholeTable(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fill()
		x := dbtest.Explain(t, w.db)
		everything(t, w)
		x.Stop()
		w.run(deleteAll...)

		name := strings.TrimPrefix(t.Name(), "TestNoStatementLooksAtAWholeTable/")
		if len(x.Plans) < 60 {
			t.Errorf("only %d statements were explained", len(x.Plans))
		}
		for query, plan := range x.Plans {
			if bad := wholeTable[name].FindString(plan); bad != "" && !maySweep.MatchString(query) {
				t.Errorf("%s\nin the plan of\n%s\n%s", bad, query, plan)
			}
		}
	})
}

var (
	ofOneSession = regexp.MustCompile(`session_id = \$\d|FROM sessions WHERE user_id = \$1 AND id = \$2`)
	allOfAUser   = regexp.MustCompile(`(?m)^SEARCH .* \(user_id=\?\)$`)
)

// What belongs to a session is found by an index, also by the foreign keys, however much its user has. The plans of
// PostgreSQL depend on the rows.
func TestNoStatementLooksAtAllOfAUserForOneSession(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if w.db.Shared() {
			return
		}
		x := dbtest.Explain(t, w.db)
		everything(t, w)
		x.Stop()
		checked := 0
		for query, plan := range x.Plans {
			if !ofOneSession.MatchString(query) {
				continue
			}
			checked++
			if bad := allOfAUser.FindString(plan); bad != "" {
				t.Errorf("%s\nin the plan of\n%s\n%s", bad, query, plan)
			}
		}
		if checked < 40 {
			t.Errorf("only %d statements of one session were checked", checked)
		}
	})
}

// filters are all ways to list sessions.
var filters = []SessionFilter{{}, {Pinned: true}, {Archived: true}, {Pinned: true, Archived: true}}

// everything calls each method of the store that runs SQL.
func everything(t *testing.T, w *world) {
	ctx := t.Context()
	page := parley.Page{Number: 1, Size: 20}
	user := w.user()
	session := w.session(user, "Ferries")
	w.lease("owner", time.Hour)
	useSettings(ctx, w)
	w.say(user, session, "first", "ferry")
	question := w.question(user, session, "Which ferry?")
	question.Title, question.Key = "title", "key"
	question.Reservation = Reservation{Quota: parley.Quota{Messages: 100, Tokens: 1000}, Tokens: 10}
	turn, err := w.BeginTurn(ctx, question)
	w.must(err)
	_, err = w.SaveProgress(ctx, "owner", []Progress{{Turn: &turn, Content: "so far", Fresh: true}})
	w.must(err)
	_, err = w.StopTurn(ctx, user, turn.ReplyID)
	w.must(err)
	_, err = w.Reply(ctx, user, turn.ReplyID)
	w.must(err)
	_, _, err = w.FindKey(ctx, user, "key")
	w.must(err)
	_, err = w.OpenReplies(ctx, "owner")
	w.must(err)
	w.must(w.Disown(ctx, "owner", turn.ReplyID))
	taken, err := w.TakeOver(ctx, "owner", 10)
	w.must(err)
	taken[0].Spent = Spent{Model: "m", Messages: 1, At: w.now}
	w.must(w.FinishTurn(ctx, taken[0], "The fast one.", parley.Details{}))
	useModels(ctx, w, user, taken[0])
	redo, err := w.BeginTurn(ctx, NewTurn{UserID: user, SessionID: session, Owner: "owner", Redo: true})
	w.must(err)
	w.must(w.FinishTurn(ctx, redo, "The slow one.", parley.Details{}))
	redo, err = w.BeginTurn(ctx, NewTurn{UserID: user, SessionID: session, Owner: "owner", Redo: true})
	w.must(err)
	w.must(w.FailTurn(ctx, redo, failure, w.tick()))
	edit := w.question(user, session, "Which boat?")
	edit.Replaces = question.QuestionID
	w.must(w.CheckReplaceable(ctx, user, session, edit.Replaces))
	edited, err := w.BeginTurn(ctx, edit)
	w.must(err)
	w.must(w.FailTurn(ctx, edited, failure, w.tick()))
	stopped := w.begin(user, session, "stopped")
	w.must(w.StopTurnWith(ctx, stopped, "half", parley.Details{}))
	on, err := w.BeginTurn(ctx, NewTurn{UserID: user, SessionID: session, Owner: "owner", Continue: true})
	w.must(err)
	w.must(w.InterruptTurn(ctx, on, "half and more", parley.Details{}, failure, w.tick()))
	forked := w.fork(user, session, question.QuestionID)
	shared := w.file(user, session)
	again := w.fork(user, session, question.QuestionID)
	w.must(w.DeleteFileOf(ctx, user, again, shared))
	w.must(w.DeleteFileOf(ctx, user, session, shared))
	_, err = w.OwnFiles(ctx, user, session)
	w.must(err)
	w.must(w.DeleteSession(ctx, user, forked))
	brief := w.temporary(user, time.Hour)
	w.must(w.CreateSession(ctx, NewSession{
		ID: id.New(), UserID: user, Temporary: true, ExpiresAt: w.now.Add(time.Hour), Now: w.tick(),
	}))
	short := w.question(user, brief.SessionID, "Is it short?")
	short.Temporary = true
	shortTurn, err := w.BeginTurn(ctx, short)
	w.must(err)
	w.must(w.FinishTurn(ctx, shortTurn, "It is.", parley.Details{}))
	_, err = w.SessionOf(ctx, user, question.QuestionID)
	w.must(err)
	w.must(w.ShowVersion(ctx, user, session, redo.ReplyID, 1))
	w.must(w.ShowVersion(ctx, user, session, redo.ReplyID, 2))
	named := w.begin(user, w.session(user, ""), "named")
	_, err = w.TitleFromText(ctx, named)
	w.must(err)
	_, err = w.SetModelTitle(ctx, named, "title")
	w.must(err)
	fails := w.begin(user, w.session(user, ""), "fails")
	w.must(w.FailTurn(ctx, fails, failure, w.tick()))
	_, _ = w.Reply(ctx, user, fails.ReplyID)

	_, err = w.AddFavorite(ctx, user, session, turn.ReplyID, id.New(), w.tick())
	w.must(err)
	favorites, _, err := w.Favorites(ctx, user, page)
	w.must(err)
	_, _, err = w.FavoritesAfter(ctx, user, favorites[0], 10)
	w.must(err)
	_, _, err = w.FindFavorites(ctx, user, "slow", page)
	w.must(err)
	_, err = w.FindFavoritesAfter(ctx, user, "slow", favorites[0], 10)
	w.must(err)
	_, err = w.search.Update(ctx)
	w.must(err)
	_, _, err = w.FindSessions(ctx, user, Keyword{Key: "ferry", Untitled: true}, page)
	w.must(err)
	messages, _, err := w.Messages(ctx, user, session, page)
	w.must(err)
	_, _, err = w.MessagesAfter(ctx, user, session, 1, 10, messages[0].ID)
	w.must(err)
	_, err = w.History(ctx, &Turn{UserID: user, SessionID: session}, 3, 5)
	w.must(err)
	for _, filter := range filters {
		_, _, err = w.Sessions(ctx, user, filter, page)
		w.must(err)
		_, _, err = w.FindSessions(ctx, user,
			Keyword{Key: "ferry", Untitled: true, Pinned: filter.Pinned, Archived: filter.Archived}, page)
		w.must(err)
	}
	_, err = w.Session(ctx, user, session)
	w.must(err)
	w.must(w.UpdateSession(ctx, user, session, SessionChange{Title: new("Capri")}))
	w.must(w.UpdateSession(ctx, user, session, SessionChange{Archived: new(true)}))
	back := w.question(user, session, "archived")
	back.Archived = true
	archived, err := w.BeginTurn(ctx, back)
	w.must(err)
	w.must(w.FailTurn(ctx, archived, failure, w.tick()))
	w.must(w.RemoveFavorite(ctx, user, turn.ReplyID))

	file := w.file(user, session)
	documents := Documents{
		Section: func(context.Context, string, int64) (Section, error) { return Section{Text: "a ferry"}, nil },
		Anchor:  func(context.Context, string, int64) (string, error) { return "", nil },
	}
	for _, text := range []string{"ferry", "a ferry", "new"} {
		query := Query{Keyword: Keyword{Key: text, Untitled: true}, Titles: true, Messages: true, Files: true}
		for _, query.Grouped = range []bool{false, true} {
			_, err = w.Search(ctx, user, query, page, documents)
			w.must(err)
		}
		_, err = w.Indexer(documents, slog.New(slog.DiscardHandler)).Update(ctx)
		w.must(err)
	}
	_, err = w.Search(ctx, user, Query{
		Keyword: Keyword{Key: "new", Untitled: true}, Session: session, Titles: true,
	}, page, documents)
	w.must(err)
	_, err = w.Files(ctx, user, session)
	w.must(err)
	_, err = w.File(ctx, user, file)
	w.must(err)
	_, err = w.StorageUsed(ctx, user)
	w.must(err)
	_, err = w.GiveUpFileIntent(ctx, user, file)
	w.must(err)
	_ = w.RenewFileIntent(ctx, user, file, w.now)
	useVectors(ctx, w, FileKey{user, file})
	w.must(w.DeleteFile(ctx, user, file))
	w.must(w.DropFileIntent(ctx, user, file))
	w.stale(w.now)

	_, err = w.SessionsAfter(ctx, user, "", 10)
	w.must(err)
	w.must(w.ReadSession(ctx, user, session, func(SessionHead) error { return nil },
		func(parley.Message) error { return nil }))
	usePrompts(ctx, w, user)
	useRatings(ctx, w, user)
	share := w.share(user, session, time.Time{})
	_, err = w.Shares(ctx, user, w.now)
	w.must(err)
	_, err = w.FindShare(ctx, share, w.now)
	w.must(err)
	_, err = w.SharePart(ctx, user, share, 0)
	w.must(err)
	w.must(w.DeleteShare(ctx, user, share))
	w.must(w.AddResponse(ctx, user, Response{ID: "resp_1", Open: true, Created: w.now, Expires: w.now.Add(time.Hour)}))
	w.must(w.ExtendResponse(ctx, user, "resp_1", w.now))
	w.must(w.FinishResponse(ctx, user, "resp_1", []byte("data"), w.now.Add(-time.Hour)))
	_, err = w.StatResponses(ctx, user, []string{"resp_1"}, w.now)
	w.must(err)
	_, _, err = w.ResponseContext(ctx, user, "resp_1")
	w.must(err)
	_, _, err = w.ResponseData(ctx, user, "resp_1", false)
	w.must(err)
	_, err = w.SweepResponses(ctx, w.now, 10)
	w.must(err)
	w.must(w.DeleteResponse(ctx, user, "resp_1"))
	_, err = w.SweepShares(ctx, w.now, 10)
	w.must(err)
	w.must(w.importOne(user))

	token := w.login()
	w.must(w.AddToken(ctx, user, usersHash, token))
	_, _, err = w.UserByToken(ctx, user, token.Hash, w.now)
	w.must(err)
	_, err = w.Tokens(ctx, user, w.now)
	w.must(err)
	_, err = w.DeleteToken(ctx, user, token.ID)
	w.must(err)
	w.must(w.DeleteExpiredTokens(ctx, time.Unix(0, 0)))
	w.useAPIKey(user)
	w.useIdentities(user)
	w.useSecondFactor(user)
	w.useReset(user)
	_, _, err = w.UserByID(ctx, user)
	w.must(err)
	_, _, _ = w.UserByEmail(ctx, "nobody")
	_, err = w.UpdateProfile(ctx, user, parley.ProfileInput{Nickname: new(string)})
	w.must(err)
	w.must(w.SetPassword(ctx, user, usersHash, "hash", token.Hash))
	w.must(w.Forget(ctx, time.Unix(0, 0)))
	w.must(w.ClearSession(ctx, user, session))
	w.must(w.DeleteSession(ctx, user, session))
	_, err = w.ExpiredSessions(ctx, w.now, 10)
	w.must(err)
	_, err = w.AgedSessions(ctx, time.Unix(0, 0), AgedSession{}, 10)
	w.must(err)
	_, err = w.CountAged(ctx, time.Unix(0, 0))
	w.must(err)
	_, _, err = w.BeginRetention(ctx, time.Hour, w.now)
	w.must(err)
	_, _, err = w.BeginRetention(ctx, 0, w.now)
	w.must(err)
	due := SessionKey{UserID: user, SessionID: w.session(user, "due")}
	_, err = w.DeleteExpired(ctx, due, w.now)
	w.must(err)
	_, err = w.DeleteAged(ctx, due, w.now)
	w.must(err)
	w.administer(user)
	w.useInvitation()
	observe(ctx, w, user)
	w.must(w.DropLease(ctx, "owner"))
	w.must(w.remove(user))
	w.must(w.Ping(ctx))
}

// administer calls the methods for administrators.
func (w *world) administer(user int64) {
	w.t.Helper()
	ctx := w.t.Context()
	hash := TokenHash{1}
	_, err := w.HasAdmin(ctx)
	w.must(err)
	_, err = w.OfferClaim(ctx, NewClaim{Hash: hash, Owner: "owner", Now: w.now, Expires: w.now.Add(time.Hour)})
	w.must(err)
	w.must(w.Claim(ctx, user, hash, w.now))
	other := w.user()
	w.must(w.SetAdmin(ctx, user, other, true))
	w.must(w.DisableUser(ctx, user, other, w.now))
	w.must(w.EnableUser(ctx, other))
	w.must(w.SetSeen(ctx, user, w.now))
	_, err = w.Account(ctx, user, w.now)
	w.must(err)
	_, _, err = w.NewestUsers(ctx, parley.Page{Number: 1, Size: 20})
	w.must(err)
	_, _, err = w.FindUsers(ctx, func(string, string) bool { return true }, parley.Page{Number: 1, Size: 20})
	w.must(err)
	w.must(w.remove(other))
}

// useVectors calls the methods for the vectors of a file.
func useVectors(ctx context.Context, w *world, file FileKey) {
	_, err := w.FilesWithoutVectors(ctx, "m 3", w.now, 10)
	w.must(err)
	_, err = w.ClaimVectors(ctx, file, "m 3", w.now, w.now.Add(time.Minute))
	w.must(err)
	w.must(w.DelayVectors(ctx, file, w.now))
	_, err = w.SetVectors(ctx, file, "m 3", 10)
	w.must(err)
}

// usePrompts calls the methods for prompts.
func usePrompts(ctx context.Context, w *world, user int64) {
	prompt := w.prompt(user, "Letter", true)
	w.must(w.UpdatePrompt(ctx, user, prompt, PromptChange{Text: new("other")}))
	_, _, err := w.Prompts(ctx, user, nil)
	w.must(err)
	_, _, err = w.SharedPrompts(ctx, user, nil, 10)
	w.must(err)
	w.must(w.DeletePrompt(ctx, user, prompt))
}

// useRatings rates a reply that was made here.
func useRatings(ctx context.Context, w *world, user int64) {
	session := w.session(user, "Rated")
	turn := w.begin(user, session, "question")
	w.must(w.FinishTurn(ctx, turn, "reply", parley.Details{Usage: &parley.Usage{}}))
	for _, rating := range []int64{1, -1, 0} {
		w.must(w.Rate(ctx, user, session, turn.ReplyID, rating, "m"))
	}
}

// useModels calls the methods for usage and quotas.
func useModels(ctx context.Context, w *world, user int64, turn Turn) {
	spent := Spent{Model: "m", Messages: 1, At: w.now}
	w.must(w.SetQuota(ctx, user, "messages=100/d"))
	reservation := Reservation{Quota: parley.Quota{Messages: 100}, Tokens: 10}
	w.must(w.BeginCall(ctx, user, "call", reservation, w.now, w.now.Add(time.Hour)))
	w.must(w.EndCall(ctx, user, "call", spent))
	w.must(w.AddAbandoned(ctx, turn))
	for _, byModel := range []bool{false, true} {
		_, err := w.Usage(ctx, user, w.now, w.now, byModel)
		w.must(err)
	}
	_, err := w.QuotaUse(ctx, user, w.now)
	w.must(err)
}

// observe calls the methods for the audit log, the usage of all users and the overview.
func observe(ctx context.Context, w *world, user int64) {
	w.note(w.entry(user, "login"))
	for _, in := range []parley.AuditInput{{}, {Event: "login"}, {UserID: user}, {UserID: user, Event: "login"}} {
		w.noted(in)
	}
	_, err := w.SweepAudit(ctx, time.Unix(0, 0), 10)
	w.must(err)
	_, err = w.SweepAudit(ctx, w.now.Add(time.Second), 10)
	w.must(err)
	for _, by := range []string{parley.ByDay, parley.ByModel, parley.ByUser} {
		_, err := w.TotalUsage(ctx, w.now, w.now, by, 10)
		w.must(err)
	}
	_, err = w.Overview(ctx, "owner")
	w.must(err)
}

// TestThePageOfAListIsChosenInItsIndex checks that rows before a page are not read.
func TestThePageOfAListIsChosenInItsIndex(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fill()
		x := dbtest.Explain(t, w.db)
		_, _, err := w.Favorites(t.Context(), 1001, parley.Page{Number: 2, Size: 2})
		w.must(err)
		for _, filter := range filters {
			_, _, err = w.Sessions(t.Context(), 1001, filter, parley.Page{Number: 2, Size: 2})
			w.must(err)
		}
		covering := regexp.MustCompile(
			`USING COVERING INDEX (messages_favorite|sessions_by_activity|sessions_pinned)|Index Only Scan`)
		// All rows of the user are read, instead of those on the page.
		oneUser := regexp.MustCompile(`SEARCH [sm] USING .*\(user_id=\?\)`)
		if len(x.Plans) != 1+len(filters) {
			t.Errorf("there are %d statements", len(x.Plans))
		}
		for query, plan := range x.Plans {
			if !covering.MatchString(plan) || oneUser.MatchString(plan) {
				t.Errorf("%s: %s", query, plan)
			}
		}
		x.Stop()
		w.run(deleteAll...)
	})
}

// TestSessionsWithoutATitleAreFoundInTheirIndex checks that a search for untitled sessions
// does not read the user's other sessions.
func TestSessionsWithoutATitleAreFoundInTheirIndex(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fill()
		user := w.user()
		for range 40 {
			w.session(user, "Ferries")
			w.session(user, "")
		}
		w.say(user, w.session(user, ""), "no title", "yet")
		w.run(`ANALYZE`)
		x := dbtest.Explain(t, w.db)
		keyword, page := Keyword{Key: "new", Untitled: true}, parley.Page{Number: 2, Size: 20}
		found, total, err := w.FindSessions(t.Context(), user, keyword, page)
		w.must(err)
		if len(found) != 20 || total != 41 {
			t.Errorf("found %d of %d", len(found), total)
		}
		query := Query{Keyword: keyword, Titles: true, From: 1}
		for _, query.Grouped = range []bool{false, true} {
			first, err := w.Search(t.Context(), user, query, page, Documents{})
			w.must(err)
			query.After, _ = ParseSearchCursor(first.Next)
			next, err := w.Search(t.Context(), user, query, page, Documents{})
			w.must(err)
			if len(first.Hits) != 20 || len(next.Hits) != 1 || next.Next != "" || next.Total != 41 {
				t.Errorf("found %+v, then %+v", first, next)
			}
			query.After = SearchCursor{}
		}
		untitled := regexp.MustCompile(`COVERING INDEX sessions_untitled ` +
			`\(user_id=\? AND message_count[=>]\?( AND active_at>\? AND (active_at<\?|\(active_at,id\)<\(\?,\?\)))?\)|` +
			`using sessions_untitled on sessions .*\n *Index Cond: \(\(user_id = .* AND \(message_count [=>] `)
		looks := 0
		for query, plan := range x.Plans {
			if !strings.Contains(query, `title = ''`) {
				continue
			}
			looks++
			if !untitled.MatchString(plan) {
				t.Errorf("%s\n%s", query, plan)
			}
		}
		if looks != 5 {
			t.Errorf("%d statements look for them", looks)
		}
		x.Stop()
		w.run(deleteAll...)
	})
}

// Without an index on a foreign key a DELETE scans the table.
func TestEveryForeignKeyHasAnIndex(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fill()
		x := dbtest.Explain(t, w.db)
		for _, key := range []struct{ table, column string }{
			{"tokens", ""},
			{"api_keys", ""},
			{"recovery_codes", ""},
			{"prompts", ""},
			{"password_resets", ""},
			{"sessions", ""},
			{"outcomes", ""},
			{"messages", "session_id"},
			{"turns", "session_id"},
			{"send_keys", "session_id"},
			{"files", "session_id"},
			{"shares", "session_id"},
			{"share_parts", "share_id"},
			{"responses", ""},
			{"search_blocks", ""},
			{"search_pages", "block"},
		} {
			query, values := `SELECT 1 FROM `+key.table+` WHERE user_id = $1`, []any{int64(1001)}
			switch key.column {
			case "session_id", "share_id":
				query, values = query+` AND `+key.column+` = $2`, append(values, id.New())
			case "block":
				query, values = query+` AND block = $2`, append(values, int64(1))
			}
			_, err := db.ReadList(t.Context(), w.db, db.ScanOne[int], query, values...)
			w.must(err)
			plan := x.Plans[query]
			if strings.HasPrefix(plan, "SCAN") || strings.Contains(plan, "Seq Scan") {
				t.Errorf("%s.%s: %s", key.table, key.column, plan)
			}
		}
		w.run(deleteAll...)
	})
}

// history creates a session with many messages.
func (w *world) history(userID, count int64) string {
	w.t.Helper()
	w.plain()
	session := w.session(userID, "")
	w.run(
		fmt.Sprintf(`
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO messages (id, session_id, number, user_id, role, content, created_at)
			SELECT 'm' || i, '%s', i, %d, 'user', 'message ' || i, i FROM n`, count, session, userID),
		fmt.Sprintf(`UPDATE sessions SET message_count = %d WHERE id = '%s'`, count, session),
		`ANALYZE`)
	return session
}

// readsOfFifty read 50 messages of a session, up to a number, with one statement. They
// return the last message and the number of messages.
var readsOfFifty = map[string]func(w *world, user int64, session string, last int64) (string, int, error){
	"page": func(w *world, user int64, session string, last int64) (string, int, error) {
		messages, _, err := w.Messages(w.t.Context(), user, session, parley.Page{Number: last / 50, Size: 50})
		return messages[len(messages)-1].Content, len(messages), err
	},
	"history": func(w *world, user int64, session string, last int64) (string, int, error) {
		turns, err := w.History(w.t.Context(), &Turn{UserID: user, SessionID: session}, last+1, 25)
		return turns[0].Reply, 2 * len(turns), err
	},
}

func TestTheEndOfALongSessionCostsWhatItsBeginningDoes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		count := int64(4000) // the plan of SQLite does not depend on it
		if w.db.Shared() {
			count = 100_000
		}
		session := w.history(user, count)
		x := dbtest.Explain(t, w.db)
		x.Analyze = true
		for name, read := range readsOfFifty {
			plan := func(last int64) string {
				clear(x.Plans)
				text, n, err := read(w, user, session, last)
				if err != nil || n != 50 || text != numbered("message", int(last)) {
					t.Errorf("%s: %d messages up to %q, want 50 up to %d (%v)", name, n, text, last, err)
				}
				return slices.Collect(maps.Values(x.Plans))[0]
			}
			first, last := plan(50), plan(count)
			if !w.db.Shared() {
				const index = `USING INDEX sqlite_autoindex_messages_1 (user_id=? AND session_id=? AND number>? AND number<?)`
				if !strings.Contains(last, index) || strings.Contains(last, "SCAN") {
					t.Errorf("the plan of a %s is\n%s", name, last)
				}
				continue
			}
			a, b := blocks(t, first), blocks(t, last)
			if b > 2*a+10 {
				t.Errorf("the first %s reads %d blocks, the last %d", name, a, b)
			}
		}
		x.Stop()
		w.run(deleteAll...)
	})
}

// blocks returns how many blocks an analyzed plan of PostgreSQL has read.
func blocks(t *testing.T, plan string) int {
	t.Helper()
	var plans []struct {
		Plan struct {
			Hit  int `json:"Shared Hit Blocks"`
			Read int `json:"Shared Read Blocks"`
		}
	}
	if err := json.Unmarshal([]byte(plan), &plans); err != nil {
		t.Fatal(err)
	}
	n := plans[0].Plan.Hit + plans[0].Plan.Read
	if n == 0 {
		t.Fatalf("the plan counts no blocks: %s", plan)
	}
	return n
}
