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
	var turns []*joined
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
		if len(turns) == 0 || turns[len(turns)-1].Role != m.Role {
			turns = append(turns, &joined{})
		}
		turns[len(turns)-1].add(m)
	}
	made := dropUnanswered(turns)
	switch {
	case len(made) == 0:
		return nil, errNoTurns
	case len(made) > MaxMessages:
		return nil, errTooLarge
	}
	for _, m := range made {
		if m.Role == parley.RoleUser && utf8.RuneCountInString(m.Content) > parley.MaxContent || len(m.Content) > MaxReply {
			return nil, errLongMessage
		}
	}
	return made, nil
}

// dropUnanswered drops the questions that got no text in reply. They are at the end, or were never answered.
func dropUnanswered(turns []*joined) []Message {
	var kept []Message
	for i := 0; i+1 < len(turns); i += 2 {
		question, reply := turns[i].message(), turns[i+1].message()
		if question.Content != "" && reply.Content != "" {
			kept = append(kept, question, reply)
		}
	}
	return kept
}

// joined is a message made of those of one role that follow each other. Their texts are put together once, at the end.
type joined struct {
	Message
	contents, thoughts []string
	thinking           int // bytes of thoughts together
}

// add adds a message. The first one decides when it was written.
func (j *joined) add(m Message) {
	if j.Role == "" {
		j.Role, j.At = m.Role, m.At
	}
	if m.Content != "" {
		j.contents = append(j.contents, m.Content)
	}
	if m.Thinking != "" {
		j.thoughts = append(j.thoughts, m.Thinking)
		if j.thinking += len(m.Thinking) + len(between); j.thinking-len(between) > maxThinking {
			j.thoughts, j.thinking = nil, 0
		}
	}
	j.Sources = append(j.Sources, m.Sources...)
	j.Status = m.Status
	if m.Model != "" {
		j.Model = m.Model
	}
}

// between separates the texts of messages that become one.
const between = "\n\n"

func (j *joined) message() Message {
	m := j.Message
	m.Content = strings.Join(j.contents, between)
	m.Thinking = strings.Join(j.thoughts, between)
	m.Sources = cleanSources(j.Sources)
	return m
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
