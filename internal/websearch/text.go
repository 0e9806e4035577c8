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
	// askedFor is how many results are asked for: some may be dropped.
	askedFor = 10
	// maxQuery is the longest query, in characters, that every service takes.
	maxQuery = 400
	maxURL   = 2048
)

// best tidies what was found, best first, and keeps the first MaxResults that name a
// web page not named before.
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

// webAddress reads the address of a web page. User names in it are dropped: they
// serve to make a strange host look like a known one.
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

// pageKey is the same for addresses that differ only in scheme, fragment, a closing
// slash or the case of the host.
func pageKey(u *url.URL) string {
	return strings.ToLower(u.Host) + strings.TrimRight(u.EscapedPath(), "/") + "?" + u.RawQuery
}

// plain reduces HTML to its text, on one line. What only looks like a tag, as in
// vector<int>, stays.
func plain(s string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(s))
	for {
		// Without this the rest of a text that merely mentions <title> would be lost.
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
			b.WriteString(inPlaceOf(atom.Lookup(name), raw))
		}
	}
}

// inPlaceOf is what stands for a tag: nothing, a space where it parts words, or its
// own text where HTML knows no such word.
func inPlaceOf(tag atom.Atom, raw string) string {
	switch tag {
	case 0:
		return raw
	case atom.Br, atom.P, atom.Div, atom.Li, atom.Tr, atom.Td, atom.Th, atom.Hr,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return " "
	}
	return ""
}

// oneLine removes control characters and what stands for broken encoding, and joins
// the words with single spaces.
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

// tidyQuery puts a question on one line and cuts it to what the services take.
func tidyQuery(query string) string {
	return strings.TrimSpace(first(oneLine(query), maxQuery))
}

// shorten cuts s to at most most characters, the mark of the cut included.
func shorten(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimSpace(first(s, most-1)) + "…"
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
