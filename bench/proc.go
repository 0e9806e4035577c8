package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

// tick is the unit of CPU time in /proc on Linux.
const tick = 10 * time.Millisecond

// cpuTime returns the user and system time that a process has taken.
func cpuTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	return parseCPUTime(stat)
}

// parseCPUTime reads the 14th and 15th field. The second is the program's name in parentheses, which may
// hold spaces and parentheses.
func parseCPUTime(stat []byte) (time.Duration, error) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/PID/stat has only %d fields", len(fields))
	}
	user, err := strconv.Atoi(string(fields[11]))
	if err != nil {
		return 0, fmt.Errorf("/proc/PID/stat: %w", err)
	}
	system, err := strconv.Atoi(string(fields[12]))
	if err != nil {
		return 0, fmt.Errorf("/proc/PID/stat: %w", err)
	}
	return time.Duration(user+system) * tick, nil
}

// residentMemory returns the resident memory of a process in MB.
func residentMemory(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	return parseMemory(status)
}

func parseMemory(status []byte) (float64, error) {
	for line := range bytes.Lines(status) {
		if value, found := bytes.CutPrefix(line, []byte("VmRSS:")); found {
			kib, err := strconv.Atoi(string(bytes.TrimSuffix(bytes.TrimSpace(value), []byte(" kB"))))
			return float64(kib) * 1024 / 1e6, err
		}
	}
	return 0, errors.New("/proc/PID/status has no VmRSS")
}
