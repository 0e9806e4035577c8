package blob

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/id"
	"parley/internal/testdb"
	"parley/internal/testtier"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), ownerRW); err != nil {
		t.Fatal(err)
	}
}

func TestObjectsHaveThePathsOfFiles(t *testing.T) {
	address := testdb.S3(t)
	s := opened(t, t.TempDir(), address)
	key := id.New()
	put(t, s, key+".text", "text")
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{strings.Trim(u.Path, "/") + "/" + key[len(key)-2:] + "/" + key + ".text"}
	if got := testdb.Objects(t, address); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestWithoutARegionTheStoreIsAsked(t *testing.T) {
	address := strings.Replace(testdb.S3(t), "&region=us-east-1", "", 1)
	if strings.Contains(address, "region") {
		t.Fatal("the URL of the store is not as expected")
	}
	s, key := opened(t, t.TempDir(), address), id.New()
	put(t, s, key, "bytes")
	if got := get(t, s, key); got != "bytes" {
		t.Errorf("got %q", got)
	}
}

func TestWhatIsWrongWithAStoreIsSaidAtTheStart(t *testing.T) {
	address, err := url.Parse(testdb.S3(t))
	if err != nil {
		t.Fatal(err)
	}
	withHost, withUser := *address, *address
	withHost.Host = "no-such-bucket"
	withUser.User = url.UserPassword(address.User.Username(), "hush")
	stranger := *address
	stranger.User = url.UserPassword("stranger", "hush")
	for name, tt := range map[string]struct {
		url  url.URL
		want string
	}{
		"bucket": {withHost, "the bucket does not exist"},
		"secret": {withUser, "SignatureDoesNotMatch"},
		"key":    {stranger, "access key"},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "bucket" {
				testtier.Rare(t) // gofakes3 does not check keys
			}
			_, err := Open(t.Context(), t.TempDir(), tt.url.String())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			checkLine(t, err)
			secret, _ := address.User.Password()
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("the error says %q", err)
			}
		})
	}
}

func TestABlobReplacedOrDeletedWhileItIsReadIsAnError(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, s Store, key string){
		"replaced": func(t *testing.T, s Store, key string) { put(t, s, key, strings.Repeat("new", firstWindow)) },
		"deleted": func(t *testing.T, s Store, key string) {
			if err := s.Delete(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "replaced" {
				testtier.Rare(t) // gofakes3 does not know If-Match
			}
			s, key := opened(t, t.TempDir(), testdb.S3(t)), id.New()
			put(t, s, key, strings.Repeat("old", firstWindow))
			r, err := s.Get(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			change(t, s, key)
			got, err := io.ReadAll(r)
			if !errors.Is(err, errReplaced) || strings.Contains(string(got), "new") {
				t.Errorf("got %d bytes, %v", len(got), err)
			}
		})
	}
}

// fake is a store with one object under every key. Tests can make it fail.
type fake struct {
	content []byte
	// misbehave handles a request instead of the fake if it returns true. Requests are
	// numbered from 1.
	misbehave func(w http.ResponseWriter, r *http.Request, number int) bool

	mu       sync.Mutex
	requests int
	sent     int64
}

// open opens the fake and resets the list of requests.
func (f *fake) open(t *testing.T) *S3 {
	t.Helper()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	misbehave := f.misbehave
	f.misbehave = func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		writeXML(w, http.StatusNotFound, "NoSuchKey")
		return true
	}
	s, err := OpenS3(t.Context(), fakeURL(server.URL), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	f.misbehave, f.requests, f.sent = misbehave, 0, 0
	return s
}

func fakeURL(endpoint string) string {
	return "s3://key:hush@photos/p?region=us-east-1&endpoint=" + url.QueryEscape(endpoint)
}

