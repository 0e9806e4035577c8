package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
)

// machine applies the same operations to the service and to the model.
type machine struct {
	*world
	http   *http.Client // does not check responses against the document: other tests do that
	users  []*modelUser
	moment int
	dawns  []int // the moments when days began
}

func (m *machine) now() int { m.moment++; return m.moment }

// guest returns a client without a login. The server's address changes with each start.
func (m *machine) guest() *client.Client { return client.New(m.URL, client.WithHTTPClient(m.http)) }

func (m *machine) as(u *modelUser) *client.Client { return m.guest().WithToken(u.token) }

func (m *machine) user(t *rapid.T) *modelUser { return rapid.SampledFrom(m.users).Draw(t, "user") }

// phrase draws a text that users write and search for.
func phrase(t *rapid.T, name string) string {
	return rapid.SampledFrom([]string{
		"A ferry", "a FERRY to Capri", "渡轮", "100% sure", "under_score", "it's \"quoted\"",
		"Straße", "🚢 ship",
	}).Draw(t, name)
}

func keyword(t *rapid.T) string {
	return rapid.SampledFrom([]string{
		"", "ferry", "渡", "%", "_", "STRASSE", "straße", "said", "🚢", "nowhere", "CHAT",
		`"`,
	}).Draw(t, "keyword")
}

// session draws one of the user's sessions. It creates one if there is none.
func (m *machine) session(t *rapid.T, u *modelUser) *modelSession {
	if len(u.sessions) == 0 {
		m.createFor(t, u)
	}
	return rapid.SampledFrom(u.sessions).Draw(t, "session")
}

// message draws one of the user's messages. It creates one if there is none.
func (m *machine) message(t *rapid.T, u *modelUser) (*modelSession, *modelMessage) {
	s := m.session(t, u)
	if len(s.messages()) == 0 {
		m.sendTo(t, u, s, phrase(t, "content"))
	}
	return s, rapid.SampledFrom(s.messages()).Draw(t, "message")
}

func (m *machine) create(t *rapid.T) { m.createFor(t, m.user(t)) }

func (m *machine) createFor(t *rapid.T, u *modelUser) {
	s := &modelSession{
		created: m.now(), keys: map[string]parley.SendOutput{},
		pinned: rarely(t), archived: rarely(t), life: m.life(t),
	}
	if rapid.Bool().Draw(t, "titled") {
		s.title = phrase(t, "title")
	}
	out, err := m.as(u).CreateSession(m.Context(), parley.CreateSessionInput{
		Title: s.title, Pinned: s.pinned, Archived: s.archived, ExpiresIn: s.life.seconds(),
	})
	fine(t, err)
	same(t, "title", out.Title, s.shownTitle())
	s.id = out.SessionID
	u.sessions = append(u.sessions, s)
}

func (m *machine) rename(t *rapid.T) {
	u := m.user(t)
	s := m.session(t, u)
	s.title = phrase(t, "title")
	fine(t, m.as(u).RenameSession(m.Context(), s.id, parley.RenameSessionInput{Title: s.title}))
}

func (m *machine) clear(t *rapid.T) {
	u := m.user(t)
	s := m.session(t, u)
	fine(t, m.as(u).ClearSession(m.Context(), s.id))
	s.root, s.keys = modelMessage{}, map[string]parley.SendOutput{}
}

func (m *machine) remove(t *rapid.T) {
	u := m.user(t)
	s := m.session(t, u)
	fine(t, m.as(u).DeleteSession(m.Context(), s.id))
	u.drop(s)
	refuses(t, m.as(u).ClearSession(m.Context(), s.id), parley.CodeNoSuchSession)
	for _, f := range s.files {
		_, err := m.as(u).Download(m.Context(), f.id)
		refuses(t, err, parley.CodeUploadFailed)
	}
}

func (m *machine) send(t *rapid.T) {
	u := m.user(t)
	m.sendTo(t, u, m.session(t, u), phrase(t, "content"))
}

func (m *machine) sendTo(t *rapid.T, u *modelUser, s *modelSession, content string,
	options ...client.SendOption,
) parley.SendOutput {
	out, err := m.as(u).Send(m.Context(), parley.SendInput{SessionID: s.id, Content: content}, options...)
	fine(t, err)
	m.said(t, s, s.last(), content, out)
	return out
}

// said records a question and its reply in the model, after the message before. A message also takes a session out of
// the archive.
func (m *machine) said(t *rapid.T, s *modelSession, before *modelMessage, content string, out parley.SendOutput) {
	same(t, "reply", out.AIResponse.Content, "You said: "+content)
	s.archived = false
	now := m.now()
	before.add(&modelMessage{id: out.UserMessageID, content: content, at: now}).
		add(&modelMessage{id: out.AIResponse.ID, content: out.AIResponse.Content, at: now})
	if s.title == "" {
		s.title = content
	}
}

