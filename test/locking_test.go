package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/cli"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	double "github.com/mcpassay/mcpassay/test/registry"
	"github.com/mcpassay/mcpassay/test/virtual"
)

// bench is a project, the registries that it asks, and a Sigstore.
type locked struct {
	*testing.T
	*double.Server
	dir, state string
	env        map[string]string
	// at is the time, zero for now.
	at time.Time
}

const team = `version: "1"
servers:
  io.github.example/files: {version: "^1.2.0"}
  io.github.example/notes: {}
  com.example/remote: {}
`

func newLocked(t *testing.T, project string) *locked {
	t.Helper()
	v := virtual.New(t)
	p := &locked{T: t, Server: double.New(), dir: t.TempDir(), state: t.TempDir()}
	t.Cleanup(p.Close)
	p.Attest = func(kind, name, version, file, digest, workflow string) []byte {
		if kind == "npm" {
			return v.NPM(t, name, version, digest, workflow)
		}
		return v.PyPI(t, file, digest, workflow)
	}
	p.env = map[string]string{"MCPASSAY_REGISTRY": p.URL + "/ok", "npm_config_registry": p.URL + "/npm", "UV_DEFAULT_INDEX": p.URL + "/pypi/simple", "XDG_STATE_HOME": p.state}
	p.write("mcpassay.yaml", project)
	p.write("root.json", string(v.Root))
	return p
}

func (p *locked) write(name, text string) {
	p.Helper()
	path := filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.Fatal(err)
	}
}

func (p *locked) read(name string) string {
	raw, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		return ""
	}
	return string(raw)
}

// run runs a verb and gives its exit code and what it said.
func (p *locked) run(args ...string) (code int, out, errs string) {
	p.Helper()
	var stdout, stderr bytes.Buffer
	io := cli.OS()
	io.In, io.Out, io.Err, io.Cwd, io.Home = strings.NewReader(""), &stdout, &stderr, p.dir, filepath.Join(p.dir, "home")
	getenv := io.Getenv
	io.Getenv = func(name string) string {
		if v, ok := p.env[name]; ok {
			return v
		}
		if strings.HasPrefix(strings.ToLower(name), "npm_") || strings.HasPrefix(name, "XDG_") {
			return ""
		}
		return getenv(name)
	}
	environ := io.Environ
	io.Environ = func() []string { // npm takes its settings in any case of their names
		return slices.DeleteFunc(environ(), func(kv string) bool { return strings.HasPrefix(strings.ToLower(kv), "npm_") })
	}
	if !p.at.IsZero() {
		io.Now = func() time.Time { return p.at }
	}
	if slices.Contains([]string{"lock", "verify"}, args[0]) {
		args = append(args, "--trusted-root", "root.json")
	}
	code = cli.Main(args, io)
	return code, stdout.String(), stderr.String()
}

// want runs a verb that must answer so.
func (p *locked) want(code int, args ...string) (out, errs string) {
	p.Helper()
	got, out, errs := p.run(args...)
	if got != code {
		p.Fatalf("%v: exit %d, want %d\n%s%s", args, got, code, out, errs)
	}
	return out, errs
}

// verdict is what verify --json says.
type verdict struct {
	SchemaVersion     int
	OK                bool
	Verified          int
	CheckedNpmCount   int
	NoBaselines       bool
	Blocked           []block
	Unenforceable     []string
	ProvenanceBlocked []block

	CheckedProvenanceCount int
	Uncovered              []string
	Vacuous                bool
	Error                  string

	Unpinned                          []string
	VerifiedPackages, CheckedPackages int
	Offline                           bool
	AgeSeconds                        int64
}

type block struct{ Name, Reason, Identifier, NpmVersion, Detail string }

func (p *locked) verify(code int, args ...string) verdict {
	p.Helper()
	out, _ := p.want(code, append([]string{"verify", "--json"}, args...)...)
	var v verdict
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		p.Fatalf("%v\n%s", err, out)
	}
	if v.SchemaVersion != 1 || v.OK != (code == 0) {
		p.Errorf("%+v", v)
	}
	return v
}

func (p *locked) lock() *lock.Lock {
	p.Helper()
	l, err := lock.Read("mcpassay.lock", []byte(p.read("mcpassay.lock")), limits.Default)
	if err != nil {
		p.Fatal(err)
	}
	return l
}

