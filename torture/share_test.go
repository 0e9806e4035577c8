package torture

import (
	"context"
	"fmt"
	"slices"

	"parley"
)

// maxShares limits the shares of a user.
const maxShares = 4

// share is a snapshot of a session.
type share struct {
	id       string
	session  *session
	title    string
	messages []string
}

// snapshot returns the messages of a session without open replies as a share has them.
func (s *session) snapshot() (messages []string) {
	for _, t := range s.turns {
		reply := t.may[0]
		messages = append(messages,
			fmt.Sprintf("%s %q", parley.RoleUser, t.question),
			fmt.Sprintf("%s %q %s", parley.RoleAssistant, reply.text, reply.status))
	}
	return messages
}

// endShares records that the shares which meet a condition have ended.
func (a *account) endShares(condition func(*share) bool) {
	for _, s := range a.shares {
		if condition(s) {
			a.goneShares = append(a.goneShares, s.id)
		}
	}
	a.shares = slices.DeleteFunc(a.shares, condition)
}

// share shares a session without open replies.
func (a *actor) share(ctx context.Context) error {
	if len(a.shares) >= maxShares {
		return a.withdraw(ctx)
	}
	s := a.settledSession()
	if s == nil {
		return nil
	}
	shared := &share{session: s, title: s.title, messages: s.snapshot()}
	done := func() { a.shares = append(a.shares, shared) }
	return a.change(
		func() error {
			out, err := a.client.Share(ctx, s.id, parley.ShareInput{})
			shared.id = out.ShareID
			return err
		},
		done,
		func(ctx context.Context) error {
			listed, err := a.client.Shares(ctx)
			for _, stored := range listed.Shares {
				isStored := func(known *share) bool { return known.id == stored.ShareID }
				if !slices.ContainsFunc(a.shares, isStored) {
					shared.id = stored.ShareID
					done()
				}
			}
			return err
		})
}

// withdraw ends a share.
func (a *actor) withdraw(ctx context.Context) error {
	if len(a.shares) == 0 {
		return nil
	}
	shared := a.shares[a.random.IntN(len(a.shares))]
	done := func() { a.endShares(func(other *share) bool { return other == shared }) }
	return a.change(
		func() error { return a.client.DeleteShare(ctx, shared.id) },
		done,
		func(ctx context.Context) error {
			_, err := a.client.WithToken("").ReadShare(ctx, shared.id)
			if code(err) == parley.CodeNoSuchSession {
				done()
				return nil
			}
			return err
		})
}

// shares compares the list of shares, and each as a stranger reads it.
func (v *verifier) shares(ctx context.Context) error {
	listed, err := v.client.Shares(ctx)
	if err != nil {
		return err
	}
	v.check(len(listed.Shares) == len(v.account.shares), "there are %d shares, not %d",
		len(listed.Shares), len(v.account.shares))
	stranger := v.client.WithToken("")
	for _, s := range v.account.shares {
		read, err := stranger.ReadShare(ctx, s.id)
		if err != nil && !refused(err) {
			return err
		}
		var messages []string
		for _, m := range read.Messages {
			line := fmt.Sprintf("%s %q", m.Role, m.Content)
			if m.Role == parley.RoleAssistant {
				line += " " + m.Status
			}
			messages = append(messages, line)
		}
		v.check(err == nil && read.Title == s.title && slices.Equal(messages, s.messages),
			"the share of %q is %q with %v, %v, not %v", s.title, read.Title, messages, err, s.messages)
	}
	for _, id := range v.goneShares {
		_, err := stranger.ReadShare(ctx, id)
		v.check(code(err) == parley.CodeNoSuchSession, "the response for a share that has ended is %v", err)
	}
	v.goneShares = nil
	return nil
}
