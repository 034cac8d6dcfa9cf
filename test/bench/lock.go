//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/cli"
	"github.com/mcpassay/mcpassay/internal/flow/pin"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/test/registry"
	"github.com/mcpassay/mcpassay/test/virtual"
)

// mostOfWire is how many times the JSON of the wire a lock may take.
const mostOfWire = 1.5

// locked makes a lock of so many approved servers with varied tools, as makers write them, and what the tools took on the
// wire. change may make other cards of some.
func locked(servers, each int, change func(i int, card string) string) (l *lock.Lock, wireBytes int, err error) {
	l = &lock.Lock{}
	for s := range servers {
		one := &lock.Server{Name: fmt.Sprintf("server-%02d", s), Protocol: lock.Protocol{Era: wire.EraLegacy, Revision: "2025-11-25"},
			Launch: lock.Launch{Transport: wire.Stdio, Command: "npx", Args: []string{"-y", fmt.Sprintf("@example/server-%d@1.4.0", s)}, Env: []string{"API_KEY"}}}
		for t := range each {
			i := s*each + t
			card := tool(i)
			if change != nil {
				card = change(i, card)
			}
			wireBytes += len(card)
			raw, err := canon.JSON([]byte(card))
			if err != nil {
				return nil, 0, err
			}
			name, _, _ := strings.Cut(strings.TrimPrefix(card, `{"name": "`), `"`)
			one.Items[wire.Tools] = append(one.Items[wire.Tools], lock.Item{Name: name, JSON: raw})
		}
		l.Put(one)
		pin.Approve(l, lock.Approval{Server: one.Name, Launch: one.LaunchDigest(), Surface: one.SurfaceDigest(), By: "ada", At: "2026-11-30T12:00:00Z"})
	}
	return l, wireBytes, nil
}

// approvedLock writes the lock of the budget, and holds its size against what was on the wire.
func approvedLock(dir string) error {
	l, wireBytes, err := locked(50, 40, nil)
	if err != nil {
		return err
	}
	raw := l.Encode()
	if ratio := float64(len(raw)) / float64(wireBytes); ratio > mostOfWire {
		return fmt.Errorf("the lock takes %.2f times the wire's JSON, more than %.1f", ratio, mostOfWire)
	}
	return write(filepath.Join(dir, lock.FileName), string(raw))
}

// tenApproved writes the ten servers, and a lock in which they are approved, with 40 tools each.
func tenApproved(dir string) error {
	if err := tenServers(dir); err != nil {
		return err
	}
	l, _, err := locked(len(tenFiles)*3, 40, nil)
	if err != nil {
		return err
	}
	home := filepath.Join(dir, "home")
	n := 0
	for name := range tenFiles {
		f := client.Identify(client.Where{Path: name, Root: dir, Env: client.Env{OS: "linux", Home: home, Getenv: func(string) string { return "" }}})
		f.Load([]byte(tenFiles[name]), limits.Default)
		for _, s := range f.Servers {
			one := l.Servers[n]
			if one.Launch, err = lock.LaunchOf(s, lock.Places{Project: dir, Home: home}); err != nil {
				return err
			}
			pin.Approve(l, lock.Approval{Server: one.Name, Launch: one.LaunchDigest(), Surface: one.SurfaceDigest(), By: "ada", At: "2026-11-30T12:00:00Z"})
			n++
		}
	}
	l.Servers = l.Servers[:n]
	l.Approvals = l.Approvals[:n]
	return write(filepath.Join(dir, lock.FileName), string(l.Encode()))
}

// twoLocks writes the lock of the budget, and one in which every tenth tool is another: a text, a bound, a hint.
func twoLocks(dir string) error {
	if err := approvedLock(dir); err != nil {
		return err
	}
	l, _, err := locked(50, 40, func(i int, card string) string {
		switch i % 30 {
		case 0:
			return strings.Replace(card, "by its identifier", "by its number", 1)
		case 10:
			return strings.Replace(card, `"minLength": 1`, `"minLength": 0`, 1)
		case 20:
			return strings.Replace(card, `"readOnlyHint": true`, `"readOnlyHint": false`, 1)
		}
		return card
	})
	if err != nil {
		return err
	}
	return write(filepath.Join(dir, "later.lock"), string(l.Encode()))
}

