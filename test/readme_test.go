package test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/cli"
	"github.com/mcpassay/mcpassay/internal/tool/readme"
)

const repository = ".."

// handwritten are the documents that no program writes.
func handwritten(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/adr/*.md", "examples/*.md"} {
		names, err := filepath.Glob(filepath.Join(repository, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			rel, _ := filepath.Rel(repository, name)
			pages[filepath.ToSlash(rel)] = readRepository(t, filepath.ToSlash(rel))
		}
	}
	for _, generated := range []string{"docs/clients.md", "docs/exit-codes.md"} {
		delete(pages, generated)
	}
	return pages
}

func readRepository(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(repository, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestReadmeShowsWhatTheProgramPrints(t *testing.T) {
	files, err := readme.Files(readRepository(t, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if readRepository(t, name) != want {
			t.Errorf("%s is stale: run make gen", name)
		}
	}
}

func TestReadmeListsExactlyTheVerbsThatExist(t *testing.T) {
	_, part, _ := strings.Cut(readRepository(t, "README.md"), "<!-- verbs: generated -->")
	part, _, _ = strings.Cut(part, "<!-- /verbs -->")
	var listed, exist []string
	for _, m := range regexp.MustCompile("\\[`(\\S+)`\\]").FindAllStringSubmatch(part, -1) {
		listed = append(listed, m[1])
	}
	for name := range cli.Docs() {
		if verb, ok := strings.CutPrefix(name, "cli/"); ok && verb != "README.md" {
			exist = append(exist, strings.TrimSuffix(verb, ".md"))
		}
	}
	slices.Sort(listed)
	slices.Sort(exist)
	if !slices.Equal(listed, exist) {
		t.Errorf("README lists %q, the program has %q", listed, exist)
	}
}

func TestReadmeNamesEveryExitCode(t *testing.T) {
	_, line, ok := strings.Cut(readRepository(t, "README.md"), "Exit codes,")
	line, _, _ = strings.Cut(line, "[The whole table]")
	if !ok {
		t.Fatal("no line on exit codes")
	}
	table := regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(cli.Docs()["exit-codes.md"], -1)
	if len(table) == 0 {
		t.Fatal("no table")
	}
	for _, row := range table {
		if !regexp.MustCompile(`\b` + row[1] + ` [a-z]`).MatchString(line) {
			t.Errorf("README does not explain exit code %s", row[1])
		}
	}
}

// shellLine is one line of a fence of shell commands.
type shellLine struct {
	line  int
	text  string
	words []string
	exits int
}

var exitsComment = regexp.MustCompile(`\bexits (\d+)\b`)

// shellSessions are the `sh` fences of a page, each the lines of one session. A comment says how a command exits where
// that is not 0: "# exits 1".
func shellSessions(page string) [][]shellLine {
	var all [][]shellLine
	var session []shellLine
	inside := false
	n := 0
	for line := range strings.Lines(page) {
		n++
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "```sh":
			inside, session = true, nil
		case inside && line == "```":
			inside = false
			all = append(all, session)
		case inside && line != "":
			text, comment, _ := strings.Cut(line, " #")
			c := shellLine{line: n, text: strings.TrimSpace(text)}
			for _, w := range strings.Fields(text) {
				c.words = append(c.words, strings.Trim(w, "'"))
			}
			if m := exitsComment.FindStringSubmatch(comment); m != nil {
				c.exits, _ = strconv.Atoi(m[1])
			}
			session = append(session, c)
		}
	}
	return all
}

// TestEveryCommandOfTheDocumentsWorks runs the documents' commands as written, in a copy of the examples and on a
// machine without configs.
func TestEveryCommandOfTheDocumentsWorks(t *testing.T) {
	makefile := readRepository(t, "Makefile")
	count := 0
	for name, page := range handwritten(t) {
		for _, session := range shellSessions(page) {
			folder := copyOfExamples(t)
			for _, c := range session {
				count++
				for len(c.words) > 1 && strings.Contains(c.words[0], "=") { // FUZZTIME=10s make fuzz
					c.words = c.words[1:]
				}
				switch c.words[0] {
				case "mcpassay":
					if got, out := program(folder, c.words[1:]...); got != c.exits {
						t.Errorf("%s:%d: %s exits %d, the page says %d:\n%s", name, c.line, c.text, got, c.exits, out)
					}
				case "make":
					if !regexp.MustCompile(`(?m)^` + c.words[1] + `:.*## `).MatchString(makefile) {
						t.Errorf("%s:%d: the Makefile has no target %s", name, c.line, c.words[1])
					}
				case "go":
					goCommand(t, name, c)
				default:
					t.Errorf("%s:%d: nothing tests %q", name, c.line, c.text)
				}
			}
		}
	}
	if count < 10 {
		t.Errorf("only %d commands found", count)
	}
}

// goCommand checks that what a go command names exists.
func goCommand(t *testing.T, page string, c shellLine) {
	t.Helper()
	for _, w := range c.words[1:] {
		folder, ours := strings.CutPrefix(w, module)
		if rel, ok := strings.CutPrefix(w, "./"); ok {
			folder, ours = rel, true
		}
		if !ours {
			continue
		}
		folder, _, _ = strings.Cut(folder, "@")
		if _, err := os.Stat(filepath.Join(repository, filepath.FromSlash(folder))); err != nil {
			t.Errorf("%s:%d: %s: %v", page, c.line, c.text, err)
		}
	}
}

// program runs mcpassay in a folder of a machine on which nothing is set, and answers its exit code and all output.
func program(cwd string, args ...string) (int, string) {
	var out bytes.Buffer
	return cli.Main(args, cli.IO{In: strings.NewReader(""), Out: &out, Err: &out, Getenv: func(string) string { return "" },
		Environ: func() []string { return nil }, Cwd: cwd, Home: filepath.Join(cwd, "nobody"), Platform: "linux", Now: time.Now}), out.String()
}

// copyOfExamples is a folder with the repository's examples in it.
func copyOfExamples(t *testing.T) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(folder, "examples"), os.DirFS(filepath.Join(repository, "examples"))); err != nil {
		t.Fatal(err)
	}
	return folder
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

func TestEveryLinkOfTheDocumentsLeadsSomewhere(t *testing.T) {
	count := 0
	err := fs.WalkDir(os.DirFS(repository), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		ours := name == "." || strings.HasPrefix(name+"/", "docs/") || strings.HasPrefix(name+"/", "examples/")
		if e.IsDir() && !ours {
			return fs.SkipDir
		}
		if e.IsDir() || !strings.HasSuffix(name, ".md") {
			return nil
		}
		for _, m := range link.FindAllStringSubmatch(readRepository(t, name), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			count++
			file, anchor, _ := strings.Cut(m[1], "#")
			target := name
			if file != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), file))
			}
			if _, err := os.Stat(filepath.Join(repository, target)); err != nil {
				t.Errorf("%s: the link %s leads nowhere", name, m[1])
			} else if anchor != "" && !slices.Contains(anchors(readRepository(t, target)), anchor) {
				t.Errorf("%s: %s has no heading #%s", name, target, anchor)
			}
		}
		return nil
	})
	if err != nil || count < 20 {
		t.Errorf("%d links, %v", count, err)
	}
}

// anchors are the headings of a page as GitHub names them.
func anchors(page string) []string {
	var all []string
	for line := range strings.Lines(page) {
		if head := strings.TrimLeft(line, "#"); head != line && strings.HasPrefix(head, " ") {
			slug := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(head)), " ", "-")
			all = append(all, regexp.MustCompile(`[^\p{L}\p{N}_-]`).ReplaceAllString(slug, ""))
		}
	}
	return all
}

var repositoryPath = regexp.MustCompile("`((?:cmd|internal|docs|test|examples|\\.ci)(?:/[A-Za-z0-9_.-]+)+/?)`")

func TestEveryPathOfTheDocumentsExists(t *testing.T) {
	layout := 0
	for name, page := range handwritten(t) {
		for _, m := range repositoryPath.FindAllStringSubmatch(page, -1) {
			if strings.Contains(m[1], "CATEGORY") {
				continue
			}
			if name == "docs/layout.md" {
				layout++
			}
			if _, err := os.Stat(filepath.Join(repository, filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s names %s, which does not exist", name, m[1])
			}
		}
	}
	rows := map[string]bool{}
	for line := range strings.Lines(handwritten(t)["docs/layout.md"]) {
		if room, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | "); ok && rows[room] {
			t.Errorf("docs/layout.md has two rows on %s", room)
		} else {
			rows[room] = ok
		}
	}
	if layout < 30 {
		t.Errorf("docs/layout.md names %d paths: the walk through the code is gone", layout)
	}
}

// Where a rule differs from its document, the page says why, and docs/migrating.md has the row: for the rules of the
// specification also where one finding is graver or milder than it says.
func TestMigratingListsEveryRuleThatDiffers(t *testing.T) {
	page := readRepository(t, "docs/migrating.md")
	for _, r := range catalog.All() {
		text := catalog.Page(r.ID)
		differs := strings.Contains(text, "\n## Where we differ") || strings.HasPrefix(r.ID, "mcp-") && strings.Contains(text, "\n## Severity")
		if listed := strings.Contains(page, "](rules/"+r.ID+".md)"); differs && !listed {
			t.Errorf("docs/migrating.md does not link rules/%s.md, which says where it differs", r.ID)
		} else if listed && !differs {
			t.Errorf("docs/migrating.md lists %s, whose page does not say that it differs", r.ID)
		}
	}
}

func TestEveryRuleThatTheDocumentsNameExists(t *testing.T) {
	ids := regexp.MustCompile("`((?:mcp-[a-z]+|config|launch|auth|doctor|policy)/[a-z0-9-]+)`|`(WRD-[A-Z-]+)`")
	count := 0
	for name, page := range handwritten(t) {
		for _, m := range ids.FindAllStringSubmatch(page, -1) {
			count++
			if len(catalog.Match(m[1]+m[2])) == 0 {
				t.Errorf("%s names the rule %s, which does not exist", name, m[1]+m[2])
			}
		}
	}
	if count < 20 {
		t.Errorf("only %d names found", count)
	}
}