func writeXML(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<Error><Code>"+code+"</Code><Message>it\nis so</Message></Error>")
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.requests++
	number := f.requests
	f.mu.Unlock()
	w.Header().Set("ETag", `"one"`)
	w.Header().Set("Last-Modified", "Sun, 15 Nov 2026 03:00:00 GMT")
	if f.misbehave != nil && f.misbehave(w, r, number) {
		return
	}
	counted := &counter{ResponseWriter: w}
	http.ServeContent(counted, r, "", time.Time{}, bytes.NewReader(f.content))
	f.mu.Lock()
	f.sent += counted.sent
	f.mu.Unlock()
}

func (f *fake) cost() (requests int, sent int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests, f.sent
}

type counter struct {
	http.ResponseWriter
	sent int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.sent += int64(n)
	return n, err
}

func TestALookAtALargeBlobCostsLittle(t *testing.T) {
	f := &fake{content: noise(20 << 20)}
	s := f.open(t)
	r, err := s.Get(t.Context(), id.New())
	if err != nil {
		t.Fatal(err)
	}
	const at, length = 7 << 20, 1200
	if _, err := r.Seek(at, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(io.LimitReader(r, length))
	if err != nil || !bytes.Equal(got, f.content[at:at+length]) {
		t.Errorf("got %d other bytes, %v", len(got), err)
	}
	if requests, sent := f.cost(); requests != 2 || sent > 2*firstWindow {
		t.Errorf("it cost %d requests and %d bytes", requests, sent)
	}
}

func TestPiecesInOrderCostFewRequests(t *testing.T) {
	for _, c := range []struct{ apart, requests int }{{100 << 10, 8}, {400 << 10, 20}, {900 << 10, 51}} {
		f := &fake{content: noise(50 * c.apart)}
		r, err := f.open(t).Get(t.Context(), id.New())
		if err != nil {
			t.Fatal(err)
		}
		for at := c.apart / 2; at < len(f.content); at += c.apart {
			if _, err := r.Seek(int64(at), io.SeekStart); err != nil {
				t.Fatal(err)
			}
			const length = 1200
			if got, err := io.ReadAll(io.LimitReader(r, length)); err != nil || !bytes.Equal(got, f.content[at:at+length]) {
				t.Fatalf("got %d other bytes, %v", len(got), err)
			}
		}
		if requests, sent := f.cost(); requests > c.requests || sent > int64(len(f.content)) {
			t.Errorf("50 pieces of %d bytes cost %d requests and %d bytes", len(f.content), requests, sent)
		}
	}
}

func TestReadingAllOfALargeBlobCostsFewRequests(t *testing.T) {
	f := &fake{content: noise(20 << 20)}
	s := f.open(t)
	if got := get(t, s, id.New()); got != string(f.content) {
		t.Error("got other bytes")
	}
	if requests, sent := f.cost(); requests > 24 || sent != int64(len(f.content)) {
		t.Errorf("it cost %d requests and %d bytes", requests, sent)
	}
}

func TestAnAnswerThatBreaksOffIsAskedForAgain(t *testing.T) {
	breakOff := func(w http.ResponseWriter, size int) {
		w.Header().Set("Content-Range", "bytes 0-999/"+strconv.Itoa(size))
		w.Header().Set("Content-Length", "1000")
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write(make([]byte, 500))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	f := &fake{content: noise(1000)}
	f.misbehave = func(w http.ResponseWriter, _ *http.Request, number int) bool {
		if number == 1 {
			breakOff(w, len(f.content))
		}
		return false
	}
	if got := get(t, f.open(t), id.New()); got != string(f.content) {
		t.Error("got other bytes")
	}

	f.misbehave = func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		breakOff(w, len(f.content))
		return true
	}
	if _, err := f.open(t).Get(t.Context(), id.New()); !errors.Is(err, errCutOff) {
		t.Errorf("got %v", err)
	}
	if requests, _ := f.cost(); requests != s3Attempts {
		t.Errorf("it was tried %d times", requests)
	}
}

func TestAnotherRangeThanAskedForIsAnError(t *testing.T) {
	for _, answered := range []string{
		"", "bytes 5-9/100000", "bytes */100000", "bytes 65536-65535/100000",
		"bytes 65536-131071/9", "x",
	} {
		f := &fake{content: noise(2 * firstWindow)}
		f.misbehave = func(w http.ResponseWriter, _ *http.Request, number int) bool {
			if number == 1 {
				return false
			}
			w.Header().Set("Content-Range", answered)
			_, _ = w.Write(f.content)
			return true
		}
		r, err := f.open(t).Get(t.Context(), id.New())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err == nil || len(got) != firstWindow {
			t.Errorf("%q: got %d bytes, %v", answered, len(got), err)
		}
	}
}

func TestAServerThatKnowsNoRangesIsReadWhereItCan(t *testing.T) {
	f := &fake{content: noise(1000)}
	f.misbehave = func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		_, _ = w.Write(f.content)
		return true
	}
	if got := get(t, f.open(t), id.New()); got != string(f.content) {
		t.Error("got other bytes")
	}
}

