package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stopWait is how long a process may take to end when asked to.
const stopWait = 5 * time.Second

// tick is the unit of CPU time in /proc on Linux.
const tick = 10 * time.Millisecond

// process is a program that bench has started. It ends with stop or with its context.
type process struct {
	pid   int
	end   context.CancelFunc
	ended chan struct{}
}

// start starts a program in a process group of its own, so that an interrupt reaches
// it through us and in order. Its standard error goes to log.
func start(ctx context.Context, on *cores, cmd func(context.Context) *exec.Cmd, log io.Writer) (*process, error) {
	ctx, cancel := context.WithCancel(ctx)
	c := cmd(ctx)
	c.Stderr = log
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = stopWait
	if err := on.start(c); err != nil {
		cancel()
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	p := &process{pid: c.Process.Pid, end: cancel, ended: make(chan struct{})}
	go func() {
		_ = c.Wait() // whoever needs the process finds out that it has gone
		close(p.ended)
	}()
	return p, nil
}

// stop ends the process and waits for it.
func (p *process) stop() {
	p.end()
	<-p.ended
}

// cpu is the CPU time that the process has taken so far.
func (p *process) cpu() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		return 0, err
	}
	return parseCPU(stat)
}

// parseCPU reads user and system time, the 14th and 15th field. The second is the
// program's name in parentheses, which may hold anything.
func parseCPU(stat []byte) (time.Duration, error) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/PID/stat has only %d fields", len(fields))
	}
	ticks := 0
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(string(field))
		if err != nil {
			return 0, fmt.Errorf("/proc/PID/stat: %w", err)
		}
		ticks += n
	}
	return time.Duration(ticks) * tick, nil
}

// memory is the resident memory of the process in MB.
func (p *process) memory() (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		return 0, err
	}
	return parseMemory(status)
}

func parseMemory(status []byte) (float64, error) {
	for line := range bytes.Lines(status) {
		if rest, found := bytes.CutPrefix(line, []byte("VmRSS:")); found {
			kib, err := strconv.Atoi(string(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(" kB"))))
			return float64(kib) * 1024 / 1e6, err
		}
	}
	return 0, fmt.Errorf("/proc/PID/status has no VmRSS")
}

// calm waits until the process takes no CPU time.
func (p *process) calm(ctx context.Context) error {
	const look, enough = 50 * time.Millisecond, 3
	before, err := p.cpu()
	for quiet := 0; err == nil && quiet < enough; {
		if err := pause(ctx, look); err != nil {
			return err
		}
		var now time.Duration
		if now, err = p.cpu(); now == before {
			quiet++
		} else {
			before, quiet = now, 0
		}
	}
	return err
}

// pause waits for a while, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ownCPU is the CPU time that the load generator has taken so far.
func ownCPU() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("own CPU time: %w", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}

// spending is the CPU time that a process and the load generator have taken at a moment.
type spending struct {
	at           time.Time
	process, own time.Duration
}

func spent(p *process) (spending, error) {
	process, err := p.cpu()
	if err != nil {
		return spending{}, fmt.Errorf("the server is gone: %w", err)
	}
	own, err := ownCPU()
	return spending{at: time.Now(), process: process, own: own}, err
}

// loadAverage says how busy the machine was in the last minute: other programs take
// from every figure but the CPU times.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	minute, _, _ := strings.Cut(string(text), " ")
	return minute
}

// descriptorsFor reports whether a process may have so many files and connections open.
func descriptorsFor(n int) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("limit of descriptors: %w", err)
	}
	if limit.Max < uint64(n) {
		return fmt.Errorf("%d descriptors are needed, %d allowed: raise the limit (ulimit -Hn)", n, limit.Max)
	}
	return nil
}
