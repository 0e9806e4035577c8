package odf

import (
	"strings"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// raisedSpans follows which parts of a text are superscripts.
type raisedSpans struct {
	style  string          // the one that is being defined
	styles map[string]bool // those of superscripts
	open   []bool          // the spans around the text
}

func (s *raisedSpans) start(e zipxml.Element) {
	switch e.Name {
	case "style":
		s.style = e.Attr("name")
	case "text-properties":
		if strings.HasPrefix(e.Attr("text-position"), "super") {
			if s.styles == nil {
				s.styles = make(map[string]bool)
			}
			s.styles[s.style] = true
		}
	case "span":
		s.open = append(s.open, s.styles[e.Attr("style-name")])
	}
}

func (s *raisedSpans) end(name string) {
	if n := len(s.open); name == "span" && n > 0 {
		s.open = s.open[:n-1]
	}
}

// text returns a text as the innermost span shows it.
func (s *raisedSpans) text(text string) string {
	if n := len(s.open); n > 0 && s.open[n-1] {
		return prose.Superscript(text)
	}
	return text
}
