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

// usage is the CPU time and the memory of a process.
type usage struct {
	at     time.Time
	cpu    time.Duration // user and system time since its start
	memory float64       // resident, in MB
}

func (s *server) usage() (u usage, err error) {
	dir := fmt.Sprintf("/proc/%d/", s.pid)
	stat, err := os.ReadFile(dir + "stat")
	if err != nil {
		return u, err
	}
	status, err := os.ReadFile(dir + "status")
	if err != nil {
		return u, err
	}
	u.at = time.Now()
	if u.cpu, err = parseCPUTime(stat); err != nil {
		return u, err
	}
	u.memory, err = parseMemory(status)
	return u, err
}

// parseCPUTime reads the 14th and 15th field. The second is the program's name in parentheses, which may
// hold spaces and parentheses.
func parseCPUTime(stat []byte) (time.Duration, error) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/PID/stat has only %d fields", len(fields))
	}
	user, userErr := strconv.Atoi(string(fields[11]))
	system, systemErr := strconv.Atoi(string(fields[12]))
	return time.Duration(user+system) * tick, errors.Join(userErr, systemErr)
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
