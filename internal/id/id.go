// Package id creates and validates the identifiers of everything but users.
package id

import (
	"encoding/binary"
	"time"

	"github.com/google/uuid"
)

// New returns a new identifier: a version 7 UUID. Later ones sort later.
func New() string {
	return uuid.Must(uuid.NewV7()).String()
}

// At returns a new identifier of a time, to the microsecond. Later times sort later.
func At(t time.Time) string {
	random := uuid.New() // version 7 has the same variant
	made := first(t)
	copy(made[8:], random[8:])
	return made.String()
}

// Lowest returns what sorts before all identifiers of a time and after those of earlier ones, to the microsecond.
func Lowest(t time.Time) string { return first(t).String() }

// The times that an identifier can have: about 8,900 years from 1970 on.
var (
	earliest = time.Unix(0, 0)
	latest   = time.UnixMilli(1<<48 - 1)
)

// first returns the lowest version 7 UUID of a time. Its 12 bits after the version are the fraction of a millisecond.
func first(t time.Time) (made uuid.UUID) {
	if t.Before(earliest) {
		t = earliest
	}
	if t.After(latest) {
		t = latest
	}
	millis, micros := t.UnixMilli(), t.UnixMicro()%1000
	binary.BigEndian.PutUint64(made[:8], uint64(millis)<<16|7<<12|uint64(micros*4096/1000))
	made[8] = 0x80
	return made
}

// Valid reports whether s has the form of an identifier. If not, nothing with that id can exist.
func Valid(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
				return false
			}
		}
	}
	return true
}