// sendWithKey sends the same message twice, or repeats an earlier send. The service must store it once.
func (m *machine) sendWithKey(t *rapid.T) {
	u := m.user(t)
	s := m.session(t, u)
	key := fmt.Sprint(s.id, len(m.dawns), rapid.IntRange(1, 2).Draw(t, "key")) // a key lasts for a day
	content := "ferry with " + key[len(key)-1:]
	option := client.WithIdempotencyKey(key)
	earlier, known := s.keys[key]
	if !known {
		earlier = m.sendTo(t, u, s, content, option)
		s.keys[key] = earlier
	}
	out, err := m.as(u).Send(m.Context(), parley.SendInput{SessionID: s.id, Content: content}, option)
	fine(t, err)
	same(t, "sent again", []string{out.UserMessageID, out.AIResponse.ID},
		[]string{earlier.UserMessageID, earlier.AIResponse.ID})
	_, err = m.as(u).Send(m.Context(), parley.SendInput{SessionID: s.id, Content: "quite different"}, option)
	refuses(t, err, parley.CodeInvalidParameter)
}

func (m *machine) stream(t *rapid.T) {
	u := m.user(t)
	s := m.session(t, u)
	content := phrase(t, "content")
	reading, err := m.as(u).Stream(m.Context(), parley.SendInput{SessionID: s.id, Content: content})
	fine(t, err)
	out, err := reading.Wait()
	fine(t, err)
	fine(t, reading.Close())
	m.said(t, s, s.last(), content, out)
	again, err := m.as(u).Follow(m.Context(), out.AIResponse.ID, "")
	fine(t, err)
	read, err := again.Wait()
	fine(t, err)
	fine(t, again.Close())
	same(t, "read again", read.AIResponse.Content, out.AIResponse.Content)
	fine(t, m.as(u).Stop(m.Context(), out.AIResponse.ID)) // changes nothing
}

// sendInVain sends while the model fails. Nothing may be left behind.
func (m *machine) sendInVain(t *rapid.T) {
	u := m.user(t)
	s := m.session(t, u)
	m.Model.Script(aitest.Status(400, "no"))
	_, err := m.as(u).Send(m.Context(), parley.SendInput{SessionID: s.id, Content: "in vain, ferry"})
	refuses(t, err, parley.CodeAIUnavailable)
}

func (m *machine) regenerate(t *rapid.T) {
	u := m.user(t)
	s := m.session(t, u)
	if len(s.messages()) == 0 {
		_, err := m.as(u).Regenerate(m.Context(), s.id, parley.RegenerateInput{})
		refuses(t, err, parley.CodeSendFailed)
		return
	}
	reply := s.last()
	content := phrase(t, "another reply")
	m.Model.Script(aitest.Say(content)...)
	out, err := m.as(u).Regenerate(m.Context(), s.id, parley.RegenerateInput{})
	fine(t, err)
	same(t, "made anew", []string{out.AIResponse.ID, out.AIResponse.Content}, []string{reply.id, content})
	reply.before.add(&modelMessage{id: reply.id, content: content, at: reply.at, mark: reply.mark})
}

func (m *machine) mark(t *rapid.T) {
	u := m.user(t)
	s, message := m.message(t, u)
	out, err := m.as(u).AddFavorite(m.Context(), parley.AddFavoriteInput{SessionID: s.id, MessageID: message.id})
	fine(t, err)
	if message.mark.favorite == "" {
		message.mark.favorite, message.mark.at = out.FavoriteID, m.now()
	}
	same(t, "favorite", out.FavoriteID, message.mark.favorite)
}

func (m *machine) unmark(t *rapid.T) {
	u := m.user(t)
	_, message := m.anyMessage(t, u)
	err := m.as(u).RemoveFavorite(m.Context(), message.id)
	if message.mark.favorite == "" {
		refuses(t, err, parley.CodeNoSuchFavorite)
		return
	}
	fine(t, err)
	message.mark.favorite = ""
}

func (m *machine) upload(t *rapid.T) {
	u := m.user(t)
	s := m.session(t, u)
	f := &modelFile{
		name:    fmt.Sprintf("file %d.txt", m.now()),
		content: strings.Repeat(phrase(t, "line")+"\n", rapid.IntRange(1, 50).Draw(t, "lines")),
	}
	out, err := m.as(u).Upload(m.Context(), s.id, f.name, strings.NewReader(f.content))
	fine(t, err)
	f.id = out.FileID
	s.files = append(s.files, f)
}

func (m *machine) removeFile(t *rapid.T) {
	u := m.user(t)
	s := m.session(t, u)
	if len(s.files) == 0 {
		return
	}
	f := rapid.SampledFrom(s.files).Draw(t, "file")
	fine(t, m.as(u).DeleteFile(m.Context(), f.id))
	s.files = slices.DeleteFunc(s.files, func(other *modelFile) bool { return other == f })
	refuses(t, m.as(u).DeleteFile(m.Context(), f.id), parley.CodeUploadFailed)
}

func (m *machine) restartServer(*rapid.T) {
	m.http.CloseIdleConnections()
	m.restart()
}
