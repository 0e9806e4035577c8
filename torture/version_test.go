package torture

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/client"
)

// replyText is the text and the status of a reply.
type replyText struct{ text, status string }

// replyVersion is a version of a reply after it was set aside, and the turns that followed it.
type replyVersion struct {
	may   []replyText
	after []*turn
}

// edits are the versions of a question, each with the turns that followed it. The visible
// one is out of date: it is in the session.
type edits struct {
	versions [][]*turn
	shown    int
}

// goOn is what the model adds when it continues a reply.
const goOn = " And so on."

// enhanced is the model that replies are regenerated with.
const enhanced = "增强模型"

// add records a turn, at the end or in place of the question that it replaces.
func (s *session) add(t *turn) {
	if t.replaces == nil {
		s.turns = append(s.turns, t)
		return
	}
	i, e := slices.Index(s.turns, t.replaces), t.replaces.edits
	if e == nil {
		e = &edits{versions: [][]*turn{nil}}
		t.replaces.edits = e
	}
	e.versions[e.shown] = slices.Clone(s.turns[i:])
	t.edits, t.before = e, e.shown
	e.versions = append(e.versions, nil)
	e.shown = len(e.versions) - 1
	s.turns = append(slices.Clone(s.turns[:i]), t)
}

// takeBack removes a turn that has failed, and shows what it replaced.
func (s *session) takeBack(t *turn) {
	s.turns = slices.DeleteFunc(slices.Clone(s.turns), func(other *turn) bool { return other == t })
	if e := t.edits; t.replaces != nil {
		e.versions, e.shown = e.versions[:len(e.versions)-1], t.before
		s.turns = append(s.turns, e.versions[e.shown]...)
	}
}

// showQuestion shows a version of the question of a turn, counted from 0.
func (s *session) showQuestion(i, version int) {
	e := s.turns[i].edits
	e.versions[e.shown] = slices.Clone(s.turns[i:])
	e.shown = version
	s.turns = append(slices.Clone(s.turns[:i]), e.versions[version]...)
}

// showReply shows a version of the reply of a turn, counted from 0.
func (s *session) showReply(i, version int) {
	t := s.turns[i]
	t.replies[t.shown] = replyVersion{t.may, slices.Clone(s.turns[i+1:])}
	t.shown, t.may = version, t.replies[version].may
	s.turns = append(slices.Clone(s.turns[:i+1]), t.replies[version].after...)
}

// addReply adds a version of the last reply and shows it.
func (t *turn) addReply(text replyText) {
	if len(t.replies) == 0 {
		t.replies = make([]replyVersion, 1)
	}
	t.replies[t.shown] = replyVersion{may: t.may}
	t.replies = append(t.replies, replyVersion{})
	t.shown, t.may = len(t.replies)-1, []replyText{text}
}

// all returns the turns of all versions.
func (s *session) all() []*turn {
	var all []*turn
	var add func([]*turn)
	add = func(turns []*turn) {
		for _, t := range turns {
			if slices.Contains(all, t) {
				continue
			}
			all = append(all, t)
			if t.edits != nil {
				for _, version := range t.edits.versions {
					add(version)
				}
			}
			for _, version := range t.replies {
				add(version.after)
			}
		}
	}
	add(s.turns)
	return all
}

// settledSession chooses a session that has turns and no open reply, or returns nil.
func (a *actor) settledSession() *session {
	settled := slices.DeleteFunc(slices.Clone(a.sessions), func(s *session) bool {
		return len(s.turns) == 0 || s.replying()
	})
	if len(settled) == 0 {
		return nil
	}
	return settled[a.random.IntN(len(settled))]
}

// edit replaces a question.
func (a *actor) edit(ctx context.Context) error {
	if s := a.settledSession(); s != nil {
		return a.sendIn(ctx, s, a.replacement(s))
	}
	return nil
}

// editInStream replaces a question and reads the reply as a stream.
func (a *actor) editInStream(ctx context.Context) error {
	if s := a.settledSession(); s != nil {
		return a.streamIn(ctx, s, a.replacement(s))
	}
	return nil
}

func (a *actor) replacement(s *session) *turn {
	a.serial++
	t := newTurn(a.serial, a.question())
	t.replaces = s.turns[a.random.IntN(len(s.turns))]
	return t
}

// showVersion shows another version of a question or a reply.
func (a *actor) showVersion(ctx context.Context) error {
	s := a.settledSession()
	if s == nil {
		return nil
	}
	i := a.random.IntN(len(s.turns))
	t := s.turns[i]
	if n := len(t.replies); n > 1 && a.random.IntN(2) == 0 {
		return a.show(ctx, s, 2*i+1, a.random.IntN(n))
	}
	if t.edits != nil {
		return a.show(ctx, s, 2*i, a.random.IntN(len(t.edits.versions)))
	}
	return nil
}

// show shows a version of the message at a place, counted from 0.
func (a *actor) show(ctx context.Context, s *session, place, version int) error {
	t := s.turns[place/2]
	messageID, record := t.questionID, s.showQuestion
	if place%2 == 1 {
		messageID, record = t.replyID, s.showReply
	}
	done := func() { record(place/2, version) }
	return a.change(
		func() error { return a.client.ShowVersion(ctx, messageID, int64(version+1)) },
		done,
		func(ctx context.Context) error {
			stored, err := a.messages(ctx, s)
			if err == nil && place < len(stored) && max(stored[place].Version, 1) == int64(version+1) {
				done()
			}
			return err
		})
}

