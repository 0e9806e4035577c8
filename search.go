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
	// From and To limit the times of the hits, in Unix seconds. Both are included; 0 is no limit.
	From, To int64
	// After is SearchOutput.Next of the page before. The number of the page is not used then.
	After string
	// Grouped lists sessions with their newest hits instead of hits. A page is one of sessions.
	Grouped bool
}

// GroupBySessions is the value of the parameter group that sets Search.Grouped.
const GroupBySessions = "sessions"

// HitsPerSession is how many hits of a session are listed if a search is grouped.
const HitsPerSession = 3

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

// HitCounts is how many hits there are of each kind.
type HitCounts struct {
	Titles   int64 `json:"titles" doc:"Hits in titles of sessions." example:"0"`
	Messages int64 `json:"messages" doc:"Hits in messages." example:"1"`
	Files    int64 `json:"files" doc:"Hits in files." example:"0"`
}

// Total returns how many hits there are.
func (c HitCounts) Total() int64 { return c.Titles + c.Messages + c.Files }

// HitGroup is a session with hits.
type HitGroup struct {
	SessionID string `json:"session_id" doc:"The session." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
	Total     int64  `json:"total" doc:"Number of its hits, exact." example:"1"`
}

// SearchOutput is a page of hits, newest first. If it is grouped, it is a page of sessions, the one with the newest hit
// first, and has up to HitsPerSession hits of each, session by session.
type SearchOutput struct {
	Hits     []Hit      `json:"hits" nullable:"false" doc:"The hits of the page. With group=sessions those of one session follow each other, at most 3 of each."`
	Total    int64      `json:"total" doc:"Number of hits on all pages, exact." example:"1"`
	Counts   *HitCounts `json:"counts,omitempty" doc:"Number of hits on all pages by what was searched; left out if there are none."`
	Next     string     `json:"next,omitempty" doc:"What to send as after for the next page; left out on the last one." example:"1767225601000000.019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10.2"`
	Groups   []HitGroup `json:"groups,omitempty" nullable:"false" doc:"The sessions of the page, in the order of hits; only with group=sessions."`
	Sessions int64      `json:"sessions,omitempty" doc:"Number of sessions with hits on all pages, exact; only with group=sessions." example:"1"`
}
