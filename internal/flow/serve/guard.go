package serve

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Guard decides which URLs of strangers are asked. It judges names alone; the door to the network judges the addresses that
// a name has.
type Guard struct {
	// Private lets addresses, private names and ephemeral hosts be asked: the operator said so.
	Private bool
	// Own are the host:port under which we are reached ourselves.
	Own    []string
	Limits limits.Set
}

// ephemeral is the list of hosts that anybody gets for an hour: what answers there today is another machine tomorrow, and
// often one behind somebody's firewall.
type ephemeral struct {
	AsOf  string `json:"asOf"`
	Hosts []struct {
		Suffix string `json:"suffix"`
		What   string `json:"what"`
	} `json:"hosts"`
}

//go:embed ephemeral.json
var ephemeralJSON []byte

var ephemeralHosts = sync.OnceValue(func() (e ephemeral) {
	if err := json.Unmarshal(ephemeralJSON, &e); err != nil {
		panic(err) // a test reads it
	}
	return e
})

// private are the names of networks of one's own (RFC 6761, RFC 6762, RFC 8375, RFC 9476, and what routers and clouds use).
func private() []string {
	return []string{"localhost", "local", "localdomain", "internal", "intranet", "private", "corp", "home", "lan", "home.arpa", "test", "example",
		"invalid", "onion", "alt", "arpa"}
}

// Check says why a URL is not asked, nil for one that is.
func (g *Guard) Check(raw string) (*url.URL, error) {
	if len(raw) > g.Limits.URLBytes {
		return nil, fmt.Errorf("the URL has more than %d bytes", g.Limits.URLBytes)
	}
	u, err := url.Parse(raw)
	if err != nil { // whose words would quote the URL
		return nil, errors.New("the URL can not be read: write it as https://host/path")
	}
	origin, ok := wire.Origin(u)
	if !ok || u.User != nil {
		return nil, errors.New("the URL is not https:// with a host and without a password")
	}
	_, place, _ := strings.Cut(origin, "://")
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if slices.Contains(g.Own, place) || slices.Contains(g.Own, strings.ToLower(u.Host)) {
		return nil, errors.New("this server does not probe itself")
	}
	if g.Private {
		return u, nil
	}
	if err := g.public(u, host); err != nil {
		return nil, fmt.Errorf("%w (who runs this server can lift that with --allow-private-network)", err)
	}
	return u, nil
}

// public says why a URL leads, or may lead, to a network of one's own; nil for one that does not.
func (g *Guard) public(u *url.URL, host string) error {
	last := host[strings.LastIndexByte(host, '.')+1:]
	switch {
	case u.Scheme != "https":
		return errors.New("only https:// is asked: what goes over http:// can be changed on its way")
	case isAddress(host, last):
		return errors.New("addresses are not asked: name the host")
	case !strings.Contains(host, "."):
		return errors.New(host + " is a name of a private network")
	}
	for _, p := range private() {
		if host == p || strings.HasSuffix(host, "."+p) {
			return errors.New(host + " is a name of a private network")
		}
	}
	for _, e := range ephemeralHosts().Hosts {
		if host == e.Suffix || strings.HasSuffix(host, "."+e.Suffix) {
			return fmt.Errorf("%s is an ephemeral host (%s): whose it is changes by the hour", host, e.What)
		}
	}
	return nil
}

// isAddress says that a host is an IP address in some spelling: no top-level domain begins with a digit.
func isAddress(host, last string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil || last == "" || last[0] >= '0' && last[0] <= '9'
}
