package openai

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// removed stands for what was removed from a message.
const removed = "[…]"

// word is a run of characters that stay or go together.
var word = regexp.MustCompile(`[^\s'"` + "`" + `()<>{}\[\],;=|，。；：（）「」、“”‘’]+`)

// private is what no word of a public message may have: addresses, paths, keys, and ids of accounts and requests.
var private = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`://`, `@`, `\\`, `www\.`, `localhost`,
	`/[^/]+/`,                            // a path
	`\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}`, // IPv4
	`[0-9a-f]*:[0-9a-f]*:`,               // IPv6
	`[a-z0-9.-]:\d{2,5}\b`,               // a host and its port
	`\bip(-\d+){4}`,                      // a host of AWS
	`\b(org|organization|proj|wrkspc|sk|pk|rk|ak|req|acct|sess|gsk|xai|aiza)[-_][a-z0-9]`,
	`\b(user|key|request|team|tenant|chatcmpl|trace)[-_][a-z0-9_-]*\d`,
	`[0-9a-f]{8}-[0-9a-f]{4}`, // a UUID
	`\d{9,}`,
}, "|"))

// named matches a word that tells what the next one is, which may look like any other.
var named = regexp.MustCompile(`(?i)(\blookup\s+|\b(?:host|node|cluster|organi[sz]ation|org|project|account|` +
	`workspace|tenant|team|subscription)(?:[ _-]?(?:id|name))?\s*[:=]\s*['"` + "`" + `]?)[^\s'"` + "`" + `,;)]+`)

// hostname matches names with dots that end with letters.
var hostname = regexp.MustCompile(`(?i)^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.[a-z]{2,}\b`)

// requestFields begin names with dots that are not hosts, such as messages.0.content.
var requestFields = []string{"body", "messages", "tools", "tool_choice", "response_format", "input", "stream_options"}

// publicMessage returns a server's message without what may tell of the operator's account or network. It may remove
// more than that: a word too few is better than a secret.
func publicMessage(text string) string {
	text = named.ReplaceAllString(text, "${1}"+removed)
	return word.ReplaceAllStringFunc(text, func(w string) string {
		if private.MatchString(w) || isHostname(w) || isOpaque(w) {
			return removed
		}
		return w
	})
}

func isHostname(word string) bool {
	first, _, _ := strings.Cut(word, ".")
	return hostname.MatchString(word) && !slices.Contains(requestFields, first)
}

// isOpaque reports whether a word has a part that looks random: long, of letters and digits, or of letters in no
// usual case.
func isOpaque(word string) bool {
	isSeparator := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return slices.ContainsFunc(strings.FieldsFunc(word, isSeparator), func(part string) bool {
		digits := strings.IndexFunc(part, unicode.IsDigit) >= 0
		letters := strings.IndexFunc(part, unicode.IsLetter) >= 0
		mixed := part != strings.ToLower(part) && part != strings.ToUpper(part)
		return len(part) >= 10 && digits && letters || len(part) >= 20 && mixed
	})
}
