package blob

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"parley/internal/id"
	"parley/internal/testdb"
)

// subject is a store under test.
type subject struct {
	Store
	reopen func() Store
	// left returns the names of all stored files or objects, including incomplete ones.
	left func() []string
}

// eachStore runs a test with both implementations.
func eachStore(t *testing.T, test func(t *testing.T, s subject)) {
	t.Helper()
	t.Run("dir", func(t *testing.T) {
		d, path := openDir(t)
		test(t, subject{
			Store: d, reopen: func() Store { return opened(t, path, "") },
			left: func() []string { return files(t, path) },
		})
	})
	t.Run("s3", func(t *testing.T) {
		url, spool := testdb.S3(t), filepath.Join(t.TempDir(), "files")
		test(t, subject{
			Store: opened(t, spool, url), reopen: func() Store { return opened(t, spool, url) },
			left: func() []string { return append(testdb.Objects(t, url), files(t, spool)...) },
		})
	})
}

func opened(t *testing.T, dir, url string) Store {
	t.Helper()
	s, err := Open(t.Context(), dir, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func put(t *testing.T, s Store, key, content string) {
	t.Helper()
	size, err := s.Put(t.Context(), key, strings.NewReader(content))
	if err != nil {
		t.Fatalf("put %s: %v", key, err)
	}
	if size != int64(len(content)) {
		t.Errorf("put %s: size %d, want %d", key, size, len(content))
	}
}

func get(t *testing.T, s Store, key string) string {
	t.Helper()
	r, err := s.Get(t.Context(), key)
	if err != nil {
		t.Fatalf("get %s: %v", key, err)
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// noise is content without repetition.
func noise(size int) []byte {
	content := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content) // never fails
	return content
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestWhatWasPutIsThereAfterReopening(t *testing.T) {
	eachStore(t, func(t *testing.T, s subject) {
		key, empty := id.New(), id.New()
		put(t, s, key, "bytes")
		put(t, s, key+".text", "text")
		put(t, s, empty, "")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		again := s.reopen()
		for k, want := range map[string]string{key: "bytes", key + ".text": "text", empty: ""} {
			if got := get(t, again, k); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
}

func TestPutReplacesWhatWasThere(t *testing.T) {
	eachStore(t, func(t *testing.T, s subject) {
		key := id.New()
		put(t, s, key, "the first, which is longer")
		put(t, s, key, "the second")
		if got := get(t, s, key); got != "the second" {
			t.Errorf("got %q", got)
		}
		if left := s.left(); len(left) != 1 {
			t.Errorf("there are %v, want one", left)
		}
	})
}

func TestABlobReadsAndSeeksAsAFileDoes(t *testing.T) {
	eachStore(t, func(t *testing.T, s subject) {
		for _, size := range []int{0, 1, firstWindow - 1, firstWindow, firstWindow + 1, 3*firstWindow + 7} {
			content, key := noise(size), id.New()
			put(t, s, key, string(content))
			r, err := s.Get(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			if err := iotest.TestReader(r, content); err != nil {
				t.Errorf("%d bytes: %v", size, err)
			}
			if err := r.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
			if _, err := r.Read(make([]byte, 1)); err == nil {
				t.Error("a closed blob can be read")
			}
			if err := r.Close(); err == nil {
				t.Error("a closed blob can be closed")
			}
		}
	})
}

func TestABlobThatIsKeptCanBeReadAtOnce(t *testing.T) {
	eachStore(t, func(t *testing.T, s subject) {
		key := id.New()
		kept, size, err := s.Keep(t.Context(), key, strings.NewReader("the ferry"))
		if err != nil {
			t.Fatal(err)
		}
		defer kept.Close()
		for range 2 {
			content, err := io.ReadAll(kept)
			if err != nil || string(content) != "the ferry" || size != 9 {
				t.Errorf("kept %q, %d bytes, %v", content, size, err)
			}
			if _, err := kept.Seek(0, io.SeekStart); err != nil {
				t.Error(err)
			}
		}
		if content := get(t, s, key); content != "the ferry" {
			t.Errorf("stored %q", content)
		}
	})
}

func TestPartsOfALargeBlobAreRight(t *testing.T) {
	content, key := noise(5<<20+11), id.New()
	eachStore(t, func(t *testing.T, s subject) {
		put(t, s, key, string(content))
		if got := get(t, s, key); got != string(content) {
			t.Error("the whole is not what was put")
		}
		r, err := s.Get(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		random := rand.New(rand.NewPCG(1, 2))
		for range 50 {
			start, length := random.IntN(len(content)), random.IntN(100_000)
			if _, err := r.Seek(int64(start), io.SeekStart); err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(io.LimitReader(r, int64(length)))
			if want := content[start:min(start+length, len(content))]; err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%d bytes from %d are not what was put: %v", length, start, err)
			}
		}
		if at, err := r.Seek(10, io.SeekEnd); err != nil || at != int64(len(content))+10 {
			t.Errorf("seek past the end: %d, %v", at, err)
		}
		if n, err := r.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("read past the end: %d, %v", n, err)
		}
		if _, err := r.Seek(-1, io.SeekStart); err == nil {
			t.Error("seek before the beginning: no error")
		}
	})
}

func TestABlobCanBeReadAfterTheContextOfGet(t *testing.T) {
	eachStore(t, func(t *testing.T, s subject) {
		content, key := noise(3*firstWindow), id.New()
		put(t, s, key, string(content))
		ctx, cancel := context.WithCancel(t.Context())
		r, err := s.Get(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		cancel()
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, content) {
			t.Errorf("got %d bytes, %v", len(got), err)
		}
	})
}

func TestGetOfNothingIsNotFound(t *testing.T) {
	eachStore(t, func(t *testing.T, s subject) {
		if _, err := s.Get(t.Context(), id.New()); !errors.Is(err, ErrNotFound) {
			t.Errorf("got %v", err)
		}
	})
}

func TestDeleteRemovesOneKeyAndMayBeRepeated(t *testing.T) {
	eachStore(t, func(t *testing.T, s subject) {
		key := id.New()
		put(t, s, key, "bytes")
		put(t, s, key+".text", "text")
		for range 2 {
			if err := s.Delete(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Get(t.Context(), key); !errors.Is(err, ErrNotFound) {
			t.Errorf("got %v", err)
		}
		if got := get(t, s, key+".text"); got != "text" {
			t.Errorf("got %q", got)
		}
	})
}

func TestFailedPutLeavesNothing(t *testing.T) {
	broken := errors.New("connection reset")
	eachStore(t, func(t *testing.T, s subject) {
		r := io.MultiReader(bytes.NewReader(make([]byte, 6<<20)), iotest.ErrReader(broken))
		if _, err := s.Put(t.Context(), id.New(), r); !errors.Is(err, broken) {
			t.Errorf("got %v, want the reader's error", err)
		}
		if left := s.left(); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	})
}

func TestFailedPutKeepsWhatWasThere(t *testing.T) {
	eachStore(t, func(t *testing.T, s subject) {
		key := id.New()
		put(t, s, key, "old")
		if _, err := s.Put(t.Context(), key, iotest.ErrReader(io.ErrUnexpectedEOF)); err == nil {
			t.Fatal("no error")
		}
		if got := get(t, s, key); got != "old" {
			t.Errorf("got %q", got)
		}
	})
}

func TestCancelledPutLeavesNothing(t *testing.T) {
	eachStore(t, func(t *testing.T, s subject) {
		ctx, cancel := context.WithCancel(t.Context())
		reads := 0
		endless := readerFunc(func(p []byte) (int, error) {
			if reads++; reads == 3 {
				cancel()
			}
			return len(p), nil
		})
		if _, err := s.Put(ctx, id.New(), endless); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if left := s.left(); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	})
}

func TestPutCancelledAtItsLastByteLeavesNothing(t *testing.T) {
	eachStore(t, func(t *testing.T, s subject) {
		ctx, cancel := context.WithCancel(t.Context())
		last := readerFunc(func([]byte) (int, error) {
			cancel()
			return 0, io.EOF
		})
		if _, err := s.Put(ctx, id.New(), last); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if left := s.left(); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	})
}

func TestPutRunsInConstantMemory(t *testing.T) {
	eachStore(t, func(t *testing.T, s subject) {
		const size, most = 20 << 20, 1 << 20
		put(t, s, id.New(), "opens a connection")
		zeros := readerFunc(func(p []byte) (int, error) { return len(p), nil })
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := s.Put(t.Context(), id.New(), io.LimitReader(zeros, size)); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > most {
			t.Errorf("a put of %d bytes allocates %d bytes, want at most %d", size, got, most)
		}
	})
}

func TestEndedContextIsRefused(t *testing.T) {
	eachStore(t, func(t *testing.T, s subject) {
		key := id.New()
		put(t, s, key, "bytes")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Get(ctx, key); !errors.Is(err, context.Canceled) {
			t.Errorf("get: %v", err)
		}
		if err := s.Delete(ctx, key); !errors.Is(err, context.Canceled) {
			t.Errorf("delete: %v", err)
		}
		if got := get(t, s, key); got != "bytes" {
			t.Errorf("got %q", got)
		}
	})
}

func TestPutsSideBySide(t *testing.T) {
	eachStore(t, func(t *testing.T, s subject) {
		same := id.New()
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if _, err := s.Put(t.Context(), same, strings.NewReader("same")); err != nil {
					t.Error(err)
				}
				if _, err := s.Put(t.Context(), id.New(), strings.NewReader("own")); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if left := s.left(); len(left) != 9 {
			t.Errorf("there are %d, want 9", len(left))
		}
	})
}

func TestSweepLeavesWhatIsWhole(t *testing.T) {
	eachStore(t, func(t *testing.T, s subject) {
		key := id.New()
		put(t, s, key, "whole")
		if err := s.Sweep(t.Context(), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if got := get(t, s, key); got != "whole" {
			t.Errorf("got %q", got)
		}
	})
}

func TestOnlyGeneratedKeysAreTaken(t *testing.T) {
	eachStore(t, func(t *testing.T, s subject) {
		for _, key := range badKeys {
			if _, err := s.Put(t.Context(), key, strings.NewReader("x")); !errors.Is(err, ErrBadKey) {
				t.Errorf("put %q: %v", key, err)
			}
			if _, err := s.Get(t.Context(), key); !errors.Is(err, ErrBadKey) {
				t.Errorf("get %q: %v", key, err)
			}
			if err := s.Delete(t.Context(), key); !errors.Is(err, ErrBadKey) {
				t.Errorf("delete %q: %v", key, err)
			}
		}
		if left := s.left(); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	})
}
