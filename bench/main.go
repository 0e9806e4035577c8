// Command bench measures server binaries of Parley. It starts them, drives them over HTTP on loopback,
// and reads their CPU time and memory from /proc.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options are the settings of a run.
type options struct {
	plan     plan
	only     *regexp.Regexp // nil measures everything
	database string
	binaries []string
}

func parse(args []string, output io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(output)
	flags.Usage = func() {
		_, _ = fmt.Fprint(output, "usage: bench [flags] [binary…]\n\n"+
			"Measures bin/parley, or several binaries in turns. Ratios are to the first. TMPDIR chooses the disk.\n\n")
		flags.PrintDefaults()
	}
	full := flags.Bool("full", false, "more data, longer turns and 9,000 streams (about 15 minutes)")
	turns := flags.Int("turns", 0, "measure each operation in so many turns and take the medians (`number`)")
	streams := flags.Int("streams", 0, "open so many streams (`number`)")
	flags.StringVar(&o.database, "database", "", "use PostgreSQL at this `URL`, with a new database for each binary")
	flags.Func("only", "measure only steps that match this `pattern`, such as send|streams",
		func(pattern string) (err error) {
			o.only, err = regexp.Compile(pattern)
			return err
		})
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.plan = quick()
	if *full {
		o.plan = fullPlan()
	}
	if *turns > 0 {
		o.plan.turns = *turns
	}
	if *streams > 0 {
		o.plan.streams, o.plan.pause, o.plan.window = *streams, fullPlan().pause, fullPlan().window
	}
	if o.binaries = flags.Args(); len(o.binaries) == 0 {
		o.binaries = []string{filepath.Join("bin", "parley")}
	}
	return o, nil
}

// run parses the arguments, measures and writes the results.
func run(ctx context.Context, args []string, out, progress io.Writer) error {
	o, err := parse(args, progress)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	reports, err := measure(ctx, o, progress)
	if err != nil {
		return err
	}
	return printAll(out, reports)
}

// step is a part of a run. It measures every binary.
type step struct {
	name string
	run  func(context.Context, []*candidate) error
}

func steps(o options) []step {
	all := []step{{"start", startEmpty}}
	for _, op := range operations(o.plan) {
		all = append(all, step{op.name, op.measure})
	}
	all = append(all, step{"documents", documents}, step{"streams", streams})
	if o.only == nil {
		return all
	}
	var chosen []step
	for _, s := range all {
		if o.only.MatchString(s.name) {
			chosen = append(chosen, s)
		}
	}
	return chosen
}

// measure runs the steps and returns a report of each binary.
func measure(ctx context.Context, o options, progress io.Writer) (reports []*report, err error) {
	ctx, cancel := context.WithTimeout(ctx, o.plan.limit)
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
		if err := s.run(ctx, all); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return reports, nil
}