func TestLockWritesDownToTheByteWhatAProjectWants(t *testing.T) {
	p := newLocked(t, team)
	out, _ := p.want(0, "lock")
	for _, want := range []string{"io.github.example/files: added: npm @example/files 1.10.0", "io.github.example/notes: added: pypi example-notes 0.3.0", "note: io.github.example/notes 0.3.0 is deprecated",
		"unenforceable: com.example/remote", "mcpassay.lock: 3 servers, written"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, double.Secret) {
		t.Error("a publisher's secret is printed")
	}
	l := p.lock()
	files := l.Get("io.github.example/files")
	if got := strings.Join(files.Launch.Args, " "); files.Launch.Command != "npx" || got != "-y @example/files@1.10.0 --root ${folder}" || !slices.Equal(files.Launch.Env, []string{"ROOT"}) {
		t.Errorf("%+v", files.Launch)
	}
	if r := files.Record; r.Version != "1.10.0" || r.Status != "active" || r.Registry != p.URL+"/ok" || !files.Unpinned {
		t.Errorf("%+v", r)
	}
	if g := files.Package; len(g.Files) != 1 || !strings.HasPrefix(g.Files[0].Hashes[0], "sha512:") || g.Provenance.Status != lock.Verified || g.Provenance.Signer != double.Workflow {
		t.Errorf("%+v", g)
	}
	notes := l.Get("io.github.example/notes")
	if len(notes.Package.Files) != 2 || notes.Launch.Command != "uvx" || notes.Launch.Args[0] != "example-notes===0.3.0" || notes.Package.Provenance.Status != lock.Verified {
		t.Errorf("%+v", notes)
	}
	if l.Get("com.example/remote").Launch.URL != "https://mcp.example.com/mcp" || l.Get("com.example/remote").Package != nil {
		t.Error("the remote server is another")
	}
	// The same input gives the same bytes: again, and from nothing.
	first := p.read("mcpassay.lock")
	if out, _ := p.want(0, "lock"); !strings.Contains(out, "unchanged") || p.read("mcpassay.lock") != first {
		t.Error("a second run changes it")
	}
	os.Remove(filepath.Join(p.dir, "mcpassay.lock"))
	if p.want(0, "lock"); p.read("mcpassay.lock") != first {
		t.Error("from nothing it is another")
	}
	v := p.verify(0)
	if v.Verified != 1 || v.CheckedNpmCount != 1 || v.NoBaselines || len(v.Blocked)+len(v.ProvenanceBlocked)+len(v.Uncovered) > 0 || !slices.Equal(v.Unenforceable, []string{"com.example/remote"}) ||
		v.CheckedProvenanceCount != 2 || v.Vacuous || len(v.Unpinned) != 3 || v.VerifiedPackages != 2 || v.CheckedPackages != 2 || v.Offline {
		t.Errorf("%+v", v)
	}
}

