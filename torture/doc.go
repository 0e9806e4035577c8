// Package torture kills the program repeatedly under load and checks that nothing it has
// acknowledged is lost. With the same load over a longer time it looks for leaks.
//
// `make test` runs it for a few seconds, `make torture` and `make soak` for minutes. `make siege` attacks the program
// as strangers and greedy users do and checks that others are served and that its memory is bounded. `make test` runs
// some of the attacks in small.
package torture
