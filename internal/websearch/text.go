package websearch

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/idna"
)

const (
	// requestedResults is more than MaxResults, because some results may be dropped.
	requestedResults = 10
	// maxQuery is the longest query that every service accepts, in characters.
	maxQuery = 400
	maxURL   = 2048
)

// best returns the first MaxResults valid results as plain text, without duplicates.
func best(found []Result) []Result {
	var kept []Result
	seen := map[string]bool{}
	for _, r := range found {
		u, ok := webAddress(r.URL)
		if !ok || seen[pageKey(u)] {
			continue
		}
		title, text := shorten(plain(r.Title), MaxTitle), shorten(plain(r.Text), MaxText)
		if title == "" && text == "" {
			continue
		}
		if title == "" {
			title = shorten(u.Hostname(), MaxTitle)
		}
		seen[pageKey(u)] = true
		kept = append(kept, Result{Title: title, URL: u.String(), Text: text})
		if len(kept) == MaxResults {
			break
		}
	}
	return kept
}

// webAddress parses the URL of a web page. It drops user names, which can disguise the host.
func webAddress(raw string) (*url.URL, bool) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return nil, false
	}
	host, err := idna.ToASCII(u.Hostname())
	if err != nil {
		return nil, false
	}
	u.User = nil
	u.Host = strings.Replace(u.Host, u.Hostname(), host, 1)
	return u, len(u.String()) <= maxURL
}

// pageKey returns the same key for URLs that differ only in scheme, fragment, trailing slash or the host's case.
func pageKey(u *url.URL) string {
	return strings.ToLower(u.Host) + strings.TrimRight(u.EscapedPath(), "/") + "?" + u.RawQuery
}

// plain returns the text of HTML on one line. It keeps what only looks like a tag, as in vector<int>.
func plain(s string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(s))
	for {
		// Otherwise the text after a mere mention of <title> would be lost.
		z.NextIsNotRawText()
		kind := z.Next()
		raw := string(z.Raw())
		switch kind {
		case html.ErrorToken:
			b.WriteString(raw)
			return oneLine(b.String())
		case html.TextToken:
			b.WriteString(html.UnescapeString(raw))
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			b.WriteString(replacement(atom.Lookup(name), raw))
		}
	}
}

// replacement returns the text that replaces a tag: its raw text if it is not HTML, a space if it separates
// words, or nothing.
func replacement(tag atom.Atom, raw string) string {
	switch tag {
	case 0:
		return raw
	case atom.Br, atom.P, atom.Div, atom.Li, atom.Tr, atom.Td, atom.Th, atom.Hr,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return " "
	}
	return ""
}

// oneLine removes control characters and replacement characters, and joins the words with single spaces.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// tidyQuery returns query on one line, truncated to maxQuery.
func tidyQuery(query string) string {
	return strings.TrimSpace(first(oneLine(query), maxQuery))
}

// shorten truncates s to at most limit characters, including the ellipsis.
func shorten(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return strings.TrimSpace(first(s, limit-1)) + "…"
}

// first returns the first n characters of s.
func first(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
