package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// tree makes files below a folder: "a/b" an empty file, "a/b=text" one with a text, "a/b!text" a program, "a/b->c" a link.
func tree(t *testing.T, root string, files ...string) {
	t.Helper()
	for _, f := range files {
		name, to, link := strings.Cut(f, "->")
		name, text, program := strings.Cut(name, "!")
		if !program {
			name, text, _ = strings.Cut(name, "=")
		}
		path := filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		switch {
		case err != nil:
		case link:
			err = os.Symlink(to, path)
		default:
			err = os.WriteFile(path, []byte(text), 0o700)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestAProfileFollowsTheInterpreter(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(root, "home")
	tree(t, home,
		".nvm/versions/node/v20.1.0/bin/node!ELF", ".nvm/versions/node/v20.1.0/lib/node_modules/npm/bin/npx-cli.js!#!/usr/bin/env node\n",
		".nvm/versions/node/v20.1.0/bin/npx->../lib/node_modules/npm/bin/npx-cli.js", ".nvm/current->versions/node/v20.1.0",
		".pyenv/shims/python3!#!/usr/bin/env bash\n", ".pyenv/versions/3.12.1/bin/python3!ELF",
		".volta/bin/tsx->volta-shim", ".volta/bin/volta-shim!ELF",
		".local/bin/tool!ELF", ".local/lib/libtool.so=", ".local/share/keyrings/login.keyring=",
		".local/bin/uvtool->../share/uv/tools/uvtool/bin/uvtool", ".local/share/uv/tools/uvtool/bin/uvtool!#!"+home+"/.local/share/uv/tools/uvtool/bin/python\n",
		".local/share/uv/tools/uvtool/bin/python->"+home+"/.local/share/uv/python/cpython-3.12/bin/python3.12", ".local/share/uv/python/cpython-3.12/bin/python3.12!ELF",
		"bin/mine!ELF", "lone.py=", "docs/private.txt=", ".ssh/id_rsa=k",
		"work/server/package.json={}", "work/server/dist/index.js=", "work/loose/server.py=", "work/app/node_modules/@x/server/dist/index.js=",
		"work/app/node_modules/@x/server/node_modules/y/index.js=", "work/app/node_modules/.bin/server->../@x/server/dist/index.js",
		"work/venv/pyvenv.cfg=", "work/venv/bin/python->"+home+"/.pyenv/versions/3.12.1/bin/python3", "work/link->"+home+"/.ssh", "work/evil->"+home+"/.ssh/id_rsa", "work/evil.js->"+home+"/.ssh/id_rsa")
	nvm := home + "/.nvm/versions/node/v20.1.0"
	path := strings.Join([]string{nvm + "/bin", home + "/.pyenv/shims", home + "/.volta/bin", home + "/.local/bin", home + "/bin", "/usr/bin", "/bin"}, ":")
	for _, c := range []struct {
		argv      []string
		workspace []string
		opened    []string // and no others, below home
		env       string
	}{
		{argv: []string{"node", home + "/work/server/dist/index.js"}, opened: []string{nvm, home + "/work/server"}},
		{argv: []string{"npx", "-y", "some-server"}, opened: []string{nvm}},
		{argv: []string{home + "/.nvm/current/bin/node"}, opened: []string{home + "/.nvm/current", nvm}},
		{argv: []string{"python3", "-m", "server"}, opened: []string{home + "/.pyenv"}, env: "PYENV_ROOT=" + home + "/.pyenv"},
		{argv: []string{"tsx", home + "/lone.py"}, opened: []string{home + "/.volta", home + "/lone.py"}, env: "VOLTA_HOME=" + home + "/.volta"},
		{argv: []string{"tool"}, opened: []string{home + "/.local/bin/tool", home + "/.local/lib"}},
		{argv: []string{"uvtool"}, opened: []string{home + "/.local/bin/uvtool", home + "/.local/share/uv/tools/uvtool", home + "/.local/share/uv/python/cpython-3.12"}},
		{argv: []string{"mine"}, opened: []string{home + "/bin/mine"}},
		{argv: []string{"node", "--inspect", home + "/work/app/node_modules/@x/server/node_modules/y/index.js"}, opened: []string{nvm, home + "/work/app/node_modules"}},
		{argv: []string{home + "/work/app/node_modules/.bin/server"}, opened: []string{home + "/work/app/node_modules"}},
		{argv: []string{home + "/work/venv/bin/python", home + "/work/loose/server.py"}, opened: []string{home + "/work/venv", home + "/.pyenv/versions/3.12.1", home + "/work/loose"}},
		{argv: []string{"node", home + "/docs", home}, opened: []string{nvm}}, // folders of documents are no part of a program
		{argv: []string{"env", "A=b", "node", home + "/work/server/dist/index.js"}, opened: []string{nvm, home + "/work/server"}},
		{argv: []string{home + "/work/evil"}, opened: []string{home + "/work"}}, // a link to a key opens no key
		{argv: []string{"node", home + "/work/evil.js"}, opened: []string{nvm}},
		{argv: []string{"node"}, workspace: []string{home + "/docs"}, opened: []string{nvm, home + "/docs"}},
	} {
		s := Spec{Argv: c.argv, Workspace: c.workspace, Parent: []string{"HOME=" + home, "PATH=" + path}, Limits: limits.Default}
		n, err := s.needs(s.Parent)
		if err != nil {
			t.Errorf("%q: %v", c.argv, err)
			continue
		}
		var got []string
		for _, p := range existing(n.read) {
			if within(p, root) {
				got = append(got, p)
			}
		}
		want := existing(c.opened)
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%q opens %q, want %q", c.argv, got, want)
		}
		if c.env != "" && !slices.Contains(n.env, c.env) {
			t.Errorf("%q: %q lacks %q", c.argv, n.env, c.env)
		}
	}
	for _, folder := range []string{home, root, "/", "/etc", "/etc/ssl", home + "/.ssh", home + "/work/link", home + "/.local/share", "/proc/self", "/home", "/var", "/root"} {
		s := Spec{Argv: []string{"node"}, Workspace: []string{folder}, Parent: []string{"HOME=" + home, "PATH=" + path}, Limits: limits.Default}
		var r *Refusal
		if _, err := s.needs(s.Parent); !errors.As(err, &r) {
			if _, err := os.Stat(folder); err == nil {
				t.Errorf("%s is opened: %v", folder, err)
			}
		}
	}
}

// TestAShimRunsInTheSandbox starts the stand-in of a version manager, a script that looks the real program up.
func TestAShimRunsInTheSandbox(t *testing.T) {
	for _, b := range []Backend{Landlock, Bubblewrap} {
		t.Run(string(b), func(t *testing.T) {
			need(t, b)
			home, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			tree(t, home, ".pyenv/shims/python3!#!/usr/bin/env bash\nexec \"$PYENV_ROOT/versions/$(cat \"$PYENV_ROOT/version\")/bin/python3\" \"$@\"\n",
				".pyenv/version=3.12.1", ".pyenv/versions/3.12.1/bin/python3!#!/bin/sh\necho real $1; read x; cat ~/.ssh/id_rsa "+home+"/.ssh/id_rsa 2>/dev/null; echo done\n", ".ssh/id_rsa=key")
			c := start(t, Spec{Executor: b, Argv: []string{"python3", "arg"}, Limits: quick(), Parent: []string{"HOME=" + home, "PATH=" + home + "/.pyenv/shims:/usr/bin:/bin"}})
			if got := next(t, c); got != "real arg" {
				t.Error(got)
			}
			if err := c.WriteLine(nil); err != nil {
				t.Error(err)
			}
			if got := next(t, c); got != "done" {
				t.Error(got)
			}
		})
	}
}

func TestWhatAServerCanNotRunIsSaidOnItsStandardError(t *testing.T) {
	need(t, Landlock)
	dir := t.TempDir()
	tree(t, dir, "bin/server!#!/nowhere/interpreter\n")
	s := Spec{Executor: Landlock, Argv: []string{dir + "/bin/server"}, Limits: quick(), Parent: os.Environ()}
	p, err := New(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Cleanup()
	exit, stderr, err := proc.Run(t.Context(), p.Command, s.Limits)
	if err != nil || exit.Code != failed || !strings.Contains(string(stderr), "mcpassay: sandbox: start "+dir) {
		t.Errorf("%+v %q %v", exit, stderr, err)
	}
}
