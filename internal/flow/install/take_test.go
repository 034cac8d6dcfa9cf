package install

import (
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/source"
)

func entries(t *testing.T, id, path, text string) []*client.Server {
	t.Helper()
	c, _ := client.ByID(id)
	f := client.Identify(client.Where{Path: path, Root: "/p", Client: c, Env: client.Env{OS: "linux", Home: "/home/u"}})
	f.Load([]byte(text), limits.Default)
	if f.Err != nil {
		t.Fatal(f.Err)
	}
	return f.Servers
}

const token = "ghp_" + "x7Qm2Rk9Tz4Wp1Ls8Vb3Nc6Yd5Hf0Gj2Ka9B"

func TestAnEntryIsTakenOverAsWhatItStarts(t *testing.T) {
	for _, c := range []struct{ entry, want string }{
		{`{"command": "npx", "args": ["-y", "@example/files@1.2.0", "--root", "/data"]}`, `{"package":"npm:@example/files","version":"1.2.0","args":["--root","/data"]}`},
		{`{"command": "npx", "args": ["@example/files"]}`, `{"package":"npm:@example/files"}`},
		{`{"command": "npx", "args": ["-y", "@example/files@latest"]}`, `{"package":"npm:@example/files"}`},
		{`{"command": "npx", "args": ["-y", "@example/files@^1.2.0"]}`, `{"package":"npm:@example/files","version":"^1.2.0"}`},
		{`{"command": "cmd", "args": ["/c", "npx", "-y", "files@1.0.0"]}`, `{"package":"npm:files","version":"1.0.0"}`},
		{`{"command": "npx", "args": ["--registry=https://r.example", "files@1.0.0"]}`, `{"command":"npx","args":["--registry=https://r.example","files@1.0.0"]}`},
		{`{"command": "npx", "args": ["-y", "-p", "a@1.0.0", "-p", "b@1.0.0", "run"]}`, `{"command":"npx","args":["-y","-p","a@1.0.0","-p","b@1.0.0","run"]}`},
		{`{"command": "uvx", "args": ["example-notes==0.3.0"]}`, `{"package":"pypi:example-notes","version":"0.3.0"}`},
		{`{"command": "uvx", "args": ["--from", "git+https://git.example/o/r", "run"]}`, `{"command":"uvx","args":["--from","git+https://git.example/o/r","run"]}`},
		{`{"command": "dnx", "args": ["Example.Old@1.0.0", "--yes"]}`, `{"package":"nuget:Example.Old","version":"1.0.0"}`},
		{`{"command": "docker", "args": ["run", "--rm", "-i", "ghcr.io/example/box:1.0.0"]}`, `{"command":"docker","args":["run","--rm","-i","ghcr.io/example/box:1.0.0"]}`},
		{`{"command": "node", "args": ["server.js"], "env": {"MODE": "fast", "ROOT": "${env:ROOT}", "API_TOKEN": "` + token + `", "PASSWORD": "x", "DIR": "${env:HOME}/d"}}`,
			`{"command":"node","args":["server.js"],"env":{"MODE":{"default":"fast"},"ROOT":{"required":true},"API_TOKEN":{"required":true,"secret":true},"PASSWORD":{"required":true,"secret":true},"DIR":"${HOME}/d"}}`},
		{`{"url": "https://mcp.example.com/mcp", "headers": {"Authorization": "Bearer ` + token + `", "X-Team": "${env:TEAM}"}}`,
			`{"url":"https://mcp.example.com/mcp","headers":{"Authorization":{"required":true,"secret":true},"X-Team":"${TEAM}"}}`},
		{`{"type": "sse", "url": "https://mcp.example.com/sse"}`, `{"url":"https://mcp.example.com/sse","transport":"sse"}`},
		{`{"command": "node", "args": ["--token", "` + token + `"]}`, "a secret stands in its arguments"},
		{`{"url": "https://u:` + token + `@mcp.example.com/mcp"}`, "its address holds a secret"},
		{`{"args": ["x"]}`, "it has no command and no address"},
	} {
		taken, err := Take(entries(t, "cursor", ".cursor/mcp.json", `{"mcpServers": {"a": `+c.entry+`}}`)[0])
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = taken.Value().String()
		}
		if !strings.HasPrefix(got, c.want) || err == nil && got != c.want {
			t.Errorf("%s\n is %s\nnot %s", c.entry, got, c.want)
		}
		if strings.Contains(got+strings.Join(taken.GivenUp, ""), token) {
			t.Errorf("%s is taken over with its secret: %s", c.entry, got)
		}
	}
}

func TestAnEntryUnderABadNameOrSwitchedOffIsNotTakenOver(t *testing.T) {
	all := entries(t, "cline", "~/.cline/data/settings/cline_mcp_settings.json", `{"mcpServers": {"__proto__": {"command": "x"}, "off": {"command": "x", "disabled": true}}}`)
	if len(all) != 2 {
		t.Fatalf("%d entries", len(all))
	}
	for _, s := range all {
		if taken, err := Take(s); err == nil {
			t.Errorf("%s is taken over: %+v", s.Name, taken)
		}
	}
}

func TestWhatClientsHaveInCommonIsOneServer(t *testing.T) {
	var all []Taken
	for _, text := range []string{`{"mcpServers": {"a": {"command": "npx", "args": ["-y", "p@1.0.0"], "env": {"K": "${env:K}"}}, "b": {"command": "x"}}}`,
		`{"mcpServers": {"a": {"command": "npx", "args": ["p@1.0.0"], "env": {"K": "v"}}, "b": {"command": "y"}}}`} {
		for _, s := range entries(t, "cursor", ".cursor/mcp.json", text) {
			taken, err := Take(s)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, taken)
		}
	}
	one, differ := Unite(all)
	if len(one) != 2 || one[0].Name != "a" || strings.Join(differ, " ") != "b" {
		t.Errorf("%+v %v", one, differ)
	}
}

// What is taken over can be written and read.
func TestWhatIsTakenOverStandsInAProjectFile(t *testing.T) {
	all := entries(t, "cursor", ".cursor/mcp.json", `{"mcpServers": {"a": {"command": "npx", "args": ["-y", "p@1.0.0", ""], "env": {"K": "", "N": "3", "T": "`+token+`"}}}}`)
	taken, err := Take(all[0])
	if err != nil {
		t.Fatal(err)
	}
	text, err := Written("mcpassay.yaml", []Taken{taken}, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := source.Parse("mcpassay.yaml", text, source.YAML, limits.Default); err != nil || !strings.Contains(string(text), "npm:p") {
		t.Errorf("%v\n%s", err, text)
	}
}
