package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/cli"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/fix"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// The corpus is configs that other people published. It is no part of this repository: MCPASSAY_CORPUS names the folder
// that holds it, with
//
//	index.tsv    file, repository, path, client, bytes, parse (ok, bom, jsonc+…, or invalid to whoever made it)
//	secrets.tsv  file, detector, place (env, headers, url, args), key, length of what people left in it
//
// and the files themselves. Without it these tests skip, in CI too.

type corpusFile struct{ file, path, client, parse, abs string }

func corpus(t *testing.T) (dir string, all []corpusFile) {
	t.Helper()
	dir = os.Getenv("MCPASSAY_CORPUS")
	if dir == "" {
		t.Skip("MCPASSAY_CORPUS names no folder of public configs; they are not part of this repository")
	}
	tree := t.TempDir()
	for i, row := range table(t, filepath.Join(dir, "index.tsv")) {
		f := corpusFile{file: row[0], path: fmt.Sprintf("%03d/%s", i, row[2]), client: row[3], parse: row[5]}
		raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.file)))
		if err != nil {
			t.Fatal(err)
		}
		f.abs = filepath.Join(tree, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(f.abs), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.abs, raw, 0o644); err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return tree, all
}

// table reads a file of tab-separated values, without its head.
func table(t *testing.T, name string) (rows [][]string) {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows[1:]
}

// notClients are files of the corpus that no MCP client reads: manifests and the settings of other tools.
var notClients = []string{"registry-server", "mcpb-manifest", "smithery", "ruler"}

type corpusReport struct {
	Findings   []finding.Finding    `json:"findings"`
	Skipped    []finding.Skip       `json:"skipped"`
	Incomplete []finding.Incomplete `json:"incomplete"`
}

// lintCorpus runs the program over files of the tree.
func lintCorpus(t *testing.T, tree string, args ...string) corpusReport {
	t.Helper()
	var out, errs bytes.Buffer
	cli.Main(append([]string{"lint", "--json", "--env", "none", "--platform", "linux"}, args...), cli.IO{In: strings.NewReader(""),
		Out: &out, Err: &errs, Getenv: func(string) string { return "" }, Environ: func() []string { return nil },
		Cwd: tree, Home: filepath.Join(tree, "home"), Platform: "linux", Now: time.Now})
	var rep corpusReport
	if err := json.Unmarshal(out.Bytes(), &rep); err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	return rep
}

func TestCorpusIsReadAndQuietlyJudged(t *testing.T) {
	tree, all := corpus(t)
	var named []string
	invalid := map[string]bool{}
	for _, f := range all {
		if !slices.Contains(notClients, f.client) {
			named = append(named, f.path)
		}
		invalid[f.path] = f.parse == "invalid"
	}
	rep := lintCorpus(t, tree, named...)
	for _, i := range rep.Incomplete {
		if !invalid[i.Path] {
			t.Errorf("%s is incomplete: %s: %s", i.Path, i.Cause, i.Detail)
		}
	}
	if len(rep.Skipped) > 0 {
		t.Errorf("skipped: %v", rep.Skipped)
	}

	byRule, loud, unpinned := map[string]int{}, map[string]int{}, map[string]int{}
	for _, f := range rep.Findings {
		byRule[fmt.Sprintf("%-7s %s", f.Severity, f.Rule)]++
		if f.Severity >= finding.Warning {
			loud[f.Location.Path]++
		}
		if f.Rule == "launch/unpinned-package" {
			unpinned[f.Location.Path]++
		}
	}
	for p, n := range unpinned {
		if n > 1 {
			t.Errorf("%s has %d findings of launch/unpinned-package", p, n)
		}
	}
	var tooLoud []string
	for p, n := range loud {
		if n > 8 {
			tooLoud = append(tooLoud, fmt.Sprintf("%s: %d", p, n))
		}
	}
	if slices.Sort(tooLoud); len(tooLoud)*20 > len(named) {
		t.Errorf("more than 5 %% of %d files have more than 8 findings from warning on:\n%s", len(named), strings.Join(tooLoud, "\n"))
	}
	t.Logf("%d files, %d with more than 8 findings from warning on", len(named), len(tooLoud))
	for _, r := range slices.Sorted(maps.Keys(byRule)) {
		t.Logf("%4d %s", byRule[r], r)
	}

	t.Run("secrets", func(t *testing.T) { checkSecrets(t, all, rep.Findings) })
	t.Run("found", func(t *testing.T) {
		// In a folder the same files are found by their exact paths; what no client reads there is left alone.
		for _, i := range lintCorpus(t, tree, ".").Incomplete {
			if !invalid[i.Path] {
				t.Errorf("%s is incomplete: %s: %s", i.Path, i.Cause, i.Detail)
			}
		}
	})
}

