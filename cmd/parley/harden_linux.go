package main

import "golang.org/x/sys/unix"

// hideMemory keeps other processes of the same user from reading this one: its memory, its initial environment and
// its open files. It also turns off core dumps.
func hideMemory() error {
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}
