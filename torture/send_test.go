package torture

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"parley"
	"parley/client"
)

// question is a text that no other message has; the model takes its time over some.
func (a *actor) question() string {
	if a.random.IntN(4) == 0 {
		return a.unique("slowly, question")
	}
	return a.unique("question")
}

// send sends a message and waits for its reply; half of the messages carry a key, so
// that one which was cut off can be sent again.
func (a *actor) send(ctx context.Context) error {
	s, err := a.free(ctx)
	if err != nil {
		return err
	}
	a.serial++
	key := ""
	if a.random.IntN(2) == 0 {
		key = fmt.Sprint(a.name, a.serial)
	}
	t := newTurn(a.serial, a.question())
	return a.change(
		func() error { return a.sendThe(ctx, s, t, key) },
		func() { s.turns = append(s.turns, t) },
		func(ctx context.Context) error {
			if key != "" {
				return a.sendAgain(ctx, s, t, key)
			}
			return a.lookForTurn(ctx, s, t)
		})
}

func (a *actor) sendThe(ctx context.Context, s *session, t *turn, key string) error {
	var options []client.SendOption
	if key != "" {
		options = append(options, client.WithIdempotencyKey(key))
	}
	out, err := a.client.Send(ctx, parley.SendInput{SessionID: s.id, Content: t.question}, options...)
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

// lateReply is the reply that goes on being made after its answer.
func lateReply(err error) (parley.SendOutput, bool) {
	var failed *client.Error
	if !errors.As(err, &failed) {
		return parley.SendOutput{}, false
	}
	return failed.Late()
}

// sendAgain repeats a send that was cut off. Whether or not the first has happened, it
// is there once.
func (a *actor) sendAgain(ctx context.Context, s *session, t *turn, key string) error {
	found, pending, err := a.find(ctx, s, t)
	if err != nil {
		return err
	}
	if !pending {
		first := t.replyID
		if err := a.sendThe(ctx, s, t, key); err != nil {
			return err
		}
		if found && t.replyID != first {
			return fmt.Errorf("%w: %q was sent twice with one key and is there as %s and %s", errWrong, t.question, first, t.replyID)
		}
	}
	s.turns = append(s.turns, t)
	return nil
}

// lookForTurn notes a send that was cut off, if it is there.
func (a *actor) lookForTurn(ctx context.Context, s *session, t *turn) error {
	found, _, err := a.find(ctx, s, t)
	if found {
		s.turns = append(s.turns, t)
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
	s, err := a.free(ctx)
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
		all.Go(func() { errs[i] = a.sendThe(ctx, s, t, "") })
	}
	all.Wait()
	for i, t := range turns {
		// The requests have been made: each outcome is noted like any other.
		_ = a.change(
			func() error { return errs[i] },
			func() { s.turns = append(s.turns, t) },
			func(ctx context.Context) error { return a.lookForTurn(ctx, s, t) })
	}
	return errors.Join(errs...)
}

// stream sends a message and reads its reply as it comes. From its first event on the
// turn is acknowledged, and its reply has to come whatever happens.
func (a *actor) stream(ctx context.Context) error {
	s, err := a.free(ctx)
	if err != nil {
		return err
	}
	a.serial++
	t := newTurn(a.serial, a.question())
	var reading *client.Stream
	err = a.change(
		func() (err error) {
			if reading, err = a.client.Stream(ctx, parley.SendInput{SessionID: s.id, Content: t.question}); err != nil {
				return err
			}
			return t.begin(reading)
		},
		func() { s.turns = append(s.turns, t) },
		func(ctx context.Context) error { return a.lookForTurn(ctx, s, t) })
	if reading != nil {
		defer reading.Close()
	}
	if err != nil {
		return err
	}
	err = t.read(reading)
	if code(err) == parley.CodeSendFailed { // taken back
		s.turns = slices.DeleteFunc(s.turns, func(other *turn) bool { return other == t })
	}
	return err
}

// begin reads the first event, which has the ids.
func (t *turn) begin(reading *client.Stream) error {
	for event, err := range reading.Events() {
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

// read reads to the end of the reply.
func (t *turn) read(reading *client.Stream) error {
	for event, err := range reading.Events() {
		if err != nil {
			return err
		}
		t.lastID = reading.LastEventID()
		switch event := event.(type) {
		case client.Delta:
			t.text += event.Text
		case client.Restart:
			t.text = ""
		case client.Done:
			if full := replyTo(t.question); t.text != full || event.AIResponse.Content != full || event.AIResponse.ID != t.replyID {
				return fmt.Errorf("%w: the reply to %q was read as %q and is %+v", errWrong, t.question, t.text, event.AIResponse)
			}
			t.open = false
			return nil
		}
	}
	return errors.New("the stream ended before the reply was done")
}

// finish goes on reading an open reply where its reader was cut off.
func (a *actor) finish(ctx context.Context, t *turn) error {
	reading, err := a.client.Follow(ctx, t.replyID, t.lastID)
	if err != nil {
		return fmt.Errorf("go on reading the reply to %q: %w", t.question, err)
	}
	defer reading.Close()
	if t.lastID == "" {
		t.text = ""
	}
	return t.read(reading)
}

// pieces are a reply as the model gives it.
func pieces(reply string) []string {
	words := strings.SplitAfter(reply, " ")
	middle := len(words) / 2
	return []string{strings.Join(words[:middle], ""), strings.Join(words[middle:], "")}
}
