package main

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"parley"
	"parley/client"
)

// seedWorkers is how many requests create the data at once.
const seedWorkers = 16

// seed is the data of a candidate. Each part is created over HTTP when it is first needed.
type seed struct {
	words    *vocabulary
	users    int            // that have registered
	user     string         // token of the user who lists, sends and streams
	sessions []string       // of that user
	next     *atomic.Int64  // session to send to
	creators []string       // tokens of users who create sessions
	reader   string         // token of the user with the long sessions
	grown    map[int]string // session by its number of messages
	searcher string         // token of the user who searches
	files    bool           // whether that user has documents
}

func newSeed() seed {
	return seed{words: newVocabulary(), next: new(atomic.Int64), grown: map[int]string{}}
}

// register returns the token of a new user.
func (c *candidate) register(ctx context.Context) (string, error) {
	c.seed.users++
	user := c.client("")
	_, err := user.Register(ctx, parley.RegisterInput{
		Email: fmt.Sprintf("user%d@example.com", c.seed.users), Password: "correct horse",
	})
	return user.Token(), err
}

// seedSessions gives the main user at least n sessions.
func (c *candidate) seedSessions(ctx context.Context, n int) error {
	ids, err := newSessions(ctx, c.client(c.seed.user), max(0, n-len(c.seed.sessions)))
	c.seed.sessions = append(c.seed.sessions, ids...)
	return err
}

func newSessions(ctx context.Context, user *client.Client, n int) ([]string, error) {
	ids := make([]string, n)
	creating, ctx := errgroup.WithContext(ctx)
	creating.SetLimit(seedWorkers)
	for i := range ids {
		creating.Go(func() error {
			out, err := user.CreateSession(ctx, parley.CreateSessionInput{Title: fmt.Sprintf("Session %d", i)})
			ids[i] = out.SessionID
			return err
		})
	}
	return ids, creating.Wait()
}

// seedCreators registers a user for each connection.
func (c *candidate) seedCreators(ctx context.Context) error {
	for len(c.seed.creators) < c.connections {
		token, err := c.register(ctx)
		if err != nil {
			return err
		}
		c.seed.creators = append(c.seed.creators, token)
	}
	return nil
}

// seedGrown creates a session of a number of messages.
func (c *candidate) seedGrown(ctx context.Context, size int) (err error) {
	if c.seed.grown[size] != "" {
		return nil
	}
	if c.seed.reader == "" {
		if c.seed.reader, err = c.register(ctx); err != nil {
			return err
		}
	}
	ids, err := c.fill(ctx, c.seed.reader, 1, size)
	c.seed.grown[size] = ids[0]
	return err
}

// seedSearch gives a user messages to search.
func (c *candidate) seedSearch(ctx context.Context) (err error) {
	const each = 100 // messages of a session
	if c.seed.searcher != "" {
		return nil
	}
	if c.seed.searcher, err = c.register(ctx); err != nil {
		return err
	}
	_, err = c.fill(ctx, c.seed.searcher, c.searchable/each, each)
	return err
}

// seedFiles gives that user documents of 50 KB too.
func (c *candidate) seedFiles(ctx context.Context) error {
	const each, size = 10, 50_000 // documents of a session, and their bytes
	const atOnce = 4              // the server refuses more than eight uploads of a user at once
	if err := c.seedSearch(ctx); err != nil || c.seed.files {
		return err
	}
	c.seed.files = true
	user := c.client(c.seed.searcher)
	sessions, err := newSessions(ctx, user, (c.files+each-1)/each)
	if err != nil {
		return err
	}
	uploading, ctx := errgroup.WithContext(ctx)
	uploading.SetLimit(atOnce)
	for i := range c.files {
		content := c.seed.words.document(size, i%4 == 0)
		uploading.Go(func() error {
			_, err := user.Upload(ctx, sessions[i/each], fmt.Sprintf("document %d.txt", i), bytes.NewReader(content))
			return err
		})
	}
	return uploading.Wait()
}

// fill creates sessions with a number of messages each, questions and replies of about 1 KB.
func (c *candidate) fill(ctx context.Context, token string, sessions, messages int) ([]string, error) {
	user := c.client(token)
	ids, err := newSessions(ctx, user, sessions)
	if err != nil {
		return ids, err
	}
	texts, replies := make([]string, 1000), make([]string, 1000)
	for i := range texts {
		texts[i], replies[i] = c.seed.words.text(), c.seed.words.text()
	}
	c.model.reply(replies)
	defer c.model.usual()
	filling, ctx := errgroup.WithContext(ctx)
	filling.SetLimit(seedWorkers)
	for s, session := range ids {
		filling.Go(func() error {
			for n := range messages / 2 {
				content := texts[(s*messages+n)%len(texts)]
				if _, err := user.Send(ctx, parley.SendInput{SessionID: session, Content: content}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return ids, filling.Wait()
}
