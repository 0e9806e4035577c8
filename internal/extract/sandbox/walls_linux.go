package sandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// raiseWalls confines this process, all of its threads, for good. A wall that the kernel does not
// have is skipped: the server warns about it at its start.
func raiseWalls() Walls {
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // can't fail with these arguments
	return Walls{Landlock: reason(denyFiles()), Seccomp: reason(denyCalls())}
}

func reason(err error) string {
	if err != nil {
		return err.Error()
	}
	return ""
}

// denyFiles denies everything that the kernel's Landlock knows, with no exception. Files that are
// open stay usable.
func denyFiles() error {
	if version, err := landlocksys.LandlockGetABIVersion(); err != nil || version < 1 {
		return fmt.Errorf("the kernel does not have it, or it is not enabled: %w", err)
	}
	return landlock.V11.BestEffort().Restrict()
}

// allowedCalls are the system calls of Go's runtime once it has started, and of the C library's
// threads in a program with cgo. They act on this process and on open files only. They have the
// same names and arguments on the architectures of denyCalls.
var allowedCalls = []string{
	"brk", "clock_gettime", "clock_nanosleep", "close", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2",
	"eventfd2", "exit", "exit_group", "futex", "getpid", "getrandom", "gettid", "gettimeofday", "madvise", "mmap",
	"mprotect", "mremap", "munmap", "nanosleep", "pipe2", "pread64", "read", "restart_syscall", "rseq",
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sched_getaffinity", "sched_yield", "set_robust_list",
	"sigaltstack", "write",
}

// denyCalls lets all system calls fail with EPERM but those that Go's runtime needs. It also sets
// no_new_privs.
func denyCalls() error {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		return errors.New("there is no list of system calls for " + runtime.GOARCH)
	}
	// The filter applies to all threads, but no_new_privs has to be set in the thread that loads it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return seccomp.LoadFilter(seccomp.Filter{
		NoNewPrivs: true,
		Flag:       seccomp.FilterFlagTSync,
		Policy:     callPolicy(os.Getpid()),
	})
}

func callPolicy(pid int) seccomp.Policy {
	return seccomp.Policy{
		DefaultAction: seccomp.ActionErrno, // EPERM
		Syscalls: []seccomp.SyscallGroup{
			{Action: seccomp.ActionAllow, Names: allowedCalls, NamesWithCondtions: []seccomp.NameWithConditions{
				only("clone", 0, seccomp.BitsSet, unix.CLONE_THREAD), // threads, but no processes
				only("tgkill", 0, seccomp.Equal, uint64(pid)),        // the scheduler's signals
				only("fcntl", 1, seccomp.Equal, unix.F_GETFL),        // not F_SETOWN, which has others signaled
				only("fcntl", 1, seccomp.Equal, unix.F_SETFL),
				only("prctl", 0, seccomp.Equal, unix.PR_SET_VMA), // names of memory areas
			}},
			// The C library falls back to clone. A filter can see its flags.
			{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: []string{"clone3"}},
		},
	}
}

// only matches a system call if an argument, counted from 0, fulfills a condition.
func only(name string, argument uint32, operation seccomp.Operation, value uint64) seccomp.NameWithConditions {
	return seccomp.NameWithConditions{
		Name:       name,
		Conditions: seccomp.ArgumentConditions{{Argument: argument, Operation: operation, Value: value}},
	}
}
