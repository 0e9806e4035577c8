package ocr

import (
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Limits of the process, as the kernel enforces them.
const (
	maxCPU    = time.Minute
	maxMemory = 768 << 20 // as RLIMIT_DATA
	maxFiles  = 32        // open at once
	// niceness leaves the cores to the server if it needs them.
	niceness = 10
)

// confine limits this process for good. What the kernel does not have is skipped: the server warns
// about it at its start, since the readers of documents have the same walls.
func confine(program, folder string) error {
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, niceness) // can't fail with these arguments
	for resource, limit := range map[int]uint64{
		unix.RLIMIT_CORE:   0,
		unix.RLIMIT_FSIZE:  0,
		unix.RLIMIT_NOFILE: maxFiles,
		unix.RLIMIT_CPU:    uint64(maxCPU / time.Second),
		unix.RLIMIT_DATA:   maxMemory,
	} {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("limit resource %d: %w", resource, err)
		}
	}
	if version, err := landlocksys.LandlockGetABIVersion(); err == nil && version >= 1 {
		if err := denyOtherFiles(program, folder); err != nil {
			return fmt.Errorf("landlock: %w", err)
		}
	}
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		return nil
	}
	return denyCalls()
}

// denyOtherFiles denies everything that the kernel's Landlock knows but reading the program, its
// libraries and its languages.
func denyOtherFiles(program, folder string) error {
	libraries := landlock.RODirs("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib",
		filepath.Join(filepath.Dir(program), "..", "lib"))
	rules := []landlock.Rule{
		landlock.ROFiles(program),
		libraries.IgnoreIfMissing(),
		landlock.ROFiles("/etc/ld.so.cache", "/etc/ld.so.preload").IgnoreIfMissing(),
	}
	if folder != "" {
		rules = append(rules, landlock.RODirs(folder).IgnoreIfMissing())
	} else { // the process is asked which folder it is
		rules = append(rules, landlock.RODirs("/usr/share", "/usr/local/share",
			filepath.Join(filepath.Dir(program), "..", "share")).IgnoreIfMissing())
	}
	return landlock.V11.BestEffort().Restrict(rules...)
}

// allowedCalls are the system calls of a program that reads files and computes in threads. None of them can write a
// file, open a socket, or reach another process. Each architecture has most of them.
var allowedCalls = []string{
	"access", "arch_prctl", "brk", "clock_getres", "clock_gettime", "clock_nanosleep", "close", "dup", "dup2", "dup3",
	"epoll_create1", "epoll_ctl", "epoll_pwait", "eventfd2", "execve", "exit", "exit_group", "faccessat", "faccessat2",
	"fadvise64", "fstat", "fstatfs", "futex", "getcwd", "getdents64", "getegid", "geteuid", "getgid", "getpid",
	"getrandom", "getrusage", "gettid", "gettimeofday", "getuid", "lseek", "lstat", "madvise", "mmap",
	"mprotect", "mremap", "munmap", "nanosleep", "newfstatat", "pipe2", "poll", "ppoll", "pread64", "read",
	"readlink", "readlinkat", "readv", "restart_syscall", "rseq", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn",
	"sched_getaffinity", "sched_yield", "set_robust_list", "set_tid_address", "sigaltstack", "stat", "statfs", "statx",
	"sysinfo", "times", "uname", "write", "writev",
}

// denyCalls lets all other system calls fail with EPERM. It also sets no_new_privs.
func denyCalls() error {
	info, err := arch.GetInfo(runtime.GOARCH)
	if err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	var known []string
	for _, name := range allowedCalls {
		if _, found := info.SyscallNames[name]; found {
			known = append(known, name)
		}
	}
	// The filter applies to all threads, but no_new_privs has to be set in the thread that loads it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := seccomp.LoadFilter(seccomp.Filter{
		NoNewPrivs: true,
		Flag:       seccomp.FilterFlagTSync,
		Policy:     callPolicy(info, known),
	}); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	return nil
}

func callPolicy(info *arch.Info, allowed []string) seccomp.Policy {
	const writing = unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC
	conditions := []seccomp.NameWithConditions{
		when("clone", 0, seccomp.BitsSet, unix.CLONE_THREAD), // threads, but no processes
		when("openat", 2, seccomp.BitsNotSet, writing),
		when("fcntl", 1, seccomp.Equal, unix.F_GETFL),
		when("fcntl", 1, seccomp.Equal, unix.F_SETFL),
		when("fcntl", 1, seccomp.Equal, unix.F_GETFD),
		when("fcntl", 1, seccomp.Equal, unix.F_SETFD),
		when("ioctl", 1, seccomp.Equal, unix.TCGETS),     // whether a file is a terminal
		when("prctl", 0, seccomp.Equal, unix.PR_SET_VMA), // names of memory areas
		{Name: "prlimit64", Conditions: seccomp.ArgumentConditions{ // to read its own limits
			{Argument: 0, Operation: seccomp.Equal, Value: 0},
			{Argument: 2, Operation: seccomp.Equal, Value: 0},
		}},
	}
	if _, found := info.SyscallNames["open"]; found {
		conditions = append(conditions, when("open", 1, seccomp.BitsNotSet, writing))
	}
	return seccomp.Policy{
		DefaultAction: seccomp.ActionErrno, // EPERM
		Syscalls: []seccomp.SyscallGroup{
			{Action: seccomp.ActionAllow, Names: allowed, NamesWithCondtions: conditions},
			// The C library falls back to clone. A filter can see its flags.
			{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: []string{"clone3"}},
		},
	}
}

// when matches a system call if one of its arguments fulfills a condition.
func when(name string, argument int, operation seccomp.Operation, value uint64) seccomp.NameWithConditions {
	return seccomp.NameWithConditions{
		Name:       name,
		Conditions: seccomp.ArgumentConditions{{Argument: uint32(argument), Operation: operation, Value: value}},
	}
}
