package store

import (
	"cmp"
	"context"
	"slices"
	"testing"
)

// stored returns the stored settings in order.
func (w *world) stored() []Setting {
	w.t.Helper()
	got, err := w.Settings(w.t.Context())
	w.must(err)
	slices.SortFunc(got, func(a, b Setting) int { return cmp.Compare(a.Name, b.Name) })
	return got
}

func useSettings(ctx context.Context, w *world) {
	_, err := w.ChangeSettings(ctx, []SettingChange{{"registration", new("closed")}, {"sharing", nil}})
	w.must(err)
	w.stored()
}

func TestSettingsAreChangedAndRemoved(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, test := range []struct {
			changes []SettingChange
			changed []string
			want    []Setting
		}{
			{nil, nil, nil},
			{[]SettingChange{{"quota", nil}}, nil, nil},
			{
				[]SettingChange{{"quota", new("none")}, {"registration", new("closed")}},
				[]string{"quota", "registration"},
				[]Setting{{"quota", "none"}, {"registration", "closed"}},
			},
			{
				[]SettingChange{{"quota", new("none")}, {"registration", new("open")}},
				[]string{"registration"},
				[]Setting{{"quota", "none"}, {"registration", "open"}},
			},
			{
				[]SettingChange{{"quota", nil}, {"registration", new("open")}},
				[]string{"quota"},
				[]Setting{{"registration", "open"}},
			},
		} {
			changed, err := w.ChangeSettings(t.Context(), test.changes)
			w.must(err)
			if got := w.stored(); !slices.Equal(changed, test.changed) || !slices.Equal(got, test.want) {
				t.Errorf("%v changes %v to %v, want %v and %v", test.changes, changed, got, test.changed, test.want)
			}
		}
	})
}
