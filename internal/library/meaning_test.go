package library

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/embed"
	"parley/internal/embed/embedtest"
	"parley/internal/store"
)

// embeds connects the library to an embeddings server.
func (s *shelf) embeds(url, model string) *embedder {
	s.t.Helper()
	client, err := embed.New(embed.Config{BaseURL: url, Model: model, Timeout: time.Minute})
	s.must(err)
	s.t.Cleanup(client.Close)
	s.questioner.client, s.questioner.time = func() *embed.Client { return client }, time.Minute
	return &embedder{Library: s.Library, client: client}
}

// makeVectors makes the vectors that are due, and returns of how many documents.
func (s *shelf) makeVectors(e *embedder) (n int) {
	s.t.Helper()
	for {
		worked, err := e.next(s.t.Context())
		s.must(err)
		if !worked {
			return n
		}
		n++
	}
}

const (
	gulls   = "Gulls circle over the harbor in the morning light, and nets dry on the old stone wall behind it. "
	crabs   = "海鸥在清晨的港口上空盘旋，渔网晾在后面古老的石墙上。"
	fare    = "The crossing: a single fare is twenty euros."
	chinese = "渡海：单程票价为二十欧元。"
)

// hidden returns a document of many passages, one of which is about a price.
func hidden(passage, filler string) string {
	page := strings.Repeat(filler, 600/len(filler)) + "\n\n"
	return strings.Repeat(page, 30) + passage + "\n\n" + strings.Repeat(page, 10)
}

// finds reports whether the passages for a question have a text.
func (s *shelf) finds(question Question, text string) bool {
	s.t.Helper()
	m, err := s.Material(s.t.Context(), s.user, s.session, question, 500)
	s.must(err)
	if len(m.Passages) == 0 || !m.Omitted {
		s.t.Fatalf("the material is %+v", m)
	}
	for _, p := range m.Passages {
		if strings.Contains(p.Text, text) {
			return true
		}
	}
	return false
}

var price = Question{Text: "How expensive?"}

func TestPassagesAreFoundByTheirMeaning(t *testing.T) {
	everywhere(t, func(t *testing.T, s *shelf) {
		s.upload("crossing.txt", hidden(fare, gulls))
		s.upload("渡海.txt", hidden(chinese, crabs))
		if s.finds(price, fare) {
			t.Error("it is found without vectors")
		}
		e := s.embeds(embedtest.New(t).URL, "m")
		if s.finds(price, fare) {
			t.Error("it is found before the vectors are made")
		}
		if n := s.makeVectors(e); n != 2 {
			t.Errorf("%d documents have vectors", n)
		}
		for _, c := range []struct {
			question Question
			text     string
		}{
			{price, fare},
			{Question{Text: "多少钱？"}, chinese},
			{Question{Text: "And that?", Before: Turn{Question: "Is it expensive?"}}, fare},
		} {
			if !s.finds(c.question, c.text) {
				t.Errorf("%+v does not find %q", c.question, c.text)
			}
		}
		if !s.finds(Question{Text: "Where is the single crossing?"}, fare) {
			t.Error("it is not found by its words")
		}
	})
}

func TestWordsAndMeaningAreFused(t *testing.T) {
	s := newShelf(t, "", "")
	s.upload("a.txt", hidden(fare, gulls))
	s.upload("b.txt", hidden("The clinic opens at nine. Ask for Umberto.", gulls))
	s.makeVectors(s.embeds(embedtest.New(t).URL, "m"))
	question := Question{Text: "How expensive is Umberto?"}
	if !s.finds(question, fare) || !s.finds(question, "Umberto") {
		t.Error("one of both is not found")
	}
}

