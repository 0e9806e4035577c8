//go:build !linux

package sandbox

import (
	"fmt"
	"syscall"
)

// applyToProcess does nothing on systems other than Linux. There the memory limit is
// only the soft limit of the Go runtime.
func (processLimits) applyToProcess() error { return nil }

func lowerPriority() error {
	if err := syscall.Setpriority(syscall.PRIO_PROCESS, 0, lowestPriority); err != nil {
		return fmt.Errorf("lower the priority: %w", err)
	}
	return nil
}
