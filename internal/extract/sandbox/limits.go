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
	// MaxCPU is what CPU can be raised to; 0 means that it is not raised.
	MaxCPU time.Duration `json:"max_cpu"`
}

// cpuSeconds returns the CPU time in whole seconds, the unit of the kernel's limit, and what it can be
// raised to.
func (l processLimits) cpuSeconds() (now, most uint64) {
	if l.CPU == 0 {
		now = 4 * uint64(l.Time/time.Second+1) // a child may use several cores
		return now, now
	}
	now = uint64((l.CPU + time.Second - 1) / time.Second)
	return now, max(now, uint64(l.MaxCPU/time.Second))
}

// exceeded reports whether a child that has died had used up its CPU time. The figure at its exit can be a little lower
// than when the kernel killed it.
func (l processLimits) exceeded(cpu time.Duration) bool { return l.CPU > 0 && cpu >= l.CPU*3/4 }

// lowestPriority is the nice value of a child with LowPriority. It still gets a little time on a busy
// machine, because a document may come to wait for it.
const lowestPriority = 19

// gcPercent is high because a child is short-lived. The memory limit still holds.
const gcPercent = 400

// apply limits this process. The parent kills it after Time; in case the parent is
// stopped, the process exits by itself after twice that, unless exit is stopped.
func (l processLimits) apply() (exit *time.Timer, err error) {
	exit = time.AfterFunc(2*l.Time, func() { os.Exit(1) })
	debug.SetGCPercent(gcPercent)
	if l.Memory > 0 {
		debug.SetMemoryLimit(l.Memory * 3 / 4)
	}
	if l.LowPriority {
		if err := lowerPriority(); err != nil {
			return exit, err
		}
	}
	return exit, l.applyToProcess()
}
