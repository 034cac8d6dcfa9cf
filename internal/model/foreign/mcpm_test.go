package foreign

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/source"
)

func yaml(t *testing.T, text string) *source.Doc {
	t.Helper()
	doc, err := source.Parse("mcpm.yaml", []byte(text), source.YAML, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestAStackOfMCPMIsReadAsAProject(t *testing.T) {
	doc := yaml(t, `version: "1"
policy: {minTrustScore: 60, blockOnScoreDrop: true, minReleaseAgeHours: 24, blockInstallScripts: true, allowUrlServers: false, checkShadowing: false, frozen: true}
servers:
  io.github.example/files: {version: "^1.2.0", profiles: [dev], env: {TOKEN: {required: true, secret: true}, MODE: {default: fast}}}
  remote1: {url: "https://mcp.example.com/mcp"}
`)
	if StackForm(doc) != Stack {
		t.Errorf("it is taken for %q", StackForm(doc))
	}
	p, err := ReadStack(doc)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Servers) != 2 || p.Servers[0].Kind != project.Registry || p.Servers[0].Version != "^1.2.0" || p.Servers[1].Kind != project.Remote || len(p.Servers[0].Env) != 2 {
		t.Errorf("%+v", p.Servers)
	}
	if !p.Armed || p.Install.MinTrust != 60 || p.Install.MinReleaseAge != 24*time.Hour || !p.Install.BlockInstallScripts || p.Install.URLServers || strings.Join(p.Lacks, " ") != "policy.blockOnScoreDrop policy.frozen" {
		t.Errorf("%+v", p)
	}
	for text, want := range map[string]string{
		"version: \"1\"\nservers: {__proto__: {version: \"1\"}}\n":              "__proto__",
		"version: \"1\"\nservers: {a.b/c: {versions: \"1\"}}\n":                 "unknown key",
		"version: \"1\"\nservers: {}\npolicy: {minTrustScore: 101}\n":           "more than 100",
		"version: \"1\"\nservers: {}\npolicy: {minTrustScore: x}\n":             "no whole number",
		"version: \"1\"\nservers: {}\npolicy: {minReleaseAgeHours: 99999999}\n": "no time",
		"version: \"1\"\nservers: {}\npolicy: {blockInstallScripts: 1}\n":       "neither true nor false",
		"version: \"1\"\nservers: {}\nextra: 1\n":                               "no mcpm.yaml has",
		"version: \"2\"\nservers: {}\n":                                         "is not \"1\"",
	} {
		if _, err := ReadStack(yaml(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

const sri = "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="

func TestALockOfMCPMBecomesABaseline(t *testing.T) {
	doc := yaml(t, `lockfileVersion: 1
lockedAt: 2026-10-01T00:00:00Z
servers:
  io.github.example/files:
    version: 1.3.0
    packageVersion: 1.3.1
    registryType: npm
    identifier: "@example/files"
    trust: {score: 60, maxPossible: 80}
    npmIntegrity: {npmVersion: 1.3.1, integrity: `+sri+`}
    provenance: {npmVersion: 1.3.1, status: attested, verification: {outcome: verified, signerSan: "https://github.com/example/files/.github/workflows/release.yml@refs/heads/main", signerIssuer: "https://token.actions.githubusercontent.com"}}
  io.github.example/older: {version: 1.0.0, registryType: npm, identifier: older, npmIntegrity: {npmVersion: 1.0.0, integrity: `+sri+`}}
  io.github.example/notes: {version: 0.3.0, packageVersion: 0.3.0, registryType: pypi, identifier: example-notes}
  io.github.example/box: {version: 1.0.0, registryType: oci, identifier: "ghcr.io/example/box:1.0.0"}
  remote1: {url: "https://mcp.example.com/mcp"}
`)
	if StackForm(doc) != StackLock {
		t.Errorf("it is taken for %q", StackForm(doc))
	}
	all, err := Read(doc, Options{Places: lock.Places{Project: "/p"}})
	if err != nil {
		t.Fatal(err)
	}
	l := &lock.Lock{}
	for _, one := range all {
		l.Put(one.Server)
	}
	if f := lock.Open("mcpassay.lock", "/p/mcpassay.lock", l.Encode(), limits.Default); f.Err != nil {
		t.Fatalf("the lock can not be read: %v\n%s", f.Err, l.Encode())
	}
	files := l.Get("io.github.example/files")
	if files.Record.Version != "1.3.0" || files.Package.Version != "1.3.1" || len(files.Package.Files) != 1 || files.Package.Provenance.Status != lock.Verified ||
		!strings.HasSuffix(files.Package.Provenance.Signer, "release.yml@refs/heads/main") || strings.Join(files.Launch.Args, " ") != "-y @example/files@1.3.1" {
		t.Errorf("%+v %+v", files.Package, files.Launch)
	}
	if older := l.Get("io.github.example/older"); older.Package.Version != "1.0.0" || older.Package.Provenance.Status != "" {
		t.Errorf("%+v", older.Package)
	}
	if notes := l.Get("io.github.example/notes"); notes.Launch.Command != "uvx" || notes.Launch.Args[0] != "example-notes===0.3.0" || len(notes.Package.Files) != 0 {
		t.Errorf("%+v %+v", notes.Package, notes.Launch)
	}
	if box := l.Get("io.github.example/box"); box.Package.Version != "1.0.0" || box.Launch.Command != "docker" {
		t.Errorf("%+v %+v", box.Package, box.Launch)
	}
	if r := l.Get("remote1"); r.Launch.URL != "https://mcp.example.com/mcp" || r.Package != nil {
		t.Errorf("%+v", r)
	}
}

func TestALockOfMCPMThatContradictsItselfIsRefused(t *testing.T) {
	const npm = "servers:\n  a.b/c: {version: 1.0.0, registryType: npm, identifier: c, "
	for text, want := range map[string]string{
		"lockfileVersion: 2\nservers: {}\n":                                                                                    "not known",
		"lockfileVersion: 1\nservers: []\n":                                                                                    "no servers",
		"lockfileVersion: 1\nservers: {__proto__: {url: \"https://a.example\"}}\n":                                             "__proto__",
		"lockfileVersion: 1\n" + npm + "packageVersion: 1.0.0, npmIntegrity: {npmVersion: 1.0.1}}\n":                           "two versions",
		"lockfileVersion: 1\n" + npm + "packageVersion: latest}\n":                                                             "no version",
		"lockfileVersion: 1\n" + npm + "x: 1}\n":                                                                               "no version",
		"lockfileVersion: 1\n" + npm + "packageVersion: 1.0.0, npmIntegrity: {integrity: sha512-short}}\n":                     "integrity can not be read",
		"lockfileVersion: 1\n" + npm + "packageVersion: 1.0.0, provenance: {verification: {outcome: verified}}}\n":             "names nobody",
		"lockfileVersion: 1\nservers:\n  a.b/c: {version: 1.0.0, registryType: cargo, identifier: c, packageVersion: 1.0.0}\n": "type",
		"lockfileVersion: 1\nservers:\n  a.b/c: {version: 1.0.0}\n":                                                            "names no package",
		"lockfileVersion: 1\nservers:\n  a.b/c: {url: \"https://u:hunter22secret@a.example\"}\n":                               "secret",
	} {
		if all, err := Read(yaml(t, text), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v %v", text, all, err)
		}
	}
}
