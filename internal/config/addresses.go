package config

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
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
	return err == nil && isLoopbackHost(host)
}

func isLoopbackHost(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
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

// parsePublicURL accepts the address of a web site without a path. It strips a trailing slash.
func parsePublicURL(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" ||
		strings.TrimSuffix(s, "/") != u.Scheme+"://"+u.Host {
		return "", errors.New("must be the address of a web site, such as https://chat.example.com, without a path")
	}
	return strings.TrimSuffix(s, "/"), nil
}

// parseMailServer accepts the address of an SMTP server. Its errors don't repeat the address, which may hold a
// password.
func parseMailServer(s string) (Secret, error) {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "smtp" && u.Scheme != "smtps") || u.Hostname() == "" ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("must be of the form smtp://user:password@host:587 or smtps://user:password@host:465, " +
			"with special characters escaped")
	}
	return Secret(s), nil
}

// parseSender accepts an e-mail address, with or without a name.
func parseSender(s string) (string, error) {
	if _, err := mail.ParseAddress(s); err != nil || strings.ContainsFunc(s, unicode.IsControl) {
		return "", errors.New("must be an e-mail address, such as parley@example.com or Parley <parley@example.com>")
	}
	return s, nil
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

// parseIssuer accepts the address of a provider. It returns the address unchanged: tokens must name exactly this
// issuer.
func parseIssuer(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || !isSecure(s) {
		return "", errors.New("must be an https address, such as https://accounts.google.com; " +
			"http is only for a provider on this machine")
	}
	return s, nil
}

// isSecure reports whether an address uses HTTPS or points at this machine.
func isSecure(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http" && isLoopbackHost(u.Hostname()))
}
