package parley

// Kinds of a hit.
const (
	HitTitle   = "title"
	HitMessage = "message"
	HitFile    = "file"
)

// Search selects what is searched for.
type Search struct {
	// Text is what the hits contain. Case is ignored.
	Text string
	// In lists what is searched: "titles", "messages", "files". None means all of them.
	In []string
	// SessionID limits the search to one session. Empty means all of them.
	SessionID string
}

// Hit is a title, a message or a file that contains the text.
type Hit struct {
	Kind         string `json:"kind" enum:"title,message,file" doc:"What contains the text: the title of a session, a message, or a file by its name or its text." example:"message"`
	SessionID    string `json:"session_id" doc:"The session it belongs to." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
	SessionTitle string `json:"session_title" doc:"Title of that session." example:"Holiday plans"`
	Archived     bool   `json:"archived,omitempty" doc:"Whether that session is archived; left out if it is not." example:"true"`
	MessageID    string `json:"message_id,omitempty" doc:"The message; only of a message." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f13"`
	Number       int64  `json:"number,omitempty" doc:"Place of the message in its session, from 1; only of a message." example:"2"`
	FileID       string `json:"file_id,omitempty" doc:"The file; only of a file." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f12"`
	Filename     string `json:"filename,omitempty" doc:"Its name; only of a file." example:"timetable.md"`
	Anchor       string `json:"anchor,omitempty" doc:"Page, sheet or slide of the match, if the format has them; only if the text of a file matches." example:"page 3"`
	Snippet      string `json:"snippet" doc:"The text around the first match, on one line." example:"The hydrofoil from Naples takes fifty minutes."`
	Match        Match  `json:"match" doc:"The place of the match in the snippet."`
	Timestamp    int64  `json:"timestamp" doc:"When the message was sent, the file was uploaded, or the session of the title was last active, Unix seconds." example:"1767225601"`
}

// Match is a part of a snippet, in Unicode code points.
type Match struct {
	Start  int64 `json:"start" doc:"Where it begins, in Unicode code points from 0." example:"4"`
	Length int64 `json:"length" doc:"How long it is, in Unicode code points." example:"9"`
}

// SearchOutput is a page of hits, newest first.
type SearchOutput struct {
	Hits  []Hit `json:"hits" nullable:"false" doc:"The hits of the page."`
	Total int64 `json:"total" doc:"Number of hits on all pages, exact." example:"1"`
}
