package mail

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/textproto"

	gomail "github.com/wneessen/go-mail"
)

// failure is a conversation with the server that failed.
type failure struct {
	err       error
	temporary bool
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// Temporary reports whether the same mail may succeed later: the server can't be reached or says so.
func Temporary(err error) bool {
	var f *failure
	return errors.As(err, &f) && f.temporary
}

// connectError returns the error of a connection or a login that failed.
func connectError(err error) error {
	var reply *textproto.Error
	if errors.As(err, &reply) {
		return &failure{err, isTemporary(reply.Code)}
	}
	var certificate *tls.CertificateVerificationError
	return &failure{err, !errors.As(err, &certificate)}
}

// sendError returns the error of a mail that the server has not accepted. The library's error and the server's words
// may have the address of the recipient, which must not be logged.
func sendError(err error) error {
	if err == nil {
		return nil
	}
	var refused *gomail.SendError
	if !errors.As(err, &refused) || refused.ErrorCode() == 0 {
		return &failure{errors.New("the connection to the mail server failed while a mail was sent"), true}
	}
	code := refused.ErrorCode()
	said := fmt.Sprintf("%d %s", code, refused.EnhancedStatusCode())
	err = fmt.Errorf("the mail server refused a mail, %s: it replied %s", refused.Reason, said)
	return &failure{err, isTemporary(code)}
}

func isTemporary(code int) bool { return code >= 400 && code < 500 }
