package main

import (
	"context"
	"fmt"
	"time"

	"parley"
	"parley/client"
)

// versionRounds is how often each request of versions is measured. A session can have 1,000 versions.
const versionRounds = 60

// versions measures edits of the first message of long sessions, and the way back, one request at a time, beside sends.
// None of them depends on the length of the session.
func versions(ctx context.Context, all []*candidate) error {
	for _, c := range all {
		err := c.start(ctx)
		if err == nil {
			err = c.measureVersions(ctx)
		}
		if err != nil {
			return c.explain(err)
		}
	}
	return nil
}

func (c *candidate) measureVersions(ctx context.Context) error {
	for i, size := range c.growth {
		if err := c.seedGrown(ctx, size); err != nil {
			return err
		}
		if err := c.awaitIdle(ctx); err != nil {
			return err
		}
		reader := c.client(c.seed.reader)
		short, err := newSessions(ctx, reader, 1)
		if err != nil {
			return err
		}
		took, err := timeVersions(ctx, reader, short[0], c.seed.grown[size])
		if err != nil {
			return err
		}
		if i == 0 {
			c.report.measured("send, one at a time, ms", took[0])
		}
		messages := number(float64(size))
		c.report.measured("growth, edit message 1 of "+messages+", ms", took[1])
		c.report.measured("growth, show version 1 of "+messages+" messages again, ms", took[2])
	}
	return nil
}

// timeVersions returns the medians, in ms, of a send to a short session, and of an edit and its way back in a long one.
func timeVersions(ctx context.Context, user *client.Client, short, long string) ([]float64, error) {
	page, err := user.Messages(ctx, long, parley.Page{Number: 1, Size: 1})
	if err != nil {
		return nil, err
	}
	if len(page.Messages) == 0 {
		return nil, fmt.Errorf("session %s is empty", long)
	}
	first := page.Messages[0].ID
	requests := []func() error{
		func() error {
			_, err := user.Send(ctx, parley.SendInput{SessionID: short, Content: question})
			return err
		},
		func() error {
			_, err := user.Send(ctx, parley.SendInput{SessionID: long, Content: question, Replaces: first})
			return err
		},
		func() error { return user.ShowVersion(ctx, first, 1) },
	}
	took := make([][]float64, len(requests))
	for range versionRounds {
		for i, request := range requests {
			begun := time.Now()
			if err := request(); err != nil {
				return nil, err
			}
			took[i] = append(took[i], milliseconds(time.Since(begun)))
		}
	}
	var all []float64
	for _, values := range took {
		all = append(all, median(values))
	}
	return all, nil
}
