package api

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"parley"
	"parley/internal/chat"
)

func (a *API) listMessages(ctx context.Context, in *struct {
	SessionID string `query:"session_id" required:"true" doc:"The session." example:"019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"`
	Page      int64  `query:"page" default:"1" minimum:"1" doc:"Page, from 1; oldest messages first." example:"1"`
	PageSize  int64  `query:"page_size" default:"50" minimum:"1" doc:"Messages per page. Values over 200 count as 200." example:"50"`
},
) (pieces, error) {
	page := parley.Page{Number: in.Page, Size: in.PageSize}
	list, err := a.chat.Messages(ctx, userID(ctx), in.SessionID, page)
	if err != nil {
		return pieces{}, err
	}
	return jsonEntries(list, "messages", encodeMessage, func() any {
		return newEnvelope(parley.MessagesOutput{Messages: []parley.Message{}, Total: list.Total})
	}), nil
}

// encodeMessage writes a message. Its stored details become members beside its own.
func encodeMessage(out *bytes.Buffer, m *chat.Message) error {
	if err := encodeEntry(out, &m.Message); err != nil || m.Stored == "" {
		return err
	}
	out.Truncate(out.Len() - len("}"))
	out.WriteByte(',')
	out.WriteString(m.Stored[len("{"):])
	return nil
}

const idempotencyKey = "Idempotency-Key"

// SendKey is an optional idempotency key.
type SendKey struct {
	Key string `header:"Idempotency-Key" maxLength:"128" doc:"Makes a retry safe: within 24 hours, the same key with the same body returns the same response, and the message is sent only once." example:"5f0c7d1e"`
}

// sendRequest is a question.
type sendRequest struct {
	SendKey
	Body parley.SendInput
}

// streamRequest is a question, or a request to continue the last reply.
type streamRequest struct {
	SendKey
	Body parley.StreamInput
}

// Resolve validates what a schema can't express.
func (r *SendKey) Resolve(ctx huma.Context) []error {
	request, _ := humachi.Unwrap(ctx)
	if len(request.Header.Values(idempotencyKey)) > 1 {
		return []error{parley.Invalid("Idempotency-Key must be given once")}
	}
	if !utf8.ValidString(r.Key) {
		return []error{parley.Invalid("Idempotency-Key must be valid UTF-8")}
	}
	return nil
}

func (a *API) send(ctx context.Context, in *sendRequest) (parley.SendOutput, error) {
	out, err := a.chat.Send(ctx, userID(ctx), in.Body, in.Key)
	return fitReply(ctx, out, err)
}

// fitReply returns a reply. If the memory for responses is used up, it returns parley.ErrReplyLate with the beginning
// of the text instead. The client finds the stored reply in the session's messages.
func fitReply(ctx context.Context, out parley.SendOutput, err error) (parley.SendOutput, error) {
	reply := &out.AIResponse
	size := len(reply.Content) + len(reply.Thinking)
	for _, passage := range reply.Files {
		size += len(passage.Text)
	}
	if err != nil || infoOf(ctx).hold.Resize(int64(size)) {
		return out, err
	}
	reply.Content = strings.ToValidUTF8(reply.Content[:min(len(reply.Content), FreeResponse)], "")
	reply.Details = parley.Details{Model: reply.Model}
	return parley.SendOutput{}, parley.ErrReplyLate.WithBody(out)
}

func (a *API) regenerate(ctx context.Context, in *struct {
	SessionPath
	Body parley.RegenerateInput
},
) (parley.SendOutput, error) {
	out, err := a.chat.Regenerate(ctx, userID(ctx), in.SessionID, in.Body)
	return fitReply(ctx, out, err)
}

func (a *API) continueReply(ctx context.Context, in *struct {
	SessionPath
	Body parley.RegenerateInput
},
) (parley.SendOutput, error) {
	out, err := a.chat.Continue(ctx, userID(ctx), in.SessionID, in.Body)
	return fitReply(ctx, out, err)
}

func (a *API) showVersion(ctx context.Context, in *struct {
	MessagePath
	Body parley.VersionInput
},
) (parley.Done, error) {
	return parley.Done{}, a.chat.ShowVersion(ctx, userID(ctx), in.MessageID, in.Body.Version)
}

func (a *API) rateReply(ctx context.Context, in *struct {
	MessagePath
	Body parley.RatingInput
},
) (parley.Done, error) {
	return parley.Done{}, a.chat.Rate(ctx, userID(ctx), in.MessageID, in.Body.Rating)
}

func (a *API) listModels(context.Context, *none) (parley.ModelsOutput, error) {
	return parley.ModelsOutput{Models: a.chat.Models()}, nil
}
