package sandbox

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

const (
	// maxFiles is enough for the standard streams, the runtime and the engine's cache.
	maxFiles = 32
	// maxFileSize is enough for the compiled PDF engine, about 20 MB.
	maxFileSize = 64 << 20
)

// applyToProcess sets the kernel's limits. Memory is RLIMIT_DATA, which counts writable
// memory. RLIMIT_AS would also count addresses that Go only reserves: with Go 1.26, a
// child that uses 50 MB has 1.6 GB of addresses and does not start with less than about
// 1 GB, while its RLIMIT_DATA count is 150 MB.
func (l processLimits) applyToProcess() error {
	now, most := l.cpuSeconds()
	if err := unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: now, Max: most}); err != nil {
		return fmt.Errorf("limit the CPU time: %w", err)
	}
	limits := map[int]uint64{
		unix.RLIMIT_CORE:   0,
		unix.RLIMIT_NOFILE: maxFiles,
		unix.RLIMIT_FSIZE:  maxFileSize,
	}
	if l.Memory > 0 {
		limits[unix.RLIMIT_DATA] = uint64(l.Memory)
	}
	for resource, limit := range limits {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("limit resource %d: %w", resource, err)
		}
	}
	return nil
}

// lowerPriority sets the priority of each thread: Linux has none for a process. A new thread gets the
// one of the thread that starts it, so it goes on until it finds no new one.
func lowerPriority() error {
	done := map[int]bool{}
	for count := -1; count < len(done); {
		count = len(done)
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return fmt.Errorf("list the threads: %w", err)
		}
		for _, thread := range threads {
			id, err := strconv.Atoi(thread.Name())
			if err != nil || done[id] {
				continue
			}
			if err := unix.Setpriority(unix.PRIO_PROCESS, id, lowestPriority); err != nil {
				return fmt.Errorf("lower the priority: %w", err)
			}
			done[id] = true
		}
	}
	return nil
}

// raiseCPU gives a child these limits instead of those that it has set itself. The child has not been
// waited for, so its id is still its own.
func raiseCPU(pid int, l processLimits) {
	now, most := l.cpuSeconds()
	_ = unix.Prlimit(pid, unix.RLIMIT_CPU, &unix.Rlimit{Cur: min(now, most), Max: most}, nil) // it may have died
}
