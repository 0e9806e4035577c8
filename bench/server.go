package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	readyTimeout = time.Minute
	stopTimeout  = 10 * time.Second
	idleTimeout  = 10 * time.Minute
)

// server is a running server binary.
type server struct {
	url   string
	pid   int
	ready time.Duration // from its start
	end   context.CancelFunc
	ended chan struct{}
}

// startServer starts the binary on a free port and waits until it is ready. Its settings are NAME=value.
func startServer(ctx context.Context, binary string, log io.Writer, settings ...string) (*server, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, binary, "serve")
	cmd.Env = append(environment(), "PARLEY_ADDR="+address, "PARLEY_DRAIN_DELAY=0s", "PARLEY_DRAIN_TIMEOUT=1s",
		"PARLEY_LOG_LEVEL=warn",
		"PARLEY_USER_REQUESTS=20000", "PARLEY_MAX_CONNECTIONS_PER_ADDRESS=off") // it has one user with one address
	cmd.Env = append(cmd.Env, settings...)
	cmd.Stderr = log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt from the terminal must reach only bench
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopTimeout
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		end()
		return nil, err
	}
	s := &server{url: "http://" + address, pid: cmd.Process.Pid, end: end, ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		_ = cmd.Wait() // if the server has failed, requests fail
	}()
	if err := s.awaitReady(ctx); err != nil {
		s.stop()
		return nil, err
	}
	s.ready = time.Since(begun)
	return s, nil
}

// environment returns the variables that a server inherits from bench: those of Go's runtime, for experiments.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return !slices.Contains([]string{"GOGC", "GOMEMLIMIT", "GOMAXPROCS", "PATH", "TMPDIR"}, name)
	})
}

// stop ends the server and waits for it.
func (s *server) stop() {
	s.end()
	<-s.ended
}

func (s *server) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, errors.New("the server is not ready in time"))
	defer cancel()
	web := newHTTPClient(1)
	defer web.CloseIdleConnections()
	for {
		if _, err := do(ctx, web, s.url, call{method: http.MethodGet, path: "/readyz"}); err == nil {
			return nil
		}
		select {
		case <-s.ended:
			return errors.New("the server ended before it was ready")
		default:
		}
		if err := sleep(ctx, time.Millisecond); err != nil {
			return err
		}
	}
}

// awaitIdle waits until the server has used almost no CPU time for a while. By then, work that follows requests, such
// as indexing, is done.
func (s *server) awaitIdle(ctx context.Context, quiet time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, idleTimeout, errors.New("the server is still busy"))
	defer cancel()
	for before := time.Duration(-1); ; {
		now, err := s.usage()
		if err != nil || before >= 0 && now.cpu-before <= tick {
			return err
		}
		before = now.cpu
		if err := sleep(ctx, quiet); err != nil {
			return err
		}
	}
}

// tick is the unit of CPU time in /proc on Linux.
const tick = 10 * time.Millisecond

// usage is the CPU time and the memory of a process.
type usage struct {
	at     time.Time
	cpu    time.Duration // user and system time since its start
	memory float64       // resident, in MB
}

func (s *server) usage() (usage, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
	if err != nil {
		return usage{}, err
	}
	u, err := parseStat(stat)
	u.at = time.Now()
	return u, err
}

// parseStat reads fields 14, 15 and 24 of /proc/PID/stat. The second is the program's name in parentheses, which may
// hold spaces and parentheses.
func parseStat(stat []byte) (usage, error) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 22 {
		return usage{}, fmt.Errorf("/proc/PID/stat has only %d fields", len(fields))
	}
	user, userErr := strconv.Atoi(string(fields[11]))
	system, systemErr := strconv.Atoi(string(fields[12]))
	pages, pagesErr := strconv.Atoi(string(fields[21]))
	return usage{cpu: time.Duration(user+system) * tick, memory: float64(pages*os.Getpagesize()) / 1e6},
		errors.Join(userErr, systemErr, pagesErr)
}

// freeAddress returns an unused address on loopback.
func freeAddress(ctx context.Context) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