// mcpm-contracts, "verify --json, schema version 1": each reason, and exit 1.
func TestVerifyStopsAtEveryReasonOfTheContract(t *testing.T) {
	p := newLocked(t, team)
	p.want(0, "lock")
	one := func(all []block, name, reason string) bool {
		return len(all) == 1 && all[0].Name == name && all[0].Reason == reason && all[0].Detail != ""
	}
	for _, c := range []struct{ what, how, name, reason string }{
		{"npm", "bytes", "io.github.example/files", "drift"}, {"npm", "format", "io.github.example/files", "format"}, {"npm", "sha1", "io.github.example/files", "format"},
		{"npm", "down", "io.github.example/files", "could-not-verify"}, {"pypi", "bytes", "io.github.example/notes", "drift"}, {"pypi", "new file", "io.github.example/notes", "drift"},
		{"pypi", "gone file", "io.github.example/notes", "drift"}, {"registry", "record", "io.github.example/files", "record-changed"}, {"registry", "deleted", "io.github.example/files", "deleted"},
		{"registry", "package", "io.github.example/files", "record-changed"},
	} {
		p.Set(c.what, c.how)
		v := p.verify(1)
		if !one(v.Blocked, c.name, c.reason) || len(v.ProvenanceBlocked) > 0 {
			t.Errorf("%s %s: %+v", c.what, c.how, v)
		}
		if b := v.Blocked; len(b) > 0 && (b[0].Identifier == "" || b[0].NpmVersion == "") {
			t.Errorf("%s %s: %+v", c.what, c.how, b[0])
		}
		p.Set(c.what, "")
	}
	for _, c := range []struct{ what, how, name, reason string }{
		{"npm", "unattested", "io.github.example/files", "regression"}, {"npm", "attestations down", "io.github.example/files", "unverifiable"}, {"npm", "badly attested", "io.github.example/files", "unverifiable"},
		{"npm", "built by a stranger", "io.github.example/files", "signer-changed"}, {"pypi", "built by a stranger", "io.github.example/notes", "signer-changed"}, {"pypi", "unattested", "io.github.example/notes", "regression"},
	} {
		p.Set(c.what, c.how)
		if v := p.verify(1); !one(v.ProvenanceBlocked, c.name, c.reason) || len(v.Blocked) > 0 || v.CheckedProvenanceCount != 2 {
			t.Errorf("%s %s: %+v", c.what, c.how, v)
		}
		p.Set(c.what, "")
	}
	p.Set("registry", "down")
	if v := p.verify(1); len(v.Blocked) != 3 || v.Blocked[0].Reason != "could-not-verify" {
		t.Errorf("%+v", v)
	}
	p.Set("registry", "")
	p.Set("registry", "deprecated")
	if out, _ := p.want(0, "verify"); !strings.Contains(out, "deprecated: leaks file names") {
		t.Errorf("what is deprecated is not said:\n%s", out)
	}
	p.Set("registry", "")
	// uncovered: what is declared and is not in the lock as it is declared.
	for yaml, name := range map[string]string{
		team + "  com.example/moving: {}\n":                                        "com.example/moving",
		strings.Replace(team, "^1.2.0", "^2.0.0", 1):                               "io.github.example/files",
		strings.Replace(team, "remote: {}", "remote: {url: https://x.example}", 1): "com.example/remote",
	} {
		p.write("mcpassay.yaml", yaml)
		if v := p.verify(1); !slices.Contains(v.Uncovered, name) {
			t.Errorf("%s: %+v", yaml, v)
		}
	}
	// A project file that says more than the lock starts.
	p.write("mcpassay.yaml", strings.Replace(team, `"^1.2.0"`, `"^1.2.0", args: ["--more"]`, 1))
	if v := p.verify(1); !one(v.Blocked, "io.github.example/files", "launch-changed") {
		t.Errorf("%+v", v)
	}
	p.write("mcpassay.yaml", team)
	// vacuous: an empty lock without a project file that says so; and no lock at all.
	whole := p.read("mcpassay.lock")
	p.write("mcpassay.lock", string((&lock.Lock{}).Encode()))
	p.write("mcpassay.yaml", "version: \"1\"\n")
	if v := p.verify(1); !v.Vacuous {
		t.Errorf("%+v", v)
	}
	p.write("mcpassay.yaml", "version: \"1\"\nservers: {}\n")
	if v := p.verify(0); v.Vacuous {
		t.Errorf("%+v", v)
	}
	os.Remove(filepath.Join(p.dir, "mcpassay.lock"))
	if v := p.verify(1); v.Error == "" {
		t.Errorf("%+v", v)
	}
	// missing-baseline, and noBaselines, where a lock of npm packages knows none of their bytes.
	p.write("mcpassay.yaml", team)
	p.write("mcpassay.lock", whole)
	l := p.lock()
	l.Get("io.github.example/files").Package.Files = nil
	p.write("mcpassay.lock", string(l.Encode()))
	if v := p.verify(1); !one(v.Blocked, "io.github.example/files", "missing-baseline") || !v.NoBaselines || v.CheckedNpmCount != 0 {
		t.Errorf("%+v", v)
	}
	p.Set("npm", "sha1") // and where there is nothing to know them by, it is listed and stops nothing
	if v := p.verify(0); !slices.Contains(v.Unenforceable, "io.github.example/files") || !v.NoBaselines {
		t.Errorf("%+v", v)
	}
	if v := p.verify(1, "--profile", "strict"); !slices.Contains(v.Unenforceable, "io.github.example/files") {
		t.Errorf("%+v", v)
	}
}

