package chat

import (
	"time"

	"parley"
)

// expiry returns when a session or a share ends that has the given number of seconds left. 0 is never, which is the
// zero time.
func (s *Service) expiry(seconds int64) (time.Time, error) {
	if seconds == 0 {
		return time.Time{}, nil
	}
	if seconds < parley.MinExpiresIn || seconds > parley.MaxExpiresIn {
		return time.Time{}, parley.Invalid("expires_in must be 0, or from 3,600 to 315,360,000 seconds")
	}
	return s.now().Add(time.Duration(seconds) * time.Second), nil
}

// unixOrZero returns a time in Unix seconds, and 0 for the zero time.
func unixOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
