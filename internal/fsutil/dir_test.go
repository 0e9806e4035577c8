package fsutil_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"parley/internal/fsutil"
)

func TestMakeMakesWhatIsMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{
		"one", "one", "./two/", "three/four/five", filepath.Join(t.TempDir(), "six", "seven"),
		".",
	} {
		if err := fsutil.Make(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 && path != "." {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
}

func TestMakeLeavesAFileInPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(file, "below")} {
		if err := fsutil.Make(path); !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if text, err := os.ReadFile(file); string(text) != "text" {
		t.Errorf("the file has %q, %v", text, err)
	}
}
