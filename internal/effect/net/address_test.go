package net

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

func door(t *testing.T, opt Options) *Door {
	t.Helper()
	if opt.Limits == (limits.Set{}) {
		opt.Limits = limits.Default
	}
	d, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func cause(err error) wire.Cause {
	var failure *wire.Failure
	if err == nil {
		return ""
	}
	if !errors.As(err, &failure) {
		return "not a failure: " + wire.Cause(err.Error())
	}
	return failure.Cause
}

func TestAnAddressIsJudgedByItsRange(t *testing.T) {
	const yes, private, never = "public", "private", "never"
	for text, want := range map[string]string{
		"8.8.8.8": yes, "1.1.1.1": yes, "172.15.255.255": yes, "172.32.0.0": yes, "100.63.255.255": yes, "100.128.0.0": yes,
		"2606:4700::1111": yes, "2a00:1450::1": yes, "223.255.255.255": yes, "198.17.255.255": yes, "198.20.0.0": yes,
		"127.0.0.1": private, "127.255.255.254": private, "::1": private, "10.0.0.1": private, "172.16.0.1": private, "172.31.255.255": private,
		"192.168.1.1": private, "100.64.0.1": private, "100.127.255.255": private, "fc00::1": private, "fd12:3456::1": private, "198.18.0.1": private,
		"198.19.255.255": private, "::ffff:10.0.0.1": private, "::ffff:127.0.0.1": private,
		"0.0.0.0": never, "0.1.2.3": never, "169.254.169.254": never, "::ffff:169.254.169.254": never, "192.0.0.1": never, "192.0.2.1": never,
		"192.88.99.1": never, "198.51.100.1": never, "203.0.113.1": never, "224.0.0.1": never, "239.255.255.255": never, "240.0.0.1": never,
		"255.255.255.255": never, "::": never, "fe80::1": never, "fe80::1%eth0": never, "ff02::1": never, "ff05::2": never,
		"64:ff9b::7f00:1": never, "64:ff9b::a9fe:a9fe": never, "64:ff9b:1::1": never, "2002:7f00:1::": never, "2001::1": never,
		"2001:0:4136:e378::": never, "2001:db8::1": never, "2001:10::1": never, "3fff::1": never, "100::1": never, "::7f00:1": never, "4000::1": never,
		"fec0::1": never, "5f00::1": never,
		"64:ff9b::808:808": private, "::ffff:8.8.8.8": yes,
	} {
		a := netip.MustParseAddr(text)
		got := map[bool]string{true: yes, false: never}[permit{}.check("x", a) == nil]
		if got == never && (permit{private: true, loopback: true}).check("x", a) == nil {
			got = private
		}
		if got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestAHostIsJudgedAsTheAddressItIs(t *testing.T) {
	for host, want := range map[string]string{
		"0x7f.1": "127.0.0.1", "2130706433": "127.0.0.1", "0177.0.0.1": "127.0.0.1", "0x7f000001": "127.0.0.1", "017700000001": "127.0.0.1",
		"127.1": "127.0.0.1", "127.0.1": "127.0.0.1", "0": "0.0.0.0", "0x": "0.0.0.0", "127.0.0.1.": "127.0.0.1", "0X7F.0.0.0x1": "127.0.0.1",
		"3232235777": "192.168.1.1", "0xa9fea9fe": "169.254.169.254", "192.168.257": "192.168.1.1", "010.8.8.8": "8.8.8.8",
		"8.8.8.8": "8.8.8.8", "::1": "::1", "::ffff:7f00:1": "::ffff:127.0.0.1",
		"example.com": "", "0x7f.example": "", "a.0xg": "", "1e3": "", "127.0.0.1.example": "",
		"256.1.1.1": "bad", "1.2.3.4.5": "bad", "4294967296": "bad", "08.1.1.1": "bad", "1.2.3.256": "bad", "foo.1": "bad", "1..1": "bad",
		"127.0.0.08": "bad", "99999999999999999999": "bad",
	} {
		a, plain, bad := literal(host)
		got := ""
		if bad {
			got = "bad"
		} else if a.IsValid() {
			got = a.String()
		}
		if got != want {
			t.Errorf("%s is %q, want %q", host, got, want)
		}
		if _, err := netip.ParseAddr(host); plain != (err == nil) {
			t.Errorf("%s: plain %v", host, plain)
		}
	}
}

func TestURLsAreHTTPAndNothingElse(t *testing.T) {
	d := door(t, Options{})
	for _, u := range []string{"https://example.com/mcp", "https://example.com:8443/a?b=c", "https://8.8.8.8/", "https://[2606:4700::1111]/mcp", "HTTPS://EXAMPLE.com"} {
		if err := d.Check(u); err != nil {
			t.Errorf("%s: %v", u, err)
		}
	}
	for _, u := range []string{"", "example.com", "/mcp", "ftp://example.com/", "file:///etc/passwd", "https:example.com", "https:///mcp",
		"https://user@example.com/", "https://user:hunter2@example.com/", "https://example.com/#top", "https://example.com/#", "http://example.com/",
		"https://[fe80::1%25eth0]/", "https://exa mple.com/", "https://example.com:99999/", "https://example.com:0/", "https://еxample.com/",
		"https://127.0.0.1/", "https://１２７.0.0.1/", "https://0x7f.1/", "https://2130706433/", "https://[::1]/", "https://[::ffff:127.0.0.1]/",
		"https://[64:ff9b::7f00:1]/", "https://10.0.0.1/", "https://0/", "https://1.2.3.4.5/", "http://169.254.169.254/latest/", "javascript:alert(1)",
		"https://example.com/" + strings.Repeat("a", limits.Default.URLBytes)} {
		err := d.Check(u)
		if cause(err) != wire.CauseRefused {
			t.Errorf("%s: %v", u, err)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error holds the password: %v", err)
		}
	}
}

func TestLoopbackIsForWhoNamedIt(t *testing.T) {
	for named, also := range map[string][]string{
		"http://localhost:3000/mcp": {"http://localhost:3000/other", "http://LOCALHOST:3000/", "https://localhost:3000/"},
		"http://127.0.0.1:3000/mcp": {"http://127.0.0.1:3000/"},
		"http://[::1]:3000/mcp":     {"http://[0:0::1]:3000/"},
		"http://app.localhost/":     {"http://app.localhost:80/"},
	} {
		d := door(t, Options{Named: named})
		for _, u := range append(also, named) {
			if err := d.Check(u); err != nil {
				t.Errorf("named %s, opened %s: %v", named, u, err)
			}
		}
		for _, u := range []string{"http://localhost:3001/", "http://127.0.0.2:3000/", "http://10.0.0.1/", "http://example.com/", "http://0x7f.1:3000/"} {
			if cause(d.Check(u)) != wire.CauseRefused {
				t.Errorf("named %s, opened %s", named, u)
			}
		}
	}
	for _, named := range []string{"http://0x7f.1:3000/", "http://2130706433/", "http://127.1/", "http://10.0.0.1/", "http://[fd00::1]/"} {
		if cause(door(t, Options{Named: named}).Check(named)) != wire.CauseRefused {
			t.Errorf("%s was opened", named)
		}
	}
}

func TestARefusalNamesTheFlagThatHelps(t *testing.T) {
	for u, flag := range map[string]string{
		"http://example.com/": "--allow-insecure-http", "http://localhost/": "--allow-private-network", "http://127.0.0.1/": "--allow-private-network",
		"https://10.0.0.1/": "--allow-private-network",
	} {
		if err := door(t, Options{}).Check(u); err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("%s: %v", u, err)
		}
	}
}

func TestPrivateNetworksAndPlainHTTPAreAllowedApart(t *testing.T) {
	private, insecure := door(t, Options{AllowPrivate: true}), door(t, Options{AllowInsecureHTTP: true})
	for _, c := range []struct {
		d    *Door
		u    string
		want bool
	}{
		{private, "https://10.0.0.1/", true}, {private, "http://10.0.0.1/", false}, {private, "http://localhost/", true}, {private, "http://127.0.0.1/", true},
		{private, "https://0x7f.1/", true}, {private, "https://169.254.169.254/", false}, {private, "https://[ff02::1]/", false},
		{insecure, "http://example.com/", true}, {insecure, "http://10.0.0.1/", false}, {insecure, "http://localhost/", true}, {insecure, "http://127.0.0.1/", false},
	} {
		if err := c.d.Check(c.u); (err == nil) != c.want {
			t.Errorf("private %v, insecure %v, %s: %v", c.d.opt.AllowPrivate, c.d.opt.AllowInsecureHTTP, c.u, err)
		}
	}
}

func FuzzURL(f *testing.F) {
	for _, s := range []string{"https://example.com/mcp", "https://0x7f.1/", "http://[::ffff:7f00:1]:80/", "https://a@b/#c", "https://%31%32%37.1/", "https://127.0.0.1.:443"} {
		f.Add(s)
	}
	d, err := New(Options{Limits: limits.Default})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := d.parse(raw)
		if err != nil {
			return
		}
		r, err := http.NewRequest("POST", u.String(), nil)
		if err != nil {
			t.Fatalf("%q was judged and can not be asked: %v", raw, err)
		}
		if r.URL.Hostname() != u.Hostname() || r.URL.Scheme != "https" || r.URL.User != nil || r.URL.Fragment != "" {
			t.Fatalf("%q is asked as %s", raw, r.URL)
		}
		if a, _, bad := literal(r.URL.Hostname()); bad || a.IsValid() && (permit{}).check("", a) != nil {
			t.Fatalf("%q is the address %s", raw, a)
		}
	})
}
