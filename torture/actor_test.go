package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"parley"
	"parley/client"
)

// actor is a user that performs random actions, and the ledger of them. If a kill interrupts a request, it may have
// taken effect or not. This doubt is settled later.
type actor struct {
	account
	name   string
	random *rand.Rand
	client *client.Client
	serial int
	doubts []doubt
	acked  *atomic.Int64
}

// doubt finds out whether an interrupted change took effect, and updates the ledger.
type doubt func(ctx context.Context) error

// unique returns a text that occurs only once.
func (a *actor) unique(what string) string {
	a.serial++
	return fmt.Sprintf("%s %d of %s", what, a.serial, a.name)
}

// errWrong marks a response that not even a kill explains.
var errWrong = errors.New("wrong")

// refused reports whether err is an error response of the server.
func refused(err error) bool {
	var e *client.Error
	return errors.As(err, &e) && e.Code != parley.CodeOK
}

// code returns the error code of a response, or CodeOK.
func code(err error) parley.Code {
	var e *client.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return parley.CodeOK
}

// change performs a request. If it succeeds, done records it in the ledger. If it is
// interrupted, inDoubt is kept for verify.
func (a *actor) change(request func() error, done func(), inDoubt doubt) error {
	err := request()
	switch {
	case err == nil:
		done()
		a.acked.Add(1)
	case !refused(err) && !errors.Is(err, errWrong):
		a.doubts = append(a.doubts, inDoubt)
	}
	return err
}

// action is something that a user does. It is chosen in proportion to its weight.
type action struct {
	name   string
	weight int
	do     func(*actor, context.Context) error
}

// maxSessions and maxTurns limit the data of a user. It must not grow over time.
const (
	maxSessions = 6
	maxTurns    = 24
)

var actions = []action{
	{"send", 330, (*actor).send},
	{"stream", 170, (*actor).stream},
	{"send at once", 15, (*actor).sendAtOnce},
	{"edit", 70, (*actor).edit},
	{"edit in a stream", 50, (*actor).editInStream},
	{"show a version", 120, (*actor).showVersion},
	{"regenerate", 60, (*actor).regenerate},
	{"stop", 40, (*actor).stop},
	{"continue", 80, (*actor).proceed},
	{"mark", 140, (*actor).mark},
	{"unmark", 60, (*actor).unmark},
	{"create", 70, (*actor).create},
	{"rename", 80, (*actor).rename},
	{"clear", 20, (*actor).clear},
	{"delete", 50, (*actor).remove},
	{"upload", 30, (*actor).upload},
	{"delete a file", 20, (*actor).removeFile},
	{"share", 30, (*actor).share},
	{"withdraw a share", 15, (*actor).withdraw},
	{"import", 12, (*actor).importChats},
	{"change the nickname", 20, (*actor).renameSelf},
	{"log in", 6, (*actor).login},
	{"log out", 4, (*actor).logout},
	{"change the password", 2, (*actor).changePassword},
	{"delete the account", 2, (*actor).deleteAccount},
}

// registerAndAct registers the user if necessary, and calls act.
func (a *actor) registerAndAct(ctx context.Context, actions []action, enough func() bool) error {
	if a.token == "" {
		if err := a.register(ctx); err != nil {
			return err
		}
	}
	return a.act(ctx, actions, enough)
}

// act performs random actions until one fails or enough returns true.
func (a *actor) act(ctx context.Context, actions []action, enough func() bool) error {
	all := 0
	for _, action := range actions {
		all += action.weight
	}
	for !enough() {
		n := a.random.IntN(all)
		for _, action := range actions {
			if n -= action.weight; n >= 0 {
				continue
			}
			if err := action.do(a, ctx); err != nil {
				return fmt.Errorf("%s: %s: %w", a.name, action.name, err)
			}
			break
		}
	}
	return nil
}

// session chooses a session. It creates one if there is none.
func (a *actor) session(ctx context.Context) (*session, error) {
	if len(a.sessions) == 0 {
		if err := a.create(ctx); err != nil {
			return nil, err
		}
	}
	return a.sessions[a.random.IntN(len(a.sessions))], nil
}

// idleSession chooses a session without an open reply, which a send would wait for.
func (a *actor) idleSession(ctx context.Context) (*session, error) {
	var idle []*session
	for _, s := range a.sessions {
		if !s.replying() {
			idle = append(idle, s)
		}
	}
	if len(idle) == 0 {
		if err := a.create(ctx); err != nil {
			return nil, err
		}
		idle = a.sessions[len(a.sessions)-1:]
	}
	s := idle[a.random.IntN(len(idle))]
	if len(s.turns) >= maxTurns {
		return s, a.clearSession(ctx, s)
	}
	return s, nil
}
