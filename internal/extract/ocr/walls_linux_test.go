package ocr

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"parley/internal/extract/sandbox/testdata/attempt"
)

// confined returns the results of commands in the program that stands for Tesseract.
func confined(t *testing.T, folder string, commands ...string) []string {
	t.Helper()
	tesseract := &Tesseract{command: []string{os.Args[0], becomeArgument}, program: program, folder: folder}
	out, err := tesseract.run(t.Context(), []byte(strings.Join(commands, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(out), "\n")
	if len(got) != len(commands) {
		t.Fatalf("got %q", got)
	}
	return got
}

func TestTheProgramReachesNothing(t *testing.T) {
	folder, languages := t.TempDir(), t.TempDir()
	database, language := filepath.Join(folder, "parley.db"), filepath.Join(languages, "eng.traineddata")
	for _, path := range []string{database, language} {
		if err := os.WriteFile(path, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	pid := os.Getpid()
	files := []string{
		"read " + database, "list " + folder, "read /etc/passwd", "read /proc/self/environ",
		fmt.Sprintf("read /proc/%d/environ", pid), "run /bin/true",
	}
	attempts := []string{
		"write " + folder, "write " + languages, "remove " + database, "chmod " + database,
		"connect tcp " + listener.Addr().String(), "connect udp " + listener.Addr().String(),
		fmt.Sprint("signal ", pid),
		fmt.Sprint("call ", unix.SYS_PTRACE, unix.PTRACE_SEIZE, pid),
		fmt.Sprint("call ", unix.SYS_PROCESS_VM_READV, pid),
		fmt.Sprint("call ", unix.SYS_PRLIMIT64, pid, unix.RLIMIT_CPU),
		fmt.Sprint("call ", unix.SYS_PRLIMIT64, 0, unix.RLIMIT_CPU, 1),
		fmt.Sprint("call ", unix.SYS_CLONE, int(unix.SIGCHLD)),
		fmt.Sprint("call ", unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM),
		fmt.Sprint("call ", unix.SYS_IO_URING_SETUP),
		fmt.Sprint("call ", unix.SYS_MEMFD_CREATE),
		fmt.Sprint("call ", unix.SYS_BPF),
	}
	if _, err := landlocksys.LandlockGetABIVersion(); err == nil {
		attempts = append(attempts, files...)
	}
	for i, result := range confined(t, languages, attempts...) {
		if result != attempt.Denied {
			t.Errorf("%s: %s", attempts[i], result)
		}
	}
	if got := confined(t, languages, "read "+language, "list "+languages); slices.Contains(got, attempt.Denied) {
		t.Errorf("its own languages: %q", got)
	}
}

func TestTheProgramHasLimits(t *testing.T) {
	t.Setenv("PARLEY_AI_API_KEY", "secret")
	got := confined(t, "/usr/share/tessdata", "environment",
		fmt.Sprint("limit ", unix.RLIMIT_CPU), fmt.Sprint("limit ", unix.RLIMIT_DATA),
		fmt.Sprint("limit ", unix.RLIMIT_FSIZE), fmt.Sprint("limit ", unix.RLIMIT_NOFILE),
		fmt.Sprint("limit ", unix.RLIMIT_CORE))
	want := []string{
		"OMP_THREAD_LIMIT=1 TESSDATA_PREFIX=/usr/share/tessdata", "60 60",
		fmt.Sprint(maxMemory, maxMemory), "0 0", "32 32", "0 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestABadProgramHarmsNobody(t *testing.T) {
	tesseract := &Tesseract{command: []string{os.Args[0], becomeArgument}, program: program}
	for _, command := range []string{"hog", "flood"} {
		if out, err := tesseract.run(t.Context(), []byte(command)); err == nil {
			t.Errorf("%s: got %d bytes", command, len(out))
		}
	}
}

func TestTheAllowedCallsExist(t *testing.T) {
	for _, name := range []string{"amd64", "arm64"} {
		info, err := arch.GetInfo(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range []string{"clone", "clone3", "execve", "fcntl", "ioctl", "openat", "prctl", "prlimit64"} {
			if _, found := info.SyscallNames[call]; !found {
				t.Errorf("%s does not have %s", name, call)
			}
		}
	}
	if !slices.IsSorted(allowedCalls) {
		t.Error("the calls are not sorted")
	}
}
