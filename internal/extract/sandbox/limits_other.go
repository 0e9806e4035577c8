//go:build !linux

package sandbox

// applyToProcess does nothing on systems other than Linux. There the memory limit is
// only the soft limit of the Go runtime.
func (processLimits) applyToProcess() error { return nil }

// lowerPriority does nothing: not every system has priorities.
func lowerPriority() error { return nil }

// raiseCPU does nothing: there is no limit.
func raiseCPU(int, processLimits) {}
