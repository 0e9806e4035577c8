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
	plan     plan
	binary   string
	dir      string
	log      *os.File
	database *database
	model    *model
	web      *http.Client
	server   *server
	seed     seed
	pages    []byte // a document with pages
	report   *report
}

func newCandidate(ctx context.Context, o options, binary, dir string, model *model) (*candidate, error) {
	info, err := os.Stat(binary)
	if err != nil {
		return nil, err
	}
	if binary, err = filepath.Abs(binary); err != nil {
		return nil, err
	}
	pages, err := os.ReadFile(o.plan.documents.file)
	if err != nil {
		return nil, fmt.Errorf("run it in the root of the repository: %w", err)
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
	c := &candidate{
		plan: o.plan, binary: binary, dir: dir, log: log, database: database, model: model, pages: pages,
		web: newHTTPClient(o.plan.connections), seed: newSeed(), report: newReport(binary, database),
	}
	c.report.size = float64(info.Size()) / 1e6
	return c, nil
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

// start starts the server on the candidate's data, unless it is running.
func (c *candidate) start(ctx context.Context) (err error) {
	if c.server != nil {
		return nil
	}
	c.server, err = startServer(ctx, c.binary, c.log,
		"PARLEY_DATA="+filepath.Join(c.dir, "data"), "PARLEY_DATABASE_URL="+c.database.url,
		"PARLEY_AI_BASE_URL="+c.model.url, "PARLEY_AI_MODEL=bench",
		"PARLEY_AI_CONTEXT_TOKENS=1000", // long sessions are seeded faster
	)
	if err != nil {
		return c.explain(err)
	}
	if c.seed.user != "" {
		return nil
	}
	user, err := c.register(ctx)
	if err != nil {
		return err
	}
	c.seed.user = user.Token()
	// The server compiles its PDF engine when it reads its first PDF, or else 10 s after its start. That takes seconds of
	// CPU time and would disturb a measurement.
	file := filepath.Base(c.plan.documents.file)
	_, _, err = c.uploadAndSend(ctx, document{file: file, question: question, content: c.pages})
	return err
}

// explain adds the end of the server's log to an error.
func (c *candidate) explain(err error) error {
	const most = 2000
	log, _ := os.ReadFile(c.log.Name())
	return fmt.Errorf("%s: %w; the log ends with\n%s", c.binary, err, log[max(0, len(log)-most):])
}

func (c *candidate) awaitIdle(ctx context.Context) error {
	return c.server.awaitIdle(ctx, c.plan.quiet)
}

// client returns a client with the token of a user.
func (c *candidate) client(token string) *client.Client {
	return client.New(c.server.url, client.WithHTTPClient(c.web), client.WithToken(token))
}

// startEmpty measures the start with an empty data directory, and the memory of an idle server.
func startEmpty(ctx context.Context, all []*candidate) error {
	for _, c := range all {
		var ready, memory []float64
		for range c.plan.starts {
			data, err := os.MkdirTemp(c.dir, "empty-*")
			if err != nil {
				return err
			}
			s, err := startServer(ctx, c.binary, c.log, "PARLEY_DATA="+data)
			if err != nil {
				return c.explain(err)
			}
			err = s.awaitIdle(ctx, c.plan.quiet)
			u, usageErr := s.usage()
			s.stop()
			if err := errors.Join(err, usageErr); err != nil {
				return err
			}
			ready, memory = append(ready, milliseconds(s.ready)), append(memory, u.memory)
		}
		c.report.start, c.report.idle = median(ready), median(memory)
	}
	return nil
}
