package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

const (
	// collectAt is how many percent of what is in use may be garbage before it is
	// collected: a quarter of Go's usual, so that thousands of streams take less.
	collectAt = 25
	// headroom lets a small server collect seldom: a quarter of it, 32 MB, may always be
	// garbage. Nothing ever touches it, so it takes no memory but addresses.
	headroom = 128 << 20
)

// settle gives back what only starting up needed.
func (s *server) settle() {
	debug.FreeOSMemory()
	if err := forgetStartup(); err != nil {
		s.log.Debug("memory", "error", err)
	}
}

// tuneMemory sets up the garbage collector, unless the operator has. What it returns is
// to be called in the end.
func tuneMemory() (release func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	debug.SetGCPercent(collectAt)
	reserve := make([]byte, headroom)
	return func() { runtime.KeepAlive(reserve) }
}
