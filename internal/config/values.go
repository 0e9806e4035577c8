package config

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"parley"
)

// none and off turn a setting off.
const (
	none = "none"
	off  = "off"
)

func parsePositiveDuration(s string) (time.Duration, error) {
	d, err := parley.ParseDuration(s)
	if err == nil && d == 0 {
		return 0, errors.New("must be longer than zero")
	}
	return d, err
}

// parseAuditKeep accepts 0, or a duration of at least a day.
func parseAuditKeep(s string) (time.Duration, error) {
	if s == "0" || s == off || s == none {
		return 0, nil
	}
	d, err := parley.ParseDuration(s)
	if err == nil && d > 0 && d < 24*time.Hour {
		return 0, errors.New("must be 0, or at least 1d")
	}
	return d, err
}

// sizeUnits lists longer suffixes first: "kib" also ends in "b".
var sizeUnits = []struct {
	suffix string
	bytes  int64
}{
	{"kib", 1 << 10},
	{"mib", 1 << 20},
	{"gib", 1 << 30},
	{"tib", 1 << 40},
	{"kb", 1e3},
	{"mb", 1e6},
	{"gb", 1e9},
	{"tb", 1e12},
	{"b", 1},
	{"", 1},
}

// parseSize accepts a whole number of bytes, KB, KiB and so on.
func parseSize(s string) (int64, error) {
	for _, unit := range sizeUnits {
		digits, ok := strings.CutSuffix(strings.ToLower(s), unit.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n <= 0 || n > math.MaxInt64/unit.bytes {
			break
		}
		return n * unit.bytes, nil
	}
	return 0, fmt.Errorf("%q is not a size above zero, such as 20MiB or 500MB", s)
}

func parseOptionalSize(s string) (int64, error) {
	if s == "" || s == none {
		return 0, nil
	}
	return parseSize(s)
}

// minTokens is the smallest number of tokens that a setting can have.
const minTokens = 256

func parseTokens(s string) (int, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < minTokens {
		return 0, fmt.Errorf("%q is not a whole number of tokens, %d at least", s, minTokens)
	}
	return int(n), nil
}

// parseContext reads the size of a context. 0 means that Parley asks the server.
func parseContext(s string) (int, error) {
	if s == "auto" {
		return 0, nil
	}
	return parseTokens(s)
}

func parseConnections(s string) (int, error) {
	if s == "" || s == "auto" {
		return 0, nil
	}
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is neither auto nor a number of connections above zero", s)
	}
	return int(n), nil
}

// parseLanguages returns nil for "auto".
func parseLanguages(s string) ([]string, error) {
	if s == "auto" {
		return nil, nil
	}
	languages := splitList(s)
	for _, name := range languages {
		if strings.ContainsFunc(name, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			return nil, fmt.Errorf("%q is not the name of a language, such as chi_sim", name)
		}
	}
	if len(languages) == 0 {
		return nil, errors.New("must be auto, or languages such as chi_sim,eng")
	}
	return languages, nil
}

// parseConnectionsPerAddress also accepts "off".
func parseConnectionsPerAddress(s string) (int, error) {
	if s == off {
		return NoLimit, nil
	}
	return parseConnections(s)
}

// entryRate is the default limit on logins and on registrations of one address.
var entryRate = Rate{Requests: 600, Per: time.Minute}

// parseRateLimit accepts "off", one rate for users and addresses alike, or rates by scope:
// user=60/m,address=300/m,login=10/s,register=off.
func parseRateLimit(s string) (RateLimit, error) {
	if s == "" || s == off || s == none {
		return RateLimit{}, nil
	}
	limit := RateLimit{Login: entryRate, Register: entryRate}
	if !strings.Contains(s, "=") {
		rate, err := parseRate(s)
		limit.User, limit.Address = rate, rate
		return limit, err
	}
	targets := map[string]*Rate{
		"user": &limit.User, "address": &limit.Address, "login": &limit.Login, "register": &limit.Register,
	}
	for _, part := range splitList(s) {
		scope, text, _ := strings.Cut(part, "=")
		scope, text = strings.TrimSpace(scope), strings.TrimSpace(text)
		target := targets[scope]
		if target == nil {
			return RateLimit{}, fmt.Errorf("%q is not a rate limit, such as 60/m or user=60/m,address=300/m", s)
		}
		delete(targets, scope) // each scope only once
		if text == off {
			*target = Rate{}
			continue
		}
		var err error
		if *target, err = parseRate(text); err != nil {
			return RateLimit{}, err
		}
	}
	return limit, nil
}

func parseRate(s string) (Rate, error) {
	count, unit, _ := strings.Cut(s, "/")
	n, err := strconv.ParseInt(count, 10, 32)
	per := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}[unit]
	if err != nil || n < 1 || per == 0 {
		return Rate{}, fmt.Errorf("%q is not a rate, such as 5/s, 60/m or 1000/h", s)
	}
	return Rate{Requests: int(n), Per: per}, nil
}

// parseKey accepts a key that can be sent in an HTTP header.
func parseKey(s string) (Secret, error) {
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("holds white space or another character that no key has")
	}
	return Secret(s), nil
}

// minSecretKey is the shortest secret key, in characters.
const minSecretKey = 16

func parseSecretKey(s string) (Secret, error) {
	if utf8.RuneCountInString(s) < minSecretKey {
		return "", fmt.Errorf("must have %d characters or more, such as what openssl rand -base64 32 writes", minSecretKey)
	}
	return Secret(s), nil
}

const maxName = 200

func parseName(s string) (string, error) {
	if strings.TrimSpace(s) == "" || utf8.RuneCountInString(s) > maxName || strings.ContainsFunc(s, unicode.IsControl) {
		return "", fmt.Errorf("must be a name of 1 to %d characters", maxName)
	}
	return s, nil
}

func parsePath(s string) (string, error) {
	if s == "" || strings.ContainsRune(s, 0) {
		return "", errors.New("must name a folder")
	}
	return s, nil
}

// number returns a parser for numbers of something within bounds. If most is 0, there is no upper bound.
func number(of string, least, most int) func(string) (int, error) {
	return func(s string) (int, error) {
		n, err := strconv.ParseInt(s, 10, 32)
		switch {
		case err == nil && int(n) >= least && (most == 0 || int(n) <= most):
			return int(n), nil
		case most == 0:
			return 0, fmt.Errorf("%q is not a number of %s above zero", s, of)
		default:
			return 0, fmt.Errorf("%q is not a number of %s from %d to %d", s, of, least, most)
		}
	}
}

// orOff returns a parser that accepts "off" and "none" too, as zero.
func orOff[T any](parse func(string) (T, error)) func(string) (T, error) {
	return func(s string) (zero T, err error) {
		if s == off || s == none {
			return zero, nil
		}
		return parse(s)
	}
}

// oneOf returns a parser that accepts the given words.
func oneOf(words ...string) func(string) (string, error) {
	return func(s string) (string, error) {
		if slices.Contains(words, s) {
			return s, nil
		}
		return "", fmt.Errorf("%q is not one of %s", s, strings.Join(words, ", "))
	}
}

func splitList(s string) []string {
	var items []string
	for item := range strings.SplitSeq(s, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
