// Command child is a reader for the tests: it misbehaves when told to.
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"parley/internal/extract"
	"parley/internal/extract/sandbox"
)

func main() {
	if err := sandbox.Serve(os.Stdin, os.Stdout, index); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// index does what the document says.
func index(document extract.Document) ([]byte, error) {
	order, argument, _ := strings.Cut(strings.TrimSpace(document.Text), " ")
	switch order {
	case "crash":
		panic("told to")
	case "hang":
		time.Sleep(time.Hour)
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
		return nil, fmt.Errorf("told to")
	case "environment":
		return []byte(strings.Join(os.Environ(), "\n")), nil
	case "pid":
		return fmt.Append(nil, os.Getpid()), nil
	case "say": // frames of its own, after those of the text
		answer, err := strconv.Unquote(argument)
		if err != nil {
			return nil, err
		}
		os.Stdout.WriteString(answer)
		os.Exit(0)
	}
	return []byte("index of " + document.Type), nil
}
