// Command bench measures Parley: the real binary, driven over loopback HTTP, beside
// the floor of what any server could do in the same run.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

func main() {
	if isRole(os.Args[1:]) {
		exit(serveRole(os.Args[1], os.Stdin, os.Stdout))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options are what can be asked for on the command line.
type options struct {
	full     bool
	overload bool
	apart    bool
	json     string
	database string
	compare  string
	dir      string
	only     *regexp.Regexp
	profiles string
	streams  int
}

func parse(args []string, messages io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(messages)
	flags.BoolVar(&o.full, "full", false, "the full form: more data, longer, 9,000 streams (about ten minutes)")
	flags.BoolVar(&o.overload, "overload", false, "instead: what is left of each operation at twice its best load (4½ minutes)")
	flags.BoolVar(&o.apart, "apart", false, "give the server half of the cores and the load generator the others")
	flags.StringVar(&o.json, "json", "", "write the figures as JSON to this `file`")
	flags.StringVar(&o.database, "database", "", "measure on the PostgreSQL at this `URL`, in databases of its own")
	flags.StringVar(&o.compare, "compare", "", "measure this `revision` too, in turns, and print the ratios")
	flags.StringVar(&o.dir, "dir", "", "make the temporary folder in this `folder`, to choose the disk")
	flags.StringVar(&o.profiles, "profiles", "", "write a CPU profile of the server under each load to this `folder`")
	flags.IntVar(&o.streams, "streams", 0, "open so many streams at once instead of the form's `number`")
	flags.Func("only", "measure only what has a name that matches this `pattern`, such as send|streams", func(pattern string) (err error) {
		o.only, err = regexp.Compile(pattern)
		return err
	})
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%q: no arguments are taken, only flags", flags.Arg(0))
	}
	return o, nil
}

// run measures and prints; ctx ends everything it has started.
func run(ctx context.Context, args []string, out, progress io.Writer) error {
	o, err := parse(args, progress)
	if err != nil {
		return err
	}
	p := quick()
	switch {
	case o.overload:
		p = tooMuch()
	case o.full:
		p = full()
	}
	if o.streams > 0 {
		p = p.withStreams(o.streams)
	}
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	reports, err := measure(ctx, p, o, tell(progress))
	if err != nil {
		return err
	}
	for _, r := range reports {
		if err := r.print(out); err != nil {
			return err
		}
	}
	if len(reports) == 2 {
		if err := printRatios(out, reports[0], reports[1]); err != nil {
			return err
		}
	}
	if o.json != "" {
		return writeJSON(o.json, reports)
	}
	return nil
}

// tell says on w what is being done, and since when.
func tell(w io.Writer) func(format string, args ...any) {
	begun := time.Now()
	return func(format string, args ...any) {
		_, _ = fmt.Fprintf(w, "%5.1f s  %s\n", time.Since(begun).Seconds(), fmt.Sprintf(format, args...))
	}
}
