package parley_test

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"parley"
)

func TestAnErrorWithACauseIsStillTheSameError(t *testing.T) {
	busy := parley.ErrTurnBusy.WithCause(io.ErrUnexpectedEOF).WithRetryAfter(time.Second).WithBody("body")
	err := fmt.Errorf("begin turn: %w", busy)
	if !errors.Is(err, parley.ErrTurnBusy) {
		t.Errorf("%v is not %v", err, parley.ErrTurnBusy)
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v has lost its cause", err)
	}
	var known *parley.Error
	if !errors.As(err, &known) || known.RetryAfter != time.Second || known.Body != "body" {
		t.Errorf("%+v has lost what it carries", known)
	}
}

func TestErrorsOfOneCodeAreToldApartByTheirKind(t *testing.T) {
	if errors.Is(parley.ErrTurnBusy, parley.ErrTurnEnded) {
		t.Error("busy is ended")
	}
	if errors.Is(parley.ErrNoSuchUser, parley.ErrWrongPassword) {
		t.Error("no such user is a wrong password")
	}
	if errors.Is(parley.ErrNoSuchUser, io.EOF) || errors.Is(io.EOF, parley.ErrNoSuchUser) {
		t.Error("an error of another package is ours")
	}
}

func TestAddingToAnErrorLeavesTheOriginalAlone(t *testing.T) {
	before := *parley.ErrAIUnavailable
	_ = parley.ErrAIUnavailable.WithCause(io.EOF).WithRetryAfter(time.Hour).WithBody(1)
	if after := *parley.ErrAIUnavailable; after != before || errors.Unwrap(parley.ErrAIUnavailable) != nil {
		t.Errorf("the original became %+v", after)
	}
}

func TestTheCauseStandsInTheErrorTextButNotInTheMessage(t *testing.T) {
	err := parley.ErrInternal.WithCause(errors.New("disk on fire"))
	if err.Error() != "internal server error: disk on fire" {
		t.Errorf("the error reads %q", err.Error())
	}
	if err.Message != "internal server error" {
		t.Errorf("the message reads %q", err.Message)
	}
}

// TestKindsKeepTheirNumbers guards the numbers that databases hold.
func TestKindsKeepTheirNumbers(t *testing.T) {
	for kind, want := range map[parley.Kind]int{
		parley.Plain: 0, parley.Forbidden: 2, parley.Ended: 3, parley.Busy: 4, parley.Unread: 5, parley.Unknown: 6,
		parley.Late: 7, parley.Full: 10,
	} {
		if int(kind) != want {
			t.Errorf("a kind is %d, want %d", kind, want)
		}
	}
}
