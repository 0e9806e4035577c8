package api

import (
	"net/http"

	"parley"
)

// routes registers the whole API: method, path, id, who may call it, and the errors that come on top of those of
// every operation.
func (a *API) routes() {
	const get, post, patch, del = http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete
	const session, message = "/api/chat/session/{session_id}", "/api/chat/message/{message_id}"
	var (
		badLogin = []error{
			parley.ErrNoSuchUser, parley.ErrWrongPassword, parley.ErrCodeNeeded, parley.ErrWrongCode, parley.ErrDisabled,
			parley.ErrTooManyAttempts,
		}
		noSignOn  = []error{errNoSuchPath}
		badSignIn = []error{
			parley.ErrBadSignIn, parley.ErrWrongPassword, parley.ErrCodeNeeded, parley.ErrWrongCode,
			parley.ErrRegistrationClosed, parley.ErrDisabled, parley.ErrTooManyAttempts,
		}
		noMail    = []error{parley.ErrNoMail}
		badReset  = []error{parley.ErrBadReset}
		needsCode = []error{
			parley.ErrWrongPassword, parley.ErrSignInAgain, parley.ErrCodeNeeded, parley.ErrWrongCode,
			parley.ErrTooManyAttempts,
		}
		wrongCode = []error{parley.ErrNoSetUp, parley.ErrWrongCode, parley.ErrTooManyAttempts}
		taken     = []error{parley.ErrEmailTaken, parley.ErrRegistrationClosed}
		wrongPass = []error{parley.ErrWrongPassword, parley.ErrTooManyAttempts}
		notOwner  = []error{parley.ErrWrongPassword, parley.ErrSignInAgain, parley.ErrTooManyAttempts}
		exporting = []error{parley.ErrTooManyExports}
		noLogin   = []error{parley.ErrNoSuchLogin}
		tooMany   = []error{parley.ErrTooManyKeys}
		noKey     = []error{parley.ErrNoSuchKey}
		noSession = []error{parley.ErrNoSuchSession}
		sendFails = []error{
			parley.ErrNoSuchSession, parley.ErrTurnEnded, parley.ErrTurnBusy, parley.ErrShuttingDown,
			parley.ErrSendFailed, parley.ErrQuotaUsed, parley.ErrQuotaReserved,
			parley.ErrAIUnavailable, parley.ErrReplyLate, parley.ErrSearchNotSetUp,
		}
		notRated  = []error{parley.ErrNoSuchMessage, parley.ErrReplyOpen}
		noVersion = []error{parley.ErrNoSuchMessage, parley.ErrTurnBusy, parley.ErrShuttingDown}
		noSharing = []error{
			parley.ErrNoSuchSession, parley.ErrSharingOff, parley.ErrNothingToShare, parley.ErrShareTooLarge,
			parley.ErrTooManyShares, parley.ErrTemporaryShare,
		}
		noFork = []error{
			parley.ErrNoSuchSession, parley.ErrNoSuchMessage, parley.ErrForkOpen, parley.ErrForkTooLarge, parley.ErrForkBusy,
		}
		noShare    = []error{parley.ErrNoSuchShare}
		noMessage  = []error{parley.ErrNoSuchMessage}
		notMarked  = []error{parley.ErrNoSuchSession, parley.ErrNotInSession, parley.ErrTemporaryFavorite}
		noFavorite = []error{parley.ErrNoSuchFavorite}
		badPrompt  = []error{parley.ErrTooManyPrompts, parley.ErrPromptForAll}
		notPrompt  = []error{parley.ErrNoSuchPrompt, parley.ErrPromptForAll}
		noPrompt   = []error{parley.ErrNoSuchPrompt}
		badFile    = []error{
			parley.ErrNoSuchSession, parley.ErrFileTooLarge, parley.ErrStorageFull, parley.ErrFormatUnsupported,
			parley.ErrFileUnreadable, parley.ErrFileNotStored, parley.ErrQuotaUsed, parley.ErrQuotaReserved,
			parley.ErrAIUnavailable,
		}
		badImport = []error{
			parley.ErrImportOpen, parley.ErrFileTooLarge, parley.ErrFormatUnsupported, parley.ErrFileUnreadable,
			parley.ErrFileNotStored,
		}
		noImport = []error{parley.ErrNoSuchImport}
		noFile   = []error{parley.ErrNoSuchFile}
		noPage   = []error{parley.ErrNoSuchFile, parley.ErrNoSuchPage}
		noPart   = []error{parley.ErrNoSuchFile, errNoSuchRange, errConditionFailed}

		noPicture = []error{parley.ErrNoSuchFile, parley.ErrNoSuchPicture, errNoSuchRange, errConditionFailed}
	)

	handle(a, route{get, "/api/auth/registration", "registrationStatus", open, nil}, a.registrationStatus)
	handle(a, route{post, "/api/auth/register", "register", open | waits, taken}, a.register)
	handle(a, route{post, "/api/auth/login", "login", open | waits, badLogin}, a.login)
	handle(a, route{post, "/api/auth/logout", "logout", private, nil}, a.logout)
	handle(a, route{get, "/api/auth/oidc", "getSignOn", open, noSignOn}, a.getSignOn)
	handle(a, route{post, "/api/auth/oidc/exchange", "exchangeSignIn", open | waits, badSignIn}, a.exchangeSignIn)
	handle(a, route{get, "/api/auth/reset", "resetStatus", open, nil}, a.resetStatus)
	handle(a, route{post, "/api/auth/reset", "requestReset", open, noMail}, a.requestReset)
	handle(a, route{post, "/api/auth/reset/check", "checkReset", open, badReset}, a.checkReset)
	handle(a, route{post, "/api/auth/reset/confirm", "confirmReset", open | waits, badReset}, a.confirmReset)
	handle(a, route{get, "/api/user/info", "userInfo", reads, nil}, a.userInfo)
	handle(a, route{patch, "/api/user/info", "updateProfile", private, nil}, a.updateProfile)
	handle(a, route{post, "/api/user/password", "changePassword", private | waits, wrongPass}, a.changePassword)
	handle(a, route{del, "/api/user", "deleteUser", private | waits, notOwner}, a.deleteUser)
	handle(a, route{post, "/api/user/totp", "setUpSecondFactor", private | waits, needsCode}, a.setUpSecondFactor)
	handle(a, route{post, "/api/user/totp/confirm", "confirmSecondFactor", private | waits, wrongCode},
		a.confirmSecondFactor)
	handle(a, route{del, "/api/user/totp", "removeSecondFactor", private | waits, notOwner}, a.removeSecondFactor)
	handleRaw(a, route{get, "/api/user/export", "exportAccount", reads, exporting}, archiveDocument, a.exportAccount)
	handle(a, route{get, "/api/user/usage", "listUsage", reads, nil}, a.listUsage)
	handle(a, route{get, "/api/user/tokens", "listTokens", reads, nil}, a.listTokens)
	handle(a, route{del, "/api/user/tokens/{token_id}", "endToken", private, noLogin}, a.endToken)
	handle(a, route{post, "/api/user/keys", "createKey", private, tooMany}, a.createKey)
	handle(a, route{get, "/api/user/keys", "listKeys", reads, nil}, a.listKeys)
	handle(a, route{del, "/api/user/keys/{key_id}", "deleteKey", private, noKey}, a.deleteKey)

	handle(a, route{post, "/api/chat/session", "createSession", chats, nil}, a.createSession)
	handle(a, route{get, "/api/chat/sessions", "listSessions", reads, nil}, a.listSessions)
	handle(a, route{get, session, "getSession", reads, noSession}, a.getSession)
	handle(a, route{patch, session, "updateSession", chats, noSession}, a.updateSession)
	handle(a, route{del, session, "deleteSession", chats, noSession}, a.deleteSession)
	handle(a, route{post, session + "/clear", "clearSession", chats, noSession}, a.clearSession)
	handlePieces[parley.MessagesOutput](a,
		route{get, "/api/chat/messages", "listMessages", reads, noSession}, a.listMessages)
	handleExport(a, route{get, session + "/export", "exportSession", reads, noSession}, a.exportSession)
	handle(a, route{post, session + "/share", "shareSession", chats, noSharing}, a.shareSession)
	handle(a, route{post, session + "/fork", "forkSession", chats, noFork}, a.forkSession)
	handle(a, route{post, "/api/chat/send", "send", chats | waits, sendFails}, a.send)
	handleRaw(a, route{post, "/api/chat/stream", "stream", chats | waits, sendFails}, streamDocument, a.stream)
	handleRaw(a, route{get, "/api/chat/stream/{message_id}", "follow", reads, noMessage}, streamDocument, a.followReply)
	handle(a, route{post, "/api/chat/stream/{message_id}/stop", "stop", chats | waits, noMessage}, a.stopReply)
	handle(a, route{post, session + "/regenerate", "regenerate", chats | waits, sendFails}, a.regenerate)
	handle(a, route{post, session + "/continue", "continueReply", chats | waits, sendFails}, a.continueReply)
	handle(a, route{post, message + "/version", "showVersion", chats | waits, noVersion}, a.showVersion)
	handle(a, route{post, message + "/rating", "rateReply", chats, notRated}, a.rateReply)
	handle(a, route{get, "/api/models", "listModels", reads, nil}, a.listModels)
	handle(a, route{get, "/api/search", "search", reads, noSession}, a.search)

	handle(a, route{get, "/api/shares", "listShares", reads, nil}, a.listShares)
	handle(a, route{del, "/api/shares/{share_id}", "deleteShare", chats, noShare}, a.deleteShare)
	handlePieces[parley.SharedSession](a, route{get, "/api/share/{share_id}", "readShare", open, noShare}, a.readShare)

	handle(a, route{post, "/api/favorites/add", "addFavorite", chats, notMarked}, a.addFavorite)
	handle(a, route{del, "/api/favorites/remove", "removeFavorite", chats, noFavorite}, a.removeFavorite)
	handlePieces[parley.FavoritesOutput](a,
		route{get, "/api/favorites/list", "listFavorites", reads, nil}, a.listFavorites)

	handle(a, route{post, "/api/prompts", "createPrompt", private, badPrompt}, a.createPrompt)
	handlePieces[parley.PromptsOutput](a,
		route{get, "/api/prompts", "listPrompts", reads, nil}, a.listPrompts)
	handle(a, route{patch, "/api/prompts/{prompt_id}", "updatePrompt", private, notPrompt}, a.updatePrompt)
	handle(a, route{del, "/api/prompts/{prompt_id}", "deletePrompt", private, noPrompt}, a.deletePrompt)

	handleUpload[parley.File](a, route{post, uploadPath, "uploadFile", files, badFile},
		uploads{maxUploads, maxUserUploads, uploadBody(), progressDocument}, a.uploadFile)
	handle(a, route{get, session + "/files", "listFiles", reads, noSession}, a.listFiles)
	handleRaw(a, route{get, "/api/files/{file_id}", "downloadFile", reads, noPart}, fileDocument, a.downloadFile)
	handleRaw(a, route{get, "/api/files/{file_id}/picture", "showPicture", reads, noPicture},
		pictureDocument, a.showPicture)
	handle(a, route{get, "/api/files/{file_id}/text", "readFile", reads, noPage}, a.readFile)
	handle(a, route{del, "/api/files/{file_id}", "deleteFile", files, noFile}, a.deleteFile)

	handleUpload[parley.StartImportOutput](a, route{post, importPath, "startImport", chats, badImport},
		uploads{maxImports, 1, importBody(), nil}, a.startImport)
	handle(a, route{get, importPath + "/{import_id}", "getImport", reads, noImport}, a.getImport)

	a.adminRoutes()
}

