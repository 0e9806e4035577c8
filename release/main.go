// Command release builds the archives of a release: the program for each system with the web client in it, checksums,
// and a list of what is in it. The same sources give the same bytes. `make release` runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// target is a system that a release is for.
type target struct{ system, architecture string }

func targets() []target {
	return []target{
		{"linux", "amd64"},
		{"linux", "arm64"},
		{"darwin", "amd64"},
		{"darwin", "arm64"},
		{"windows", "amd64"},
		{"windows", "arm64"},
	}
}

func (t target) String() string { return t.system + "/" + t.architecture }

// program returns the name of the program's file.
func (t target) program() string {
	if t.system == "windows" {
		return "parley.exe"
	}
	return "parley"
}

// documents are the files that each archive has beside the program.
func documents() []string {
	return []string{"LICENSE", "README.md", "README.zh-CN.md", "CHANGELOG.md"}
}

// release is what is built.
type release struct {
	version, commit string
	time            time.Time // of the commit; all files have it
	folder          string    // where the archives go
	only            string    // the system and architecture to build; empty is all
	log             io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		err = r.build(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func parse(args []string) (release, error) {
	r := release{log: os.Stderr}
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.StringVar(&r.version, "version", "", "the `version`, such as 0.1.0")
	flags.StringVar(&r.commit, "commit", "", "the `commit` it is built from")
	flags.StringVar(&r.folder, "out", "dist", "the `folder` for the archives; files in it are replaced")
	flags.StringVar(&r.only, "only", "", "build only this `system/architecture`")
	seconds := flags.Int64("time", 0, "the time of the commit, in Unix `seconds`")
	if err := flags.Parse(args); err != nil {
		return r, err
	}
	r.time = time.Unix(*seconds, 0).UTC()
	if r.version == "" || strings.ContainsAny(r.version, "/\\ ") {
		return r, fmt.Errorf("%q is no version: give one with --version", r.version)
	}
	return r, nil
}

// build builds and packs every target, and writes the list of components and the checksums.
func (r release) build(ctx context.Context) (err error) {
	if err := os.MkdirAll(r.folder, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "parley-release-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	var built []string // programs
	var files []string // of the release
	for _, t := range targets() {
		if r.only != "" && r.only != t.String() {
			continue
		}
		_, _ = fmt.Fprintln(r.log, "building for", t)
		program := filepath.Join(work, t.system+"-"+t.architecture, t.program())
		if err := r.compile(ctx, t, program); err != nil {
			return fmt.Errorf("build for %s: %w", t, err)
		}
		archive, err := r.pack(t, program)
		if err != nil {
			return fmt.Errorf("pack for %s: %w", t, err)
		}
		built, files = append(built, program), append(files, archive)
	}
	if len(built) == 0 {
		return fmt.Errorf("%q is no system that is built for: choose one of %v", r.only, targets())
	}
	list, err := r.listComponents(built, filepath.Join("web", "package-lock.json"))
	if err != nil {
		return fmt.Errorf("list the components: %w", err)
	}
	return r.writeChecksums(append(files, list))
}

// compile builds the program. Nothing of this machine gets into it.
func (r release) compile(ctx context.Context, t target, program string) error {
	flags := fmt.Sprintf("-s -w -X main.version=%s -X main.commit=%s", r.version, r.commit)
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags,
		"-o", program, "./cmd/parley")
	build.Env = append(os.Environ(), "GOOS="+t.system, "GOARCH="+t.architecture, "CGO_ENABLED=0", "GOFLAGS=",
		"GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
	build.Stdout, build.Stderr = r.log, r.log
	return build.Run()
}

// name returns the name of a file of the release.
func (r release) name(rest string) string { return "parley_" + r.version + "_" + rest }
