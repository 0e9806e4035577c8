// Command child is a child process for the tests. It misbehaves as instructed by the document.
package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"parley/internal/extract/prose"
	"parley/internal/extract/sandbox"
	"parley/internal/extract/sandbox/testdata/attempt"
)

func main() {
	if err := sandbox.Serve(os.Stdin, os.Stdout, index); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// index executes the command that the document starts with.
func index(document prose.Document) ([]byte, error) {
	command, argument, _ := strings.Cut(strings.TrimSpace(document.Text), " ")
	switch command {
	case "crash":
		panic("as commanded")
	case "hang":
		time.Sleep(time.Hour)
	case "nap":
		time.Sleep(2500 * time.Millisecond)
	case "spin":
		for {
			argument += "x"
			argument = argument[1:]
		}
	case "hog":
		var all [][]byte
		for {
			block := make([]byte, 16<<20)
			for i := range block {
				block[i] = 1
			}
			all = append(all, block)
			_ = all
		}
	case "fail":
		return nil, errors.New("as commanded")
	case "environment":
		return []byte(strings.Join(os.Environ(), "\n")), nil
	case "attempt":
		return []byte(attempt.Do(argument)), nil
	case "pid":
		return fmt.Append(nil, os.Getpid()), nil
	case "say": // writes raw bytes after the text frames
		raw, err := strconv.Unquote(argument)
		if err != nil {
			return nil, err
		}
		os.Stdout.WriteString(raw)
		os.Exit(0)
	}
	return []byte("index of " + document.Type), nil
}