func TestABusyStoreIsTriedAgainButNotForEver(t *testing.T) {
	content := string(noise(100_000))
	var bodies []string
	f := &fake{}
	busyUntil := func(last int) func(http.ResponseWriter, *http.Request, int) bool {
		return func(w http.ResponseWriter, r *http.Request, number int) bool {
			body, _ := io.ReadAll(r.Body)
			bodies = append(bodies, string(body))
			if number < last {
				writeXML(w, http.StatusServiceUnavailable, "SlowDown")
			}
			return true
		}
	}
	f.misbehave = busyUntil(s3Attempts)
	put(t, f.open(t), id.New(), content)
	if want := slices.Repeat([]string{content}, s3Attempts); !slices.Equal(bodies, want) {
		t.Errorf("%d bodies came, or other ones", len(bodies))
	}

	f.misbehave = busyUntil(100)
	if _, err := f.open(t).Put(t.Context(), id.New(), strings.NewReader(content)); err == nil {
		t.Error("no error")
	}
	if requests, _ := f.cost(); requests != s3Attempts {
		t.Errorf("it was tried %d times", requests)
	}
}

func TestAPutEndsWithItsContextWhileTheStoreIsSilent(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := &fake{misbehave: func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		_, _ = io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
		return true
	}}
	if _, err := f.open(t).Put(ctx, id.New(), strings.NewReader("bytes")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestAServerThatIsNoS3StoreIsRefused(t *testing.T) {
	for want, handler := range map[string]http.HandlerFunc{
		"it does not respond as an S3 store does": http.NotFound,
		"does not respond as an S3 store does": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "welcome")
		},
		"no response in time": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"it responds with an error: it is so (Odd)": func(w http.ResponseWriter, _ *http.Request) {
			writeXML(w, http.StatusBadRequest, "Odd")
		},
		"it refuses the credentials: it is so (AccessDenied)": func(w http.ResponseWriter, _ *http.Request) {
			writeXML(w, http.StatusForbidden, "AccessDenied")
		},
	} {
		server := httptest.NewServer(handler)
		limit := time.Minute
		if want == "no response in time" {
			limit = 500 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		_, err := OpenS3(ctx, fakeURL(server.URL), t.TempDir())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		checkLine(t, err)
		cancel()
		server.Close()
	}
}

func TestAStoreThatCannotBeReachedIsSaidInOneLine(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	_, err := OpenS3(t.Context(), fakeURL(server.URL), t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "bucket photos/p at "+server.URL+": it can't be reached: ") {
		t.Errorf("got %v", err)
	}
	checkLine(t, err)
}

// TestARedirectOfTheStoreIsNotFollowed redirects to a host that could read documents or misuse
// the signature.
func TestARedirectOfTheStoreIsNotFollowed(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the other host got a request")
	}))
	defer other.Close()
	for _, code := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.RedirectHandler(other.URL, code))
		if _, err := OpenS3(t.Context(), fakeURL(server.URL), t.TempDir()); err == nil {
			t.Errorf("%d: no error", code)
		}
		server.Close()
	}
}
