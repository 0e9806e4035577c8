package library

import "parley/internal/rank"

// Question is a question about the documents of a session.
type Question struct {
	Text string
	// Before is the turn before the question, which it may refer to. It is empty for a first question.
	Before Turn
}

// Turn is an earlier question and its reply.
type Turn struct {
	Question, Reply string
}

// The weights were chosen by `make bench-retrieval`. The words of the turn before weigh less the more words the
// question has of its own, and more if it has a word such as "it".
const (
	weightBefore  = 0.8
	weightReferTo = 1.5
	maxBefore     = 0.8
	// weightReply is the weight of the reply's words beside those of its question.
	weightReply = 0.8
	// maxReply is how many bytes of the reply are used. What it is about stands at its beginning.
	maxReply = 2000
)

// query returns the words to search for.
func (q Question) query() rank.Query {
	query := rank.NewQuery(q.Text)
	if q.Before == (Turn{}) {
		return query
	}
	weight := weightBefore
	if rank.RefersBack(q.Text) {
		weight = weightReferTo
	}
	reply := q.Before.Reply[:min(len(q.Before.Reply), maxReply)]
	before := rank.NewQuery(q.Before.Question).With(rank.NewQuery(reply), weightReply)
	return query.With(before, min(maxBefore, weight/max(1, query.Words())))
}
