package main

import (
	"cmp"
	"runtime"
	"syscall"
	"time"

	"parley/internal/limit"
)

const (
	// slotsPerCore is how many requests are worked on at once for each core: enough for
	// commits to be shared and for every connection to the database.
	slotsPerCore = 32
	// groupPerCore is how many requests are begun before the network is looked at again.
	groupPerCore = 32
	// targetWait is the longest that a request should wait to be worked on, and maxWait
	// the longest that it does.
	targetWait = 100 * time.Millisecond
	maxWait    = time.Second
	// stallTime is how long a reader may take nothing of its answer.
	stallTime = 30 * time.Second
	// maxBodies is what JSON bodies may take together, but for the first freeBody bytes of
	// each: strangers can send bodies too, to log in.
	maxBodies = 64 << 20
	freeBody  = 16 << 10
	// usualConnections is what one process takes where it may have enough files open.
	usualConnections = 16_384
)

func newGate() *limit.Gate {
	return limit.NewGate(slotsPerCore*runtime.GOMAXPROCS(0), targetWait, maxWait)
}

// maxConnections leaves half of the descriptors for models, the database and files: a
// stream needs one for its reader and may need one for its model.
func (s *server) maxConnections() int {
	most := usualConnections
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err == nil && files.Cur/2 < uint64(most) {
		most = max(1, int(files.Cur/2))
	}
	return cmp.Or(s.settings.HTTP.MaxConnections, most)
}
