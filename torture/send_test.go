package torture

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"parley"
	"parley/client"
)

// question returns a unique question. The replies to some take longer.
func (a *actor) question() string {
	if a.random.IntN(4) == 0 {
		return a.unique("slowly, question")
	}
	return a.unique("question")
}

// send sends a message and waits for its reply. Half of the messages have an idempotency key. They can be sent again if
// they are interrupted.
func (a *actor) send(ctx context.Context) error {
	s, err := a.idleSession(ctx)
	if err != nil {
		return err
	}
	a.serial++
	return a.sendIn(ctx, s, newTurn(a.serial, a.question()))
}

func (a *actor) sendIn(ctx context.Context, s *session, t *turn) error {
	key := ""
	if a.random.IntN(2) == 0 {
		key = fmt.Sprint(a.name, a.serial)
	}
	return a.change(
		func() error { return a.sendTurn(ctx, s, t, key) },
		func() { s.add(t) },
		func(ctx context.Context) error {
			if key != "" {
				return a.resend(ctx, s, t, key)
			}
			return a.findTurn(ctx, s, t)
		})
}

func (a *actor) sendTurn(ctx context.Context, s *session, t *turn, key string) error {
	var options []client.SendOption
	if key != "" {
		options = append(options, client.WithIdempotencyKey(key))
	}
	out, err := a.client.Send(ctx, t.input(s), options...)
	if late, is := lateReply(err); is {
		t.questionID, t.replyID = late.UserMessageID, late.AIResponse.ID
		return nil
	}
	if err != nil {
		return err
	}
	t.questionID, t.replyID, t.open = out.UserMessageID, out.AIResponse.ID, false
	if out.AIResponse.Content != replyTo(t.question) {
		return fmt.Errorf("%w: the reply to %q is %q", errWrong, t.question, out.AIResponse.Content)
	}
	return nil
}

// input returns what the turn is sent with.
func (t *turn) input(s *session) parley.SendInput {
	in := parley.SendInput{SessionID: s.id, Content: t.question}
	if t.replaces != nil {
		in.Replaces = t.replaces.questionID
	}
	return in
}

// lateReply returns the reply that the server continues after a timeout response.
func lateReply(err error) (parley.SendOutput, bool) {
	var failed *client.Error
	if !errors.As(err, &failed) {
		return parley.SendOutput{}, false
	}
	return failed.Late()
}

// resend repeats an interrupted send. The message must be stored once, whether or not the
// first send took effect.
func (a *actor) resend(ctx context.Context, s *session, t *turn, key string) error {
	found, pending, err := a.find(ctx, s, t)
	if err != nil {
		return err
	}
	if !pending {
		first := t.replyID
		if err := a.sendTurn(ctx, s, t, key); err != nil {
			return err
		}
		if found && t.replyID != first {
			return fmt.Errorf("%w: %q was sent twice with one key and is stored as %s and %s",
				errWrong, t.question, first, t.replyID)
		}
	}
	s.add(t)
	return nil
}

// findTurn records an interrupted send in the ledger if it took effect.
func (a *actor) findTurn(ctx context.Context, s *session, t *turn) error {
	found, _, err := a.find(ctx, s, t)
	if found {
		s.add(t)
	}
	return err
}

// find looks for a turn by its question.
func (a *actor) find(ctx context.Context, s *session, t *turn) (found, pending bool, err error) {
	stored, err := a.messages(ctx, s)
	for i, m := range stored {
		if m.Content == t.question && i+1 < len(stored) {
			t.questionID, t.replyID = m.ID, stored[i+1].ID
			found, pending = true, stored[i+1].Status != ""
		}
	}
	return found, pending, err
}

// sendAtOnce sends several messages into one session at once.
func (a *actor) sendAtOnce(ctx context.Context) error {
	s, err := a.idleSession(ctx)
	if err != nil {
		return err
	}
	a.serial++
	batch := a.serial
	turns := make([]*turn, 4)
	errs := make([]error, len(turns))
	var all sync.WaitGroup
	for i := range turns {
		t := newTurn(batch, a.question())
		turns[i] = t
		all.Go(func() { errs[i] = a.sendTurn(ctx, s, t, "") })
	}
	all.Wait()
	for i, t := range turns {
		// The requests are done; change only records their outcomes.
		_ = a.change(
			func() error { return errs[i] },
			func() { s.add(t) },
			func(ctx context.Context) error { return a.findTurn(ctx, s, t) })
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return a.sortTurns(ctx, s)
}

// sortTurns brings turns that were sent at once in the order of the server.
func (a *actor) sortTurns(ctx context.Context, s *session) error {
	stored, err := a.messages(ctx, s)
	if err == nil {
		s.sortBatches(questionIDs(stored))
	}
	return err
}

// questionIDs returns the ids of the questions.
func questionIDs(messages []parley.Message) (ids []string) {
	for i := 0; i < len(messages); i += 2 {
		ids = append(ids, messages[i].ID)
	}
	return ids
}

// stream sends a message and reads its reply as a stream. The first event acknowledges the
// turn: from then on its reply must be completed whatever happens.
func (a *actor) stream(ctx context.Context) error {
	s, err := a.idleSession(ctx)
	if err != nil {
		return err
	}
	a.serial++
	return a.streamIn(ctx, s, newTurn(a.serial, a.question()))
}

func (a *actor) streamIn(ctx context.Context, s *session, t *turn) error {
	var stream *client.Stream
	err := a.change(
		func() (err error) {
			stream, err = a.client.Stream(ctx, t.input(s))
			if err != nil {
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
	err = t.read(stream)
	if code(err) == parley.CodeSendFailed { // taken back
		s.takeBack(t)
	}
	return err
}

// readStart reads the first event, which has the ids.
func (t *turn) readStart(stream *client.Stream) error {
	for event, err := range stream.Events() {
		if err != nil {
			return err
		}
		start, ok := event.(client.Start)
		if !ok {
			return fmt.Errorf("%w: the first event is %T", errWrong, event)
		}
		t.questionID, t.replyID = start.UserMessageID, start.MessageID
		return nil
	}
	return errors.New("the stream is empty")
}

// read reads the reply to its end.
func (t *turn) read(stream *client.Stream) error {
	for event, err := range stream.Events() {
		if err != nil {
			return err
		}
		t.lastID = stream.LastEventID()
		switch event := event.(type) {
		case client.Delta:
			t.text += event.Text
		case client.Restart:
			t.text = ""
		case client.Done:
			stored := event.AIResponse
			if t.text != stored.Content || !t.allows(t.text) || stored.ID != t.replyID {
				return fmt.Errorf("%w: the reply to %q was read as %q and is %+v", errWrong, t.question, t.text, stored)
			}
			t.open = len(t.may) > 1 || t.redo != nil // the history tells which it is
			return nil
		}
	}
	return errors.New("the stream ended before the reply was done")
}

// finish resumes an interrupted stream and reads the reply to its end.
func (a *actor) finish(ctx context.Context, t *turn) error {
	stream, err := a.client.Follow(ctx, t.replyID, t.lastID)
	if err != nil {
		return fmt.Errorf("resume the reply to %q: %w", t.question, err)
	}
	defer stream.Close()
	if t.lastID == "" {
		t.text = ""
	}
	return t.read(stream)
}

// pieces splits a reply into the parts that the model sends.
func pieces(reply string) []string {
	words := strings.SplitAfter(reply, " ")
	middle := len(words) / 2
	return []string{strings.Join(words[:middle], ""), strings.Join(words[middle:], "")}
}
