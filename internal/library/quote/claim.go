// Package quote checks quotes: it finds those of a reply that claim to come from a file or a web page, and looks for
// them in texts. It reads no files itself.
package quote

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley"
)

const (
	// maxQuotes is how many quotes of a reply are looked at.
	maxQuotes = 20
	// minLetters and minHan are the lengths of the shortest quotes, in letters and digits.
	minLetters = 20
	minHan     = 8
	// maxQuote is the length of the longest quote, in bytes.
	maxQuote = 8 << 10
	// maxReply is how much of a reply is looked at, in bytes.
	maxReply = 128 << 10
	// maxAround is how much of what stands around quotes is looked at, in bytes. It takes most of the time.
	maxAround = 8 << 10
)

// Quote is a quote as it stands in a reply.
type Quote struct {
	Text string
	// Files are the names that stand near it, and Sources the numbers.
	Files   []string
	Sources []int
}

// public returns the quote as it is shown: with the first file that it names, or else the first source that it cites.
func (q Quote) public() parley.Quote {
	shown := parley.Quote{Text: q.Text}
	switch {
	case len(q.Files) > 0:
		shown.Filename = q.Files[0]
	case len(q.Sources) > 0:
		shown.Source = int64(q.Sources[0])
	}
	return shown
}

var (
	fence  = regexp.MustCompile("(?s)```.*?(?:```|$)|`[^`\n]*`")
	source = regexp.MustCompile(`\[(\d{1,2})\]`)
	// attributed is how a text says that a document says something.
	attributed = regexp.MustCompile(`(?i)\b(?:contract|agreement|document|file|report|paper|text|book|article|policy|` +
		`manual|letter|clause|section|page|chapter|author|it)\s+(?:[\w.]+\s+){0,3}(?:says|states|reads|notes|provides|` +
		`writes|stipulates|specifies|explains|defines)\b|(?:合同|协议|文件|文档|报告|原文|文章|条款|书|第.{1,6}[条页章节])` +
		`.{0,8}(?:写道|规定|指出|说|称|载明|约定|写着)`)
	// proposed is how a text puts something forward that no document has.
	proposed = regexp.MustCompile(`(?i)\b(?:could|would|should|might|can) (?:be |also |then )?(?:say|write|read|add|` +
		`phrase|word|use|ask|replace|change)|\b(?:suggest|rewrite|rephrase|reword|replace|draft|propos|instead of|such as|` +
		`for example|e\.g\.|does not (?:say|mention|contain)|doesn't (?:say|mention|contain)|no mention|paraphras|` +
		`translat|in other words|summar|titled|called|known as)|建议|改为|改成|可以写|可改|例如|比如|没有提到|并未|未提及|` +
		`翻译|译为|意思是|换句话说|概括|所谓|名为`)
)

// Any reports whether a reply has a quote at all, whatever it claims. Most have none, and are not parsed.
func Any(reply string) bool {
	if !strings.ContainsAny(reply, `"“「『«„>`) {
		return false
	}
	return slices.ContainsFunc(paragraphs(reply), func(paragraph string) bool {
		quotes, _ := quotesOf(paragraph, nil)
		return len(quotes) > 0
	})
}

// paragraphs returns the paragraphs of the beginning of a reply without its code.
func paragraphs(reply string) []string {
	reply = strings.ToValidUTF8(reply[:min(len(reply), maxReply)], "")
	return strings.Split(strings.ReplaceAll(fence.ReplaceAllString(reply, " "), "\r", ""), "\n\n")
}

// Find returns the quotes of a reply that claim a source: those in a paragraph that names one of the files, cites a
// number, or says that a document says so. Code has no quotes. Each paragraph is read a fixed number of times, however
// many quotes it has. Find returns the error of ctx if it ends.
func Find(ctx context.Context, reply string, files []string) ([]Quote, error) {
	var all []Quote
	before := "" // the paragraph before, which may introduce a block quote
	for _, paragraph := range paragraphs(reply) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		quotes, around := quotesOf(paragraph, files)
		around = around[:min(len(around), maxAround)]
		if isBlock(paragraph) {
			around = before[max(0, len(before)-maxAround):] + "\n" + around
		}
		all = append(all, claim(quotes, around, files)...)
		if len(all) >= maxQuotes {
			return all[:maxQuotes], nil
		}
		if strings.TrimSpace(paragraph) != "" {
			before = paragraph
		}
	}
	return all, nil
}

// isBlock reports whether a paragraph is a Markdown block quote.
func isBlock(paragraph string) bool { return strings.HasPrefix(strings.TrimSpace(paragraph), ">") }

// quotesOf returns the quotes of a paragraph and what stands around them. A block quote is one quote. The name of a
// file in quotation marks is none.
func quotesOf(paragraph string, files []string) (quotes []string, around string) {
	if isBlock(paragraph) {
		return blockQuote(paragraph)
	}
	var rest strings.Builder
	end := 0
	for _, at := range marked(paragraph) {
		text := paragraph[at.start:at.end]
		if !isLong(text) || slices.Contains(files, text) {
			continue
		}
		quotes = append(quotes, text)
		rest.WriteString(paragraph[end:at.start])
		rest.WriteByte(' ')
		end = at.end
	}
	rest.WriteString(paragraph[end:])
	return quotes, rest.String()
}

func blockQuote(paragraph string) (quotes []string, around string) {
	var lines []string
	for line := range strings.Lines(paragraph) {
		lines = append(lines, strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "> ")))
	}
	text := strings.Trim(strings.Join(lines, " "), `"“”「」『』«»„ `)
	if !isLong(text) {
		return nil, paragraph
	}
	return []string{text}, strings.ReplaceAll(paragraph, text, " ")
}

// claim returns quotes with the sources that stand around them, or none if they claim no source.
func claim(texts []string, around string, files []string) []Quote {
	if len(texts) == 0 || proposed.MatchString(around) {
		return nil
	}
	texts = texts[:min(len(texts), maxQuotes)]
	var named []string
	for _, name := range files {
		if name != "" && strings.Contains(around, name) {
			named = append(named, name)
		}
	}
	var numbers []int
	for _, number := range source.FindAllStringSubmatch(around, -1) {
		n := 0
		for _, digit := range number[1] {
			n = 10*n + int(digit-'0')
		}
		numbers = append(numbers, n)
	}
	if len(named) == 0 && len(numbers) == 0 && (len(files) == 0 || !attributed.MatchString(around)) {
		return nil
	}
	quotes := make([]Quote, len(texts))
	for i, text := range texts {
		quotes[i] = Quote{Text: text, Files: named, Sources: numbers}
	}
	return quotes
}

// isLong reports whether a quote is long enough to be looked for, and not too long.
func isLong(text string) bool {
	if len(text) > maxQuote {
		return false
	}
	letters, han := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
		if r >= utf8.RuneSelf && unicode.Is(unicode.Han, r) {
			han++
		}
	}
	return letters >= minLetters || han >= minHan
}
