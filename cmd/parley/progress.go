package main

import (
	"fmt"
	"os"
	"time"
)

// progressInterval is the shortest time between two lines of progress.
const progressInterval = 2 * time.Second

// progress prints the progress of a long command to standard error.
type progress struct {
	command string
	last    time.Time
}

func newProgress(command string) *progress {
	return &progress{command: command, last: time.Now()}
}

// print prints the text, at most once per interval.
func (p *progress) print(text string) {
	if time.Since(p.last) < progressInterval {
		return
	}
	p.last = time.Now()
	fmt.Fprintf(os.Stderr, "%s: %s\n", p.command, text)
}
