package store

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/casefold"
	"parley/internal/id"
	"parley/internal/search"
)

// letters are few, so that keywords often occur, and of many scripts.
var letters = []rune("aAbBß ẞsSkKéÉe\u0301iİıΣσς渡船🚢 \n\u3000%_\"*^")

func texts() *rapid.Generator[string] { return rapid.StringOfN(rapid.SampledFrom(letters), 0, 40, -1) }

func keywords() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom(letters), 1, 5, -1).
		Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
}

// The model is the store, written as simply as possible.
type (
	modelUser struct {
		id       int64
		sessions []*modelSession
	}
	modelSession struct {
		id       string
		title    string
		created  time.Time
		messages []*modelMessage
		open     *Turn
		named    string // the title that the open turn gave
	}
	modelMessage struct {
		id         string
		content    string
		at         time.Time
		favorite   string
		favoriteAt time.Time
		session    *modelSession
		number     int64
	}
)

func (s *modelSession) active() time.Time {
	if len(s.messages) == 0 {
		return s.created
	}
	return s.messages[len(s.messages)-1].at
}

func (s *modelSession) shown(snippet string) parley.Session {
	shown := parley.Session{ID: s.id, Title: s.title, MessageCount: int64(len(s.messages)), Snippet: snippet}
	if len(s.messages) > 0 {
		shown.LastMessageTime = s.active().Unix()
	}
	return shown
}

// match reports whether the session contains the keyword, and returns its snippet.
func (s *modelSession) match(key string) (snip string, ok bool) {
	if strings.Contains(casefold.Key(s.title), key) {
		return "", true
	}
	for _, m := range s.messages {
		if strings.Contains(casefold.Key(m.content), key) {
			return search.Snippet(m.content, key), true
		}
	}
	return "", false
}

// byActivity returns the user's sessions, latest activity first.
func (u *modelUser) byActivity() []*modelSession {
	return slices.SortedFunc(slices.Values(u.sessions), func(a, b *modelSession) int {
		return cmp.Or(b.active().Compare(a.active()), cmp.Compare(b.id, a.id))
	})
}

// favorites returns the user's favorites, newest first.
func (u *modelUser) favorites() []*modelMessage {
	var marked []*modelMessage
	for _, s := range u.sessions {
		for _, m := range s.messages {
			if m.favorite != "" {
				marked = append(marked, m)
			}
		}
	}
	slices.SortFunc(marked, func(a, b *modelMessage) int {
		return cmp.Or(b.favoriteAt.Compare(a.favoriteAt), cmp.Compare(b.favorite, a.favorite))
	})
	return marked
}

// part returns a page of a list.
func part[T any](all []T, page parley.Page) []T {
	skip, _ := page.Skip()
	from := min(int(skip), len(all))
	return all[from:min(from+int(page.Size), len(all))]
}

// machine applies the same operations to the store and to the model.
type machine struct {
	*world
	ctx   context.Context
	users []*modelUser
}

func (m *machine) user(t *rapid.T) *modelUser { return rapid.SampledFrom(m.users).Draw(t, "user") }

// session draws an existing session.
func (m *machine) session(t *rapid.T) (*modelUser, *modelSession) {
	u := m.user(t)
	if len(u.sessions) == 0 {
		m.createFor(t, u)
	}
	return u, rapid.SampledFrom(u.sessions).Draw(t, "session")
}

func (m *machine) message(t *rapid.T) (*modelUser, *modelMessage) {
	u, s := m.session(t)
	if len(s.messages) == 0 {
		m.beginIn(t, u, s)
	}
	return u, rapid.SampledFrom(s.messages).Draw(t, "message")
}

func (m *machine) page(t *rapid.T) parley.Page {
	return parley.Page{Number: rapid.Int64Range(1, 3).Draw(t, "page"), Size: rapid.Int64Range(1, 4).Draw(t, "size")}
}

// expect ends the run if a result is not the model's.
func expect(t *rapid.T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		t.Fatalf("%s\n got %s\nwant %s", what, g, w)
	}
}

func expectError(t *rapid.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error is %v, want %v", err, want)
	}
}

func (m *machine) create(t *rapid.T) { m.createFor(t, m.user(t)) }

func (m *machine) createFor(t *rapid.T, u *modelUser) {
	s := &modelSession{id: id.New(), title: strings.TrimSpace(texts().Draw(t, "title")), created: m.tick()}
	expectError(t, m.CreateSession(m.ctx, NewSession{ID: s.id, UserID: u.id, Title: s.title, Now: s.created}), nil)
	u.sessions = append(u.sessions, s)
}

func (m *machine) rename(t *rapid.T) {
	u, s := m.session(t)
	s.title = keywords().Draw(t, "title")
	expectError(t, m.RenameSession(m.ctx, u.id, s.id, s.title), nil)
}

