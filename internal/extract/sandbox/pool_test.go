package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"parley"
	"parley/internal/programtest"
	"parley/internal/testtier"
)

// child is the path of a program that calls Serve.
var child string

// wallVariable makes the test binary a process behind one wall.
const wallVariable = "PARLEY_TEST_WALL"

func TestMain(m *testing.M) {
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	if wall := os.Getenv(wallVariable); wall != "" { // this process was started by a test
		return behindWall(wall)
	}
	return programtest.MainLeak(m, "./testdata/child", &child)
}

func newPool(t testing.TB, change func(*Config)) *Pool {
	t.Helper()
	config := Config{
		Command:     []string{child},
		Cache:       "../../../.cache/pdf",
		Children:    2,
		Time:        5 * time.Minute,
		Memory:      640 << 20,
		MaxText:     64 << 20,
		MaxUnpacked: 256 << 20,
	}
	if change != nil {
		change(&config)
	}
	pool, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

type result struct {
	Summary
	text, index string
	err         error
}

func read(t testing.TB, pool *Pool, content, name string) result {
	t.Helper()
	var text, index strings.Builder
	summary, err := pool.Read(t.Context(), file(content, name), &text, &index)
	return result{summary, text.String(), index.String(), err}
}

func file(content, name string) File {
	return File{Name: name, Size: int64(len(content)), Bytes: strings.NewReader(content)}
}

func message(err error) string {
	var e *parley.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return ""
}

func TestADocumentIsReadInAChild(t *testing.T) {
	pool := newPool(t, nil)
	for range 3 {
		got := read(t, pool, "# Ferries\r\n渡轮", "notes.md")
		if got.err != nil || got.Type != "text/markdown" || got.text != "# Ferries\n渡轮" {
			t.Fatalf("got %+v", got)
		}
		if got.index != "index of text/markdown" {
			t.Fatalf("got the index %q", got.index)
		}
	}
	first, second := read(t, pool, "pid", "a"), read(t, pool, "pid", "a")
	if first.index == second.index || first.index == strconv.Itoa(os.Getpid()) {
		t.Errorf("processes %s and %s", first.index, second.index)
	}
	pdf, err := os.ReadFile("../testdata/libreoffice.pdf")
	if err != nil {
		t.Fatal(err)
	}
	got := read(t, pool, string(pdf), "guide")
	page := got.Anchors.At(strings.Index(got.text, "Palinuro"))
	if got.err != nil || got.Type != "application/pdf" || page != "page 2" {
		t.Errorf("got %v, %v, %.300q", got.err, got.Anchors, got.text)
	}
}

func TestALargeTextArrivesWhole(t *testing.T) {
	content := strings.Repeat("x渡轮", 700_000)
	if got := read(t, newPool(t, nil), content, "a.txt"); got.err != nil || got.text != content {
		t.Errorf("got %d bytes, %v", len(got.text), got.err)
	}
}

func TestRefusalsAreTold(t *testing.T) {
	pool := newPool(t, func(c *Config) { c.MaxText = 100 })
	for content, want := range map[string]*parley.Error{
		"":                          parley.ErrFileUnreadable,
		"\x89PNG\r\n\x1a\n\x00\x00": parley.ErrFormatUnsupported,
		strings.Repeat("x", 101):    parley.ErrFileUnreadable,
	} {
		if got := read(t, pool, content, "a"); !errors.Is(got.err, want) || message(got.err) == want.Message {
			t.Errorf("%.10q: got %v", content, got.err)
		}
	}
}

func TestTheEnvironmentIsEmpty(t *testing.T) {
	t.Setenv("PARLEY_AI_API_KEY", "secret")
	if got := read(t, newPool(t, nil), "environment", "a"); got.err != nil || got.index != "" {
		t.Errorf("got %q, %v", got.index, got.err)
	}
}

func TestABadChildHarmsOnlyItsDocument(t *testing.T) {
	testtier.Slow(t)
	const short, long = time.Second, 5 * time.Minute
	tests := []struct {
		command string
		time    time.Duration
		reason  *parley.Error
	}{
		{"crash", long, errDied},
		{"hang", short, errSlow},
		{"spin", short, errSlow},
		{"hog", long, errDied},
	}
	for _, tt := range tests {
		t.Run(tt.command, func(t *testing.T) {
			if tt.command == "hog" && runtime.GOOS != "linux" {
				t.Skip("no limit on memory here")
			}
			pool := newPool(t, func(c *Config) { c.Time = tt.time })
			got := read(t, pool, tt.command, "a.txt")
			if !errors.Is(got.err, parley.ErrFileUnreadable) || message(got.err) != tt.reason.Message {
				t.Errorf("got %v", got.err)
			}
			pool.config.Time = long
			if got := read(t, pool, "The next one", "a.txt"); got.err != nil {
				t.Errorf("the next one: %v", got.err)
			}
		})
	}
}

// TestTheTimeOfADocumentIsItsCPUTime checks that only the CPU time of a child counts: a busy machine must refuse no
// document.
func TestTheTimeOfADocumentIsItsCPUTime(t *testing.T) {
	testtier.Slow(t)
	if runtime.GOOS != "linux" {
		t.Skip("no limit on CPU time here")
	}
	pool := newPool(t, func(c *Config) { c.CPU = 2 * time.Second })
	if got := read(t, pool, "nap", "a.txt"); got.err != nil {
		t.Errorf("one that sleeps longer: %v", got.err)
	}
	if got := read(t, pool, "spin", "a.txt"); message(got.err) != errSlow.Message {
		t.Errorf("one that spins: %v", got.err)
	}
	if got := read(t, pool, "crash", "a.txt"); message(got.err) != errDied.Message {
		t.Errorf("one that crashes: %v", got.err)
	}
}

func TestAFailureThatIsNotTheDocumentsIsToldApart(t *testing.T) {
	pool := newPool(t, nil)
	broken := errors.New("disk on fire")
	hello := func() File { return file("hello", "a") }
	_, failed := io.Pipe()
	failed.CloseWithError(broken)
	short := file(strings.Repeat("x", 50_000), "a")
	short.Size = 100_000
	half := file(strings.Repeat("x", 50_000), "a")
	half.Size = 100_000
	half.Bytes = io.MultiReader(half.Bytes, iotest.ErrReader(broken))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, read := range map[string]func() (Summary, error){
		"reader": func() (Summary, error) { return pool.Read(t.Context(), half, io.Discard, io.Discard) },
		"short":  func() (Summary, error) { return pool.Read(t.Context(), short, io.Discard, io.Discard) },
		"text":   func() (Summary, error) { return pool.Read(t.Context(), hello(), failed, io.Discard) },
		"index":  func() (Summary, error) { return pool.Read(t.Context(), hello(), io.Discard, failed) },
		"gone":   func() (Summary, error) { return pool.Read(gone, hello(), io.Discard, io.Discard) },
		"indexer": func() (Summary, error) {
			return pool.Read(t.Context(), file("fail", "a"), io.Discard, io.Discard)
		},
	} {
		_, err := read()
		var known *parley.Error
		if err == nil || errors.As(err, &known) {
			t.Errorf("%s: %v", name, err)
		}
	}
	missing := newPool(t, func(c *Config) { c.Command = []string{filepath.Join(t.TempDir(), "none")} })
	if got := read(t, missing, "hello", "a"); got.err == nil || message(got.err) != "" {
		t.Errorf("no program: %v", got.err)
	}
}

func TestTheChildIsNotBelieved(t *testing.T) {
	pool := newPool(t, nil)
	for _, response := range []string{
		"nonsense", "t\x00\x00\x00", "x\x00\x00\x00\x00", "t\x7f\xff\xff\xff", "t\x00\x00\x00\x01\xff",
		"t\x00\x00\x00\x01\x1b", "r\x00\x00\x00\x08pay here", "d\x00\x00\x00\x01{",
		"d\x00\x00\x00\x0e" + `{"type":"a b"}`,
		"d\x00\x00\x00\x2a" + `{"anchors":[{"offset":9999999,"name":"x"}]}`,
		"d\x00\x00\x00\x29" + `{"anchors":[{"offset":-1,"name":"page"}]}`,
		"p\x00\x00\x00\x01x", "o\x00\x00\x00\x02{}", // nobody reads pictures
	} {
		got := read(t, pool, "say "+strconv.Quote(response), "a.txt")
		if !errors.Is(got.err, parley.ErrFileUnreadable) || strings.Contains(message(got.err), "pay") {
			t.Errorf("%q: got %v", response, got.err)
		}
	}
}

func TestNotesOfAChildAreShortPrintableLines(t *testing.T) {
	notes := []string{
		"slide 2\x1b[31m could\nnot be read\u202e", "slide 2", "slide 2", " \n\x00", strings.Repeat("渡", 1000),
	}
	for i := range 1000 {
		notes = append(notes, strconv.Itoa(i))
	}
	content, err := json.Marshal(Summary{Type: "text/plain", Notes: notes})
	if err != nil {
		t.Fatal(err)
	}
	got, err := parseSummary(content, 0)
	if err != nil || len(got.Notes) != 20 {
		t.Fatalf("got %d notes, %v", len(got.Notes), err)
	}
	want := []string{"slide 2[31m could not be read", "slide 2", strings.Repeat("渡", 200) + "…", "0"}
	if !slices.Equal(got.Notes[:4], want) {
		t.Errorf("got %q", got.Notes)
	}
}

func TestNoMoreThanSoManyRunAtOnce(t *testing.T) {
	pool := newPool(t, nil)
	hanging, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			_, _ = pool.Read(hanging, file("hang", "a"), io.Discard, io.Discard)
		})
	}
	for len(pool.slots) < 2 {
		runtime.Gosched()
	}
	waiting, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond) // no slot becomes free, however long it is
	defer cancel()
	_, err := pool.Read(waiting, file("hi", "a"), io.Discard, io.Discard)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	stop()
	all.Wait()
}