func TestWordsAreEnoughIfTheServerFails(t *testing.T) {
	for name, handle := range map[string]func(http.ResponseWriter, *http.Request, []string) bool{
		"broken": func(w http.ResponseWriter, _ *http.Request, _ []string) bool {
			w.WriteHeader(http.StatusInternalServerError)
			return true
		},
		"slow": func(_ http.ResponseWriter, r *http.Request, _ []string) bool {
			<-r.Context().Done()
			return true
		},
		"not a number": func(w http.ResponseWriter, _ *http.Request, _ []string) bool {
			_, _ = w.Write([]byte(`{"data":[{"embedding":[NaN]}]}`))
			return true
		},
		"another dimension": func(w http.ResponseWriter, _ *http.Request, texts []string) bool {
			embedtest.Write(w, texts, 16)
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t, "", "")
			s.upload("a.txt", hidden(fare, gulls))
			server := embedtest.New(t)
			s.makeVectors(s.embeds(server.URL, "m"))
			if !s.finds(price, fare) {
				t.Fatal("it is not found by its meaning")
			}
			server.Respond(handle)
			s.questioner.time = 10 * time.Millisecond
			if s.finds(price, fare) {
				t.Error("it is found by its meaning")
			}
			s.questioner.time = time.Minute
			if !s.finds(Question{Text: "What about the single crossing?"}, fare) {
				t.Error("it is not found by its words")
			}
			server.Respond(nil)
			s.now = s.now.Add(questionRest + time.Second)
			if !s.finds(price, fare) {
				t.Error("it is not found later")
			}
		})
	}
}

func TestAServerThatFailsRests(t *testing.T) {
	s := newShelf(t, "", "")
	s.upload("a.txt", hidden(fare, gulls))
	server := embedtest.New(t)
	s.makeVectors(s.embeds(server.URL, "m"))
	server.Respond(func(w http.ResponseWriter, _ *http.Request, _ []string) bool {
		w.WriteHeader(http.StatusInternalServerError)
		return true
	})
	before := len(server.Batches())
	s.finds(price, fare)
	s.finds(price, fare)
	if asked := len(server.Batches()) - before; asked != 1 {
		t.Errorf("it was asked %d times", asked)
	}
}

func TestVectorsAreMadeInBatches(t *testing.T) {
	s := newShelf(t, "", "")
	s.upload("a.txt", strings.Repeat(hidden(fare, gulls), 4))
	server := embedtest.New(t)
	s.makeVectors(s.embeds(server.URL, "m"))
	batches := server.Batches()
	if len(batches) != 4 || len(batches[1]) != embed.MaxTexts || len(batches[3]) == embed.MaxTexts {
		t.Errorf("there are %d requests", len(batches)) // the first is about the dimension
	}
	if !s.finds(price, fare) {
		t.Error("it is not found")
	}
}

func TestAFileWithoutTextHasNoVectors(t *testing.T) {
	s := newShelf(t, "", "")
	s.upload("a.txt", "a word")
	e := s.embeds(embedtest.New(t).URL, "m")
	s.must(s.blobs.Delete(t.Context(), s.onlyFile().FileID+indexSuffix))
	if n := s.makeVectors(e); n != 1 {
		t.Errorf("%d files were looked at", n)
	}
	if n := s.makeVectors(e); n != 0 {
		t.Errorf("%d files were looked at again", n)
	}
}

func (s *shelf) onlyFile() parley.File {
	s.t.Helper()
	files, err := s.Files(s.t.Context(), s.user, s.session)
	s.must(err)
	if len(files) != 1 {
		s.t.Fatalf("the files are %v", files)
	}
	return files[0]
}

func TestAnotherModelMakesVectorsAnew(t *testing.T) {
	everywhere(t, func(t *testing.T, s *shelf) {
		s.upload("a.txt", hidden(fare, gulls))
		server := embedtest.New(t)
		s.makeVectors(s.embeds(server.URL, "m"))
		blobs := s.kept()
		for _, model := range []string{"z", "a"} { // behind and in front of it in the index
			e := s.embeds(server.URL, model)
			if s.finds(price, fare) {
				t.Errorf("vectors of another model are used by %s", model)
			}
			if n := s.makeVectors(e); n != 1 || !s.finds(price, fare) {
				t.Errorf("%s: %d documents have new vectors", model, n)
			}
		}
		if s.kept() != blobs {
			t.Errorf("there were %d blobs, now %d", blobs, s.kept())
		}
	})
}