// asked is where a registry was that is gone by now.
const asked = "registry.txt"

// askedRegistry names the registries that lockedPackages asked: what they said was kept.
func askedRegistry(dir string) []string {
	url, err := os.ReadFile(filepath.Join(dir, asked))
	if err != nil {
		return nil
	}
	return []string{"MCPASSAY_REGISTRY=" + string(url) + "/ok", "npm_config_registry=" + string(url) + "/npm", "UV_DEFAULT_INDEX=" + string(url) + "/pypi/simple"}
}

// lockedPackages locks thirty servers of a registry, of npm and of PyPI, with a surface of twenty tools each.
func lockedPackages(dir string) error {
	s := registry.New()
	defer s.Close()
	return lockThirty(dir, s, func(i int) string {
		return "{server: io.github.example/" + [...]string{"files", "files", "notes"}[i%3] + "}"
	})
}

// trustedRoot is where the root is that vouches for who signed the packages of signedPackages.
const trustedRoot = "root.json"

// signedPackages is the same with thirty packages of npm, each signed by who built it, and eight clients beside.
func signedPackages(dir string) error {
	v := virtual.New(failing{})
	s := registry.New()
	defer s.Close()
	s.Attest = func(_, name, version, _, digest, workflow string) []byte {
		return v.NPM(failing{}, name, version, digest, workflow)
	}
	if err := eightClients(dir); err != nil {
		return err
	}
	if err := write(filepath.Join(dir, trustedRoot), string(v.Root)); err != nil {
		return err
	}
	return lockThirty(dir, s, func(i int) string {
		return fmt.Sprintf("{package: \"npm:@example/files-%02d\", version: 1.10.0}", i)
	}, "--trusted-root", trustedRoot)
}

// failing is what a Sigstore is made for where no test runs.
type failing struct{ testing.TB }

func (failing) Helper()           {}
func (failing) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

// lockThirty locks thirty servers that one writes into the project's file, and approves each with twenty tools.
func lockThirty(dir string, s *registry.Server, one func(i int) string, flags ...string) error {
	var b strings.Builder
	b.WriteString("version: \"1\"\nservers:\n")
	for i := range 30 {
		fmt.Fprintf(&b, "  server-%02d: %s\n", i, one(i))
	}
	if err := write(filepath.Join(dir, "mcpassay.yaml"), b.String()); err != nil {
		return err
	}
	if err := write(filepath.Join(dir, asked), s.URL); err != nil {
		return err
	}
	var out bytes.Buffer
	io := cli.OS()
	io.Out, io.Err, io.Cwd, io.Home = &out, &out, dir, filepath.Join(dir, "home")
	env := map[string]string{}
	for _, v := range askedRegistry(dir) {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	io.Getenv = func(name string) string { return env[name] }
	if code := cli.Main(append([]string{"lock"}, flags...), io); code != 0 {
		return fmt.Errorf("lock: exit %d: %s", code, out.String())
	}
	path := filepath.Join(dir, lock.FileName)
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	l, err := lock.Read(path, raw, limits.Default)
	if err != nil {
		return err
	}
	surfaces, _, err := locked(len(l.Servers), 20, nil)
	if err != nil {
		return err
	}
	for i, s := range l.Servers {
		one := *surfaces.Servers[i]
		one.Name, one.Launch, one.Package, one.Record = s.Name, s.Launch, s.Package, s.Record
		l.Put(&one)
		pin.Approve(l, lock.Approval{Server: one.Name, Launch: one.LaunchDigest(), Surface: one.SurfaceDigest(), By: "ada", At: "2026-11-30T12:00:00Z"})
	}
	return write(path, string(l.Encode()))
}
