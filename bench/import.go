package main

import (
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/extract/history/historytest"
)

// imports measures an import of conversations, up to the end of their indexing.
func imports(ctx context.Context, all []*candidate) error {
	export := filepath.Join(all[0].dir, "export.zip")
	if err := writeExport(export, newVocabulary(), all[0].export); err != nil {
		return err
	}
	for _, c := range all {
		if err := c.measureImport(ctx, export); err != nil {
			return c.explain(err)
		}
	}
	return os.Remove(export)
}

func (c *candidate) measureImport(ctx context.Context, export string) error {
	if err := c.restart(ctx); err != nil {
		return err
	}
	before, err := c.server.usage()
	if err != nil {
		return err
	}
	watching, stop := context.WithCancel(ctx)
	peaks := make(chan [2]float64, 1)
	go func() { peaks <- c.server.peakWithChildren(watching) }()
	done, err := c.importFile(ctx, export)
	if err == nil {
		err = c.awaitIdle(ctx)
	}
	stop()
	peak := <-peaks
	if err != nil {
		return err
	}
	after, err := c.server.usage()
	name := fmt.Sprintf("import of %d MB", c.export/1_000_000)
	c.report.measured(name+", s", done.Seconds())
	c.report.measured("with its indexing, s of CPU of the server", (after.cpu - before.cpu).Seconds())
	c.report.measured("memory of the server, MB", peak[0])
	c.report.measured("with its child processes, MB (at most 150)", peak[1])
	return err
}

// importFile imports an export and returns how long that took.
func (c *candidate) importFile(ctx context.Context, export string) (time.Duration, error) {
	token, err := c.register(ctx)
	if err != nil {
		return 0, err
	}
	file, err := os.Open(export)
	if err != nil {
		return 0, err
	}
	defer file.Close() //nolint:errcheck // it is only read
	user := c.client(token)
	begun := time.Now()
	started, err := user.StartImport(ctx, filepath.Base(export), file)
	for err == nil {
		var got parley.Import
		got, err = user.Import(ctx, started.ImportID)
		switch {
		case err != nil:
		case got.State == parley.ImportDone:
			return time.Since(begun), nil
		case got.State == parley.ImportFailed:
			err = errors.New(got.Error)
		default:
			err = sleep(ctx, 50*time.Millisecond)
		}
	}
	return 0, err
}

// peakWithChildren returns the highest resident memory until ctx ends: of the server, and with its child processes.
func (s *server) peakWithChildren(ctx context.Context) (peak [2]float64) {
	for ctx.Err() == nil {
		own, family := s.memory()
		peak[0], peak[1] = max(peak[0], own), max(peak[1], family)
		_ = sleep(ctx, 50*time.Millisecond)
	}
	return peak
}

// memory returns the resident memory of the server, and with its child processes, in MB. All of them run the same
// program. Its pages are counted once.
func (s *server) memory() (own, family float64) {
	program := 0.0
	paths, _ := filepath.Glob("/proc/[0-9]*/status") // the pattern is valid
	for _, path := range paths {
		status, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		p := parseStatus(status)
		if p["Pid"] == s.pid {
			own = float64(p["VmRSS"]) * 1024 / 1e6
		}
		if p["Pid"] == s.pid || p["PPid"] == s.pid {
			family += float64(p["RssAnon"]) * 1024 / 1e6
			program = max(program, float64(p["RssFile"])*1024/1e6)
		}
	}
	return own, family + program
}

// parseStatus returns the numbers in /proc/PID/status, by name. Sizes are in KiB.
func parseStatus(status []byte) map[string]int {
	numbers := map[string]int{}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		if fields := strings.Fields(value); len(fields) > 0 {
			if n, err := strconv.Atoi(fields[0]); err == nil {
				numbers[name] = n
			}
		}
	}
	return numbers
}

// writeExport writes an archive as ChatGPT exports it, of about size bytes: conversations of 20 messages of 6 KB.
func writeExport(path string, words *vocabulary, size int) error {
	const messages, paragraphs = 20, 6
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(file)
	archive := zip.NewWriter(buffered)
	w, err := archive.CreateHeader(&zip.FileHeader{Name: "conversations.json", Method: zip.Store})
	separator := "["
	for count, written := 0, 0; written < size && err == nil; count++ {
		c := historytest.Numbered(count, 0)
		for range messages {
			c.Texts = append(c.Texts, string(words.document((paragraphs+1)*messageSize, count%4 == 0)))
		}
		encoded := historytest.ChatGPT(c)
		var n int
		n, err = io.WriteString(w, separator+string(encoded[1:len(encoded)-1]))
		written += n
		separator = ","
	}
	if err == nil {
		_, err = io.WriteString(w, "]")
	}
	return errors.Join(err, archive.Close(), buffered.Flush(), file.Close())
}
