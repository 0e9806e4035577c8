// Package torture kills the real program again and again under load, and makes sure
// that nothing it has acknowledged is lost. The same users, at work for long, show
// whether it keeps more and more.
//
// `make torture` and `make soak` run it for long, `make test` for a few seconds.
package torture
