package client

import (
	"net/url"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestRemoteURLReadsWhatIsWrittenOut(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Address
		ok   bool
	}{
		{"https://mcp.example.com/mcp", Address{Scheme: "https", Host: "mcp.example.com", Path: "/mcp"}, true},
		{"HTTPS://MCP.Example.com.:8443/mcp?k=v#f", Address{Scheme: "https", Host: "mcp.example.com", Port: "8443", Path: "/mcp"}, true},
		{"https://mcp.example.com", Address{Scheme: "https", Host: "mcp.example.com"}, true},
		{"https://mcp.example.com?k=/v", Address{Scheme: "https", Host: "mcp.example.com"}, true},
		{"https://u:p@w@example.com/", Address{Scheme: "https", Host: "example.com", Path: "/"}, true},
		{"http://[::1]:3000/mcp", Address{Scheme: "http", Host: "::1", Port: "3000", Path: "/mcp"}, true},
		{"https://example.com/a%zz b", Address{Scheme: "https", Host: "example.com", Path: "/a%zz b"}, true},
		{"https://example.com/caf%C3%A9", Address{Scheme: "https", Host: "example.com", Path: "/caf%C3%A9"}, true},
		{"unix:///tmp/mcp.sock", Address{Scheme: "unix", Path: "/tmp/mcp.sock"}, true},
		{"http://localhost:${PORT}/mcp", Address{Scheme: "http", Host: "localhost", Path: "/mcp", References: true}, true},
		{"http://localhost:${PORT:-3000}/mcp", Address{Scheme: "http", Host: "localhost", Path: "/mcp", References: true}, true},
		{"https://${env:HOST}/mcp", Address{Scheme: "https", Path: "/mcp", References: true}, false},
		{"https://example.com:443/${{ secrets.PATH }}", Address{Scheme: "https", Host: "example.com", Port: "443", Path: "/\x00", References: true}, true},
		{"{env:MCP_URL}", Address{References: true}, false},
		{"$MCP_URL/mcp", Address{References: true}, false},
		{"%MCP_URL%", Address{References: true}, false},
		{"{{url}}", Address{References: true}, false},
		{"https://<your-host>/mcp", Address{Scheme: "https", Path: "/mcp", References: true}, false},
		{"localhost:3000/mcp", Address{}, false},
		{"example.com/mcp", Address{}, false},
		{"htp:/x", Address{}, false},
		{"https:/example.com", Address{}, false},
		{"https:example.com", Address{}, false},
		{"//example.com/mcp", Address{}, false},
		{" https://example.com/mcp", Address{}, false},
		{"https://example.com/mcp\n", Address{}, false},
		{"https:///mcp", Address{Scheme: "https", Path: "/mcp"}, false},
		{"https://:3000/mcp", Address{Scheme: "https", Path: "/mcp"}, false},
		{"https://exa mple.com/", Address{Scheme: "https", Path: "/"}, false},
		{"https://example.com:99999/", Address{Scheme: "https", Host: "example.com", Port: "99999", Path: "/"}, false},
		{"https://1.2.3.400/", Address{Scheme: "https", Host: "1.2.3.400", Path: "/"}, false},
		{"https://[::zz]/", Address{Scheme: "https", Path: "/"}, false},
		{"https://${HOST/mcp", Address{Scheme: "https", Path: "/mcp"}, false},
		{"", Address{}, false},
	} {
		got, ok := RemoteURL(c.in)
		if c.in == "https://${HOST/mcp" || c.in == "https://[::zz]/" {
			got.Host = "" // what is left of a refused host does not matter
		}
		if ok != c.ok || got != c.want {
			t.Errorf("RemoteURL(%q) = %+v, %v, want %+v, %v", c.in, got, ok, c.want, c.ok)
		}
	}
}

func TestLoopbackKnowsEverySpelling(t *testing.T) {
	for _, h := range []string{"localhost", "LOCALHOST", "localhost.", "api.localhost", "127.0.0.1", "127.0.0.2", "127.255.255.254",
		"127.1", "0x7f000001", "0x7F.1", "2130706433", "017700000001", "0.0.0.0", "0", "::1", "[::1]", "[::]", "::ffff:127.0.0.1",
		"[::ffff:7f00:1]"} {
		if !Loopback(h) {
			t.Errorf("%s is not taken for the machine itself", h)
		}
	}
	for _, h := range []string{"", "example.com", "127.evil.com", "localhost.evil.com", "notlocalhost", "128.0.0.1", "10.0.0.1", "192.168.1.1",
		"host.docker.internal", "2130706434.com", "16777216", "1.2.3.4.5", "127.0.0.1.nip.io", "[fe80::1]", "127.0.0.256"} {
		if Loopback(h) {
			t.Errorf("%s is taken for the machine itself", h)
		}
	}
}

func FuzzRemoteURL(f *testing.F) {
	for _, s := range []string{"https://u:p@h:1/p?q#f", "http://[::1]/", "${A}://{b}", "x://%AB%", "https://0x7f.1/", "http://a:${P}", "A://::", "A://.#"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, ok := RemoteURL(s)
		if !ok || a.References || a.Scheme == "unix" || a.Scheme == "pipe" {
			return
		}
		host := a.Host
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		if a.Port != "" {
			host += ":" + a.Port
		}
		// What is accepted is an address for the standard library too, and reads the same again.
		if _, err := url.Parse(a.Scheme + "://" + host + "/"); err != nil && !strings.Contains(a.Host, "%") {
			t.Errorf("%q: %v", s, err)
		}
		if b, ok := RemoteURL(a.Scheme + "://" + host + "/"); !strings.ContainsAny(host, "%{}$<>`") && (!ok || b.Host != a.Host) {
			t.Errorf("%q reads as %q, that reads as %q, %v", s, a.Host, b.Host, ok)
		}
	})
}

func TestReferencesThatNeverEndTakeOnePass(t *testing.T) {
	for _, open := range []string{"${", "$(", "{{", "{env:", "{", "<", "`a", "%A"} {
		s := strings.Repeat(open, limits.MiB/len(open)) // a search from each opener to the end would take minutes
		if got := named(s); got != s {
			t.Errorf("%q is read as a reference", open)
		}
		if _, ok := RemoteURL("https://" + s); ok && open != "$(" {
			t.Errorf("%q is read as a host", open)
		}
	}
}
