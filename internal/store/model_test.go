package store

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
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

// letters are few, which makes keywords occur often, and of many scripts.
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
		shares   []*modelShare // newest first
		ended    []*modelShare
	}
	modelSession struct {
		id       string
		title    string
		text     bool // the title was made from a question
		created  time.Time
		root     *modelMessage // before the first message
		open     *Turn
		named    string // the title that the open turn gave
		replaced int    // which version was shown before the open turn, if it added one
		pinned   bool
		archived bool
		back     bool // the open turn has brought the session back from the archive
		files    []*modelFile
		expires  time.Time // zero is never
	}
	// A message is followed by one of the versions of the next.
	modelMessage struct {
		id      string
		content string
		status  string
		at      time.Time
		mark    *modelMark // shared by the versions of a reply
		session *modelSession
		number  int64
		before  *modelMessage
		next    []*modelMessage
		shown   int // the index in next of the visible one
	}
	modelMark struct {
		id string
		at time.Time
	}
)

// messages returns the visible messages.
func (s *modelSession) messages() (visible []*modelMessage) {
	for m := s.root; len(m.next) > 0; {
		m = m.next[m.shown]
		visible = append(visible, m)
	}
	return visible
}

// all returns the messages after one, in all versions.
func (m *modelMessage) all() (all []*modelMessage) {
	for _, next := range m.next {
		all = append(append(all, next), next.all()...)
	}
	return all
}

// add adds a version of the next message and shows it.
func (m *modelMessage) add(next *modelMessage) *modelMessage {
	next.before, next.number, next.session = m, m.number+1, m.session
	m.next = append(m.next, next)
	m.shown = len(m.next) - 1
	return next
}

func (m *modelMessage) visible() bool { return slices.Contains(m.session.messages(), m) }

// show makes a message visible.
func (m *modelMessage) show() {
	for ; m.before != nil; m = m.before {
		m.before.shown = slices.Index(m.before.next, m)
	}
}

func (s *modelSession) active() time.Time {
	messages := s.messages()
	if len(messages) == 0 {
		return s.created
	}
	return messages[len(messages)-1].at
}

func (s *modelSession) shown(snippet string) parley.Session {
	shown := parley.Session{
		ID: s.id, Title: s.title, MessageCount: int64(len(s.messages())), Snippet: snippet,
		Pinned: s.pinned, Archived: s.archived, ExpiresAt: unixOrZero(s.expires),
	}
	if shown.MessageCount > 0 {
		shown.LastMessageTime = s.active().Unix()
	}
	return shown
}

