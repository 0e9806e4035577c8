package torture

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/extract/history/historytest"
)

// importPoll is how often an actor looks whether an import has ended.
const importPoll = 10 * time.Millisecond

// pendingImport is an import that was started. Its end was not seen yet.
type pendingImport struct {
	id            string // empty if its start was interrupted
	again         bool   // it was started again after that
	file          []byte
	conversations []historytest.Conversation
}

// importChats imports a file with some conversations and waits until they are stored. If an import is pending, it
// waits for that one: a user can have one at a time.
func (a *actor) importChats(ctx context.Context) error {
	if a.pending != nil {
		return a.finishImport(ctx)
	}
	if len(a.sessions) >= maxSessions {
		return a.remove(ctx)
	}
	p := &pendingImport{}
	for range 1 + a.random.IntN(4) {
		p.conversations = append(p.conversations, a.conversation())
	}
	p.file = historytest.ChatGPTZip(p.conversations...)
	if a.random.IntN(2) == 0 {
		p.file = historytest.OpenWebUI(p.conversations...)
	}
	start := func() { a.pending = p }
	err := a.change(
		func() (err error) { return a.startImport(ctx, p) },
		start,
		func(context.Context) error { start(); return nil })
	if err != nil {
		return err
	}
	return a.finishImport(ctx)
}

// conversation returns a conversation that was not imported before.
func (a *actor) conversation() historytest.Conversation {
	title := a.unique("imported session")
	c := historytest.Conversation{ID: title, Title: title, At: time.Unix(1_700_000_000+int64(a.serial)*1000, 0)}
	for range 1 + a.random.IntN(3) {
		question := a.unique("question")
		c.Texts = append(c.Texts, question, replyTo(question))
	}
	return c
}

func (a *actor) startImport(ctx context.Context, p *pendingImport) error {
	out, err := a.client.StartImport(ctx, "export", bytes.NewReader(p.file))
	if err == nil {
		p.id = out.ImportID
	}
	return err
}

// finishImport waits until the pending import has ended, and records its sessions. Each conversation must be stored
// once, whether or not its start was interrupted.
func (a *actor) finishImport(ctx context.Context) error {
	p := a.pending
	p.again = p.again || p.id == ""
	for p.id == "" { // its start may have taken effect: then another one is refused until it has ended
		if err := a.startImport(ctx, p); err != nil && code(err) != parley.CodeTooManyAttempts {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
	var got parley.Import
	for got.State != parley.ImportDone {
		var err error
		if got, err = a.client.Import(ctx, p.id); err != nil {
			return err
		}
		if got.State == parley.ImportFailed {
			return fmt.Errorf("%w: the import has failed: %+v", errWrong, got)
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
	if len(got.Skipped) > 0 && !p.again || int(got.Sessions)+len(got.Skipped) != len(p.conversations) {
		return fmt.Errorf("%w: the import of %d conversations is %+v", errWrong, len(p.conversations), got)
	}
	sessions, err := a.imported(ctx, p)
	if err == nil {
		a.pending, a.sessions = nil, append(a.sessions, sessions...)
	}
	return err
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(importPoll):
		return nil
	}
}

// imported reads the sessions of an import that has ended.
func (a *actor) imported(ctx context.Context, p *pendingImport) (sessions []*session, err error) {
	listed, err := a.client.Sessions(ctx, "", parley.Page{Number: 1, Size: parley.MaxPageSize})
	if err != nil {
		return nil, err
	}
	for _, c := range p.conversations {
		var found []*session
		for _, stored := range listed.Sessions {
			if stored.Title == c.Title {
				found = append(found, &session{id: stored.ID, title: c.Title})
			}
		}
		if len(found) != 1 {
			return nil, fmt.Errorf("%w: %q was imported %d times", errWrong, c.Title, len(found))
		}
		stored, err := a.messages(ctx, found[0])
		if err != nil {
			return nil, err
		}
		var texts []string
		for _, m := range stored {
			texts = append(texts, m.Content)
		}
		if !slices.Equal(texts, c.Texts) {
			return nil, fmt.Errorf("%w: %q was imported as %q, not %q", errWrong, c.Title, texts, c.Texts)
		}
		for i := 0; i < len(stored); i += 2 {
			a.serial++
			t := newTurn(a.serial, c.Texts[i])
			t.questionID, t.replyID, t.open = stored[i].ID, stored[i+1].ID, false
			found[0].turns = append(found[0].turns, t)
		}
		sessions = append(sessions, found...)
	}
	return sessions, nil
}

// imports waits for a pending import, if open replies are waited for too.
func (v *verifier) imports(ctx context.Context) error {
	if v.pending == nil || !v.wait {
		return nil
	}
	if err := v.finishImport(ctx); err != nil {
		return err
	}
	v.verified++
	return nil
}

// withoutPending removes the sessions of a pending import. None may be there twice.
func (v *verifier) withoutPending(sessions []parley.Session) []parley.Session {
	if v.pending == nil {
		return sessions
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(sessions), func(s parley.Session) bool {
		for _, c := range v.pending.conversations {
			if c.Title == s.Title {
				v.check(!seen[s.Title] && int(s.MessageCount) == len(c.Texts),
					"of the import %q is there twice, or with %d messages", s.Title, s.MessageCount)
				seen[s.Title] = true
				return true
			}
		}
		return false
	})
}
