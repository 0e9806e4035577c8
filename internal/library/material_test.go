package library

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/ai"
	"parley/internal/blob"
	"parley/internal/extract/prose"
)

// paragraphs is a text of many passages. One of them is about a ferry.
func paragraphs(about string) string {
	var b strings.Builder
	for i := range 40 {
		if i == 20 {
			b.WriteString("The hydrofoil to " + about + " leaves at nine in the morning.\n\n")
		}
		b.WriteString(strings.Repeat("Lorem ipsum dolor sit amet, consectetur adipiscing elit. ", 12) + "\n\n")
	}
	return b.String()
}

func TestASessionWithoutFilesHasNoMaterial(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		m, err := s.Material(t.Context(), s.user, s.session, Question{Text: "anything"}, 1000)
		if err != nil || len(m.Passages) != 0 || m.Omitted {
			t.Errorf("%+v, %v", m, err)
		}
	})
}

func TestFilesThatFitAreGivenWhole(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		first, second := s.upload("a.txt", "First text."), s.upload("b.txt", "Second text.")
		m, err := s.Material(t.Context(), s.user, s.session, Question{Text: "anything"}, 1000)
		s.must(err)
		if m.Omitted || len(m.Passages) != 2 {
			t.Fatalf("material is %+v", m)
		}
		for i, file := range []parley.File{first, second} {
			p := m.Passages[i]
			if p.FileID != file.FileID || p.Filename != file.Filename || !p.Whole ||
				strings.TrimSpace(p.Text) != []string{"First text.", "Second text."}[i] {
				t.Errorf("passage %d is %+v", i, p)
			}
			if used := m.Used()[i]; used.FileID != file.FileID || used.Text != "" {
				t.Errorf("used passage %d is %+v", i, used)
			}
		}
	})
}

func TestAWholeFileNamesItsPages(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		slides, err := os.ReadFile(filepath.Join("..", "extract", "testdata", "libreoffice.pptx"))
		s.must(err)
		first := s.upload("slides.pptx", string(slides))
		s.upload("note.txt", "A note.")
		m, err := s.Material(t.Context(), s.user, s.session, Question{Text: "anything"}, 10_000)
		s.must(err)
		var places []string
		for _, p := range m.Passages {
			if !p.Whole || strings.TrimSpace(p.Text) == "" {
				t.Errorf("passage %+v", p)
			}
			places = append(places, p.Filename+" "+p.Anchor)
		}
		want := []string{
			"slides.pptx slide 1", "slides.pptx slide 2", "slides.pptx slide 3", "slides.pptx slide 4", "note.txt ",
		}
		if !slices.Equal(places, want) {
			t.Errorf("the places are %q", places)
		}
		used := m.Used()
		whole := parley.Passage{FileID: first.FileID, Filename: "slides.pptx", Anchor: "slide 1 – slide 4"}
		if len(used) != 2 || used[0] != whole || used[1].Filename != "note.txt" || used[1].Anchor != "" {
			t.Errorf("used are %+v", used)
		}
	})
}

// brokenSlides is a presentation with a broken slide 2. Slides 1 and 3 have many passages.
func brokenSlides(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	z := zip.NewWriter(&b)
	slide := func(text string) string {
		return `<p:sld xmlns:p="p" xmlns:a="a">` + strings.ReplaceAll(text, "\n\n", "<a:p/>") + `</p:sld>`
	}
	text := `<a:t>` + strings.ReplaceAll(paragraphs("Capri"), "\n\n", "</a:t><a:p/><a:t>") + `</a:t>`
	for name, content := range map[string]string{
		"[Content_Types].xml": `<Types><Override PartName="/p.xml" ContentType="application/vnd.openxmlformats-` +
			`officedocument.presentationml.presentation.main+xml"/></Types>`,
		"p.xml": `<p:p xmlns:p="p" xmlns:r="r"><p:sldId r:id="1"/><p:sldId r:id="2"/><p:sldId r:id="3"/></p:p>`,
		"_rels/p.xml.rels": `<R><Relationship Id="1" Target="1.xml"/><Relationship Id="2" Target="2.xml"/>` +
			`<Relationship Id="3" Target="3.xml"/></R>`,
		"1.xml": slide(text),
		"2.xml": "<p:sld",
		"3.xml": slide(text),
	} {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMaterialCarriesTheNotesOfAFileOnce(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		notes := []string{"slide 2 could not be read"}
		if file := s.upload("a.pptx", brokenSlides(t)); !slices.Equal(file.Notes, notes) {
			t.Fatalf("the file is %+v", file)
		}
		s.upload("b.txt", paragraphs("Ischia"))
		for name, budget := range map[string]int{"whole": 100_000, "passages": 1500} {
			question := Question{Text: "When does the hydrofoil to Capri leave?"}
			m, err := s.Material(t.Context(), s.user, s.session, question, budget)
			s.must(err)
			if len(m.Passages) < 2 || m.Omitted != (name == "passages") {
				t.Fatalf("%s: %d passages", name, len(m.Passages))
			}
			used := 0
			for i, p := range m.Passages {
				first := p.Filename == "a.pptx" && (i == 0 || m.Passages[i-1].Filename != "a.pptx")
				if first != slices.Equal(p.Notes, notes) || !first && p.Notes != nil {
					t.Errorf("%s: passage %d of %s has the notes %q", name, i, p.Filename, p.Notes)
				}
				used += p.tokens()
			}
			if used > budget {
				t.Errorf("%s: %d tokens", name, used)
			}
		}
	})
}

