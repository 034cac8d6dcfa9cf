package test

import (
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/mcpassay/mcpassay/"

// architecture says what a package may not reach, directly or through others, and why. A name that ends with a slash
// means every package below it; a package of ours is written from the module's root.
var architecture = []struct {
	from   []string
	forbid []string
	except []string
	why    string
}{
	{
		from: []string{"internal/limits", "internal/text", "internal/canon", "internal/finding", "internal/source", "internal/secret",
			"internal/model/", "internal/rule", "internal/rules/", "internal/catalog", "internal/policy", "internal/engine", "internal/report",
			"internal/flow/lint", "internal/flow/doctor", "internal/flow/load", "internal/flow/fix"},
		forbid: []string{"net", "net/http", "os/exec", "plugin"},
		why:    "static means static: what lint and doctor run must not be able to open a socket or start a process",
	},
	{
		from:   []string{"internal/finding", "internal/limits"},
		forbid: []string{"internal/"},
		except: []string{"internal/finding", "internal/limits"},
		why:    "leaves know nobody",
	},
	{
		from:   []string{"internal/text", "internal/secret"},
		forbid: []string{"internal/"},
		except: []string{"internal/text", "internal/secret", "internal/limits"},
		why:    "words and tools know only the limits",
	},
	{
		from:   []string{"internal/source"},
		forbid: []string{"internal/"},
		except: []string{"internal/source", "internal/limits", "internal/finding", "internal/text"},
		why:    "a document does not know who judges it",
	},
	{
		from:   []string{"internal/model/"},
		forbid: []string{"internal/"},
		except: []string{"internal/model/", "internal/source", "internal/canon", "internal/limits", "internal/finding", "internal/text", "internal/secret"},
		why:    "what is judged does not know its judges",
	},
	{
		from:   []string{"internal/rules/", "internal/rule"},
		forbid: []string{"internal/policy", "internal/report", "internal/effect/", "internal/flow/", "internal/cli", "internal/engine", "internal/catalog"},
		why:    "rules are pure functions of data: no policy, no output, no effect",
	},
	{
		from:   []string{"internal/catalog", "internal/policy", "internal/engine", "internal/report"},
		forbid: []string{"internal/effect/", "internal/flow/", "internal/cli"},
		why:    "judging and saying touch nothing",
	},
	{
		from:   []string{"internal/engine"},
		forbid: []string{"internal/policy", "internal/report"},
		why:    "the engine finds, policy decides, report says",
	},
	{
		from:   []string{"internal/flow/"},
		forbid: []string{"internal/cli", "internal/report", "internal/effect/"},
		why:    "a flow gets its doors as interfaces that it declares",
	},
	{
		from:   []string{"internal/effect/"},
		forbid: []string{"internal/"},
		except: []string{"internal/effect/", "internal/limits", "internal/text", "internal/model/", "internal/source", "internal/canon", "internal/finding", "internal/secret"},
		why:    "a door does not know who opens it",
	},
	{
		from:   []string{"internal/effect/files", "internal/effect/git"},
		forbid: []string{"net", "net/http", "os/exec"},
		why:    "the file doors open files and nothing else",
	},
}

func below(pkg, name string) bool {
	if strings.HasPrefix(name, "internal/") {
		name = module + name
	}
	if strings.HasSuffix(name, "/") {
		return strings.HasPrefix(pkg, name)
	}
	return pkg == name
}

func TestWhoMayImportWhom(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, module+"...").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	deps := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		deps[fields[0]] = fields[1:]
	}
	for _, row := range architecture {
		for _, from := range row.from {
			found := false
			for pkg, list := range deps {
				if !below(pkg, from) {
					continue
				}
				found = true
				for _, dep := range list {
					for _, f := range row.forbid {
						if below(dep, f) && !any(row.except, dep) && dep != pkg {
							t.Errorf("%s reaches %s: %s", strings.TrimPrefix(pkg, module), strings.TrimPrefix(dep, module), row.why)
						}
					}
				}
			}
			if !found {
				t.Errorf("the table names %s, which is no package", from)
			}
		}
	}
	// Rooms of rules do not use each other.
	for pkg, list := range deps {
		if room, ok := strings.CutPrefix(pkg, module+"internal/rules/"); ok {
			for _, dep := range list {
				if strings.HasPrefix(dep, module+"internal/rules/") {
					t.Errorf("rules/%s reaches %s: rooms of rules do not use each other", room, strings.TrimPrefix(dep, module))
				}
			}
		}
	}
}

func any(names []string, pkg string) bool {
	for _, n := range names {
		if below(pkg, n) {
			return true
		}
	}
	return false
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
