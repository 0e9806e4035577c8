package library

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"text/tabwriter"

	"parley/internal/ai"
	"parley/internal/extract"
	"parley/internal/extract/sandbox"
	"parley/internal/testtier"
)

// retrievalTokens are the budgets that recall is measured at.
var retrievalTokens = []int{4000, 8000, 32_000}

// retrieved is how many questions of a kind found their answer, by budget.
type retrieved struct {
	questions int
	found     [3]int
}

// retrievalLanguages are the languages of the documents, by the endings of their names. Those of a line are in one
// conversation.
var retrievalLanguages = [][]string{{"en", "zh"}, {"de"}, {"fr"}, {"es"}}

// languageNames are the names of the languages in the report.
var languageNames = map[string]string{
	"en": "English", "zh": "Chinese", "de": "German", "fr": "French", "es": "Spanish",
}

// What is added to the name of the language for the other kinds of questions.
const (
	anotherTopic = ", after another topic"
	followUp     = " follow-up"
)

// retrievalKinds are the kinds of questions, in the order of the report.
var retrievalKinds = []string{
	"English", "Chinese", "German", "French", "Spanish",
	"English" + anotherTopic, "Chinese" + anotherTopic, "English" + followUp, "Chinese" + followUp,
}

// recordedRecall is what the selection of passages finds. Raise it if it finds more.
var recordedRecall = map[string][3]int{
	"English":                {27, 35, 39},
	"Chinese":                {17, 19, 26},
	"German":                 {8, 8, 10},
	"French":                 {8, 9, 10},
	"Spanish":                {10, 10, 10},
	"English" + anotherTopic: {26, 33, 39},
	"Chinese" + anotherTopic: {17, 19, 26},
	"English" + followUp:     {24, 24, 24},
	"Chinese" + followUp:     {12, 13, 14},
}

// TestRetrieval measures how many answers are among the passages for a question, and fails if they get fewer.
// `make bench-retrieval` prints the table, and that of an embeddings server if one is given.
func TestRetrieval(t *testing.T) {
	testtier.Slow(t)
	results := measureRecall(t, func(*shelf) {})
	for _, kind := range retrievalKinds {
		for i, tokens := range retrievalTokens {
			if found, want := results[kind].found[i], recordedRecall[kind][i]; found < want {
				t.Errorf("%s: %d of %d answers are found within %d tokens, recorded are %d",
					kind, found, results[kind].questions, tokens, want)
			}
		}
	}
	if url := os.Getenv("PARLEY_TEST_EMBED_URL"); url != "" { // the figures depend on the model
		measureRecall(t, func(s *shelf) { s.makeVectors(s.embeds(url, os.Getenv("PARLEY_TEST_EMBED_MODEL"))) })
	}
}

// measureRecall asks all questions of libraries that have been prepared, and prints the table.
func measureRecall(t *testing.T, prepare func(*shelf)) map[string]*retrieved {
	t.Helper()
	results := make(map[string]*retrieved)
	for _, kind := range retrievalKinds {
		results[kind] = &retrieved{}
	}
	for _, languages := range retrievalLanguages {
		s := newShelf(t, "", "")
		documents := retrievalDocuments(t, languages)
		s.shelve(documents, languages)
		prepare(s)
		s.retrieve(documents, results)
	}
	t.Log("\n" + retrievalTable(results))
	return results
}

// shelve uploads the documents, hidden in generated text.
func (s *shelf) shelve(documents []retrievalDocument, languages []string) {
	s.t.Helper()
	s.maxUpload = 1 << 20
	s.reader = sandbox.Inline{Reader: extract.Reader{MaxText: 1 << 20, MaxUnpacked: 1 << 20}, Index: Index}
	fillers := map[string]*filler{}
	for _, language := range languages {
		fillers[language] = newFiller(s.t, language, documents)
	}
	total := 0
	for _, document := range documents {
		text := fillers[document.language].hide(document)
		for _, q := range document.questions {
			if n := strings.Count(text, q.answer); n != 1 {
				s.t.Fatalf("%s has the answer %q %d times", document.name, q.answer, n)
			}
		}
		total += ai.Tokens(text)
		s.upload(document.name, text)
	}
	if least := 37_000 * len(documents); total < least {
		s.t.Fatalf("the documents have only %d tokens, want %d", total, least)
	}
}

// retrieve asks all questions: those that stand alone also after the turn of another question.
func (s *shelf) retrieve(documents []retrievalDocument, results map[string]*retrieved) {
	s.t.Helper()
	for i, document := range documents {
		language := languageNames[document.language]
		for _, q := range document.questions {
			if q.before != nil {
				s.ask(results[language+followUp], q, *q.before)
				continue
			}
			s.ask(results[language], q, Turn{})
			if after, ok := results[language+anotherTopic]; ok {
				s.ask(after, q, lastFollowedUp(documents[(i+1)%len(documents)]))
			}
		}
	}
}

// lastFollowedUp returns the turn before the last follow-up question of a document.
func lastFollowedUp(document retrievalDocument) (turn Turn) {
	for _, q := range document.questions {
		if q.before != nil {
			turn = *q.before
		}
	}
	return turn
}

func (s *shelf) ask(result *retrieved, q retrievalQuestion, before Turn) {
	s.t.Helper()
	result.questions++
	missed := ""
	for i, tokens := range retrievalTokens {
		m, err := s.Material(s.t.Context(), s.user, s.session, Question{Text: q.text, Before: before}, tokens)
		s.must(err)
		found := false
		for _, p := range m.Passages {
			found = found || strings.Contains(p.Text, q.answer)
		}
		if found {
			result.found[i]++
		} else {
			missed += fmt.Sprint(" ", tokens)
		}
	}
	if missed != "" {
		s.t.Logf("missed at%s tokens: %s", missed, q.text)
	}
}

func retrievalTable(results map[string]*retrieved) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "kind\tquestions")
	for _, tokens := range retrievalTokens {
		fmt.Fprintf(w, "\t%d tokens", tokens)
	}
	fmt.Fprintln(w, "\t")
	for _, kind := range retrievalKinds {
		r := results[kind]
		fmt.Fprintf(w, "%s\t%d", kind, r.questions)
		for _, found := range r.found {
			fmt.Fprintf(w, "\t%d", found)
		}
		fmt.Fprintln(w, "\t")
	}
	_ = w.Flush() // never fails
	return b.String()
}
