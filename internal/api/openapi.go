package api

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"parley"
)

// humaConfig is huma without its own ideas of formats, errors and extra fields.
func humaConfig() huma.Config {
	schemas := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	config := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Parley", Version: parley.APIVersion, Description: about,
				License: &huma.License{Name: "MIT", Identifier: "MIT"},
			},
			Servers: []*huma.Server{{URL: "/", Description: "This server"}},
			Tags:    tags,
			Components: &huma.Components{
				Schemas: schemas,
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"token": {Type: "http", Scheme: "bearer", Description: "The token that registering or logging in returns."},
				},
			},
		},
		Formats:       map[string]huma.Format{"application/json": {Marshal: encodeJSON, Unmarshal: decodeJSON}},
		DefaultFormat: "application/json",
	}
	config.AllowAdditionalPropertiesByDefault = true
	return config
}

const about = `A chat assistant over HTTP and JSON: accounts, chat sessions, AI replies, favorites and documents.

Every answer under /api is one envelope: error (0 is success), body (left out where there is nothing to say), message and success.
Times are Unix seconds, UTC. Unknown fields of a request are passed over; null is the same as absent.

| error | meaning |
|---|---|
| 0 | success |
| 1001 | invalid parameter; the message names the field and the rule |
| 1002 | user does not exist |
| 1003 | wrong password |
| 1004 | e-mail already exists |
| 1005 | token invalid or expired |
| 1006 | too many attempts or requests; see Retry-After |
| 2001 | session does not exist |
| 2002 | sending the message failed |
| 2003 | file upload failed |
| 2004 | file format not supported |
| 2005 | file size exceeds the limit |
| 3001 | adding the favorite failed |
| 3002 | favorite record does not exist |
| 5000 | internal server error |
| 5001 | AI service unavailable |
| 5002 | web-search service unavailable |
`

var tags = []*huma.Tag{
	{Name: "auth", Description: "Registering, logging in and out."},
	{Name: "user", Description: "The current user and their logins."},
	{Name: "chat", Description: "Sessions, messages and replies."},
	{Name: "favorites", Description: "Messages worth keeping."},
	{Name: "files", Description: "Documents for the assistant to read."},
	{Name: "models", Description: "What can answer."},
}

// tagOf is the second part of a path.
func tagOf(path string) string { return strings.Split(path, "/")[2] }

// descriptions say what a caller may rely on, by operation.
var descriptions = map[string]string{
	"register":       "Creates an account and logs it in. The e-mail address is compared without regard to case.",
	"login":          "Issues a token; each login has its own. After 10 wrong passwords for one account from one address within 10 minutes that address has to wait (1006).",
	"logout":         "Ends the token that the request carries, at once and on every replica.",
	"userInfo":       "The account that the token stands for.",
	"updateProfile":  "Changes what is given and leaves the rest.",
	"changePassword": "Sets a new password and ends every other token of the account.",
	"deleteUser":     "Deletes the account and all it owns: sessions, messages, favorites, files and tokens.",
	"listTokens":     "The logins of the account that have not ended, newest first.",
	"endToken":       "Ends one of the account's logins.",
	"createSession":  "Without a title the session is called \"New chat\" until its first message gives it one.",
	"listSessions":   "Latest activity first. With a keyword: the sessions whose title or one of whose messages holds it.",
	"renameSession":  "Gives the session another title.",
	"deleteSession":  "Removes the session with its messages, favorites and files, and ends a reply being made.",
	"clearSession":   "Removes all messages of the session with their favorites, ends a reply being made, and keeps the session and its files.",
	"listMessages":   "Oldest first. A reply that is still being made shows its text so far and has status \"pending\".",
	"exportSession":  "The whole session, as a Markdown document or as JSON.",
	"send": "Stores the question and its reply: both or nothing. One question at a time is answered in a session; further ones wait their turn. " +
		"A reply that takes longer than the time limit is answered with 5001 and HTTP 504 and goes on being made; body then holds the ids and the text so far.",
	"stream": "Takes what send takes and answers with server-sent events: start (the two ids), sources, thinking, delta, restart (the reply is made anew: drop what you have), done (what send returns) or error. " +
		"Each event's id says how far the reader has come; give the last one as Last-Event-ID to go on elsewhere. An error before the first event is an ordinary envelope. A reader who leaves does not end the reply.",
	"follow":         "The same events for a reply that is being made or is complete: from the beginning, or exactly the rest after Last-Event-ID.",
	"stop":           "Ends the reply and keeps what was said so far. On a finished reply it changes nothing.",
	"regenerate":     "Makes the last reply of the session anew. It keeps its id and its favorite; the old text stays until the new one is complete.",
	"listModels":     "The names that a send may give as model, the default first.",
	"addFavorite":    "Marks a message. Marking it again returns the same favorite.",
	"removeFavorite": "Takes the mark off a message. message_id stands in the query or in the body.",
	"listFavorites":  "Newest first.",
	"uploadFile":     "Takes a document for the assistant to read; its text is given to the model with the next messages of the session. The parts may come in either order.",
	"listFiles":      "The session's files, oldest first.",
	"downloadFile":   "The file's bytes, as an attachment. Ranges are supported.",
	"deleteFile":     "Removes the file from its session.",
}