func TestAnotherDimensionMakesVectorsAnew(t *testing.T) {
	s := newShelf(t, "", "")
	s.upload("a.txt", hidden(fare, gulls))
	server := embedtest.New(t)
	e := s.embeds(server.URL, "m")
	s.makeVectors(e)
	server.SetDimension(16)
	s.upload("b.txt", "a word")
	if _, err := e.next(t.Context()); err == nil || !strings.Contains(err.Error(), "16 dimensions") {
		t.Errorf("got %v", err)
	}
	if n := s.makeVectors(e); n != 2 || !s.finds(price, fare) {
		t.Errorf("%d documents have new vectors", n)
	}
}

func TestAnInterruptedFileIsTakenUpAgain(t *testing.T) {
	everywhere(t, func(t *testing.T, s *shelf) {
		file := s.upload("a.txt", hidden(fare, gulls))
		server := embedtest.New(t)
		e := s.embeds(server.URL, "m")
		made := VectorsBy("m", embedtest.DefaultDimension)
		// Another process has claimed it and was killed.
		claimed, err := s.store.ClaimVectors(t.Context(), store.FileKey{UserID: s.user, FileID: file.FileID}, made,
			s.now, s.now.Add(vectorsLease))
		s.must(err)
		if n := s.makeVectors(e); !claimed || n != 0 {
			t.Errorf("claimed is %t, %d documents have vectors", claimed, n)
		}
		s.now = s.now.Add(vectorsLease)
		if n := s.makeVectors(e); n != 1 || !s.finds(price, fare) {
			t.Errorf("%d documents have vectors", n)
		}
	})
}

func TestAnEndingProcessReleasesItsFile(t *testing.T) {
	s := newShelf(t, "", "")
	s.upload("a.txt", hidden(fare, gulls))
	server := embedtest.New(t)
	e := s.embeds(server.URL, "m")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server.Respond(func(_ http.ResponseWriter, _ *http.Request, texts []string) bool {
		if len(texts) > 1 {
			cancel()
		}
		return false
	})
	if _, err := e.next(ctx); err == nil {
		t.Error("no error")
	}
	server.Respond(nil)
	if n := s.makeVectors(e); n != 1 || s.kept() != 4 {
		t.Errorf("%d documents have vectors, there are %d blobs", n, s.kept())
	}
}

func TestAFileThatTheServerRefusesDelaysNoOther(t *testing.T) {
	for name, c := range map[string]struct {
		status  int
		body    string
		delayed bool
	}{
		"400":   {http.StatusBadRequest, "", true},
		"fewer": {http.StatusOK, `{"data":[]}`, true},
		"NaN":   {http.StatusOK, `{"data":[{"embedding":[NaN]}]}`, true},
		"429":   {http.StatusTooManyRequests, "", false},
		"500":   {http.StatusInternalServerError, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t, "", "")
			s.upload("bad.txt", "A bad word.")
			s.upload("good.txt", "A good word.")
			server := embedtest.New(t)
			e := s.embeds(server.URL, "m")
			server.Respond(func(w http.ResponseWriter, _ *http.Request, texts []string) bool {
				if !strings.Contains(texts[0], "bad") {
					return false
				}
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
				return true
			})
			failed, made := 0, 0
			for range 4 {
				worked, err := e.next(t.Context())
				if err != nil {
					failed++
				} else if worked {
					made++
				}
			}
			if c.delayed && (failed != 1 || made != 1) {
				t.Errorf("%d failed, %d succeeded", failed, made)
			}
			server.Respond(nil)
			if c.delayed {
				s.now = s.now.Add(vectorsDelay)
			}
			if n := s.makeVectors(e); n == 0 || s.kept() != 8 {
				t.Errorf("then %d succeed, and there are %d blobs", n, s.kept())
			}
		})
	}
}

