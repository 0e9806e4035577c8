package parley

// MaxSkipped is how many skipped conversations an import lists.
const MaxSkipped = 1000

// States of an import.
const (
	ImportQueued  = "queued"
	ImportRunning = "running"
	ImportDone    = "done"
	ImportFailed  = "failed"
)

// StartImportOutput is an accepted import.
type StartImportOutput struct {
	ImportID string `json:"import_id" doc:"Import identifier." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f15"`
}

// Import is the progress of an import, and its result.
type Import struct {
	State    string    `json:"state" enum:"queued,running,done,failed" doc:"\"queued\" until it begins, \"running\", then \"done\" or \"failed\". What a failed import has stored stays." example:"done"`
	Percent  int64     `json:"percent,omitempty" doc:"How much of the file has been read, from 0 to 100; left out if nothing has." example:"100"`
	Sessions int64     `json:"sessions" doc:"How many sessions it has created." example:"41"`
	Messages int64     `json:"messages" doc:"How many messages they have." example:"680"`
	Skipped  []Skipped `json:"skipped" nullable:"false" doc:"The conversations that it has skipped or of which it has left out something, in the order of the file, at most 1,000."`
	More     int64     `json:"more_skipped,omitempty" doc:"How many more there are; left out if all are listed." example:"12"`
	Error    string    `json:"error,omitempty" doc:"Why it failed; left out if it did not." example:"the file can't be read to its end: it is broken after conversation 12"`
}

// Skipped is a conversation that an import has skipped, or has imported in part.
type Skipped struct {
	Title  string `json:"title" doc:"Its title, or its place in the file, such as #3." example:"Ferries"`
	Reason string `json:"reason" doc:"Why it was skipped, or what was left out of it." example:"it is already here"`
}