// adminRoutes registers the operations for administrators.
func (a *API) adminRoutes() {
	const get, post, patch, del = http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete
	const account = adminPath + "users/{user_id}"
	var (
		wrongClaim = []error{parley.ErrWrongClaim, parley.ErrTooManyAttempts}
		noAccount  = []error{parley.ErrNoSuchAccount}
		ownAccount = []error{parley.ErrNoSuchAccount, parley.ErrOwnAccount}
		badQuota   = []error{parley.ErrNoSuchAccount, parley.ErrBadQuota}
		notInvited = []error{parley.ErrEmailTaken, parley.ErrDisabled}
		asksFirst  = []error{parley.ErrRetentionUnconfirmed}
	)

	handle(a, route{post, adminPath + "claim", "claimAdmin", logins, wrongClaim}, a.claimAdmin)
	handle(a, route{get, adminPath + "users", "listUsers", admins, nil}, a.listUsers)
	handle(a, route{post, adminPath + "users", "addUser", admins, notInvited}, a.addUser)
	handle(a, route{get, adminPath + "usage", "listTotalUsage", admins, nil}, a.listTotalUsage)
	handle(a, route{get, adminPath + "audit", "listAudit", admins, nil}, a.listAudit)
	handle(a, route{get, adminPath + "overview", "getOverview", admins | waits, nil}, a.getOverview)
	handle(a, route{post, account + "/disable", "disableUser", admins, ownAccount}, a.disableUser)
	handle(a, route{post, account + "/enable", "enableUser", admins, noAccount}, a.enableUser)
	handle(a, route{post, account + "/reset-password", "resetUserPassword", admins | waits, ownAccount},
		a.resetUserPassword)
	handle(a, route{post, account + "/quota", "setUserQuota", admins, badQuota}, a.setUserQuota)
	handle(a, route{post, account + "/promote", "promoteUser", admins, noAccount}, a.promoteUser)
	handle(a, route{post, account + "/demote", "demoteUser", admins, ownAccount}, a.demoteUser)
	handle(a, route{del, account, "removeUser", admins, ownAccount}, a.removeUser)

	handle(a, route{get, adminPath + "settings", "getSettings", admins, nil}, a.getSettings)
	handle(a, route{patch, adminPath + "settings", "updateSettings", admins, asksFirst}, a.updateSettings)
	a.connectionRoutes()
}