func TestOneSpareIsKeptAndReplacedWhenItDies(t *testing.T) {
	pool := newPool(t, nil)
	if pool.spare != nil {
		t.Fatal("a child before the first document")
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { read(t, pool, "hello", "a") })
	}
	all.Wait()
	spare := pool.spare
	if spare == nil || spare.cmd.Process.Signal(syscall.Signal(0)) != nil {
		t.Fatal("no spare child")
	}
	spare.kill()
	if _, err := spare.cmd.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, pool, "hello", "a"); got.err != nil || got.text != "hello" {
		t.Errorf("got %v", got.err)
	}
	pool.Close()
	if pool.spare != nil {
		t.Error("a spare child after the end")
	}
	if got := read(t, pool, "hello", "a"); got.err != nil || pool.spare != nil {
		t.Errorf("after the end: %v", got.err)
	}
}

func TestASpareChildEndsWithItsParent(t *testing.T) {
	spare, err := start([]string{child})
	if err != nil {
		t.Fatal(err)
	}
	spare.in.Close()
	if err := spare.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func TestAChildAtWorkEndsWithItsParent(t *testing.T) {
	pool := newPool(t, nil)
	req := pool.newRequest(time.Hour)
	req.Name, req.Size = "a", 4
	working, err := pool.child(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := working.send(strings.NewReader("hang"), req.Size); err != nil {
		t.Fatal(err)
	}
	working.in.Close() // as the kernel does when the parent is killed
	if err := working.cmd.Wait(); err == nil {
		t.Error("it exited with status 0")
	}
}

func TestBentFilesNeverHarmTheParent(t *testing.T) {
	testtier.Slow(t)
	pool := newPool(t, nil)
	files, err := filepath.Glob("../testdata/*.*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(7, uint64(len(whole))))
			variants, ofPDF := 1, 3
			if testtier.All() {
				variants, ofPDF = 6, 20
			}
			if filepath.Ext(path) == ".pdf" {
				variants = ofPDF
			}
			for i := range variants {
				bent := bytes.Clone(whole)
				if (i+len(whole))%2 == 0 {
					bent = bent[:random.IntN(len(bent))]
				} else {
					for range 1 + random.IntN(40) {
						bent[random.IntN(len(bent))] ^= 1 << random.IntN(8)
					}
				}
				got := read(t, pool, string(bent), filepath.Base(path))
				if got.err != nil && message(got.err) == "" {
					t.Errorf("variant %d: %v", i, got.err)
				}
			}
		})
	}
}

