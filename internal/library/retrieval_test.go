package library

import (
	"fmt"
	"strings"
	"testing"
	"text/tabwriter"

	"parley/internal/ai"
	"parley/internal/extract"
	"parley/internal/extract/sandbox"
)

// retrievalTokens are the budgets that recall is measured at.
var retrievalTokens = []int{4000, 8000, 32_000}

// Sizes of the generated documents, in tokens.
const (
	englishFiller = 42_000
	chineseFiller = 32_000
)

// retrieved is how many questions of a kind found their answer, by budget.
type retrieved struct {
	questions int
	found     [3]int
}

// The kinds of questions, in the order of the report.
const (
	englishQuestion = "English"
	chineseQuestion = "Chinese"
	englishTurn     = "English, after another topic"
	chineseTurn     = "Chinese, after another topic"
	englishFollowUp = "English follow-up"
	chineseFollowUp = "Chinese follow-up"
)

var retrievalKinds = []string{
	englishQuestion, chineseQuestion, englishTurn, chineseTurn, englishFollowUp, chineseFollowUp,
}

// recordedRecall is what the selection of passages finds. Raise it if it finds more.
var recordedRecall = map[string][3]int{
	englishQuestion: {27, 35, 39},
	chineseQuestion: {17, 19, 26},
	englishTurn:     {26, 33, 39},
	chineseTurn:     {17, 19, 26},
	englishFollowUp: {24, 24, 24},
	chineseFollowUp: {12, 13, 14},
}

// TestRetrieval measures how many answers are among the passages for a question, and fails if they get fewer.
// `make bench-retrieval` prints the table.
func TestRetrieval(t *testing.T) {
	s := newShelf(t, "", "")
	documents := retrievalDocuments(t)
	s.shelve(documents)
	results := s.retrieve(documents)
	t.Log("\n" + retrievalTable(results))
	for _, kind := range retrievalKinds {
		for i, tokens := range retrievalTokens {
			if found, want := results[kind].found[i], recordedRecall[kind][i]; found < want {
				t.Errorf("%s: %d of %d answers are found within %d tokens, recorded are %d",
					kind, found, results[kind].questions, tokens, want)
			}
		}
	}
}

// shelve uploads the documents, hidden in generated text.
func (s *shelf) shelve(documents []retrievalDocument) {
	s.t.Helper()
	s.maxUpload = 1 << 20
	s.reader = sandbox.Inline{Reader: extract.Reader{MaxText: 1 << 20, MaxUnpacked: 1 << 20}, Index: Index}
	total := 0
	fillers := map[bool]*filler{false: newFiller(s.t, false, documents), true: newFiller(s.t, true, documents)}
	for _, document := range documents {
		tokens := englishFiller
		if document.chinese {
			tokens = chineseFiller
		}
		text := fillers[document.chinese].hide(document, tokens)
		for _, q := range document.questions {
			if n := strings.Count(text, q.answer); n != 1 {
				s.t.Fatalf("%s has the answer %q %d times", document.name, q.answer, n)
			}
		}
		total += ai.Tokens(text)
		s.upload(document.name, text)
	}
	if total < 300_000 {
		s.t.Fatalf("the documents have only %d tokens", total)
	}
}

// retrieve asks all questions: those that stand alone also after the turn of another question.
func (s *shelf) retrieve(documents []retrievalDocument) map[string]*retrieved {
	s.t.Helper()
	results := make(map[string]*retrieved)
	for _, kind := range retrievalKinds {
		results[kind] = &retrieved{}
	}
	for i, document := range documents {
		for _, q := range document.questions {
			alone, turn, followUp := englishQuestion, englishTurn, englishFollowUp
			if q.chinese {
				alone, turn, followUp = chineseQuestion, chineseTurn, chineseFollowUp
			}
			if q.before != nil {
				s.ask(results[followUp], q, *q.before)
				continue
			}
			s.ask(results[alone], q, Turn{})
			s.ask(results[turn], q, lastFollowedUp(documents[(i+1)%len(documents)]))
		}
	}
	return results
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
