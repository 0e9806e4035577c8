package parley

import (
	"fmt"
	"time"
)

// Code is an error code of the contract; 0 means success.
type Code int

// The codes of the contract, and CodeTooManyAttempts, which the contract does not have.
const (
	CodeOK                Code = 0
	CodeInvalidParameter  Code = 1001
	CodeNoSuchUser        Code = 1002
	CodeWrongPassword     Code = 1003
	CodeEmailTaken        Code = 1004
	CodeBadToken          Code = 1005
	CodeTooManyAttempts   Code = 1006
	CodeNoSuchSession     Code = 2001
	CodeSendFailed        Code = 2002
	CodeUploadFailed      Code = 2003
	CodeFormatUnsupported Code = 2004
	CodeFileTooLarge      Code = 2005
	CodeFavoriteFailed    Code = 3001
	CodeNoSuchFavorite    Code = 3002
	CodeInternal          Code = 5000
	CodeAIUnavailable     Code = 5001
	CodeSearchUnavailable Code = 5002
)

// Kind distinguishes errors that share a code. The HTTP layer maps a code and a kind to a status.
type Kind int

// The kinds of errors. Most codes have only Plain. Kinds are stored with the outcomes of turns: never renumber them.
const (
	Plain     Kind = 0
	Forbidden Kind = 2  // the operation is disabled on this server
	Ended     Kind = 3  // the turn was ended by clear, delete or stop
	Busy      Kind = 4  // the wait for the session or for capacity was too long
	Unread    Kind = 5  // the file can't be read
	Unknown   Kind = 6  // it does not exist
	Late      Kind = 7  // it takes longer than the time limit
	Full      Kind = 10 // there is no space left
	Factor    Kind = 11 // the second factor is missing or wrong
	Unasked   Kind = 12 // it has to be confirmed
	Unkept    Kind = 13 // the session is temporary
)

// Error is a failure that a caller can act on. Message is for people and never holds a submitted value, a secret
// or a cause.
type Error struct {
	Code    Code
	Kind    Kind
	Message string
	// RetryAfter is how long to wait before a retry. It is zero if waiting does not help.
	RetryAfter time.Duration
	// Body is the body of the response, such as the ids of a late reply. It is usually nil.
	Body any

	parent *Error // the more general error that this is a case of, or nil
	cause  error
}

func (e *Error) Error() string {
	if e.cause != nil {
		return e.Message + ": " + e.cause.Error()
	}
	return e.Message
}

// Unwrap returns the cause, which is for logs only.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is the same error, or a more general one: errors.Is(err, ErrNoSuchSession) holds for a copy
// with a cause, and errors.Is(err, ErrAIUnavailable) for ErrAIKey. Errors are the same if their code, kind and message
// are, because some of them come back from a database.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error) //nolint:errorlint // errors.Is looks at the causes
	if !ok {
		return false
	}
	for ; e != nil; e = e.parent {
		if e.Code == t.Code && e.Kind == t.Kind && e.Message == t.Message {
			return true
		}
	}
	return false
}

