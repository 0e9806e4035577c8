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
	// CPU is the CPU time of all threads; 0 means a multiple of Time.
	CPU time.Duration `json:"cpu"`
	// LowPriority lets all other processes go first.
	LowPriority bool `json:"low_priority"`
}

// cpuSeconds returns the CPU time in whole seconds, the unit of the kernel's limit.
func (l processLimits) cpuSeconds() uint64 {
	if l.CPU > 0 {
		return uint64((l.CPU + time.Second - 1) / time.Second)
	}
	return 4 * uint64(l.Time/time.Second+1) // a child may use several cores
}

// exceeded reports whether a child that has died had used up its CPU time. The figure of its exit
// can be a little below the one at which the kernel has killed it.
func (l processLimits) exceeded(cpu time.Duration) bool { return l.CPU > 0 && cpu >= l.CPU*3/4 }

// lowestPriority is the nice value of a child with LowPriority. It still gets a little time on a busy
// machine, because a document may come to wait for it.
const lowestPriority = 19

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
	if l.LowPriority {
		if err := lowerPriority(); err != nil {
			return err
		}
	}
	return l.applyToProcess()
}
