package config

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// none is the value that turns a setting off.
const (
	none = "none"
	off  = "off"
)

func parseAddr(s string) (string, error) {
	_, port, err := net.SplitHostPort(s)
	if err != nil {
		return "", fmt.Errorf("%q is not an address with a port, such as 127.0.0.1:8080", s)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", fmt.Errorf("the port of %q is not a number from 0 to 65535", s)
	}
	return s, nil
}

// parseMetricsAddr returns "" for the address of the API.
func parseMetricsAddr(s string) (string, error) {
	if s == "" || s == "same" {
		return "", nil
	}
	return parseAddr(s)
}

// parseProfileAddr accepts only loopback addresses: profiles expose memory and cost CPU time.
func parseProfileAddr(s string) (string, error) {
	if s == "" || s == off || s == none {
		return "", nil
	}
	if _, err := parseAddr(s); err != nil {
		return "", err
	}
	if !IsLoopback(s) {
		return "", fmt.Errorf("%q can be reached from elsewhere: use a loopback address, such as 127.0.0.1:6060", s)
	}
	return s, nil
}

// IsLoopback reports whether an address with a port can be reached from this machine only.
func IsLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// parseDuration accepts the format of time.ParseDuration, with days in front: 30d, 1d12h.
func parseDuration(s string) (time.Duration, error) {
	bad := fmt.Errorf("%q is not a length of time, such as 10s, 12h or 30d", s)
	count, rest, hasDays := strings.Cut(s, "d")
	if !hasDays {
		count, rest = "0", s
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

func parsePositiveDuration(s string) (time.Duration, error) {
	d, err := parseDuration(s)
	if err == nil && d == 0 {
		return 0, errors.New("must be longer than zero")
	}
	return d, err
}

// parseRetention accepts "off", or a duration of at least an hour.
func parseRetention(s string) (time.Duration, error) {
	if s == "" || s == off || s == none {
		return 0, nil
	}
	d, err := parseDuration(s)
	if err == nil && d < time.Hour {
		return 0, errors.New("must be off, or at least 1h")
	}
	return d, err
}

// sizeUnits is ordered from longer to shorter suffixes.
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

func parseTokens(s string) (int, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 256 {
		return 0, fmt.Errorf("%q is not a whole number of tokens, 256 at least", s)
	}
	return int(n), nil
}

// parseContext reads the size of a context. 0 means what the server says.
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

func parseRequests(s string) (int, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is not a number of requests above zero", s)
	}
	return int(n), nil
}

// maxScannedPages is more than a scan has that anybody waits for.
const maxScannedPages = 10_000

func parseScannedPages(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxScannedPages {
		return 0, fmt.Errorf("%q is not a number of pages from 1 to %d", s, maxScannedPages)
	}
	return n, nil
}

// parseLanguages returns none for "auto".
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

// parseConnectionsPerAddress accepts "off" too.
func parseConnectionsPerAddress(s string) (int, error) {
	if s == off {
		return NoLimit, nil
	}
	return parseConnections(s)
}

// entryRate is the limit on logins and on registrations of one address unless set otherwise.
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
		delete(targets, scope) // each once
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

func parseOrigins(s string) ([]string, error) {
	if s == "" || s == none {
		return nil, nil
	}
	origins := splitList(strings.ToLower(s))
	for _, origin := range origins {
		if origin == "*" && len(origins) == 1 {
			break
		}
		u, err := url.Parse(origin)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || origin != u.Scheme+"://"+u.Host {
			return nil, fmt.Errorf("%q is not an origin, such as https://chat.example.com; * alone is any", origin)
		}
	}
	return origins, nil
}

func parseNetworks(s string) ([]netip.Prefix, error) {
	if s == "" || s == none {
		return nil, nil
	}
	var networks []netip.Prefix
	for _, item := range splitList(s) {
		prefix, err := netip.ParsePrefix(item)
		if address, bad := netip.ParseAddr(item); bad == nil && address.Zone() == "" {
			address = address.Unmap()
			prefix, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%q is neither an address nor a network, such as 10.0.0.0/8", item)
		}
		networks = append(networks, prefix.Masked())
	}
	return networks, nil
}

// maxPages is how many results a search has at most.
const maxPages = 6

// parsePages reads how many results of a search are read.
func parsePages(s string) (int, error) {
	if s == off || s == none {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > maxPages {
		return 0, fmt.Errorf("%q is not a number of pages from 0 to %d", s, maxPages)
	}
	return n, nil
}

// parseAddress accepts an http or https URL. Its errors don't repeat the URL, which may hold a
// password.
func parseAddress(s string) (Address, error) {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return "", errors.New("must be an http or https address")
	}
	return Address(s), nil
}

// parseModelServer accepts an address, or "builtin".
func parseModelServer(s string) (Address, error) {
	if s == string(builtin) {
		return builtin, nil
	}
	address, err := parseAddress(s)
	if err != nil {
		return "", fmt.Errorf("%w, or %s", err, builtin)
	}
	return address, nil
}

// parseKey accepts a key that can be sent in an HTTP header.
func parseKey(s string) (Secret, error) {
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("holds white space or another character that no key has")
	}
	return Secret(s), nil
}

func parseDatabaseURL(s string) (Secret, error) {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
		return "", errors.New("must be of the form postgres://user:password@host/database, " +
			"with special characters escaped")
	}
	return Secret(s), nil
}

func parseFilesURL(s string) (Secret, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "s3" || u.Host == "" {
		return "", errors.New("must be of the form s3://bucket?endpoint=https://host&region=name")
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

func parseText(s string) (string, error) {
	if strings.ContainsRune(s, 0) {
		return "", errors.New("holds a NUL character")
	}
	return s, nil
}

func parsePath(s string) (string, error) {
	if s == "" || strings.ContainsRune(s, 0) {
		return "", errors.New("must name a folder")
	}
	return s, nil
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

// optional returns a parser that accepts an empty value without calling parse.
func optional[T ~string](parse func(string) (T, error)) func(string) (T, error) {
	return func(s string) (T, error) {
		if s == "" {
			return "", nil
		}
		return parse(s)
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
