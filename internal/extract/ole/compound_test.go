package ole

import (
	"maps"
	"strings"
	"testing"

	"parley/internal/extract/extracttest"
)

// streamsOf returns the streams of a compound file.
func streamsOf(t testing.TB, file []byte) map[string]string {
	t.Helper()
	c, err := Open(file, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for name, stream := range c.streams {
		if stream.Size > 0 {
			content, err := c.Read(name)
			if err != nil {
				t.Fatal(name, err)
			}
			all[name] = string(content)
		}
	}
	return all
}

func TestACompoundFileIsRead(t *testing.T) {
	streams := map[string]string{
		"small":              "渡轮",
		"folder/inner/large": strings.Repeat("0123456789", 2000), "folder/inner/small": strings.Repeat("x", 100),
		"large": strings.Repeat("abc", 40_000),
	}
	if got := streamsOf(t, extracttest.Compound(streams)); !maps.Equal(got, streams) {
		t.Errorf("got %d streams", len(got))
	}
}

func TestNamesOfStreamsMayBeInCapitals(t *testing.T) {
	for _, name := range []string{"libreoffice.doc", "libreoffice.xls", "libreoffice.ppt"} {
		file := extracttest.Sample(t, name)
		streams := make(map[string]string)
		for stream, content := range streamsOf(t, file) {
			streams[strings.ToUpper(stream)] = content
		}
		want, err := readOld(file, 1<<28)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := readOld(extracttest.Compound(streams), 1<<28); err != nil || got.Text != want.Text {
			t.Errorf("%s: got %.100q, %v", name, got.Text, err)
		}
	}
}