// failures describes the errors of a route by their HTTP status.
func (a *API) failures(r route) map[string]*huma.Response {
	all := append(slices.Clone(r.errors),
		parley.Invalid("an input breaks a rule"), parley.ErrTooManyRequests,
		parley.ErrInternal, parley.ErrOverloaded, parley.ErrTimeout)
	if r.access&private != 0 {
		all = append(all, parley.ErrBadToken)
	}
	if r.method != http.MethodGet {
		all = append(all, errBodyTooLarge, errBodyEncoding)
	}
	schema := a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[failure](), true, "Failure")
	responses := map[string]*huma.Response{}
	for _, err := range all {
		f := asFailure(err)
		key := strconv.Itoa(f.status)
		line := fmt.Sprintf("%d: %s", f.Code, f.Message)
		if known := responses[key]; known != nil {
			known.Description += "\n\n" + line
			continue
		}
		responses[key] = &huma.Response{
			Description: line,
			Content: map[string]*huma.MediaType{"application/json": {
				Schema:  schema,
				Example: map[string]any{"error": int(f.Code), "message": f.Message, "success": false},
			}},
		}
	}
	return responses
}

// exportDocument describes the two forms of an export.
func exportDocument(op *huma.Operation) {
	op.Responses["200"] = &huma.Response{
		Description: "The session.",
		Content: map[string]*huma.MediaType{
			"text/markdown":    {Schema: &huma.Schema{Type: huma.TypeString}},
			"application/json": {Schema: &huma.Schema{Ref: "#/components/schemas/AnswerExport"}},
		},
	}
}

// streamDocument describes a stream of events.
func streamDocument(op *huma.Operation) {
	op.Responses["200"] = &huma.Response{
		Description: "Server-sent events: start, sources, thinking, delta, restart, done, error.",
		Content:     map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}},
	}
}

// fileDocument describes a file's bytes.
func fileDocument(op *huma.Operation) {
	bytes := map[string]*huma.MediaType{"*/*": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}
	op.Responses["200"] = &huma.Response{Description: "The file's bytes; Content-Type is its media type.", Content: bytes}
	op.Responses["206"] = &huma.Response{Description: "The part that Range asks for.", Content: bytes}
	op.Responses["304"] = &huma.Response{Description: "Not changed since If-Modified-Since."}
}

// uploadBody describes the multipart body, which huma does not read.
func uploadBody() *huma.RequestBody {
	return &huma.RequestBody{
		Required: true,
		Content: map[string]*huma.MediaType{"multipart/form-data": {Schema: &huma.Schema{
			Type:     huma.TypeObject,
			Required: []string{"file", "session_id"},
			Properties: map[string]*huma.Schema{
				"file":       {Type: huma.TypeString, Format: "binary", Description: "The document. Its type is found from its bytes; its name only tells one kind of text from another."},
				"session_id": {Type: huma.TypeString, Description: "The session to associate it with."},
			},
		}}},
	}
}
