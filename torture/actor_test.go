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

// actor is a user who does one thing after the other, and the ledger of it. What the
// kill cuts off may have happened or not: it is in doubt until the server is asked.
type actor struct {
	account
	name   string
	random *rand.Rand
	client *client.Client
	serial int
	doubts []doubt
	acked  *atomic.Int64
}

// doubt asks the server whether a change that was cut off has happened, and brings the
// ledger up to date.
type doubt func(ctx context.Context) error

// unique is a text that no other thing has.
func (a *actor) unique(what string) string {
	a.serial++
	return fmt.Sprintf("%s %d of %s", what, a.serial, a.name)
}

// acknowledged counts a change that the server has answered with success.
func (a *actor) acknowledged() { a.acked.Add(1) }

// errWrong is an answer that no crash excuses.
var errWrong = errors.New("wrong")

// refused reports whether the server answered, if only with an error.
func refused(err error) bool {
	var e *client.Error
	return errors.As(err, &e) && e.Code != parley.CodeOK
}

// code is the error code of an answer, 0 for success.
func code(err error) parley.Code {
	var e *client.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return parley.CodeOK
}

// change makes a request. Where it succeeds, done notes it in the ledger; where it is
// cut off, whether it happened is in doubt.
func (a *actor) change(request func() error, done func(), inDoubt doubt) error {
	err := request()
	switch {
	case err == nil:
		done()
		a.acknowledged()
	case !refused(err) && !errors.Is(err, errWrong):
		a.doubts = append(a.doubts, inDoubt)
	}
	return err
}

// action is one thing a user does; it is chosen weight times as often as one of weight 1.
type action struct {
	name   string
	weight int
	do     func(*actor, context.Context) error
}

// maxSessions and maxTurns bound what a user keeps, so that a long run does not grow.
const (
	maxSessions = 6
	maxTurns    = 24
)

var actions = []action{
	{"send", 330, (*actor).send},
	{"stream", 170, (*actor).stream},
	{"send at once", 15, (*actor).sendAtOnce},
	{"mark", 140, (*actor).mark},
	{"unmark", 60, (*actor).unmark},
	{"create", 70, (*actor).create},
	{"rename", 80, (*actor).rename},
	{"clear", 20, (*actor).clear},
	{"delete", 50, (*actor).remove},
	{"upload", 30, (*actor).upload},
	{"delete a file", 20, (*actor).removeFile},
	{"change the nickname", 20, (*actor).renameSelf},
	{"log in", 6, (*actor).login},
	{"log out", 4, (*actor).logout},
	{"change the password", 2, (*actor).changePassword},
	{"leave", 2, (*actor).leave},
}

// live does things of the given kinds until the server is gone or refuses something, or it is enough.
func (a *actor) live(ctx context.Context, actions []action, enough func() bool) error {
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

// session chooses one, making it where there is none. It may return nil with an error.
func (a *actor) session(ctx context.Context) (*session, error) {
	if len(a.sessions) == 0 {
		if err := a.create(ctx); err != nil {
			return nil, err
		}
	}
	return a.sessions[a.random.IntN(len(a.sessions))], nil
}

// free chooses a session that takes a send at once.
func (a *actor) free(ctx context.Context) (*session, error) {
	var free []*session
	for _, s := range a.sessions {
		if !s.resting() {
			free = append(free, s)
		}
	}
	if len(free) == 0 {
		if err := a.create(ctx); err != nil {
			return nil, err
		}
		free = a.sessions[len(a.sessions)-1:]
	}
	s := free[a.random.IntN(len(free))]
	if len(s.turns) >= maxTurns {
		return s, a.clearThe(ctx, s)
	}
	return s, nil
}
