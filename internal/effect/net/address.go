package net

import (
	"net/netip"
	"strconv"
	"strings"
	"sync"
)

// space is a range of addresses that is not the public internet. Private ones may be allowed, the others never are: no
// server worth talking to lives there, and much that answers is not meant for us.
type space struct {
	prefix  netip.Prefix
	name    string
	private bool
}

// spaces are the IANA special-purpose registries for IPv4 and IPv6, in the order in which they are asked.
var spaces = sync.OnceValue(func() []space {
	return []space{
		{netip.MustParsePrefix("0.0.0.0/8"), "an address of this network (0.0.0.0/8)", false},
		{netip.MustParsePrefix("10.0.0.0/8"), "a private address (RFC 1918)", true},
		{netip.MustParsePrefix("100.64.0.0/10"), "an address behind a carrier's NAT (RFC 6598)", true},
		{netip.MustParsePrefix("127.0.0.0/8"), loopback, true},
		{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address, where clouds keep their metadata", false},
		{netip.MustParsePrefix("172.16.0.0/12"), "a private address (RFC 1918)", true},
		{netip.MustParsePrefix("192.0.0.0/24"), "an address for protocols (RFC 6890)", false},
		{netip.MustParsePrefix("192.0.2.0/24"), "an address for documentation (RFC 5737)", false},
		{netip.MustParsePrefix("192.88.99.0/24"), "a 6to4 relay (RFC 7526)", false},
		{netip.MustParsePrefix("192.168.0.0/16"), "a private address (RFC 1918)", true},
		{netip.MustParsePrefix("198.18.0.0/15"), "an address for benchmarks (RFC 2544)", true}, // resolvers of VPNs make them up
		{netip.MustParsePrefix("198.51.100.0/24"), "an address for documentation (RFC 5737)", false},
		{netip.MustParsePrefix("203.0.113.0/24"), "an address for documentation (RFC 5737)", false},
		{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address", false},
		{netip.MustParsePrefix("240.0.0.0/4"), "a reserved or broadcast address (240.0.0.0/4)", false},

		{netip.MustParsePrefix("::/128"), "the unspecified address", false},
		{netip.MustParsePrefix("::1/128"), loopback, true},
		{netip.MustParsePrefix("64:ff9b::/96"), nat64, false},
		{netip.MustParsePrefix("64:ff9b:1::/48"), "an IPv4 address behind a local NAT64 (RFC 8215)", false},
		{netip.MustParsePrefix("2001::/32"), "a Teredo tunnel (RFC 4380)", false},
		{netip.MustParsePrefix("2001::/23"), "an address for protocols (RFC 2928)", false},
		{netip.MustParsePrefix("2001:db8::/32"), "an address for documentation (RFC 3849)", false},
		{netip.MustParsePrefix("2002::/16"), "a 6to4 tunnel (RFC 3056)", false},
		{netip.MustParsePrefix("3fff::/20"), "an address for documentation (RFC 9637)", false},
		{netip.MustParsePrefix("fc00::/7"), "a unique local address (RFC 4193)", true},
		{netip.MustParsePrefix("fe80::/10"), "a link-local address", false},
		{netip.MustParsePrefix("ff00::/8"), "a multicast address", false},
	}
})

const (
	loopback = "a loopback address"
	nat64    = "an IPv4 address behind NAT64 (RFC 6052)"
)

// placeOf names the range of an address. ok is true for the public internet, and then there is no name.
func placeOf(a netip.Addr) (s space, ok bool) {
	if a.Zone() != "" {
		return space{name: "an address with a zone"}, false
	}
	a = a.Unmap() // an IPv4-mapped address reaches what the IPv4 address reaches
	for _, s := range spaces() {
		if s.prefix.Contains(a) {
			if s.name == nat64 { // on a network of IPv6 alone, all that has only an IPv4 address is there
				b := a.As16()
				_, s.private = placeOf(netip.AddrFrom4([4]byte(b[12:])))
			}
			return s, false
		}
	}
	if a.Is6() && a.As16()[0]>>5 != 1 { // 2000::/3 is what IANA gives out; the rest is nobody's
		return space{name: "an address that nobody has"}, false
	}
	return space{}, a.IsValid()
}

// literal reads a host that is an address, in every spelling that a resolver of the system may take for one: decimal,
// octal, hexadecimal, with fewer than four parts (inet_aton; WHATWG URL standard, section 3.5). plain says that it is the
// usual spelling. A host whose last part is a number is an address or nothing: bad is true then.
func literal(host string) (a netip.Addr, plain, bad bool) {
	if a, err := netip.ParseAddr(host); err == nil {
		return a, true, false
	}
	host = strings.TrimSuffix(host, ".")
	parts := strings.Split(host, ".")
	if last := parts[len(parts)-1]; !isNumber(last) {
		return netip.Addr{}, false, false
	}
	if len(parts) > 4 {
		return netip.Addr{}, false, true
	}
	var value uint64
	for i, p := range parts {
		n, err := strconv.ParseUint(number(p))
		room := uint64(1) << 8
		if i == len(parts)-1 {
			room = 1 << (8 * (5 - len(parts)))
		}
		if !isNumber(p) || err != nil || n >= room {
			return netip.Addr{}, false, true
		}
		value = value*room + n
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), false, false
}

// isNumber says that a part of a host is a number in some base.
func isNumber(part string) bool {
	digits, base, _ := number(part)
	if part == "" {
		return false
	}
	for _, c := range strings.ToLower(digits) {
		if !(c >= '0' && c <= '9' || base == 16 && c >= 'a' && c <= 'f') {
			return false
		}
	}
	return true
}

// number are the digits, base and size that strconv wants. A part with 8 or 9 after a leading zero is no octal number, and
// then no address.
func number(part string) (digits string, base, bits int) {
	switch lower := strings.ToLower(part); {
	case lower == "0x": // which is zero
		return "0", 16, 64
	case strings.HasPrefix(lower, "0x"):
		return lower[2:], 16, 64
	case len(part) > 1 && part[0] == '0':
		return part[1:], 8, 64
	}
	return part, 10, 64
}