// checkSecrets looks for every row of secrets.tsv among the findings: the file, the field and the key.
func checkSecrets(t *testing.T, all []corpusFile, found []finding.Finding) {
	paths := map[string]string{}
	for _, f := range all {
		paths[f.file] = f.path
	}
	rows := table(t, filepath.Join(os.Getenv("MCPASSAY_CORPUS"), "secrets.tsv"))
	seen := 0
	for _, row := range rows {
		p, place, key := paths[row[0]], row[2], row[3]
		if slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Location.Path == p && aboutSecret(f, place, key) }) {
			seen++
		} else {
			t.Logf("not found: %s", strings.Join(row, " "))
		}
	}
	t.Logf("%d of %d found", seen, len(rows))
	if seen*30 < len(rows)*28 {
		t.Errorf("%d of %d secrets are found, want 28 of 30", seen, len(rows))
	}
}

func aboutSecret(f finding.Finding, place, key string) bool {
	if !strings.HasPrefix(f.Rule, "auth/") && !strings.HasPrefix(f.Rule, "mcp-security/") {
		return false
	}
	pointer := f.Location.Pointer
	if place == "args" {
		return strings.Contains(pointer, "/args/") || strings.Contains(pointer, "/command")
	}
	return path.Base(pointer) == key
}

func TestCorpusFixesAreSurgical(t *testing.T) {
	_, all := corpus(t)
	rules := slices.DeleteFunc(slices.Clone(catalog.All()), func(r *rule.Rule) bool {
		return strings.HasPrefix(r.ID, "policy/") || r.Project != nil // a fix is judged on its file alone
	})
	made, left := map[string]int{}, map[string]int{}
	for _, platform := range []string{"linux", "windows"} {
		facts := &pageFacts{platform: platform, tracked: rule.Yes}
		judge := func(f *client.File) []finding.Finding {
			found, incomplete := engine.Judge(engine.Input{Files: []*client.File{f}, Rules: rules, Facts: facts, Limits: limits.Default})
			for _, i := range incomplete {
				t.Errorf("%s: %s", i.Path, i.Detail)
			}
			return found
		}
		for _, c := range all {
			raw, err := os.ReadFile(c.abs)
			if err != nil {
				t.Fatal(err)
			}
			f := client.Identify(client.Where{Path: c.path, Abs: c.abs, Env: client.Env{OS: platform, Home: pageHome, Getenv: pageEnv(platform)}})
			f.Load(raw, limits.Default)
			if f.Doc == nil {
				continue
			}
			for _, one := range judge(f) {
				if one.Fix == nil || len(one.Fix.Edits) == 0 || one.Fix.Safety == finding.Manual {
					continue
				}
				checkOneFix(t, c, f, one, judge, made, left)
			}
		}
	}
	for _, r := range slices.Sorted(maps.Keys(made)) {
		t.Logf("%4d made   %s", made[r], r)
	}
	for _, r := range slices.Sorted(maps.Keys(left)) {
		t.Logf("%4d left   %s", left[r], r)
	}
	if len(made) == 0 {
		t.Error("no fix was made")
	}
}

// checkOneFix makes the fix of one finding through the fix flow, and holds the result against the edits.
func checkOneFix(t *testing.T, c corpusFile, f *client.File, one finding.Finding, judge fix.Judge, made, left map[string]int) {
	t.Helper()
	at := fmt.Sprintf("%s:%d %s (%s)", c.file, one.Location.Line, one.Rule, one.Fix.Title)
	// Equal findings are numbered, so that the second takes the first's fingerprint once that is fixed.
	same := func(o finding.Finding) bool {
		return o.Fingerprint == one.Fingerprint && o.Location.Pointer == one.Location.Pointer
	}
	change := fix.Plan(f, judge, same, limits.Default)
	switch {
	case change == nil:
		t.Errorf("%s: the fix flow does not see it", at)
		return
	case len(change.Applied) == 0:
		left[one.Rule]++
		t.Errorf("%s: not made: %s", at, change.Left[0].Why)
		return
	}
	made[one.Rule]++
	if got := change.Bytes(); !bytes.Equal(got, spliced(f.Doc.Raw, one.Fix.Edits)) {
		t.Errorf("%s: bytes that no edit names differ", at)
	}
	after := f.Renew()
	after.Load(change.Bytes(), limits.Default)
	if after.Err != nil {
		t.Errorf("%s: the result does not parse: %v", at, after.Err)
		return
	}
	if slices.ContainsFunc(judge(after), same) {
		t.Errorf("%s: it is still found", at)
	}
}

// spliced is raw with the edits, put together from the end so that no offset moves.
func spliced(raw []byte, edits []finding.Edit) []byte {
	out := slices.Clone(raw)
	for _, e := range slices.Backward(slices.SortedFunc(slices.Values(edits), func(a, b finding.Edit) int { return a.Offset - b.Offset })) {
		out = slices.Replace(out, e.Offset, e.Offset+e.Length, []byte(e.Text)...)
	}
	return out
}