func (m *machine) clear(t *rapid.T) {
	u, s := m.session(t)
	expectError(t, m.ClearSession(m.ctx, u.id, s.id), nil)
	m.lost(t, s)
	s.messages = nil
}

func (m *machine) remove(t *rapid.T) {
	u, s := m.session(t)
	expectError(t, m.DeleteSession(m.ctx, u.id, s.id), nil)
	m.lost(t, s)
	u.sessions = slices.DeleteFunc(u.sessions, func(other *modelSession) bool { return other == s })
}

// lost checks that a turn that was ended can't be finished.
func (m *machine) lost(t *rapid.T, s *modelSession) {
	if s.open != nil {
		expectError(t, m.FinishTurn(m.ctx, *s.open, "late", parley.Details{}), ErrTurnLost)
		s.open = nil
	}
}

func (m *machine) begin(t *rapid.T) {
	u, s := m.session(t)
	m.beginIn(t, u, s)
}

func (m *machine) beginIn(t *rapid.T, u *modelUser, s *modelSession) {
	question := m.question(u.id, s.id, keywords().Draw(t, "question"))
	question.Title = strings.TrimSpace(question.Content)
	turn, err := m.BeginTurn(m.ctx, question)
	if s.open != nil {
		expectError(t, err, ErrTurnOpen)
		return
	}
	expectError(t, err, nil)
	s.open, s.named = &turn, ""
	if s.title == "" {
		s.title, s.named = question.Title, question.Title
	}
	n := int64(len(s.messages))
	s.messages = append(s.messages,
		&modelMessage{id: question.QuestionID, content: question.Content, at: question.Now, session: s, number: n + 1},
		&modelMessage{id: question.ReplyID, at: question.Now, session: s, number: n + 2})
	expect(t, "number", turn.Number, n+2)
}

func (m *machine) redo(t *rapid.T) {
	u, s := m.session(t)
	turn, err := m.BeginTurn(m.ctx, NewTurn{UserID: u.id, SessionID: s.id, Owner: "owner", Redo: true})
	switch {
	case len(s.messages) == 0:
		expectError(t, err, parley.ErrNothingToRegenerate)
	case s.open != nil:
		expectError(t, err, ErrTurnOpen)
	default:
		expectError(t, err, nil)
		s.open, s.named = &turn, ""
	}
}

// opened draws a session with an open turn.
func (m *machine) opened(t *rapid.T) *modelSession {
	u, s := m.session(t)
	if s.open == nil {
		m.beginIn(t, u, s)
	}
	return s
}

func (m *machine) finish(t *rapid.T) {
	s := m.opened(t)
	reply := keywords().Draw(t, "reply")
	expectError(t, m.FinishTurn(m.ctx, *s.open, reply, parley.Details{}), nil)
	s.messages[len(s.messages)-1].content = reply
	s.open = nil
}

func (m *machine) fail(t *rapid.T) {
	s := m.opened(t)
	expectError(t, m.FailTurn(m.ctx, *s.open, failure, m.tick()), nil)
	if !s.open.Redo {
		s.messages = s.messages[:len(s.messages)-2]
		if s.named != "" && s.title == s.named {
			s.title = ""
		}
	}
	s.open = nil
}

func (m *machine) mark(t *rapid.T) {
	u, message := m.message(t)
	fresh, now := id.New(), m.tick()
	got, err := m.AddFavorite(m.ctx, u.id, message.session.id, message.id, fresh, now)
	expectError(t, err, nil)
	if message.favorite == "" {
		message.favorite, message.favoriteAt = fresh, now
	}
	expect(t, "favorite", got, message.favorite)
}

func (m *machine) unmark(t *rapid.T) {
	u, message := m.message(t)
	var want error
	if message.favorite == "" {
		want = parley.ErrNoSuchFavorite
	}
	expectError(t, m.RemoveFavorite(m.ctx, u.id, message.id), want)
	message.favorite = ""
}

func (m *machine) someIndexed(t *rapid.T) {
	_, err := m.search.Update(m.ctx)
	expectError(t, err, nil)
}

func (m *machine) find(t *rapid.T) {
	u, page := m.user(t), m.page(t)
	key := casefold.Key(keywords().Draw(t, "keyword"))
	untitled := rapid.Bool().Draw(t, "untitled")
	got, total, err := m.FindSessions(m.ctx, u.id, Keyword{Key: key, Untitled: untitled}, page)
	expectError(t, err, nil)
	want := []parley.Session{}
	for _, s := range u.byActivity() {
		if snip, ok := s.match(key); ok || untitled && s.title == "" {
			want = append(want, s.shown(snip))
		}
	}
	expect(t, fmt.Sprintf("found %q", key), got, part(want, page))
	expect(t, "found in all", total, len(want))
}

