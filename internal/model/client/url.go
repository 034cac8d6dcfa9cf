package client

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Address is the URL of a remote server as far as it is written out. A reference or a placeholder in it stands for
// text that only the client, or a person, knows.
type Address struct {
	Scheme string // lower case
	// Host is in lower case, without port, brackets and dots at the end; "" where a reference is part of it.
	Host string
	Port string // "" when there is none, or a reference is part of it
	// Path begins with a slash, or is "". Query and fragment are not part of it.
	Path string
	// References says that the text holds one, in the grammar of any client.
	References bool
}

// Address is the entry's URL as RemoteURL reads it, read once.
func (s *Server) Address() (a Address, ok bool) {
	d := s.shared()
	if !d.addressDone {
		d.addressDone = true
		d.address, d.addressOK = RemoteURL(s.URL.Value)
	}
	return d.address, d.addressOK
}

// RemoteURL reads an address. It is stricter than net/url where clients are: the scheme needs its two slashes, blanks
// around the text are a fault, and so is a port or an IPv4 address out of range. Percent escapes in the path are
// not judged, as browsers and Node do not judge them. ok is false for what is no URL, and for a text whose scheme or
// authority is not written out; Address.References tells the two apart.
func RemoteURL(s string) (a Address, ok bool) {
	t := written(s)
	a.References = t != s
	scheme, rest, found := strings.Cut(t, "://")
	if !found || !schemeName(scheme) || strings.TrimSpace(s) != s || strings.ContainsFunc(s, control) {
		return a, false
	}
	a.Scheme = strings.ToLower(scheme)
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	path, _, _ := strings.Cut(rest[end:], "#")
	a.Path, _, _ = strings.Cut(path, "?")
	authority := rest[strings.LastIndexByte(rest[:end], '@')+1 : end]
	if a.Scheme == "unix" || a.Scheme == "pipe" {
		return a, authority != "" || a.Path != "" // a socket has a path and no host
	}
	if strings.Contains(authority, unknown) {
		host, port, _ := strings.Cut(authority, ":")
		if !strings.Contains(host, unknown) && !strings.HasPrefix(host, "[") {
			a.Host = plainHost(host)
		}
		if !strings.Contains(port, unknown) {
			a.Port = port
		}
		return a, a.Host != ""
	}
	host, port := authority, ""
	if strings.ContainsFunc(authority, func(r rune) bool { return r != '.' && r != '-' && !alphanumeric(r) }) {
		u, err := url.Parse(a.Scheme + "://" + authority + "/")
		if err != nil {
			return a, false
		}
		host, port = u.Hostname(), u.Port()
	}
	if host = plainHost(host); host == "" {
		return a, false
	}
	a.Host, a.Port = host, port
	if port != "" {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return a, false
		}
	}
	switch {
	case strings.HasPrefix(authority, "["):
		_, err := netip.ParseAddr(a.Host)
		return a, err == nil
	case strings.ContainsAny(a.Host, ":<>^|\""): // net/url lets some of them pass
		return a, false
	case endsInNumber(a.Host):
		_, v4 := ipv4(a.Host)
		return a, v4
	}
	return a, true
}

func schemeName(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if (c < 'a' || c > 'z') && (i == 0 || (s[i] < '0' || s[i] > '9') && !strings.ContainsRune("+.-", rune(s[i]))) {
			return false
		}
	}
	return s != ""
}

func alphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

func control(r rune) bool { return r < ' ' || r == 0x7F }

func plainHost(h string) string { return strings.TrimRight(strings.ToLower(h), ".") }

// Loopback says whether a host is the machine itself: localhost and the names below it, 127.0.0.0/8 in every
// spelling of inet_aton (127.1, 0x7f000001, 2130706433), ::1, an IPv4 address mapped into IPv6, and the unspecified
// addresses 0.0.0.0 and ::, which connect to the machine too. host may have brackets and a last dot.
func Loopback(host string) bool {
	h := plainHost(strings.Trim(host, "[]"))
	if h == "localhost" || strings.HasSuffix(h, ".localhost") {
		return true
	}
	if !endsInNumber(h) && !strings.Contains(h, ":") {
		return false // no IP address, in any spelling
	}
	addr, err := netip.ParseAddr(h)
	if err != nil {
		ip, ok := ipv4(h)
		if !ok {
			return false
		}
		addr = ip
	}
	addr = addr.Unmap()
	return addr.IsLoopback() || addr.IsUnspecified()
}

// endsInNumber says that a URL parser takes the host for an IPv4 address (WHATWG URL, "ends in a number").
func endsInNumber(h string) bool {
	last := h[strings.LastIndexByte(h, '.')+1:]
	if rest, hex := strings.CutPrefix(last, "0x"); hex {
		return strings.Trim(rest, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// ipv4 reads one to four numbers in decimal, octal (0177) or hex (0x7f), the last of which fills what is left.
func ipv4(h string) (netip.Addr, bool) {
	parts := strings.Split(h, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var all uint64
	for i, p := range parts {
		base := 10
		switch {
		case strings.HasPrefix(p, "0x"):
			p, base = p[2:], 16
			if p == "" {
				p = "0"
			}
		case len(p) > 1 && p[0] == '0':
			base = 8
		}
		n, err := strconv.ParseUint(p, base, 32)
		if err != nil || n > 0xFF && i < len(parts)-1 {
			return netip.Addr{}, false
		}
		if i == len(parts)-1 {
			if left := 8 * (5 - len(parts)); n >= 1<<left {
				return netip.Addr{}, false
			}
			all |= n
			break
		}
		all |= n << (8 * (3 - i))
	}
	return netip.AddrFrom4([4]byte{byte(all >> 24), byte(all >> 16), byte(all >> 8), byte(all)}), true
}
