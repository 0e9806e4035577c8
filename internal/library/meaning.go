package library

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"parley/internal/blob"
	"parley/internal/embed"
	"parley/internal/rank"
)

const (
	// questionTime is how long the vector of a question may take, and then the search with it.
	questionTime = time.Second
	// questionRest is how long no vector is requested after a failure. Then few questions lose a second by it.
	questionRest = 30 * time.Second
	// maxQuestion is how much of a question counts, in bytes. Models take little more.
	maxQuestion = 2000
	// maxVectorBytes is how much is read for one question, from the newest documents on.
	maxVectorBytes = 64 << 20
)

// questioner makes the vectors of questions.
type questioner struct {
	// client returns the client of the embeddings server, or nil if there is none now.
	client func() *embed.Client
	time   time.Duration
	// restUntil is when the next vector may be requested, in Unix nanoseconds.
	restUntil atomic.Int64
}

// subject returns what the question is about, as a text.
func (q Question) subject() string {
	text := q.Text
	if q.Before.Question != "" && rank.RefersBack(q.Text) {
		text = q.Before.Question + "\n" + q.Text
	}
	return strings.ToValidUTF8(text[:min(len(text), maxQuestion)], "")
}

// nearest returns the n passages nearest to the question by their meaning, best first. Without an embeddings server, or
// while it fails, there are no hits: then words decide alone.
func (s *selection) nearest(ctx context.Context, question Question, n int) []rank.Hit {
	client := s.questioner.client()
	if client == nil {
		return nil
	}
	vector, err := s.questionVector(ctx, client, question)
	if err != nil {
		s.log.Warn("search by words alone", "error", err)
		return nil
	}
	if vector == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, questionTime)
	defer cancel()
	var hits []rank.Hit
	left := int64(maxVectorBytes)
	for i, file := range slices.Backward(s.files) {
		var read int64
		hits, read, err = s.compareVectors(ctx, i, client.Model(), vector, left, n, hits)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			s.log.Error("leave the vectors of a file out", "file", file.FileID, "error", err)
		}
		left -= read
	}
	return s.locate(ctx, hits)
}

// questionVector returns the vector of the question, or nil if the server rests or the user has no tokens left.
func (s *selection) questionVector(
	ctx context.Context, client *embed.Client, question Question,
) (embed.Vector, error) {
	q := &s.questioner
	if s.now().UnixNano() < q.restUntil.Load() {
		return nil, nil
	}
	if left, err := s.hasTokens(ctx, s.userID); err != nil || !left {
		return nil, err
	}
	timed, cancel := context.WithTimeout(ctx, q.time)
	defer cancel()
	texts := []string{question.subject()}
	result, err := client.Embed(timed, texts)
	if err == nil {
		s.countTokens(ctx, s.userID, client.Model(), embedTokens(result, texts))
	}
	if ctx.Err() != nil {
		return nil, nil // the question was given up
	}
	s.metrics.Embedding("question", err)
	if err != nil {
		q.restUntil.Store(s.now().Add(questionRest).UnixNano())
		return nil, err
	}
	return result.Vectors[0], nil
}

// compareVectors adds the passages of a document to the n best hits, unless its vectors take more than limit bytes or
// don't compare with that of the question. It returns how many bytes they take.
func (s *selection) compareVectors(
	ctx context.Context, i int, model string, question embed.Vector, limit int64, n int, hits []rank.Hit,
) ([]rank.Hit, int64, error) {
	r, err := s.blobs.Get(ctx, s.files[i].FileID+vectorsSuffix)
	if errors.Is(err, blob.ErrNotFound) {
		return hits, 0, nil
	}
	if err != nil {
		return hits, 0, err
	}
	defer r.Close() //nolint:errcheck // it was only read
	vectors, err := openVectors(r)
	if err != nil {
		return hits, 0, err
	}
	if vectors.Model != model || vectors.Dimension != len(question) || vectors.size() > limit {
		return hits, 0, nil
	}
	for part := range vectors.Passages {
		if ctx.Err() != nil {
			return hits, 0, ctx.Err()
		}
		similarity, err := vectors.next(question)
		if err != nil {
			return hits, 0, err
		}
		if !math.IsNaN(similarity) { // of damaged vectors
			hits = rank.Insert(hits, n, rank.Hit{Index: i, Part: part, Score: similarity})
		}
	}
	return hits, vectors.size(), nil
}

// locate returns the hits with their places. Those of an index that can't be read are left out: the search by words
// has reported it.
func (s *selection) locate(ctx context.Context, hits []rank.Hit) []rank.Hit {
	byFile := make(map[int][]*rank.Hit)
	for i := range hits {
		byFile[hits[i].Index] = append(byFile[hits[i].Index], &hits[i])
	}
	for i, ofFile := range byFile {
		_ = s.indexes.use(ctx, i, func(x index) error {
			for _, hit := range ofFile {
				span, err := x.words.Span(hit.Part)
				if err != nil || !isPassage(span) {
					return err
				}
				hit.Span = span
			}
			return nil
		})
	}
	return slices.DeleteFunc(hits, func(hit rank.Hit) bool { return hit.Span == rank.Span{} })
}

// isPassage reports whether a span has the size of a passage. The index may come from a hostile document.
func isPassage(span rank.Span) bool {
	return span.Start >= 0 && span.Start < span.End && span.End-span.Start <= passageSize*maxTokenBytes
}
