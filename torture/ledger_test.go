package torture

import (
	"slices"
	"strings"
)

// The ledger: what the server has acknowledged to one user, written down outside it.
type (
	account struct {
		email, password, nickname string
		token                     string   // in use
		logins                    []string // further tokens that hold
		ended                     []string // tokens that do not, since the last look
		sessions                  []*session
		gone                      []string // ids of sessions deleted since the last look
		goneFiles                 []string
	}
	session struct {
		id, title string
		turns     []*turn
		files     []*file
	}
	turn struct {
		// batch is shared by questions that were sent at once: their order is the server's.
		batch                int
		question, questionID string
		replyID              string
		favorites            map[string]string // message id → favorite id
		// open says that the reply has not been seen complete.
		open bool
		// lastID and text are what a reader of the open reply has had.
		lastID, text string
		// kills counts how often the server died while the reply was open.
		kills int
	}
	file struct{ id, name, content string }
)

// replyTo is what the model answers.
func replyTo(question string) string { return "You said: " + question }

// maxAttempts is how often a reply is begun before the server gives it up.
const maxAttempts = 3

func newTurn(batch int, question string) *turn {
	return &turn{batch: batch, question: question, favorites: map[string]string{}, open: true}
}

// resting says that a reply is still open, so that a send would wait for it.
func (s *session) resting() bool {
	return slices.ContainsFunc(s.turns, func(t *turn) bool { return t.open })
}

func (a *account) drop(s *session) {
	a.sessions = slices.DeleteFunc(a.sessions, func(other *session) bool { return other == s })
	a.gone = append(a.gone, s.id)
	for _, f := range s.files {
		a.goneFiles = append(a.goneFiles, f.id)
	}
}

func (a *account) dropFile(s *session, f *file) {
	s.files = slices.DeleteFunc(s.files, func(other *file) bool { return other == f })
	a.goneFiles = append(a.goneFiles, f.id)
}

func (a *account) endToken(token string) {
	a.logins = slices.DeleteFunc(a.logins, func(other string) bool { return other == token })
	a.ended = append(a.ended, token)
}

// died notes that the server was killed.
func (a *account) died() {
	for _, s := range a.sessions {
		for _, t := range s.turns {
			if t.open {
				t.kills++
			}
		}
	}
}

// favorite is the message's favorite id, or empty.
func (s *session) favorite(messageID string) string {
	for _, t := range s.turns {
		if id := t.favorites[messageID]; id != "" {
			return id
		}
	}
	return ""
}

// byServer puts the turns of each batch into the order in which the server has them.
func (s *session) byServer(questionIDs []string) {
	slices.SortStableFunc(s.turns, func(a, b *turn) int {
		if a.batch != b.batch {
			return a.batch - b.batch
		}
		return slices.Index(questionIDs, a.questionID) - slices.Index(questionIDs, b.questionID)
	})
}

// slow says that the model takes its time over a question.
func slow(question string) bool { return strings.Contains(question, "slowly") }
