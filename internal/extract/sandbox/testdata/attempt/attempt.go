// Package attempt does what a hostile document would do with a process that it has taken over.
package attempt

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// The results of Do, besides other errors.
const (
	Done   = "done"
	Denied = "denied"
)

// Do executes a command and its arguments, separated by blanks. It returns the result as a text.
func Do(command string) string {
	err := do(strings.Fields(command))
	switch {
	case err == nil:
		return Done
	case errors.Is(err, fs.ErrPermission):
		return Denied
	}
	return err.Error()
}

func do(command []string) error {
	name, args := command[0], command[1:]
	switch name {
	case "read":
		_, err := os.ReadFile(args[0])
		return err
	case "list":
		_, err := os.ReadDir(args[0])
		return err
	case "write":
		return os.WriteFile(filepath.Join(args[0], "written"), []byte("x"), 0o600)
	case "remove":
		return os.Remove(args[0])
	case "chmod":
		return os.Chmod(args[0], 0o777)
	case "connect":
		connection, err := (&net.Dialer{}).DialContext(context.Background(), args[0], args[1])
		if err != nil {
			return err
		}
		return connection.Close()
	case "run":
		return exec.CommandContext(context.Background(), args[0]).Run()
	case "signal":
		return syscall.Kill(number(args[0]), 0)
	case "call": // a system call with arguments
		var a [6]uintptr
		for i, arg := range args[1:] {
			a[i] = uintptr(number(arg))
		}
		_, _, errno := syscall.Syscall6(uintptr(number(args[0])), a[0], a[1], a[2], a[3], a[4], a[5])
		if errno != 0 {
			return errno
		}
		return nil
	}
	return errors.New("unknown command " + name)
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}
