package blob

import (
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/testdb"
)

// TestAMarkedPlaceIsNotOpened marks a folder and a bucket.
func TestAMarkedPlaceIsNotOpened(t *testing.T) {
	for _, name := range []string{"folder", "bucket"} {
		t.Run(name, func(t *testing.T) {
			dir, url := filepath.Join(t.TempDir(), "files"), ""
			if name == "bucket" {
				url = testdb.S3(t)
			}
			place, err := OpenPlace(t.Context(), dir, url)
			if err != nil {
				t.Fatal(err)
			}
			defer place.Close() //nolint:errcheck // nothing is left to write
			check := func(want string) {
				t.Helper()
				opened, err := Open(t.Context(), dir, url)
				if err == nil {
					err = opened.Close()
				}
				if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("it is opened with %v, want %q", err, want)
				}
			}
			check("")
			for _, state := range []MarkState{Arriving, Left} {
				want := Mark{ID: "1", State: state, Other: "another place"}
				if err := place.SetMark(t.Context(), want); err != nil {
					t.Fatal(err)
				}
				got, marked, err := place.Mark(t.Context())
				if err != nil || !marked || got != want {
					t.Errorf("the mark is %+v, %v, %v", got, marked, err)
				}
				check("another place")
			}
			for range 2 {
				if err := place.DropMark(t.Context()); err != nil {
					t.Error(err)
				}
				check("")
			}
		})
	}
}