// regenerate makes another version of the last reply.
func (a *actor) regenerate(ctx context.Context) error {
	s := a.settledSession()
	if s == nil {
		return nil
	}
	t := s.turns[len(s.turns)-1]
	text, in := replyText{text: replyTo(t.question)}, parley.RegenerateInput{}
	if a.random.IntN(2) == 0 {
		text.text, in.Model = enhancedReplyTo(t.question), enhanced
	}
	return a.change(
		func() error {
			out, err := a.client.Regenerate(ctx, s.id, in)
			return t.expect(out, err, text.text)
		},
		func() { t.addReply(text) },
		func(context.Context) error {
			t.open, t.lastID, t.redo = true, "", &text
			return nil
		})
}

// stop sends a question and stops the reply in the middle.
func (a *actor) stop(ctx context.Context) error {
	s, err := a.idleSession(ctx)
	if err != nil {
		return err
	}
	a.serial++
	t := newTurn(a.serial, a.unique("slowly, question"))
	var stream *client.Stream
	err = a.change(
		func() (err error) {
			if stream, err = a.client.Stream(ctx, t.input(s)); err != nil {
				return err
			}
			return t.readStart(stream)
		},
		func() { s.add(t) },
		func(ctx context.Context) error { return a.findTurn(ctx, s, t) })
	if stream != nil {
		defer stream.Close()
	}
	if err != nil {
		return err
	}
	for _, err := range stream.Events() { // the first word
		if err != nil {
			return err
		}
		break
	}
	t.may = append(t.may, // the whole text, if it was stopped between the last word and the end
		replyText{pieces(replyTo(t.question))[0], parley.StatusStopped},
		replyText{replyTo(t.question), parley.StatusStopped})
	return a.change(
		func() error {
			if err := a.client.Stop(ctx, t.replyID); err != nil {
				return err
			}
			return a.settleLast(ctx, s, t)
		},
		func() {},
		func(context.Context) error { return nil })
}

// settleLast finds out what the last reply is. It must be stored.
func (a *actor) settleLast(ctx context.Context, s *session, t *turn) error {
	stored, err := a.messages(ctx, s)
	if err != nil {
		return err
	}
	if n := len(stored); n == 0 || stored[n-1].ID != t.replyID || !t.settle(stored[n-1]) {
		return fmt.Errorf("%w: the reply to %q was stopped and is not at the end of %+v", errWrong, t.question, stored)
	}
	return nil
}

// proceed continues a stopped reply.
func (a *actor) proceed(ctx context.Context) error {
	s := a.settledSession()
	if s == nil {
		return nil
	}
	t := s.turns[len(s.turns)-1]
	if len(t.may) != 1 || t.may[0].status == "" {
		return nil
	}
	text := t.may[0].text + goOn
	return a.change(
		func() error {
			out, err := a.client.Continue(ctx, s.id, parley.RegenerateInput{})
			return t.expect(out, err, text)
		},
		func() { t.may = []replyText{{text: text}} },
		func(context.Context) error {
			t.open, t.lastID = true, ""
			t.may = append(t.may, replyText{text: text})
			return nil
		})
}

// expect checks the response of a regenerated reply. It treats a late one as cut off.
func (t *turn) expect(out parley.SendOutput, err error, text string) error {
	if err == nil && (out.AIResponse.ID != t.replyID || out.AIResponse.Content != text) {
		return fmt.Errorf("%w: the reply to %q is %+v, not %q", errWrong, t.question, out.AIResponse, text)
	}
	return err
}

// allows reports whether the reply may have a text.
func (t *turn) allows(text string) bool {
	isText := func(r replyText) bool { return r.text == text }
	return slices.ContainsFunc(t.may, isText) || t.redo != nil && t.redo.text == text
}

// settle records which of the possible replies is stored, and reports whether it is one of them.
func (t *turn) settle(reply parley.Message) bool {
	if t.redo != nil {
		if int(max(reply.Versions, 1)) == max(len(t.replies), 1)+1 {
			t.addReply(*t.redo)
		}
		t.redo = nil
	}
	stored := replyText{reply.Content, reply.Status}
	if !slices.Contains(t.may, stored) {
		return false
	}
	t.open, t.kills, t.may = false, 0, []replyText{stored}
	return true
}

// versions checks which version a message says to be.
func (v *verifier) versions(m parley.Message, shown, count int) {
	if count < 2 {
		v.check(m.Version == 0 && m.Versions == 0, "%+v has one version", m)
		return
	}
	v.check(int(m.Version) == shown+1 && int(m.Versions) == count, "%+v is version %d of %d", m, shown+1, count)
}

// reachable shows every version of the visible messages, and compares what comes with it.
func (v *verifier) reachable(ctx context.Context) error {
	for _, s := range v.account.sessions {
		for i := 0; i < len(s.turns); i++ { // showing a version changes the turns
			for version := range s.turns[i].questionVersions() {
				if err := v.showAndCompare(ctx, s, 2*i, version); err != nil {
					return err
				}
			}
			for version := range s.turns[i].replies {
				if err := v.showAndCompare(ctx, s, 2*i+1, version); err != nil {
					return err
				}
			}
		}
	}
	return v.favorites(ctx)
}

func (v *verifier) showAndCompare(ctx context.Context, s *session, place, version int) error {
	if err := v.show(ctx, s, place, version); err != nil {
		return err
	}
	out, err := v.client.Sessions(ctx, "", parley.Page{Number: 1, Size: parley.MaxPageSize})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(out.Sessions, func(stored parley.Session) bool { return stored.ID == s.id })
	if i < 0 {
		return fmt.Errorf("%w: session %q is gone", errWrong, s.title)
	}
	return v.history(ctx, s, out.Sessions[i])
}

func (t *turn) questionVersions() int {
	if t.edits == nil {
		return 0
	}
	return len(t.edits.versions)
}

// enhancedReplyTo returns the reply of the enhanced model.
func enhancedReplyTo(question string) string { return strings.ToUpper(replyTo(question)) }