func (m *machine) searchFavorites(t *rapid.T) {
	u, page := m.user(t), m.page(t)
	key := casefold.Key(keywords().Draw(t, "keyword"))
	got, total, err := m.FindFavorites(m.ctx, u.id, key, page)
	expectError(t, err, nil)
	want := slices.DeleteFunc(u.favorites(), func(f *modelMessage) bool {
		return !strings.Contains(casefold.Key(f.content), key)
	})
	expect(t, "favorites found", m.ids(got), m.modelIDs(part(want, page)))
	expect(t, "favorites found in all", total, len(want))
}

func (m *machine) ids(favorites []parley.Favorite) (ids []string) {
	for _, f := range favorites {
		ids = append(ids, fmt.Sprint(f.ID, f.MessageID, f.SessionID, f.Number, f.Content, f.SessionTitle))
	}
	return ids
}

func (m *machine) modelIDs(favorites []*modelMessage) (ids []string) {
	for _, f := range favorites {
		ids = append(ids, fmt.Sprint(f.favorite, f.id, f.session.id, f.number, f.content, f.session.title))
	}
	return ids
}

// intrude tries another user's session.
func (m *machine) intrude(t *rapid.T) {
	u, s := m.session(t)
	for _, other := range m.users {
		if other != u {
			expectError(t, m.ClearSession(m.ctx, other.id, s.id), parley.ErrNoSuchSession)
			_, _, err := m.Messages(m.ctx, other.id, s.id, parley.Page{Number: 1, Size: 1})
			expectError(t, err, parley.ErrNoSuchSession)
		}
	}
}

// check compares a user's sessions, favorites and messages.
func (m *machine) check(t *rapid.T) {
	u, page := m.user(t), m.page(t)
	sessions, total, err := m.Sessions(m.ctx, u.id, page)
	expectError(t, err, nil)
	want := []parley.Session{}
	for _, s := range u.byActivity() {
		want = append(want, s.shown(""))
	}
	expect(t, "sessions", sessions, part(want, page))
	expect(t, "number of sessions", total, len(want))

	favorites, total, err := m.Favorites(m.ctx, u.id, page)
	expectError(t, err, nil)
	expect(t, "favorites", m.ids(favorites), m.modelIDs(part(u.favorites(), page)))
	expect(t, "number of favorites", total, len(u.favorites()))

	if len(u.sessions) > 0 {
		s := rapid.SampledFrom(u.sessions).Draw(t, "session")
		messages, total, err := m.Messages(m.ctx, u.id, s.id, page)
		expectError(t, err, nil)
		want := []parley.Message{}
		for _, message := range s.messages {
			shown := parley.Message{
				ID: message.id, Role: parley.RoleUser, Content: message.content,
				Timestamp: message.at.Unix(), IsFavorited: message.favorite != "",
			}
			if message.number%2 == 0 {
				shown.Role = parley.RoleAssistant
			}
			if s.open != nil && s.open.ReplyID == message.id {
				shown.Status = parley.StatusPending
			}
			want = append(want, shown)
		}
		expect(t, "messages", messages, part(want, page))
		expect(t, "number of messages", total, len(want))
	}
}

func TestTheStoreDoesWhatItsModelDoes(t *testing.T) {
	longRuns(t)
	each(t, func(t *testing.T, w *world) {
		rapid.Check(t, func(r *rapid.T) {
			m := &machine{world: w, ctx: t.Context()}
			for range 2 {
				m.users = append(m.users, &modelUser{id: w.user()})
			}
			r.Repeat(map[string]func(*rapid.T){
				"create": m.create, "create another": m.create, "rename": m.rename, "clear": m.clear, "delete": m.remove,
				"begin": m.begin, "begin another": m.begin, "redo": m.redo,
				"finish": m.finish, "finish another": m.finish, "fail": m.fail,
				"mark": m.mark, "unmark": m.unmark, "index": m.someIndexed,
				"search": m.find, "search again": m.find, "search favorites": m.searchFavorites, "intrude": m.intrude,
				"": m.check,
			})
			w.index()
			m.find(r)
			audit(r, w.Store)
		})
	})
}

// longRuns makes rapid do fewer runs of more steps than by default.
func longRuns(t *testing.T) {
	t.Helper()
	for name, change := range map[string]func(int) int{
		"rapid.checks": func(n int) int { return max(1, n/10) },
		"rapid.steps":  func(n int) int { return 2 * n },
	} {
		setting := flag.Lookup(name).Value
		before := setting.String()
		n, err := strconv.Atoi(before)
		if err != nil {
			t.Fatal(err)
		}
		if err := setting.Set(strconv.Itoa(change(n))); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = setting.Set(before) })
	}
}
