package chat

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"parley"
	"parley/internal/ai"
	"parley/internal/chat/turn"
	"parley/internal/id"
	"parley/internal/store"
)

// Send stores a question and waits for its reply. If ctx ends first, the reply continues, and the error is
// parley.ErrReplyLate with the text so far. A key makes the send idempotent, unless it is empty.
func (s *Service) Send(
	ctx context.Context, userID int64, in parley.SendInput, key string,
) (parley.SendOutput, error) {
	reply, err := s.start(ctx, userID, in, key, false)
	if err != nil {
		return parley.SendOutput{}, err
	}
	return reply.Wait(ctx)
}

// Stream stores a question, or continues the last reply of a session, and returns a Follower of the reply. The key
// works as in Send. If the model fails after the first word, the text so far is kept.
func (s *Service) Stream(
	ctx context.Context, userID int64, in parley.StreamInput, key string,
) (*turn.Follower, error) {
	switch {
	case !in.Continue:
		return s.start(ctx, userID, in.SendInput(), key, true)
	case in.Content != "" || in.Replaces != "":
		return nil, parley.Invalid("continue takes neither content nor replaces")
	case key != "":
		return nil, parley.Invalid("Idempotency-Key can't be used with continue")
	}
	return s.reopen(ctx, userID, in.SessionID, in.ReplyOptions, store.NewTurn{Continue: true, Stream: true})
}

// start stores a question and returns a Follower of its reply.
func (s *Service) start(
	ctx context.Context, userID int64, in parley.SendInput, key string, stream bool,
) (*turn.Follower, error) {
	for {
		if key != "" {
			reply, err := s.findSent(ctx, userID, in, key)
			if reply != nil || err != nil {
				return reply, err
			}
		}
		question, err := s.newQuestion(ctx, userID, in, key)
		if err != nil {
			return s.sentMeanwhile(ctx, userID, in, key, err)
		}
		question.Stream = stream
		reply, err := s.turns.Start(ctx, question)
		if !errors.Is(err, store.ErrKeyTaken) {
			return reply, err
		}
		// Another send with this key came first. Look it up again; if it has failed since, its key is free.
	}
}

// Regenerate generates the last reply of a session again and waits for it as Send does.
func (s *Service) Regenerate(
	ctx context.Context, userID int64, sessionID string, in parley.RegenerateInput,
) (parley.SendOutput, error) {
	reply, err := s.reopen(ctx, userID, sessionID, in.ReplyOptions, store.NewTurn{Redo: true})
	if err != nil {
		return parley.SendOutput{}, err
	}
	return reply.Wait(ctx)
}

// Continue continues the last reply of a session, which was stopped or interrupted, and waits for it as Send does.
func (s *Service) Continue(
	ctx context.Context, userID int64, sessionID string, in parley.RegenerateInput,
) (parley.SendOutput, error) {
	reply, err := s.reopen(ctx, userID, sessionID, in.ReplyOptions, store.NewTurn{Continue: true})
	if err != nil {
		return parley.SendOutput{}, err
	}
	return reply.Wait(ctx)
}

// reopen starts a turn that generates the last reply of a session again, or continues it.
func (s *Service) reopen(
	ctx context.Context, userID int64, sessionID string, options parley.ReplyOptions, t store.NewTurn,
) (*turn.Follower, error) {
	model, err := s.findModel(options.Model)
	if err != nil {
		return nil, err
	}
	session, err := s.session(ctx, userID, sessionID)
	if err != nil {
		return nil, err
	}
	if options.WebSearch && !s.webSearch() {
		return nil, parley.ErrSearchNotSetUp
	}
	t.UserID, t.SessionID, t.Options = userID, sessionID, s.normalize(options)
	t.NoInstructions, t.NoPictures = !session.HasInstructions(), !session.HasPictures
	t.Reservation = s.reservation(session, model)
	t.Temporary = session.Temporary
	return s.turns.Start(ctx, t)
}

// KeyUsed reports whether a user's idempotency key is bound to a send. If the database fails it returns false.
func (s *Service) KeyUsed(ctx context.Context, userID int64, key string) bool {
	_, found, err := s.store.FindKey(ctx, userID, key)
	return found && err == nil
}

// findSent finds the reply of an earlier send with the same key. It returns nil if there was none.
func (s *Service) findSent(
	ctx context.Context, userID int64, in parley.SendInput, key string,
) (*turn.Follower, error) {
	earlier, found, err := s.store.FindKey(ctx, userID, key)
	if err != nil || !found {
		return nil, err
	}
	if earlier.Digest != s.digest(in) {
		return nil, parley.Invalid("Idempotency-Key was used for another message")
	}
	return s.turns.Follow(ctx, userID, earlier.ReplyID, turn.Position{})
}

