// Package migrating makes the parts of docs/migrating.md that say word by word what became of five other programs: their
// commands and flags, the tools that they offer to agents, the words by which they decide, the ids of their rules, and their
// exit codes. The words are data (words.go), the ids are the aliases of the catalog, and the exit codes are a script that is
// run (test/scripts/migrating.txtar). Tests look for every word of ours in the program, and for every word of theirs in the
// documents.
package migrating

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/cli"
	"github.com/mcpassay/mcpassay/internal/tool/within"
)

// Script is where the exit codes are run, and Page what they become, below the repository's folder.
const (
	Script = "test/scripts/migrating.txtar"
	Page   = "docs/migrating.md"
)

// Fill puts the generated parts into the page, given as it is, and the script.
func Fill(page, script string) (string, error) {
	exits, err := Exits(script)
	if err != nil {
		return "", err
	}
	ids, err := IDs()
	if err != nil {
		return "", err
	}
	for _, p := range []struct{ name, text string }{
		{"words", wordTables()}, {"exits", exitTable(exits)}, {"ids", idTables(ids)},
	} {
		if page, err = within.Replace(page, p.name, p.text); err != nil {
			return "", err
		}
	}
	return page, nil
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func wordTables() string {
	var b strings.Builder
	for _, d := range Documents() {
		fmt.Fprintf(&b, "### %s, word by word\n\n| %s | mcpassay | |\n|---|---|---|\n", d, d)
		for _, kind := range []Kind{Command, Tool, Decision} {
			for _, w := range Words(d) {
				if w.Kind != kind {
					continue
				}
				ours := w.Ours
				if ours == "" {
					ours = "not there"
				}
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", cell(w.Theirs), cell(ours), cell(w.Why))
			}
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Exit is one exit code of theirs, and a run of ours in the same case.
type Exit struct {
	Document Document
	// Case is their command and when it exits so, in Markdown; Theirs its exit code, or what the document says of it.
	Case, Theirs string
	// Run is the command line of ours, Ours its exit code.
	Run, Ours string
	// Why is why another code is the answer here, "" where it is the same.
	Why string
}

var (
	exitLine = regexp.MustCompile(`^(?:\[\w+\] )?(?:code|interrupt) (\d+) (mcpassay .*)$`)
	fixture  = regexp.MustCompile(`\$REGISTRY\S*`)
)

// Exits reads the rows of the script: what each says, and the command below it, which is run with that exit code.
func Exits(script string) ([]Exit, error) {
	var all []Exit
	var open *Exit
	body, _, _ := strings.Cut(script, "\n-- ")
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\n")
		if row, ok := strings.CutPrefix(line, "#: "); ok {
			parts := strings.Split(row, "|")
			if open != nil || len(parts) != 4 {
				return nil, fmt.Errorf("%s: a row is its document, the case, the code there and the reason, and a command below: %s", Script, line)
			}
			for i := range parts {
				parts[i] = strings.TrimSpace(parts[i])
			}
			open = &Exit{Document: Document(parts[0]), Case: parts[1], Theirs: parts[2], Why: parts[3]}
			if !slices.Contains(Documents(), open.Document) {
				return nil, fmt.Errorf("%s: nobody knows %q: %s", Script, open.Document, line)
			}
			continue
		}
		if open == nil || line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		m := exitLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("%s: no run of mcpassay follows %q", Script, open.Case)
		}
		open.Ours, open.Run = m[1], fixture.ReplaceAllString(m[2], "URL")
		all = append(all, *open)
		open = nil
	}
	if open != nil || len(all) == 0 {
		return nil, fmt.Errorf("%s: the last row has no command", Script)
	}
	return all, nil
}

func exitTable(all []Exit) string {
	var b strings.Builder
	b.WriteString("| document | case | exits | mcpassay | exits | |\n|---|---|---|---|---|---|\n")
	for _, e := range all {
		fmt.Fprintf(&b, "| %s | %s | %s | `%s` | %s | %s |\n", e.Document, cell(e.Case), cell(e.Theirs), cell(e.Run), e.Ours, cell(e.Why))
	}
	return b.String()
}

// ID is a rule's name in another document, and the rules that it names here.
type ID struct {
	Theirs string
	Ours   []string
}

// IDs are the aliases of the catalog, as `mcpassay rules --format json` lists them, by name; a rule that another document names
// as we do stands for itself.
func IDs() ([]ID, error) {
	out, err := Run("rules", "--format", "json")
	if err != nil {
		return nil, err
	}
	var rules []struct {
		ID, Category string
		Aliases      []string
	}
	if err := json.Unmarshal([]byte(out), &rules); err != nil {
		return nil, err
	}
	by := map[string][]string{}
	for _, r := range rules {
		if strings.HasPrefix(r.Category, "mcp-") {
			by[r.ID] = []string{r.ID}
		}
		for _, a := range r.Aliases {
			by[a] = append(by[a], r.ID)
		}
	}
	all := make([]ID, 0, len(by))
	for name, ours := range by {
		all = append(all, ID{name, ours})
	}
	slices.SortFunc(all, func(a, b ID) int { return strings.Compare(a.Theirs, b.Theirs) })
	return all, nil
}

var upper = regexp.MustCompile(`^[A-Z][A-Z0-9_]+$`)

// of says whose an id is by how it is written: the last group is mcpm's, and that of suites of conformance tests.
func of(id string) string {
	switch {
	case strings.HasPrefix(id, "mcp-") && strings.Contains(id, "/"):
		return string(Ctxlint)
	case strings.HasPrefix(id, "WRD-"):
		return string(Warden)
	case upper.MatchString(id):
		return string(Cards)
	}
	return "mcpm and others"
}

func idTables(all []ID) string {
	var b strings.Builder
	for _, group := range []string{string(Ctxlint), string(Warden), string(Cards), "mcpm and others"} {
		fmt.Fprintf(&b, "### Rules of %s\n\n", group)
		if group == string(Ctxlint) {
			var same []string
			for _, id := range all {
				if of(id.Theirs) == group {
					same = append(same, "`"+id.Theirs+"`")
				}
			}
			fmt.Fprintf(&b, "All %d are here under their own ids:\n%s.\n\n", len(same), strings.Join(same, ",\n"))
			continue
		}
		b.WriteString("| id | mcpassay |\n|---|---|\n")
		for _, id := range all {
			if of(id.Theirs) == group {
				fmt.Fprintf(&b, "| `%s` | `%s` |\n", id.Theirs, strings.Join(id.Ours, "`, `"))
			}
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Run is what the program prints on a machine on which nothing is set, given what is on its standard input.
func Run(args ...string) (string, error) { return RunWith("", args...) }

// RunWith is Run with in on standard input.
func RunWith(in string, args ...string) (string, error) {
	var out bytes.Buffer
	none := func(string) string { return "" }
	code := cli.Main(args, cli.IO{In: strings.NewReader(in), Out: &out, Err: &out, Getenv: none, Environ: func() []string { return nil },
		Cwd: "/example", Home: "/home/you", Platform: "linux", Now: time.Now})
	if code != 0 {
		return "", fmt.Errorf("mcpassay %s exits %d:\n%s", strings.Join(args, " "), code, out.String())
	}
	return out.String(), nil
}
