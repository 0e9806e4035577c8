package torture

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley"
)

// everything is what users do who also read.
var everything = slices.Concat(actions, []action{
	{"stream and leave", 100, (*actor).leaveStream},
	{"go on reading", 100, (*actor).goOn},
	{"read a page", 200, (*actor).page},
	{"list", 150, (*actor).list},
	{"search", 100, (*actor).search},
	{"list favorites", 80, (*actor).listFavorites},
	{"read a file", 40, (*actor).readFile},
	{"compare all", 10, (*actor).compare},
})

// leaveStream sends a message and leaves in the middle of its reply.
func (a *actor) leaveStream(ctx context.Context) error {
	s, err := a.free(ctx)
	if err != nil {
		return err
	}
	a.serial++
	t := newTurn(a.serial, a.unique("slowly, question"))
	return a.change(
		func() error {
			reading, err := a.client.Stream(ctx, parley.SendInput{SessionID: s.id, Content: t.question})
			if err != nil {
				return err
			}
			defer reading.Close()
			return t.begin(reading)
		},
		func() { s.turns = append(s.turns, t) },
		func(ctx context.Context) error { return a.lookForTurn(ctx, s, t) })
}

// goOn reads the rest of the replies that were left.
func (a *actor) goOn(ctx context.Context) error {
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

// page reads a page of a session, any of them.
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

// search looks for a word that is nearly everywhere: what it finds is the user's own.
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

// compare compares all that the user has with the ledger.
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
