package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// readyWithin is how long a server may take to be ready, with a large database too.
const readyWithin = 30 * time.Second

// server is the binary that is measured, running.
type server struct {
	*process
	address string
	profiles
	ready time.Duration // from its start
}

// startServer starts the binary on a free port and waits until it is ready. Of our own
// environment it gets no setting of Parley's.
func startServer(ctx context.Context, on *cores, binary string, log *os.File, settings ...string) (*server, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	inside, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	environment := []string{"PARLEY_ADDR=" + address, "PARLEY_PPROF_ADDR=" + inside, "PARLEY_DRAIN_DELAY=0s", "PARLEY_DRAIN_TIMEOUT=1s"}
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "PARLEY_") {
			environment = append(environment, setting)
		}
	}
	begun := time.Now()
	p, err := start(ctx, on, func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, binary, "serve")
		cmd.Env = append(environment, settings...)
		return cmd
	}, log)
	if err != nil {
		return nil, err
	}
	s := &server{process: p, address: address, profiles: profiles{address: inside}}
	if err := s.awaitReady(ctx); err != nil {
		s.stop()
		return nil, fmt.Errorf("%w; its log ends with\n%s", err, tail(log.Name()))
	}
	s.ready = time.Since(begun)
	return s, nil
}

func (s *server) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyWithin, errors.New("the server is not ready in time"))
	defer cancel()
	request := newRequest(http.MethodGet, "/readyz", "", nil)
	for {
		if c, err := dial(ctx, s.address); err == nil {
			err := c.do(request)
			c.close()
			if err == nil {
				return nil
			}
		}
		select {
		case <-s.ended:
			return errors.New("the server ended before it was ready")
		default:
		}
		if pause(ctx, time.Millisecond) != nil {
			return context.Cause(ctx)
		}
	}
}

// freeAddress is an address on loopback that nobody listens on.
func freeAddress(ctx context.Context) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// tail is the end of a log.
func tail(file string) string {
	const most = 2000
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-most):])
}
