package chat

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"log/slog"
	"time"

	"parley"
	"parley/internal/id"
	"parley/internal/store"
)

const (
	shareBytes         = 32 // 256 random bits
	shareSweepInterval = time.Minute
	shareSweepTimeout  = time.Minute
	shareSweepBatch    = 100
)

// Share stores a snapshot of the visible messages of a session and returns its id. It leaves out a turn if its first
// reply is still in progress.
func (s *Service) Share(ctx context.Context, userID int64, sessionID string, in parley.ShareInput) (string, error) {
	if !s.settings().Sharing {
		return "", parley.ErrSharingOff
	}
	if _, err := s.expiry(in.ExpiresIn); err != nil {
		return "", err
	}
	if !id.Valid(sessionID) {
		return "", parley.ErrNoSuchSession
	}
	share := store.NewShare{
		ID: newShareID(), UserID: userID, SessionID: sessionID, Thinking: in.Thinking, MaxShares: parley.MaxShares,
	}
	snapshot := shareWriter{thinking: in.Thinking}
	begin := func(head store.SessionHead) error {
		share.Title = ShownTitle(head.Title)
		return snapshot.begin(head.MessageCount)
	}
	if err := s.store.ReadSession(ctx, userID, sessionID, begin, snapshot.add); err != nil {
		return "", err
	}
	if err := snapshot.end(); err != nil {
		return "", err
	}
	share.Parts, share.Messages = snapshot.parts, snapshot.messages
	share.Now = s.now()
	var err error
	if share.Expires, err = s.expiry(in.ExpiresIn); err != nil {
		return "", err
	}
	return share.ID, s.store.AddShare(ctx, share)
}

// Shares lists a user's shares, newest first.
func (s *Service) Shares(ctx context.Context, userID int64) ([]parley.Share, error) {
	return s.store.Shares(ctx, userID, s.now())
}

// DeleteShare withdraws a share.
func (s *Service) DeleteShare(ctx context.Context, userID int64, shareID string) error {
	if !validShareID(shareID) {
		return parley.ErrNoSuchShare
	}
	return s.store.DeleteShare(ctx, userID, shareID)
}

// ReadShare returns the share with an id: all but its messages, and these. Anyone may read it.
func (s *Service) ReadShare(
	ctx context.Context, shareID string,
) (parley.SharedSession, *List[parley.SharedMessage], error) {
	share, err := s.findShare(ctx, shareID)
	if err != nil {
		return parley.SharedSession{}, nil, err
	}
	messages, err := newList(ctx, s.sharePart(share, 0))
	return parley.SharedSession{
		Title: share.Title, CreatedAt: share.CreatedAt, ExpiresAt: share.ExpiresAt,
	}, messages, err
}

// CheckShare returns parley.ErrNoSuchShare if there is no share with an id.
func (s *Service) CheckShare(ctx context.Context, shareID string) error {
	_, err := s.findShare(ctx, shareID)
	return err
}

func (s *Service) findShare(ctx context.Context, shareID string) (store.Share, error) {
	if !s.settings().Sharing || !validShareID(shareID) {
		return store.Share{}, parley.ErrNoSuchShare
	}
	return s.store.FindShare(ctx, shareID, s.now())
}

// sharePart returns the reader of a part of a share.
func (s *Service) sharePart(share store.Share, part int64) reader[parley.SharedMessage] {
	return func(ctx context.Context) ([]parley.SharedMessage, int64, reader[parley.SharedMessage], error) {
		data, err := s.store.SharePart(ctx, share.UserID, share.ShareID, part)
		if err != nil {
			return nil, 0, nil, err
		}
		messages, err := decodePart(data)
		if err != nil {
			return nil, 0, nil, err
		}
		var following reader[parley.SharedMessage]
		if part+1 < share.Parts {
			following = s.sharePart(share, part+1)
		}
		return messages, share.MessageCount, following, nil
	}
}

// SweepShares deletes shares that have expired and the links of those that are gone, now and every minute, until ctx
// ends. Neither can be read meanwhile.
func (s *Service) SweepShares(ctx context.Context, log *slog.Logger) {
	ticker := time.NewTicker(shareSweepInterval)
	defer ticker.Stop()
	for {
		if err := s.sweepShares(ctx); err != nil && ctx.Err() == nil {
			log.Error("delete expired shares", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (s *Service) sweepShares(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, shareSweepTimeout)
	defer cancel()
	for {
		more, err := s.store.SweepShares(ctx, s.now(), shareSweepBatch)
		if err != nil || !more {
			return err
		}
	}
}

func newShareID() string {
	var secret [shareBytes]byte
	_, _ = rand.Read(secret[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(secret[:])
}

// validShareID reports whether a text can be the id of a share.
func validShareID(text string) bool {
	secret, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(secret) == shareBytes && base64.RawURLEncoding.EncodeToString(secret) == text
}
