package install

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/source"
)

// declared reads the servers of a project file.
func declared(t *testing.T, text string) []project.Server {
	t.Helper()
	doc, err := source.Parse("mcpassay.yaml", []byte("servers:\n"+text), source.YAML, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	servers, _, faults := project.Read(doc.Root())
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return servers
}

var places = lock.Places{Project: "/p", Home: "/home/u"}

func TestALockIsHeldToWhatTheProjectAsksFor(t *testing.T) {
	files := func() *lock.Server {
		return &lock.Server{Name: "io.github.example/files", Unpinned: true, Record: &lock.Record{Name: "io.github.example/files", Version: "1.3.0"},
			Package: &lock.Package{Type: pkg.NPM, Identifier: "@example/files", Version: "1.3.1"},
			Launch:  lock.Launch{Transport: "stdio", Command: "npx", Args: []string{"-y", "@example/files@1.3.1", "--root", "${project}/data"}, Env: []string{"ROOT"}}}
	}
	box := &lock.Server{Package: &lock.Package{Type: pkg.OCI, Identifier: "ghcr.io/example/box", Version: "1.0.0"}, Launch: lock.Launch{Transport: "stdio", Command: "docker", Args: []string{"run"}}}
	remote := &lock.Server{Launch: lock.Launch{Transport: "http", URL: "https://mcp.example.com/mcp", Headers: []string{"authorization"}}}
	own := &lock.Server{Launch: lock.Launch{Transport: "stdio", Command: "node", Args: []string{"${project}/server.js"}}}
	for _, c := range []struct {
		text string
		e    *lock.Server
		want string
	}{
		{"io.github.example/files: {}", files(), ""},
		{"io.github.example/files: {version: latest}", files(), ""},
		{"io.github.example/files: {version: \"^1.2.0\", args: [--root, /p/data], env: {ROOT: {required: true}}}", files(), ""},
		{"files: {server: io.github.example/files}", files(), ""},
		{"files: {package: \"npm:@example/files\", version: \"~1.3.0\"}", files(), ""},
		{"search: {url: \"https://mcp.example.com/mcp\", headers: {Authorization: {}}}", remote, ""},
		{"own: {command: node, args: [/p/server.js]}", own, ""},
		{"own:", own, ""},
		{"own: {command: node, args: [\"${project}/server.js\"]}", own, ""},
		{"box: {package: \"oci:ghcr.io/example/box:1.0.0\"}", box, ""},
		{"io.github.example/files: {}", nil, "is not in the lock"},
		{"io.github.example/files: {version: \"^2.0.0\"}", files(), "is locked at 1.3.0, and ^2.0.0 is asked for"},
		{"io.github.example/other: {}", files(), "is locked as io.github.example/files"},
		{"io.github.example/files: {}", remote, "without a record"},
		{"io.github.example/files: {args: [--root, /elsewhere]}", files(), "with other arguments"},
		{"io.github.example/files: {env: {MORE: {}}}", files(), "without the variable MORE"},
		{"files: {package: \"npm:@example/files\", version: \"1.3.0\"}", files(), "is locked at 1.3.1"},
		{"files: {package: \"pypi:files\"}", files(), "is locked as npm:@example/files"},
		{"files: {package: \"npm:files\"}", remote, "without its package"},
		{"box: {package: \"oci:ghcr.io/example/boxes:1.0.0\"}", box, "is locked as oci:"},
		{"search: {url: \"https://mcp.example.com/other\"}", remote, "another address"},
		{"search: {url: \"https://mcp.example.com/mcp\", transport: sse}", remote, "another address"},
		{"search: {url: \"https://mcp.example.com/mcp\", headers: {X-Team: {}}}", remote, "without the header X-Team"},
		{"own: {command: node, args: [other.js]}", own, "another command"},
	} {
		s := declared(t, "  "+c.text+"\n")[0]
		if got := Stale(&s, c.e, places); got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestWhatAClientIsToldHoldsReferencesAndDefaults(t *testing.T) {
	e := &lock.Server{Name: "a.b/c", Record: &lock.Record{Name: "a.b/c", Version: "1.0.0", Values: map[string]string{"MODE": "stdio"}},
		Launch: lock.Launch{Transport: "stdio", Command: "npx", Args: []string{"-y", "c@1.0.0", "${project}/data", "${DIR}"}, Env: []string{"DATA", "EXTRA", "MODE", "NEEDED", "OPTIONAL", "OWN", "PORT"}}}
	s := declared(t, "  c: {server: a.b/c, env: {NEEDED: {required: true, secret: true}, OPTIONAL: {}, PORT: {default: \"8080\"}, OWN: \"x-${TEAM}\", DATA: \"${project}/data\"}}\n")[0]
	var got []string
	for _, spec := range Specs(&s, e, places) {
		got = append(got, fmt.Sprint(spec.Name, spec.Args, spec.Env))
	}
	want := []string{"c[-y c@1.0.0 /p/data ${DIR}] [{DATA /p/data} {EXTRA ${EXTRA}} {MODE stdio} {NEEDED ${NEEDED}} {OPTIONAL ${OPTIONAL:-}} {OWN x-${TEAM}} {PORT ${PORT:-8080}}]",
		"c[-y c@1.0.0 /p/data ${DIR}] [{DATA /p/data} {EXTRA ${EXTRA}} {MODE stdio} {NEEDED ${NEEDED}} {OPTIONAL ${OPTIONAL}} {OWN x-${TEAM}} {PORT 8080}]"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if unset := Unset(&s, e, places, func(name string) string { return map[string]string{"DIR": "/d"}[name] }); strings.Join(unset, " ") != "EXTRA NEEDED" {
		t.Errorf("unset: %v", unset)
	}
}

func TestAProfileThatNoServerNamesIsAnError(t *testing.T) {
	all := declared(t, "  a: {command: x, profiles: [dev]}\n  b: {command: x, profiles: [ops]}\n  c: {command: x}\n")
	for profile, want := range map[string]string{"": "a b c", "dev": "a c", "ops": "b c"} {
		var names []string
		in, err := Profile(all, profile)
		for _, s := range in {
			names = append(names, s.Name)
		}
		if err != nil || strings.Join(names, " ") != want {
			t.Errorf("%s: %v %v", profile, names, err)
		}
	}
	if _, err := Profile(all, "prod"); err == nil {
		t.Error("a profile of nobody is no error")
	}
}
