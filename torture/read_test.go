package torture

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley"
)

// everything is all actions, including those that only read.
var everything = slices.Concat(actions, []action{
	{"abandon a stream", 100, (*actor).abandonStream},
	{"resume streams", 100, (*actor).resumeStreams},
	{"read a page", 200, (*actor).page},
	{"list", 150, (*actor).list},
	{"search", 100, (*actor).search},
	{"list favorites", 80, (*actor).listFavorites},
	{"read a file", 40, (*actor).readFile},
	{"compare all", 10, (*actor).compare},
})

// abandonStream sends a message and disconnects in the middle of its reply.
func (a *actor) abandonStream(ctx context.Context) error {
	s, err := a.idleSession(ctx)
	if err != nil {
		return err
	}
	a.serial++
	t := newTurn(a.serial, a.unique("slowly, question"))
	return a.change(
		func() error {
			stream, err := a.client.Stream(ctx, parley.SendInput{SessionID: s.id, Content: t.question})
			if err != nil {
				return err
			}
			defer stream.Close()
			return t.readStart(stream)
		},
		func() { s.add(t) },
		func(ctx context.Context) error { return a.findTurn(ctx, s, t) })
}

// resumeStreams reads the rest of abandoned replies.
func (a *actor) resumeStreams(ctx context.Context) error {
	for _, s := range a.sessions {
		for _, t := range s.turns {
			if !t.open {
				continue
			}
			if err := a.finish(ctx, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// page reads a random page of a session.
func (a *actor) page(ctx context.Context) error {
	s, err := a.session(ctx)
	if err != nil {
		return err
	}
	out, err := a.client.Messages(ctx, s.id, parley.Page{Number: 1 + a.random.Int64N(5), Size: 10})
	if err == nil && int(out.Total) != 2*len(s.turns) {
		err = fmt.Errorf("%w: %q has %d messages, not %d", errWrong, s.title, out.Total, 2*len(s.turns))
	}
	return err
}

func (a *actor) list(ctx context.Context) error {
	out, err := a.client.Sessions(ctx, "", parley.Page{Number: 1, Size: 20})
	if err == nil && int(out.Total) != len(a.sessions) {
		err = fmt.Errorf("%w: there are %d sessions, not %d", errWrong, out.Total, len(a.sessions))
	}
	return err
}

// search searches for a common word. All results must belong to the user.
func (a *actor) search(ctx context.Context) error {
	words := []string{"question", "SLOWLY", "title", "said: q", "渡"}
	out, err := a.client.Sessions(ctx, words[a.random.IntN(len(words))], parley.Page{Number: 1, Size: 20})
	for _, found := range out.Sessions {
		if !slices.ContainsFunc(a.sessions, func(s *session) bool { return s.id == found.ID }) {
			return fmt.Errorf("%w: the search has found %q", errWrong, found.Title)
		}
	}
	return err
}

func (a *actor) listFavorites(ctx context.Context) error {
	_, err := a.client.Favorites(ctx, "question", parley.Page{Number: 1, Size: 20})
	return err
}

func (a *actor) readFile(ctx context.Context) error {
	s, err := a.session(ctx)
	if err != nil || len(s.files) == 0 {
		return err
	}
	f := s.files[a.random.IntN(len(s.files))]
	content, err := a.download(ctx, f.id)
	if err == nil && content != f.content {
		err = fmt.Errorf("%w: file %s of %d bytes is read as %d", errWrong, f.name, len(f.content), len(content))
	}
	return err
}

// compare compares all data of the user with the ledger.
func (a *actor) compare(ctx context.Context) error {
	v := &verifier{actor: a, wait: true}
	if err := v.verify(ctx); err != nil {
		return err
	}
	if len(v.lost) > 0 {
		return fmt.Errorf("%w: %s", errWrong, strings.Join(v.lost, "\n"))
	}
	return nil
}
