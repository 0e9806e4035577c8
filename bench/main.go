// Command bench measures server binaries of Parley. It starts them, drives them over HTTP on loopback,
// and reads their CPU time and memory from /proc.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"parley/client"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	var reports []*report
	if err == nil {
		reports, err = measure(ctx, o, os.Stderr)
	}
	if err == nil {
		err = printAll(os.Stdout, reports)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options are the settings of a run: what is measured, how much, and for how long.
type options struct {
	binaries    []string
	only        *regexp.Regexp // nil measures everything
	database    string         // URL of a PostgreSQL database; empty is SQLite
	limit       time.Duration  // of the whole run
	connections int
	turns       int           // of each operation; the report has the medians
	warm, turn  time.Duration // how long an operation is driven before its turns, and in each
	quiet       time.Duration // without CPU use, after which a server counts as idle
	sessions    int           // that the sessions list has
	growth      []int         // messages of a session, ascending; the first is the size for the page operation
	searchable  int           // messages of the user who searches
	files       int           // documents of that user
	streams     int
	pause       time.Duration // between the events of a stream
	window      time.Duration // of measuring the streams
	rounds      int           // of each document; the report has the medians
	text, large int           // bytes of a text, and of a large one
	uploads     int           // concurrent uploads of large texts
	pages       string        // path of a document with pages
	export      int           // bytes of an export to import
}

// quick returns options for two or three minutes with one binary.
func quick() options {
	return options{
		limit: 30 * time.Minute, connections: 32, turns: 3, warm: 300 * time.Millisecond, turn: time.Second,
		quiet:    1500 * time.Millisecond, // longer than the server waits before it indexes new messages
		sessions: 10_000, growth: []int{1_000, 10_000}, searchable: 10_000, files: 100,
		streams: 500, pause: 200 * time.Millisecond, window: 3 * time.Second,
		rounds: 2, text: 5_000_000, large: 20_000_000, uploads: 8, pages: "internal/extract/testdata/100-pages.pdf",
		export: 20_000_000,
	}
}

// full returns options for the figures in the documentation.
func full() options {
	o := quick()
	o.limit, o.turns, o.warm, o.turn = 2*time.Hour, 5, time.Second, 3*time.Second
	o.growth, o.searchable, o.files = []int{1_000, 10_000, 100_000}, 100_000, 1_000
	o.streams, o.pause, o.window, o.rounds = 9_000, time.Second, 20*time.Second, 10
	o.export = 300_000_000
	return o
}

func parse(args []string, output io.Writer) (options, error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(output)
	flags.Usage = func() {
		_, _ = fmt.Fprint(output, "usage: bench [flags] [binary…]\n\n"+
			"Measures bin/parley, or several binaries in turns. Ratios are to the first. TMPDIR chooses the disk.\n\n")
		flags.PrintDefaults()
	}
	long := flags.Bool("full", false, "more data, longer turns and 9,000 streams (about 15 minutes)")
	turns := flags.Int("turns", 0, "measure each operation in so many turns and take the medians (`number`)")
	streams := flags.Int("streams", 0, "open so many streams (`number`)")
	only := flags.String("only", "", "measure only steps that match this `pattern`, such as send|streams")
	database := flags.String("database", "", "use PostgreSQL at this `URL`, with a new database for each binary")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	o := quick()
	if *long {
		o = full()
	}
	if *turns > 0 {
		o.turns = *turns
	}
	if *streams > 0 {
		o.streams, o.pause, o.window = *streams, full().pause, full().window
	}
	if o.binaries = flags.Args(); len(o.binaries) == 0 {
		o.binaries = []string{filepath.Join("bin", "parley")}
	}
	var err error
	o.only, err = regexp.Compile(*only)
	o.database = *database
	return o, err
}

// step is a part of a run. It measures every binary.
type step struct {
	name string
	run  func(context.Context, []*candidate) error
}

func steps(o options) (chosen []step) {
	all := []step{{"start", start}}
	for _, op := range operations(o) {
		all = append(all, step{op.name, op.measure})
	}
	all = append(all, step{"completions", completions}, step{"growth, versions", versions}, step{"documents", documents},
		step{"imports", imports}, step{"streams", streams})
	for _, s := range all {
		if o.only == nil || o.only.MatchString(s.name) {
			chosen = append(chosen, s)
		}
	}
	return chosen
}

// measure runs the steps and returns a report of each binary.
func measure(ctx context.Context, o options, progress io.Writer) (reports []*report, err error) {
	ctx, cancel := context.WithTimeout(ctx, o.limit)
	defer cancel()
	dir, err := os.MkdirTemp("", "parley-bench-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	model := startModel()
	defer model.Close()
	var all []*candidate
	defer func() {
		for _, c := range all {
			err = errors.Join(err, c.close(ctx))
		}
	}()
	begun := time.Now()
	for i, binary := range o.binaries {
		c, err := newCandidate(ctx, o, binary, filepath.Join(dir, fmt.Sprint(i)), model)
		if err != nil {
			return nil, err
		}
		all, reports = append(all, c), append(reports, c.report)
	}
	for _, s := range steps(o) {
		_, _ = fmt.Fprintf(progress, "%6.1f s  %s\n", time.Since(begun).Seconds(), s.name)
		err := s.run(ctx, all)
		if len(all) > 1 && lacksOperation(err) {
			_, _ = fmt.Fprintf(progress, "%10s%s is left out, since an older binary lacks it\n", "", s.name)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return reports, nil
}

// lacksOperation reports whether a server does not know the path of a request.
func lacksOperation(err error) bool {
	var refused *statusError
	var failure *client.Error
	return errors.As(err, &refused) && refused.status == http.StatusNotFound ||
		errors.As(err, &failure) && failure.Status == http.StatusNotFound
}
