package webpage

import (
	"net/netip"
	"net/url"
	"testing"
)

func TestOnlyPublicAddressesMayBeCalled(t *testing.T) {
	for address, want := range map[string]bool{
		"93.184.216.34:443":         true,
		"93.184.216.34:80":          true,
		"93.184.216.34:8080":        false,
		"93.184.216.34:22":          false,
		"[2606:2800:220:1::1]:443":  true,
		"[2606:2800:220:1::1]:8443": false,
		"0.0.0.0:80":                false,
		"0.1.2.3:80":                false,
		"10.0.0.1:80":               false,
		"100.64.0.1:80":             false,
		"100.100.100.200:80":        false,
		"127.0.0.1:80":              false,
		"127.8.8.8:443":             false,
		"168.63.129.16:80":          false,
		"169.254.169.254:80":        false,
		"172.16.0.1:80":             false,
		"172.31.255.255:443":        false,
		"172.32.0.1:443":            true,
		"192.0.0.192:80":            false,
		"192.0.2.1:80":              false,
		"192.88.99.1:80":            false,
		"192.168.1.1:80":            false,
		"198.18.0.1:80":             false,
		"198.51.100.1:80":           false,
		"203.0.113.1:80":            false,
		"224.0.0.1:80":              false,
		"255.255.255.255:80":        false,
		"[::]:80":                   false,
		"[::1]:80":                  false,
		"[::7f00:1]:80":             false,
		"[::ffff:127.0.0.1]:80":     false,
		"[::ffff:10.0.0.1]:80":      false,
		"[::ffff:93.184.216.34]:80": true,
		"[64:ff9b::7f00:1]:80":      false,
		"[64:ff9b::a9fe:a9fe]:80":   false,
		"[64:ff9b::5db8:d822]:80":   true,
		"[64:ff9b:1::7f00:1]:80":    false,
		"[100::1]:80":               false,
		"[2001::1]:80":              false,
		"[2001:2::1]:80":            false,
		"[2001:db8::1]:80":          false,
		"[2002:7f00:1::]:80":        false,
		"[2002:5db8:d822::1]:80":    false,
		"[3fff::1]:80":              false,
		"[fc00::1]:80":              false,
		"[fd00:ec2::254]:80":        false,
		"[fe80::1]:80":              false,
		"[fe80::1%eth0]:80":         false,
		"[fec0::1]:80":              false,
		"[ff02::1]:80":              false,
	} {
		if got := (policy{}).check(netip.MustParseAddrPort(address)) == nil; got != want {
			t.Errorf("%s: allowed %v", address, got)
		}
	}
}

func TestAnAllowedNetworkMayBeCalledOnAnyPort(t *testing.T) {
	p := policy{[]netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd12::/16")}}
	for address, want := range map[string]bool{
		"10.1.2.3:8080":         true,
		"[::ffff:10.1.2.3]:81":  true,
		"[fd12::1]:3000":        true,
		"[fd12::1%eth0]:3000":   false,
		"10.2.0.1:80":           false,
		"93.184.216.34:443":     true,
		"93.184.216.34:8080":    false,
		"[64:ff9b::a01:203]:80": false,
	} {
		if got := p.check(netip.MustParseAddrPort(address)) == nil; got != want {
			t.Errorf("%s: allowed %v", address, got)
		}
	}
}

func TestUnusualURLsAreRefused(t *testing.T) {
	for address, want := range map[string]bool{
		"https://example.com/a?b=c":    true,
		"http://example.com:8080/":     true, // the port is checked with the address
		"http://93.184.216.34/":        true,
		"http://[2606:2800:220::1]/":   true,
		"http://1e100.net/":            true,
		"ftp://example.com/":           false,
		"file:///etc/passwd":           false,
		"gopher://example.com/":        false,
		"https:example.com":            false,
		"http:///a":                    false,
		"http://user@example.com/":     false,
		"http://a:b@example.com/":      false,
		"http://example.com./":         false,
		"http://localhost./":           false,
		"http://2130706433/":           false,
		"http://0x7f000001/":           false,
		"http://0x7f.1/":               false,
		"http://127.1/":                false,
		"http://0177.0.0.1/":           false,
		"http://1.2.3.0x4/":            false,
		"http://[::ffff:127.0.0.1]/":   false,
		"http://[::ffff:93.184.1.1]/":  false,
		"http://[fe80::1%25eth0]/":     false,
		"http://example.com%2f.local/": false,
	} {
		u, err := url.Parse(address)
		if got := err == nil && checkURL(u) == nil; got != want {
			t.Errorf("%s: allowed %v", address, got)
		}
	}
}
