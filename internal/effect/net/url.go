package net

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// refuse is what our policy forbids.
func refuse(detail string) *wire.Failure {
	return &wire.Failure{Cause: wire.CauseRefused, Detail: detail}
}

// permit is what a host may resolve to.
type permit struct {
	loopback, private bool
	// only says that it must be a loopback address, since plain HTTP is allowed for that reason.
	only bool
}

// check judges an address that a host has. The error names the address.
func (p permit) check(host string, a netip.Addr) error {
	s, ok := placeOf(a)
	is := host + " is " + a.String() + ", "
	if host == a.String() {
		is = host + " is "
	}
	switch {
	case p.only && s.name != loopback:
		return refuse(is + "which is no loopback address")
	case ok, s.name == loopback && p.loopback, s.private && p.private:
		return nil
	case s.name == loopback:
		return refuse(is + s.name + ": name it on the command line, or add --allow-private-network")
	case s.private:
		return refuse(is + s.name + ": --allow-private-network lets it be reached")
	}
	return refuse(is + s.name)
}

// parse reads and judges a URL, and the address if its host is one. What a name resolves to is judged when it is dialled.
func (d *Door) parse(raw string) (*url.URL, error) {
	if len(raw) > d.lim.URLBytes {
		return nil, refuse("the URL has more than " + strconv.Itoa(d.lim.URLBytes) + " bytes")
	}
	u, err := url.Parse(raw)
	if err != nil { // the parser's error quotes the URL, and a URL may hold a password
		return nil, refuse("the URL can not be read")
	}
	origin, ok := wire.Origin(u)
	host := u.Hostname()
	switch {
	case !ok || u.Opaque != "":
		return nil, refuse("the URL is not http:// or https:// with a host")
	case u.User != nil:
		return nil, refuse("the URL holds a user or a password: use a header")
	case strings.Contains(raw, "#"):
		return nil, refuse("the URL holds a fragment")
	case strings.ContainsFunc(host, func(r rune) bool { return r >= 0x7F || r <= ' ' }):
		return nil, refuse("the host is not ASCII: write it as xn--…")
	case strings.Contains(host, "%"):
		return nil, refuse("the host has a zone")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return nil, refuse("port " + port + " does not exist")
		}
	}
	allow := d.permit(origin, host)
	a, _, bad := literal(host)
	if bad {
		return nil, refuse(host + " is no address, and no name may end in a number")
	}
	if a.IsValid() {
		if err := allow.check(host, a); err != nil {
			return nil, err
		}
	}
	if strings.EqualFold(u.Scheme, "http") && !allow.only && !d.opt.AllowInsecureHTTP {
		if loopbackHost(host) { // where TLS would not help
			return nil, refuse(host + " is this machine: name it on the command line, or add --allow-private-network")
		}
		return nil, refuse(host + " without TLS: use https://, or --allow-insecure-http")
	}
	return u, nil
}

// permit is what the host of an origin may be. A loopback host that a person named, in its usual spelling, is meant; on
// which scheme does not matter.
func (d *Door) permit(origin, host string) permit {
	here := loopbackHost(host)
	_, place, _ := strings.Cut(origin, "://")
	p := permit{private: d.opt.AllowPrivate, loopback: d.opt.AllowPrivate || here && place == d.named}
	p.only = here && p.loopback
	return p
}

// loopbackHost says that a host means this machine.
func loopbackHost(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") { // RFC 6761, section 6.3
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}
