package blob

import (
	"path/filepath"
	"strings"
	"testing"
)

const someID = "019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"

// badKeys are invalid. Used as paths, some of them would lead out of the folder.
var badKeys = []string{
	"", ".", "..", "/", "x", "../" + someID, someID + "/..", "/etc/passwd", strings.ToUpper(someID),
	someID + ".", someID + ".TEXT", someID + ".a.b", someID + "..", someID + "./x", someID + ".a/b",
	someID + `.a\b`, someID + "\x00", someID + ".a\n", someID + ".é", someID + "." + strings.Repeat("a", 17),
	"partial/" + someID, "10/" + someID,
}

func TestIDsAndSuffixesAreKeys(t *testing.T) {
	for _, key := range []string{someID, someID + ".text", someID + ".index2"} {
		if _, err := locate(key); err != nil {
			t.Errorf("%q: %v", key, err)
		}
	}
}

func TestAnIDAndItsSuffixesShareAFolder(t *testing.T) {
	plain, err := locate(someID)
	if err != nil {
		t.Fatal(err)
	}
	text, err := locate(someID + ".text")
	if err != nil {
		t.Fatal(err)
	}
	if plain.folder != "10" || text.folder != "10" || plain.path == text.path {
		t.Errorf("got %+v and %+v", plain, text)
	}
}

func FuzzKey(f *testing.F) {
	f.Add(someID)
	f.Add(someID + ".text")
	f.Add("../../etc/passwd")
	f.Fuzz(func(t *testing.T, key string) {
		loc, err := locate(key)
		if err != nil {
			return
		}
		if !filepath.IsLocal(loc.path) || filepath.Clean(loc.path) != loc.path || len(loc.folder) != 2 ||
			filepath.Dir(loc.path) != loc.folder {
			t.Errorf("%q is kept at %q", key, loc.path)
		}
	})
}
