package test

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/mcpassay/mcpassay/"

// rooms says which of our packages each of them may import. A name that ends with a slash means every package below it.
// Since every package has its row, what a package may reach through others follows.
var rooms = []struct {
	from []string
	may  []string
	why  string
}{
	{[]string{"internal/limits", "internal/finding", "internal/canon"}, nil, "leaves know nobody"},
	{[]string{"internal/text", "internal/secret"}, []string{"internal/limits"}, "words and tools know only the limits"},
	{[]string{"internal/source"}, []string{"internal/limits", "internal/finding", "internal/text"}, "a document does not know who judges it"},
	{[]string{"internal/schema"}, []string{"internal/source", "internal/limits", "internal/finding", "internal/text"}, "a schema is judged without knowing whose it is"},
	{
		[]string{"internal/model/"},
		[]string{"internal/model/", "internal/source", "internal/canon", "internal/limits", "internal/finding", "internal/text", "internal/secret"},
		"what is judged does not know its judges",
	},
	{
		[]string{"internal/rule"},
		[]string{"internal/finding", "internal/source", "internal/schema", "internal/model/", "internal/drift", "internal/limits", "internal/text", "internal/secret"},
		"what a rule is does not hang on any rule",
	},
	{
		[]string{"internal/speech"},
		[]string{"internal/source", "internal/model/", "internal/limits", "internal/text", "internal/secret"},
		"what a text would have its reader do does not hang on who asks",
	},
	{
		[]string{"internal/rules/"},
		[]string{"internal/rule", "internal/finding", "internal/source", "internal/schema", "internal/model/", "internal/drift", "internal/text", "internal/canon", "internal/secret", "internal/speech"},
		"rules are pure functions of data: no policy, no output, no effect, and no other room of rules",
	},
	{
		[]string{"internal/catalog"},
		[]string{"internal/rule", "internal/rules/", "internal/finding", "internal/source", "internal/limits", "internal/text"},
		"the list of rules does not know who picks from it",
	},
	{
		[]string{"internal/engine"},
		[]string{"internal/rule", "internal/finding", "internal/source", "internal/model/", "internal/drift", "internal/limits", "internal/canon", "internal/text"},
		"the engine finds, policy decides, report says",
	},
	{
		[]string{"internal/decide"},
		[]string{"internal/catalog", "internal/rule", "internal/finding", "internal/model/", "internal/limits", "internal/text"},
		"one decision for reports, locks, the guard and the audit: it asks nobody who acts on it",
	},
	{
		[]string{"internal/drift"},
		[]string{"internal/model/", "internal/source", "internal/canon", "internal/limits"},
		"what changed is said the same to a person, a gate and the guard: it asks nobody who acts on it",
	},
	{
		[]string{"internal/grade"},
		[]string{"internal/finding", "internal/source", "internal/model/", "internal/limits", "internal/text"},
		"a score is a pure function of what was taken down and found: no policy changes it",
	},
	{
		[]string{"internal/sign"},
		[]string{"internal/model/lock", "internal/source", "internal/canon", "internal/limits"},
		"a signature is over a lock's entry, whoever asks, and trust is what a document says",
	},
	{
		[]string{"internal/sign/bundle"},
		[]string{"internal/limits"},
		"a bundle is bytes, a file's digest and a root: whose lock or package it is for is the caller's to know",
	},
	{
		[]string{"internal/sign/provenance"},
		[]string{"internal/sign/bundle", "internal/model/lock", "internal/model/pkg", "internal/limits"},
		"who made a package is what certificates say: it asks nobody, and decides nothing",
	},
	{
		[]string{"internal/policy"},
		[]string{"internal/catalog", "internal/engine", "internal/rule", "internal/rules/policy", "internal/finding", "internal/source",
			"internal/model/", "internal/limits", "internal/text"},
		"judging touches nothing, and prints nothing",
	},
	{
		[]string{"internal/report"},
		[]string{"internal/engine", "internal/catalog", "internal/drift", "internal/finding", "internal/source", "internal/model/", "internal/limits",
			"internal/text", "internal/secret"},
		"saying touches nothing, and decides nothing",
	},
	{
		[]string{"internal/flow/"},
		[]string{"internal/flow/load", "internal/flow/talk", "internal/flow/scan", "internal/flow/probe", "internal/flow/serve", "internal/flow/edit", "internal/flow/find", "internal/flow/locking", "internal/schema", "internal/grade", "internal/decide", "internal/drift", "internal/sign", "internal/engine", "internal/catalog", "internal/policy", "internal/rule", "internal/model/",
			"internal/finding", "internal/source", "internal/limits", "internal/text", "internal/canon", "internal/secret"},
		"a flow gets its doors as interfaces that it declares, and prints nothing",
	},
	{
		[]string{"internal/flow/serve/"},
		[]string{"internal/flow/serve", "internal/source", "internal/limits", "internal/text", "internal/model/wire"},
		"a further lane knows the table of skills and no flow behind it",
	},
	{
		[]string{"internal/effect/"},
		[]string{"internal/effect/", "internal/limits", "internal/text", "internal/model/", "internal/canon"},
		"a door does not know who opens it",
	},
	{[]string{"cmd/mcpassay"}, []string{"internal/cli"}, "main calls one function"},
	{[]string{"internal/tool/"}, []string{"internal/tool/", "internal/cli", "internal/model/client", "internal/text"}, "a generator writes what the program says of itself"},
	{[]string{"test/bench"}, []string{"internal/", "test/registry", "test/virtual"}, "what is measured beside servers brings them along"},
	{[]string{"test/chaos"}, nil, "a server of strangers knows nothing of us"},
	{[]string{"internal/cli", "test", "test/static", "test/endpoint", "test/virtual", "test/registry"}, []string{"internal/"}, "cli alone opens the doors and writes the reports"},
}

