package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// Command returns the command that starts this program with an argument, which must make
// it call Serve. On Linux it starts the running program even if its file was replaced.
func Command(argument string) ([]string, error) {
	if runtime.GOOS == "linux" {
		return []string{"/proc/self/exe", argument}, nil
	}
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find our own program: %w", err)
	}
	return []string{path, argument}, nil
}

// process is a running child.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.Reader
	stderr head
}

func start(command []string) (*process, error) {
	p := &process{}
	// A spare child outlives the call that starts it. Each child is ended by end.
	p.cmd = exec.CommandContext(context.Background(), command[0], command[1:]...)
	p.cmd.Env = []string{}
	p.cmd.Dir = filepath.VolumeName(os.TempDir()) + string(filepath.Separator)
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start a reader: %w", err)
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		return nil, fmt.Errorf("start a reader: %w", err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a reader: %w", err)
	}
	return p, nil
}

// kill kills the child without waiting for it; the caller must still call end.
func (p *process) kill() { _ = p.cmd.Process.Kill() }

// end kills the child and waits for it. It returns the exit error with what the child
// wrote to stderr, for the log.
func (p *process) end() error {
	p.kill()
	err := p.cmd.Wait()
	if len(p.stderr) > 0 {
		return errors.Join(err, errors.New(string(p.stderr)))
	}
	return err
}

// cpuTime returns the CPU time of a child that has ended.
func (p *process) cpuTime() time.Duration {
	if p.cmd.ProcessState == nil {
		return 0
	}
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
}

// head keeps the first bytes written to it: the beginning of a panic names the cause.
type head []byte

func (h *head) Write(p []byte) (int, error) {
	const limit = 2 << 10
	*h = append(*h, p[:min(len(p), limit-len(*h))]...)
	return len(p), nil
}
