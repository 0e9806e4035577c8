//go:build !linux

package db

import "syscall"

// setUserTimeout does nothing on systems other than Linux. Keepalive probes find a silent
// peer there, unless data is unacknowledged.
func setUserTimeout(string, string, syscall.RawConn) error { return nil }
