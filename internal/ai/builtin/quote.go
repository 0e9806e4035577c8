package builtin

import (
	"slices"
	"strings"
	"unicode"

	"parley"
	"parley/internal/ai"
	"parley/internal/rank"
)

const (
	// maxQuotes limits the quotes of a reply.
	maxQuotes = 3
	// maxQuote limits a quote, in characters.
	maxQuote = 600
	// minShare and minWords are how much of the question a quote has to contain, unless it contains all of it.
	minShare = 0.6
	minWords = 2
	// minScore is the lowest score of a further quote, relative to the best one.
	minScore = 0.6
	// maxJoined is how many sentences are joined at most if none fits alone.
	maxJoined = 3
)

// quotable is a sentence, or a few joined ones, that may answer a question.
type quotable struct {
	origin  string // the line that introduces the quote
	context string // the file's name and the heading above
	text    string
}

// fromPassages returns the sentences of files.
func fromPassages(passages []ai.Passage, words wording) []quotable {
	var all []quotable
	for _, p := range passages {
		all = append(all, quotables(p.Text, words.fromFile(p), stemOf(p.File))...)
	}
	return all
}

// fromSources returns the sentences of web pages.
func fromSources(sources []ai.Source, words wording) []quotable {
	var all []quotable
	for i, s := range sources {
		all = append(all, quotables(s.Text, words.fromSource(s, i+1), s.Title)...)
	}
	return all
}

// fromHistory returns the sentences of the conversation that add something to the question. It leaves out
// questions, sentences with the same words, and what the built-in model wrote about itself.
func fromHistory(history []ai.Message, query rank.Query, words wording) []quotable {
	var all []quotable
	for _, m := range history {
		isReply := m.Role == parley.RoleAssistant
		origin := words.youWrote
		if isReply {
			origin = words.earlierReply
		}
		for _, q := range quotables(m.Content, origin, "") {
			if !isQuestion(q.text) && !(isReply && isOwnText(q.text)) && !rank.NewQuery(q.text).Within(query) {
				all = append(all, q)
			}
		}
	}
	return all
}

func isQuestion(sentence string) bool {
	return strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？")
}

// quotables splits a text into sentences. Headings become the context of the sentences below them. A sentence
// that ends in a colon includes the following ones.
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
			all[len(all)-1-maxJoined+open].text += " " + unmarked(sentence)
			open--
		}
		if strings.HasSuffix(sentence, ":") || strings.HasSuffix(sentence, "：") {
			open = maxJoined - 1
		}
	}
	return all
}

func hasWords(sentence string) bool {
	return strings.ContainsFunc(sentence, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// bestQuotes returns the few sentences that fit the question, in the order of the text. If none fits alone, it
// returns the best adjacent ones, joined.
func bestQuotes(query rank.Query, all []quotable) []quotable {
	if query.Empty() {
		return nil
	}
	found := fitting(query, all, maxQuotes)
	for n := 2; n <= maxJoined && len(found) == 0; n++ {
		found = fitting(query, joined(all, n), 1)
	}
	return found
}

// fitting returns at most n that fit the question. Those that fit only by their context are used if there are
// no others.
func fitting(query rank.Query, all []quotable, n int) []quotable {
	texts := make([]string, len(all))
	for i, q := range all {
		texts[i] = q.context + "\n" + q.text
	}
	var own, byContext []rank.Hit
	for _, hit := range rank.Best(query, 4*maxQuotes, texts) {
		switch q := all[hit.Part]; {
		case !fits(query, hit.Share):
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
	for _, i := range bestParts(own, n) {
		found = append(found, all[i])
	}
	return found
}

func fits(query rank.Query, share float64) bool {
	return share == 1 || share >= minShare && share*query.Words() >= minWords
}

// bestParts returns the parts of the n best hits in the order of the text. Hits that score far below the best
// one are left out.
func bestParts(hits []rank.Hit, n int) []int {
	var chosen []int
	for _, hit := range hits[:min(n, len(hits))] {
		if hit.Score >= hits[0].Score*minScore {
			chosen = append(chosen, hit.Part)
		}
	}
	slices.Sort(chosen)
	return chosen
}

// joined joins every n adjacent sentences.
func joined(all []quotable, n int) []quotable {
	var groups []quotable
	for start := 0; start+n <= len(all); start++ {
		q := all[start]
		same := true
		for _, next := range all[start+1 : start+n] {
			same = same && next.origin == q.origin && next.context == q.context
			q.text += " " + unmarked(next.text)
		}
		if same {
			groups = append(groups, q)
		}
	}
	return groups
}

// renderQuotes renders quotes as Markdown. Quotes of the same origin share its line.
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

// quoted returns text on one line, without the mark of a list or heading, and escaped: Markdown renders no link, image
// or tag.
func quoted(text string) string {
	text = unmarked(text)
	if runes := []rune(text); len(runes) > maxQuote {
		text = strings.TrimSpace(string(runes[:maxQuote])) + "…"
	}
	return escapeMarkdown(text)
}

// unmarked returns text on one line without the mark of a list, heading, quote or code block.
func unmarked(text string) string {
	text = oneLine(text)
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

// escapeMarkdown escapes what could become a link, an image or a tag.
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

// oneLine replaces line breaks and runs of white space by single spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
