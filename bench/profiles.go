package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// profiles is where a server shows its inside.
type profiles struct{ address string }

// objects is how many objects the server has allocated so far; 0 where it can't be asked.
func (p *profiles) objects(ctx context.Context) (int64, error) {
	if p == nil {
		return 0, nil
	}
	text, err := p.get(ctx, "/debug/pprof/allocs?debug=1")
	if err != nil {
		return 0, fmt.Errorf("ask for allocations: %w", err)
	}
	return parseObjects(text)
}

// parseObjects finds the number in the text form of a heap profile.
func parseObjects(text []byte) (int64, error) {
	found := regexp.MustCompile(`(?m)^# Mallocs = (\d+)$`).FindSubmatch(text)
	if found == nil {
		return 0, fmt.Errorf("the profile does not say how many objects were allocated")
	}
	return strconv.ParseInt(string(found[1]), 10, 64)
}

// profile takes a CPU profile in the background, where a folder is given for it. What
// it returns waits for the profile to be written.
func (p *profiles) profile(ctx context.Context, dir, name string, d time.Duration) func() error {
	if p == nil || dir == "" {
		return func() error { return nil }
	}
	written := make(chan error, 1)
	go func() { written <- p.write(ctx, dir, name, d) }()
	return func() error { return <-written }
}

func (p *profiles) write(ctx context.Context, dir, name string, d time.Duration) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // figures are for everybody
		return err
	}
	text, err := p.get(ctx, fmt.Sprintf("/debug/pprof/profile?seconds=%d", max(1, int(d.Seconds()))))
	if err != nil {
		return fmt.Errorf("take a profile: %w", err)
	}
	file := strings.Map(func(r rune) rune {
		if r == ' ' || r == ',' {
			return '-'
		}
		return r
	}, name)
	return os.WriteFile(filepath.Join(dir, file+".pprof"), text, 0o644) //nolint:gosec // figures are for everybody
}

func (p *profiles) get(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.address+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close() //nolint:errcheck // it is only read
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %s", response.Status)
	}
	return io.ReadAll(response.Body)
}
