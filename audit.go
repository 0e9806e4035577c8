package parley

// The values of AuditEntry.ActorID for actors other than administrators.
const (
	ActorSelf  int64 = 0  // the user
	ActorShell int64 = -1 // a command of the operator
)

// Limits of a page of the audit log.
const (
	DefaultAuditLimit = 50
	MaxAuditLimit     = 200
)

// AuditInput selects entries of the audit log.
type AuditInput struct {
	Event   string `query:"event" maxLength:"64" doc:"Only entries of this event." example:"login-failed"`
	UserID  int64  `query:"user_id" minimum:"1" doc:"Only entries about this account, which may be deleted." example:"1"`
	Address string `query:"address" maxLength:"64" doc:"Only entries of requests from this address." example:"192.0.2.1"`
	From    int64  `query:"from" minimum:"0" doc:"Only entries from this second on, Unix seconds." example:"1767225600"`
	To      int64  `query:"to" minimum:"0" doc:"Only entries up to this second, Unix seconds." example:"1769817600"`
	Before  string `query:"before" maxLength:"64" doc:"Only entries before the one with this id: the last one of the page before." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
	Limit   int64  `query:"limit" minimum:"1" maximum:"200" doc:"How many entries to return, from 1 to 200. Default: 50." example:"50"`
}

// AuditEntry is an entry of the audit log.
type AuditEntry struct {
	ID        string `json:"id" doc:"Identifier of the entry. Later ones sort later." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
	At        int64  `json:"at" doc:"When it happened, Unix seconds." example:"1767225600"`
	Event     string `json:"event" doc:"What happened." example:"login-failed"`
	UserID    int64  `json:"user_id" doc:"The account that it is about, which may be deleted; 0 if there was none." example:"1"`
	ActorID   int64  `json:"actor_id,omitempty" doc:"Who did it: an administrator, or -1 for a command of the operator; left out if the user did." example:"2"`
	Address   string `json:"address,omitempty" doc:"Address of the client." example:"192.0.2.1"`
	RequestID string `json:"request_id,omitempty" doc:"Identifier of the request, as in the log and in the header X-Request-Id." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
	Code      Code   `json:"code,omitempty" doc:"The error code, if the request was refused." example:"1003"`
	Object    string `json:"object,omitempty" doc:"What it was done to, such as the id of a session, or what was set." example:"quota=messages=3/d"`
}

// AuditOutput is a part of the audit log, newest first.
type AuditOutput struct {
	Entries []AuditEntry `json:"entries" nullable:"false" doc:"The entries, newest first."`
	More    bool         `json:"more" doc:"Whether there are more: read on with before." example:"false"`
}
