package torture

import (
	"slices"
	"strings"
)

// The ledger records what the server has acknowledged to one user.
type (
	account struct {
		email, password, nickname string
		token                     string   // in use
		logins                    []string // further valid tokens
		ended                     []string // tokens that ended since the last check
		sessions                  []*session
		gone                      []string // ids of sessions deleted since the last check
		goneFiles                 []string // the same of files
		shares                    []*share
		goneShares                []string       // ids of shares that ended since the last check
		pending                   *pendingImport // nil if there is none
	}
	session struct {
		id, title string
		turns     []*turn
		files     []*file
	}
	turn struct {
		// batch is shared by questions that were sent at once, in no particular order.
		batch                int
		question, questionID string
		replyID              string
		favorites            map[string]string // message id → favorite id
		// open is set until the reply was read completely.
		open bool
		// lastID and text are the last event and the text read from the open reply.
		lastID, text string
		// kills counts the kills while the reply was open.
		kills int
		// may is what the reply may be: one text, or several after an interruption. redo is
		// another version of it that may have been made.
		may  []replyText
		redo *replyText
		// If this question replaces that of another turn, replaces is that turn, or else nil. before is the version that was
		// visible, and edits are all versions of the question.
		replaces *turn
		before   int
		edits    *edits
		// replies are the versions of the reply, if there are several. The shown one is out of date: it is in may.
		replies []replyVersion
		shown   int
	}
	file struct{ id, name, content string }
)

// replyTo returns the reply of the model.
func replyTo(question string) string { return "You said: " + question }

// maxAttempts is the number of attempts after which the server gives up a reply.
const maxAttempts = 3

func newTurn(batch int, question string) *turn {
	return &turn{
		batch: batch, question: question, favorites: map[string]string{}, open: true,
		may: []replyText{{text: replyTo(question)}},
	}
}

// replying reports whether a reply is open.
func (s *session) replying() bool {
	return slices.ContainsFunc(s.turns, func(t *turn) bool { return t.open })
}

func (a *account) drop(s *session) {
	a.sessions = slices.DeleteFunc(a.sessions, func(other *session) bool { return other == s })
	a.gone = append(a.gone, s.id)
	for _, f := range s.files {
		a.goneFiles = append(a.goneFiles, f.id)
	}
	a.endShares(func(shared *share) bool { return shared.session == s })
}

func (a *account) dropFile(s *session, f *file) {
	s.files = slices.DeleteFunc(s.files, func(other *file) bool { return other == f })
	a.goneFiles = append(a.goneFiles, f.id)
}

func (a *account) endToken(token string) {
	a.logins = slices.DeleteFunc(a.logins, func(other string) bool { return other == token })
	a.ended = append(a.ended, token)
}

// died records that the server was killed.
func (a *account) died() {
	for _, s := range a.sessions {
		for _, t := range s.turns {
			if t.open {
				t.kills++
			}
		}
	}
}

// favorite returns the favorite id of a message, or "".
func (s *session) favorite(messageID string) string {
	for _, t := range s.turns {
		if id := t.favorites[messageID]; id != "" {
			return id
		}
	}
	return ""
}

// sortBatches sorts the turns of each batch in the order of the server. They are adjacent.
func (s *session) sortBatches(questionIDs []string) {
	for i := 0; i < len(s.turns); {
		end := i + 1
		for end < len(s.turns) && s.turns[end].batch == s.turns[i].batch {
			end++
		}
		slices.SortStableFunc(s.turns[i:end], func(a, b *turn) int {
			return slices.Index(questionIDs, a.questionID) - slices.Index(questionIDs, b.questionID)
		})
		i = end
	}
}

// slow reports whether the reply to a question takes longer.
func slow(question string) bool { return strings.Contains(question, "slowly") }
