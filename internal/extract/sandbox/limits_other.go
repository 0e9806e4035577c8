//go:build !linux

package sandbox

// applyToProcess has nothing to ask of systems other than Linux: there the limit on
// memory is only what the Go runtime strives for.
func (processLimits) applyToProcess() error { return nil }
