package config

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// check compares the results of parse. It must refuse the texts in bad.
func check[T any](t *testing.T, parse func(string) (T, error), good map[string]T, bad ...string) {
	t.Helper()
	for text, want := range good {
		got, err := parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, got, plainly()); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	for _, text := range bad {
		if got, err := parse(text); err == nil {
			t.Errorf("%q was accepted as %v", text, got)
		}
	}
}

func TestSizes(t *testing.T) {
	check(t, parseSize, map[string]int64{
		"1": 1, "1B": 1, "1024": 1024, "1KB": 1000, "1KiB": 1024, "500MB": 500_000_000, "20MiB": 20 << 20, "20mib": 20 << 20,
		"20 MiB": 20 << 20, "3GB": 3_000_000_000, "3GiB": 3 << 30, "1TB": 1e12, "1TiB": 1 << 40, "8388607TiB": 8388607 << 40,
	}, "", "0", "0MiB", "-1", "-1MB", "1.5GiB", "MiB", "1XB", "1M", "1 2MB", "8388608TiB", "9223372036854775808", "0x10",
		"1e3", "20MiBKiB")
	check(t, parseOptionalSize, map[string]int64{"none": 0, "": 0, "1GB": 1e9}, "0", "unlimited")
}

func TestDurations(t *testing.T) {
	check(t, parsePositiveDuration, map[string]time.Duration{"1ns": 1, "30d": 30 * 24 * time.Hour}, "0s", "0d", "-5s")
}

func TestRateLimits(t *testing.T) {
	minute, usual := Rate{Requests: 60, Per: time.Minute}, Rate{Requests: 600, Per: time.Minute}
	check(t, parseRateLimit, map[string]RateLimit{
		"off":          {},
		"none":         {},
		"60/m":         {User: minute, Address: minute, Login: usual, Register: usual},
		"user=60/m":    {User: minute, Login: usual, Register: usual},
		"address=60/m": {Address: minute, Login: usual, Register: usual},
		"user=5/s, address=900/h": {
			User: Rate{5, time.Second}, Address: Rate{900, time.Hour}, Login: usual, Register: usual,
		},
		"login=60/m,register=off":     {Login: minute},
		"register=60/m, login = off ": {Register: minute},
		"login=600/m,register=600/m":  {Login: usual, Register: usual},
	}, "60", "60/", "/m", "0/m", "-1/m", "60/d", "60/minute", "user=", "ip=60/m", "user=60/m,60/m", "user=1/s,user=2/s",
		"login", "login=", "login=off,login=60/m",
		"60/m,5/s", "user=60/m;address=1/s")
}

func TestOrigins(t *testing.T) {
	check(t, parseOrigins, map[string][]string{
		"*":                                     {"*"},
		"none":                                  nil,
		"https://a.example":                     {"https://a.example"},
		"HTTPS://A.example":                     {"https://a.example"},
		"http://localhost:5173 ":                {"http://localhost:5173"},
		"https://a.example, https://b.example,": {"https://a.example", "https://b.example"},
	}, "a.example", "https://a.example/", "https://a.example/path", "https://", "https://u@a.example", "ftp://a.example",
		"*,https://a.example", "https://*.example,null")
}

func TestNetworks(t *testing.T) {
	prefix := netip.MustParsePrefix
	check(t, parseNetworks, map[string][]netip.Prefix{
		"none":                 nil,
		"10.0.0.1":             {prefix("10.0.0.1/32")},
		"10.1.2.3/8":           {prefix("10.0.0.0/8")},
		"::ffff:10.0.0.1":      {prefix("10.0.0.1/32")},
		"::1, 192.168.0.0/16,": {prefix("::1/128"), prefix("192.168.0.0/16")},
	}, "gateway", "10.0.0.0/33", "10.0.0", "fe80::1%eth0", "10.0.0.1:80")
}

func TestAddresses(t *testing.T) {
	check(t, parseAddr, map[string]string{
		":8080": ":8080", "127.0.0.1:0": "127.0.0.1:0", "[::1]:443": "[::1]:443",
		"localhost:80": "localhost:80",
	},
		"", "8080", "localhost", "::1:80", ":http", ":-1", ":65536", ":")
	check(t, parseProfileAddr, map[string]string{
		"off": "", "": "", "[::1]:6060": "[::1]:6060",
		"localhost:6060": "localhost:6060", "127.9.9.9:1": "127.9.9.9:1",
	}, "on", ":6060", "0.0.0.0:6060", "h.example:6060")
	check(t, parseAddress, map[string]Address{
		"http://127.0.0.1:11434/v1": "http://127.0.0.1:11434/v1", "https://u:p@h.example/v1": "https://u:p@h.example/v1",
	}, "", "h.example", "//h.example", "ftp://h.example", "http://", "http://:80", "http://h\x00", "http:h.example")
}

func TestStoreAddresses(t *testing.T) {
	check(t, parseDatabaseURL, map[string]Secret{
		"postgres://u:p@h:5432/d?sslmode=disable": "postgres://u:p@h:5432/d?sslmode=disable",
		"postgresql:///d?host=/run/postgresql":    "postgresql:///d?host=/run/postgresql",
	}, "", "h/d", "mysql://h/d", "sqlite://x", "postgres://u:p%@h/d", "host=h dbname=d")
	check(t, parseFilesURL, map[string]Secret{
		"s3://bucket": "s3://bucket",
		"s3://k:s@bucket?endpoint=http://h:1&region=r": "s3://k:s@bucket?endpoint=http://h:1&region=r",
	},
		"", "bucket", "s3://", "s3:bucket", "https://bucket", "file:///tmp")
}

func TestConnectionsPerAddress(t *testing.T) {
	check(t, parseConnectionsPerAddress, map[string]int{"auto": 0, "off": NoLimit, "12": 12}, "none", "0", "-1", "many")
}
