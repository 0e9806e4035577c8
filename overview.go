package parley

// Overview is the state of a server, for administrators. It has no address with a password, and no key.
type Overview struct {
	Version        string         `json:"version" doc:"Version of this server." example:"0.2.0"`
	StartedAt      int64          `json:"started_at" doc:"When this replica started, Unix seconds." example:"1767225600"`
	Users          int64          `json:"users" doc:"Number of accounts." example:"12"`
	Administrators int64          `json:"administrators" doc:"How many of them are administrators." example:"1"`
	Registration   bool           `json:"registration" doc:"Whether people can register themselves." example:"true"`
	Sharing        bool           `json:"sharing" doc:"Whether users can share sessions by link." example:"true"`
	PublicURL      string         `json:"public_url" doc:"The address that browsers use, if it is set." example:""`
	Replicas       []ReplicaState `json:"replicas" nullable:"false" doc:"The processes that generate replies, with their leases."`
	Database       DatabaseState  `json:"database" doc:"The database."`
	Files          FilesState     `json:"files" doc:"Where uploaded files are stored."`
	Models         []ModelState   `json:"models" nullable:"false" doc:"The models on offer, the default first. They are checked at most every 30 seconds."`
	Search         SearchState    `json:"search" doc:"The web-search service. It is checked at most every 5 minutes while it works."`
	OCR            OCRState       `json:"ocr" doc:"What reads scanned pages."`
	SMTP           bool           `json:"smtp" doc:"Whether the server can send mail." example:"false"`
	OIDC           string         `json:"oidc" doc:"Name of the single sign-on, or empty." example:""`
	Queues         QueueLengths   `json:"queues" doc:"What waits or is in progress, on all replicas."`
	Errors         []ErrorCount   `json:"errors" nullable:"false" doc:"The errors of this replica's responses in the last hour, most frequent first."`
}

// ReplicaState is a process that generates replies.
type ReplicaState struct {
	ID         string `json:"id" doc:"Identifier of the process." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
	LeaseUntil int64  `json:"lease_until" doc:"Until when it counts as alive unless it renews its lease, Unix seconds." example:"1767225610"`
	Self       bool   `json:"self" doc:"Whether it is the one that responds." example:"true"`
}

// The kinds of DatabaseState.
const (
	DatabaseSQLite     = "sqlite"
	DatabasePostgreSQL = "postgresql"
	DatabaseCitus      = "citus"
)

// DatabaseState is the database of a server.
type DatabaseState struct {
	Kind    string `json:"kind" enum:"sqlite,postgresql,citus" doc:"The kind of database." example:"postgresql"`
	Version string `json:"version" doc:"Its name and version." example:"PostgreSQL 17.6"`
	Size    int64  `json:"size" doc:"Its size in bytes; 0 if it is not known." example:"104857600"`
}

// The kinds of FilesState.
const (
	FilesFolder = "folder"
	FilesS3     = "s3"
)

// FilesState is the store of uploaded files.
type FilesState struct {
	Kind string `json:"kind" enum:"folder,s3" doc:"A folder of the server, or a bucket." example:"folder"`
	Used int64  `json:"used" doc:"Size of all files with their texts and indexes, in bytes." example:"52428800"`
	Free int64  `json:"free" doc:"Free space of the data folder in bytes; 0 if it is not known." example:"107374182400"`
}

// ModelState is a model on offer and whether its server responds.
type ModelState struct {
	Name      string `json:"name" doc:"Name of the model for users." example:"default"`
	Model     string `json:"model" doc:"The server's name of the model; built-in if it has no server." example:"gpt-5"`
	Reachable bool   `json:"reachable" doc:"Whether one of its servers responds and accepts the key." example:"true"`
	Reason    string `json:"reason,omitempty" enum:"too_long,policy,quota,unknown_model,key,overloaded,unreachable,failed,unlisted" doc:"Why not; left out if it is reachable. With unlisted a server responds, but its list of models lacks the model." example:"key"`
}

// SearchState is the web-search service and whether it responds.
type SearchState struct {
	Provider  string `json:"provider" doc:"Name of the service; empty if there is none." example:"searxng"`
	Reachable bool   `json:"reachable" doc:"Whether it responds to a search." example:"true"`
	Reason    string `json:"reason,omitempty" enum:"quota,key,unreachable,failed" doc:"Why not; left out if it is reachable, or if there is none." example:"unreachable"`
}

// OCRState is what reads scanned pages.
type OCRState struct {
	Available bool     `json:"available" doc:"Whether scanned pages and pictures can be read." example:"true"`
	Languages []string `json:"languages" nullable:"false" doc:"Tesseract's names of the languages that are recognized." example:"[\"eng\"]"`
}

// QueueLengths are how many things wait or are in progress.
type QueueLengths struct {
	Index   int64 `json:"index" doc:"Texts that wait for the search index, counted up to 100,000." example:"0"`
	Replies int64 `json:"replies" doc:"Replies in progress." example:"2"`
	Imports int64 `json:"imports" doc:"Imports that wait or are in progress." example:"0"`
}

// ErrorCount is how often an error was returned.
type ErrorCount struct {
	Code  Code  `json:"code" doc:"The error code." example:"5001"`
	Count int64 `json:"count" doc:"How often." example:"3"`
}
