package api

import (
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
)

// configureHuma sets huma's messages, which follow a field's name, its error type and case-sensitive field names.
// Huma keeps them in package variables, so they are set only once.
var configureHuma = sync.OnceFunc(func() {
	validation.MsgExpectedRequiredProperty = "%s is required"
	validation.MsgExpectedString = "must be a string"
	validation.MsgExpectedBoolean = "must be true or false"
	validation.MsgExpectedInteger = "must be a whole number"
	validation.MsgExpectedNumber = "must be a whole number"
	validation.MsgExpectedObject = "must be a JSON object"
	validation.MsgExpectedArray = "must be a list"
	validation.MsgExpectedMinItems = "must have at least %d entries"
	validation.MsgExpectedMinimumNumber = "must be at least %v"
	validation.MsgExpectedMaximumNumber = "must be at most %v"
	validation.MsgExpectedMinLength = "must be at least %d characters long"
	validation.MsgExpectedMaxLength = "must be at most %d characters long"
	validation.MsgExpectedOneOf = "must be one of %s"
	huma.ValidateStrictCasing = true
	huma.NewError = func(status int, message string, details ...error) huma.StatusError {
		return fromHuma(status, message, details...)
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, details ...error) huma.StatusError {
		f := fromHuma(status, message, details...)
		if f == errBodyTooLarge && ctx.Operation().MaxBodyBytes <= maxOpenBody+1 {
			f = errOpenBodyTooLarge
		}
		for name := range f.headers {
			ctx.SetHeader(name, f.headers.Get(name))
		}
		return f
	}
})

// sentence returns a message that names the invalid input.
func sentence(d *huma.ErrorDetail) string {
	where, field, nested := strings.Cut(d.Location, ".")
	switch {
	case strings.HasSuffix(d.Message, " is required"):
		return d.Message
	case strings.HasPrefix(d.Message, "required "), // a missing parameter
		strings.HasPrefix(d.Message, "must be at least 1 char"): // an empty text
		return field + " is required"
	case strings.HasPrefix(d.Message, "invalid "): // a parameter of a wrong type
		return field + " must be a whole number"
	case !nested:
		return "the " + where + " " + d.Message
	default:
		return field + " " + d.Message
	}
}
