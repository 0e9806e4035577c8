package ai

import (
	"slices"
	"strings"
	"unicode"

	"parley"
	"parley/internal/rank"
)

const (
	// maxQuotes is how many quotes a reply has at most.
	maxQuotes = 3
	// maxQuote is the longest quote, in characters.
	maxQuote = 600
	// enoughShare and enoughWords are how much of a question a quote has: either all,
	// or so large a share of so many words.
	enoughShare = 0.6
	enoughWords = 2
	// besideBest is how good a further quote is, against the best.
	besideBest = 0.6
	// around is how many sentences are looked at together where none fits alone.
	around = 3
)

// quotable is a sentence, or a few, that may answer a question.
type quotable struct {
	origin string // the line that says where it is from
	// context is what it stands under: the file's name and the heading.
	context string
	text    string
}

// fromPassages gives the sentences of files.
func fromPassages(passages []Passage, words builtinWords) []quotable {
	var all []quotable
	for _, p := range passages {
		all = append(all, quotables(p.Text, words.fromFile(p), stemOf(p.File))...)
	}
	return all
}

// fromSources gives the sentences of web pages.
func fromSources(sources []Source, words builtinWords) []quotable {
	var all []quotable
	for i, s := range sources {
		all = append(all, quotables(s.Text, words.fromSource(s, i+1), s.Title)...)
	}
	return all
}

// fromHistory gives the sentences of the conversation that say more than the question:
// neither questions, nor the same words again, nor what the built-in model said of
// itself.
func fromHistory(history []Message, query rank.Query, words builtinWords) []quotable {
	var all []quotable
	for _, m := range history {
		replied := m.Role == parley.RoleAssistant
		origin := words.youWrote
		if replied {
			origin = words.wasReplied
		}
		for _, q := range quotables(m.Content, origin, "") {
			if !isQuestion(q.text) && !(replied && isOwnWords(q.text)) && !rank.NewQuery(q.text).Within(query) {
				all = append(all, q)
			}
		}
	}
	return all
}

func isQuestion(sentence string) bool {
	return strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？")
}

// quotables splits a text into sentences. Headings are not quoted: they are context. A
// sentence that ends in a colon takes the next ones along.
func quotables(text, origin, title string) []quotable {
	var all []quotable
	heading := ""
	open := 0
	for _, span := range rank.Sentences(text) {
		sentence := span.Of(text)
		if !hasWords(sentence) {
			continue
		}
		if rank.IsHeading(sentence) {
			heading, open = sentence, 0
			continue
		}
		all = append(all, quotable{origin: origin, context: title + "\n" + heading, text: sentence})
		if open > 0 {
			all[len(all)-1-around+open].text += " " + unmarked(sentence)
			open--
		}
		if strings.HasSuffix(sentence, ":") || strings.HasSuffix(sentence, "：") {
			open = around - 1
		}
	}
	return all
}

func hasWords(sentence string) bool {
	return strings.ContainsFunc(sentence, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// bestQuotes gives the few that really fit the question, as they stand in the text:
// sentences, or where none fits alone, the best that stand together.
func bestQuotes(query rank.Query, all []quotable) []quotable {
	if query.Empty() {
		return nil
	}
	found := fitting(query, all, maxQuotes)
	for n := 2; n <= around && len(found) == 0; n++ {
		found = fitting(query, together(all, n), 1)
	}
	return found
}

// fitting gives at most n that fit. Those that have nothing of the question but by
// their context stand back behind the others.
func fitting(query rank.Query, all []quotable, n int) []quotable {
	texts := make([]string, len(all))
	for i, q := range all {
		texts[i] = q.context + "\n" + q.text
	}
	var own, byContext []rank.Hit
	for _, hit := range rank.Best(query, 4*maxQuotes, texts) {
		switch q := all[hit.Part]; {
		case !isEnough(query, hit.Share):
		case query.Share(q.text) > 0:
			own = append(own, hit)
		case query.Share(q.context) == 1:
			byContext = append(byContext, hit)
		}
	}
	if len(own) == 0 {
		own = byContext
	}
	var found []quotable
	for _, i := range inOrder(own, n) {
		found = append(found, all[i])
	}
	return found
}

func isEnough(query rank.Query, share float64) bool {
	return share == 1 || share >= enoughShare && share*query.Words() >= enoughWords
}

// inOrder gives the numbers of the n best hits, without those that are far behind the
// best, as they stand in the text.
func inOrder(hits []rank.Hit, n int) []int {
	var chosen []int
	for _, hit := range hits[:min(n, len(hits))] {
		if hit.Score >= hits[0].Score*besideBest {
			chosen = append(chosen, hit.Part)
		}
	}
	slices.Sort(chosen)
	return chosen
}

// together joins each n sentences that stand next to each other.
func together(all []quotable, n int) []quotable {
	var joined []quotable
	for start := 0; start+n <= len(all); start++ {
		q := all[start]
		same := true
		for _, next := range all[start+1 : start+n] {
			same = same && next.origin == q.origin && next.context == q.context
			q.text += " " + unmarked(next.text)
		}
		if same {
			joined = append(joined, q)
		}
	}
	return joined
}

// renderQuotes writes quotes in Markdown, each origin once.
func renderQuotes(quotes []quotable) []string {
	var pieces []string
	for i, q := range quotes {
		quote := "> " + quoted(q.text)
		switch {
		case i == 0:
			pieces = append(pieces, q.origin+"\n", quote)
		case quotes[i-1].origin != q.origin:
			pieces = append(pieces, "\n\n"+q.origin+"\n", quote)
		default:
			pieces = append(pieces, "\n>\n"+quote)
		}
	}
	return pieces
}

// quoted puts a text on one line, without its mark of a list or heading and so that
// Markdown makes no link, image or tag of it.
func quoted(text string) string {
	text = unmarked(text)
	if runes := []rune(text); len(runes) > maxQuote {
		text = strings.TrimSpace(string(runes[:maxQuote])) + "…"
	}
	return escapeMarkdown(text)
}

// unmarked is a text on one line without the mark of a list, heading, quote or code.
func unmarked(text string) string {
	text = line(text)
	for {
		rest := text
		if rank.IsHeading(rest) {
			rest = strings.TrimLeft(rest, "#")
		}
		for _, mark := range []string{"- ", "* ", "+ ", "• ", ">", "```", "~~~", " "} {
			rest = strings.TrimPrefix(rest, mark)
		}
		if rest == text {
			return text
		}
		text = rest
	}
}

// escapeMarkdown takes the meaning from what could become a link, an image or a tag.
func escapeMarkdown(text string) string {
	var b strings.Builder
	for i, r := range text {
		if r == '\\' || r == '[' || r == '<' && opensTag(text[i+1:]) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func opensTag(rest string) bool {
	return rest != "" && (strings.ContainsRune("/!?", rune(rest[0])) || unicode.IsLetter(rune(rest[0])))
}
