package errreader

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
			reader := &Reader{Reader: c.reader}
			_, _ = io.Copy(c.writer, reader)
			if !errors.Is(reader.Err, c.want) || c.want == nil && reader.Err != nil {
				t.Errorf("it remembers %v", reader.Err)
			}
		})
	}
}

// failing is a writer that fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
