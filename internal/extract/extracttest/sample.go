package extracttest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Sample returns a file of internal/extract/testdata. The test is one of extract or of a package in its folder.
func Sample(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if errors.Is(err, fs.ErrNotExist) {
		content, err = os.ReadFile(filepath.Join("..", "testdata", name))
	}
	if err != nil {
		t.Fatal(err)
	}
	return content
}
