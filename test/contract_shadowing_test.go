package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/cli"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// mcpm-contracts, "mcpm up --ci": "also non-zero on shadow collisions when combined with --check-shadowing".
func TestUpWithCIAndCheckShadowingIs1ForACollision(t *testing.T) {
	tools := map[string][2]string{"mail": {"send_mail", "Sends a mail."}, "post": {"send_mail", "Sends something else."}, "sheep": {"count_sheep", "Counts sheep."}}
	for _, c := range []struct {
		servers string
		args    []string
		code    int
		told    string
	}{
		{"mail post", []string{"--check-shadowing", "--ci"}, 1, "blocked: card/same-name: shadowed"},
		{"mail post", []string{"--check-shadowing"}, 0, "note: card/"},
		{"mail post", []string{"--ci"}, 0, ""},
		{"mail sheep", []string{"--check-shadowing", "--ci"}, 0, ""},
	} {
		t.Run(c.servers+" "+strings.Join(c.args, " "), func(t *testing.T) {
			home, dir := t.TempDir(), t.TempDir()
			lay(t, home, ".cursor/mcp.json", "{\"mcpServers\": {}}\n")
			l, project := &lock.Lock{}, "version: \"1\"\nservers:\n"
			for _, name := range strings.Fields(c.servers) {
				l.Put(pinnedTool(t, name, tools[name][0], tools[name][1]))
				project += fmt.Sprintf("  %s: {command: %s}\n", name, name)
			}
			lay(t, dir, "mcpassay.yaml", project)
			lay(t, dir, "mcpassay.lock", string(l.Encode()))
			var out, errs bytes.Buffer
			streams := cli.OS()
			streams.Out, streams.Err, streams.Cwd, streams.Home = &out, &errs, dir, home
			streams.Getenv = func(string) string { return "" }
			if code := cli.Main(append([]string{"up", "--json"}, c.args...), streams); code != c.code {
				t.Fatalf("exit %d, want %d\n%s%s", code, c.code, out.String(), errs.String())
			}
			var said struct {
				OK      bool
				Blocked []struct{ Server, Gate, Detail string }
				Written []struct{ Server string }
			}
			if err := json.Unmarshal(out.Bytes(), &said); err != nil {
				t.Fatal(err)
			}
			if said.OK != (c.code == 0) || len(said.Written) > 0 != said.OK || slices.ContainsFunc(said.Blocked, func(b struct{ Server, Gate, Detail string }) bool { return b.Gate != "shadowed" }) {
				t.Errorf("%+v", said)
			}
			if !strings.Contains(errs.String(), c.told) || c.told == "" && strings.Contains(errs.String(), "send_mail") {
				t.Errorf("it says\n%s", errs.String())
			}
		})
	}
}

// pinnedTool is a command in a lock, asked for its one tool.
func pinnedTool(t *testing.T, command, tool, description string) *lock.Server {
	t.Helper()
	s := &wire.Surface{Label: command, Transport: wire.Stdio, Hello: []byte(`{"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}`),
		Protocol: wire.Protocol{Requested: "2025-11-25", Negotiated: "2025-11-25", Era: wire.EraLegacy, Eras: []string{wire.EraLegacy}}}
	s.Pages[wire.Tools] = [][]byte{fmt.Appendf(nil, `{"tools": [{"name": %q, "description": %q, "inputSchema": {"type": "object"}}]}`, tool, description)}
	doc, err := source.Parse("surface.json", s.Encode(), source.JSON, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	one, err := lock.Capture(command, card.Read(doc).Servers[0])
	if err != nil {
		t.Fatal(err)
	}
	one.Launch = lock.Launch{Transport: wire.Stdio, Command: command}
	return one
}
