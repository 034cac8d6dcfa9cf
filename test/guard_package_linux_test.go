package test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	double "github.com/mcpassay/mcpassay/test/registry"
)

// What npm itself installed of a locked package is compared before it is started, and is not started when it is something else.
func TestTheGuardComparesWhatNPMInstalledWithTheLock(t *testing.T) {
	t.Parallel()
	integrity := npmSays(t, "view", double.PublicPackage+"@"+double.PublicVersion, "dist.integrity")
	sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(integrity, "sha512-"))
	if err != nil {
		t.Fatal(integrity, err)
	}
	home, dir := t.TempDir(), t.TempDir()
	cache := filepath.Join(home, "cache")
	launch := []string{"npx", "-y", double.PublicPackage + "@" + double.PublicVersion}
	run := func(code int, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		cmd := exec.Command("mcpassay", append(args, launch...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "npm_config_cache="+cache, "XDG_STATE_HOME="+filepath.Join(home, "state"))
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`+"\n"), &out, &out
		_ = cmd.Run()
		if cmd.ProcessState.ExitCode() != code {
			t.Fatalf("%q: %d, want %d\n%s", args, cmd.ProcessState.ExitCode(), code, out.String())
		}
		return out.String()
	}
	fetch := exec.Command("npx", "-y", "--package="+launch[2], "--", "node", "--version")
	fetch.Dir, fetch.Env = dir, append(os.Environ(), "npm_config_cache="+cache)
	if out, err := fetch.CombinedOutput(); err != nil {
		lacks(t, "npx: %v (no registry?): %s", err, out)
	}
	run(0, "pin", "--executor", "host", "--inherit-env", "--name", "everything", "--")
	file := filepath.Join(dir, "mcpassay.lock")
	locked := func(digits string) {
		t.Helper()
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		l, err := lock.Read(file, raw, limits.Default)
		if err != nil {
			t.Fatal(err)
		}
		l.Get("everything").Package = &lock.Package{Type: pkg.NPM, Identifier: double.PublicPackage, Version: double.PublicVersion, Files: []lock.PackageFile{{Name: "everything.tgz", Hashes: []string{"sha512:" + digits}}}}
		if err := os.WriteFile(file, l.Encode(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	guard := func(code int, want string) {
		t.Helper()
		if said := run(code, "guard", "run", "--"); !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	locked(hex.EncodeToString(sum))
	guard(0, "files of its package compared with the lock's")
	guard(0, "unenforceable: the lock holds none of the ")
	main, err := filepath.Glob(filepath.Join(cache, "_npx", "*", "node_modules", filepath.FromSlash(double.PublicPackage), "dist", "index.js"))
	if err != nil || len(main) != 1 {
		t.Fatal(main, err)
	}
	was, err := os.ReadFile(main[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(main[0], append([]byte("#!/usr/bin/env node\nsteal();\n"), was...), 0o700); err != nil {
		t.Fatal(err)
	}
	guard(1, "index.js is another file than in the package")
	if said, err := exec.Command("grep", "-h", "package", filepath.Join(home, "state", "mcpassay", "guard", "events.jsonl")).Output(); err != nil || !strings.Contains(string(said), `"action":"block"`) {
		t.Errorf("no event: %s %v", said, err)
	}
	if err := os.WriteFile(main[0], was, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(cache, "_cacache"), filepath.Join(cache, "away")); err != nil {
		t.Fatal(err)
	}
	guard(0, "its files are compared with nothing")
	locked(strings.Repeat("0", len(sum)*2))
	guard(1, "from bytes that the lock does not hold")
}
