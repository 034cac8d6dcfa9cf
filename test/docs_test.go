package test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/tool/migrating"
	"github.com/mcpassay/mcpassay/internal/tool/pages"
)

func TestDocsHoldWhatIsGeneratedInThem(t *testing.T) {
	files, err := pages.Files(repository)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 4 {
		t.Errorf("only %d pages", len(files))
	}
	for name, want := range files {
		if readRepository(t, name) != want {
			t.Errorf("%s is stale: run make gen", name)
		}
	}
}

// What the pages on what is promised, spoken, believed and not seen name is there: rules, verbs with their flags, tests.
func TestDocsOnTrustNameOnlyWhatExists(t *testing.T) {
	categories := map[string]bool{}
	for _, r := range catalog.All() {
		category, _, _ := strings.Cut(r.ID, "/")
		categories[category] = true
	}
	tests := testNames(t)
	verb := regexp.MustCompile(`^mcpassay [a-z]`)
	count := map[string]int{}
	for _, name := range []string{"docs/threat-model.md", "docs/protocol.md", "docs/stability.md", "docs/boundaries.md"} {
		for _, m := range ticked.FindAllStringSubmatch(readRepository(t, name), -1) {
			word := m[1]
			category, _, _ := strings.Cut(word, "/")
			switch {
			case ruleID.MatchString(word) && categories[category]:
				count["rules"]++
				if _, ok := catalog.ByID(word); !ok {
					t.Errorf("%s names the rule %s, which does not exist", name, word)
				}
			case verb.MatchString(word):
				count["verbs"]++
				commandExists(t, word)
			case regexp.MustCompile(`^Test[A-Z]`).MatchString(word):
				count["tests"]++
				if !slices.Contains(tests, word) {
					t.Errorf("%s names %s, and there is no such test", name, word)
				}
			}
		}
	}
	for what, least := range map[string]int{"rules": 200, "verbs": 30, "tests": 20} {
		if count[what] < least {
			t.Errorf("only %d %s found", count[what], what)
		}
	}
}

// testNames are the tests of the repository.
func testNames(t *testing.T) (all []string) {
	t.Helper()
	name := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, dir := range []string{"internal", "test", "cmd"} {
		err := filepath.WalkDir(filepath.Join(repository, dir), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			raw, err := os.ReadFile(path)
			for _, m := range name.FindAllStringSubmatch(string(raw), -1) {
				all = append(all, m[1])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// The threat model has a row for each entry of the OWASP MCP Top 10, its rules are of the entries that it names, and no row claims that
// nothing remains.
func TestDocsOnThreatsAnswerEveryEntry(t *testing.T) {
	page, _, _ := strings.Cut(readRepository(t, "docs/threat-model.md"), "\n## The rules by entry")
	entry := regexp.MustCompile(`MCP\d\d`)
	answered := map[string]bool{}
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "| **") {
			continue
		}
		cells := strings.Split(line, "|")
		entries := entry.FindAllString(cells[1], -1)
		for _, e := range entries {
			answered[e] = true
		}
		for _, m := range ticked.FindAllStringSubmatch(cells[2], -1) {
			if r, ok := catalog.ByID(m[1]); ok && !slices.Contains(entries, r.OWASP) {
				t.Errorf("%s answers %s, and is of %q", r.ID, strings.TrimSpace(cells[1]), r.OWASP)
			}
		}
		if len(cells) != 5 || strings.TrimSpace(cells[3]) == "" {
			t.Errorf("a threat of which nothing remains, or a row of another shape: %s", line)
		}
	}
	if len(answered) != 10 {
		t.Errorf("%d of the ten entries are answered: %v", len(answered), answered)
	}
}

func TestDocsOnTheProtocolHaveARowForEveryRevision(t *testing.T) {
	out, err := migrating.Run("contract")
	if err != nil {
		t.Fatal(err)
	}
	revisions := regexp.MustCompile(`\d{4}-\d\d-\d\d`).FindAllString(out, -1)
	if len(revisions) != 5 {
		t.Errorf("the contract names %q", revisions)
	}
	page := readRepository(t, "docs/protocol.md")
	for _, r := range revisions {
		if strings.Count(page, "\n| "+r+" |") != 1 {
			t.Errorf("docs/protocol.md has no row of %s, or several", r)
		}
	}
}

func TestDocsReadTheRevisionsOfARequirement(t *testing.T) {
	all := []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
	for words, want := range map[string][]string{
		"all": all, "all, stdio": all, "from 2025-11-25": all[:2], "to 2025-11-25": all[1:], "2026-07-28": all[:1],
		"2025-06-18, 2025-11-25": {all[2], all[1]}, "2025-03-26 to 2025-11-25": {all[1], all[2], all[3]},
	} {
		if got, err := pages.Holding(words, all); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", words, got, err)
		}
	}
	for _, words := range []string{"", "later", "from 2025-01-01", "2025-03-26 to tomorrow"} {
		if got, err := pages.Holding(words, all); err == nil {
			t.Errorf("%q: %q", words, got)
		}
	}
}
