package scan

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

const config = `{"mcpServers": {
  "one": {"command": "node", "args": ["a.js"]},
  "off": {"command": "node", "disabled": true},
  "text": "node a.js",
  "two": {"type": "http", "url": "https://two.example/mcp"}
}}`

func chosen(t *testing.T, names ...string) Chosen {
	t.Helper()
	f := client.Identify(client.Where{Path: ".roo/mcp.json", Root: "/p", Env: client.Env{OS: "linux", Home: "/h", Getenv: func(string) string { return "" }}})
	f.Load([]byte(config), limits.Default)
	return Choose(f, names, client.World{Getenv: func(string) (string, bool) { return "", false }})
}

func TestTargetsAreTheServersThatTheClientStarts(t *testing.T) {
	c := chosen(t)
	if len(c.Targets) != 2 || c.Targets[0].Label != "one" || c.Targets[1].Start.URL != "https://two.example/mcp" || len(c.Unknown) > 0 || len(c.Off) != 1 || c.Off[0] != "off" {
		t.Errorf("%+v", c)
	}
	c = chosen(t, "off", "none")
	if len(c.Targets) != 1 || c.Targets[0].Label != "off" || len(c.Unknown) != 1 || c.Unknown[0] != "none" || len(c.Off) > 0 {
		t.Errorf("%+v", c)
	}
}

func TestAnEntryThatIsNoServerIsNotLeftOutInSilence(t *testing.T) {
	for _, names := range [][]string{nil, {"text"}} {
		if c := chosen(t, names...); len(c.Broken) != 1 || c.Broken[0].Pointer() != "/mcpServers/text" || len(c.Unknown) > 0 {
			t.Errorf("%q: %+v", names, c)
		}
	}
	if c := chosen(t, "one"); len(c.Broken) > 0 {
		t.Errorf("%+v", c)
	}
}

// door answers for servers by name.
type door struct {
	busy, most atomic.Int32
}

func (d *door) Ask(_ context.Context, t Target) *wire.Surface {
	if n := d.busy.Add(1); n > d.most.Load() {
		d.most.Store(n)
	}
	defer d.busy.Add(-1)
	s := &wire.Surface{Transport: wire.Stdio}
	if t.Label == "two" {
		s.Gaps = []wire.Gap{{Part: wire.PartHandshake, Cause: wire.CauseTimeout, Detail: "no answer"}}
		return s
	}
	s.Hello = []byte(`{"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}`)
	s.Pages[wire.Tools] = [][]byte{[]byte(`{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}`)}
	return s
}

func TestOneFailureStopsNoOtherAndIsIncomplete(t *testing.T) {
	all := chosen(t).Targets
	d := &door{}
	told := 0
	surfaces := Ask(context.Background(), d, all, 1, func(Target, *wire.Surface) { told++ })
	if told != 2 || d.most.Load() != 1 || surfaces[0].Label != "one" || surfaces[1].Label != "two" || surfaces[0].Origin.Pointer != "/mcpServers/one" {
		t.Fatalf("told %d, at once %d: %+v", told, d.most.Load(), surfaces)
	}
	set := load.NewSet(nil, limits.Default)
	if err := Read(set, "s.json", "", Document(surfaces), nil, limits.Default); err != nil {
		t.Fatal(err)
	}
	res := set.Judge(nil, nil)
	if res.Servers != 2 || res.Tools != 1 || len(res.Incomplete) != 1 || res.Incomplete[0].Cause != "timeout" || !strings.Contains(res.Incomplete[0].Detail, "two") {
		t.Errorf("%d servers, %d tools, %+v", res.Servers, res.Tools, res.Incomplete)
	}
	var origins []string
	for _, s := range res.Describe(res.Findings) {
		if s.Origin != nil {
			origins = append(origins, s.Name+" "+s.Origin.Path+s.Origin.Pointer)
		}
	}
	if strings.Join(origins, ", ") != "one .roo/mcp.json/mcpServers/one, two .roo/mcp.json/mcpServers/two" {
		t.Errorf("origins %q", origins)
	}
}

func TestADocumentOfSurfacesSaysTheSameWhenItIsReadAgain(t *testing.T) {
	all := chosen(t).Targets
	for _, n := range []int{1, 2} {
		raw := Document(Ask(context.Background(), &door{}, all[:n], 4, nil))
		set := load.NewSet(nil, limits.Default)
		if err := Read(set, "s.json", "", raw, nil, limits.Default); err != nil {
			t.Fatal(err)
		}
		if got := len(set.Cards[0].Servers); got != n {
			t.Errorf("%d servers, want %d:\n%s", got, n, raw)
		}
	}
}
