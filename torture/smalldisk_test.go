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

// diskSize is that of the small disk, in bytes.
const diskSize = 24 << 20

// disk is a small disk in memory, mounted at a folder for those only who enter. A
// process that does nothing holds it; nil is the usual disk.
type disk struct{ holder *exec.Cmd }

// newDisk mounts a small disk at a folder until the test ends. Where that can't be done
// the test is skipped, unless the run is to have it.
func newDisk(t *testing.T, dir string) *disk {
	t.Helper()
	script := fmt.Sprintf(`mount -t tmpfs -o size=%d tmpfs "$0" && echo mounted && exec cat`, diskSize)
	words := append(namespaces("unshare"), "sh", "-c", script, dir)
	holder := exec.CommandContext(t.Context(), words[0], words[1:]...)
	end, err := holder.StdinPipe()
	must(t, err)
	out, err := holder.StdoutPipe()
	must(t, err)
	must(t, holder.Start())
	t.Cleanup(func() {
		end.Close()
		_ = holder.Wait() // it has nothing to say
	})
	if n, _ := out.Read(make([]byte, 16)); n == 0 {
		if os.Getenv("PARLEY_TEST_DISK") == "required" {
			t.Fatal("the small disk can't be mounted")
		}
		t.Skip("needs the right to mount a small disk, as root or in a user namespace")
	}
	return &disk{holder}
}

// namespaces is a command that makes or enters a view of the disks.
func namespaces(command string) []string {
	words := []string{command, "--mount"}
	if os.Getuid() != 0 {
		words = append(words, "--user")
		if command == "unshare" {
			words = append(words, "--map-root-user")
		}
	}
	return words
}

// enter is the words that run a program where the small disk is seen.
func (d *disk) enter() []string {
	if d == nil {
		return nil
	}
	words := append(namespaces("nsenter"), "--target", strconv.Itoa(d.holder.Process.Pid))
	if os.Getuid() != 0 {
		words = append(words, "--preserve-credentials")
	}
	return words
}

// path is where a folder of the small disk is seen from outside.
func (d *disk) path(dir string) string {
	if d == nil {
		return dir
	}
	return filepath.Join("/proc", strconv.Itoa(d.holder.Process.Pid), "root", dir)
}

// fillDisk uses up the small disk.
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
