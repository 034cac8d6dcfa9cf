package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestAPackageIsFetchedAndThenRunWithoutANetwork(t *testing.T) {
	for _, b := range []Backend{Landlock, Bubblewrap} {
		t.Run(string(b), func(t *testing.T) {
			need(t, b)
			npmServers(t) // skips where there is no npm or no registry
			t.Setenv("TMPDIR", t.TempDir())
			s := Spec{Executor: b, Argv: []string{"npx", "-y", "@modelcontextprotocol/server-memory@" + serversVersion}, Parent: os.Environ(), Limits: limits.Default,
				Entry: []string{"TOKEN=t"}}
			s, cleanup, err := Prefetch(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			if s.AllowNet || !strings.HasSuffix(s.Argv[0], "node_modules/.bin/mcp-server-memory") {
				t.Errorf("%+v", s)
			}
			c := start(t, s)
			if n := tools(t, c); n != 9 {
				t.Errorf("%d tools", n)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if err := cleanup(); err != nil {
				t.Error(err)
			}
			if left, _ := filepath.Glob(os.Getenv("TMPDIR") + "/mcpassay-fetch-*"); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// TestInstallScriptsDoNotRun fetches a package of our own, from a folder that npm packs, that has one.
func TestInstallScriptsDoNotRun(t *testing.T) {
	need(t, Landlock)
	if _, err := exec.LookPath("npm"); err != nil {
		lacking(t, "needs npm: apt-get install nodejs npm")
	}
	dir, pkg := t.TempDir(), t.TempDir()
	tree(t, pkg, `package.json={"name":"hostile","version":"1.0.0","bin":{"hostile":"x.js"},"scripts":{"preinstall":"echo > `+dir+`/ran","install":"echo > `+dir+`/ran","postinstall":"echo > `+dir+`/ran"}}`, "x.js!#!/usr/bin/env node\n")
	f := fetchers[0]
	var argv []string
	for _, w := range f.argv {
		argv = append(argv, strings.ReplaceAll(w, "DIR", dir))
	}
	for _, scripts := range []bool{true, false} {
		if scripts { // the control: with them the mark is there
			argv = append(strings.Fields(strings.Replace(strings.Join(argv, " "), "--ignore-scripts ", "--ignore-scripts=false --install-links ", 1)), pkg)
		} else {
			argv = nil
			for _, w := range f.argv {
				argv = append(argv, strings.ReplaceAll(w, "DIR", dir))
			}
			argv = append(argv[:len(argv)-1], "--install-links", "--", pkg)
		}
		_ = os.Remove(dir + "/ran")
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = append(os.Environ(), "npm_config_cache="+dir+"/cache")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v %s", argv, err, out)
		}
		_, err := os.Stat(dir + "/ran")
		if ran := err == nil; ran != scripts {
			t.Errorf("%q: ran %v", argv, ran)
		}
		_ = os.RemoveAll(dir + "/node_modules")
	}
}
