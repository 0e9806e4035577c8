package sandbox

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"parley"
	"parley/internal/extract/history"
	"parley/internal/extract/history/historytest"
)

func export(content []byte) History {
	return History{Bytes: bytes.NewReader(content), Size: int64(len(content)), MaxUnpacked: 1 << 40}
}

func TestAnExportIsReadInAChild(t *testing.T) {
	pool := newPool(t, nil)
	content := historytest.ChatGPTZip(
		historytest.Numbered(0, 2), historytest.Conversation{Title: "empty"}, historytest.Numbered(2, 1))
	if err := pool.CheckHistory(t.Context(), export(content)); err != nil {
		t.Fatal(err)
	}
	for skip := range int64(4) {
		var inChild, inline []string
		collect := func(all *[]string) func(history.Entry) error {
			return func(e history.Entry) error {
				*all = append(*all, fmt.Sprintf("%+v %v %d", e.Conversation, e.Skipped, e.Percent))
				return nil
			}
		}
		if err := pool.ReadHistory(t.Context(), export(content), skip, collect(&inChild)); err != nil {
			t.Fatal(err)
		}
		if err := (Inline{}).ReadHistory(t.Context(), export(content), skip, collect(&inline)); err != nil {
			t.Fatal(err)
		}
		if len(inChild) != int(3-skip) || fmt.Sprint(inChild) != fmt.Sprint(inline) {
			t.Errorf("after %d: %q, want %q", skip, inChild, inline)
		}
	}
}

func TestAnExportThatCanNotBeReadIsRefused(t *testing.T) {
	pool := newPool(t, nil)
	if err := pool.CheckHistory(t.Context(), export([]byte("hello"))); !errors.Is(err, parley.ErrFormatUnsupported) {
		t.Errorf("a text: %v", err)
	}
	content := historytest.ChatGPT(historytest.Numbered(0, 1), historytest.Numbered(1, 1))
	count := 0
	err := pool.ReadHistory(t.Context(), export(content[:len(content)-9]), 0, func(history.Entry) error {
		count++
		return nil
	})
	if !errors.Is(err, parley.ErrFileUnreadable) || count != 1 {
		t.Errorf("cut off: %d, %v", count, err)
	}
	broken := errors.New("the disk is on fire")
	file := export(content)
	file.Bytes = brokenFile{file.Bytes, broken}
	if err := pool.CheckHistory(t.Context(), file); !errors.Is(err, broken) {
		t.Errorf("a file that fails: %v", err)
	}
}

type brokenFile struct {
	io.Seeker
	err error
}

func (f brokenFile) Read([]byte) (int, error) { return 0, f.err }

func TestTheReaderOfAnExportCanStop(t *testing.T) {
	pool := newPool(t, nil)
	content := historytest.ChatGPT(historytest.Numbered(0, 1), historytest.Numbered(1, 1))
	enough := errors.New("enough")
	err := pool.ReadHistory(t.Context(), export(content), 0, func(history.Entry) error { return enough })
	if !errors.Is(err, enough) {
		t.Errorf("the error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = pool.ReadHistory(ctx, export(content), 0, func(history.Entry) error {
		cancel()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// TestALargeExportNeedsLittleMemory reads an archive that is larger than what it may take in memory. The size is a
// setting, for a run with gigabytes.
func TestALargeExportNeedsLittleMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("memory is measured in /proc")
	}
	size := 64 << 20
	if set := os.Getenv("PARLEY_TEST_EXPORT_SIZE"); set != "" {
		var err error
		if size, err = strconv.Atoi(set); err != nil {
			t.Fatal(err)
		}
	}
	file, conversations := largeExport(t, int64(size))
	pool := newPool(t, nil)
	before := memory(t, "self", "VmRSS")
	count, child, parent := 0, int64(0), int64(0)
	err := pool.ReadHistory(t.Context(), file, 0, func(e history.Entry) error {
		if count++; count%100 == 0 {
			child = max(child, memory(t, childOf(t), "VmHWM"))
			parent = max(parent, memory(t, "self", "VmRSS")-before)
		}
		return nil
	})
	if err != nil || count != conversations {
		t.Fatalf("%d of %d conversations, %v", count, conversations, err)
	}
	t.Logf("%d MB: %d conversations, the child took %d MB, this process %d MB more",
		size>>20, count, child>>20, parent>>20)
	if child+parent > 150<<20 {
		t.Errorf("it took %d and %d bytes", child, parent)
	}
}

// largeExport writes an archive of a size: conversations of about 100 KB and one of 12 MB.
func largeExport(t *testing.T, size int64) (History, int) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "export.zip"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	buffered := bufio.NewWriter(f)
	archive := zip.NewWriter(buffered)
	w, err := archive.CreateHeader(&zip.FileHeader{Name: "conversations.json", Method: zip.Store})
	if err != nil {
		t.Fatal(err)
	}
	noise := rand.NewChaCha8([32]byte{1})
	count, separator := 0, "["
	for written := int64(0); written < size; count++ {
		c := historytest.Numbered(count, 0)
		texts := 10
		if count == 10 {
			texts = 1200
		}
		for range texts {
			bytes := make([]byte, 5000)
			_, _ = noise.Read(bytes) // never fails
			c.Texts = append(c.Texts, hex.EncodeToString(bytes))
		}
		encoded := historytest.ChatGPT(c)
		n, err := io.WriteString(w, separator+string(encoded[1:len(encoded)-1]))
		if err != nil {
			t.Fatal(err)
		}
		written += int64(n)
		separator = ","
	}
	_, err = io.WriteString(w, "]")
	if err := errors.Join(err, archive.Close(), buffered.Flush()); err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	return History{Bytes: f, Size: info.Size(), MaxUnpacked: 1 << 40}, count
}

// memory returns a figure of /proc/PID/status in bytes.
func memory(t *testing.T, pid, name string) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, name+":"); found {
			kb, err := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kb << 10
		}
	}
	t.Fatalf("there is no %s in %s", name, status)
	return 0
}

// childOf returns the id of the only child process that is running.
func childOf(t *testing.T) string {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, after, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(after); len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) && fields[0] != "Z" {
			return filepath.Base(filepath.Dir(path))
		}
	}
	t.Fatal("there is no child")
	return ""
}