// connectionRoutes registers the operations for the connections to other services.
func (a *API) connectionRoutes() {
	const get, post, put, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete
	const models, search, embeddings = adminPath + "models", adminPath + "search", adminPath + "embeddings"
	handle(a, route{get, models, "listConnectedModels", admins, nil}, a.listConnectedModels)
	handle(a, route{post, models + "/test", "testModel", admins | waits, nil}, a.testModel)
	handle(a, route{put, models + "/{name}", "connectModel", admins | waits, nil}, a.connectModel)
	handle(a, route{del, models + "/{name}", "disconnectModel", admins | waits, nil}, a.disconnectModel)
	handle(a, route{get, search, "getSearchService", admins, nil}, a.getSearchService)
	handle(a, route{post, search + "/test", "testSearchService", admins | waits, nil}, a.testSearchService)
	handle(a, route{put, search, "connectSearchService", admins | waits, nil}, a.connectSearchService)
	handle(a, route{del, search, "disconnectSearchService", admins | waits, nil}, a.disconnectSearchService)
	handle(a, route{get, embeddings, "getEmbeddingsServer", admins, nil}, a.getEmbeddingsServer)
	handle(a, route{post, embeddings + "/test", "testEmbeddingsServer", admins | waits, nil}, a.testEmbeddingsServer)
	handle(a, route{put, embeddings, "connectEmbeddingsServer", admins | waits, nil}, a.connectEmbeddingsServer)
	handle(a, route{del, embeddings, "disconnectEmbeddingsServer", admins | waits, nil}, a.disconnectEmbeddingsServer)
}
