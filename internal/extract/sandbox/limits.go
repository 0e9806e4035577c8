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

// apply limits this process. It ends itself when its time is up, so that it does not
// outlive a parent that was killed.
func (l processLimits) apply() error {
	time.AfterFunc(l.Time, func() { os.Exit(1) })
	if l.Memory > 0 {
		debug.SetMemoryLimit(l.Memory * 3 / 4)
	}
	return l.applyToProcess()
}
