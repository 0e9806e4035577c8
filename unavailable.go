package parley

// Reasons why a model did not reply, in the body of error 5001.
const (
	ReasonTooLong      = "too_long"
	ReasonPolicy       = "policy"
	ReasonQuota        = "quota"
	ReasonUnknownModel = "unknown_model"
	ReasonKey          = "key"
	ReasonOverloaded   = "overloaded"
	ReasonUnreachable  = "unreachable"
	ReasonFailed       = "failed"
)

// ReasonUnlisted is why a model of the overview may not reply: its server responds and does not list it.
const ReasonUnlisted = "unlisted"

// AIFailure is the body of error 5001 if no text was made.
type AIFailure struct {
	Reason string `json:"reason" enum:"too_long,policy,quota,unknown_model,key,overloaded,unreachable,failed" doc:"Why the model did not reply." example:"overloaded"`
}

// The errors of models that did not reply. All of them are ErrAIUnavailable for errors.Is.
var (
	ErrAITooLong = &Error{
		Code: CodeAIUnavailable, parent: ErrAIUnavailable, Body: AIFailure{Reason: ReasonTooLong},
		Message: "the conversation is longer than the model can read; " +
			"nothing was stored, send less or begin a new session",
	}
	ErrAIPolicy = &Error{
		Code: CodeAIUnavailable, parent: ErrAIUnavailable, Body: AIFailure{Reason: ReasonPolicy},
		Message: "the provider of the model refuses this message by its policy; nothing was stored, rephrase it",
	}
	ErrAIQuota = &Error{
		Code: CodeAIUnavailable, parent: ErrAIUnavailable, Body: AIFailure{Reason: ReasonQuota},
		Message: "this server has no balance or quota left at the provider of the model; " +
			"nothing was stored, choose another model or tell the operator",
	}
	ErrAIUnknownModel = &Error{
		Code: CodeAIUnavailable, parent: ErrAIUnavailable, Body: AIFailure{Reason: ReasonUnknownModel},
		Message: "the provider does not know the model; " +
			"nothing was stored, choose another model or tell the operator",
	}
	ErrAIKey = &Error{
		Code: CodeAIUnavailable, parent: ErrAIUnavailable, Body: AIFailure{Reason: ReasonKey},
		Message: "the provider of the model rejects this server's key; " +
			"nothing was stored, choose another model or tell the operator",
	}
	ErrAIOverloaded = &Error{
		Code: CodeAIUnavailable, parent: ErrAIUnavailable, Body: AIFailure{Reason: ReasonOverloaded},
		Message: "the model is overloaded; nothing was stored, try again in a moment",
	}
	ErrAIUnreachable = &Error{
		Code: CodeAIUnavailable, parent: ErrAIUnavailable, Body: AIFailure{Reason: ReasonUnreachable},
		Message: "the model can't be reached; nothing was stored, try again",
	}
	ErrAIUnavailable = &Error{
		Code: CodeAIUnavailable, Body: AIFailure{Reason: ReasonFailed},
		Message: "the AI service is unavailable; nothing was stored, try again",
	}
)

// aiErrors are the errors of models, by reason.
func aiErrors() []*Error {
	return []*Error{
		ErrAITooLong, ErrAIPolicy, ErrAIQuota, ErrAIUnknownModel, ErrAIKey, ErrAIOverloaded, ErrAIUnreachable,
		ErrAIUnavailable,
	}
}

// AIUnavailable returns the error of a reason.
func AIUnavailable(reason string) *Error {
	for _, e := range aiErrors() {
		if e.Body == (AIFailure{Reason: reason}) {
			return e
		}
	}
	return ErrAIUnavailable
}

// Stored returns an error from its stored code, kind and message.
func Stored(code Code, kind Kind, message string) *Error {
	e := &Error{Code: code, Kind: kind, Message: message}
	for _, known := range aiErrors() {
		if known.Code == code && known.Kind == kind && known.Message == message {
			return known
		}
	}
	return e
}
