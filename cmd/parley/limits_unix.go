//go:build unix

package main

import "syscall"

// maxOpenFiles returns how many files and connections a process may open. limited is false if there is no limit.
func maxOpenFiles() (number uint64, limited bool) {
	var files syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files)
	return files.Cur, err == nil
}
