package client

import (
	"net/netip"
	"strings"

	"github.com/mcpassay/mcpassay/internal/secret"
)

// Reach is how far an address goes.
type Reach uint8

// The reaches, nearest first.
const (
	// Nowhere is no address, or one whose host is not written out.
	Nowhere Reach = iota
	// Machine is the machine itself: the loopback addresses, and the names that containers have for their host.
	Machine
	// Network is a network of one's own: a private address, a name without a dot, or one below .local, .internal and
	// their like. What runs there is known to its owner only.
	Network
	Public
)

// Cleartext says whether an address is http or ws, and how far it goes. It reads the address as clients do: blanks
// around it do not count, and a backslash is a slash (http://evil.example\@localhost is evil.example).
func Cleartext(address string) (host string, reach Reach) {
	if scheme, _, ok := strings.Cut(address, ":"); !ok || !plainScheme(strings.TrimSpace(scheme)) {
		return "", Nowhere
	}
	a, _ := RemoteURL(strings.ReplaceAll(strings.TrimSpace(address), `\`, "/"))
	if a.Scheme != "http" && a.Scheme != "ws" {
		return "", Nowhere
	}
	return a.Host, reachOf(a.Host)
}

// Reach is how far the address goes.
func (a Address) Reach() Reach { return reachOf(a.Host) }

func plainScheme(s string) bool { return strings.EqualFold(s, "http") || strings.EqualFold(s, "ws") }

func reachOf(host string) Reach {
	switch {
	case host == "":
		return Nowhere
	case Loopback(host), strings.HasSuffix(host, ".docker.internal"), host == "host.containers.internal", host == "host.lima.internal":
		return Machine
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		if ip, ok := ipv4(host); ok {
			addr = ip
		} else if !strings.Contains(host, ".") {
			return Network
		}
	}
	if addr = addr.Unmap(); addr.IsValid() {
		if addr.IsPrivate() || addr.IsLinkLocalUnicast() || shared().Contains(addr) {
			return Network
		}
		return Public
	}
	for _, end := range [...]string{".local", ".internal", ".lan", ".home", ".home.arpa", ".intranet", ".corp", ".private", ".localdomain", ".test"} {
		if strings.HasSuffix(host, end) {
			return Network
		}
	}
	return Public
}

// shared is the space that carriers and overlay networks number their own machines from (RFC 6598).
func shared() netip.Prefix { return netip.PrefixFrom(netip.AddrFrom4([4]byte{100, 64}), 10) }

// SendsCredential says whether a client sends a credential to the server's address: in a header, in the URL, or by a
// field that fills one in.
func (s *Server) SendsCredential() bool {
	if s.BearerVar.Set() || len(s.EnvHeaders) > 0 || len(s.Runs) > 0 || s.OAuth.Valid() {
		return true
	}
	for _, h := range s.Headers {
		if secret.SecretName(h.Key) && h.Value != "" {
			return true
		}
	}
	for _, x := range s.Secrets() {
		if x.Field == "headers" || x.Field == "url" {
			return true
		}
	}
	return false
}
