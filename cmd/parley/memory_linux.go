package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// forgetStartup lets go of the pages of the program itself, of which starting up has
// touched most. They are never written, so the kernel maps what is needed again from
// its cache.
func forgetStartup() error {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return err
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return err
	}
	defer maps.Close() //nolint:errcheck // it was only read
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var from, to uintptr
		var allowed string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &allowed); err != nil {
			return fmt.Errorf("read /proc/self/maps: %w", err)
		}
		if strings.Contains(allowed, "w") || !strings.HasSuffix(lines.Text(), " "+program) {
			continue
		}
		if _, _, code := syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_DONTNEED); code != 0 {
			return fmt.Errorf("let go of the program's pages: %w", code)
		}
	}
	return nil
}
