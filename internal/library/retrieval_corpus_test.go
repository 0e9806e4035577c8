package library

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/ai"
)

// The documents of the retrieval test are short texts of our own with questions about them. They are hidden in
// generated text with the same words. One rare word alone must not find a passage.

// retrievalQuestion is a question with a known answer.
type retrievalQuestion struct {
	text, answer string
	// before is the turn that a follow-up question refers to.
	before *Turn
}

// retrievalDocument is a document of the test, and the questions about it.
type retrievalDocument struct {
	name      string
	language  string // a key of languageNames
	sections  []string
	questions []retrievalQuestion
}

// fillerTokens is the size of the generated text around a document.
const fillerTokens = 42_000

// chineseFillerTokens is less: the same text has fewer tokens in Chinese.
const chineseFillerTokens = 32_000

// retrievalDocuments reads the documents in testdata/retrieval that are in one of the languages, without filler.
func retrievalDocuments(t *testing.T, languages []string) (all []retrievalDocument) {
	t.Helper()
	paths, err := filepath.Glob("testdata/retrieval/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasPrefix(filepath.Base(path), "filler") {
			continue
		}
		if document := parseRetrieval(t, path); slices.Contains(languages, document.language) {
			all = append(all, document)
		}
	}
	return all
}

// parseRetrieval reads a document. Its name ends with the language, unless the document is in English. "@" begins a
// section, "?" a question about it, "<" is its reply, "&" a follow-up question and "=" the words of the text that
// answer a question.
func parseRetrieval(t *testing.T, path string) retrievalDocument {
	t.Helper()
	document := retrievalDocument{name: filepath.Base(path), language: "en"}
	if parts := strings.Split(document.name, "."); len(parts) == 3 {
		document.language = parts[1]
	}
	var question, reply string
	for _, line := range retrievalLines(t, path) {
		mark, rest, _ := strings.Cut(line, " ")
		last := len(document.questions) - 1
		switch mark {
		case "@":
			document.sections = append(document.sections, "## "+rest+"\n\n")
		case "?":
			question = rest
			document.questions = append(document.questions, retrievalQuestion{text: rest})
		case "=":
			document.questions[last].answer = rest
			if !strings.Contains(document.sections[len(document.sections)-1], rest) {
				t.Fatalf("%s: %q is not in its section", path, rest)
			}
		case "<":
			reply = rest
		case "&":
			document.questions = append(document.questions, retrievalQuestion{
				text: rest, before: &Turn{Question: question, Reply: reply},
			})
		default:
			document.sections[len(document.sections)-1] += line + "\n\n"
		}
	}
	return document
}

// retrievalLines reads the lines of a file that are not blank.
func retrievalLines(t *testing.T, path string) []string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(string(content), "\n"), func(line string) bool { return line == "" })
}

// filler generates text from templates, and from clauses of the documents that answer no question.
type filler struct {
	random  *rand.Rand
	lists   map[string][]string
	clauses []string
	ends    string // of clauses
	tokens  int    // of the text around a document
}

func newFiller(t *testing.T, language string, documents []retrievalDocument) *filler {
	t.Helper()
	f := &filler{random: rand.New(rand.NewPCG(22, 4)), lists: make(map[string][]string), ends: ",.;", tokens: fillerTokens}
	if language == "zh" {
		f.ends, f.tokens = "，。；", chineseFillerTokens
	}
	list := ""
	for _, line := range retrievalLines(t, "testdata/retrieval/filler."+language+".txt") {
		switch line {
		case "templates", "names", "places", "persons", "months", "things", "kinds", "done":
			list = line
		default:
			f.lists[list] = append(f.lists[list], line)
		}
	}
	for _, document := range documents {
		if document.language == language {
			f.addClauses(document)
		}
	}
	return f
}

func (f *filler) addClauses(document retrievalDocument) {
	for _, section := range document.sections {
		_, text, _ := strings.Cut(section, "\n\n")
		for _, sentence := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(f.ends, r) }) {
			sentence = strings.TrimSpace(sentence)
			answers := slices.ContainsFunc(document.questions, func(q retrievalQuestion) bool {
				return strings.Contains(q.answer, sentence) || strings.Contains(sentence, q.answer)
			})
			if sentence != "" && !answers {
				f.clauses = append(f.clauses, sentence)
			}
		}
	}
}

// sentence generates a sentence. A quarter of them are clauses that don't belong together.
func (f *filler) sentence() string {
	if f.random.IntN(4) == 0 {
		comma, stop := string([]rune(f.ends)[0]), string([]rune(f.ends)[1])
		if f.spaces() {
			comma += " "
		}
		return f.pick(f.clauses) + comma + f.pick(f.clauses) + stop
	}
	text := f.pick(f.lists["templates"])
	for _, list := range []string{"name", "place", "person", "month", "thing", "kind", "done"} {
		for strings.Contains(text, "{"+list+"}") {
			words := f.lists[list]
			if list != "done" {
				words = f.lists[list+"s"]
			}
			text = strings.Replace(text, "{"+list+"}", f.pick(words), 1)
		}
	}
	return strings.ReplaceAll(text, "{number}", fmt.Sprint(2+f.random.IntN(400)))
}

// spaces reports whether the language has spaces.
func (f *filler) spaces() bool { return f.ends == ",.;" }

func (f *filler) pick(words []string) string { return words[f.random.IntN(len(words))] }

// section generates a section of a few paragraphs.
func (f *filler) section() string {
	var b strings.Builder
	b.WriteString("## " + f.pick(f.lists["things"]) + " " + f.pick(f.lists["places"]) + "\n\n")
	for range 1 + f.random.IntN(4) {
		for i := range 3 + f.random.IntN(5) {
			if i > 0 && f.spaces() {
				b.WriteString(" ")
			}
			b.WriteString(f.sentence())
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

// hide returns the document's sections, in their order, in generated text.
func (f *filler) hide(document retrievalDocument) string {
	var generated []string
	for tokens := f.tokens; tokens > 0; {
		section := f.section()
		tokens -= ai.Tokens(section)
		generated = append(generated, section)
	}
	places := make([]int, len(document.sections))
	for i := range places {
		places[i] = f.random.IntN(len(generated))
	}
	slices.Sort(places)
	for i, at := range slices.Backward(places) {
		generated = slices.Insert(generated, at, document.sections[i])
	}
	return strings.Join(generated, "")
}