// libraries says which package of ours alone may import a library.
var libraries = map[string][]string{
	"github.com/go-json-experiment/json":                          {"internal/source", "internal/canon", "internal/report", "internal/sign/bundle", "test/bench"},
	"github.com/sigstore/sigstore-go/pkg/fulcio/certificate":      {"internal/sign/bundle"}, // and no more of it: see notLinked
	"github.com/sigstore/timestamp-authority/v2/pkg/verification": {"internal/sign/bundle"},
	"github.com/google/certificate-transparency-go":               {"internal/sign/bundle"},
	"github.com/transparency-dev":                                 {"internal/sign/bundle"},
	"github.com/digitorus/timestamp":                              {"internal/sign/bundle"},
	"golang.org/x/mod/sumdb/note":                                 {"internal/sign/bundle"},
	"github.com/pelletier/go-toml/v2":                             {"internal/source"},
	"github.com/dlclark/regexp2":                                  {"internal/schema"},
	"go.yaml.in/yaml/v3":                                          {"internal/source"},
	"golang.org/x/crypto":                                         {"internal/effect/keyfile"},
	"golang.org/x/text":                                           {"internal/text", "internal/canon"},
	"deps.dev/util/semver":                                        {"internal/model/pkg"},
	"github.com/zalando/go-keyring":                               {"internal/effect/keys"},
	"golang.org/x/oauth2":                                         {"internal/effect/token"},
	"golang.org/x/term":                                           {"internal/cli"},
	"golang.org/x/sys":                                            {"internal/effect/ledger", "internal/effect/proc", "internal/effect/sandbox"},
	"github.com/spf13/cobra":                                      {"internal/cli"},
	"github.com/spf13/pflag":                                      {"internal/cli"},
	"github.com/rogpeppe/go-internal":                             {"internal/cli"},
	// What follows is for tests.
	"github.com/sigstore/sigstore-go/pkg/bundle":  {"test/virtual"},
	"github.com/sigstore/sigstore-go/pkg/root":    {"test/virtual"},
	"github.com/sigstore/sigstore-go/pkg/testing": {"test/virtual"},
	"github.com/sigstore/sigstore-go/pkg/tlog":    {"test/virtual"},
	"github.com/sigstore/sigstore-go/pkg/verify":  {"test/virtual"},
	"github.com/sigstore/sigstore/pkg/signature":  {"test/virtual"},
	"github.com/sigstore/protobuf-specs":          {"test/virtual"},
	"google.golang.org/protobuf":                  {"test/virtual"},
}

// notLinked are the parts of libraries that ask somebody, or that take long to begin, with the reason.
var notLinked = map[string]string{
	"github.com/sigstore/sigstore-go/pkg/verify":               "sigstore-go is the oracle of the tests, and takes longer to begin than a run may",
	"github.com/sigstore/sigstore-go/pkg/tuf":                  "trust is what a file says: no run fetches it",
	"github.com/sigstore/rekor":                                "no log is asked: a bundle holds what the log signed",
	"github.com/theupdateframework/go-tuf":                     "trust is what a file says: no run fetches it",
	"github.com/google/certificate-transparency-go/client":     "no log is asked: a certificate holds what the log signed",
	"github.com/google/certificate-transparency-go/jsonclient": "no log is asked: a certificate holds what the log signed",
	"google.golang.org/grpc":                                   "nobody is asked by it",
	"google.golang.org/protobuf":                               "its tables are filled in at the start of every run",
}

func TestWhatAsksSigstoreIsNotLinked(t *testing.T) {
	for _, dep := range packages(t, "Deps")["cmd/mcpassay"] {
		for lib, why := range notLinked {
			if below(dep, lib) || below(dep, lib+"/") {
				t.Errorf("%s is linked: %s", dep, why)
			}
		}
	}
}

// doors says which package of ours alone may import a part of the standard library that touches the world.
var doors = map[string][]string{
	"os/exec": {"internal/effect/proc", "test/bench"},
}