// WithCause returns a copy of e with a cause for the log.
func (e *Error) WithCause(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// WithRetryAfter returns a copy of e that may be retried after d.
func (e *Error) WithRetryAfter(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d
	return &c
}

// WithBody returns a copy of e with a body.
func (e *Error) WithBody(body any) *Error {
	c := *e
	c.Body = body
	return &c
}

// Case returns a case of e, with its code and kind and a message of its own.
func (e *Error) Case(message string) *Error {
	c := *e
	c.Message, c.parent = message, e
	return &c
}

// Invalid returns the case of ErrInvalid for an input that breaks a rule. The message names the field and the rule.
func Invalid(message string) *Error {
	return ErrInvalid.Case(message)
}

// StorageFull returns the error for a file that exceeds its user's storage. Sizes are in bytes.
func StorageFull(used, allowed int64) *Error {
	return ErrStorageFull.Case(fmt.Sprintf("your files take %s of the %s that you may store, "+
		"and this one does not fit; delete some first", FormatSize(used), FormatSize(allowed)))
}

// BrokenAfter returns the error for an export that breaks off or is damaged after its first conversations.
func BrokenAfter(conversations int64) *Error {
	return ErrFileUnreadable.Case(
		fmt.Sprintf("the file can't be read to its end: it is broken after conversation %d", conversations))
}

// ImportedWithout returns why an imported conversation is listed with the skipped ones: something is left out of it. It
// returns nil if nothing is left out.
func ImportedWithout(pictures, others int) *Error {
	switch {
	case pictures > 0 && others > 0:
		return &Error{Code: CodeUploadFailed, Message: fmt.Sprintf(
			"it was imported without its pictures (%d), files and other parts (%d)", pictures, others)}
	case pictures > 0:
		return &Error{Code: CodeUploadFailed, Message: fmt.Sprintf("it was imported without its pictures (%d)", pictures)}
	case others > 0:
		return &Error{
			Code: CodeUploadFailed, Message: fmt.Sprintf("it was imported without its files and other parts (%d)", others),
		}
	}
	return nil
}

// The errors that operations return. Compare them with errors.Is.
var (
	ErrInvalid            = &Error{Code: CodeInvalidParameter, Message: "an input breaks a rule"}
	ErrRegistrationClosed = &Error{
		Code: CodeInvalidParameter, Kind: Forbidden,
		Message: "registration is closed on this server; ask its operator for an account",
	}
	ErrDisabled = &Error{
		Code: CodeInvalidParameter, Kind: Forbidden,
		Message: "this account is disabled; ask the operator of this server",
	}
	ErrNoSuchLogin = &Error{
		Code: CodeInvalidParameter, Kind: Unknown,
		Message: "you have no login with this token_id",
	}
	ErrNoSuchKey = &Error{
		Code: CodeInvalidParameter, Kind: Unknown,
		Message: "you have no key with this key_id",
	}
	ErrTooManyKeys = &Error{
		Code:    CodeInvalidParameter,
		Message: "you have 50 keys, as many as you can have; remove some first",
	}
	ErrNeedsLogin = &Error{
		Code: CodeInvalidParameter, Kind: Forbidden,
		Message: "a key can't do this; use the token of a login",
	}
	ErrNeedsChat = &Error{
		Code: CodeInvalidParameter, Kind: Forbidden,
		Message: "this key can't do this; it needs the scope chat",
	}
	ErrNeedsFiles = &Error{
		Code: CodeInvalidParameter, Kind: Forbidden,
		Message: "this key can't do this; it needs the scope files",
	}
	ErrNoSuchUser    = &Error{Code: CodeNoSuchUser, Message: "no account with this e-mail address"}
	ErrNoSuchAccount = &Error{Code: CodeNoSuchUser, Message: "no account with this user_id"}
	ErrOwnAccount    = &Error{
		Code: CodeInvalidParameter,
		Message: "you can't disable, demote, delete or reset the password of your own account here; " +
			"ask another administrator",
	}
	ErrBadQuota = &Error{
		Code:    CodeInvalidParameter,
		Message: "quota must be default, none, or limits per day such as tokens=1M/d,messages=200/d",
	}
	ErrWrongClaim = &Error{
		Code:    CodeWrongPassword,
		Message: "the code is wrong, used or expired, or the server has an administrator",
	}
	ErrWrongPassword = &Error{Code: CodeWrongPassword, Message: "wrong password"}
	ErrEmailTaken    = &Error{Code: CodeEmailTaken, Message: "an account with this e-mail address already exists"}
	ErrBadToken      = &Error{
		Code:    CodeBadToken,
		Message: "the access token is missing, invalid or expired; log in again",
	}
	ErrBadSignIn = &Error{
		Code:    CodeBadToken,
		Message: "the sign-in is unknown, used or expired; sign in again",
	}
	ErrSignInAgain = &Error{
		Code:    CodeWrongPassword,
		Message: "this account has no password: sign in again, and repeat this within 5 minutes",
	}
	ErrTooManyAttempts = &Error{Code: CodeTooManyAttempts, Message: "too many attempts; try again later"}
	ErrTooManyRequests = &Error{Code: CodeTooManyAttempts, Message: "too many requests; try again later"}
	ErrQuotaUsed       = &Error{Code: CodeTooManyAttempts, Kind: Full, Message: "your quota for today is used up"}
	ErrQuotaReserved   = &Error{
		Code: CodeTooManyAttempts, Kind: Busy, RetryAfter: 5 * time.Second,
		Message: "your replies in progress may use up the rest of your quota for today; " +
			"try again when they have ended",
	}

	ErrNoSuchSession = &Error{Code: CodeNoSuchSession, Message: "the session does not exist"}
	ErrNoSuchMessage = &Error{Code: CodeNoSuchSession, Message: "the message does not exist"}
	ErrNoSuchShare   = &Error{Code: CodeNoSuchSession, Message: "the share does not exist"}
	ErrSharingOff    = &Error{
		Code: CodeInvalidParameter, Kind: Forbidden,
		Message: "sharing is turned off on this server",
	}
	ErrNothingToShare = &Error{
		Code:    CodeInvalidParameter,
		Message: "the session has no messages to share",
	}
	ErrShareTooLarge = &Error{
		Code:    CodeInvalidParameter,
		Message: "the session is too long to share: a share has at most 2,000 messages and 4 MiB of text",
	}
	ErrTooManyShares = &Error{
		Code:    CodeInvalidParameter,
		Message: "you have 200 shares, as many as you can have; withdraw some first",
	}
	ErrNoSuchPrompt   = &Error{Code: CodeNoSuchSession, Message: "the prompt does not exist"}
	ErrTooManyPrompts = &Error{
		Code:    CodeInvalidParameter,
		Message: "you have 200 prompts, as many as you can have; delete some first",
	}
	ErrPromptForAll = &Error{
		Code: CodeInvalidParameter, Kind: Forbidden,
		Message: "only administrators can offer a prompt to all users; leave out shared",
	}
	ErrTemporaryShare = &Error{
		Code:    CodeInvalidParameter,
		Message: "the session is temporary: it can't be shared",
	}
	ErrForkTooLarge = &Error{
		Code:    CodeInvalidParameter,
		Message: "the session is too long to fork: a fork has at most 2,000 messages and 16 MiB of text",
	}
	ErrForkOpen = &Error{
		Code: CodeSendFailed, Kind: Ended,
		Message: "the reply is in progress; fork the session when it is complete",
	}
	ErrForkBusy = &Error{
		Code: CodeTooManyAttempts, RetryAfter: 10 * time.Second,
		Message: "your last forks are being indexed; try again shortly",
	}
	ErrTurnEnded = &Error{
		Code: CodeSendFailed, Kind: Ended,
		Message: "the turn was ended before its reply was complete",
	}
	ErrReplyOpen = &Error{
		Code: CodeSendFailed, Kind: Ended,
		Message: "the reply is still being generated",
	}
	ErrNothingToRegenerate = &Error{
		Code: CodeSendFailed, Kind: Ended,
		Message: "the session has no reply to regenerate",
	}
	ErrNothingToContinue = &Error{
		Code: CodeSendFailed, Kind: Ended,
		Message: "the session's last reply is complete; there is nothing to continue",
	}
	ErrTooManyVersions = &Error{
		Code:    CodeInvalidParameter,
		Message: "the session has as many versions of its messages as it can hold; continue in another session",
	}
	ErrTurnBusy = &Error{
		Code: CodeSendFailed, Kind: Busy, RetryAfter: time.Second,
		Message: "the session is still replying to earlier messages; nothing was stored, try again",
	}
	ErrShuttingDown = &Error{
		Code: CodeSendFailed, Kind: Busy, RetryAfter: time.Second,
		Message: "the server is shutting down; nothing was stored, try again",
	}
	ErrRetentionUnconfirmed = &Error{
		Code: CodeSendFailed, Kind: Unasked,
		Message: "this retention deletes sessions; repeat the change with confirm: true",
	}
	ErrSendFailed = &Error{Code: CodeSendFailed, Message: "the message could not be stored"}

	ErrFileUnreadable    = &Error{Code: CodeUploadFailed, Kind: Unread, Message: "the file can't be read"}
	ErrFileNotStored     = &Error{Code: CodeUploadFailed, Message: "the file could not be stored"}
	ErrNoSuchFile        = &Error{Code: CodeUploadFailed, Kind: Unknown, Message: "the file does not exist"}
	ErrNoSuchPicture     = &Error{Code: CodeUploadFailed, Kind: Unknown, Message: "the file is not a picture"}
	ErrNoSuchPage        = &Error{Code: CodeInvalidParameter, Message: "the file has no such page"}
	ErrFormatUnsupported = &Error{Code: CodeFormatUnsupported, Message: "the file format is not supported"}
	ErrFileTooLarge      = &Error{Code: CodeFileTooLarge, Message: "the file is larger than the limit"}
	ErrStorageFull       = &Error{
		Code: CodeFileTooLarge, Kind: Full,
		Message: "the file does not fit what you may store",
	}
	ErrSessionFull = &Error{
		Code: CodeFileTooLarge, Kind: Full,
		Message: "the session has as many files as it can hold; delete some, or use another session",
	}
	ErrTooManyUploads = &Error{
		Code: CodeInternal, Kind: Busy, RetryAfter: time.Second,
		Message: "too many uploads at once; try again when one has finished",
	}
	ErrTooManyExports = &Error{
		Code: CodeInternal, Kind: Busy, RetryAfter: time.Second,
		Message: "an export of your account is in progress; try again when it has finished",
	}
	ErrTooManyOpen = &Error{
		Code: CodeInternal, Kind: Busy, RetryAfter: time.Second,
		Message: "too many of your requests are in progress; try again when one has ended",
	}

	ErrNoSuchImport = &Error{
		Code: CodeInvalidParameter, Kind: Unknown,
		Message: "you have no import with this import_id",
	}
	ErrImportOpen = &Error{
		Code: CodeTooManyAttempts, RetryAfter: 10 * time.Second,
		Message: "an import of yours is in progress; start another when it has ended",
	}
	ErrImportedBefore = &Error{Code: CodeUploadFailed, Message: "it is already here"}
	ErrImportStopped  = &Error{Code: CodeUploadFailed, Message: "the conversations could not be stored; try again"}
	ErrImportGone     = &Error{Code: CodeUploadFailed, Message: "the uploaded file is gone; try again"}

	ErrTooManyResponses = &Error{
		Code: CodeTooManyAttempts, RetryAfter: time.Hour,
		Message: "you have as many stored responses as you can have: 10,000 or 64 MiB within 24 hours",
	}

	ErrNotInSession      = &Error{Code: CodeFavoriteFailed, Message: "the message does not exist in this session"}
	ErrTemporaryFavorite = &Error{
		Code: CodeFavoriteFailed, Kind: Unkept,
		Message: "the session is temporary: its messages can't be favorites",
	}
	ErrNoSuchFavorite = &Error{Code: CodeNoSuchFavorite, Message: "the message is not among your favorites"}

	ErrInternal   = &Error{Code: CodeInternal, Message: "internal server error"}
	ErrOverloaded = &Error{
		Code: CodeInternal, Kind: Busy, RetryAfter: time.Second,
		Message: "the server is busy; try again shortly",
	}
	ErrTimeout = &Error{
		Code: CodeInternal, Kind: Late,
		Message: "the request took longer than the time limit",
	}
	ErrReplyInterrupted = &Error{
		Code:    CodeAIUnavailable,
		Message: "the AI service failed before the reply was complete; its text so far is kept and can be continued",
	}
	ErrReplyLate = &Error{
		Code: CodeAIUnavailable, Kind: Late,
		Message: "the reply takes longer than the time limit; " +
			"it continues and will appear in the session's messages",
	}
	ErrSearchNotSetUp = &Error{
		Code:    CodeSearchUnavailable,
		Message: "web search is not set up on this server",
	}
	ErrSearchUnavailable = &Error{
		Code:    CodeSearchUnavailable,
		Message: "the web-search service is unavailable; nothing was stored, try again",
	}
)
