package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"parley"
	"parley/client"
)

// hundredPages is the path of a PDF with 100 pages, relative to the root of the repository.
const hundredPages = "internal/extract/testdata/100-pages.pdf"

// documentFigure is a measurement of documents. The limit is for an idle machine with 2
// cores.
type documentFigure struct {
	name  string
	value float64
	unit  string
	limit float64
}

// documents measures uploads, and replies from documents.
func documents(ctx context.Context, all []*candidate) error {
	for _, c := range all {
		c.stop() // the memory of earlier steps does not count
		if err := c.start(ctx); err != nil {
			return err
		}
		err := c.uploadAtOnce(ctx)
		for _, d := range c.documents() {
			if err == nil {
				err = c.measureDocument(ctx, d)
			}
		}
		if err != nil {
			return c.explain(err)
		}
	}
	return nil
}

// uploadAtOnce measures how much the server grows during concurrent uploads.
func (c *candidate) uploadAtOnce(ctx context.Context) error {
	p, user := c.plan.documents, c.client(c.seed.user)
	content := c.seed.words.document(p.large, false)
	if err := c.awaitIdle(ctx); err != nil {
		return err
	}
	before, err := c.server.usage()
	if err != nil {
		return err
	}
	sessions, err := newSessions(ctx, user, p.atOnce)
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
	name := fmt.Sprintf("%d uploads of %s MB at once, memory", p.atOnce, count(float64(p.large)/1e6))
	c.report.documents = append(c.report.documents, documentFigure{name, max(0, <-peak-before.memory), "MB", 50})
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
	name, file, question    string
	content                 []byte
	uploadLimit, replyLimit float64 // in ms
}

func (c *candidate) documents() []document {
	var all []document
	for _, script := range []string{"Latin", "Chinese"} {
		chinese := script == "Chinese"
		all = append(all, document{
			name: fmt.Sprintf("%s MB of text, %s", count(float64(c.plan.documents.text)/1e6), script), file: "text.txt",
			question:    strings.Join(c.seed.words.keywords(chinese)[:8], " "),
			content:     c.seed.words.document(c.plan.documents.text, chinese),
			uploadLimit: 500, replyLimit: 50,
		})
	}
	name := filepath.Base(c.plan.documents.file)
	return append(all, document{
		name: name, file: name, question: question, content: c.pages, uploadLimit: 2000, replyLimit: 50,
	})
}

// measureDocument measures an upload and a reply, in several rounds after one to warm up.
func (c *candidate) measureDocument(ctx context.Context, d document) error {
	var uploads, replies []float64
	for range 1 + c.plan.documents.rounds {
		upload, reply, err := c.uploadAndSend(ctx, d)
		if err != nil {
			return err
		}
		uploads, replies = append(uploads, milliseconds(upload)), append(replies, milliseconds(reply))
	}
	c.report.documents = append(c.report.documents,
		documentFigure{"upload of " + d.name, median(uploads[1:]), "ms", d.uploadLimit},
		documentFigure{"reply from it", median(replies[1:]), "ms", d.replyLimit})
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
