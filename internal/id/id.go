// Package id creates and validates the identifiers of everything but users.
package id

import "github.com/google/uuid"

// New returns a new identifier: a version 7 UUID, so that later ones sort later.
func New() string {
	return uuid.Must(uuid.NewV7()).String()
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
