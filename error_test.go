package parley_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"strings"
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

func TestEachErrorIsOnlyItself(t *testing.T) {
	for _, pair := range [][2]error{
		{parley.ErrNoSuchKey, parley.ErrNoSuchLogin},
		{parley.ErrTurnBusy, parley.ErrShuttingDown},
		{parley.ErrTurnEnded, parley.ErrNothingToContinue},
		{parley.ErrTurnBusy, parley.ErrTurnEnded},
		{parley.ErrNoSuchUser, parley.ErrNoSuchAccount},
		{parley.ErrReplyInterrupted, parley.ErrAIUnavailable},
		{parley.ErrNoSuchUser, io.EOF},
	} {
		for _, err := range []error{pair[0], parley.ErrInternal.WithCause(pair[0])} {
			if errors.Is(err, pair[1]) || errors.Is(pair[1], pair[0]) {
				t.Errorf("%q is %q", err, pair[1])
			}
		}
	}
}

func TestACaseIsTheGeneralErrorButNotTheOtherWayRound(t *testing.T) {
	bomb := parley.ErrFileUnreadable.Case("it unpacks to too much")
	for err, general := range map[error]error{
		bomb: parley.ErrFileUnreadable, bomb.WithCause(io.EOF): bomb, parley.ErrAIKey: parley.ErrAIUnavailable,
		parley.ErrCodeNeeded: parley.ErrWrongCode, parley.StorageFull(2, 1): parley.ErrStorageFull,
		parley.BrokenAfter(3): parley.ErrFileUnreadable,
	} {
		if !errors.Is(err, general) {
			t.Errorf("%q is not %q", err, general)
		}
	}
	for general, err := range map[error]error{parley.ErrFileUnreadable: bomb, parley.ErrAIUnavailable: parley.ErrAIKey} {
		if errors.Is(general, err) {
			t.Errorf("%q is %q", general, err)
		}
	}
}

func TestAStoredErrorIsTheSameError(t *testing.T) {
	for _, e := range []*parley.Error{parley.ErrTurnEnded, parley.ErrAIKey, parley.ErrReplyInterrupted} {
		back := parley.Stored(e.Code, e.Kind, e.Message)
		if !errors.Is(back, e) || back.Body != e.Body {
			t.Errorf("%+v came back as %+v", e, back)
		}
	}
	key := parley.ErrAIKey
	if !errors.Is(parley.Stored(key.Code, key.Kind, key.Message), parley.ErrAIUnavailable) {
		t.Error("a stored error of a model is not ErrAIUnavailable")
	}
}

// TestNoTwoErrorsReadAlike reads the source, because errors are told apart by their messages.
func TestNoTwoErrorsReadAlike(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{} // by message
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, "Err") {
				return true
			}
			message := messageOf(spec.Values[0])
			if other := names[message]; message == "" || other != "" {
				t.Errorf("%s: %q, and so says %s", spec.Names[0].Name, message, other)
			}
			names[message] = spec.Names[0].Name
			return true
		})
	}
	if len(names) < 70 {
		t.Errorf("only %d errors were found", len(names))
	}
}

// messageOf returns the texts of an error's Message, one after another.
func messageOf(value ast.Expr) (message string) {
	ast.Inspect(value, func(node ast.Node) bool {
		if field, ok := node.(*ast.KeyValueExpr); ok {
			if name, ok := field.Key.(*ast.Ident); !ok || name.Name != "Message" {
				return false
			}
		}
		if text, ok := node.(*ast.BasicLit); ok && text.Kind == token.STRING {
			message += text.Value
		}
		return true
	})
	return message
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
		parley.Late: 7, parley.Full: 10, parley.Factor: 11, parley.Unasked: 12,
	} {
		if int(kind) != want {
			t.Errorf("a kind is %d, want %d", kind, want)
		}
	}
}
