package webpage

import (
	"errors"
	"net/netip"
	"slices"
)

var errForbidden = errors.New("the address is not public")

// denied are the networks that are not part of the public web, and the cloud services' addresses for their own
// machines. Link-local, private and shared networks have more of the latter. Of IPv6 only 2000::/3 is public, so the
// list needs no networks outside of it.
var denied = prefixes(
	"0.0.0.0/8",        // this network
	"10.0.0.0/8",       // private
	"100.64.0.0/10",    // shared by customers of a provider
	"127.0.0.0/8",      // loopback
	"168.63.129.16/32", // Azure's own service
	"169.254.0.0/16",   // link-local
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // protocol assignments
	"192.0.2.0/24",     // documentation
	"192.88.99.0/24",   // relays of 6to4
	"192.168.0.0/16",   // private
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/4",      // multicast
	"240.0.0.0/4",      // reserved, and broadcast
	"2001::/23",        // protocol assignments: Teredo, benchmarks, ORCHID
	"2001:db8::/32",    // documentation
	"2002::/16",        // 6to4, which can lead to any IPv4 address
	"3fff::/20",        // documentation
)

var (
	publicIPv6 = netip.MustParsePrefix("2000::/3")
	// nat64 leads to the IPv4 address in its last four bytes. Machines without IPv4 reach the IPv4 web this way.
	nat64 = netip.MustParsePrefix("64:ff9b::/96")
)

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		all[i] = netip.MustParsePrefix(text)
	}
	return all
}

// isPublic reports whether an address is part of the public web.
func isPublic(ip netip.Addr) bool {
	if ip.Zone() != "" {
		return false
	}
	ip = ip.Unmap()
	if nat64.Contains(ip) {
		bytes := ip.As16()
		ip = netip.AddrFrom4([4]byte(bytes[12:]))
	}
	if ip.Is6() && !publicIPv6.Contains(ip) {
		return false
	}
	return ip.IsValid() && !contains(denied, ip)
}

func contains(networks []netip.Prefix, ip netip.Addr) bool {
	return slices.ContainsFunc(networks, func(network netip.Prefix) bool { return network.Contains(ip) })
}

// policy decides which addresses may be called.
type policy struct {
	// allowed are networks that may be called on any port, though they are not public.
	allowed []netip.Prefix
}

// check returns errForbidden unless an address may be called.
func (p policy) check(address netip.AddrPort) error {
	if ip := address.Addr(); ip.Zone() == "" && contains(p.allowed, ip.Unmap()) {
		return nil
	}
	if isPublic(address.Addr()) && (address.Port() == 80 || address.Port() == 443) {
		return nil
	}
	return errForbidden
}
