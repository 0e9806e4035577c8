// Package quotation finds the quotes of a reply that claim to come from a file or a web page.
package quotation

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxQuotes is how many quotes of a reply are looked at.
	MaxQuotes = 20
	// minLetters and minHan are the lengths of the shortest quotes, in letters and digits.
	minLetters = 20
	minHan     = 8
)

// Quote is a quote as it stands in a reply.
type Quote struct {
	Text string
	// Files are the names that stand near it, and Sources the numbers.
	Files   []string
	Sources []int
}

var (
	marked = regexp.MustCompile(`"([^"\n]+)"|“([^”\n]+)”|「([^」\n]+)」|『([^』\n]+)』|«([^»\n]+)»|„([^“”\n]+)[“”]`)
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
	for _, paragraph := range paragraphs(reply) {
		if len(quotesOf(paragraph)) > 0 {
			return true
		}
	}
	return false
}

// paragraphs returns the paragraphs of a reply without its code.
func paragraphs(reply string) []string {
	return strings.Split(strings.ReplaceAll(fence.ReplaceAllString(reply, " "), "\r", ""), "\n\n")
}

// Find returns the quotes of a reply that claim a source: those in a paragraph that names one of the files, cites a
// number, or says that a document says so. Code has no quotes.
func Find(reply string, files []string) []Quote {
	var all []Quote
	before := "" // the paragraph before, which may introduce a block quote
	for _, paragraph := range paragraphs(reply) {
		for _, found := range quotesOf(paragraph) {
			around := paragraph
			if found.block {
				around = before + "\n" + paragraph
			}
			if q, claims := claim(found.text, strings.ReplaceAll(around, found.text, " "), files); claims {
				all = append(all, q)
			}
			if len(all) == MaxQuotes {
				return all
			}
		}
		if strings.TrimSpace(paragraph) != "" {
			before = paragraph
		}
	}
	return all
}

type found struct {
	text  string
	block bool
}

// quotesOf returns the quotes of a paragraph: a Markdown block quote, or those in quotation marks.
func quotesOf(paragraph string) []found {
	if strings.HasPrefix(strings.TrimSpace(paragraph), ">") {
		var lines []string
		for line := range strings.Lines(paragraph) {
			lines = append(lines, strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "> ")))
		}
		text := strings.Trim(strings.Join(lines, " "), `"“”「」『』«»„ `)
		if isLong(text) {
			return []found{{text, true}}
		}
		return nil
	}
	var all []found
	for _, groups := range marked.FindAllStringSubmatch(paragraph, -1) {
		for _, text := range groups[1:] {
			if isLong(text) {
				all = append(all, found{text: text})
			}
		}
	}
	return all
}

// claim returns the quote with what stands around it, and whether it claims a source.
func claim(text, around string, files []string) (Quote, bool) {
	q := Quote{Text: text}
	for _, name := range files {
		if name != "" && strings.Contains(around, name) {
			q.Files = append(q.Files, name)
		}
	}
	for _, number := range source.FindAllStringSubmatch(around, -1) {
		n := 0
		for _, digit := range number[1] {
			n = 10*n + int(digit-'0')
		}
		q.Sources = append(q.Sources, n)
	}
	if proposed.MatchString(around) {
		return q, false
	}
	return q, len(q.Files) > 0 || len(q.Sources) > 0 || len(files) > 0 && attributed.MatchString(around)
}

// isLong reports whether a quote is long enough to be looked for.
func isLong(text string) bool {
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
