// Package builtin provides a model that needs no server. It has no weights: it quotes what fits the question
// from the files, the web results and the conversation.
package builtin

import (
	"context"
	"path"
	"regexp"
	"strings"
	"unicode"

	"parley/internal/ai"
	"parley/internal/rank"
)

// Model is the built-in model. If nothing fits the question, its reply explains what it is.
type Model struct{}

var _ ai.Model = Model{}

// New returns the built-in model.
func New() Model { return Model{} }

// Reply implements ai.Model. It ignores DeepThinking.
func (Model) Reply(ctx context.Context, prompt *ai.Prompt, emit func(ai.Chunk)) error {
	for _, piece := range rest(reply(prompt), prompt.Partial) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		emit(ai.Chunk{Text: piece})
	}
	return nil
}

// rest returns the pieces of a reply without its beginning, if it begins so.
func rest(pieces []string, beginning string) []string {
	all := strings.Join(pieces, "")
	if beginning == "" || len(all) <= len(beginning) || !strings.HasPrefix(all, beginning) {
		return pieces
	}
	return []string{all[len(beginning):]}
}

// reply returns the text of a reply, in pieces.
func reply(p *ai.Prompt) []string {
	words := wordsFor(p.Question)
	r := parseRequest(p)
	if r.summary && r.query.Empty() {
		return words.summary(r.passages, p.Omitted)
	}
	found := bestQuotes(r.query, append(fromPassages(r.passages, words), fromSources(p.Sources, words)...))
	if len(found) == 0 && r.summary {
		return words.summary(r.passages, p.Omitted)
	}
	if len(found) == 0 {
		found = bestQuotes(r.query, fromHistory(p.History, r.query, words))
	}
	if len(found) == 0 {
		return words.nothing(p)
	}
	return renderQuotes(found)
}

// request is a parsed question.
type request struct {
	query rank.Query
	// passages are the passages of the files that the question names, or all passages if it names no file.
	passages []ai.Passage
	// summary reports whether the question is about a file as a whole.
	summary bool
}

func parseRequest(p *ai.Prompt) request {
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

// namedFiles returns the passages of the files that the question names, and the question without the names.
// Names without an extension are ignored, because they may be ordinary words.
func namedFiles(question string, passages []ai.Passage) (named []ai.Passage, rest string) {
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

// withoutStems removes the names of files, without their extensions, from a question that asks for a summary.
func withoutStems(question string, passages []ai.Passage) string {
	for _, name := range fileNames(passages) {
		if stem := stemOf(strings.ToLower(name)); len(stem) > 2 {
			question = strings.ReplaceAll(question, stem, " ")
		}
	}
	return question
}

func stemOf(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

// summaryWords match questions that ask for a summary. documentWords match questions that mention a file.
var (
	summaryWords = regexp.MustCompile(
		`\b(summari[sz](e|es|ed|ing)|summary|overview|tl;?dr|(main|key) points?|gist|analy[sz](e|es|ed|ing))\b` +
			`|主要内容|主要內容|[讲講说說写寫](了|的是)?什[么麼]|总结|總結|概括|概述|摘要|归纳|歸納|要点|要點|重点|重點|大意|分析`)
	documentWords = regexp.MustCompile(
		`\b(files?|documents?|attachments?|upload(s|ed)?)\b|文件|文档|文檔|附件|资料|資料|内容|內容`)
)

// isChinese reports whether a question is in Chinese: it has at least as many Chinese characters as words of
// other scripts, and no character that only Japanese or Korean uses.
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
