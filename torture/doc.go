// Package torture kills the real program again and again under load, and makes sure
// that nothing it has acknowledged is lost.
//
// `make torture` runs it for long, `make test` for a few cycles.
package torture
