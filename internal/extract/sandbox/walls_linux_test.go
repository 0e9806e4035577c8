package sandbox

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"parley/internal/extract/sandbox/testdata/attempt"
)

// surroundings are what a hostile document finds around its child.
type surroundings struct {
	folder, database string
	tcp, udp, socket string
}

func newSurroundings(t *testing.T) surroundings {
	t.Helper()
	s := surroundings{folder: t.TempDir()}
	s.database = filepath.Join(s.folder, "parley.db")
	s.socket = filepath.Join(s.folder, "socket")
	if err := os.WriteFile(s.database, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	packets, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	local, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", s.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close(); packets.Close(); local.Close() })
	s.tcp, s.udp = listener.Addr().String(), packets.LocalAddr().String()
	return s
}

// fileAttempts are the attempts that Landlock denies in all its versions.
func (s surroundings) fileAttempts() []string {
	return []string{
		"read " + s.database,
		"list " + s.folder,
		"write " + s.folder,
		"remove " + s.database,
		fmt.Sprintf("read /proc/%d/environ", os.Getpid()),
		"read /proc/self/environ",
		"run /bin/true",
	}
}

func (s surroundings) attempts() []string {
	pid := os.Getpid()
	return append(s.fileAttempts(),
		"chmod "+s.database,
		"connect tcp "+s.tcp,
		"connect udp "+s.udp,
		"connect unix "+s.socket,
		fmt.Sprint("signal ", pid),
		fmt.Sprint("call ", unix.SYS_TGKILL, pid, pid, 0),
		fmt.Sprint("call ", unix.SYS_PTRACE, unix.PTRACE_SEIZE, pid),
		fmt.Sprint("call ", unix.SYS_PROCESS_VM_READV, pid),
		fmt.Sprint("call ", unix.SYS_FCNTL, 1, unix.F_SETOWN, pid),
		fmt.Sprint("call ", unix.SYS_FCNTL, unix.F_GETFL, unix.F_SETOWN, pid), // a file with the number of a command
		fmt.Sprint("call ", unix.SYS_FCNTL, unix.F_SETFL, unix.F_SETOWN, pid),
		fmt.Sprint("call ", unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 1),
		fmt.Sprint("call ", unix.SYS_PRLIMIT64, 0, unix.RLIMIT_DATA),
		fmt.Sprint("call ", unix.SYS_CLONE, int(unix.SIGCHLD)),
		fmt.Sprint("call ", unix.SYS_MEMFD_CREATE),
		fmt.Sprint("call ", unix.SYS_IO_URING_SETUP),
		fmt.Sprint("call ", unix.SYS_BPF),
		fmt.Sprint("call ", unix.SYS_KEYCTL),
		fmt.Sprint("call ", unix.SYS_UNSHARE),
		fmt.Sprint("call ", unix.SYS_PIDFD_OPEN, pid),
		"call 9999", // of a newer kernel
	)
}

// report writes a line for the summary of scripts/test.
func report(t *testing.T, walls Walls) {
	t.Helper()
	path := os.Getenv("PARLEY_TEST_REPORT")
	if path == "" {
		return
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text := "the walls around documents were tested with Landlock and seccomp"
	if missing := walls.Missing(); missing != nil {
		text = "walls around documents were not tested: " + strings.Join(missing, "; ")
	}
	if _, err := fmt.Fprintln(file, "walls", text); err != nil {
		t.Fatal(err)
	}
}

func TestAChildReachesNothing(t *testing.T) {
	pool := newPool(t, nil)
	walls, err := pool.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	report(t, walls)
	if walls.Seccomp != "" {
		t.Skip("this kernel does not have it all: ", walls.Missing())
	}
	around := newSurroundings(t)
	attempts := append(around.attempts(), "list "+pool.config.Cache, "write "+pool.config.Cache)
	for _, command := range attempts {
		if got := read(t, pool, "attempt "+command, "a.txt"); got.err != nil || got.index != attempt.Denied {
			t.Errorf("%s: %s, %v", command, got.index, got.err)
		}
	}
	if text, err := os.ReadFile(around.database); err != nil || string(text) != "secret" {
		t.Errorf("the database is %q, %v", text, err)
	}
}

// behind executes commands in a process that has only one wall. It returns their results.
func behind(t *testing.T, wall string, commands []string) []string {
	t.Helper()
	process := exec.CommandContext(t.Context(), os.Args[0])
	process.Env = []string{wallVariable + "=" + wall}
	process.Stdin = strings.NewReader(strings.Join(commands, "\n"))
	out, err := process.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// behindWall is the process of behind. It returns its exit code.
func behindWall(wall string) int {
	commands, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = map[string]func() error{"landlock": denyFiles, "seccomp": denyCalls}[wall]()
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for command := range strings.Lines(string(commands)) {
		fmt.Println(attempt.Do(command))
	}
	return 0
}

func TestEachWallStandsAlone(t *testing.T) {
	around := newSurroundings(t)
	for wall, commands := range map[string][]string{
		"landlock": around.fileAttempts(),
		"seccomp":  around.attempts(),
	} {
		t.Run(wall, func(t *testing.T) {
			if _, err := landlocksys.LandlockGetABIVersion(); err != nil && wall == "landlock" {
				t.Skip("this kernel does not have it: ", err)
			}
			got := behind(t, wall, commands)
			if len(got) != len(commands) {
				t.Fatalf("got %q", got)
			}
			for i, command := range commands {
				if got[i] != attempt.Denied {
					t.Errorf("%s: %s", command, got[i])
				}
			}
		})
	}
}

func TestEveryArchitectureHasTheAllowedCalls(t *testing.T) {
	for _, name := range []string{"amd64", "arm64"} {
		info, err := arch.GetInfo(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range allowedCalls {
			if _, found := info.SyscallNames[call]; !found {
				t.Errorf("%s does not have %s", name, call)
			}
		}
	}
	if !slices.IsSorted(allowedCalls) {
		t.Error("the calls are not sorted")
	}
}

func TestMissingWallsAreNamed(t *testing.T) {
	got := Walls{Landlock: "too old", Seccomp: "not built in"}.Missing()
	if want := []string{"landlock: too old", "seccomp: not built in"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := (Walls{}).Missing(); got != nil {
		t.Errorf("got %q", got)
	}
}
