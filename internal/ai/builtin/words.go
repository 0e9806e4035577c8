package builtin

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"parley/internal/ai"
	"parley/internal/rank"
)

const (
	// maxSummary limits the sentences of a summary, shared among its files.
	maxSummary = 6
	// maxListed limits the files or pages that a reply lists.
	maxListed = 5
)

// wording holds the texts of the built-in model in one language.
type wording struct {
	from         string // before the name of a file or page
	colon        string
	comma        string
	stop         string
	or           string
	youWrote     string
	earlierReply string
	standOut     string // before the sentences of a summary
	omitted      string // if the files hold more than the given passages
	notIn        string // before the names of files
	noResults    string
	results      string
	whoIAm       string
	setup        string // how to connect a model
}

var englishWords = wording{
	from:         "From ",
	colon:        ":",
	comma:        ", ",
	stop:         ".",
	or:           " or ",
	youWrote:     "Earlier you wrote:",
	earlierReply: "An earlier reply says:",
	standOut:     "I can't write a summary of my own; these sentences stand out in ",
	omitted:      "The files hold more than the parts that I was given for this question.",
	notIn:        "I found nothing that fits your question in ",
	noResults:    "The web search found nothing.",
	results:      "The web search found these pages, but no sentence in them that fits your question:",
	whoIAm: "I am Parley's built-in assistant and work without a language model. I can find and quote passages in " +
		"uploaded documents and in this conversation. I can't answer from general knowledge, write or calculate.",
	setup: "To connect a real model, set PARLEY_AI_BASE_URL and PARLEY_AI_MODEL, or start Ollama with a model, " +
		"and start Parley again.",
}

var chineseWords = wording{
	from:         "摘自 ",
	colon:        "：",
	comma:        "，",
	stop:         "。",
	or:           "、",
	youWrote:     "您之前写道：",
	earlierReply: "之前的回复中提到：",
	standOut:     "我无法自己撰写总结；以下是文件中最突出的句子，摘自 ",
	omitted:      "文件中还有更多内容，这次只提供了其中的一部分。",
	notIn:        "在以下文件中没有找到符合您问题的内容：",
	noResults:    "网络搜索没有找到任何结果。",
	results:      "网络搜索找到了以下网页，但其中没有符合您问题的句子：",
	whoIAm: "我是 Parley 的内置助手，没有使用语言模型。我可以在上传的文档和本次对话中查找并引用相关段落，" +
		"但不能凭常识回答问题，也不能写作或计算。",
	setup: "如需连接真正的模型，请设置 PARLEY_AI_BASE_URL 和 PARLEY_AI_MODEL，或启动带有模型的 Ollama，然后重新启动 Parley。",
}

// wordsFor returns the wording in the language of the question.
func wordsFor(question string) wording {
	if isChinese(question) {
		return chineseWords
	}
	return englishWords
}

// isOwnText reports whether a sentence is one that the built-in model writes about itself.
func isOwnText(sentence string) bool {
	for _, w := range []wording{englishWords, chineseWords} {
		for _, own := range []string{w.whoIAm, w.setup, w.omitted, w.noResults, w.results} {
			if strings.Contains(own, sentence) {
				return true
			}
		}
		if strings.HasPrefix(sentence, w.notIn) {
			return true
		}
		for _, own := range []string{w.from, w.standOut, w.youWrote, w.earlierReply} {
			if strings.HasPrefix(sentence, own) && strings.Contains(sentence, w.colon) {
				return true
			}
		}
	}
	return false
}

func (w wording) fromFile(p ai.Passage) string {
	origin := w.from + escapeMarkdown(oneLine(p.File))
	if p.Anchor != "" {
		origin += w.comma + escapeMarkdown(oneLine(p.Anchor))
	}
	return origin + w.colon
}

func (w wording) fromSource(s ai.Source, number int) string {
	return fmt.Sprintf("%s%s [%d]%s", w.from, sourceLink(s), number, w.colon)
}

// sourceLink returns a page's title, as a link if its URL is http or https.
func sourceLink(s ai.Source) string {
	title := escapeMarkdown(oneLine(s.Title))
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return title
	}
	if title == "" {
		title = u.Host
	}
	title = strings.ReplaceAll(title, "]", `\]`)
	address := strings.NewReplacer("<", "%3C", ">", "%3E", `\`, "%5C").Replace(u.String())
	return "[" + title + "](<" + address + ">)"
}

// summary quotes the first and the most central sentences of each file.
func (w wording) summary(passages []ai.Passage, omitted bool) []string {
	files := fileNames(passages)
	files = files[:min(len(files), maxListed)]
	var pieces []string
	for i, name := range files {
		var all []quotable
		for _, p := range passages {
			if p.File == name {
				all = append(all, quotables(p.Text, "", "")...)
			}
		}
		origin := w.standOut + escapeMarkdown(oneLine(name)) + w.colon
		section := renderQuotes(mostCentral(all, origin, max(2, maxSummary/len(files))))
		if i > 0 && len(section) > 0 && len(pieces) > 0 {
			section[0] = "\n\n" + section[0]
		}
		pieces = append(pieces, section...)
	}
	if len(pieces) == 0 {
		return w.nothing(&ai.Prompt{Passages: passages, Omitted: omitted})
	}
	if omitted {
		pieces = append(pieces, "\n\n"+w.omitted)
	}
	return pieces
}

// mostCentral returns the first sentence and the most central ones, n in all.
func mostCentral(all []quotable, origin string, n int) []quotable {
	texts := make([]string, len(all))
	for i, q := range all {
		texts[i] = q.text
	}
	chosen := rank.Central(texts, n)
	if len(chosen) > 0 && chosen[0] != 0 {
		chosen = slices.Insert(chosen[:min(len(chosen), n-1)], 0, 0)
	}
	var found []quotable
	for _, i := range chosen {
		found = append(found, quotable{origin: origin, text: all[i].text})
	}
	return found
}

// nothing returns the reply if nothing fits the question: what was searched, what the built-in model is, and how to
// connect a real one.
func (w wording) nothing(p *ai.Prompt) []string {
	var parts []string
	if files := fileNames(p.Passages); len(files) > 0 {
		parts = append(parts, w.notIn+w.list(files)+w.stop)
	}
	if p.Omitted {
		parts = append(parts, w.omitted)
	}
	if p.Searched || len(p.Sources) > 0 {
		parts = append(parts, w.found(p.Sources))
	}
	parts = append(parts, w.whoIAm, w.setup)
	for i := range parts[:len(parts)-1] {
		parts[i] += "\n\n"
	}
	return parts
}

func (w wording) found(sources []ai.Source) string {
	if len(sources) == 0 {
		return w.noResults
	}
	var b strings.Builder
	b.WriteString(w.results + "\n")
	for i, s := range sources[:min(len(sources), maxListed)] {
		fmt.Fprintf(&b, "\n%d. %s", i+1, sourceLink(s))
	}
	return b.String()
}

func (w wording) list(names []string) string {
	more := len(names) > maxListed
	names = names[:min(len(names), maxListed)]
	escaped := make([]string, len(names))
	for i, name := range names {
		escaped[i] = escapeMarkdown(oneLine(name))
	}
	if more {
		escaped = append(escaped, "…")
	}
	return strings.Join(escaped, w.or)
}

// fileNames returns the names of the passages' files in order, without duplicates.
func fileNames(passages []ai.Passage) []string {
	var names []string
	for _, p := range passages {
		if !slices.Contains(names, p.File) {
			names = append(names, p.File)
		}
	}
	return names
}
