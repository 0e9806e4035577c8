package torture

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// diskSize is the size of a small disk, in bytes.
const diskSize = 24 << 20

// disk is a small disk in memory. It is mounted in the mount namespace of an idle process,
// its holder. A nil disk is the machine's.
type disk struct{ holder *exec.Cmd }

// newDisk mounts a small disk at a folder until the test ends. If it can't, it skips the test, or fails it if
// PARLEY_TEST_DISK requires the disk.
func newDisk(t *testing.T, dir string) *disk {
	t.Helper()
	script := fmt.Sprintf(`mount -t tmpfs -o size=%d tmpfs "$0" && echo mounted && exec cat`, diskSize)
	args := append(namespaces("unshare"), "sh", "-c", script, dir)
	holder := exec.CommandContext(t.Context(), args[0], args[1:]...)
	end, err := holder.StdinPipe()
	must(t, err)
	out, err := holder.StdoutPipe()
	must(t, err)
	must(t, holder.Start())
	t.Cleanup(func() {
		end.Close()
		_ = holder.Wait() // its exit status does not matter
	})
	if n, _ := out.Read(make([]byte, 16)); n == 0 {
		if os.Getenv("PARLEY_TEST_DISK") == "required" {
			t.Fatal("the small disk can't be mounted")
		}
		t.Skip("needs the right to mount a small disk, as root or in a user namespace")
	}
	return &disk{holder}
}

// namespaces returns the arguments of unshare or nsenter for a mount namespace.
func namespaces(command string) []string {
	args := []string{command, "--mount"}
	if os.Getuid() != 0 {
		args = append(args, "--user")
		if command == "unshare" {
			args = append(args, "--map-root-user")
		}
	}
	return args
}

// enter returns the command prefix that runs a program in the disk's namespace.
func (d *disk) enter() []string {
	if d == nil {
		return nil
	}
	args := append(namespaces("nsenter"), "--target", strconv.Itoa(d.holder.Process.Pid))
	if os.Getuid() != 0 {
		args = append(args, "--preserve-credentials")
	}
	return args
}

// path returns the path of a folder of the disk outside its namespace.
func (d *disk) path(dir string) string {
	if d == nil {
		return dir
	}
	return filepath.Join("/proc", strconv.Itoa(d.holder.Process.Pid), "root", dir)
}

// fillDisk fills the small disk.
func fillDisk(w *world) (end func()) {
	w.Helper()
	path := filepath.Join(w.disk.path(w.dir), "filler")
	filler, err := os.Create(path)
	must(w.T, err)
	block := make([]byte, 4<<10)
	for err == nil {
		_, err = filler.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		w.Fatal(err)
	}
	must(w.T, filler.Close())
	return func() { must(w.T, os.Remove(path)) }
}
