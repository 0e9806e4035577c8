//go:build unix

package ocr

import "syscall"

// replaceProcess runs a program in place of this one. It returns only after an error.
func replaceProcess(program string, args, environment []string) error {
	return syscall.Exec(program, append([]string{program}, args...), environment)
}
