package library

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"parley/internal/extract/sandbox"
	"parley/internal/store/storetest"
)

// slowReader reads documents like the Reader, except that slow ones take until they are
// canceled.
type slowReader struct {
	Reader
	started chan string // names of slow documents

	mu      sync.Mutex
	running int
	most    int
}

func (r *slowReader) Read(ctx context.Context, file sandbox.File, text, index io.Writer) (sandbox.Summary, error) {
	if !strings.HasPrefix(file.Name, "slow") {
		return r.Reader.Read(ctx, file, text, index)
	}
	r.mu.Lock()
	r.running++
	r.most = max(r.most, r.running)
	r.mu.Unlock()
	r.started <- file.Name
	<-ctx.Done()
	r.mu.Lock()
	r.running--
	r.mu.Unlock()
	return sandbox.Summary{}, ctx.Err()
}

// attach uploads a document to a new session of a user.
func (s *shelf) attach(ctx context.Context, user int64, name, text string) error {
	session := storetest.Session(s.t, s.store, user, s.now)
	draft, err := s.Receive(ctx, user, name, strings.NewReader(text))
	if err != nil {
		return err
	}
	_, err = draft.Attach(ctx, session)
	if err != nil {
		draft.Discard(ctx)
	}
	return err
}

func TestSlowDocumentsOfOneUserDoNotDelayOthers(t *testing.T) {
	s := newShelf(t, "", "")
	slow := &slowReader{Reader: s.reader, started: make(chan string, 16)}
	s.reader, s.readers, s.smallReaders = slow, newTurns(2), newTurns(2)
	ada, bob, carol := s.user, storetest.User(t, s.store, s.now), storetest.User(t, s.store, s.now)
	packed := string(epub(t, "The ferry leaves at nine."))
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	hang := func(user int64, name, text string) {
		all.Go(func() {
			if err := s.attach(ctx, user, name, text); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	for range 8 {
		hang(ada, "slow.epub", packed)
	}
	<-slow.started
	if err := s.attach(t.Context(), bob, "a.epub", packed); err != nil {
		t.Errorf("another user's document: %v", err)
	}
	hang(bob, "slow too.epub", packed)
	<-slow.started
	for _, text := range []string{"A small text.", "# 渡船\n\n\t九点"} {
		if err := s.attach(t.Context(), carol, "a.md", text); err != nil {
			t.Errorf("a small text: %v", err)
		}
	}
	hang(ada, "slow.txt", "Another small text")
	<-slow.started
	if err := s.attach(t.Context(), carol, "a.txt", "A small text beside a slow one."); err != nil {
		t.Error(err)
	}
	cancel()
	all.Wait()
	if slow.most != 3 {
		t.Errorf("%d slow documents were read at once", slow.most)
	}
}

func TestOnlyTextIsPlain(t *testing.T) {
	for content, want := range map[string]bool{
		"":                                true,
		"The ferry\r\n\tleaves.\f":        true,
		"渡船":                              true,
		"\xef\xbb\xbfwith a mark":         true,
		"<html><p>The ferry":              true,
		string(epub(t, "The ferry")):      false,
		"%PDF-1.4\n":                      false,
		"junk before %PDF-1.4\n":          false,
		"\xff\xfeT\x00h\x00e\x00":         false,
		"\x1b[31m":                        false,
		"\xb6\xc9\xc2\xd6 in another set": false,
	} {
		if got := isPlain([]byte(content)); got != want {
			t.Errorf("%.20q: got %v", content, got)
		}
	}
}