func TestHostilePDFsAreRefusedInSeconds(t *testing.T) {
	testtier.Slow(t)
	pool := newPool(t, nil)
	page := "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R " +
		"/Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >> >>"
	catalog, pages := "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
	font := "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
	stream := func(dict, content string) string {
		return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(content), content)
	}
	hello := stream("", "BT /F 12 Tf 10 10 Td (The ferry leaves) Tj ET /X Do")
	form := "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>"
	good := smallPDF("", catalog, pages, page, hello, font, stream(form, ""))
	if got := read(t, pool, good, "a"); got.err != nil || got.text != "The ferry leaves" {
		t.Fatalf("a good one: %q, %v", got.text, got.err)
	}
	for name, content := range map[string]string{
		"pages that hold themselves": smallPDF("", catalog, "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>"),
		"pages that hold each other": smallPDF("", catalog,
			"<< /Type /Pages /Kids [3 0 R] /Count 9 >>", "<< /Type /Pages /Kids [2 0 R] /Count 9 >>"),
		"a drawing that draws itself": smallPDF("", catalog, pages, page, hello, font, stream(form, "/X Do /X Do")),
		"a page that is its own parent": smallPDF("", catalog, pages,
			strings.Replace(page, "2 0 R", "3 0 R", 1), hello, font),
		"contents of themselves": smallPDF("", catalog, pages, page, "4 0 R", font),
		"a length without end": smallPDF("", catalog, pages, page,
			"<< /Length 4 0 R >>\nstream\nx\nendstream", font),
		"a billion pages": smallPDF("", catalog,
			"<< /Type /Pages /Kids [3 0 R] /Count 1000000000 >>", page, hello, font),
		"a table that follows itself": smallPDF("/Prev 9", catalog, pages, page, hello, font),
		"nesting without end":         smallPDF("", catalog, strings.Repeat("[", 500_000), page, hello, font),
	} {
		start := time.Now()
		got := read(t, pool, content, "a.pdf")
		if got.err != nil && !errors.Is(got.err, parley.ErrFileUnreadable) {
			t.Errorf("%s: %v", name, got.err)
		}
		if got.err == nil && !strings.Contains(got.text, "The ferry leaves") {
			t.Errorf("%s: got %q", name, got.text)
		}
		t.Logf("%s: %v, %v", name, got.err, time.Since(start).Round(time.Millisecond))
	}
}

