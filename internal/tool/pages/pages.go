// Package pages makes the parts of hand-written pages of docs that come from the program or from another page: what each revision of
// the protocol asks of a server, the rules by the threats that they answer, the versions of what is promised, and what other programs
// call things.
package pages

//go:generate go run ../genpages ../../..

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/tool/migrating"
	"github.com/mcpassay/mcpassay/internal/tool/within"
)

// requirements is where the table of what a server is asked lies.
const requirements = "docs/endpoint-rules.md"

// Files are the pages with their generated parts, by path, given the repository's folder.
func Files(root string) (map[string]string, error) {
	read := func(name string) (string, error) {
		raw, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		return string(raw), err
	}
	script, err := read(migrating.Script)
	if err != nil {
		return nil, err
	}
	rows, err := read(requirements)
	if err != nil {
		return nil, err
	}
	c, err := contractOf()
	if err != nil {
		return nil, err
	}
	matrix, err := Matrix(rows, c.Protocols)
	if err != nil {
		return nil, err
	}
	threats, err := threatTable()
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, f := range []struct {
		name string
		fill func(page string) (string, error)
	}{
		{migrating.Page, func(page string) (string, error) { return migrating.Fill(page, script) }},
		{"docs/protocol.md", func(page string) (string, error) { return within.Replace(page, "revisions", matrix) }},
		{"docs/threat-model.md", func(page string) (string, error) { return within.Replace(page, "threats", threats) }},
		{"docs/stability.md", func(page string) (string, error) { return within.Replace(page, "versions", c.table()) }},
	} {
		page, err := read(f.name)
		if err != nil {
			return nil, err
		}
		if files[f.name], err = f.fill(page); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return files, nil
}

// contract is what of `mcpassay contract --format json` the pages print.
type contract struct {
	Schemas   struct{ Report, Lock, Log, Surface int }
	Formats   []string
	Profiles  []string
	Protocols []string // newest first
	Catalog   struct {
		Version string
		Rules   map[string]string
		Clients []string
	}
}

func contractOf() (*contract, error) {
	out, err := migrating.Run("contract", "--format", "json")
	if err != nil {
		return nil, err
	}
	c := &contract{}
	return c, json.Unmarshal([]byte(out), c)
}

func (c *contract) table() string {
	return fmt.Sprintf("| what | now |\n|---|---|\n"+
		"| report: `schemaVersion` | %d |\n| `mcpassay.lock`: `lockVersion` | %d |\n| audit and approval logs: `v` | %d |\n| saved surfaces | %d |\n"+
		"| rules: version of the catalog | %s, %d rules, %d clients |\n| formats | %s |\n| profiles | %s |\n| revisions of MCP | %s |\n",
		c.Schemas.Report, c.Schemas.Lock, c.Schemas.Log, c.Schemas.Surface, c.Catalog.Version, len(c.Catalog.Rules), len(c.Catalog.Clients),
		strings.Join(c.Formats, ", "), strings.Join(c.Profiles, ", "), strings.Join(c.Protocols, ", "))
}

var requirement = regexp.MustCompile(`(?m)^\| (R\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|`)

// Matrix is the table of what is asked of a server by revision, newest first, out of the rows of docs/endpoint-rules.md.
func Matrix(page string, revisions []string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "| | what is asked of a server | %s | rules |\n|---|---|%s---|\n", strings.Join(revisions, " | "), strings.Repeat("---|", len(revisions)))
	rows := requirement.FindAllStringSubmatch(page, -1)
	for _, m := range rows {
		holds, err := Holding(m[3], revisions)
		if err != nil {
			return "", fmt.Errorf("%s: %w", m[1], err)
		}
		fmt.Fprintf(&b, "| %s | %s |", m[1], m[2])
		for _, r := range revisions {
			mark := ""
			if slices.Contains(holds, r) {
				mark = "yes"
			}
			fmt.Fprintf(&b, " %s |", mark)
		}
		fmt.Fprintf(&b, " %s |\n", m[4])
	}
	if len(rows) == 0 {
		return "", fmt.Errorf("%s has no rows", requirements)
	}
	return b.String(), nil
}

// Holding are the revisions that words such as "from 2025-03-26", "2025-03-26 to 2025-11-25", "2025-06-18, 2025-11-25" and
// "all, stdio" speak of, in the order in which they are given, newest first.
func Holding(words string, revisions []string) ([]string, error) {
	var all []string
	add := func(from, to string) error {
		for _, end := range []string{from, to} {
			if end != "" && !slices.Contains(revisions, end) {
				return fmt.Errorf("%q names no revision %q", words, end)
			}
		}
		for _, r := range revisions {
			if (from == "" || r >= from) && (to == "" || r <= to) {
				all = append(all, r)
			}
		}
		return nil
	}
	for _, word := range strings.Split(strings.TrimSpace(words), ", ") {
		var err error
		from, to, both := strings.Cut(word, " to ")
		switch {
		case word == "stdio": // a transport of all of them
		case word == "all":
			err = add("", "")
		case both:
			err = add(from, to)
		case strings.HasPrefix(word, "from "):
			err = add(strings.TrimPrefix(word, "from "), "")
		case strings.HasPrefix(word, "to "):
			err = add("", strings.TrimPrefix(word, "to "))
		case word == "":
			err = errors.New("no revision is named")
		default:
			err = add(word, word)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// threatTable is each entry of the OWASP MCP Top 10 with the rules that are about it, as `mcpassay rules` lists them.
func threatTable() (string, error) {
	out, err := migrating.Run("rules", "--format", "json")
	if err != nil {
		return "", err
	}
	var rules []struct{ ID, OWASP, Category string }
	if err := json.Unmarshal([]byte(out), &rules); err != nil {
		return "", err
	}
	by := map[string][]string{}
	for _, r := range rules {
		by[r.OWASP] = append(by[r.OWASP], "`"+r.ID+"`")
	}
	var b strings.Builder
	b.WriteString("| entry | rules | |\n|---|---|---|\n")
	for n := 1; n <= 10; n++ {
		entry := fmt.Sprintf("MCP%02d", n)
		ids := strings.Join(by[entry], ", ")
		if ids == "" {
			ids = "none: [logs](logs.md) are a part of the program, and no rule"
		}
		fmt.Fprintf(&b, "| %s | %d | %s |\n", entry, len(by[entry]), ids)
	}
	return b.String(), nil
}