func TestAProcessIsStartedThroughOneDoor(t *testing.T) {
	for pkg, list := range packages(t, "Imports") {
		for _, dep := range list {
			if may, ok := doors[dep]; ok && !oneOf(may, pkg) {
				t.Errorf("%s imports %s: that is for %s", pkg, dep, strings.Join(may, ", "))
			}
		}
	}
}

// static are the packages that must reach no socket and no process, through nobody.
var static = []string{"internal/limits", "internal/text", "internal/canon", "internal/finding", "internal/source", "internal/schema", "internal/secret",
	"internal/model/", "internal/speech", "internal/rule", "internal/rules/", "internal/catalog", "internal/decide", "internal/drift", "internal/sign", "internal/grade", "internal/policy", "internal/engine", "internal/report",
	"internal/flow/auth", "internal/flow/stash", "internal/flow/audit", "internal/flow/find", "internal/flow/lint", "internal/flow/doctor", "internal/flow/eval", "internal/flow/serve", "internal/flow/load", "internal/flow/pin", "internal/flow/verify", "internal/flow/fix", "internal/flow/edit", "internal/flow/fleet", "internal/flow/publish", "internal/flow/scope", "internal/flow/artifact", "internal/flow/install", "internal/effect/files", "internal/effect/git"}

// below says whether a package is the one of that name, or for a name with a slash at its end one below it.
func below(pkg, name string) bool {
	if strings.HasSuffix(name, "/") {
		return strings.HasPrefix(pkg, name)
	}
	return pkg == name
}

func oneOf(names []string, pkg string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return below(pkg, name) })
}

// packages is a field of go list for every package of ours, by path from the module's root.
func packages(t *testing.T, field string) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join ."+field+` " "}}`, module+"...").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	all := map[string][]string{}
	for line := range strings.Lines(strings.ReplaceAll(string(out), module, "")) {
		fields := strings.Fields(line)
		all[fields[0]] = fields[1:]
	}
	return all
}

func TestWhoMayImportWhom(t *testing.T) {
	imports := packages(t, "Imports")
	named := map[string]bool{}
	for _, room := range rooms {
		for _, from := range room.from {
			found := false
			for pkg, list := range imports {
				if !below(pkg, from) {
					continue
				}
				found, named[pkg] = true, true
				for _, dep := range list {
					if _, ours := imports[dep]; ours && !oneOf(room.may, dep) {
						t.Errorf("%s imports %s: %s", pkg, dep, room.why)
					}
				}
			}
			if !found {
				t.Errorf("the table names %s, which is no package", from)
			}
		}
	}
	for pkg := range imports {
		if !named[pkg] {
			t.Errorf("%s has no row: say what it may import", pkg)
		}
	}
}

func TestALibraryComesInByOneDoor(t *testing.T) {
	imports := packages(t, "Imports")
	for pkg, list := range imports {
		for _, dep := range list {
			host, _, _ := strings.Cut(dep, "/")
			if _, ours := imports[dep]; ours || !strings.Contains(host, ".") {
				continue
			}
			known := false
			for lib, may := range libraries {
				if dep == lib || strings.HasPrefix(dep, lib+"/") {
					known = true
					if !oneOf(may, pkg) {
						t.Errorf("%s imports %s: that is for %s", pkg, dep, strings.Join(may, ", "))
					}
				}
			}
			if !known {
				t.Errorf("%s imports %s, a library that no row names", pkg, dep)
			}
		}
	}
}

func TestWhatLintAndDoctorRunReachesNoSocketAndNoProcess(t *testing.T) {
	deps := packages(t, "Deps")
	for _, name := range static {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(deps)), func(pkg string) bool { return below(pkg, name) }) {
			t.Errorf("the table names %s, which is no package", name)
		}
	}
	for pkg, list := range deps {
		for _, dep := range list {
			if oneOf(static, pkg) && slices.Contains([]string{"net", "net/http", "os/exec", "plugin"}, dep) {
				t.Errorf("%s reaches %s: static means static", pkg, dep)
			}
		}
	}
}

// TestTheStaticVerbsLinkNoSocketAndNoProcess builds a program of lint and doctor alone and looks at its symbols.
func TestTheStaticVerbsLinkNoSocketAndNoProcess(t *testing.T) {
	bin := t.TempDir() + "/static"
	if out, err := exec.Command("go", "build", "-o", bin, "./static").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	out, err := exec.Command("go", "tool", "nm", bin).Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		name := fields[2]
		for _, bad := range []string{"net.", "net/http.", "os/exec.", "plugin."} {
			if strings.HasPrefix(name, bad) {
				t.Errorf("the static verbs link %s", name)
			}
		}
		if strings.Contains(name, "flow/doctor") || strings.Contains(name, "flow/lint") {
			seen++
		}
	}
	if seen == 0 {
		t.Error("the program holds no symbol of the flows: the test proves nothing")
	}
}