func TestPagesHoldAllOfAText(t *testing.T) {
	const text = "Preface. First. 第二页 Last."
	for _, c := range []struct {
		name    string
		anchors prose.Anchors
		want    []string
	}{
		{"none", nil, []string{": " + text}},
		{
			"a preface",
			prose.Anchors{{Offset: 9, Name: "1"}, {Offset: 16, Name: "2"}},
			[]string{": Preface. ", "1: First. ", "2: 第二页 Last."},
		},
		{
			"a blank page",
			prose.Anchors{{Offset: 0, Name: "1"}, {Offset: 8, Name: "2"}, {Offset: 9, Name: "3"}},
			[]string{"1: Preface.", "3: First. 第二页 Last."},
		},
		{"nonsense", prose.Anchors{
			{Offset: -1, Name: "1"},
			{Offset: 9, Name: "2"},
			{Offset: 3, Name: "3"},
			{Offset: 99, Name: "4"},
		}, []string{": Preface. ", "2: First. 第二页 Last."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, page := range pages(parley.File{}, text, c.anchors) {
				got = append(got, page.Anchor+": "+page.Text)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFilesThatDoNotFitGiveTheBestPassagesInOrder(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		first, second := s.upload("a.txt", paragraphs("Capri")), s.upload("b.txt", paragraphs("Ischia"))
		const budget = 1500
		question := Question{Text: "When does the hydrofoil to Capri leave?"}
		m, err := s.Material(t.Context(), s.user, s.session, question, budget)
		s.must(err)
		if !m.Omitted || len(m.Passages) == 0 {
			t.Fatalf("material is %+v", m)
		}
		tokens, capri := 0, false
		for i, p := range m.Passages {
			tokens += ai.Tokens(p.Text)
			capri = capri || p.FileID == first.FileID && strings.Contains(p.Text, "Capri leaves at nine")
			if p.Whole || p.Text == "" || p.FileID != first.FileID && p.FileID != second.FileID {
				t.Errorf("passage %d is %+v", i, p)
			}
			if i > 0 && p.FileID == first.FileID && m.Passages[i-1].FileID == second.FileID {
				t.Error("the passages are not in the order of the files")
			}
			if m.Used()[i].Text != p.Text {
				t.Error("a used passage has no text")
			}
		}
		if !capri || tokens > budget {
			t.Errorf("%d tokens of %d; the passage that answers is among them: %v", tokens, budget, capri)
		}
	})
}

func TestADocumentIsOpenedOnceForItsPassages(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		s.upload("a.txt", paragraphs("Capri"))
		s.upload("b.txt", paragraphs("Ischia"))
		counting := &countingBlobs{Store: s.blobs, gets: map[string]int{}}
		s.blobs = counting
		m, err := s.Material(t.Context(), s.user, s.session, Question{Text: "Lorem ipsum and the hydrofoil"}, 3000)
		s.must(err)
		if len(m.Passages) < 5 {
			t.Errorf("only %d passages", len(m.Passages))
		}
		// The first text is also opened for its size: it is too long to be given whole.
		if texts, indexes := counting.gets[textSuffix], counting.gets[indexSuffix]; texts > 3 || indexes != 2 {
			t.Errorf("%d texts and %d indexes were opened", texts, indexes)
		}
	})
}

// countingBlobs counts the blobs opened, by suffix.
type countingBlobs struct {
	blob.Store
	gets map[string]int
}

func (c *countingBlobs) Get(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	c.gets[filepath.Ext(key)]++
	return c.Store.Get(ctx, key)
}

func TestAQuestionThatFitsNothingGivesTheBeginnings(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		s.upload("a.txt", "Beginning of a. "+paragraphs("Capri"))
		s.upload("b.txt", "Beginning of b. "+paragraphs("Ischia"))
		m, err := s.Material(t.Context(), s.user, s.session, Question{Text: "渡船?"}, 2000)
		s.must(err)
		if !m.Omitted || len(m.Passages) != 2 || !strings.HasPrefix(m.Passages[0].Text, "Beginning of a.") ||
			!strings.HasPrefix(m.Passages[1].Text, "Beginning of b.") {
			t.Errorf("material is %+v", m)
		}
	})
}

func TestWithoutABudgetNothingIsGiven(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		s.upload("a.txt", paragraphs("Capri"))
		for _, budget := range []int{0, -5} {
			m, err := s.Material(t.Context(), s.user, s.session, Question{Text: "Capri"}, budget)
			if err != nil || len(m.Passages) != 0 || !m.Omitted {
				t.Errorf("budget %d: %d passages, %v, %v", budget, len(m.Passages), m.Omitted, err)
			}
		}
	})
}

func TestAFileDeletedMeanwhileIsNoError(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		gone := s.upload("a.txt", paragraphs("Capri"))
		s.upload("b.txt", paragraphs("Ischia"))
		// As if it was deleted after its row was read.
		for _, suffix := range []string{"", textSuffix, indexSuffix} {
			s.must(s.blobs.Delete(t.Context(), gone.FileID+suffix))
		}
		for _, budget := range []int{1000, 1_000_000} {
			m, err := s.Material(t.Context(), s.user, s.session, Question{Text: "When does the hydrofoil leave?"}, budget)
			s.must(err)
			found := false
			for _, p := range m.Passages {
				if p.FileID == gone.FileID && p.Text != "" {
					t.Errorf("budget %d: the deleted file has the text %q", budget, p.Text)
				}
				found = found || strings.Contains(p.Text, "Ischia leaves at nine")
			}
			if !found {
				t.Errorf("budget %d: the other file is silent", budget)
			}
		}
		if _, _, err := s.Open(t.Context(), s.user, gone.FileID); !errors.Is(err, parley.ErrNoSuchFile) {
			t.Errorf("open: %v", err)
		}
	})
}