// sentMeanwhile returns the reply of another send with the same key if it has come since the key was looked up.
// Otherwise it returns refusal, why this send can't be stored: the other may have replaced the same question.
func (s *Service) sentMeanwhile(
	ctx context.Context, userID int64, in parley.SendInput, key string, refusal error,
) (*turn.Follower, error) {
	if key == "" || in.Replaces == "" {
		return nil, refusal
	}
	if reply, err := s.findSent(ctx, userID, in, key); reply != nil || err != nil {
		return reply, err
	}
	return nil, refusal
}

// digest identifies the input of a send. Naming the default model is the same as naming none.
func (s *Service) digest(in parley.SendInput) string {
	in.ReplyOptions = s.normalize(in.ReplyOptions)
	text, err := json.Marshal(in)
	if err != nil {
		panic(err) // strings and booleans can always be encoded
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// newQuestion checks a send against the rules and returns the turn to start.
func (s *Service) newQuestion(
	ctx context.Context, userID int64, in parley.SendInput, key string,
) (store.NewTurn, error) {
	if strings.TrimSpace(in.Content) == "" {
		return store.NewTurn{}, parley.Invalid("content is required and must not be blank")
	}
	model, err := s.findModel(in.Model)
	if err != nil {
		return store.NewTurn{}, err
	}
	if ai.Tokens(in.Content) > model.PromptTokens() {
		return store.NewTurn{}, parley.Invalid(
			"content is longer than the model's context; send it in parts, or upload it as a file")
	}
	session, err := s.session(ctx, userID, in.SessionID)
	if err != nil {
		return store.NewTurn{}, err
	}
	if err := checkFits(in.Content, session, model); err != nil {
		return store.NewTurn{}, err
	}
	if err := s.checkReplaceable(ctx, userID, in); err != nil {
		return store.NewTurn{}, err
	}
	if in.WebSearch && !s.webSearch() {
		return store.NewTurn{}, parley.ErrSearchNotSetUp
	}
	question := store.NewTurn{
		UserID:     userID,
		SessionID:  in.SessionID,
		QuestionID: id.New(),
		ReplyID:    id.New(),
		Content:    in.Content,
		Replaces:   in.Replaces,
		Options:    s.normalize(in.ReplyOptions),
		NoFiles:    !session.HasFiles,
		NoPictures: !session.HasPictures,
		Archived:   session.Archived,
		Temporary:  session.Temporary,
		Key:        key,

		NoInstructions: !session.HasInstructions(),
		Reservation:    s.reservation(session, model),
	}
	if session.Title == "" || session.Provisional {
		question.Title = TitleFrom(in.Content)
	}
	if key != "" {
		question.Digest = s.digest(in)
	}
	return question, nil
}

// reservation returns what a turn may use, and the quota of its user.
func (s *Service) reservation(session store.SessionHead, model ai.Offer) store.Reservation {
	quota := s.settings().Quota.For(session.UserQuota)
	if quota.IsZero() {
		return store.Reservation{}
	}
	return store.Reservation{Quota: quota, Tokens: model.ReplyLimit()}
}

// checkFits checks that a question fits the context of a model together with the instructions. They are never left out.
func checkFits(content string, session store.SessionHead, model ai.Offer) error {
	if !session.HasInstructions() {
		return nil
	}
	prompt := ai.Prompt{
		UserInstructions: session.UserInstructions, SessionInstructions: session.Instructions, Question: content,
	}
	if prompt.Tokens() > model.PromptTokens() {
		return parley.Invalid(
			"content and the instructions together are longer than the model's context; shorten one of them")
	}
	return nil
}

// findModel returns the model with the given name. The empty name selects the default.
func (s *Service) findModel(name string) (ai.Offer, error) {
	model, found := s.models().Find(name)
	if !found {
		return model, parley.Invalid("model must be one of the names that GET /api/models lists")
	}
	return model, nil
}

// normalize removes the name of the default model, which is not shown with a reply.
func (s *Service) normalize(options parley.ReplyOptions) parley.ReplyOptions {
	if options.Model == s.models()[0].Name {
		options.Model = ""
	}
	return options
}

// session finds a user's session.
func (s *Service) session(ctx context.Context, userID int64, sessionID string) (store.SessionHead, error) {
	if !id.Valid(sessionID) {
		return store.SessionHead{}, parley.ErrNoSuchSession
	}
	return s.store.Session(ctx, userID, sessionID)
}
