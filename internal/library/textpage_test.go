package library

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"parley"
	"parley/internal/extract/prose"
	"parley/internal/id"
)

// readAll returns all pages of a file's text.
func (s *shelf) readAll(fileID string) (pages []parley.FileText) {
	s.t.Helper()
	for number := int64(1); ; number++ {
		page, err := s.Text(s.t.Context(), s.user, fileID, TextQuery{Page: number})
		if errors.Is(err, parley.ErrNoSuchPage) && number > 1 {
			return pages
		}
		s.must(err)
		if page.Page != number || page.FileID != fileID || page.FileSize == 0 {
			s.t.Fatalf("page %d is %+v", number, page)
		}
		pages = append(pages, page)
	}
}

func TestThePagesOfATextAreTheWholeText(t *testing.T) {
	long := strings.Repeat("x", 3*pageSize)
	han := strings.Repeat("第一条渡轮", pageSize/4)
	for name, text := range map[string]string{
		"short": "First.", "paragraphs": paragraphs("Capri"), "one word": long, "han": han,
		"lines": strings.Repeat("ab\n", pageSize),
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t, "", "")
			file := s.upload("a.txt", text)
			var whole strings.Builder
			pages := s.readAll(file.FileID)
			for i, page := range pages {
				if page.Offset != int64(whole.Len()) || page.Pages != int64(len(pages)) {
					t.Errorf("page %d begins at %d of %d, not at %d", i+1, page.Offset, page.Pages, whole.Len())
				}
				if len(page.Text) > pageSize+pageSlack || !utf8.ValidString(page.Text) {
					t.Errorf("page %d has %d bytes", i+1, len(page.Text))
				}
				whole.WriteString(page.Text)
			}
			if whole.String() != text {
				t.Errorf("the pages have %d bytes of %d", whole.Len(), len(text))
			}
			if name == "paragraphs" && !strings.HasSuffix(pages[0].Text, "\n\n") {
				t.Errorf("the first page ends with %q", pages[0].Text[len(pages[0].Text)-20:])
			}
		})
	}
}

func TestTheSlidesOfAFileAreItsPages(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		slides, err := os.ReadFile(filepath.Join("..", "extract", "testdata", "libreoffice.pptx"))
		s.must(err)
		file := s.upload("slides.pptx", string(slides))
		var names []string
		for _, page := range s.readAll(file.FileID) {
			names = append(names, page.Anchor)
			found, err := s.Text(t.Context(), s.user, file.FileID, TextQuery{At: page.Offset + 1})
			if err != nil || found.Page != page.Page {
				t.Errorf("at %d is page %d, not %d: %v", page.Offset+1, found.Page, page.Page, err)
			}
		}
		if want := []string{"slide 1", "slide 2", "slide 3", "slide 4"}; !slices.Equal(names, want) {
			t.Errorf("the pages are %q", names)
		}
	})
}

func TestAPassageIsFoundInItsFile(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		text := paragraphs("Capri")
		file := s.upload("a.txt", text)
		at := int64(strings.Index(text, "The hydrofoil"))
		for _, c := range []struct {
			name  string
			query TextQuery
			match string
		}{
			{"by words", TextQuery{Find: "the HYDROFOIL,\nto “Capri” leaves"}, "The hydrofoil to Capri leaves"},
			{"by words and offset", TextQuery{Find: "The hydrofoil to Capri", At: at}, "The hydrofoil to Capri"},
			{"with a wrong offset", TextQuery{Find: "The hydrofoil to Capri", At: 7}, "The hydrofoil to Capri"},
			{"by offset", TextQuery{At: at}, ""},
			{"not there", TextQuery{Find: "The zeppelin to Capri leaves", At: at}, ""},
		} {
			page, err := s.Text(t.Context(), s.user, file.FileID, c.query)
			s.must(err)
			if !strings.Contains(page.Text, "The hydrofoil") {
				t.Errorf("%s: got page %d of %d", c.name, page.Page, page.Pages)
			}
			match := ""
			if page.Match != nil {
				match = string([]rune(page.Text)[page.Match.Start : page.Match.Start+page.Match.Length])
			}
			if match != c.match {
				t.Errorf("%s: matched %q", c.name, match)
			}
		}
	})
}

func TestTheTextOfAFileIsItsUsersOnly(t *testing.T) {
	s := newShelf(t, "", "")
	file := s.upload("a.txt", "First.")
	for _, c := range []struct {
		user   int64
		fileID string
		page   int64
		want   error
	}{
		{s.user + 1, file.FileID, 1, parley.ErrNoSuchFile},
		{s.user, id.New(), 1, parley.ErrNoSuchFile},
		{s.user, "x", 1, parley.ErrNoSuchFile},
		{s.user, file.FileID, 2, parley.ErrNoSuchPage},
		{s.user, file.FileID, 1 << 60, parley.ErrNoSuchPage},
	} {
		if _, err := s.Text(t.Context(), c.user, c.fileID, TextQuery{Page: c.page}); !errors.Is(err, c.want) {
			t.Errorf("page %d of %s: %v", c.page, c.fileID, err)
		}
	}
}

func TestHostileAnchorsLeaveThePagesWhole(t *testing.T) {
	got := splitText(prose.Anchors{
		{Offset: -1, Name: "1"},
		{Offset: 9, Name: "2"},
		{Offset: 3, Name: "3"},
		{Offset: 99, Name: "4"},
	}, 20)
	want := []section{{end: 9}, {name: "2", start: 9, end: 20, first: 1}}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}

// countingText counts what is read.
type countingText struct {
	*bytes.Reader
	read int64
}

func (c *countingText) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read += int64(n)
	return n, err
}

func (c *countingText) Close() error { return nil }

func TestOnlyThePageIsRead(t *testing.T) {
	for _, size := range []int{1 << 20, 16 << 20} {
		text := &countingText{Reader: bytes.NewReader(bytes.Repeat([]byte("One more line.\n\n"), size/16))}
		file := fileText{r: text, sections: splitText(nil, int64(size))}
		page, err := file.readPage(file.pages() / 2)
		if err != nil || len(page.Text) < pageSize/2 {
			t.Fatal(len(page.Text), err)
		}
		if text.read > pageSize+4*pageSlack {
			t.Errorf("%d bytes were read of %d", text.read, size)
		}
	}
}

var _ io.ReadSeekCloser = (*countingText)(nil)

func TestAnOffsetBelongsToThePageThatHasIt(t *testing.T) {
	text := strings.Repeat(strings.Repeat("word ", 100)+"\n\n", 200)
	file := fileText{r: &countingText{Reader: bytes.NewReader([]byte(text))}, sections: splitText(nil, int64(len(text)))}
	for offset := int64(0); offset < int64(len(text)); offset += 97 {
		number, err := file.pageAt(offset)
		if err != nil {
			t.Fatal(err)
		}
		page, err := file.readPage(number)
		if err != nil || offset < page.Offset || offset >= page.Offset+int64(len(page.Text)) {
			t.Fatal(fmt.Sprintf("offset %d is not on page %d, at %d", offset, number, page.Offset), err)
		}
	}
}
