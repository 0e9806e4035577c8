package library

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/internal/embed"
	"parley/internal/extract/prose"
	"parley/internal/rank"
	"parley/internal/store"
)

const (
	// vectorsLease is how long a process has a document to itself. It is renewed while vectors are made.
	vectorsLease = 10 * time.Minute
	// vectorsDelay is when a document is tried again after the server has refused its texts.
	vectorsDelay = time.Hour
	// vectorsPoll is how often documents are looked for that another process has left.
	vectorsPoll = time.Minute
	// vectorsCandidates is how many documents are looked at to find one that no other process has.
	vectorsCandidates = 16
	// Pauses after failures. Each doubles the one before.
	firstPause = time.Second
	maxPause   = 5 * time.Minute
	// releaseTime limits a statement after the end of the process was requested.
	releaseTime = 5 * time.Second
)

// RunEmbedder makes the vectors of documents until ctx ends. Which documents lack them is in the database, so nothing
// is forgotten when the process ends. Without an embeddings server it waits for one.
func (l *Library) RunEmbedder(ctx context.Context) {
	e := &embedder{Library: l}
	pause := time.Duration(0)
	for ctx.Err() == nil {
		if client := l.questioner.client(); client != e.client {
			e.client, e.dimension = client, 0
		}
		if e.client == nil {
			wait(ctx, vectorsPoll, nil)
			continue
		}
		worked, err := e.next(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			pause = nextPause(pause, err)
			l.log.Warn("make vectors of a file", "error", err, "pause", pause)
			wait(ctx, pause, nil)
		case worked:
			pause = 0
		default:
			pause = 0
			wait(ctx, vectorsPoll, l.added)
		}
	}
}

// nextPause returns how long to wait after a failure.
func nextPause(last time.Duration, err error) time.Duration {
	pause := min(max(firstPause, 2*last), maxPause)
	var failure *embed.Failure
	if errors.As(err, &failure) {
		pause = max(pause, failure.RetryAfter)
	}
	return pause
}

// wait waits for a time, a signal, or the end of ctx.
func wait(ctx context.Context, pause time.Duration, signal <-chan struct{}) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-signal:
	}
}

// announceAdded makes RunEmbedder look for documents now.
func (l *Library) announceAdded() {
	select {
	case l.added <- struct{}{}:
	default:
	}
}

// embedder makes the vectors of documents, one after the other.
type embedder struct {
	*Library
	client *embed.Client
	// dimension is the dimension of the model's vectors. It is 0 until the server has told it.
	dimension int
	// used is what the requests for the current document have taken.
	used parley.Usage
}

// next makes the vectors of one document. It returns false if none is due.
func (e *embedder) next(ctx context.Context) (worked bool, err error) {
	if e.dimension == 0 {
		vectors, err := e.embed(ctx, []string{"dimension"})
		if err != nil {
			return false, err
		}
		e.dimension = len(vectors[0])
	}
	made := VectorsBy(e.client.Model(), e.dimension)
	files, err := e.store.FilesWithoutVectors(ctx, made, e.now(), vectorsCandidates)
	if err != nil {
		return false, err
	}
	for _, file := range files {
		now := e.now()
		claimed, err := e.store.ClaimVectors(ctx, file, made, now, now.Add(vectorsLease))
		if err != nil {
			return false, err
		}
		if claimed {
			return true, e.embedFile(ctx, file, made)
		}
	}
	return false, nil
}

// embed calls the server and counts the request.
func (e *embedder) embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	result, err := e.client.Embed(ctx, texts)
	if ctx.Err() == nil {
		e.metrics.Embedding("passages", err)
	}
	if err == nil {
		used := embedTokens(result, texts)
		e.used.InputTokens += used.InputTokens
		e.used.Estimated = e.used.Estimated || used.Estimated
	}
	return result.Vectors, err
}

