package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"parley"
	"parley/client"
)

// reading is how documents are measured.
type reading struct {
	rounds int    // of each measurement; the median counts
	text   int    // size of a text, in bytes
	large  int    // size of a large one
	atOnce int    // large ones that are uploaded together
	paged  string // a document with pages, below the sources' folder
}

// hundredPages is a PDF of 100 pages.
const hundredPages = "internal/extract/testdata/100-pages.pdf"

func usualReading(rounds int) reading {
	return reading{rounds: rounds, text: 5_000_000, large: 20_000_000, atOnce: 8, paged: hundredPages}
}

// documentFigure is what was measured of documents, and what it may be at most.
type documentFigure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Limit float64 `json:"limit"`
}

// The limits are for a machine of 2 cores with nothing else to do.
const (
	textLimit     = 500  // ms
	passagesLimit = 50   // ms
	pagedLimit    = 2000 // ms
	growthLimit   = 50   // MB
)

// documents measures how fast documents are taken and answered from, and what they take
// of the server's memory.
func documents(ctx context.Context, w *world) error {
	w.stop()
	if err := w.serve(ctx, roleModel, orders{Pieces: replyPieces()}); err != nil {
		return err
	}
	r := w.reader(w.server)
	for _, measure := range []func(context.Context) error{r.growth, r.texts, r.paged} {
		if err := measure(ctx); err != nil {
			return fmt.Errorf("documents: %w", err)
		}
	}
	return nil
}

// reader measures one world's documents.
type reader struct {
	*world
	reading
	user *client.Client
}

// reader reads documents with one of the world's servers.
func (w *world) reader(s *server) *reader {
	return &reader{world: w, reading: w.plan.documents, user: client.New("http://"+s.address, client.WithToken(w.token))}
}

func (r *reader) note(name string, value float64, unit string, limit float64) {
	r.report.Documents = append(r.report.Documents, documentFigure{name, value, unit, limit})
}

// growth measures by how much the server's resident memory grows while large documents
// are taken; their reading is its children's.
func (r *reader) growth(ctx context.Context) error {
	r.say("%d documents of %s MB at once", r.atOnce, count(float64(r.large)/1e6))
	content := r.words.document(r.large, false)
	if err := r.server.calm(ctx); err != nil {
		return err
	}
	before, err := r.server.memory()
	if err != nil {
		return err
	}
	sessions, err := r.sessions(ctx, r.atOnce)
	if err != nil {
		return err
	}
	done := make(chan struct{})
	most := make(chan float64, 1)
	go func() { most <- r.mostMemory(done) }()
	uploads, uploading := errgroup.WithContext(ctx)
	for _, session := range sessions {
		uploads.Go(func() error {
			_, err := r.user.Upload(uploading, session, "large.txt", bytes.NewReader(content))
			return err
		})
	}
	err = uploads.Wait()
	close(done)
	grown := max(0, <-most-before)
	if err != nil {
		return err
	}
	r.note(fmt.Sprintf("%d uploads of %s MB at once, growth of the server", r.atOnce, count(float64(r.large)/1e6)), grown, "MB", growthLimit)
	return r.forget(ctx, sessions...)
}

// mostMemory watches the server's memory until done.
func (r *reader) mostMemory(done <-chan struct{}) (most float64) {
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		if now, err := r.server.memory(); err == nil {
			most = max(most, now)
		}
		select {
		case <-done:
			return most
		case <-look.C:
		}
	}
}

// texts measures the upload of texts, and the choice of passages from one.
func (r *reader) texts(ctx context.Context) error {
	for _, script := range []string{"Latin", "Chinese"} {
		size := count(float64(r.text) / 1e6)
		r.say("texts of %s MB, %s", size, script)
		content := r.words.document(r.text, script == "Chinese")
		var uploads, answers, plain []float64
		for range r.rounds + 1 { // the first is to get warm
			sessions, err := r.sessions(ctx, 2)
			if err != nil {
				return err
			}
			took, err := timed(func() error { return r.upload(ctx, sessions[0], "text.txt", content) })
			uploads = append(uploads, took)
			if err != nil {
				return err
			}
			for _, to := range []struct {
				session string
				took    *[]float64
			}{{sessions[0], &answers}, {sessions[1], &plain}} {
				took, err := timed(func() error { return r.ask(ctx, to.session, script == "Chinese") })
				*to.took = append(*to.took, took)
				if err != nil {
					return err
				}
			}
			if err := r.forget(ctx, sessions...); err != nil {
				return err
			}
		}
		r.note(fmt.Sprintf("upload of %s MB of text, %s", size, script), median(uploads[1:]), "ms", textLimit)
		r.note(fmt.Sprintf("passages from it, %s", script), max(0, median(answers[1:])-median(plain[1:])), "ms", passagesLimit)
	}
	return nil
}

