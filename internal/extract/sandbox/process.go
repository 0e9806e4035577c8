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

// Command is how to start a child of this program itself, with the argument that makes
// it one. On Linux it is the very program that runs, even where its file was replaced
// since.
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
	errors tail
}

func start(command []string) (*process, error) {
	p := &process{}
	// The process outlives the request that started it ahead; end is called for each.
	p.cmd = exec.CommandContext(context.Background(), command[0], command[1:]...)
	p.cmd.Env = []string{}
	p.cmd.Dir = filepath.VolumeName(os.TempDir()) + string(filepath.Separator)
	p.cmd.Stderr = &p.errors
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

// kill ends the child at once; end still has to be called.
func (p *process) kill() { _ = p.cmd.Process.Kill() }

// end kills the child and says how it ended before that, for the log.
func (p *process) end() error {
	p.kill()
	err := p.cmd.Wait()
	if said := p.errors.String(); said != "" {
		return errors.Join(err, errors.New(said))
	}
	return err
}

// tail keeps the beginning of what a child complains about, which names the cause.
type tail struct{ kept []byte }

func (t *tail) Write(p []byte) (int, error) {
	const most = 2 << 10
	t.kept = append(t.kept, p[:min(len(p), most-len(t.kept))]...)
	return len(p), nil
}

func (t *tail) String() string { return string(t.kept) }
