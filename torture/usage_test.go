package torture

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/testdb"
)

// TestUsageAddsUpAfterKills sends from several users to a model that counts tokens, and kills the server in between. In
// the end every reply has the model's figures, and the sums of each user are the sums of the replies.
func TestUsageAddsUpAfterKills(t *testing.T) {
	t.Parallel()
	testdb.EachParallel(t, func(t *testing.T, databaseURL string) {
		w := newWorld(t, databaseURL)
		w.respond = countedReply
		w.restart(false)
		senders := make([]*sender, users)
		for i := range senders {
			senders[i] = w.newSender(i)
		}
		changes := setting(t, "TORTURE_CHANGES", 120)
		for range setting(t, "TORTURE_CYCLES", 1) {
			w.sendUntilKilled(senders, w.acked.Load()+changes)
			w.restart(false)
		}
		replies := 0
		for _, s := range senders {
			replies += w.checkUsage(s)
		}
		t.Logf("%d kills, %d acknowledged sends, %d replies, all counted once", w.kills, w.acked.Load(), replies)
	})
}

// countedReply scripts a model that counts tokens.
func countedReply(r aitest.Request) []aitest.Step {
	usage := countedTokens(r.Question())
	return []aitest.Step{
		aitest.Text("You said: "), aitest.Text(r.Question()),
		aitest.EndCounted(int(usage.InputTokens), int(usage.OutputTokens)),
	}
}

// countedTokens returns the figures of the model for a question.
func countedTokens(question string) parley.Usage {
	sum := int64(0)
	for _, c := range question {
		sum = sum*31%997 + int64(c)
	}
	return parley.Usage{InputTokens: 100 + sum, OutputTokens: 10 + sum%50}
}

// sender is a user who only sends.
type sender struct {
	token, session string
	sent           int
}

func (w *world) newSender(i int) *sender {
	w.Helper()
	guest := w.server.guest()
	_, err := guest.Register(w.Context(), parley.RegisterInput{
		Email: fmt.Sprintf("sender-%d@example.com", i), Password: "password of a sender", Nickname: "Sender",
	})
	must(w.T, err)
	created, err := guest.CreateSession(w.Context(), parley.CreateSessionInput{Title: "Counted"})
	must(w.T, err)
	return &sender{token: guest.Token(), session: created.SessionID}
}

// sendUntilKilled sends until that many sends are acknowledged in total, and kills the server.
func (w *world) sendUntilKilled(senders []*sender, until int64) {
	w.Helper()
	sends := make([]func() error, len(senders))
	for i, s := range senders {
		sends[i] = func() error { return s.send(w.Context(), w.server.guest()) }
	}
	w.repeatUntilKilled(sends, until)
}

// repeatUntilKilled repeats each of the acts at the same time until that many are acknowledged in total, and kills the
// server. An act that fails is not repeated.
func (w *world) repeatUntilKilled(acts []func() error, until int64) {
	w.Helper()
	var all sync.WaitGroup
	failed := make(chan struct{}, len(acts))
	for _, act := range acts {
		all.Go(func() {
			for act() == nil {
				w.acked.Add(1)
			}
			failed <- struct{}{}
		})
	}
	w.waitForChanges(until, failed)
	w.kill()
	all.Wait()
}

func (s *sender) send(ctx context.Context, guest *client.Client) error {
	s.sent++
	_, err := guest.WithToken(s.token).Send(ctx, parley.SendInput{
		SessionID: s.session, Content: fmt.Sprintf("question %d", s.sent),
	})
	return err
}

// checkUsage compares the replies of a user with the model's figures and with the user's sums. It returns the number of
// replies.
func (w *world) checkUsage(s *sender) int {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), waitLimit)
	defer cancel()
	user := w.server.guest().WithToken(s.token)
	var sum parley.Usage
	messages := w.completeHistory(ctx, user, s.session)
	for i := 1; i < len(messages); i += 2 {
		reply, want := messages[i], countedTokens(messages[i-1].Content)
		if reply.Usage == nil || *reply.Usage != want {
			w.Errorf("the reply %q has %+v, want %+v", reply.Content, reply.Usage, want)
		}
		sum = sum.Plus(want)
	}
	replies := len(messages) / 2
	used, err := user.Usage(ctx, parley.UsageInput{By: parley.ByModel})
	must(w.T, err)
	if len(used.Usage) != 1 || used.Usage[0].Messages != int64(replies) || used.Usage[0].Estimated ||
		used.Usage[0].InputTokens != sum.InputTokens || used.Usage[0].OutputTokens != sum.OutputTokens {
		w.Errorf("the usage is %+v, want %d replies with %+v", used.Usage, replies, sum)
	}
	return replies
}

// completeHistory returns the messages of a session once all replies are complete.
func (w *world) completeHistory(ctx context.Context, user *client.Client, session string) []parley.Message {
	w.Helper()
	for {
		var all []parley.Message
		for page := int64(1); ; page++ {
			out, err := user.Messages(ctx, session, parley.Page{Number: page, Size: 100})
			must(w.T, err)
			all = append(all, out.Messages...)
			if int64(len(all)) >= out.Total {
				break
			}
		}
		if !slices.ContainsFunc(all, func(m parley.Message) bool { return m.Status != "" }) {
			return all
		}
		must(w.T, pause(ctx))
	}
}
