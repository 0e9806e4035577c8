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
	"time"

	"parley"
	"parley/internal/extract/history"
	"parley/internal/extract/history/historytest"
	"parley/internal/testtier"
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

// TestAConversationThatKillsItsChildIsSkipped has some that need too much memory when they are decoded, or are then
// longer than what the parent takes.
func TestAConversationThatKillsItsChildIsSkipped(t *testing.T) {
	testtier.Slow(t)
	pool := newPool(t, nil)
	one := func(number int) string {
		text := string(historytest.ChatGPT(historytest.Numbered(number, 1)))
		return text[1 : len(text)-1]
	}
	list := func(item string, count int) string { return strings.Repeat(item+",", count-1) + item }
	own := func(id, messages string) string { return `{"session_id":"` + id + `","messages":[` + messages + `]}` }
	turn := func(reply string) string {
		return `{"role":"user","content":"q"},{"role":"assistant","content":"` + reply + `"}`
	}
	// A byte of invalid UTF-8 becomes three.
	longID := own(strings.Repeat("\x80", 6_000_000), turn("a"))
	long := own("s", list(turn(strings.Repeat("\x80", 340_000)), 40))
	for name, test := range map[string]struct {
		entries []string
		want    string
	}{
		"memory":  {[]string{one(1), own("s", list("{}", 5_000_000)), one(3)}, "[Chat 1 #2! Chat 3]"},
		"length":  {[]string{long, one(2)}, "[#1! Chat 2]"},
		"a frame": {[]string{one(1), longID, longID, one(4)}, "[Chat 1 #2! #3! Chat 4]"},
	} {
		var got []string
		file := export([]byte("[" + strings.Join(test.entries, ",") + "]"))
		err := pool.ReadHistory(t.Context(), file, 0, func(e history.Entry) error {
			if e.Skipped != nil {
				e.Title += "!"
				if !strings.Contains(e.Skipped.Message, "needs too much memory") {
					t.Errorf("%s: %s", name, e.Skipped.Message)
				}
			}
			got = append(got, e.Title)
			return nil
		})
		if err != nil || fmt.Sprint(got) != test.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	count := 0
	file := export([]byte("[" + list(longID, maxUnreadable+1) + "]"))
	err := pool.ReadHistory(t.Context(), file, 0, func(history.Entry) error {
		count++
		return nil
	})
	if !errors.Is(err, parley.ErrFileUnreadable) || count != maxUnreadable {
		t.Errorf("more than the limit: %d, %v", count, err)
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

// stalledFile is a file that can't be read until it is let go. It tells when somebody tries.
type stalledFile struct {
	io.ReadSeeker
	reading chan<- struct{}
	letGo   <-chan struct{}
}

func (f stalledFile) Read(p []byte) (int, error) {
	f.reading <- struct{}{}
	<-f.letGo
	return f.ReadSeeker.Read(p)
}

func TestDocumentsDoNotWaitForChecksOfExports(t *testing.T) {
	pool := newPool(t, func(c *Config) { c.Children = 1 })
	reading, letGo := make(chan struct{}, 100), make(chan struct{})
	results := make(chan error, historyChecks)
	for range historyChecks {
		file := export(historytest.ChatGPT(historytest.Numbered(0, 1)))
		file.Bytes = stalledFile{file.Bytes, reading, letGo}
		go func() { results <- pool.CheckHistory(t.Context(), file) }()
	}
	for range historyChecks {
		<-reading
	}
	if len(pool.slots) > 0 {
		t.Fatal("a check has the place of a document")
	}
	if got := read(t, pool, "hello", "a.txt"); got.err != nil || got.text != "hello" {
		t.Errorf("a document: %+v", got)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := pool.CheckHistory(cancelled, export(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("one check too many: %v", err)
	}
	close(letGo)
	for range historyChecks {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

// abandonedFile is a file that its reader abandons. It gives no bytes until the reader's child has been killed.
type abandonedFile struct {
	io.ReadSeeker
	leave context.CancelFunc
}

func (f abandonedFile) Read(p []byte) (int, error) {
	f.leave()
	for len(children()) > 0 {
		runtime.Gosched()
	}
	return f.ReadSeeker.Read(p)
}

func TestACheckThatNobodyWaitsForEnds(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("children are found in /proc")
	}
	ctx, leave := context.WithCancel(t.Context())
	file := export(historytest.ChatGPT(historytest.Numbered(0, 1)))
	file.Bytes = abandonedFile{file.Bytes, leave}
	if err := newPool(t, nil).CheckHistory(ctx, file); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

func TestACheckHasATimeLimit(t *testing.T) {
	pool := newPool(t, nil)
	file := export(historytest.ChatGPT(historytest.Numbered(0, 1)))
	req := checkRequest(file)
	if !req.Check || req.Limits.Time != 20*time.Second || req.Limits.CPU != 20*time.Second {
		t.Errorf("a check has the limits %+v", req.Limits)
	}
	req.Limits.Time = 1
	if err := pool.runHistory(t.Context(), req, file, nil); !errors.Is(err, parley.ErrFileUnreadable) ||
		!strings.Contains(err.Error(), "it takes too long") {
		t.Errorf("the error is %v", err)
	}
}

func TestAConversationThatTakesTooLongIsSkipped(t *testing.T) {
	died := errors.New("killed")
	for name, test := range map[string]struct {
		begun, silent, over bool // over is the time for the whole export
		skipped, slow       bool
	}{
		"a death between conversations":   {},
		"a death within one":              {begun: true, skipped: true},
		"silence between conversations":   {silent: true, slow: true},
		"silence within one":              {begun: true, silent: true, skipped: true, slow: true},
		"the end of all time":             {begun: true, over: true, slow: true},
		"the end of all time, in silence": {begun: true, silent: true, over: true, slow: true},
	} {
		reader := historyReader{begun: test.begun}
		reader.silent.Store(test.silent)
		err := reader.failure(died, test.over)
		var skip errReading
		if errors.As(err, &skip) != test.skipped || errors.Is(err, errSlow) != test.slow || !errors.Is(err, died) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestALargeExportNeedsLittleMemory reads an archive larger than the memory that it may take. The size is a setting,
// for a run with gigabytes.
func TestALargeExportNeedsLittleMemory(t *testing.T) {
	testtier.Slow(t)
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

// childOf returns the id of the only running child process.
func childOf(t *testing.T) string {
	t.Helper()
	all := children()
	if len(all) == 0 {
		t.Fatal("there is no child")
	}
	return all[0]
}

// children returns the ids of the child processes that are running.
func children() (all []string) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, after, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(after); len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) && fields[0] != "Z" {
			all = append(all, filepath.Base(filepath.Dir(path)))
		}
	}
	return all
}
