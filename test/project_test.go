package test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/cli"
	double "github.com/mcpassay/mcpassay/test/registry"
)

// What registries say of a lock since it was made blocks up, with --frozen and without, before any byte is written: a lock comes with
// a repository (mcpm-contracts, "mcpm up --frozen": drift, an unverifiable record, a format mismatch; a deleted server).
func TestUpHoldsTheLockToWhatRegistriesSayNow(t *testing.T) {
	for _, c := range []struct{ what, how, gate string }{
		{"npm", "bytes", "drift"}, {"npm", "format", "format"}, {"npm", "down", "could-not-verify"},
		{"registry", "deleted", "deleted"}, {"registry", "record", "record-changed"}, {"registry", "package", "record-changed"}, {"registry", "down", "could-not-verify"},
	} {
		t.Run(c.what+" "+c.how, func(t *testing.T) {
			s := double.New()
			defer s.Close()
			home, dir := t.TempDir(), t.TempDir()
			config := filepath.Join(home, ".cursor", "mcp.json")
			lay(t, home, ".cursor/mcp.json", "{\"mcpServers\": {}}\n")
			lay(t, dir, "mcpassay.yaml", "version: \"1\"\nservers:\n  files: {server: io.github.example/files, args: [--root, \"${project}/data\"]}\n")
			run := func(want int, args ...string) string {
				t.Helper()
				var out, errs bytes.Buffer
				streams := cli.OS()
				streams.Out, streams.Err, streams.Cwd, streams.Home = &out, &errs, dir, home
				streams.Getenv = func(name string) string {
					return map[string]string{"npm_config_registry": s.URL + "/npm", "MCPASSAY_REGISTRY": s.URL + "/ok", "ROOT": "/r"}[name]
				}
				if code := cli.Main(args, streams); code != want {
					t.Fatalf("%v: exit %d, want %d\n%s%s", args, code, want, out.String(), errs.String())
				}
				return out.String()
			}
			run(0, "lock")
			run(0, "up", "--frozen", "--ci")
			before, err := os.ReadFile(config)
			if err != nil || !strings.Contains(string(before), filepath.ToSlash(dir)+"/data") {
				t.Fatalf("%v\n%s", err, before)
			}
			if lockText, err := os.ReadFile(filepath.Join(dir, "mcpassay.lock")); err != nil || !strings.Contains(string(lockText), `"${project}/data"`) {
				t.Fatalf("%v\n%s", err, lockText)
			}
			run(0, "up", "--frozen", "--ci")
			s.Set(c.what, c.how)
			lay(t, home, ".cursor/mcp.json", "{\"mcpServers\": {}}\n")
			for _, args := range [][]string{{"up", "--frozen", "--ci", "--json"}, {"up", "--ci", "--json"}} {
				var out struct {
					OK      bool
					Blocked []struct{ Server, Gate string }
				}
				if err := json.Unmarshal([]byte(run(1, args...)), &out); err != nil || out.OK || len(out.Blocked) == 0 || out.Blocked[0].Gate != c.gate || out.Blocked[0].Server != "files" {
					t.Errorf("%v: %v %+v", args, err, out)
				}
			}
			if after, _ := os.ReadFile(config); string(after) != "{\"mcpServers\": {}}\n" {
				t.Errorf("it was written:\n%s", after)
			}
		})
	}
}

// lay writes a file, and makes its folder.
func lay(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
