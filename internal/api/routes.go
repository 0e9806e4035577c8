package api

import (
	"net/http"

	"parley"
)

// routes registers the whole API: method, path, id, who may call it, and the errors in addition to those that
// every operation can return.
func (a *API) routes() {
	const get, post, patch, del = http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete
	const session, message = "/api/chat/session/{session_id}", "/api/chat/message/{message_id}"
	var (
		badLogin = []error{
			parley.ErrNoSuchUser, parley.ErrWrongPassword, parley.ErrDisabled, parley.ErrTooManyAttempts,
		}
		taken     = []error{parley.ErrEmailTaken, parley.ErrRegistrationClosed}
		wrongPass = []error{parley.ErrWrongPassword, parley.ErrTooManyAttempts}
		exporting = []error{parley.ErrTooManyExports}
		noLogin   = []error{parley.ErrNoSuchLogin}
		noSession = []error{parley.ErrNoSuchSession}
		sendFails = []error{
			parley.ErrNoSuchSession, parley.ErrTurnEnded, parley.ErrTurnBusy, parley.ErrShuttingDown,
			parley.ErrSendFailed, parley.ErrQuotaUsed, parley.ErrQuotaReserved,
			parley.ErrAIUnavailable, parley.ErrReplyLate, parley.ErrSearchNotSetUp,
		}
		noVersion = []error{parley.ErrNoSuchMessage, parley.ErrTurnBusy, parley.ErrShuttingDown}
		noSharing = []error{
			parley.ErrNoSuchSession, parley.ErrSharingOff, parley.ErrNothingToShare, parley.ErrShareTooLarge,
			parley.ErrTooManyShares,
		}
		noShare    = []error{parley.ErrNoSuchShare}
		noMessage  = []error{parley.ErrNoSuchMessage}
		notMarked  = []error{parley.ErrNoSuchSession, parley.ErrNotInSession}
		noFavorite = []error{parley.ErrNoSuchFavorite}
		badFile    = []error{
			parley.ErrNoSuchSession, parley.ErrFileTooLarge, parley.ErrStorageFull, parley.ErrFormatUnsupported,
			parley.ErrFileUnreadable, parley.ErrFileNotStored,
		}
		badImport = []error{
			parley.ErrImportOpen, parley.ErrFileTooLarge, parley.ErrFormatUnsupported, parley.ErrFileUnreadable,
			parley.ErrFileNotStored,
		}
		noImport = []error{parley.ErrNoSuchImport}
		noFile   = []error{parley.ErrNoSuchFile}
		noPart   = []error{parley.ErrNoSuchFile, errNoSuchRange, errConditionFailed}
	)

	handle(a, route{post, "/api/auth/register", "register", open | waits, taken}, a.register)
	handle(a, route{post, "/api/auth/login", "login", open | waits, badLogin}, a.login)
	handle(a, route{post, "/api/auth/logout", "logout", private, nil}, a.logout)
	handle(a, route{get, "/api/user/info", "userInfo", private, nil}, a.userInfo)
	handle(a, route{patch, "/api/user/info", "updateProfile", private, nil}, a.updateProfile)
	handle(a, route{post, "/api/user/password", "changePassword", private | waits, wrongPass}, a.changePassword)
	handle(a, route{del, "/api/user", "deleteUser", private | waits, wrongPass}, a.deleteUser)
	handleRaw(a, route{get, "/api/user/export", "exportAccount", private, exporting}, archiveDocument, a.exportAccount)
	handle(a, route{get, "/api/user/usage", "listUsage", private, nil}, a.listUsage)
	handle(a, route{get, "/api/user/tokens", "listTokens", private, nil}, a.listTokens)
	handle(a, route{del, "/api/user/tokens/{token_id}", "endToken", private, noLogin}, a.endToken)

	handle(a, route{post, "/api/chat/session", "createSession", private, nil}, a.createSession)
	handle(a, route{get, "/api/chat/sessions", "listSessions", private, nil}, a.listSessions)
	handle(a, route{get, session, "getSession", private, noSession}, a.getSession)
	handle(a, route{patch, session, "updateSession", private, noSession}, a.updateSession)
	handle(a, route{del, session, "deleteSession", private, noSession}, a.deleteSession)
	handle(a, route{post, session + "/clear", "clearSession", private, noSession}, a.clearSession)
	handlePieces[parley.MessagesOutput](a,
		route{get, "/api/chat/messages", "listMessages", private, noSession}, a.listMessages)
	handleExport(a, route{get, session + "/export", "exportSession", private, noSession}, a.exportSession)
	handle(a, route{post, session + "/share", "shareSession", private, noSharing}, a.shareSession)
	handle(a, route{post, "/api/chat/send", "send", private | waits, sendFails}, a.send)
	handleRaw(a, route{post, "/api/chat/stream", "stream", private | waits, sendFails}, streamDocument, a.stream)
	handleRaw(a, route{get, "/api/chat/stream/{message_id}", "follow", private, noMessage}, streamDocument, a.followReply)
	handle(a, route{post, "/api/chat/stream/{message_id}/stop", "stop", private | waits, noMessage}, a.stopReply)
	handle(a, route{post, session + "/regenerate", "regenerate", private | waits, sendFails}, a.regenerate)
	handle(a, route{post, session + "/continue", "continueReply", private | waits, sendFails}, a.continueReply)
	handle(a, route{post, message + "/version", "showVersion", private | waits, noVersion}, a.showVersion)
	handle(a, route{get, "/api/models", "listModels", private, nil}, a.listModels)
	handle(a, route{get, "/api/search", "search", private, noSession}, a.search)

	handle(a, route{get, "/api/shares", "listShares", private, nil}, a.listShares)
	handle(a, route{del, "/api/shares/{share_id}", "deleteShare", private, noShare}, a.deleteShare)
	handlePieces[parley.SharedSession](a, route{get, "/api/share/{share_id}", "readShare", open, noShare}, a.readShare)

	handle(a, route{post, "/api/favorites/add", "addFavorite", private, notMarked}, a.addFavorite)
	handle(a, route{del, "/api/favorites/remove", "removeFavorite", private, noFavorite}, a.removeFavorite)
	handlePieces[parley.FavoritesOutput](a,
		route{get, "/api/favorites/list", "listFavorites", private, nil}, a.listFavorites)

	handleUpload(a, route{post, uploadPath, "uploadFile", private, badFile},
		uploads{maxUploads, maxUserUploads, uploadBody()}, a.uploadFile)
	handle(a, route{get, session + "/files", "listFiles", private, noSession}, a.listFiles)
	handleRaw(a, route{get, "/api/files/{file_id}", "downloadFile", private, noPart}, fileDocument, a.downloadFile)
	handle(a, route{del, "/api/files/{file_id}", "deleteFile", private, noFile}, a.deleteFile)

	handleUpload(a, route{post, importPath, "startImport", private, badImport},
		uploads{maxImports, 1, importBody()}, a.startImport)
	handle(a, route{get, importPath + "/{import_id}", "getImport", private, noImport}, a.getImport)
}
