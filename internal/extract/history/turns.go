package history

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley"
)

const (
	maxSources  = 50
	maxAddress  = 2048
	maxThinking = MaxReply
)

// arrange returns messages such that questions and replies take turns, as in a session. Messages of other roles and
// empty ones are left out, and so are replies before the first question and questions after the last reply. Messages
// of one role that follow each other become one.
func arrange(messages []Message) ([]Message, *parley.Error) {
	var turns []Message
	for _, m := range messages {
		if m.Role != parley.RoleUser && m.Role != parley.RoleAssistant {
			continue
		}
		if strings.Contains(m.Content, omitted) && strings.Trim(m.Content, omitted+"\n") == "" {
			return nil, errLongMessage
		}
		m = clean(m)
		if m.Content == "" && m.Thinking == "" || len(turns) == 0 && m.Role == parley.RoleAssistant {
			continue
		}
		if len(turns) > 0 && turns[len(turns)-1].Role == m.Role {
			join(&turns[len(turns)-1], m)
			continue
		}
		turns = append(turns, m)
	}
	turns = dropUnanswered(turns)
	switch {
	case len(turns) == 0:
		return nil, errNoTurns
	case len(turns) > MaxMessages:
		return nil, errTooLarge
	}
	for _, m := range turns {
		if m.Role == parley.RoleUser && utf8.RuneCountInString(m.Content) > parley.MaxContent || len(m.Content) > MaxReply {
			return nil, errLongMessage
		}
	}
	return turns, nil
}

// dropUnanswered drops questions whose reply has no text. They are at the end, or were never answered.
func dropUnanswered(turns []Message) []Message {
	kept := turns[:0]
	for i := 0; i+1 < len(turns); i += 2 {
		if turns[i].Content != "" && turns[i+1].Content != "" {
			kept = append(kept, turns[i], turns[i+1])
		}
	}
	return kept
}

// join adds a message to the one before it.
func join(to *Message, m Message) {
	to.Content = joinTexts(to.Content, m.Content)
	to.Thinking = joinTexts(to.Thinking, m.Thinking)
	to.Sources = cleanSources(append(to.Sources, m.Sources...))
	to.Status = m.Status
	if m.Model != "" {
		to.Model = m.Model
	}
	if len(to.Thinking) > maxThinking {
		to.Thinking = ""
	}
}

func joinTexts(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// clean returns a message without what can't be stored.
func clean(m Message) Message {
	m.left = Left{} // the conversation has the sum
	m.Content = cleanText(m.Content)
	m.Thinking = cleanText(m.Thinking)
	if m.Role == parley.RoleUser {
		return Message{Role: m.Role, Content: m.Content, At: m.At}
	}
	if len(m.Thinking) > maxThinking {
		m.Thinking = ""
	}
	m.Sources = cleanSources(m.Sources)
	return m
}

// cleanText returns a text without NUL, which PostgreSQL does not store, or "" if it is blank.
func cleanText(s string) string {
	s = strings.ReplaceAll(s, "\x00", "")
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return s
}

// cleanSources returns each web page once.
func cleanSources(sources []parley.Source) []parley.Source {
	var kept []parley.Source
	seen := map[string]bool{}
	for _, s := range sources {
		isPage := strings.HasPrefix(s.URL, "https://") || strings.HasPrefix(s.URL, "http://")
		if !isPage || len(s.URL) > maxAddress || strings.ContainsFunc(s.URL, unicode.IsControl) || seen[s.URL] {
			continue
		}
		seen[s.URL] = true
		if s.Title = cleanTitle(s.Title); s.Title == "" {
			s.Title = s.URL
		}
		if kept = append(kept, s); len(kept) == maxSources {
			break
		}
	}
	return kept
}

// cleanTitle returns a title in one line of at most parley.MaxTitle characters.
func cleanTitle(title string) string {
	title = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, title)
	title = strings.Join(strings.Fields(title), " ")
	if runes := []rune(title); len(runes) > parley.MaxTitle {
		title = string(runes[:parley.MaxTitle-1]) + "…"
	}
	return title
}
