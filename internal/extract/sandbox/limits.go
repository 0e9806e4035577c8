package sandbox

import (
	"os"
	"runtime/debug"
	"time"
)

// processLimits are the limits of a child.
type processLimits struct {
	// Memory is in bytes; 0 means no limit.
	Memory int64         `json:"memory"`
	Time   time.Duration `json:"time"`
}

// gcPercent is high because a child is short-lived. The memory limit still holds.
const gcPercent = 400

// apply limits this process. The parent kills it after Time; in case the parent is
// stopped, the process exits by itself after twice that.
func (l processLimits) apply() error {
	time.AfterFunc(2*l.Time, func() { os.Exit(1) })
	debug.SetGCPercent(gcPercent)
	if l.Memory > 0 {
		debug.SetMemoryLimit(l.Memory * 3 / 4)
	}
	return l.applyToProcess()
}
