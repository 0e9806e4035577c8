package sandbox

import (
	"os"
	"runtime/debug"
	"time"
)

// processLimits are what a child may use.
type processLimits struct {
	// Memory is in bytes; 0 is no limit.
	Memory int64         `json:"memory"`
	Time   time.Duration `json:"time"`
}

// gcPercent lets garbage be: the process is short, and the limit on memory still holds.
const gcPercent = 400

// apply limits this process. It ends itself when its time is up, should the parent be
// stopped and not see to it.
func (l processLimits) apply() error {
	time.AfterFunc(l.Time, func() { os.Exit(1) })
	debug.SetGCPercent(gcPercent)
	if l.Memory > 0 {
		debug.SetMemoryLimit(l.Memory * 3 / 4)
	}
	return l.applyToProcess()
}
