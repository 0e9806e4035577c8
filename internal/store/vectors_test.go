package store

import (
	"slices"
	"testing"
	"time"
)

func TestFilesWithoutVectorsAreClaimedOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		user := w.user()
		session := w.session(user, "Ferries")
		one, two := FileKey{user, w.file(user, session)}, FileKey{user, w.file(user, session)}
		due := func(made string) []FileKey {
			t.Helper()
			files, err := w.FilesWithoutVectors(ctx, made, w.now, 10)
			w.must(err)
			slices.SortFunc(files, func(a, b FileKey) int {
				if a == one {
					return -1
				}
				return 1
			})
			return files
		}
		claim := func(file FileKey) bool {
			t.Helper()
			claimed, err := w.ClaimVectors(ctx, file, "m 3", w.now, w.now.Add(time.Minute))
			w.must(err)
			return claimed
		}
		if got := due("m 3"); !slices.Equal(got, []FileKey{one, two}) {
			t.Errorf("due are %v", got)
		}
		if !claim(one) || claim(one) {
			t.Error("a file was claimed twice, or not at all")
		}
		if got := due("m 3"); !slices.Equal(got, []FileKey{two}) {
			t.Errorf("due are %v", got)
		}
		w.now = w.now.Add(time.Minute)
		if !claim(one) {
			t.Error("it can't be claimed after its time")
		}
		found, err := w.SetVectors(ctx, one, "m 3", 500)
		w.must(err)
		used, err := w.StorageUsed(ctx, user)
		w.must(err)
		if !found || used != 2*7+500 || claim(one) {
			t.Errorf("found is %t, %d bytes are used", found, used)
		}
		account, err := w.Account(ctx, user, w.now)
		w.must(err)
		held, err := w.Holdings(ctx, user, w.now)
		w.must(err)
		if account.Storage != used || held.FileBytes != used {
			t.Errorf("administrators see %d bytes, operators %d; %d are used", account.Storage, held.FileBytes, used)
		}
		w.must(w.DelayVectors(ctx, two, w.now.Add(time.Hour)))
		for made, want := range map[string][]FileKey{"m 3": nil, "a 3": {one}, "z 3": {one}} {
			if got := due(made); !slices.Equal(got, want) {
				t.Errorf("%s: due are %v", made, got)
			}
		}
		w.must(w.DeleteFile(ctx, user, one.FileID))
		if found, err := w.SetVectors(ctx, one, "m 3", 500); err != nil || found {
			t.Errorf("the vectors of a deleted file: %t, %v", found, err)
		}
	})
}

func TestCountFilesWithoutVectors(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "Ferries")
		w.file(user, session) // without text
		with, without := w.file(user, session), w.file(user, session)
		for _, fileID := range []string{with, without} {
			w.run(`UPDATE files SET text_size = 5 WHERE id = '` + fileID + `'`)
		}
		_, err := w.SetVectors(t.Context(), FileKey{user, with}, "m 3", 500)
		w.must(err)
		lacking, all, err := w.CountFilesWithoutVectors(t.Context(), "m 3")
		w.must(err)
		if lacking != 1 || all != 2 {
			t.Errorf("%d of %d have none", lacking, all)
		}
	})
}