func TestVectorsGoWithTheirFile(t *testing.T) {
	everywhere(t, func(t *testing.T, s *shelf) {
		file := s.upload("a.txt", hidden(fare, gulls))
		used, err := s.store.StorageUsed(t.Context(), s.user)
		s.must(err)
		s.makeVectors(s.embeds(embedtest.New(t).URL, "m"))
		after, err := s.store.StorageUsed(t.Context(), s.user)
		s.must(err)
		if s.kept() != 4 || after < used+40*embedtest.DefaultDimension {
			t.Errorf("there are %d blobs, %d bytes are used, before it were %d", s.kept(), after, used)
		}
		s.must(s.Delete(t.Context(), s.user, file.FileID))
		s.must(s.cleanUp(t.Context()))
		s.nothing()
	})
}

func TestAFileThatIsDeletedMeanwhileLeavesNoVectors(t *testing.T) {
	everywhere(t, func(t *testing.T, s *shelf) {
		file := s.upload("a.txt", hidden(fare, gulls))
		server := embedtest.New(t)
		e := s.embeds(server.URL, "m")
		var deleted atomic.Bool
		server.Respond(func(_ http.ResponseWriter, _ *http.Request, texts []string) bool {
			if len(texts) > 1 && deleted.CompareAndSwap(false, true) { // not the request about the dimension
				if err := s.Delete(t.Context(), s.user, file.FileID); err != nil {
					t.Error(err)
				}
				if err := s.cleanUp(t.Context()); err != nil {
					t.Error(err)
				}
			}
			return false
		})
		if n := s.makeVectors(e); n != 1 || !deleted.Load() {
			t.Errorf("%d documents, deleted is %t", n, deleted.Load())
		}
		s.must(s.cleanUp(t.Context()))
		s.nothing()
	})
}

func TestDamagedVectorsAreLeftOut(t *testing.T) {
	s := newShelf(t, "", "")
	file := s.upload("a.txt", hidden(fare, gulls))
	s.makeVectors(s.embeds(embedtest.New(t).URL, "m"))
	for name, content := range map[string]string{
		"empty": "", "a long head": "\xff\xff\xff\xff\x01", "no JSON": "\x03abc",
		"cut": "\x2e{\"model\":\"m\",\"dimension\":32,\"passages\":41}  ",
	} {
		_, err := s.blobs.Put(t.Context(), VectorsKey(file), strings.NewReader(content))
		s.must(err)
		if s.finds(price, fare) || !s.finds(Question{Text: "the single crossing"}, fare) {
			t.Errorf("%s: it is not found by words alone", name)
		}
	}
}

func TestTheEmbedderRunsUntilItsEnd(t *testing.T) {
	s := newShelf(t, "", "")
	server := embedtest.New(t)
	s.embeds(server.URL, "m")
	s.Library.now = time.Now // that of the shelf is not for several goroutines
	var requests atomic.Int64
	server.Respond(func(w http.ResponseWriter, _ *http.Request, _ []string) bool {
		if requests.Add(1) == 1 {
			w.WriteHeader(http.StatusInternalServerError)
			return true
		}
		return false
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.RunEmbedder(ctx)
	}()
	s.upload("a.txt", hidden(fare, gulls))
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for found := false; !found; <-tick.C {
		without, _, err := s.store.CountFilesWithoutVectors(t.Context(), VectorsBy("m", embedtest.DefaultDimension))
		s.must(err)
		found = without == 0
	}
	cancel()
	<-ended
	if !s.finds(price, fare) {
		t.Error("it is not found")
	}
}

func TestPausesGrow(t *testing.T) {
	pause := time.Duration(0)
	for _, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
		if pause = nextPause(pause, context.DeadlineExceeded); pause != want {
			t.Errorf("the pause is %v, want %v", pause, want)
		}
	}
	if got := nextPause(time.Hour, context.DeadlineExceeded); got != maxPause {
		t.Errorf("the longest pause is %v", got)
	}
	if got := nextPause(0, &embed.Failure{RetryAfter: time.Minute}); got != time.Minute {
		t.Errorf("the pause that the server asks for is %v", got)
	}
}
