package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// unprivileged makes a command run as a user without rights if the tests run as root, because root may read every
// process.
func unprivileged(cmd *exec.Cmd) *exec.Cmd {
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	return cmd
}

const nobody = 65534

func TestOtherProcessesOfTheUserCantReadTheServer(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	program := filepath.Join(folder, "parley")
	// Use cp. A link can't lead to another file system. If this process wrote the file itself, a program that another
	// test starts in the meantime would hold it open for writing, and the file could not be run.
	must(t, exec.CommandContext(t.Context(), "cp", binary, program).Run())
	must(t, os.Chmod(program, 0o755))
	must(t, os.Chmod(filepath.Dir(folder), 0o755))
	must(t, os.Chmod(folder, 0o777)) // the server makes its data folder in it
	cmd := command(t, []string{"PARLEY_DATA=" + filepath.Join(folder, "data"), "PARLEY_SYSTEM_PROMPT=hush"})
	cmd.Path, cmd.Dir = program, folder
	p := launch(t, unprivileged(cmd))
	for _, name := range []string{"environ", "mem", "maps"} {
		path := fmt.Sprintf("/proc/%d/%s", p.cmd.Process.Pid, name)
		out, err := unprivileged(exec.CommandContext(t.Context(), "head", "-c1", path)).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "Permission denied") {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
	// The server can still start its own program to read a document.
	ada := p.user("ada")
	_, err := ada.Upload(t.Context(), session(t, ada), "a.txt", strings.NewReader("a text"))
	must(t, err)
	if strings.Contains(p.said(), "level=ERROR") {
		t.Errorf("it says\n%s", p.said())
	}
}
