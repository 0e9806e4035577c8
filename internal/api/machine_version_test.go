package api_test

import (
	"slices"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/ai/aitest"
)

// modelMessage is a message with all versions of the next one. At most one of them is visible.
type modelMessage struct {
	id, content, status string
	at                  int
	mark                *modelMark // shared by the versions of a reply
	number              int
	before              *modelMessage
	next                []*modelMessage
	shown               int // index of the visible one of next
}

type modelMark struct {
	favorite string
	at       int
}

// messages returns the visible messages.
func (s *modelSession) messages() (visible []*modelMessage) {
	for m := &s.root; len(m.next) > 0; {
		m = m.next[m.shown]
		visible = append(visible, m)
	}
	return visible
}

// last returns the last visible message, or the root.
func (s *modelSession) last() *modelMessage {
	if messages := s.messages(); len(messages) > 0 {
		return messages[len(messages)-1]
	}
	return &s.root
}

func (s *modelSession) isVisible(m *modelMessage) bool { return slices.Contains(s.messages(), m) }

// all returns all versions of the messages after m.
func (m *modelMessage) all() (all []*modelMessage) {
	for _, next := range m.next {
		all = append(append(all, next), next.all()...)
	}
	return all
}

// add adds a version of the next message and shows it.
func (m *modelMessage) add(next *modelMessage) *modelMessage {
	next.before, next.number = m, m.number+1
	if next.mark == nil {
		next.mark = &modelMark{}
	}
	m.next = append(m.next, next)
	m.shown = len(m.next) - 1
	return next
}

// show makes a message visible.
func (m *modelMessage) show() {
	for ; m.before != nil; m = m.before {
		m.before.shown = slices.Index(m.before.next, m)
	}
}

// version returns the number of the message's version and the number of versions, as the API shows them.
func (m *modelMessage) version() (version, versions int) {
	if len(m.before.next) < 2 {
		return 0, 0
	}
	return slices.Index(m.before.next, m) + 1, len(m.before.next)
}

// anyMessage draws a message from all versions.
func (m *machine) anyMessage(t *rapid.T, u *modelUser) (*modelSession, *modelMessage) {
	s, _ := m.message(t, u)
	return s, rapid.SampledFrom(s.root.all()).Draw(t, "any message")
}

// edit replaces a question. The service must refuse a reply, and a message that was set aside.
func (m *machine) edit(t *rapid.T) {
	u := m.user(t)
	s, message := m.anyMessage(t, u)
	in := parley.SendInput{SessionID: s.id, Content: phrase(t, "content"), Replaces: message.id}
	isReply := message.number%2 == 0
	visible := s.isVisible(message) ||
		isReply && slices.ContainsFunc(message.before.next, s.isVisible) // the versions share the id
	if visible && !isReply {
		out, err := m.as(u).Send(m.Context(), in)
		fine(t, err)
		m.said(t, s, message.before, in.Content, out)
		return
	}
	_, err := m.as(u).Send(m.Context(), in)
	if visible {
		refuses(t, err, parley.CodeInvalidParameter)
	} else {
		refuses(t, err, parley.CodeNoSuchSession)
	}
}

// editInVain edits while the model fails. Everything must stay as before.
func (m *machine) editInVain(t *rapid.T) {
	u := m.user(t)
	s, _ := m.message(t, u)
	questions := s.messages()
	message := questions[2*rapid.IntRange(0, len(questions)/2-1).Draw(t, "question")]
	m.Model.Script(aitest.Text("Half a ferry"), aitest.Cut())
	_, err := m.as(u).Send(m.Context(),
		parley.SendInput{SessionID: s.id, Content: "in vain, ferry", Replaces: message.id})
	refuses(t, err, parley.CodeAIUnavailable)
}

// version shows a version of a message, or the message itself.
func (m *machine) version(t *rapid.T) {
	u := m.user(t)
	s, message := m.anyMessage(t, u)
	versions := message.before.next
	if message.number%2 == 0 { // the versions share the id; it stands for the visible one, or else the newest
		message = versions[len(versions)-1]
		if i := slices.IndexFunc(versions, s.isVisible); i >= 0 {
			message = versions[i]
		}
	}
	version := rapid.IntRange(0, len(versions)+1).Draw(t, "version")
	err := m.as(u).ShowVersion(m.Context(), message.id, int64(version))
	if version > len(versions) {
		refuses(t, err, parley.CodeInvalidParameter)
		return
	}
	fine(t, err)
	if version > 0 {
		message = versions[version-1]
	}
	message.show()
}

// interrupt sends or edits in a stream, and the model interrupts the reply.
func (m *machine) interrupt(t *rapid.T) {
	u := m.user(t)
	s := m.session(t, u)
	in := parley.SendInput{SessionID: s.id, Content: phrase(t, "content")}
	before := s.last()
	if messages := s.messages(); len(messages) > 0 && rapid.Bool().Draw(t, "edit") {
		in.Replaces, before = messages[0].id, &s.root
	}
	m.Model.Script(aitest.Text("Half a ferry"), aitest.Cut())
	stream, err := m.as(u).Stream(m.Context(), in)
	fine(t, err)
	_, err = stream.Wait()
	refuses(t, err, parley.CodeAIUnavailable)
	fine(t, stream.Close())
	out, err := m.as(u).Messages(m.Context(), s.id, parley.Page{Number: int64(before.number/2 + 1), Size: 2})
	fine(t, err)
	same(t, "interrupted", len(out.Messages), 2)
	s.archived = false
	now := m.now()
	before.add(&modelMessage{id: out.Messages[0].ID, content: in.Content, at: now}).
		add(&modelMessage{id: out.Messages[1].ID, content: "Half a ferry", status: parley.StatusInterrupted, at: now})
	if s.title == "" {
		s.title = in.Content
	}
}

// proceed continues the last reply, if it was interrupted.
func (m *machine) proceed(t *rapid.T) {
	u := m.user(t)
	s := m.session(t, u)
	last := s.last()
	if last.status == "" {
		_, err := m.as(u).Continue(m.Context(), s.id, parley.RegenerateInput{})
		refuses(t, err, parley.CodeSendFailed)
		return
	}
	more := " " + phrase(t, "more")
	m.Model.Script(aitest.Say(more)...)
	out, err := m.as(u).Continue(m.Context(), s.id, parley.RegenerateInput{})
	fine(t, err)
	same(t, "continued", []string{out.AIResponse.ID, out.AIResponse.Content}, []string{last.id, last.content + more})
	last.content, last.status = out.AIResponse.Content, ""
}
