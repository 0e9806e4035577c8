// Command program stands for Tesseract in the tests. It executes the commands of its input, one a
// line, and prints their results.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"

	"parley/internal/extract/sandbox/testdata/attempt"
)

func main() {
	commands := bufio.NewScanner(os.Stdin)
	for commands.Scan() {
		command, argument, _ := strings.Cut(commands.Text(), " ")
		switch command {
		case "environment":
			fmt.Println(strings.Join(os.Environ(), " "))
		case "limit":
			var number int
			var limit syscall.Rlimit
			fmt.Sscan(argument, &number)
			if err := syscall.Getrlimit(number, &limit); err != nil {
				fmt.Println(err)
				continue
			}
			fmt.Println(limit.Cur, limit.Max)
		case "spin":
			for {
				argument += "x"
				argument = argument[1:]
			}
		case "hog":
			var all [][]byte
			for {
				all = append(all, []byte(strings.Repeat("x", 16<<20)))
				_ = all
			}
		case "flood":
			for {
				fmt.Println("a line of a text that has no end")
			}
		default:
			fmt.Println(attempt.Do(commands.Text()))
		}
	}
}
