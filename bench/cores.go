package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// cores are those that a server has for itself. The load generator, and whatever else
// it starts, is on the others; a nil *cores lets everybody be on all.
type cores struct{ server, generator unix.CPUSet }

// divideCores leaves half of the cores to the server, and moves this process to the
// other half.
func divideCores() (*cores, error) {
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return nil, fmt.Errorf("cores of this process: %w", err)
	}
	if all.Count() < 2 {
		return nil, fmt.Errorf("a server and its load generator need a core each, and there is only one: --apart=false lets them share it")
	}
	c := new(cores)
	for core, taken := 0, 0; taken < all.Count(); core++ {
		if !all.IsSet(core) {
			continue
		}
		if taken < all.Count()/2 {
			c.server.Set(core)
		} else {
			c.generator.Set(core)
		}
		taken++
	}
	runtime.GOMAXPROCS(c.generator.Count())
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil, err
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			return nil, err
		}
		if err := unix.SchedSetaffinity(id, &c.generator); err != nil {
			return nil, fmt.Errorf("move to cores of its own: %w", err)
		}
	}
	return c, nil
}

// start starts a server on its cores: a process begins where the thread is that
// starts it.
func (c *cores) start(cmd *exec.Cmd) error {
	if c == nil {
		return cmd.Start()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.SchedSetaffinity(0, &c.server); err != nil {
		return fmt.Errorf("move to the server's cores: %w", err)
	}
	started := cmd.Start()
	if err := unix.SchedSetaffinity(0, &c.generator); err != nil {
		return fmt.Errorf("move back: %w", err)
	}
	return started
}