// smallPDF returns a PDF file of objects. The first one is the catalog.
func smallPDF(trailer string, objects ...string) string {
	var b strings.Builder
	b.WriteString("%PDF-1.7\n")
	table := fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for i, object := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	b.WriteString(table)
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R %s >>\n", len(objects)+1, trailer)
	fmt.Fprintf(&b, "startxref\n%d\n%%%%EOF\n", start)
	return b.String()
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte("t\x00\x00\x00\x02hid\x00\x00\x00\x02{}"))
	f.Add([]byte("r\x00\x00\x00\x01x"))
	f.Add([]byte("p\x00\x00\x00\x01xo\x00\x00\x00\x02{}"))
	f.Add([]byte("d\x00\x00\x00\x2e{\"type\":\"a\",\"anchors\":[{\"offset\":0,\"name\":\"b\"}]}"))
	f.Fuzz(func(t *testing.T, response []byte) {
		var text bytes.Buffer
		x := &exchange{
			child:   &process{out: bytes.NewReader(response)},
			request: request{MaxText: 100}, text: &text, index: io.Discard,
		}
		found, err := x.receive(t.Context())
		if text.Len() > 100 || !isCleanText(text.Bytes()) {
			t.Errorf("got %q", text.Bytes())
		}
		for _, anchor := range found.Anchors {
			if err == nil && (anchor.Offset < 0 || anchor.Offset >= text.Len()) {
				t.Errorf("got %v", found.Anchors)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	hundred, err := os.ReadFile("../testdata/100-pages.pdf")
	if err != nil {
		b.Fatal(err)
	}
	docx, err := os.ReadFile("../testdata/libreoffice.docx")
	if err != nil {
		b.Fatal(err)
	}
	for name, content := range map[string]string{
		"100 pages of PDF": string(hundred),
		"a DOCX":           string(docx),
		"5 MB of text":     strings.Repeat("第一班渡轮早上九点出发. The ferry leaves at nine.\n", 90_000),
		"a line":           "The ferry leaves at nine.",
	} {
		b.Run(name, func(b *testing.B) {
			pool := newPool(b, nil)
			if err := pool.Prepare(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if got := read(b, pool, content, "a"); got.err != nil {
					b.Fatal(got.err)
				}
			}
		})
	}
}
