package parley

// Limits of shares.
const (
	// MaxShares is how many shares a user can have at once.
	MaxShares = 200
	// MaxShareMessages and MaxShareBytes bound a share. It must fit a page.
	MaxShareMessages = 2000
	MaxShareBytes    = 4 << 20
)

// ShareInput is the input of share session.
type ShareInput struct {
	ExpiresIn int64 `json:"expires_in,omitempty" required:"false" minimum:"0" doc:"Seconds until the link ends, from 3,600 to 315,360,000; 0 is never. Default: 0." example:"604800"`
	Thinking  bool  `json:"thinking,omitempty" required:"false" doc:"Whether the model's thinking is shared too. Default: false." example:"false"`
}

// ShareOutput is a new share.
type ShareOutput struct {
	ShareID string `json:"share_id" doc:"Identifier of the share. Whoever knows it can read the share." example:"Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgc2hhcmUhISE"`
	URL     string `json:"url" doc:"Link to the page of the share." example:"https://parley.example.com/s/Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgc2hhcmUhISE"`
}

// Share is an entry of the list of shares.
type Share struct {
	ShareID      string `json:"share_id" doc:"Identifier of the share. Whoever knows it can read the share." example:"Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgc2hhcmUhISE"`
	URL          string `json:"url" doc:"Link to the page of the share." example:"https://parley.example.com/s/Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgc2hhcmUhISE"`
	SessionID    string `json:"session_id" doc:"The shared session." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
	Title        string `json:"title" doc:"Title of the session when it was shared." example:"Holiday plans"`
	MessageCount int64  `json:"message_count" doc:"Number of shared messages." example:"2"`
	Thinking     bool   `json:"thinking,omitempty" doc:"Whether the model's thinking is shared; left out if it is not." example:"false"`
	CreatedAt    int64  `json:"created_at" doc:"When it was shared, Unix seconds." example:"1767225600"`
	ExpiresAt    int64  `json:"expires_at" doc:"When the link ends, Unix seconds; 0 is never." example:"1767830400"`
}

// SharesOutput lists a user's shares, newest first.
type SharesOutput struct {
	Shares []Share `json:"shares" nullable:"false" doc:"The shares that have not ended."`
}

// SharedSession is a share as anyone with its id can read it. It names neither its user nor anything that the user
// alone can open.
type SharedSession struct {
	Title     string          `json:"title" doc:"Title of the session when it was shared." example:"Holiday plans"`
	Messages  []SharedMessage `json:"messages" nullable:"false" doc:"The messages that were visible then, oldest first."`
	CreatedAt int64           `json:"created_at" doc:"When it was shared, Unix seconds." example:"1767225600"`
	ExpiresAt int64           `json:"expires_at" doc:"When the link ends, Unix seconds; 0 is never." example:"1767830400"`
}

// SharedMessage is a message of a share.
type SharedMessage struct {
	Role       string   `json:"role" enum:"user,assistant" doc:"Who wrote it." example:"user"`
	Content    string   `json:"content" doc:"Message text." example:"Which ferry goes to Capri?"`
	Timestamp  int64    `json:"timestamp" doc:"When it was sent, Unix seconds." example:"1767225600"`
	Status     string   `json:"status,omitempty" enum:"stopped,interrupted" doc:"\"stopped\" or \"interrupted\" if the reply was ended early; left out if it is complete." example:"stopped"`
	Thinking   string   `json:"thinking,omitempty" doc:"The model's thinking before the reply, if it is shared." example:"They ask about ferries, so the timetable is what counts."`
	ThinkingMS int64    `json:"thinking_ms,omitempty" doc:"How long the model thought, in milliseconds, if its thinking is shared." example:"5200"`
	Pictures   int64    `json:"pictures,omitempty" doc:"How many pictures went with the question. They are not shared. Left out if there are none." example:"1"`
	Sources    []Source `json:"sources,omitempty" nullable:"false" doc:"Web pages given to the model, numbered from 1 as the reply cites them. Title and url are empty for a page that is not public."`
}