func TestVerifyOfflineTakesWhatWasKeptAndSaysHowOldItIs(t *testing.T) {
	p := newLocked(t, team)
	p.want(0, "lock")
	asked := len(p.Asked())
	p.at = time.Now().Add(49 * time.Hour)
	v := p.verify(0, "--offline")
	if !v.Offline || v.AgeSeconds < 48*3600 || v.Verified != 1 || v.CheckedProvenanceCount != 2 {
		t.Errorf("%+v", v)
	}
	out, _ := p.want(0, "verify", "--offline")
	if !strings.Contains(out, "2 days old") {
		t.Errorf("it does not say how old:\n%s", out)
	}
	if len(p.Asked()) != asked {
		t.Errorf("somebody was asked: %v", p.Asked()[asked:])
	}
	p.at = time.Time{}
	p.env["XDG_STATE_HOME"] = t.TempDir()
	if v := p.verify(1, "--offline"); len(v.Blocked) != 3 || v.Blocked[0].Reason != "could-not-verify" {
		t.Errorf("without what was kept: %+v", v)
	}
}

// All or nothing: one server that can not be locked, and no byte is written.
func TestLockWritesAllOrNothing(t *testing.T) {
	for name, want := range map[string]string{
		"com.example/gone":                                                "deleted",
		"com.example/never-was":                                           "there is no com.example/never-was",
		"com.example/moving":                                              "latest",
		"com.example/crate":                                               "no client starts a package of the type",
		"com.example/bundle":                                              "no client starts a package of the type",
		`io.github.example/files: {version: 1.1.0}#`:                      "deleted",
		`io.github.example/files: {version: 1.9.0}#`:                      "there is no npm package @example/files 1.9.0",
		`io.github.example/files: {version: "^7"}#`:                       "there is no io.github.example/files ^7",
		`io.github.example/files: {version: "zz z"}#`:                     "there is no io.github.example/files",
		`nobody: {}#`:                                                     "its name alone",
		`a: {package: "npm:impostor"}#`:                                   "about another package",
		`a: {package: "npm:odd"}#`:                                        "integrity",
		`a: {package: "npm:nobody"}#`:                                     "there is no npm package nobody",
		`a: {command: node, args: ["--token", "` + double.Secret + `"]}#`: "secret",
		`a: {package: "oci:127.0.0.1:1/example/box"}#`:                    "neither a tag nor a digest",
		`a: {package: "pypi:bad-digest"}#`:                                "sha256",
	} {
		p := newLocked(t, "version: \"1\"\nservers:\n  io.github.example/notes: {}\n  "+strings.TrimSuffix(name, "#")+map[bool]string{true: "\n", false: ": {}\n"}[strings.HasSuffix(name, "#")])
		out, errs := p.want(1, "lock")
		if !strings.Contains(errs, want) || strings.Contains(errs+out, double.Secret) || p.read("mcpassay.lock") != "" {
			t.Errorf("%s: want %q in\n%s%s", name, want, out, errs)
		}
		out, _ = p.want(1, "lock", "--json")
		var m struct {
			OK      bool
			Refused []struct{ Name, Reason, Detail string }
			Error   string
		}
		if err := json.Unmarshal([]byte(out), &m); err != nil || m.OK || m.Error == "" {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// Whatever is wrong with a registry, nothing is written and it is said: one test for every fault of the double.
func TestLockMakesNothingOfABadRegistry(t *testing.T) {
	for _, mode := range []string{"404", "429", "500", "422", "redirect", "oversize", "cut-off", "web-page", "not-json", "no-list", "wrong-types", "other", "no-meta"} {
		p := newLocked(t, team)
		p.env["MCPASSAY_REGISTRY"] = p.URL + "/" + mode
		code, out, errs := p.run("lock")
		if mode == "no-meta" { // what the registry itself says of a version is not there: nothing says that it may not be used
			if code != 0 {
				t.Errorf("%s: exit %d\n%s%s", mode, code, out, errs)
			}
			continue
		}
		if code != 1 || p.read("mcpassay.lock") != "" || !strings.Contains(errs, "nothing was locked") || strings.Contains(out+errs, double.Secret) {
			t.Errorf("%s: exit %d\n%s%s", mode, code, out, errs)
		}
	}
	p := newLocked(t, team)
	p.want(0, "lock")
	was := p.read("mcpassay.lock")
	p.Close()
	for _, args := range [][]string{{"lock"}, {"verify"}} {
		if _, errs := p.want(1, args...); p.read("mcpassay.lock") != was || strings.Contains(errs, "panic") {
			t.Errorf("%v: %s", args, errs)
		}
	}
}

func TestALockedVersionStaysUntilItIsUpgraded(t *testing.T) {
	p := newLocked(t, strings.Replace(team, "^1.2.0", "1.0.0", 1))
	p.want(0, "lock")
	p.write("mcpassay.yaml", strings.Replace(team, "^1.2.0", "^1.0.0", 1))
	if out, _ := p.want(0, "lock"); !strings.Contains(out, "files: unchanged: npm @example/files 1.0.0") {
		t.Error(out)
	}
	if out, _ := p.want(0, "lock", "--upgrade", "--dry-run"); !strings.Contains(out, "npm @example/files 1.0.0 -> npm @example/files 1.10.0") || !strings.Contains(out, "would be written") || p.lock().Get("io.github.example/files").Record.Version != "1.0.0" {
		t.Error(out)
	}
	p.want(0, "lock", "--upgrade")
	if v := p.lock().Get("io.github.example/files").Record.Version; v != "1.10.0" {
		t.Error(v)
	}
	// What is not declared any more and was locked goes; what was pinned stays.
	l := p.lock()
	l.Put(&lock.Server{Name: "mine", Launch: lock.Launch{Transport: "stdio", Command: "node"}})
	p.write("mcpassay.lock", string(l.Encode()))
	p.write("mcpassay.yaml", "version: \"1\"\nservers:\n  com.example/remote: {}\n")
	if out, _ := p.want(0, "lock"); !strings.Contains(out, "files: removed") || p.lock().Get("mine") == nil || p.lock().Get("io.github.example/files") != nil {
		t.Error(out)
	}
}

func TestWhatWasLockedGivesWayOnlyToAPersonWhoSaysSo(t *testing.T) {
	p := newLocked(t, team)
	p.want(0, "lock")
	l := p.lock()
	s := *l.Get("io.github.example/files") // it is pinned and approved
	s.Unpinned = false
	l.Put(&s)
	l.Approvals = []lock.Approval{{Server: s.Name, Launch: s.LaunchDigest(), Surface: s.SurfaceDigest(), By: "ada", At: "2026-12-01T00:00:00Z"}}
	approved := string(l.Encode())
	p.write("mcpassay.lock", approved)
	p.want(0, "lock")
	if p.read("mcpassay.lock") != approved {
		t.Fatal("what was approved of an unchanged launch is gone")
	}
	for _, c := range []struct{ what, how, reason string }{
		{"npm", "bytes", "drift"}, {"npm", "format", "drift"}, {"npm", "built by a stranger", "signer-changed"}, {"registry", "record", "record-changed"}, {"pypi", "new file", "drift"},
	} {
		p.Set(c.what, c.how)
		out, _ := p.want(1, "lock", "--json")
		if !strings.Contains(out, `"reason": "`+c.reason+`"`) || p.read("mcpassay.lock") != approved {
			t.Errorf("%s %s:\n%s", c.what, c.how, out)
		}
		p.Set(c.what, "")
	}
	// A verified signer stays where nobody can be verified any more.
	p.Set("npm", "unattested")
	if out, _ := p.want(0, "lock"); !strings.Contains(out, "what was verified stays") || p.read("mcpassay.lock") != approved {
		t.Error(out)
	}
	p.Set("npm", "")
	// Another launch of an approved server needs a word, and an approval of its own.
	p.write("mcpassay.yaml", strings.Replace(team, `"^1.2.0"`, `"1.0.0"`, 1))
	if out, _ := p.want(1, "lock", "--json"); !strings.Contains(out, `"reason": "approved"`) || p.read("mcpassay.lock") != approved {
		t.Error(out)
	}
	p.want(0, "lock", "--replace")
	if l = p.lock(); l.Was(s.Name) == nil || !l.Get(s.Name).Unpinned || l.Get(s.Name).Record.Version != "1.0.0" {
		t.Errorf("%s", l.Encode())
	}
	if _, _, errs := p.run("verify"); strings.Contains(errs, "panic") {
		t.Error(errs)
	}
	if v := p.verify(1); len(v.Blocked) == 0 || v.Blocked[0].Reason != "drift/unapproved" {
		t.Errorf("%+v", v)
	}
	// A version that nobody signs after one that somebody did.
	q := newLocked(t, strings.Replace(team, "^1.2.0", "1.0.0", 1))
	q.want(0, "lock")
	q.write("mcpassay.yaml", team)
	q.Set("npm", "unattested")
	if out, _ := q.want(1, "lock", "--json"); !strings.Contains(out, `"reason": "regression"`) {
		t.Error(out)
	}
	q.Set("npm", "built by a stranger")
	if out, _ := q.want(1, "lock", "--json"); !strings.Contains(out, `"reason": "signer-changed"`) {
		t.Error(out)
	}
	q.want(0, "lock", "--replace")
	if got := q.lock().Get("io.github.example/files").Package.Provenance.Signer; got != double.Stranger {
		t.Error(got)
	}
}

// A lock that a repository brings may hold what no verb wrote: what it starts is held to what it says it is.
func TestALockThatStartsSomethingElseThanItsPackageIsStopped(t *testing.T) {
	p := newLocked(t, team)
	p.want(0, "lock")
	good := p.lock()
	for what, change := range map[string]func(*lock.Server){
		"another package": func(s *lock.Server) { s.Launch.Args[1] = "evil@1.10.0" },
		"another version": func(s *lock.Server) { s.Launch.Args[1] = "@example/files@1.0.0" },
		"another program": func(s *lock.Server) { s.Launch.Command = "sh" },
		"a variable": func(s *lock.Server) {
			s.Launch.Env, s.Launch.Values = []string{"NODE_OPTIONS"}, map[string]string{"NODE_OPTIONS": "-r ./x"}
		},
		"a package before it":          func(s *lock.Server) { s.Launch.Args = slices.Insert(s.Launch.Args, 1, "evil") },
		"a folder":                     func(s *lock.Server) { s.Launch.Cwd = "/tmp" },
		"another record":               func(s *lock.Server) { s.Record.Digest = s.LaunchDigest() },
		"a package of another record":  func(s *lock.Server) { s.Record.Version = "1.0.0" },
		"another identifier":           func(s *lock.Server) { s.Package.Identifier = "@example/other" },
		"another type":                 func(s *lock.Server) { s.Package.Type = "mcpb" },
		"a value that no record gives": func(s *lock.Server) { s.Record.Values = map[string]string{"ROOT": "/"} },
		"an image without a digest":    func(s *lock.Server) { s.Package.Type, s.Package.Files = "oci", nil },
	} {
		for _, yaml := range []string{team, "version: \"1\"\nservers: {}\n"} {
			l := p.lock()
			change(l.Get("io.github.example/files"))
			p.write("mcpassay.lock", string(l.Encode()))
			p.write("mcpassay.yaml", yaml)
			if v := p.verify(1); len(v.Blocked) == 0 {
				t.Errorf("%s: %+v", what, v)
			}
			p.write("mcpassay.lock", string(good.Encode()))
		}
	}
	p.write("mcpassay.yaml", "version: \"1\"\nservers: {}\n")
	if v := p.verify(0); v.Verified != 1 { // what a project file adds behind is its own
		t.Errorf("%+v", v)
	}
}

func TestLockHoldsImagesByDigestAndPackagesWithoutARecord(t *testing.T) {
	p := newLocked(t, "")
	host := strings.TrimPrefix(p.URL, "http://")
	p.write("mcpassay.yaml", fmt.Sprintf("version: \"1\"\nservers:\n  com.example/container: {}\n  mine: {package: \"npm:@example/files\", version: \"^1.0.0\", args: [\"--x\"]}\n  box: {package: \"oci:%s/example/box\", version: \"1.0.0\"}\n  local: {command: node, args: [server.js]}\n  there: {url: \"https://mcp.example.com/mcp\", headers: {X-Key: {secret: true}}}\n", host))
	p.want(0, "lock", "--allow-private-network")
	l := p.lock()
	for name, want := range map[string]string{
		"com.example/container": "docker run --rm -i " + host + "/example/box@" + double.ManifestDigest(), "box": "docker run --rm -i " + host + "/example/box@" + double.ManifestDigest(),
		"mine": "npx -y @example/files@1.10.0 --x", "local": "node server.js",
	} {
		if s := l.Get(name); strings.Join(append([]string{s.Launch.Command}, s.Launch.Args...), " ") != want {
			t.Errorf("%s: %+v", name, s.Launch)
		}
	}
	if s := l.Get("there"); s.Launch.URL != "https://mcp.example.com/mcp" || !slices.Equal(s.Launch.Headers, []string{"x-key"}) {
		t.Errorf("%+v", s)
	}
	v := p.verify(0, "--allow-private-network")
	if v.VerifiedPackages != 3 || v.Verified != 1 || !slices.Equal(v.Unenforceable, []string{"local", "there"}) {
		t.Errorf("%+v", v)
	}
	if v := p.verify(0, "--offline"); v.VerifiedPackages != 3 {
		t.Errorf("%+v", v)
	}
	// Without leave a record's registry is no way into this machine.
	if v := p.verify(1); len(v.Blocked) != 2 {
		t.Errorf("%+v", v)
	}
	l.Get("box").Package.Files[0].Name = host + "/evil/box@" + double.ManifestDigest()
	l.Get("box").Launch.Args[3] = l.Get("box").Package.Files[0].Name
	p.write("mcpassay.lock", string(l.Encode()))
	if v := p.verify(1, "--allow-private-network"); len(v.Blocked) != 1 || v.Blocked[0].Reason != "drift" {
		t.Errorf("an image under another name: %+v", v)
	}
}

func TestALoginToARegistryIsInNoLock(t *testing.T) {
	p := newLocked(t, "version: \"1\"\nservers:\n  io.github.example/notes: {}\n")
	p.env["UV_DEFAULT_INDEX"] = strings.Replace(p.URL, "http://", "http://ada:hunter2@", 1) + "/pypi/simple"
	code, out, errs := p.run("lock")
	if strings.Contains(p.read("mcpassay.lock")+out+errs, "hunter2") {
		t.Errorf("exit %d: %s%s%s", code, p.read("mcpassay.lock"), out, errs)
	}
}

func TestEveryKeyOfTheVerdictIsThere(t *testing.T) {
	p := newLocked(t, team)
	p.want(0, "lock")
	out, _ := p.want(0, "verify", "--json")
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(out), &m); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"schemaVersion", "ok", "verified", "checkedNpmCount", "noBaselines", "blocked", "unenforceable", "provenanceBlocked", "checkedProvenanceCount", "uncovered", "vacuous"} {
		if v, ok := m[key]; !ok || string(v) == "null" {
			t.Errorf("%s is not there: %v", key, slices.Sorted(maps.Keys(m)))
		}
	}
}

// A project file that is named has its lock beside it: another project's holds what this one does not declare.
func TestALockLiesBesideItsProjectFile(t *testing.T) {
	p := newLocked(t, team)
	p.want(0, "lock")
	root := p.read("mcpassay.lock")
	if err := os.Mkdir(filepath.Join(p.dir, "other"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.write("other/mcpassay.yaml", "version: \"1\"\nservers:\n  com.example/remote: {}\n")
	p.want(0, "lock", "-f", "other/mcpassay.yaml")
	if p.read("mcpassay.lock") != root || !strings.Contains(p.read("other/mcpassay.lock"), "com.example/remote") {
		t.Error("it wrote another project's lock")
	}
}

// What a repository brings beside its lock may make npx run other bytes than the lock holds: a setting of npm that moves it stops
// every verb, and a copy of the package in node_modules is listed as what nothing holds.
func TestARepositoryCanNotLeadNPMPastItsLock(t *testing.T) {
	p := newLocked(t, "version: \"1\"\nservers:\n  files: {package: \"npm:@example/files\", version: 1.0.0}\n")
	p.want(0, "lock")
	if v := p.verify(0); !v.OK || len(v.Unenforceable) > 0 {
		t.Fatalf("%+v", v)
	}
	for _, words := range []string{"\"@example:registry\"=https://evil.example/\n", "# x\r@example:registry=https://evil.example/\n", "cache=./cache\n", "globalconfig=./more\n", "package=evil\n"} {
		p.write(".npmrc", words)
		if v := p.verify(1); v.OK || len(v.Blocked) != 1 || v.Blocked[0].Reason != "could-not-verify" {
			t.Errorf("%q: %+v", words, v)
		}
	}
	p.write(".npmrc", "engine-strict=true\n")
	p.verify(0)
	p.write("node_modules/@example/files/package.json", `{"name":"@example/files","version":"1.0.0"}`)
	if v := p.verify(0); !v.OK || len(v.Unenforceable) != 1 {
		t.Errorf("%+v", v)
	}
	if out, errs := p.want(0, "verify"); !strings.Contains(out+errs, "node_modules/@example/files") {
		t.Errorf("%s%s", out, errs)
	}
	p.verify(1, "--profile", "strict")
}
