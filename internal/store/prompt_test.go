package store

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/db"
	"parley/internal/id"
)

// prompt stores a prompt and returns its id.
func (w *world) prompt(user int64, name string, shared bool) string {
	w.t.Helper()
	p := NewPrompt{
		UserID: user, ID: id.New(), Name: name, Text: "text of " + name, Shared: shared, Now: w.tick(), MaxPrompts: 3,
	}
	w.must(w.AddPrompt(w.t.Context(), p))
	return p.ID
}

// promptNames returns the names of all prompts that read returns in batches.
func (w *world) promptNames(
	read func(after *parley.Prompt) (prompts []parley.Prompt, more bool, err error),
) (names []string) {
	w.t.Helper()
	var after *parley.Prompt
	for {
		batch, more, err := read(after)
		w.must(err)
		for _, p := range batch {
			names = append(names, p.Name)
		}
		if !more {
			return names
		}
		after = &batch[len(batch)-1]
	}
}

func (w *world) ownPrompts(user int64) []string {
	w.t.Helper()
	return w.promptNames(func(after *parley.Prompt) ([]parley.Prompt, bool, error) {
		return w.Prompts(w.t.Context(), user, after)
	})
}

func (w *world) promptsForAll(user int64) []string {
	w.t.Helper()
	return w.promptNames(func(after *parley.Prompt) ([]parley.Prompt, bool, error) {
		return w.SharedPrompts(w.t.Context(), user, after, parley.MaxPrompts)
	})
}

func TestPromptsAreListedNewestFirst(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user, other := w.user(), w.user()
		first := w.prompt(user, "first", false)
		w.prompt(other, "foreign", false)
		w.prompt(user, "second", false)
		w.prompt(user, "third", false)
		if got := w.ownPrompts(user); !slices.Equal(got, []string{"third", "second", "first"}) {
			t.Errorf("the prompts are %v", got)
		}
		err := w.AddPrompt(t.Context(), NewPrompt{UserID: user, ID: id.New(), Now: w.now, MaxPrompts: 3})
		if !errors.Is(err, parley.ErrTooManyPrompts) {
			t.Errorf("one too many: %v", err)
		}
		err = w.UpdatePrompt(t.Context(), other, first, PromptChange{Name: new("stolen")})
		if !errors.Is(err, parley.ErrNoSuchPrompt) {
			t.Errorf("another user changes it: %v", err)
		}
		if err := w.DeletePrompt(t.Context(), other, first); !errors.Is(err, parley.ErrNoSuchPrompt) {
			t.Errorf("another user deletes it: %v", err)
		}
		w.must(w.UpdatePrompt(t.Context(), user, first, PromptChange{Name: new("renamed")}))
		list, _, err := w.Prompts(t.Context(), user, nil)
		w.must(err)
		if p := list[2]; p.Name != "renamed" || p.Text != "text of first" || !p.Own || p.Shared || p.CreatedAt == 0 {
			t.Errorf("the changed prompt is %+v", p)
		}
		w.must(w.DeletePrompt(t.Context(), user, first))
		if got := w.ownPrompts(user); !slices.Equal(got, []string{"third", "second"}) {
			t.Errorf("the prompts are %v", got)
		}
	})
}

func TestOnlyAdministratorsOfferPromptsToAll(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		admin, user := w.user(), w.user()
		w.must(w.SetAdmin(ctx, 0, admin, true))
		w.prompt(admin, "for all", true)
		w.prompt(admin, "private", false)
		w.prompt(user, "of a user", true) // a former administrator
		if got := w.promptsForAll(user); !slices.Equal(got, []string{"for all"}) {
			t.Errorf("a user sees %v", got)
		}
		if got := w.promptsForAll(admin); len(got) > 0 {
			t.Errorf("the administrator sees %v", got)
		}
		shared := func(user int64) bool {
			list, _, err := w.Prompts(ctx, user, nil)
			w.must(err)
			return slices.ContainsFunc(list, func(p parley.Prompt) bool { return p.Shared })
		}
		if !shared(admin) || shared(user) {
			t.Error("a prompt is for all if its user is an administrator")
		}
		for name, end := range map[string]func() error{
			"demoted":  func() error { return w.SetAdmin(ctx, 0, admin, false) },
			"disabled": func() error { return w.DisableUser(ctx, 0, admin, w.now) },
		} {
			w.must(w.SetAdmin(ctx, 0, admin, true))
			w.must(w.EnableUser(ctx, admin))
			w.must(end())
			if got := w.promptsForAll(user); len(got) > 0 {
				t.Errorf("%s: a user sees %v", name, got)
			}
		}
	})
}

func TestLongPromptsAreReadInBatches(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user, admin := w.user(), w.user()
		w.must(w.SetAdmin(t.Context(), 0, admin, true))
		var want []string
		for range promptRows + 10 {
			name := numbered("prompt", len(want))
			want = append(want, name)
			for _, owner := range []int64{user, admin} {
				w.must(w.AddPrompt(t.Context(), NewPrompt{
					UserID: owner, ID: id.New(), Name: name, Text: strings.Repeat("界", parley.MaxPromptText), Shared: true,
					Now: w.tick(), MaxPrompts: parley.MaxPrompts,
				}))
			}
		}
		slices.Reverse(want)
		batch, more, err := w.Prompts(t.Context(), user, nil)
		w.must(err)
		if bytes := len(batch) * 3 * parley.MaxPromptText; bytes > MaxBatch || len(batch) < 2 || !more {
			t.Errorf("a batch has %d prompts with %d bytes", len(batch), bytes)
		}
		if got := w.ownPrompts(user); !slices.Equal(got, want) {
			t.Errorf("the prompts are %v", got)
		}
		if got := w.promptsForAll(user); !slices.Equal(got, want) {
			t.Errorf("the prompts for all are %v", got)
		}
	})
}

func TestPromptsGoWithTheirUser(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		w.prompt(user, "first", false)
		w.must(w.remove(user))
		left, err := db.ReadOne[int](t.Context(), w.db, `SELECT count(*) FROM prompts`)
		w.must(err)
		if left != 0 {
			t.Errorf("%d prompts are left", left)
		}
	})
}
