package ai

import (
	"context"
	"path"
	"regexp"
	"strings"
	"unicode"

	"parley/internal/rank"
)

// Builtin is the model for when there is none. It has no weights: it quotes what fits
// the question from the files, the web results and the conversation, and says plainly
// what it is where nothing does.
type Builtin struct{}

// NewBuiltin returns the built-in model.
func NewBuiltin() *Builtin { return &Builtin{} }

// Reply implements Model. It never thinks, whatever the prompt asks for.
func (b *Builtin) Reply(ctx context.Context, prompt Prompt, emit func(Chunk)) error {
	for _, piece := range builtinReply(prompt) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		emit(Chunk{Text: piece})
	}
	return nil
}

// builtinReply makes the reply, in the pieces in which it is given out.
func builtinReply(p Prompt) []string {
	words := wordsFor(p.Question)
	ask := readRequest(p)
	if ask.summary && ask.query.Empty() {
		return words.summary(ask.passages, p.Omitted)
	}
	found := bestQuotes(ask.query, append(fromPassages(ask.passages, words), fromSources(p.Sources, words)...))
	if len(found) == 0 && ask.summary {
		return words.summary(ask.passages, p.Omitted)
	}
	if len(found) == 0 {
		found = bestQuotes(ask.query, fromHistory(p.History, ask.query, words))
	}
	if len(found) == 0 {
		return words.nothing(p)
	}
	return renderQuotes(found)
}

// request is what a question comes down to.
type request struct {
	query rank.Query
	// passages are those of the files that the question names, or all.
	passages []Passage
	// summary says that the question is about a file as a whole.
	summary bool
}

func readRequest(p Prompt) request {
	question := strings.ToLower(p.Question)
	r := request{passages: p.Passages}
	if named, rest := namedFiles(question, p.Passages); len(named) > 0 {
		r.passages, question = named, rest
		r.summary = rank.NewQuery(rest).Empty()
	}
	if summaryWords.MatchString(question) {
		r.summary = true
		question = withoutStems(summaryWords.ReplaceAllString(question, " "), r.passages)
	}
	r.query = rank.NewQuery(question)
	if r.query.Empty() && documentWords.MatchString(question) {
		r.summary = true
	}
	r.summary = r.summary && len(r.passages) > 0
	return r
}

// namedFiles gives the passages of the files that the question names, and the question
// without the names. A name without an ending may be any word, and is not looked for.
func namedFiles(question string, passages []Passage) (named []Passage, rest string) {
	rest = question
	for _, passage := range passages {
		name := strings.ToLower(passage.File)
		if path.Ext(name) != "" && strings.Contains(question, name) {
			named = append(named, passage)
			rest = strings.ReplaceAll(rest, name, " ")
		}
	}
	return named, rest
}

// withoutStems takes the names of files, without their endings, out of a question for
// a summary: they say of what.
func withoutStems(question string, passages []Passage) string {
	for _, name := range fileNames(passages) {
		if stem := stemOf(strings.ToLower(name)); len(stem) > 2 {
			question = strings.ReplaceAll(question, stem, " ")
		}
	}
	return question
}

func stemOf(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

// summaryWords ask for a file as a whole; documentWords speak of one.
var (
	summaryWords = regexp.MustCompile(`\b(summari[sz](e|es|ed|ing)|summary|overview|tl;?dr|(main|key) points?|gist|analy[sz](e|es|ed|ing))\b` +
		`|主要内容|主要內容|[讲講说說写寫](了|的是)?什[么麼]|总结|總結|概括|概述|摘要|归纳|歸納|要点|要點|重点|重點|大意|分析`)
	documentWords = regexp.MustCompile(`\b(files?|documents?|attachments?|upload(s|ed)?)\b|文件|文档|文檔|附件|资料|資料|内容|內容`)
)

// isChinese reports whether a question is in Chinese: more Chinese characters than
// words of another script, and nothing that only Japanese or Korean has.
func isChinese(question string) bool {
	han, words, inWord := 0, 0, false
	for _, r := range question {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			return false
		case unicode.Is(unicode.Han, r):
			han++
			inWord = false
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
			if !inWord {
				words++
			}
			inWord = true
		default:
			inWord = false
		}
	}
	return han > 0 && han >= words
}
