package prompt

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/extract/ocr"
)

// modelFunc is a model.
type modelFunc func(ctx context.Context, prompt *ai.Prompt, emit func(ai.Chunk)) error

func (m modelFunc) Reply(ctx context.Context, prompt *ai.Prompt, emit func(ai.Chunk)) error {
	return m(ctx, prompt, emit)
}

func saying(text string) modelFunc {
	return func(_ context.Context, _ *ai.Prompt, emit func(ai.Chunk)) error {
		emit(ai.Chunk{Text: text})
		return nil
	}
}

// transcription is a Transcriber and what it has counted.
type transcription struct {
	*Transcriber
	begun   int
	counted []parley.Usage
	refused error // by the quota
}

func newTranscription(model ai.Model) *transcription {
	t := &transcription{}
	t.Transcriber = NewTranscriber(TranscriberConfig{
		Model: ai.Offer{Name: "eyes", Model: model, Images: true},
		Begin: func(_ context.Context, userID int64, model string) (func(context.Context, parley.Usage) error, error) {
			if userID != 7 || model != "eyes" {
				return nil, errors.New("begun for another user or model")
			}
			t.begun++
			return func(_ context.Context, used parley.Usage) error {
				t.counted = append(t.counted, used)
				return nil
			}, t.refused
		},
		Log: slog.New(slog.DiscardHandler),
		Now: time.Now,
	})
	return t
}

func failing(reason string) modelFunc {
	return func(context.Context, *ai.Prompt, func(ai.Chunk)) error {
		return &ai.Failure{Reason: reason, Err: errors.New(reason)}
	}
}

func TestAModelTranscribesAPage(t *testing.T) {
	var got ai.Prompt
	page := newTranscription(modelFunc(func(_ context.Context, prompt *ai.Prompt, emit func(ai.Chunk)) error {
		got = *prompt
		emit(ai.Chunk{Thinking: "A timetable."})
		emit(ai.Chunk{Text: "Naples 09:00"})
		emit(ai.Chunk{Usage: &parley.Usage{InputTokens: 1200, OutputTokens: 9}})
		return nil
	}))
	text, err := page.Transcribe(t.Context(), 7, []byte("a PNG"))
	if err != nil || text != "Naples 09:00" {
		t.Errorf("got %q, %v", text, err)
	}
	if len(got.Images) != 1 || string(got.Images[0].Data) != "a PNG" || got.Images[0].Type != "image/png" ||
		!strings.Contains(got.System, "word for word") || got.DeepThinking {
		t.Errorf("the prompt is %+v", got)
	}
	if len(page.counted) != 1 || page.counted[0].InputTokens != 1200 {
		t.Errorf("counted are %+v", page.counted)
	}
}

// TestThinkingIsNoTranscript has a model that shows late that its first text was thinking.
func TestThinkingIsNoTranscript(t *testing.T) {
	page := newTranscription(modelFunc(func(_ context.Context, _ *ai.Prompt, emit func(ai.Chunk)) error {
		emit(ai.Chunk{Text: "A timetable, I think."})
		emit(ai.Chunk{WasThinking: true, Text: "Naples 09:00"})
		return nil
	}))
	text, err := page.Transcribe(t.Context(), 7, nil)
	if err != nil || text != "Naples 09:00" {
		t.Errorf("got %q, %v", text, err)
	}
	if len(page.counted) != 1 || page.counted[0].ThinkingTokens == 0 {
		t.Errorf("counted are %+v", page.counted)
	}
}

func TestTranscriptsAreCleaned(t *testing.T) {
	for reply, want := range map[string]string{
		" Text.\n":                       "Text.",
		"```\nText.\n```":                "Text.",
		"```markdown\n# A\n\nText.\n```": "# A\n\nText.",
		"```\na\n```\nb\n```\nc\n```":    "```\na\n```\nb\n```\nc\n```",
		"NO TEXT":                        "",
		"NO TEXT.":                       "",
		"NO TEXT BEYOND THIS SIGN":       "NO TEXT BEYOND THIS SIGN",
	} {
		text, err := newTranscription(saying(reply)).Transcribe(t.Context(), 7, nil)
		if err != nil || text != want {
			t.Errorf("%q becomes %q, %v", reply, text, err)
		}
	}
}

func TestAPageThatAModelCantReadIsLeftOut(t *testing.T) {
	for name, model := range map[string]modelFunc{
		"refused":  failing(parley.ReasonPolicy),
		"too long": failing(parley.ReasonTooLong),
		"failed":   failing(parley.ReasonFailed),
		"cut off": func(_ context.Context, _ *ai.Prompt, emit func(ai.Chunk)) error {
			emit(ai.Chunk{Text: "Half a", Finish: "length"})
			return nil
		},
		"endless": func(ctx context.Context, _ *ai.Prompt, emit func(ai.Chunk)) error {
			for ctx.Err() == nil {
				emit(ai.Chunk{Text: strings.Repeat("and so on ", 100)})
			}
			return ctx.Err()
		},
	} {
		page := newTranscription(model)
		if text, err := page.Transcribe(t.Context(), 7, nil); !errors.Is(err, ocr.ErrUnreadable) || text != "" {
			t.Errorf("%s: got %q, %v", name, text, err)
		}
		if len(page.counted) != 1 {
			t.Errorf("%s: the call was not ended", name)
		}
	}
}

func TestASlowPageIsLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := newTranscription(modelFunc(func(ctx context.Context, _ *ai.Prompt, _ func(ai.Chunk)) error {
			<-ctx.Done()
			return ctx.Err()
		}))
		if _, err := page.Transcribe(t.Context(), 7, nil); !errors.Is(err, ocr.ErrUnreadable) {
			t.Errorf("got %v", err)
		}
	})
}

func TestWhatFailsForEveryPageEndsTheReading(t *testing.T) {
	for _, reason := range []string{
		parley.ReasonKey, parley.ReasonQuota, parley.ReasonUnknownModel, parley.ReasonOverloaded, parley.ReasonUnreachable,
	} {
		_, err := newTranscription(failing(reason)).Transcribe(t.Context(), 7, nil)
		if !errors.Is(err, parley.ErrAIUnavailable) || errors.Is(err, ocr.ErrUnreadable) {
			t.Errorf("%s: got %v", reason, err)
		}
	}
	page := newTranscription(saying("text"))
	page.refused = parley.ErrQuotaUsed
	if _, err := page.Transcribe(t.Context(), 7, nil); !errors.Is(err, parley.ErrQuotaUsed) || len(page.counted) != 0 {
		t.Errorf("without a quota: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := newTranscription(failing(parley.ReasonFailed)).Transcribe(ctx, 7, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped upload: %v", err)
	}
}

func TestABlindFallbackReadsNoPage(t *testing.T) {
	model := ai.Fallback{First: failing(parley.ReasonUnreachable), Second: saying("I can't see it.")}
	if text, err := newTranscription(model).Transcribe(t.Context(), 7, nil); err == nil {
		t.Errorf("got %q", text)
	}
}
