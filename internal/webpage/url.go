package webpage

import (
	"net/netip"
	"net/url"
	"strings"
)

// checkURL returns errForbidden for a URL that no ordinary page has. The address behind its name is checked when it is
// called.
func checkURL(u *url.URL) error {
	host := u.Hostname()
	switch {
	case u.Scheme != "http" && u.Scheme != "https", u.User != nil, u.Opaque != "":
		return errForbidden
	case host == "", strings.HasSuffix(host, "."), strings.Contains(host, "%"):
		return errForbidden
	}
	ip, err := netip.ParseAddr(host)
	if err == nil {
		if ip.Zone() != "" || ip.Is4In6() {
			return errForbidden
		}
		return nil
	}
	if strings.Contains(host, ":") || endsInNumber(host) {
		return errForbidden
	}
	return nil
}

// endsInNumber reports whether the last label of a host is a number: some resolvers take 2130706433, 0x7f.1 and
// 0177.0.0.1 for IPv4 addresses.
func endsInNumber(host string) bool {
	label := strings.ToLower(host[strings.LastIndexByte(host, '.')+1:])
	digits, isHex := strings.CutPrefix(label, "0x")
	if isHex {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}
