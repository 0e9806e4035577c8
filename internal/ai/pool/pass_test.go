package pool_test

import (
	"context"
	"testing"
	"testing/synctest"

	"parley"
	"parley/internal/ai"
)

// passer is a fake that takes calls as they are.
type passer struct{ fake }

func (p *passer) Pass(_ context.Context, _ ai.Call, emit func(data []byte) error) (parley.Usage, error) {
	p.asked.Add(1)
	if p.partial {
		if err := emit([]byte("half")); err != nil {
			return parley.Usage{}, err
		}
	}
	if failure := p.err.Load(); failure != nil {
		return parley.Usage{}, failure
	}
	return parley.Usage{OutputTokens: 1}, emit([]byte("whole"))
}

func TestACallIsPassedToAServerThatReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone, well := &passer{}, &passer{}
		gone.err.Store(failure(parley.ReasonUnreachable, ai.ServerFault))
		p := poolOf(gone, well)
		for range 100 {
			got := ""
			usage, err := p.Pass(t.Context(), ai.Call{}, func(data []byte) error {
				got += string(data)
				return nil
			})
			if err != nil || got != "whole" || usage.OutputTokens != 1 {
				t.Fatalf("got %q, %+v and %v", got, usage, err)
			}
		}
		wantAsked(t, &gone.fake, 3) // then it rests
		wantAsked(t, &well.fake, 100)
	})
}

func TestACallIsNotPassedTwiceOnceItHasBegun(t *testing.T) {
	half, well := &passer{fake{partial: true}}, &passer{}
	half.err.Store(failure(parley.ReasonUnreachable, ai.ServerFault))
	p := poolOf(half, well)
	got := ""
	_, err := p.Pass(t.Context(), ai.Call{}, func(data []byte) error {
		got += string(data)
		return nil
	})
	if err == nil || got != "half" {
		t.Errorf("got %q and %v", got, err)
	}
	wantAsked(t, &well.fake, 0)
}

func TestACallThatNoServerTakesIsNotTriedElsewhere(t *testing.T) {
	strict, well := &passer{}, &passer{}
	strict.err.Store(failure(parley.ReasonTooLong, ai.NoFault))
	p := poolOf(strict, well)
	if _, err := p.Pass(t.Context(), ai.Call{}, func([]byte) error { return nil }); err == nil {
		t.Error("no error")
	}
	wantAsked(t, &well.fake, 0)
}

// refusing takes no call.
type refusing struct{ fake }

func (*refusing) Pass(context.Context, ai.Call, func(data []byte) error) (parley.Usage, error) {
	return parley.Usage{}, &ai.Unsupported{Field: "models"}
}

// TestACallThatIsRefusedSaysNothingAboutTheServer checks that clients can't end the rest of a broken server.
func TestACallThatIsRefusedSaysNothingAboutTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := &refusing{}
		gone.err.Store(failure(parley.ReasonUnreachable, ai.ServerFault))
		p := poolOf(gone)
		for range 3 {
			if _, err := send(t.Context(), p, ai.Prompt{}); err == nil {
				t.Fatal("no error")
			}
		}
		if _, err := p.Pass(t.Context(), ai.Call{}, func([]byte) error { return nil }); err == nil || p.Available() {
			t.Errorf("error %v, available %t", err, p.Available())
		}
	})
}
