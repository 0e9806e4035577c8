package api

import (
	"net/http"

	"parley"
)

// routes is the whole API on one screen: what is called how, by whom, and which
// errors it can give beside those that any operation can.
func (a *API) routes() {
	const get, post, patch, del = http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete
	var (
		badEmail   = []error{parley.ErrNoSuchUser, parley.ErrWrongPassword, parley.ErrTooManyAttempts}
		taken      = []error{parley.ErrEmailTaken, parley.ErrRegistrationClosed}
		wrongPass  = []error{parley.ErrWrongPassword, parley.ErrTooManyAttempts}
		noLogin    = []error{parley.ErrNoSuchLogin}
		noSession  = []error{parley.ErrNoSuchSession}
		sendFails  = []error{parley.ErrNoSuchSession, parley.ErrTurnEnded, parley.ErrTurnBusy, parley.ErrSendFailed, parley.ErrAIUnavailable, parley.ErrReplyLate, parley.ErrSearchNotSetUp}
		noMessage  = []error{parley.ErrNoSuchMessage}
		notMarked  = []error{parley.ErrNoSuchSession, parley.ErrNotFavorable}
		noFavorite = []error{parley.ErrNoSuchFavorite}
		badFile    = []error{parley.ErrNoSuchSession, parley.ErrFileTooLarge, parley.ErrStorageFull, parley.ErrFormatUnsupported, parley.ErrFileUnreadable, parley.ErrFileNotStored}
		noFile     = []error{parley.ErrNoSuchFile}
		noPart     = []error{parley.ErrNoSuchFile, errNoSuchRange, errConditionFailed}
	)

	handle(a, route{post, "/api/auth/register", "register", "Register", open | waits, taken}, a.register)
	handle(a, route{post, "/api/auth/login", "login", "Log in", open | waits, badEmail}, a.login)
	handle(a, route{post, "/api/auth/logout", "logout", "Log out", private, nil}, a.logout)
	handle(a, route{get, "/api/user/info", "userInfo", "Get the current user", private, nil}, a.userInfo)
	handle(a, route{patch, "/api/user/info", "updateProfile", "Change nickname or avatar", private, nil}, a.updateProfile)
	handle(a, route{post, "/api/user/password", "changePassword", "Change the password", private | waits, wrongPass}, a.changePassword)
	handle(a, route{del, "/api/user", "deleteUser", "Delete the account", private | waits, wrongPass}, a.deleteUser)
	handle(a, route{get, "/api/user/tokens", "listTokens", "List one's logins", private, nil}, a.listTokens)
	handle(a, route{del, "/api/user/tokens/{token_id}", "endToken", "End one login", private, noLogin}, a.endToken)

	handle(a, route{post, "/api/chat/session", "createSession", "Create a session", private, nil}, a.createSession)
	handle(a, route{get, "/api/chat/sessions", "listSessions", "List and search sessions", private, nil}, a.listSessions)
	handle(a, route{patch, "/api/chat/session/{session_id}", "renameSession", "Rename a session", private, noSession}, a.renameSession)
	handle(a, route{del, "/api/chat/session/{session_id}", "deleteSession", "Delete a session", private, noSession}, a.deleteSession)
	handle(a, route{post, "/api/chat/session/{session_id}/clear", "clearSession", "Clear a session", private, noSession}, a.clearSession)
	handle(a, route{get, "/api/chat/messages", "listMessages", "Get a session's messages", private, noSession}, a.listMessages)
	handleRaw(a, route{get, "/api/chat/session/{session_id}/export", "exportSession", "Export a session", private, noSession}, exportDocument, a.exportSession)
	handle(a, route{post, "/api/chat/send", "send", "Send a message", private | waits, sendFails}, a.send)
	handleRaw(a, route{post, "/api/chat/stream", "stream", "Send a message and stream the reply", private | waits, sendFails}, streamDocument, a.stream)
	handleRaw(a, route{get, "/api/chat/stream/{message_id}", "follow", "Follow a reply, or read it again", private, noMessage}, streamDocument, a.followReply)
	handle(a, route{post, "/api/chat/stream/{message_id}/stop", "stop", "Stop a reply", private | waits, noMessage}, a.stopReply)
	handle(a, route{post, "/api/chat/session/{session_id}/regenerate", "regenerate", "Make the last reply anew", private | waits, sendFails}, a.regenerate)
	handle(a, route{get, "/api/models", "listModels", "List the models on offer", private, nil}, a.listModels)

	handle(a, route{post, "/api/favorites/add", "addFavorite", "Add a favorite", private, notMarked}, a.addFavorite)
	handle(a, route{del, "/api/favorites/remove", "removeFavorite", "Remove a favorite", private, noFavorite}, a.removeFavorite)
	handle(a, route{get, "/api/favorites/list", "listFavorites", "List favorites", private, nil}, a.listFavorites)

	handleUpload(a, route{post, "/api/files/upload", "uploadFile", "Upload a file", private, badFile}, a.uploadFile)
	handle(a, route{get, "/api/chat/session/{session_id}/files", "listFiles", "List a session's files", private, noSession}, a.listFiles)
	handleRaw(a, route{get, "/api/files/{file_id}", "downloadFile", "Download a file", private, noPart}, fileDocument, a.downloadFile)
	handle(a, route{del, "/api/files/{file_id}", "deleteFile", "Remove a file", private, noFile}, a.deleteFile)
}
