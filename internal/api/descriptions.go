package api

import "github.com/danielgtaylor/huma/v2"

// about is the introduction of the document.
const about = `A chat assistant over HTTP and JSON: accounts, chat sessions, AI replies, favorites and documents.

` +
	"Every answer under /api is one envelope: error (0 is success), body (left out where there is nothing to say), " +
	"message and success." + `
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

// description documents an operation.
type description struct{ summary, text string }

// descriptions documents the operations by id: what they do, and what a caller may rely on.
var descriptions = map[string]description{
	"register": {
		"Register",
		"Creates an account and logs it in. The e-mail address is compared without regard to case.",
	},
	"login": {
		"Log in",
		"Issues a token; each login has its own. After 10 wrong passwords for one account from one address within 10 " +
			"minutes that address has to wait (1006).",
	},
	"logout": {
		"Log out",
		"Ends the token that the request carries, at once and on every replica.",
	},
	"userInfo": {
		"Get the current user",
		"The account that the token stands for.",
	},
	"updateProfile": {
		"Change nickname or avatar",
		"Changes what is given and leaves the rest.",
	},
	"changePassword": {
		"Change the password",
		"Sets a new password and ends every other token of the account.",
	},
	"deleteUser": {
		"Delete the account",
		"Deletes the account and all it owns: sessions, messages, favorites, files and tokens.",
	},
	"listTokens": {
		"List one's logins",
		"The logins of the account that have not ended, newest first.",
	},
	"endToken": {
		"End one login",
		"Ends one of the account's logins.",
	},
	"createSession": {
		"Create a session",
		"Without a title the session is called \"New chat\" until its first message gives it one.",
	},
	"listSessions": {
		"List and search sessions",
		"Latest activity first. With a keyword: the sessions whose title or one of whose messages holds it.",
	},
	"renameSession": {
		"Rename a session",
		"Gives the session another title.",
	},
	"deleteSession": {
		"Delete a session",
		"Removes the session with its messages, favorites and files, and ends a reply being made.",
	},
	"clearSession": {
		"Clear a session",
		"Removes all messages of the session with their favorites, ends a reply being made, and keeps the session and " +
			"its files.",
	},
	"listMessages": {
		"Get a session's messages",
		"Oldest first. A reply that is still being made shows its text so far and has status \"pending\".",
	},
	"exportSession": {
		"Export a session",
		"The whole session, as a Markdown document or as JSON.",
	},
	"send": {
		"Send a message",
		"Stores the question and its reply: both or nothing. One question at a time is answered in a session; further " +
			"ones wait their turn. A reply that takes longer than the time limit is answered with 5001 and HTTP 504 and goes " +
			"on being made; body then holds the ids and the text so far.",
	},
	"stream": {
		"Send a message and stream the reply",
		"Takes what send takes and answers with server-sent events: start (the two ids), sources, thinking, delta, " +
			"restart (the reply is made anew: drop what you have), done (what send returns) or error. Each event's id says " +
			"how far the reader has come; give the last one as Last-Event-ID to go on elsewhere. An error before the first " +
			"event is an ordinary envelope. A reader who leaves does not end the reply.",
	},
	"follow": {
		"Follow a reply, or read it again",
		"The same events for a reply that is being made or is complete: from the beginning, or exactly the rest after " +
			"Last-Event-ID.",
	},
	"stop": {
		"Stop a reply",
		"Ends the reply and keeps what was said so far. On a finished reply it changes nothing.",
	},
	"regenerate": {
		"Make the last reply anew",
		"Makes the last reply of the session anew. It keeps its id and its favorite; the old text stays until the new " +
			"one is complete.",
	},
	"listModels": {
		"List the models on offer",
		"The names that a send may give as model, the default first.",
	},
	"addFavorite": {
		"Add a favorite",
		"Marks a message. Marking it again returns the same favorite.",
	},
	"removeFavorite": {
		"Remove a favorite",
		"Takes the mark off a message. message_id stands in the query or in the body.",
	},
	"listFavorites": {
		"List favorites",
		"Newest first.",
	},
	"uploadFile": {
		"Upload a file",
		"Takes a document for the assistant to read; its text is given to the model with the next messages of the " +
			"session. The parts may come in either order.",
	},
	"listFiles": {
		"List a session's files",
		"The session's files, oldest first.",
	},
	"downloadFile": {
		"Download a file",
		"The file's bytes, as an attachment. Ranges are supported.",
	},
	"deleteFile": {
		"Remove a file",
		"Removes the file from its session.",
	},
}
