package main

import (
	"fmt"
	"os"
	"time"
)

// progressEvery is how often a long command says how far it is.
const progressEvery = 2 * time.Second

// progress tells on standard error how far a long command is.
type progress struct {
	command string
	last    time.Time
}

func newProgress(command string) *progress {
	return &progress{command: command, last: time.Now()}
}

// tell prints the text where nothing has been printed for a while.
func (p *progress) tell(text string) {
	if time.Since(p.last) < progressEvery {
		return
	}
	p.last = time.Now()
	fmt.Fprintf(os.Stderr, "%s: %s\n", p.command, text)
}

// size is a number of bytes for people.
func size(bytes int64) string {
	const unit = 1024
	if bytes < unit {
		return fmt.Sprintf("%d B", bytes)
	}
	value, units := float64(bytes)/unit, "KMGTPE"
	for value >= unit {
		value, units = value/unit, units[1:]
	}
	return fmt.Sprintf("%.1f %ciB", value, units[0])
}