// paged measures a document with pages from its upload to an answer.
func (r *reader) paged(ctx context.Context) error {
	content, err := readSource(ctx, r.reading.paged)
	if err != nil {
		return err
	}
	name := filepath.Base(r.reading.paged)
	r.say("%s", name)
	var all []float64
	for range r.rounds + 1 { // the first is to get warm
		sessions, err := r.sessions(ctx, 1)
		if err != nil {
			return err
		}
		took, err := timed(func() error {
			if err := r.upload(ctx, sessions[0], name, content); err != nil {
				return err
			}
			return r.ask(ctx, sessions[0], false)
		})
		all = append(all, took)
		if err != nil {
			return err
		}
		if err := r.forget(ctx, sessions...); err != nil {
			return err
		}
	}
	r.note("upload of "+name+" and an answer", median(all[1:]), "ms", pagedLimit)
	return nil
}

// readSource reads a file below the sources' folder.
func readSource(ctx context.Context, name string) ([]byte, error) {
	root, err := sources(ctx)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
}

func (r *reader) upload(ctx context.Context, session, name string, content []byte) error {
	_, err := r.user.Upload(ctx, session, name, bytes.NewReader(content))
	return err
}

// ask asks a question of some words of the texts.
func (r *reader) ask(ctx context.Context, session string, chinese bool) error {
	question := strings.Join(r.words.keywords(chinese)[:8], " ")
	_, err := r.user.Send(ctx, parley.SendInput{SessionID: session, Content: question})
	return err
}

// sessions makes n empty sessions.
func (r *reader) sessions(ctx context.Context, n int) (ids []string, err error) {
	for range n {
		session, err := r.user.CreateSession(ctx, parley.CreateSessionInput{})
		if err != nil {
			return nil, err
		}
		ids = append(ids, session.SessionID)
	}
	return ids, nil
}

// forget deletes sessions with their files, and waits until the server is done with it.
func (r *reader) forget(ctx context.Context, sessions ...string) error {
	for _, session := range sessions {
		if err := r.user.DeleteSession(ctx, session); err != nil {
			return err
		}
	}
	return r.server.calm(ctx)
}

// timed is how long something took, in milliseconds.
func timed(do func() error) (float64, error) {
	begun := time.Now()
	err := do()
	return milliseconds(time.Since(begun)), err
}

// document is a text in paragraphs, of a size in bytes or a little less. Its words are as
// unequally frequent as those of real texts; so are, of Chinese, characters that meet.
func (v *vocabulary) document(size int, chinese bool) []byte {
	const sentence, paragraph = 12, 120 // words
	words, space, stop := v.words, " ", ". "
	if chinese {
		words, space, stop = v.chineseWords(), "", "。"
	}
	text := make([]byte, 0, size)
	for n := 1; len(text) < size-messageSize/10; n++ {
		text = append(text, words[v.zipf(len(words))]...)
		switch {
		case n%paragraph == 0:
			text = append(text, stop+"\n\n"...)
		case n%sentence == 0:
			text = append(text, stop...)
		default:
			text = append(text, space...)
		}
	}
	return text
}

// chineseWords are of one to four characters, the most frequent ones of one.
func (v *vocabulary) chineseWords() []string {
	const words, single = 20_000, 60
	all := make([]string, words)
	for i := range all {
		length := 1
		if i >= single {
			length = []int{1, 2, 2, 2, 2, 3, 4}[v.random.IntN(7)]
		}
		for range length {
			all[i] += string(v.symbols[v.rank(len(v.symbols))])
		}
	}
	return all
}

// zipf picks one of n, the k-th with a chance of 1/k.
func (v *vocabulary) zipf(n int) int {
	return int(math.Pow(float64(n), v.random.Float64())) - 1
}

// documents is the table of what was measured of them.
func (r *report) documents() *table {
	var t table
	t.add("documents", "measured", "limit")
	for _, d := range r.Documents {
		t.add(d.Name, number(d.Value)+" "+d.Unit, number(d.Limit)+" "+d.Unit)
	}
	return &t
}

// addRatios puts the documents of two revisions side by side.
func addRatios(t *table, base, head []documentFigure) {
	for i, d := range head {
		if i < len(base) {
			t.add(d.Name+", "+d.Unit, number(base[i].Value), number(d.Value), ratio(d.Value/base[i].Value), "", "")
		}
	}
}
