package language

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Message returns the message of an error in the language. If the table lacks a message, it stays in English.
func (l Language) Message(english string) string {
	if l != Chinese {
		return english
	}
	e, values, found := chinese().find(english)
	switch {
	case !found:
		return english
	case len(values) == 0:
		return e.chinese
	default:
		return fmt.Sprintf(e.chinese, values...)
	}
}

// table is the table of messages, prepared for lookups.
type table struct {
	fixed    map[string]entry // by the English message
	patterns []pattern
}

// pattern matches the English messages of an entry with placeholders.
type pattern struct {
	entry
	expression *regexp.Regexp
}

// chinese is made once, when the first message is translated.
var chinese = sync.OnceValue(func() table {
	placeholders := strings.NewReplacer("%s", `(\S+)`, "%d", `(\d+)`, "%v", `(.+)`)
	t := table{fixed: map[string]entry{}}
	for _, e := range chineseMessages {
		quoted := regexp.QuoteMeta(e.english)
		if expression := placeholders.Replace(quoted); expression != quoted {
			t.patterns = append(t.patterns, pattern{e, regexp.MustCompile("^" + expression + "$")})
		} else {
			t.fixed[e.english] = e
		}
	}
	return t
})

// find returns the entry of an English message and the values of its placeholders.
func (t table) find(english string) (e entry, values []any, found bool) {
	if e, found = t.fixed[english]; found {
		return e, nil, true
	}
	for _, p := range t.patterns {
		if parts := p.expression.FindStringSubmatch(english); parts != nil {
			for _, part := range parts[1:] {
				values = append(values, part)
			}
			return p.entry, values, true
		}
	}
	return entry{}, nil, false
}
