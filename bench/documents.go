package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"parley"
	"parley/client"
)

// documents measures uploads, and replies from documents. The limits are for an idle machine with 2 cores.
func documents(ctx context.Context, all []*candidate) error {
	for _, c := range all {
		err := c.restart(ctx)
		if err == nil {
			err = c.uploadAtOnce(ctx)
		}
		if err == nil {
			err = c.measureDocuments(ctx)
		}
		if err != nil {
			return c.explain(err)
		}
	}
	return nil
}

// uploadAtOnce measures how much the server grows during concurrent uploads.
func (c *candidate) uploadAtOnce(ctx context.Context) error {
	user := c.client(c.seed.user)
	content := c.seed.words.document(c.large, false)
	before, err := c.server.usage()
	if err != nil {
		return err
	}
	sessions, err := newSessions(ctx, user, c.uploads)
	if err != nil {
		return err
	}
	watching, stop := context.WithCancel(ctx)
	peak := make(chan float64, 1)
	go func() { peak <- c.server.peakMemory(watching) }()
	uploads, uploading := errgroup.WithContext(ctx)
	for _, session := range sessions {
		uploads.Go(func() error {
			_, err := user.Upload(uploading, session, "large.txt", bytes.NewReader(content))
			return err
		})
	}
	err = uploads.Wait()
	stop()
	name := fmt.Sprintf("%d uploads of %d MB at once, memory, MB (at most 50)", c.uploads, c.large/1_000_000)
	c.report.measured(name, max(0, <-peak-before.memory))
	return errors.Join(err, c.deleteSessions(ctx, user, sessions))
}

// peakMemory returns the highest resident memory until ctx ends.
func (s *server) peakMemory(ctx context.Context) (peak float64) {
	for ctx.Err() == nil {
		if u, err := s.usage(); err == nil {
			peak = max(peak, u.memory)
		}
		_ = sleep(ctx, 5*time.Millisecond)
	}
	return peak
}

// document is a document to upload, and a question about it.
type document struct {
	name, file, question string
	content              []byte
	limit                int // of the upload, in ms
}

func (c *candidate) pagesDocument() (document, error) {
	content, err := os.ReadFile(c.pages)
	if err != nil {
		return document{}, fmt.Errorf("run it in the root of the repository: %w", err)
	}
	name := filepath.Base(c.pages)
	return document{name: name, file: name, question: question, content: content, limit: 2000}, nil
}

func (c *candidate) textDocument(script string) document {
	chinese := script == "Chinese"
	return document{
		name: fmt.Sprintf("%d MB of text, %s", c.text/1_000_000, script), file: "text.txt",
		question: strings.Join(c.seed.words.keywords(chinese)[:8], " "),
		content:  c.seed.words.document(c.text, chinese), limit: 500,
	}
}

// measureDocuments measures uploads and replies, each in several rounds after one to warm up.
func (c *candidate) measureDocuments(ctx context.Context) error {
	pages, err := c.pagesDocument()
	if err != nil {
		return err
	}
	for _, d := range []document{c.textDocument("Latin"), c.textDocument("Chinese"), pages} {
		var rounds [][]float64
		for range 1 + c.rounds {
			upload, reply, err := c.uploadAndSend(ctx, d)
			if err != nil {
				return err
			}
			rounds = append(rounds, []float64{milliseconds(upload), milliseconds(reply)})
		}
		m := medians(rounds[1:])
		c.report.measured(fmt.Sprintf("upload of %s, ms (at most %d)", d.name, d.limit), m[0])
		c.report.measured("reply from it, ms (at most 50)", m[1])
	}
	return nil
}

// uploadAndSend returns how long the upload and the reply took.
func (c *candidate) uploadAndSend(ctx context.Context, d document) (upload, reply time.Duration, err error) {
	user := c.client(c.seed.user)
	sessions, err := newSessions(ctx, user, 1)
	if err != nil {
		return 0, 0, err
	}
	begun := time.Now()
	if _, err := user.Upload(ctx, sessions[0], d.file, bytes.NewReader(d.content)); err != nil {
		return 0, 0, err
	}
	uploaded := time.Now()
	if _, err := user.Send(ctx, parley.SendInput{SessionID: sessions[0], Content: d.question}); err != nil {
		return 0, 0, err
	}
	upload, reply = uploaded.Sub(begun), time.Since(uploaded)
	return upload, reply, c.deleteSessions(ctx, user, sessions)
}

// deleteSessions deletes sessions with their files, and waits until the server is idle.
func (c *candidate) deleteSessions(ctx context.Context, user *client.Client, sessions []string) error {
	for _, session := range sessions {
		if err := user.DeleteSession(ctx, session); err != nil {
			return err
		}
	}
	return c.awaitIdle(ctx)
}
