package parley

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// RetentionOff is the text of a retention that keeps sessions.
const RetentionOff = "off"

// RetentionDelay is how long a server uses a retention before it deletes sessions by it. A mistake can be mended
// meanwhile.
const RetentionDelay = time.Hour

// AgedSessions are the sessions that a retention deletes.
type AgedSessions struct {
	Sessions int64 `json:"sessions" doc:"Number of sessions that the retention would delete." example:"6"`
	Users    int64 `json:"users" doc:"Number of users who own them." example:"1"`
}

// UnconfirmedRetention returns the error for a change of the retention that deletes sessions and was not confirmed.
func UnconfirmedRetention(aged AgedSessions) *Error {
	return ErrRetentionUnconfirmed.WithBody(aged).Case(fmt.Sprintf("this retention deletes sessions: %d, of users: %d; "+
		"repeat the change with confirm: true; nothing is deleted within the first hour", aged.Sessions, aged.Users))
}

// ParseRetention parses how long sessions are kept after their last message, such as "90d". The empty text, "off" and
// "none" are 0, which means forever.
func ParseRetention(text string) (time.Duration, error) {
	if text == "" || text == RetentionOff || text == "none" {
		return 0, nil
	}
	d, err := ParseDuration(text)
	if err != nil || d < time.Hour {
		return 0, Invalid("retention must be off, or a length of time of at least 1h, such as 90d")
	}
	return d, nil
}

// FormatRetention returns a retention in the form that ParseRetention accepts.
func FormatRetention(d time.Duration) string {
	if d == 0 {
		return RetentionOff
	}
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} { // 720h0m0s
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// ParseDuration accepts the format of time.ParseDuration, with days in front: 30d, 1d12h.
func ParseDuration(text string) (time.Duration, error) {
	bad := fmt.Errorf("%q is not a length of time, such as 10s, 12h or 30d", text)
	count, rest, hasDays := strings.Cut(text, "d")
	if !hasDays {
		count, rest = "0", text
	}
	days, err := strconv.ParseInt(count, 10, 32)
	if err != nil || days > int64(math.MaxInt64/(24*time.Hour)) {
		return 0, bad
	}
	var d time.Duration
	if !hasDays || rest != "" {
		if d, err = time.ParseDuration(rest); err != nil {
			return 0, bad
		}
	}
	d += time.Duration(days) * 24 * time.Hour
	if d < 0 {
		return 0, bad
	}
	return d, nil
}
