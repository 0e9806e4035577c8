package torture

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley"
)

// verifier compares the data of the server with a ledger.
type verifier struct {
	*actor
	// wait is set to wait for open replies.
	wait     bool
	verified int      // number of successful checks
	lost     []string // messages of failed checks
}

// check records the result of one check.
func (v *verifier) check(holds bool, format string, args ...any) {
	if holds {
		v.verified++
		return
	}
	v.lost = append(v.lost, v.name+": "+fmt.Sprintf(format, args...))
}

// verify settles all doubts and compares everything.
func (v *verifier) verify(ctx context.Context) error {
	for len(v.doubts) > 0 {
		settle := v.doubts[0]
		v.doubts = v.doubts[1:]
		if err := settle(ctx); err != nil {
			return fmt.Errorf("%s: settle a doubt: %w", v.name, err)
		}
	}
	for _, part := range []func(context.Context) error{
		v.tokens, v.replies, v.imports, v.sessions, v.favorites, v.shares, v.absent,
	} {
		if err := part(ctx); err != nil {
			return fmt.Errorf("%s: verify: %w", v.name, err)
		}
	}
	return nil
}

// tokens checks the account and which tokens are valid.
func (v *verifier) tokens(ctx context.Context) error {
	me, err := v.client.User(ctx)
	if err != nil {
		return err
	}
	v.check(me.Email == v.email && me.Nickname == v.nickname, "the account is %+v, not %s, %s", me, v.email, v.nickname)
	for _, token := range v.logins {
		me, err := v.client.WithToken(token).User(ctx)
		v.check(err == nil && me.Email == v.email, "a login is gone: %v", err)
	}
	for _, token := range v.ended {
		_, err := v.client.WithToken(token).User(ctx)
		v.check(code(err) == parley.CodeBadToken, "the response to an ended token is %v", err)
	}
	v.ended = nil
	return nil
}

// replies reads open replies to their end.
func (v *verifier) replies(ctx context.Context) error {
	if !v.wait {
		return nil
	}
	for _, s := range v.account.sessions {
		for _, t := range s.turns {
			if !t.open {
				continue
			}
			err := v.finish(ctx, t)
			if givenUp := refused(err) && t.kills >= maxAttempts; err != nil && !givenUp {
				return err
			}
		}
	}
	return nil
}

func (v *verifier) sessions(ctx context.Context) error {
	out, err := v.client.Sessions(ctx, "", parley.Page{Number: 1, Size: parley.MaxPageSize})
	if err != nil {
		return err
	}
	v.check(int(out.Total) == len(out.Sessions), "there are %d sessions, total %d", len(out.Sessions), out.Total)
	out.Sessions = v.withoutPending(out.Sessions)
	v.check(len(out.Sessions) == len(v.account.sessions),
		"there are %d sessions, not %d", len(out.Sessions), len(v.account.sessions))
	used := slices.DeleteFunc(slices.Clone(out.Sessions), func(s parley.Session) bool { return s.LastMessageTime == 0 })
	newestFirst := func(a, b parley.Session) int { return int(b.LastMessageTime - a.LastMessageTime) }
	v.check(slices.IsSortedFunc(used, newestFirst), "the sessions are out of order")
	for _, s := range v.account.sessions {
		i := slices.IndexFunc(out.Sessions, func(stored parley.Session) bool { return stored.ID == s.id })
		if i < 0 {
			v.check(false, "session %q is gone", s.title)
			continue
		}
		v.check(out.Sessions[i].Title == s.title, "session %q is called %q", s.title, out.Sessions[i].Title)
		if err := v.history(ctx, s, out.Sessions[i]); err != nil {
			return err
		}
		if err := v.files(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// history compares the messages of a session: order, texts, counts, favorites.
func (v *verifier) history(ctx context.Context, s *session, listed parley.Session) error {
	stored, err := v.messages(ctx, s)
	if err != nil {
		return err
	}
	questions := questionIDs(stored)
	for _, t := range s.turns {
		if t.open && t.kills >= maxAttempts && !slices.Contains(questions, t.questionID) {
			s.takeBack(t)
		}
	}
	s.sortBatches(questions)
	v.check(int(listed.MessageCount) == len(stored) && len(stored) == 2*len(s.turns),
		"session %q has %d messages, message_count %d, not %d", s.title, len(stored), listed.MessageCount, 2*len(s.turns))
	if len(stored) > 0 {
		v.check(listed.LastMessageTime == stored[len(stored)-1].Timestamp,
			"the last message of %q is of another time", s.title)
	}
	for i, t := range s.turns {
		if 2*i+1 >= len(stored) {
			v.check(false, "%q is gone", t.question)
			continue
		}
		v.turn(s, t, stored[2*i], stored[2*i+1])
	}
	return nil
}

func (v *verifier) turn(s *session, t *turn, question, reply parley.Message) {
	isUsers := question.Role == parley.RoleUser && question.Status == ""
	v.check(question.ID == t.questionID && question.Content == t.question && isUsers,
		"in place of %q is %+v", t.question, question)
	v.check(question.IsFavorited == (s.favorite(question.ID) != "") && reply.IsFavorited == (s.favorite(reply.ID) != ""),
		"the favorites of %q are wrong", t.question)
	complete := reply.Status != parley.StatusPending && t.settle(reply)
	mayBeOpen := t.open && !v.wait && reply.Status == parley.StatusPending
	v.check(reply.ID == t.replyID && reply.Role == parley.RoleAssistant && (complete || mayBeOpen),
		"the reply to %q is %+v, not one of %v", t.question, reply, t.may)
	shown := 0
	if t.edits != nil {
		shown = t.edits.shown
	}
	v.versions(question, shown, t.questionVersions())
	if complete {
		v.versions(reply, t.shown, len(t.replies))
	}
}

// files compares a session's files, byte for byte.
func (v *verifier) files(ctx context.Context, s *session) error {
	out, err := v.client.Files(ctx, s.id)
	if err != nil {
		return err
	}
	v.check(len(out.Files) == len(s.files), "session %q has %d files, not %d", s.title, len(out.Files), len(s.files))
	for _, f := range s.files {
		content, err := v.download(ctx, f.id)
		v.check(err == nil && content == f.content,
			"file %s of %d bytes is read as %d, %v", f.name, len(f.content), len(content), err)
	}
	return nil
}

func (v *verifier) favorites(ctx context.Context) error {
	stored, err := v.actor.favorites(ctx)
	if err != nil {
		return err
	}
	var got, want []string
	for _, f := range stored {
		got = append(got, fmt.Sprint(f.ID, " ", f.MessageID, " ", f.Aside))
	}
	for _, s := range v.account.sessions {
		for _, t := range s.all() {
			for messageID, id := range t.favorites {
				want = append(want, fmt.Sprint(id, " ", messageID, " ", !slices.Contains(s.turns, t)))
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	v.check(slices.Equal(got, want),
		"the favorites are %s, not %s", strings.Join(got, ", "), strings.Join(want, ", "))
	return nil
}

// absent checks that deleted sessions and files are gone.
func (v *verifier) absent(ctx context.Context) error {
	for _, id := range v.gone {
		_, err := v.client.Messages(ctx, id, parley.Page{})
		v.check(code(err) == parley.CodeNoSuchSession, "the response for a deleted session is %v", err)
	}
	for _, id := range v.goneFiles {
		_, err := v.download(ctx, id)
		v.check(code(err) == parley.CodeUploadFailed, "the response for a deleted file is %v", err)
	}
	v.gone, v.goneFiles = nil, nil
	return nil
}
