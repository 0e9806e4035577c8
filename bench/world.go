package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"parley"
	"parley/client"
)

// world is one revision under measurement: its binary, its data, its server.
type world struct {
	plan
	binary   string
	dir      string
	log      *os.File
	data     *database
	stored   *sql.DB // what its server stores
	cores    *cores  // that its server has for itself
	server   *server
	model    *helper // what its server asks
	token    string
	seed     seed
	words    *vocabulary
	profiles string // a folder for CPU profiles; empty for none
	report   *report
	progress func(format string, args ...any)
}

// step is one thing that is measured, of every revision in turn.
type step struct {
	name string
	do   func(context.Context, *world) error
}

// measure builds the working tree, and the revision to compare it with where there is
// one, and measures them. The base comes first.
func measure(ctx context.Context, p plan, o options, progress func(string, ...any)) (_ []*report, err error) {
	dir, err := os.MkdirTemp(o.dir, "parley-bench-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	root, err := sources(ctx)
	if err != nil {
		return nil, err
	}
	var worlds []*world
	defer func() {
		for _, w := range worlds {
			err = errors.Join(err, w.close(ctx))
		}
	}()
	var apart *cores
	if o.apart {
		if apart, err = divideCores(); err != nil {
			return nil, err
		}
	}
	for _, revision := range revisions(o) {
		w, err := newWorld(ctx, p, o, root, revision, filepath.Join(dir, fmt.Sprint(len(worlds))), progress)
		if err != nil {
			return nil, err
		}
		w.cores = apart
		worlds = append(worlds, w)
	}
	for _, s := range steps(p, o) {
		for _, w := range worlds {
			if err := s.do(ctx, w); err != nil {
				return nil, fmt.Errorf("%s: %w", w.report.Revision, err)
			}
		}
	}
	var reports []*report
	for _, w := range worlds {
		reports = append(reports, w.report)
	}
	return reports, nil
}

// workingTree names what is measured where nothing else is asked for.
const workingTree = "working tree"

func revisions(o options) []string {
	if o.compare == "" {
		return []string{workingTree}
	}
	return []string{o.compare, workingTree}
}

// steps are all that is measured, or what was asked for. Everything needs prepare.
func steps(p plan, o options) []step {
	all := []step{{"start", startEmpty}, {"", prepare}}
	for _, op := range operations(p) {
		all = append(all, step{op.name, op.measure})
	}
	all = append(all, step{"growth", growth}, step{"documents", documents}, step{"streams", streams})
	if p.overload > 0 {
		all = overloads(p)
	}
	return slices.DeleteFunc(all, func(s step) bool {
		return s.name != "" && o.only != nil && !o.only.MatchString(s.name)
	})
}

func newWorld(ctx context.Context, p plan, o options, root, revision, dir string, progress func(string, ...any)) (_ *world, err error) {
	w := &world{
		plan: p, dir: dir, binary: filepath.Join(dir, "parley"), words: newVocabulary(),
		profiles: o.profiles, report: newReport(revision, p), progress: progress,
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if revision != workingTree {
		checkout := filepath.Join(dir, "source")
		if err := checkOut(ctx, root, revision, checkout); err != nil {
			return nil, err
		}
		root = checkout
	}
	w.say("building")
	if err := build(ctx, root, w.binary); err != nil {
		return nil, err
	}
	info, err := os.Stat(w.binary)
	if err != nil {
		return nil, err
	}
	w.report.Binary = float64(info.Size()) / 1e6
	if w.log, err = os.Create(filepath.Join(dir, "log")); err != nil {
		return nil, err
	}
	if w.data, err = newDatabase(ctx, filepath.Join(dir, "data"), o.database); err != nil {
		return nil, errors.Join(err, w.log.Close())
	}
	return w, nil
}

func (w *world) say(format string, args ...any) {
	w.progress("%s: %s", w.report.Revision, fmt.Sprintf(format, args...))
}

// close ends everything that the world has started.
func (w *world) close(ctx context.Context) error {
	w.stop()
	if w.model != nil {
		w.model.stop()
	}
	var err error
	if w.stored != nil {
		err = w.stored.Close()
	}
	return errors.Join(err, w.data.drop(ctx), w.log.Close())
}

func (w *world) stop() {
	if w.server != nil {
		w.server.stop()
		w.server = nil
	}
}

// serve starts the server on the world's data, with a model of the given role.
func (w *world) serve(ctx context.Context, role string, o orders) (err error) {
	if w.model != nil {
		w.model.stop()
	}
	if w.model, err = startRole(ctx, role, o, w.log); err != nil {
		return err
	}
	settings := append(w.data.settings(), "PARLEY_AI_BASE_URL=http://"+w.model.address+"/v1", "PARLEY_AI_MODEL=bench")
	if w.server, err = startServer(ctx, w.cores, w.binary, w.log, settings...); err != nil {
		return err
	}
	return w.target().settle(ctx, w.indexing)
}

// target is the world's server.
func (w *world) target() target {
	return target{process: w.server.process, address: w.server.address, backlog: w.backlog, profiles: &w.server.profiles}
}

// backlog reports whether texts wait for the search index.
func (w *world) backlog(ctx context.Context) (bool, error) {
	var some bool
	if err := w.stored.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM search_queue)`).Scan(&some); err != nil {
		return false, fmt.Errorf("look at the search queue: %w", err)
	}
	return some, nil
}

// startEmpty measures the start on an empty folder, and the server that does nothing.
func startEmpty(ctx context.Context, w *world) error {
	w.say("starting on an empty folder, %d times", w.starts)
	var ready []float64
	for i := range w.starts {
		dir := filepath.Join(w.dir, fmt.Sprintf("empty%d", i))
		s, err := startServer(ctx, w.cores, w.binary, w.log, "PARLEY_DATA="+dir)
		if err != nil {
			return err
		}
		ready = append(ready, milliseconds(s.ready))
		if err = s.calm(ctx); err == nil {
			w.report.Idle, err = s.memory()
		}
		s.stop()
		if err != nil {
			return err
		}
	}
	w.report.StartEmpty = median(ready)
	return nil
}

// register makes the user, who has a first document read: for the first PDF a server
// compiles an engine, for seconds of a core, and ten seconds after its start also without
// one, which would be in the midst of what is measured.
func (w *world) register(ctx context.Context, s *server) (parley.RegisterOutput, error) {
	user, err := client.New("http://"+s.address).Register(ctx, parley.RegisterInput{Email: "bench@example.com", Password: "correct horse"})
	if err != nil {
		return user, fmt.Errorf("register: %w", err)
	}
	w.token = user.Token
	r := w.reader(s)
	content, err := readSource(ctx, r.reading.paged)
	if err != nil {
		return user, err
	}
	w.say("reading %s", filepath.Base(r.reading.paged))
	sessions, err := r.sessions(ctx, 1)
	if err == nil {
		err = r.upload(ctx, sessions[0], filepath.Base(r.reading.paged), content)
	}
	if err == nil {
		err = r.user.DeleteSession(ctx, sessions[0])
	}
	if err != nil {
		return user, fmt.Errorf("first document: %w", err)
	}
	return user, nil
}

// prepare makes a user, fills the database and starts the server on it.
func prepare(ctx context.Context, w *world) (err error) {
	s, err := startServer(ctx, w.cores, w.binary, w.log, w.data.settings()...)
	if err != nil {
		return err
	}
	user, err := w.register(ctx, s)
	s.stop()
	if err != nil {
		return err
	}
	w.say("storing %d sessions, one of %d messages", w.sessions, w.growth[len(w.growth)-1])
	if w.stored, err = w.data.open(); err != nil {
		return err
	}
	if w.seed, err = sow(ctx, w.stored, user.UserID, w.plan); err != nil {
		return err
	}
	if err := w.data.tidy(ctx, w.stored); err != nil {
		return err
	}
	if w.report.Database, err = w.data.about(ctx); err != nil {
		return err
	}
	if info, err := os.Stat(w.data.file()); err == nil {
		w.report.Stored = float64(info.Size()) / 1e6
	}
	if w.searchable > 0 {
		w.say("indexing %d messages", w.searchable)
	}
	if err := w.serve(ctx, roleModel, orders{Pieces: replyPieces()}); err != nil {
		return err
	}
	w.report.StartStored = milliseconds(w.server.ready)
	return nil
}
