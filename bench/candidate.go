package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"parley/client"
)

// candidate is a server binary to measure, with its data and its running server.
type candidate struct {
	options
	binary   string
	dir      string
	log      *os.File
	database *database
	model    *model
	web      *http.Client
	server   *server
	seed     seed
	report   *report
}

func newCandidate(ctx context.Context, o options, binary, dir string, model *model) (*candidate, error) {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	database, err := newDatabase(ctx, o.database)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return &candidate{
		options: o, binary: binary, dir: dir, log: log, database: database, model: model,
		web: newHTTPClient(o.connections), seed: newSeed(), report: newReport(binary, database.kind()),
	}, nil
}

func (c *candidate) close(ctx context.Context) error {
	c.stop()
	return errors.Join(c.database.drop(ctx), c.log.Close())
}

func (c *candidate) stop() {
	if c.server != nil {
		c.server.stop()
		c.server = nil
		c.web.CloseIdleConnections()
	}
}

// start starts the server on the candidate's data, unless it is running. The first start registers the main user.
func (c *candidate) start(ctx context.Context) (err error) {
	if c.server != nil {
		return nil
	}
	c.server, err = startServer(ctx, c.binary, c.log,
		"PARLEY_DATA="+filepath.Join(c.dir, "data"), "PARLEY_DATABASE_URL="+c.database.url,
		"PARLEY_AI_BASE_URL="+c.model.URL+"/v1", "PARLEY_AI_MODEL=bench",
		"PARLEY_TITLES=text",            // older programs make no other titles
		"PARLEY_AI_CONTEXT_TOKENS=1000", // long sessions are seeded faster
	)
	if err != nil {
		return c.explain(err)
	}
	if c.seed.user == "" {
		c.seed.user, err = c.register(ctx)
		if err != nil {
			return err
		}
	}
	// The server compiles its PDF engine when it reads its first PDF, or else 10 s after its start. That takes seconds of
	// CPU time and would disturb a measurement.
	pdf, err := c.pagesDocument()
	if err != nil {
		return err
	}
	_, _, err = c.uploadAndSend(ctx, pdf)
	return err
}

// restart forgets the memory of earlier steps.
func (c *candidate) restart(ctx context.Context) error {
	c.stop()
	if err := c.start(ctx); err != nil {
		return err
	}
	return c.awaitIdle(ctx)
}

// explain adds the end of the server's log to an error.
func (c *candidate) explain(err error) error {
	const most = 2000
	log, _ := os.ReadFile(c.log.Name())
	return fmt.Errorf("%s: %w; the log ends with\n%s", c.binary, err, log[max(0, len(log)-most):])
}

func (c *candidate) awaitIdle(ctx context.Context) error { return c.server.awaitIdle(ctx, c.quiet) }

// client returns a client with the token of a user.
func (c *candidate) client(token string) *client.Client {
	return client.New(c.server.url, client.WithHTTPClient(c.web), client.WithToken(token))
}

// start measures the size of the binary, the start with an empty data directory, and the memory of an idle server.
func start(ctx context.Context, all []*candidate) error {
	for _, c := range all {
		info, err := os.Stat(c.binary)
		if err != nil {
			return err
		}
		var turns [][]float64
		for turn := range c.turns {
			data := fmt.Sprintf("PARLEY_DATA=%s/empty-%d", c.dir, turn)
			s, err := startServer(ctx, c.binary, c.log, data, "PARLEY_AI_BASE_URL=builtin")
			if err != nil {
				return c.explain(err)
			}
			err = s.awaitIdle(ctx, c.quiet)
			u, usageErr := s.usage()
			s.stop()
			if err := errors.Join(err, usageErr); err != nil {
				return err
			}
			turns = append(turns, []float64{milliseconds(s.ready), u.memory})
		}
		m := medians(turns)
		c.report.measured("size of the binary, MB", float64(info.Size())/1e6)
		c.report.measured("start with an empty data directory, ms", m[0])
		c.report.measured("resident memory when idle, MB", m[1])
	}
	return nil
}
