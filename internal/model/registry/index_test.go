package registry

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func indexOf(t *testing.T, servers ...string) *Index {
	t.Helper()
	x := &Index{Since: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}
	for i, s := range servers {
		r, err := ReadRecord([]byte(fmt.Sprintf(`{"server":{"name":"com.example/s%d","version":"1.0.0",%s},"_meta":{}}`, i, s)), limits.Default)
		if err != nil {
			t.Fatal(err)
		}
		x.Put([]*Record{r})
	}
	return x
}

func listed(kind, id string) string {
	return fmt.Sprintf(`"packages":[{"registryType":%q,"identifier":%q}]`, kind, id)
}

func TestAnIndexIsFoundBy(t *testing.T) {
	t.Parallel()
	x := indexOf(t, listed("npm", "@example/files"), listed("pypi", "Example_Notes"), listed("oci", "docker.io/example/box:1.0.0"),
		`"remotes":[{"type":"streamable-http","url":"HTTPS://MCP.example.com:443/mcp/"},{"type":"sse","url":"https://{tenant}.example.com/"}]`)
	raw := x.Encode()
	again, err := ReadIndex(raw, limits.Default)
	if err != nil || !bytes.Equal(again.Encode(), raw) || again.Len() != 4 {
		t.Fatalf("%v\n%s", err, raw)
	}
	for _, x := range []*Index{x, again} {
		for c, want := range map[Coordinate]string{{"npm", "@example/files"}: "com.example/s0", {"pypi", BareIdentifier("pypi", "example.notes")}: "com.example/s1",
			{"oci", BareIdentifier("oci", "example/box@sha256:00")}: "com.example/s2", {"pypi", "@example/files"}: ""} {
			got := ""
			for _, e := range x.Packaged(c) {
				got += e.Name
			}
			if got != want {
				t.Errorf("%v: %q, want %q", c, got, want)
			}
		}
		if got := x.Reached("https://mcp.example.com/mcp?token=x"); len(got) != 1 || got[0].Name != "com.example/s3" {
			t.Errorf("%v", got)
		}
		if len(x.Reached("https://{tenant}.example.com/")) > 0 {
			t.Error("a URL with a variable is found")
		}
	}
	// Another version of a server takes its place.
	r, err := ReadRecord([]byte(`{"server":{"name":"com.example/s0","version":"2.0.0",`+listed("npm", "@example/moved")+`}}`), limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	if x.Put([]*Record{r}); x.Len() != 4 || len(x.Packaged(Coordinate{"npm", "@example/files"})) > 0 || len(x.Packaged(Coordinate{"npm", "@example/moved"})) != 1 {
		t.Errorf("%s", x.Encode())
	}
}

func TestAnIndexOfAnotherShapeIsNone(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"", "x", "mcpassay-index 2\t2026-12-01T00:00:00Z\t\"\"\n", "mcpassay-index 1\tyesterday\t\n", "mcpassay-index 1\t2026-12-01T00:00:00Z\t\"\"\na/b\t1\n",
		"mcpassay-index 1\t2026-12-01T00:00:00Z\t\"\"\na/b\t1\tactive\tnpm\t\n"} {
		if x, err := ReadIndex([]byte(raw), limits.Default); err == nil {
			t.Errorf("%q: %+v", raw, x)
		}
	}
}

// What a stranger publishes can not break the lines of an index.
func TestAnEntryThatWouldBreakTheIndexIsLeftOut(t *testing.T) {
	t.Parallel()
	x := indexOf(t, listed("npm", "a\tb"), listed("npm", "a\nb"), listed("np m", "ab"), listed("npm", "plain"))
	if again, err := ReadIndex(x.Encode(), limits.Default); err != nil || again.Len() != 1 {
		t.Errorf("%v: %s", err, x.Encode())
	}
}

func TestANameThatIsNearlyAnotherIsFound(t *testing.T) {
	t.Parallel()
	x := indexOf(t, listed("npm", "@modelcontextprotocol/server-filesystem"), listed("npm", "mcp-server-kubernetes"), listed("pypi", "mcp-server-time"), listed("oci", "ghcr.io/example/box"), listed("npm", "drawio-mcp"))
	for id, like := range map[string]string{
		"@modelcontextprotocl/server-filesystem":   "@modelcontextprotocol/server-filesystem",
		"@modelcontextprotoco1/server-filesystem":  "@modelcontextprotocol/server-filesystem",
		"modelcontextprotocol-server-filesystem":   "@modelcontextprotocol/server-filesystem",
		"@modelcontextprotocol/server-filesystem":  "", // it is that
		"@modelcontextprotocol/server-filesystems": "", // nobody else can publish there
		"mcp-server-kubernetse":                    "mcp-server-kubernetes",
		"mcp-server-kuberntes":                     "mcp-server-kubernetes",
		"mcp_server_kubernetes":                    "mcp-server-kubernetes",
		"mcp-server-kubernetes2":                   "",
		"mcp-server-tide":                          "", // of another type, and too short
		"@drawio/mcp":                              "", // a scope belongs to somebody
		"weather":                                  "",
		"":                                         "",
	} {
		if n, ok := x.Near(Coordinate{"npm", id}); n.Like.Identifier != like || ok != (like != "") {
			t.Errorf("%s: %+v, want %q", id, n, like)
		}
	}
	if n, ok := x.Near(Coordinate{"npm", "mcp.server.kubernetes"}); !ok || !n.Form {
		t.Errorf("%+v: the same letters are said to be others", n)
	}
}

func FuzzReadIndex(f *testing.F) {
	f.Add([]byte("mcpassay-index 1\t2026-12-01T00:00:00Z\t\"cursor\"\na/b\t1\tactive\tnpm @a/b pypi c\thttps://a.example/mcp\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		x, err := ReadIndex(raw, limits.Default)
		if err != nil {
			return
		}
		again, err := ReadIndex(x.Encode(), limits.Default)
		if err != nil {
			t.Fatalf("%v\n%q", err, x.Encode())
		}
		if !bytes.Equal(again.Encode(), x.Encode()) {
			t.Fatalf("%q\n%q", x.Encode(), again.Encode())
		}
	})
}
