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

// hundredPages is a PDF of 100 pages, relative to the root of the repository.
const hundredPages = "internal/extract/testdata/100-pages.pdf"

// documentFigure is what was measured of documents. The limit is for an idle machine of 2 cores.
type documentFigure struct {
	Name  string
	Value float64
	Unit  string
	Limit float64
}

// documents measures uploads, and replies from documents.
func documents(ctx context.Context, all []*candidate) error {
	for _, c := range all {
		c.stop() // the memory of earlier steps does not count
		if err := c.start(ctx); err != nil {
			return err
		}
		d := c.documentRun()
		for _, measure := range []func(context.Context) error{d.memory, d.texts, d.paged} {
			if err := measure(ctx); err != nil {
				return c.explain(err)
			}
		}
	}
	return nil
}

// documentRun measures the documents of one candidate.
type documentRun struct {
	*candidate
	documentPlan
	user *client.Client
}

func (c *candidate) documentRun() *documentRun {
	return &documentRun{candidate: c, documentPlan: c.plan.documents, user: c.client(c.seed.user)}
}

func (d *documentRun) add(name string, value float64, unit string, limit float64) {
	d.report.Documents = append(d.report.Documents, documentFigure{name, value, unit, limit})
}

// memory measures how much the server grows during concurrent uploads.
func (d *documentRun) memory(ctx context.Context) error {
	content := d.seed.words.document(d.large, false)
	if err := d.awaitIdle(ctx); err != nil {
		return err
	}
	before, err := d.server.usage()
	if err != nil {
		return err
	}
	sessions, err := newSessions(ctx, d.user, d.atOnce)
	if err != nil {
		return err
	}
	watching, stop := context.WithCancel(ctx)
	peak := make(chan float64, 1)
	go func() { peak <- d.server.peakMemory(watching) }()
	uploads, uploading := errgroup.WithContext(ctx)
	for _, session := range sessions {
		uploads.Go(func() error {
			return d.upload(uploading, session, "large.txt", content)
		})
	}
	err = uploads.Wait()
	stop()
	grown := max(0, <-peak-before.memory)
	d.add(fmt.Sprintf("%d uploads of %s MB at once, memory", d.atOnce, count(float64(d.large)/1e6)), grown, "MB", 50)
	return errors.Join(err, d.delete(ctx, sessions))
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

// texts measures the upload of texts, and how much longer a reply takes that chooses passages from one.
func (d *documentRun) texts(ctx context.Context) error {
	for _, script := range []string{"Latin", "Chinese"} {
		chinese := script == "Chinese"
		content := d.seed.words.document(d.text, chinese)
		var uploads, replies, plain []float64
		err := d.repeat(ctx, 2, func(sessions []string) error {
			return errors.Join(
				timed(&uploads, func() error { return d.upload(ctx, sessions[0], "text.txt", content) }),
				timed(&replies, func() error { return d.send(ctx, sessions[0], chinese) }),
				timed(&plain, func() error { return d.send(ctx, sessions[1], chinese) }),
			)
		})
		if err != nil {
			return err
		}
		d.add(fmt.Sprintf("upload of %s MB of text, %s", count(float64(d.text)/1e6), script), median(uploads[1:]), "ms", 500)
		d.add("passages from it, "+script, max(0, median(replies[1:])-median(plain[1:])), "ms", 50)
	}
	return nil
}

// paged measures a document with pages from its upload to a reply.
func (d *documentRun) paged(ctx context.Context) error {
	content, err := os.ReadFile(d.file)
	if err != nil {
		return err
	}
	name := filepath.Base(d.file)
	var all []float64
	err = d.repeat(ctx, 1, func(sessions []string) error {
		return timed(&all, func() error {
			if err := d.upload(ctx, sessions[0], name, content); err != nil {
				return err
			}
			return d.send(ctx, sessions[0], false)
		})
	})
	if err != nil {
		return err
	}
	d.add("upload of "+name+" and a reply", median(all[1:]), "ms", 2000)
	return nil
}

// repeat calls a function with n new sessions for each round, and once before to warm up.
func (d *documentRun) repeat(ctx context.Context, n int, round func(sessions []string) error) error {
	for range d.rounds + 1 {
		sessions, err := newSessions(ctx, d.user, n)
		if err != nil {
			return err
		}
		if err := round(sessions); err != nil {
			return err
		}
		if err := d.delete(ctx, sessions); err != nil {
			return err
		}
	}
	return nil
}

func (d *documentRun) upload(ctx context.Context, session, name string, content []byte) error {
	_, err := d.user.Upload(ctx, session, name, bytes.NewReader(content))
	return err
}

func (d *documentRun) send(ctx context.Context, session string, chinese bool) error {
	content := strings.Join(d.seed.words.keywords(chinese)[:8], " ")
	_, err := d.user.Send(ctx, parley.SendInput{SessionID: session, Content: content})
	return err
}

// delete deletes sessions with their files, and waits until the server is idle.
func (d *documentRun) delete(ctx context.Context, sessions []string) error {
	for _, session := range sessions {
		if err := d.user.DeleteSession(ctx, session); err != nil {
			return err
		}
	}
	return d.awaitIdle(ctx)
}

// timed adds to took how long a function takes, in milliseconds.
func timed(took *[]float64, do func() error) error {
	begun := time.Now()
	err := do()
	*took = append(*took, milliseconds(time.Since(begun)))
	return err
}

// readFirstDocument uploads a document and deletes it. The first PDF of a data directory makes the server
// compile its PDF engine, which takes seconds of a core. It does so without a PDF too, 10 s after its start.
func (c *candidate) readFirstDocument(ctx context.Context) error {
	content, err := os.ReadFile(c.plan.documents.file)
	if err != nil {
		return fmt.Errorf("run it in the root of the repository: %w", err)
	}
	d := c.documentRun()
	d.rounds = 0
	return d.repeat(ctx, 1, func(sessions []string) error {
		return d.upload(ctx, sessions[0], filepath.Base(d.file), content)
	})
}
