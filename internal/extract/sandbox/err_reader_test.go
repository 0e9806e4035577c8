package sandbox

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestOnlyTheErrorOfTheReaderIsRemembered(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name   string
		reader io.Reader
		writer io.Writer
		want   error
	}{
		{"all goes well", strings.NewReader("text"), io.Discard, nil},
		{"the reader fails", io.MultiReader(strings.NewReader("te"), iotest.ErrReader(broken)), io.Discard, broken},
		{"the writer fails", strings.NewReader("text"), failing{broken}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			reader := &errReader{reader: c.reader}
			_, _ = io.Copy(c.writer, reader)
			if !errors.Is(reader.err, c.want) || c.want == nil && reader.err != nil {
				t.Errorf("it remembers %v", reader.err)
			}
		})
	}
}

// failing is a writer that fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
