// Package ocr reads the text in pictures with the program Tesseract.
//
// The program runs confined, since a picture is as hostile as the document that it comes from.
// This program is started with another argument, gives up what Tesseract does not need, and then
// becomes Tesseract: see Become.
package ocr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Limits of reading one picture. A dense page of 300 dpi takes 5 s and 200 MB.
const (
	// MaxPixels is the largest picture, in pixels. A page of A4 has 8.7 million at 300 dpi.
	MaxPixels = 12_000_000
	// maxTime is by the clock, for a program that does nothing or a very busy machine.
	maxTime = 5 * time.Minute
	// maxText limits the text of a picture, in bytes. A dense page has 10 KB.
	maxText = 1 << 20
)

// ErrUnreadable is wrapped if a picture can't be read, while others may be.
var ErrUnreadable = errors.New("the picture can't be read")

// Tesseract reads pictures. It may be used by several goroutines: each call is a process.
type Tesseract struct {
	command   []string
	program   string
	folder    string
	version   string
	languages []string
}

// Config says how to run Tesseract.
type Config struct {
	// Command starts a process that must call Become with the arguments that follow.
	Command []string
	// Program is the path or the name of Tesseract.
	Program string
	// Languages are Tesseract's names of languages. If there are none, Find chooses.
	Languages []string
}

// Find looks for Tesseract and its languages. The error says why it can't be used.
func Find(ctx context.Context, config Config) (*Tesseract, error) {
	found, err := exec.LookPath(config.Program)
	if err != nil {
		return nil, fmt.Errorf("find Tesseract: %w", err)
	}
	t := &Tesseract{command: config.Command}
	if t.program, err = filepath.Abs(found); err != nil {
		return nil, fmt.Errorf("find Tesseract: %w", err)
	}
	version, err := t.run(ctx, nil, "--version")
	if err != nil {
		return nil, fmt.Errorf("ask %s for its version: %w", t.program, err)
	}
	list, err := t.run(ctx, nil, "--list-langs")
	if err != nil {
		return nil, fmt.Errorf("ask %s for its languages: %w", t.program, err)
	}
	t.version = parseVersion(version)
	installed := []string(nil)
	t.folder, installed = parseLanguages(list)
	t.languages, err = chooseLanguages(installed, config.Languages)
	return t, err
}

// Languages returns Tesseract's names of the languages that are recognized.
func (t *Tesseract) Languages() []string { return slices.Clone(t.languages) }

// String names the program, its version and its languages.
func (t *Tesseract) String() string {
	return fmt.Sprintf("Tesseract %s (%s) at %s", t.version, strings.Join(t.languages, ", "), t.program)
}

// Recognize returns the text in a PNG. If the picture can't be read, the error wraps ErrUnreadable.
func (t *Tesseract) Recognize(ctx context.Context, picture []byte) (string, error) {
	config, err := png.DecodeConfig(bytes.NewReader(picture))
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %w", ErrUnreadable, err)
	case config.Width > MaxPixels/max(config.Height, 1):
		return "", fmt.Errorf("%w: it has %d × %d pixels", ErrUnreadable, config.Width, config.Height)
	}
	text, err := t.run(ctx, picture, "stdin", "stdout", "-l", strings.Join(t.languages, "+"))
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return Join(text), nil
}

// run runs Tesseract and returns what it writes.
func (t *Tesseract) run(ctx context.Context, in []byte, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	command := append(append(t.command[1:len(t.command):len(t.command)], t.folder, t.program), args...)
	process := exec.CommandContext(ctx, t.command[0], command...)
	process.Env = []string{}
	process.Dir = "/"
	process.Stdin = bytes.NewReader(in)
	process.WaitDelay = time.Second
	text, complaint := &limitedBuffer{limit: maxText}, &head{}
	process.Stdout, process.Stderr = text, complaint
	switch err := process.Run(); {
	case text.full:
		return "", fmt.Errorf("it has more than %d bytes of text", maxText)
	case err != nil:
		return "", fmt.Errorf("%w: %q", err, *complaint)
	}
	return strings.ToValidUTF8(text.kept.String(), ""), nil
}

// head keeps the first bytes written to it: what the program complains about, for the log.
type head []byte

func (h *head) Write(p []byte) (int, error) {
	const limit = 500
	*h = append(*h, p[:min(len(p), limit-len(*h))]...)
	return len(p), nil
}

// limitedBuffer keeps the first bytes written to it, and fails when there are more.
type limitedBuffer struct {
	kept  bytes.Buffer
	limit int
	full  bool
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	n, _ := b.kept.Write(p[:min(len(p), b.limit-b.kept.Len())])
	if n < len(p) {
		b.full = true
		return n, io.ErrShortWrite
	}
	return n, nil
}
