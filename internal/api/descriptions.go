package api

import "github.com/danielgtaylor/huma/v2"

// about is the introduction of the document.
const about = `A chat assistant over HTTP and JSON: accounts, chat sessions, AI replies, favorites and documents.

` +
	"Every response under /api is an envelope: error (0 is success), body (left out if there is no result), " +
	"message and success. " +
	"The message of an error is for people: English, or Chinese if Accept-Language prefers zh." + `
Times are Unix seconds, UTC. Unknown fields of a request are ignored; null is the same as absent,
unless the field says otherwise.

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
	{Name: "user", Description: "The current user, their logins and keys."},
	{Name: "chat", Description: "Sessions, messages and replies."},
	{Name: "search", Description: "Titles, messages and files that contain a text."},
	{Name: "shares", Description: "Links to snapshots of sessions."},
	{Name: "favorites", Description: "Messages worth keeping."},
	{Name: "prompts", Description: "Texts to send again and again."},
	{Name: "files", Description: "Documents for the assistant to read."},
	{Name: "import", Description: "Conversations from other services."},
	{Name: "models", Description: "The available models."},
	{Name: "admin", Description: "For administrators of the server. To others these paths do not exist."},
}

// description documents an operation.
type description struct{ summary, text string }

// descriptions documents the operations by id: what they do, and what a caller may rely on.
var descriptions = map[string]description{
	"register": {
		"Register",
		"Creates an account and logs it in. The e-mail address is compared without regard to case.",
	},
	"registrationStatus": {
		"See whether registration is open",
		"Tells whether people can register themselves, and whether the server has no account yet.",
	},
	"login": {
		"Log in",
		"Issues a token; each login has its own. If the account has a second factor, the right password without a code, " +
			"or with a wrong one, gets 1003 with the reason totp in its body: log in again with code. After 10 wrong " +
			"passwords or codes for one account from one address within 10 minutes, that address has to wait (1006).",
	},
	"resetStatus": {
		"See how to reset a password",
		"Tells whether the server sends links to set a new password by mail, and where users can sign in without one.",
	},
	"requestReset": {
		"Ask for a new password",
		"Sends a link to set a new password to the address, if an account has it. The response is the same if none has. " +
			"The link is good for 30 minutes and once, and ends earlier ones. One address gets at most three mails an " +
			"hour. The mail is in Chinese if Accept-Language prefers zh.",
	},
	"checkReset": {
		"See which account a link is for",
		"Returns the account of a link to set a new password, or of an invitation. The link stays good.",
	},
	"confirmReset": {
		"Set a new password by a link",
		"Sets the password of the account that the link is for. All its logins, keys and sign-ins under way end, at " +
			"once on all replicas. The second factor stays.",
	},
	"logout": {
		"Log out",
		"Ends the token of the request, at once and on every replica.",
	},
	"getSignOn": {
		"Get the provider of single sign-on",
		"Returns the name of the provider of OpenID Connect where users can sign in. A server without one has no such " +
			"path. To sign in, a browser goes to GET /api/auth/oidc/start, which sends it to the provider. It comes back to " +
			"/#login=CODE, to /#link=CODE if an account with the same e-mail address is to be linked, or to " +
			"/#login-error=REASON.",
	},
	"exchangeSignIn": {
		"Log in with the code of a sign-in",
		"Issues a token for the code that a browser has got. #login= has to be exchanged within 60 seconds, #link= within " +
			"10 minutes and with the password of the account to link, and a code of its second factor (totp) if it has one. " +
			"A code works once. An account is made if there is none.",
	},
	"userInfo": {
		"Get the current user",
		"Returns the account of the token or the key.",
	},
	"updateProfile": {
		"Change nickname, avatar or instructions",
		"Changes the given fields. The others stay the same.",
	},
	"changePassword": {
		"Change the password",
		"Sets a new password and ends every other token of the account. Keys stay.",
	},
	"deleteUser": {
		"Delete the account",
		"Deletes the account and all it owns: sessions, messages, favorites, files, shares, tokens and keys. An account " +
			"without a password needs a login that is less than 5 minutes old (1003).",
	},
	"setUpSecondFactor": {
		"Set up a second factor",
		"Makes a secret for an authenticator app (TOTP). Nothing changes until it is confirmed with a code of the app. " +
			"A former second factor stays until then, and one of its codes is needed. The password is needed too. An " +
			"account without one needs a login that is less than 5 minutes old (1003).",
	},
	"confirmSecondFactor": {
		"Turn the second factor on",
		"Confirms the set-up with the current code of the app. From now on a login needs a code. Returns ten recovery " +
			"codes, which are not shown again: each one logs in once in place of a code. Former ones end.",
	},
	"removeSecondFactor": {
		"Turn the second factor off",
		"A login needs only the password again. The recovery codes end. Without a second factor it changes nothing. An " +
			"account without a password needs a login that is less than 5 minutes old (1003).",
	},
	"exportAccount": {
		"Export the account",
		"Returns a zip archive of all that the account owns: the profile, the keys without their secrets, one's own " +
			"prompts, the favorites, the usage by day, every session as JSON and Markdown, and the files. Each session is of " +
			"one state. An account has one export at a time (5000 with HTTP 503).",
	},
	"listUsage": {
		"Sum up the account's usage",
		"Returns the tokens, replies and cost of the account by day or by model, and what is left of the day's quota if " +
			"there is one. The figures are those of the models' servers, or estimates if a server gives none. Deleting " +
			"sessions does not change them. Failed replies are not counted. The cost is computed when a reply is counted, " +
			"so a new price does not change earlier days.",
	},
	"listTokens": {
		"List the account's logins",
		"Lists the logins that have not ended, newest first.",
	},
	"endToken": {
		"End one login",
		"Ends one of the account's logins.",
	},
	"createKey": {
		"Create a key",
		"Returns a key for programs, which is used in the same header as a token. It is not shown again: only a hash of it " +
			"is stored. A key may do what its scopes allow, until it is deleted, expires, or the account is deleted or " +
			"disabled. It outlives a change of the password. No key can manage keys and logins, change the profile or the " +
			"password, or delete the account (1001 with HTTP 403). An account has at most 50 keys.",
	},
	"listKeys": {
		"List the account's keys",
		"Lists the keys that have not ended, newest first.",
	},
	"deleteKey": {
		"Delete a key",
		"Ends the key at once, on every replica, with its open streams.",
	},
	"createSession": {
		"Create a session",
		"Without a title, the session is called \"New chat\" until its first message gives it one.",
	},
	"listSessions": {
		"List and search sessions",
		"Lists sessions, latest activity first. With a keyword, lists those whose title or messages contain it, " +
			"archived or not.",
	},
	"search": {
		"Search titles, messages and files",
		"Lists the titles, the messages and the files that contain a text, newest first, with the place of the match. Each " +
			"message and each file is listed once. A file is found by its name or its text. What was stored before the " +
			"request is found; messages that are set aside as versions are not.",
	},
	"getSession": {
		"Get a session",
		"Returns one session, as the list shows it, with its instructions.",
	},
	"updateSession": {
		"Change a session",
		"Changes the given fields: title, pinned, archived, instructions. The others stay the same. A message that is " +
			"sent to an archived session brings it back.",
	},
	"deleteSession": {
		"Delete a session",
		"Deletes the session with its messages, favorites, files and shares, and ends a reply in progress.",
	},
	"clearSession": {
		"Clear a session",
		"Deletes all messages of the session with their favorites, ends a reply in progress, and keeps the session and " +
			"its files.",
	},
	"listMessages": {
		"Get a session's messages",
		"Lists messages, oldest first. A reply in progress has its text so far and the status \"pending\".",
	},
	"exportSession": {
		"Export a session",
		"Returns the whole session, as a Markdown document, as one HTML page that needs nothing else, or as JSON.",
	},
	"forkSession": {
		"Fork a session",
		"Copies the visible messages up to one of them to a new session, which has the same title, instructions and " +
			"files, and the same time at which it is deleted. The files are shared, so they take no further storage. " +
			"Favorites, shares and versions are not copied, and the session that is forked does not change. A fork has at " +
			"most 2,000 messages and 16 MiB of text.",
	},
	"shareSession": {
		"Share a session",
		"Stores a snapshot of the visible messages and returns a link to it, which anyone can read. Files, the names of " +
			"files and, unless asked for, thinking are left out, and so is a turn whose reply is in progress. A share does " +
			"not change when the session does. It ends when it is withdrawn, when it expires, or when the session or the " +
			"account is deleted. It has at most 2,000 messages and 4 MiB of text, and a user at most 200 shares.",
	},
	"listShares": {
		"List your shares",
		"Lists the shares that have not ended, newest first.",
	},
	"deleteShare": {
		"Withdraw a share",
		"Ends the share, at once and on every replica.",
	},
	"readShare": {
		"Read a share",
		"Returns a shared session. No token is needed. An unknown, withdrawn or expired share is 2001, and so is every " +
			"share if sharing is turned off.",
	},
	"send": {
		"Send a message",
		"Stores the question and its reply: both or nothing. With replaces, the question is another version of an earlier " +
			"one: that question and what follows it are set aside, and shown again if the reply fails. A session handles one " +
			"question at a time; further questions wait in a queue. If the reply takes longer than the time limit, the " +
			"response is 5001 with HTTP 504 and the reply continues; body then holds the ids and the text so far.",
	},
	"stream": {
		"Send a message and stream the reply",
		"Takes the input of send and responds with server-sent events: start (the two ids), sources, thinking, delta, " +
			"restart (the reply starts again: discard the text so far), done (the body of send) or error. The id of an event " +
			"is a position in the reply; send the last one as Last-Event-ID to resume. An error before the first event is an " +
			"ordinary envelope. A client that disconnects does not end the reply. If the model fails after the first word, " +
			"the text so far is kept with the status \"interrupted\". With continue, the last reply is continued: delta has " +
			"only the new text.",
	},
	"follow": {
		"Follow a reply, or read it again",
		"Streams the same events for a reply that is in progress or complete: from the beginning, or from after " +
			"Last-Event-ID.",
	},
	"stop": {
		"Stop a reply",
		"Ends the reply and keeps its text so far, with the status \"stopped\". A finished reply is not changed.",
	},
	"regenerate": {
		"Regenerate the last reply",
		"Generates the last reply of the session again. It keeps its id and its favorite; the old text stays until the new " +
			"one is complete, and is then another version of the reply.",
	},
	"continueReply": {
		"Continue the last reply",
		"Continues the last reply of the session, if it was stopped or interrupted or has the finish length, under the " +
			"same id. The response has the whole text. If it fails, the reply stays as it was. Nothing to continue is " +
			"2002 with HTTP 409.",
	},
	"showVersion": {
		"Show a version of a message",
		"Shows a version of the message and the messages that followed it when it was last shown. Without version, shows " +
			"the message itself, if it is set aside. While a reply of the session is in progress, the request waits.",
	},
	"rateReply": {
		"Rate a reply",
		"Keeps what the user thinks of a finished reply, for its visible version. Administrators see how many replies of " +
			"each model were rated so, and nothing else.",
	},
	"listModels": {
		"List the available models",
		"Lists the names that a send accepts as model, the default first.",
	},
	"createPrompt": {
		"Keep a prompt",
		"Keeps a text that is sent again and again. Blanks in it are written {{name}}; the client asks for them. " +
			"Administrators can offer a prompt to all users, with shared.",
	},
	"listPrompts": {
		"List prompts",
		"Lists the user's own prompts, newest first, and then those that administrators offer to all users.",
	},
	"updatePrompt": {
		"Change a prompt",
		"Changes the given fields of one's own prompt.",
	},
	"deletePrompt": {
		"Delete a prompt",
		"Deletes one's own prompt, for all if it was offered to all users.",
	},
	"addFavorite": {
		"Add a favorite",
		"Marks a message. Marking it again returns the same favorite.",
	},
	"removeFavorite": {
		"Remove a favorite",
		"Removes the mark of a message. message_id is given in the query or in the body.",
	},
	"listFavorites": {
		"List favorites",
		"Lists favorites, newest first. With a keyword, lists those whose text contains it.",
	},
	"uploadFile": {
		"Upload a file",
		"Stores a document for the assistant to read. Its text is given to the model with the next messages of the " +
			"session. A picture (PNG, JPEG, WebP, GIF) goes with the next question. The parts may come in either order.",
	},
	"listFiles": {
		"List a session's files",
		"Lists the session's files, oldest first.",
	},
	"downloadFile": {
		"Download a file",
		"Returns the file's bytes as an attachment. Ranges are supported.",
	},
	"showPicture": {
		"Show a picture",
		"Returns a picture of the session without its metadata, upright, scaled down, as JPEG or PNG. The original is what " +
			"a download returns.",
	},
	"readFile": {
		"Read a file's text",
		"Returns a page of the file's text, as a model gets it, by its number or by what it contains.",
	},
	"deleteFile": {
		"Delete a file",
		"Deletes the file. If a session with the file was forked, it goes from all of these sessions, or with session_id " +
			"from one of them.",
	},
	"startImport": {
		"Import conversations",
		"Stores an export of ChatGPT, Open WebUI, LibreChat or this service, as JSON or zip, and imports its conversations " +
			"in the background: each becomes a session with its title and times. One that is already here is skipped. " +
			"Another kind of file is 2004. A user can have one import at a time (1006).",
	},
	"getImport": {
		"Get the progress of an import",
		"Returns how far an import is and which conversations it has skipped. The last ten imports are kept.",
	},
	"claimAdmin": {
		"Become the first administrator",
		"Makes the user an administrator by the code that a server without one writes to its log when it starts. The " +
			"code works once, within an hour. Wrong codes count as wrong passwords (1003, then 1006).",
	},
	"listUsers": {
		"List or search accounts",
		"Lists accounts, newest first, or those with the keyword in their e-mail address or nickname. Nothing here shows " +
			"what users have written or uploaded.",
	},
	"listTotalUsage": {
		"Sum up the usage of all users",
		"Returns the tokens, replies and cost of all users by day, by model, or by user: then the 100 users with the most " +
			"tokens. What deleted accounts have used is not in it.",
	},
	"listAudit": {
		"List the audit log",
		"Lists entries of the audit log, newest first: what was done to accounts, what users have deleted or shared, and " +
			"which logins failed. To read on, give the id of the last entry as before. A page costs the same wherever it is.",
	},
	"getOverview": {
		"Get the state of the server",
		"Returns what the server consists of and how it is: replicas, database, files, models, web search, queues, and " +
			"the errors of this replica in the last hour. Models are checked at most every 30 seconds, which may take up to 5 " +
			"seconds.",
	},
	"addUser": {
		"Invite somebody",
		"Creates an account without a password, also if registration is closed, and returns a link to choose the " +
			"password. It works once, within 7 days. Until then nobody can log in. If the server sends mail, the link is " +
			"sent to the address too, in Chinese if Accept-Language prefers zh. Whoever was invited before and has not " +
			"chosen a password gets a new link in place of the former one, with the role of this request and, if there is " +
			"one, its nickname.",
	},
	"disableUser": {
		"Disable an account",
		"Ends all its logins and keys and refuses new ones, at once on all replicas. Nothing of it is deleted.",
	},
	"enableUser": {
		"Enable an account",
		"Allows a disabled account to log in again.",
	},
	"resetUserPassword": {
		"Reset a password",
		"Gives an account a new random password. All its logins, keys and sign-ins under way end, at once on all " +
			"replicas. Administrators change their own password with the former one.",
	},
	"setUserQuota": {
		"Set a quota",
		"Sets what an account may use in a day of UTC.",
	},
	"promoteUser": {
		"Make an account an administrator",
		"Makes an account an administrator, from its next request on.",
	},
	"demoteUser": {
		"Make an administrator an ordinary user",
		"Takes the rights of an administrator away, from the next request on. Administrators can't demote themselves, so " +
			"one always remains.",
	},
	"removeUser": {
		"Delete an account",
		"Deletes an account and all it owns, at once.",
	},
	"getSettings": {
		"Get the settings",
		"Returns the settings that can be changed while the server runs, as they are in force.",
	},
	"listConnectedModels": {
		"List the models with their servers",
		"Returns all models on offer, where each comes from, and the address of its server. Keys are never returned.",
	},
	"testModel": {
		"Try a model server",
		"Calls a server: whether it can be reached and takes the key, which models it lists, and the first word of one of " +
			"them if it is named, with its time. Nothing is stored.",
	},
	"connectModel": {
		"Connect a model",
		"Stores the server of a model and offers the model from now on, on every replica within 2 seconds and without a " +
			"restart. Basic and enhanced models that nobody has connected follow the default one. What the configuration sets " +
			"can't be changed (1001). The key is stored encrypted.",
	},
	"disconnectModel": {
		"Disconnect a model",
		"Removes a connected model and its key. The default model is then a local Ollama that was there when the server " +
			"started, or the built-in one; the basic and the enhanced one follow the default.",
	},
	"getSearchService": {
		"Get the web-search service",
		"Returns the service that searches the web, and where its settings come from.",
	},
	"testSearchService": {
		"Try a web-search service",
		"Runs one search. Nothing is stored.",
	},
	"connectSearchService": {
		"Connect a web-search service",
		"Stores the service that searches the web, in force on every replica within 2 seconds. What the configuration sets " +
			"can't be changed (1001). The key is stored encrypted.",
	},
	"disconnectSearchService": {
		"Disconnect the web-search service",
		"Removes the service and its key. Replies then have no web search.",
	},
	"getEmbeddingsServer": {
		"Get the embeddings server",
		"Returns the server that turns passages of documents into vectors, and where its settings come from.",
	},
	"testEmbeddingsServer": {
		"Try an embeddings server",
		"Makes one vector. Nothing is stored.",
	},
	"connectEmbeddingsServer": {
		"Connect an embeddings server",
		"Stores the server that turns passages into vectors, in force on every replica within 2 seconds. The vectors of " +
			"files are made in the background. What the configuration sets can't be changed (1001). The key is stored " +
			"encrypted.",
	},
	"disconnectEmbeddingsServer": {
		"Disconnect the embeddings server",
		"Removes the server and its key. Passages are then found by words alone.",
	},
	"updateSettings": {
		"Change settings",
		"Changes the given settings, all or none; null goes back to the default. Every replica takes them up within 2 " +
			"seconds. A setting in fixed can't be changed (1001). A retention that deletes sessions has to be repeated with " +
			"confirm (2002 with HTTP 409, with their number). It deletes nothing within the first hour.",
	},
}
