package mail

import (
	"crypto/rand"
	"errors"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// Message is a mail of plain text.
type Message struct {
	To      string
	Subject string
	Text    string
	// Until is when the mail is of no more use.
	Until time.Time
}

// compose returns a message in the library's form. Its errors have no e-mail address.
func (s *Server) compose(message Message) (*gomail.Msg, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := m.From(s.from); err != nil {
		return nil, errors.New("the sender of mail is not an e-mail address")
	}
	if err := m.To(message.To); err != nil {
		return nil, errors.New("the recipient's e-mail address can't be used for mail")
	}
	m.Subject(message.Subject)
	m.SetDate()
	m.SetMessageIDWithValue(rand.Text() + "@" + s.domain())
	// Out-of-office programs don't reply to it.
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetBodyString(gomail.TypeTextPlain, message.Text)
	return m, nil
}