// embedFile makes the vectors of a document that the caller has claimed. If that fails, the document is released. If
// its user has no tokens left, it waits for the next day.
func (e *embedder) embedFile(ctx context.Context, file store.FileKey, made string) error {
	switch left, err := e.hasTokens(ctx, file.UserID); {
	case err != nil:
		return errors.Join(err, e.store.DelayVectors(ctx, file, e.now()))
	case !left:
		return e.store.DelayVectors(ctx, file, parley.QuotaReset(e.now()))
	}
	e.used = parley.Usage{}
	size, err := e.storeVectors(ctx, file)
	e.countTokens(ctx, file.UserID, e.client.Model(), e.used)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	if err != nil {
		until := e.now()
		var failure *embed.Failure
		if errors.As(err, &failure) && failure.Texts || isDamaged(err) || errors.Is(err, parley.ErrNoSuchFile) {
			until = until.Add(vectorsDelay)
		}
		return errors.Join(fmt.Errorf("file %s: %w", file.FileID, err), e.store.DelayVectors(ctx, file, until))
	}
	found, err := e.store.SetVectors(ctx, file, made, size)
	if err != nil || found {
		return err
	}
	// It was deleted, perhaps before the vectors were stored.
	if _, err := e.store.GiveUpFileIntent(ctx, file.UserID, file.FileID); err != nil {
		return err
	}
	e.TriggerCleanup()
	return nil
}

// storeVectors stores the vectors of a document and returns their size. A document without text has none.
func (e *embedder) storeVectors(ctx context.Context, file store.FileKey) (int64, error) {
	spans, anchors, err := e.readSpans(ctx, file.FileID)
	if err != nil || len(spans) == 0 {
		return 0, err
	}
	head, err := appendVectorsHead(nil, vectorsHead{e.client.Model(), e.dimension, len(spans)})
	if err != nil {
		return 0, err
	}
	w := e.newBlobWriter(ctx, file.FileID+vectorsSuffix)
	_, err = w.Write(head)
	renewed := e.now()
	for start := 0; err == nil && start < len(spans); start += embed.MaxTexts {
		if now := e.now(); now.Sub(renewed) > vectorsLease/3 {
			renewed = now
			if err = e.store.DelayVectors(ctx, file, now.Add(vectorsLease)); err != nil {
				break
			}
		}
		var data []byte
		batch := spans[start:min(start+embed.MaxTexts, len(spans))]
		if data, err = e.embedPassages(ctx, file.FileID, batch, anchors); err == nil {
			_, err = w.Write(data)
		}
	}
	err = w.closeWith(err)
	return w.size, err
}

// readSpans returns the places of a document's passages.
func (e *embedder) readSpans(
	ctx context.Context, fileID string,
) (spans []rank.Span, anchors prose.Anchors, err error) {
	one := e.newIndexes([]parley.File{{FileID: fileID}})
	err = one.use(ctx, 0, func(x index) (err error) {
		if anchors, err = x.readAnchors(); err != nil {
			return err
		}
		for part := range min(x.words.Len(), maxVectors) {
			span, err := x.words.Span(part)
			if err == nil && !isPassage(span) {
				err = errBadIndex
			}
			if err != nil {
				return err
			}
			spans = append(spans, span)
		}
		return nil
	})
	return spans, anchors, err
}

// embedPassages returns the encoded vectors of some passages of a document.
func (e *embedder) embedPassages(
	ctx context.Context, fileID string, spans []rank.Span, anchors prose.Anchors,
) ([]byte, error) {
	passages := make([]foundPassage, len(spans))
	places := make([]*foundPassage, len(spans))
	for i, span := range spans {
		passages[i].hit.Span = span
		places[i] = &passages[i]
	}
	if err := e.readTexts(ctx, fileID, places, anchors); err != nil {
		return nil, err
	}
	texts := make([]string, len(spans))
	for i, p := range passages {
		if texts[i] = p.WithHeader(); texts[i] == "" {
			return nil, parley.ErrNoSuchFile
		}
	}
	vectors, err := e.embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	var data []byte
	for _, vector := range vectors {
		if len(vector) != e.dimension {
			got := len(vector)
			e.dimension = 0 // the model has changed
			return nil, fmt.Errorf("a vector has %d dimensions, not as many as others", got)
		}
		data = appendVector(data, vector)
	}
	return data, nil
}
