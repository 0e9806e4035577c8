package parley

import "time"

// Limits of a session.
const (
	MaxTitle = 200
	// MinExpiresIn and MaxExpiresIn bound after how many seconds a session or a share is deleted.
	MinExpiresIn = 3600
	MaxExpiresIn = 315_360_000
	// DefaultTitle is the title shown for a session that has none.
	DefaultTitle = "New chat"
)

// MaxForkMessages and MaxForkBytes bound a fork.
const (
	MaxForkMessages = 2000
	MaxForkBytes    = 16 << 20
)

// TemporaryLife is how long a temporary session is kept after its last message, or after it was created.
const TemporaryLife = time.Hour

// Session is an entry of the session list, or one session. Only one session has its instructions.
type Session struct {
	ID              string `json:"id" doc:"Session identifier." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
	Title           string `json:"title" doc:"Session title." example:"Holiday plans"`
	Untitled        bool   `json:"untitled,omitempty" doc:"Whether the session has no title of its own yet. Its title is then \"New chat\"." example:"true"`
	MessageCount    int64  `json:"message_count" doc:"Number of messages, exact." example:"2"`
	LastMessageTime int64  `json:"last_message_time" doc:"When the last message was sent, Unix seconds; 0 without messages." example:"1767225600"`
	Pinned          bool   `json:"pinned,omitempty" doc:"Whether the user has pinned the session." example:"true"`
	Archived        bool   `json:"archived,omitempty" doc:"Whether the session is archived. The list leaves it out unless archived=true or a keyword is given." example:"true"`
	ExpiresAt       int64  `json:"expires_at,omitempty" doc:"When the session is deleted, Unix seconds, if it has such a time." example:"1767830400"`
	Temporary       bool   `json:"temporary,omitempty" doc:"Whether the session is temporary. Only in the response to get session: no list has it." example:"true"`
	Instructions    string `json:"instructions,omitempty" doc:"What the replies of this session follow. Only in the response to get session." example:"Answer in two sentences."`
	Snippet         string `json:"snippet,omitempty" doc:"The text around the match, if a message matches the keyword." example:"…the ferry to Capri leaves at nine…"`
}

// CreateSessionInput is the input of create session.
type CreateSessionInput struct {
	Title        string `json:"title,omitempty" required:"false" doc:"Title, at most 200 characters. White space around it is removed. Without one, the session is called \"New chat\" until its first message gives it a title." example:"Holiday plans"`
	Pinned       bool   `json:"pinned,omitempty" required:"false" doc:"Whether to pin the session." example:"false"`
	Archived     bool   `json:"archived,omitempty" required:"false" doc:"Whether to archive the session." example:"false"`
	Instructions string `json:"instructions,omitempty" required:"false" maxLength:"4000" doc:"What the replies of this session should follow, at most 4,000 characters." example:"Answer in two sentences."`
	ExpiresIn    int64  `json:"expires_in,omitempty" required:"false" doc:"After how many seconds to delete the session, from 3,600 to 315,360,000; 0 is never." example:"604800"`
	Temporary    bool   `json:"temporary,omitempty" required:"false" doc:"Whether the session is temporary: in no list and no search, without favorites and shares, and deleted one hour after its last message. Excludes pinned, archived and expires_in." example:"false"`
}

// CreateSessionOutput is a newly created session.
type CreateSessionOutput struct {
	SessionID string `json:"session_id" doc:"Session identifier." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
	Title     string `json:"title" doc:"Session title." example:"Holiday plans"`
	Untitled  bool   `json:"untitled,omitempty" doc:"Whether the session has no title of its own yet. Its title is then \"New chat\"." example:"true"`
	CreatedAt int64  `json:"created_at" doc:"When the session was created, Unix seconds." example:"1767225600"`
	ExpiresAt int64  `json:"expires_at,omitempty" doc:"When the session is deleted, Unix seconds, if it has such a time." example:"1767830400"`
	Temporary bool   `json:"temporary,omitempty" doc:"Whether the session is temporary. Each message moves its end to one hour later." example:"true"`
}

// UpdateSessionInput holds the fields to change. Those that are nil stay the same. At least one is needed.
type UpdateSessionInput struct {
	Title        *string `json:"title,omitempty" required:"false" doc:"New title, not blank, at most 200 characters. White space around it is removed." example:"Capri in May"`
	Pinned       *bool   `json:"pinned,omitempty" required:"false" doc:"Whether the session is pinned." example:"true"`
	Archived     *bool   `json:"archived,omitempty" required:"false" doc:"Whether the session is archived." example:"false"`
	Instructions *string `json:"instructions,omitempty" required:"false" maxLength:"4000" doc:"What the replies of this session should follow, at most 4,000 characters; empty removes them." example:"Answer in two sentences."`
	ExpiresIn    *int64  `json:"expires_in,omitempty" required:"false" doc:"After how many seconds from now to delete the session, from 3,600 to 315,360,000; 0 is never." example:"604800"`
}

// ForkInput is the input of fork session.
type ForkInput struct {
	MessageID string `json:"message_id" doc:"The last message that the new session has, one of those that are visible. A question takes its reply along." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f15"`
}

// ForkOutput is a new session that was forked from another.
type ForkOutput struct {
	SessionID string `json:"session_id" doc:"The new session." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f11"`
}

// RenameSessionInput is an UpdateSessionInput with a title alone.
type RenameSessionInput struct {
	Title string `json:"title"`
}

// SessionFilter selects the sessions of a list. The zero value selects all that are not archived.
type SessionFilter struct {
	// Keyword selects sessions with the keyword in the title or a message, archived or not. Blank means no keyword.
	Keyword string
	// Pinned and Archived select only sessions that are.
	Pinned, Archived bool
}

// SessionsOutput is a page of sessions, latest activity first.
type SessionsOutput struct {
	Sessions []Session `json:"sessions" nullable:"false" doc:"The sessions of the page."`
	Total    int64     `json:"total" doc:"Number of sessions on all pages, exact." example:"1"`
	HasMore  bool      `json:"has_more" doc:"Whether more sessions follow this page." example:"false"`
}

// Export is a whole session, as exported with format=json.
type Export struct {
	SessionID  string    `json:"session_id" doc:"Session identifier." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
	Title      string    `json:"title" doc:"Session title." example:"Holiday plans"`
	CreatedAt  int64     `json:"created_at" doc:"When the session was created, Unix seconds." example:"1767225600"`
	ExportedAt int64     `json:"exported_at" doc:"When this export was created, Unix seconds." example:"1767229200"`
	Messages   []Message `json:"messages" nullable:"false" doc:"All messages, oldest first."`
}