// match reports whether the session contains the keyword, and returns its snippet.
func (s *modelSession) match(key string) (snip string, ok bool) {
	if strings.Contains(casefold.Key(s.title), key) {
		return "", true
	}
	for _, m := range s.messages() {
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

// favorites returns the user's favorites, newest first: of several versions the visible one, or else the newest.
func (u *modelUser) favorites() []*modelMessage {
	var marked []*modelMessage
	for _, s := range u.sessions {
		for _, m := range s.root.all() {
			at := slices.IndexFunc(marked, func(other *modelMessage) bool { return other.mark == m.mark })
			switch {
			case m.mark.id == "":
			case at < 0:
				marked = append(marked, m)
			case !marked[at].visible():
				marked[at] = m
			}
		}
	}
	slices.SortFunc(marked, func(a, b *modelMessage) int {
		return cmp.Or(b.mark.at.Compare(a.mark.at), cmp.Compare(b.mark.id, a.mark.id))
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
	ctx      context.Context
	users    []*modelUser
	texts    map[string]string // of the documents
	sections *search.Indexer
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
	if len(s.messages()) == 0 {
		m.beginIn(t, u, s)
	}
	return u, rapid.SampledFrom(s.messages()).Draw(t, "message")
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

// filter draws which sessions to list.
func (m *machine) filter(t *rapid.T) SessionFilter {
	return SessionFilter{Pinned: rapid.Bool().Draw(t, "pinned"), Archived: rapid.Bool().Draw(t, "archived")}
}

func (m *machine) create(t *rapid.T) { m.createFor(t, m.user(t)) }

func (m *machine) createFor(t *rapid.T, u *modelUser) {
	now := m.tick()
	s := &modelSession{
		id: id.At(now), title: strings.TrimSpace(texts().Draw(t, "title")), created: now,
		pinned: rapid.Bool().Draw(t, "pinned"), archived: rapid.IntRange(0, 9).Draw(t, "archived") == 0,
		expires: m.life(t),
	}
	s.root = &modelMessage{session: s}
	expectError(t, m.CreateSession(m.ctx, NewSession{
		ID: s.id, UserID: u.id, Title: s.title, Pinned: s.pinned, Archived: s.archived, Now: s.created,
		ExpiresAt: s.expires,
	}), nil)
	u.sessions = append(u.sessions, s)
}

func (m *machine) rename(t *rapid.T) {
	u, s := m.session(t)
	s.title, s.text = keywords().Draw(t, "title"), false
	expectError(t, m.UpdateSession(m.ctx, u.id, s.id, SessionChange{Title: new(s.title)}), nil)
}

// file pins or archives a session, or takes that back.
func (m *machine) file(t *rapid.T) {
	u, s := m.session(t)
	var change SessionChange
	if set := rapid.Bool().Draw(t, "set"); rapid.Bool().Draw(t, "pin") {
		s.pinned, change.Pinned = set, &set
	} else {
		s.archived, s.back, change.Archived = set, false, &set
	}
	expectError(t, m.UpdateSession(m.ctx, u.id, s.id, change), nil)
}

// name gives a session the title of a model, for the first question or for another message.
func (m *machine) name(t *rapid.T) {
	u, message := m.message(t)
	s := message.session
	turn := Turn{UserID: u.id, SessionID: s.id, QuestionID: message.id}
	wanted := s.text && message.number == 1 && message.visible()
	found, err := m.TitleFromText(m.ctx, turn)
	expectError(t, err, nil)
	expect(t, "title to replace", found, wanted)
	title := keywords().Draw(t, "title")
	replaced, err := m.SetModelTitle(m.ctx, turn, title)
	expectError(t, err, nil)
	expect(t, "title replaced", replaced, wanted)
	if wanted {
		s.title, s.text = title, false
	}
}

func (m *machine) clear(t *rapid.T) {
	u, s := m.session(t)
	expectError(t, m.ClearSession(m.ctx, u.id, s.id), nil)
	m.lost(t, s)
	s.root = &modelMessage{session: s}
}

func (m *machine) remove(t *rapid.T) {
	u, s := m.session(t)
	expectError(t, m.DeleteSession(m.ctx, u.id, s.id), nil)
	m.dropped(t, s)
}

// lost checks that nobody can finish an ended turn.
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
	last := s.root
	if messages := s.messages(); len(messages) > 0 {
		last = messages[len(messages)-1]
	}
	m.beginAfter(t, u, last, "")
}

// edit replaces a question. It can't replace a reply or an invisible message.
func (m *machine) edit(t *rapid.T) {
	u, s := m.session(t)
	all := s.root.all()
	if len(all) == 0 {
		return
	}
	message := rapid.SampledFrom(all).Draw(t, "message")
	if s.open == nil && (message.number%2 == 0 || !message.visible()) {
		question := m.question(u.id, s.id, "no")
		question.Replaces = message.id
		_, err := m.BeginTurn(m.ctx, question)
		expectError(t, err, parley.ErrNoSuchMessage)
		return
	}
	m.beginAfter(t, u, message.before, message.id)
}

// beginAfter begins a turn after a message, in place of what follows it.
func (m *machine) beginAfter(t *rapid.T, u *modelUser, last *modelMessage, replaces string) {
	s := last.session
	question := m.question(u.id, s.id, keywords().Draw(t, "question"))
	question.Replaces = replaces
	question.Title = strings.TrimSpace(question.Content)
	question.Archived = s.archived
	turn, err := m.BeginTurn(m.ctx, question)
	if s.open != nil {
		expectError(t, err, ErrTurnOpen)
		return
	}
	expectError(t, err, nil)
	s.open, s.named = &turn, ""
	if s.title == "" {
		s.title, s.named, s.text = question.Title, question.Title, true
	}
	s.replaced = last.shown
	s.archived, s.back = false, s.archived
	last.add(&modelMessage{id: question.QuestionID, content: question.Content, at: question.Now, mark: &modelMark{}}).
		add(&modelMessage{id: question.ReplyID, at: question.Now, mark: &modelMark{}})
	expect(t, "number", turn.Number, last.number+2)
}

// version shows a version of a message, or the message itself.
func (m *machine) version(t *rapid.T) {
	u, s := m.session(t)
	all := s.root.all()
	if len(all) == 0 {
		return
	}
	message := rapid.SampledFrom(all).Draw(t, "message")
	if message.number%2 == 0 { // several versions may have the id
		versions := message.before.next
		message = versions[len(versions)-1]
		for _, other := range versions {
			if other.visible() {
				message = other
			}
		}
	}
	version := rapid.IntRange(0, len(message.before.next)+1).Draw(t, "version")
	err := m.ShowVersion(m.ctx, u.id, s.id, message.id, int64(version))
	switch {
	case s.open != nil:
		expectError(t, err, ErrTurnOpen)
	case version > len(message.before.next):
		expectError(t, err, parley.ErrInvalid)
	case version > 0:
		message.before.next[version-1].show()
		fallthrough
	default:
		expectError(t, err, nil)
		if version == 0 {
			message.show()
		}
	}
}

func (m *machine) redo(t *rapid.T) {
	u, s := m.session(t)
	turn, err := m.BeginTurn(m.ctx, NewTurn{UserID: u.id, SessionID: s.id, Owner: "owner", Redo: true})
	switch {
	case len(s.messages()) == 0:
		expectError(t, err, parley.ErrNothingToRegenerate)
	case s.open != nil:
		expectError(t, err, ErrTurnOpen)
	default:
		expectError(t, err, nil)
		s.open, s.named = &turn, ""
	}
}

// proceed continues the last reply, if it was stopped.
func (m *machine) proceed(t *rapid.T) {
	u, s := m.session(t)
	turn, err := m.BeginTurn(m.ctx, NewTurn{UserID: u.id, SessionID: s.id, Owner: "owner", Continue: true})
	messages := s.messages()
	switch {
	case len(messages) == 0, s.open == nil && messages[len(messages)-1].status == "":
		expectError(t, err, parley.ErrNothingToContinue)
	case s.open != nil:
		expectError(t, err, ErrTurnOpen)
	default:
		expectError(t, err, nil)
		expect(t, "text", turn.Earlier().Text, messages[len(messages)-1].content)
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
	status := rapid.SampledFrom([]string{"", parley.StatusStopped, parley.StatusInterrupted}).Draw(t, "status")
	switch status {
	case parley.StatusStopped:
		expectError(t, m.StopTurnWith(m.ctx, *s.open, reply, parley.Details{}), nil)
	case parley.StatusInterrupted:
		expectError(t, m.InterruptTurn(m.ctx, *s.open, reply, parley.Details{}, failure, m.tick()), nil)
	default:
		expectError(t, m.FinishTurn(m.ctx, *s.open, reply, parley.Details{}), nil)
	}
	messages := s.messages()
	last := messages[len(messages)-1]
	if s.open.Redo {
		last.before.add(&modelMessage{id: last.id, content: reply, status: status, at: last.at, mark: last.mark})
	} else {
		last.content, last.status = reply, status
	}
	s.open = nil
}

func (m *machine) fail(t *rapid.T) {
	s := m.opened(t)
	expectError(t, m.FailTurn(m.ctx, *s.open, failure, m.tick()), nil)
	if !s.open.Reopened() {
		messages := s.messages()
		last := messages[len(messages)-2].before
		last.next, last.shown = last.next[:len(last.next)-1], s.replaced
		if s.named != "" && s.title == s.named {
			s.title, s.text = "", false
		}
		s.archived = s.archived || s.back
	}
	s.open = nil
}

func (m *machine) mark(t *rapid.T) {
	u, message := m.message(t)
	fresh, now := id.New(), m.tick()
	got, err := m.AddFavorite(m.ctx, u.id, message.session.id, message.id, fresh, now)
	expectError(t, err, nil)
	if message.mark.id == "" {
		message.mark.id, message.mark.at = fresh, now
	}
	expect(t, "favorite", got, message.mark.id)
}

func (m *machine) unmark(t *rapid.T) {
	u, message := m.message(t)
	var want error
	if message.mark.id == "" {
		want = parley.ErrNoSuchFavorite
	}
	expectError(t, m.RemoveFavorite(m.ctx, u.id, message.id), want)
	message.mark.id = ""
}

func (m *machine) someIndexed(t *rapid.T) {
	_, err := m.search.Update(m.ctx)
	expectError(t, err, nil)
}

func (m *machine) find(t *rapid.T) {
	u, page := m.user(t), m.page(t)
	key := casefold.Key(keywords().Draw(t, "keyword"))
	untitled, filter := rapid.Bool().Draw(t, "untitled"), m.filter(t)
	got, total, err := m.FindSessions(m.ctx, u.id, Keyword{
		Key: key, Untitled: untitled, Pinned: filter.Pinned, Archived: filter.Archived,
	}, page)
	expectError(t, err, nil)
	want := []parley.Session{}
	for _, s := range u.byActivity() {
		if filter.Pinned && !s.pinned || filter.Archived && !s.archived {
			continue
		}
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
		ids = append(ids, fmt.Sprint(f.ID, f.MessageID, f.SessionID, f.Number, f.Content, f.SessionTitle, f.Aside))
	}
	return ids
}

func (m *machine) modelIDs(favorites []*modelMessage) (ids []string) {
	for _, f := range favorites {
		ids = append(ids, fmt.Sprint(f.mark.id, f.id, f.session.id, f.number, f.content, f.session.title, !f.visible()))
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
	m.checkShares(t, u)
	filter := m.filter(t)
	sessions, total, err := m.Sessions(m.ctx, u.id, filter, page)
	expectError(t, err, nil)
	want := []parley.Session{}
	for _, s := range u.byActivity() {
		if s.archived == filter.Archived && (s.pinned || !filter.Pinned) {
			want = append(want, s.shown(""))
		}
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
		for _, message := range s.messages() {
			shown := parley.Message{
				ID: message.id, Role: parley.RoleUser, Content: message.content,
				Status: message.status, Timestamp: message.at.Unix(), IsFavorited: message.mark.id != "",
			}
			if n := len(message.before.next); n > 1 {
				shown.Version, shown.Versions = int64(message.before.shown+1), int64(n)
			}
			if message.number%2 == 0 {
				shown.Role = parley.RoleAssistant
			}
			if s.open != nil && s.open.ReplyID == message.id {
				shown.Status = parley.StatusPending
			}
			want = append(want, shown)
		}
		expect(t, "messages", decoded(t, messages), part(want, page))
		expect(t, "number of messages", total, len(want))
	}
}

func TestTheStoreDoesWhatItsModelDoes(t *testing.T) {
	longRuns(t)
	each(t, func(t *testing.T, w *world) {
		rapid.Check(t, func(r *rapid.T) {
			m := &machine{world: w, ctx: t.Context(), texts: map[string]string{}}
			m.sections = w.Indexer(m.documents(), slog.New(slog.DiscardHandler))
			for range 2 {
				m.users = append(m.users, &modelUser{id: w.user()})
			}
			r.Repeat(map[string]func(*rapid.T){
				"create": m.create, "create another": m.create, "rename": m.rename, "file": m.file,
				"clear": m.clear, "delete": m.remove,
				"name": m.name, "begin": m.begin, "begin another": m.begin, "redo": m.redo,
				"edit": m.edit, "edit another": m.edit, "version": m.version, "another version": m.version,
				"continue": m.proceed,
				"finish":   m.finish, "finish another": m.finish, "fail": m.fail,
				"mark": m.mark, "unmark": m.unmark, "index": m.someIndexed,
				"search": m.find, "search again": m.find, "search favorites": m.searchFavorites, "intrude": m.intrude,
				"upload": m.upload, "delete a file": m.removeFile, "index sections": m.someSectionsIndexed,
				"search all": m.searchAll, "search all again": m.searchAll,
				"set a life": m.setLife, "expire": m.expire, "retain": m.retain,
				"share": m.share, "share another": m.share, "withdraw": m.withdraw, "sweep shares": m.sweepShares,
				"": m.check,
			})
			w.index()
			m.find(r)
			for more := true; more; {
				var err error
				more, err = m.sections.Update(m.ctx)
				expectError(r, err, nil)
			}
			m.searchAll(r)
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
