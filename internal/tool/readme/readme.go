// Package readme makes the parts of README.md that come from the program, so that they never say what it does not
// do: the output of the demo, as text and as a picture, the table of verbs, and the exit codes.
package readme

//go:generate go run ../genreadme ../../..

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/cli"
	"github.com/mcpassay/mcpassay/internal/tool/within"
)

// Columns is the width of the terminal in the picture. Its text is readable in GitHub's page.
const Columns = 100

// Files are README.md, given the one that exists, and docs/demo.svg, by path.
func Files(page string) (map[string]string, error) {
	plain, err := demo("never")
	if err != nil {
		return nil, err
	}
	colour, err := demo("always")
	if err != nil {
		return nil, err
	}
	verbs, err := Verbs()
	if err != nil {
		return nil, err
	}
	for _, p := range []struct{ name, text string }{
		{"demo", "```text\n" + strings.TrimRight(plain, "\n") + "\n```\n"},
		{"verbs", table(verbs)},
	} {
		if page, err = within.Replace(page, p.name, p.text); err != nil {
			return nil, err
		}
	}
	return map[string]string{"README.md": page, "docs/demo.svg": SVG("$ go run ./cmd/mcpassay demo\n"+colour, Columns)}, nil
}

// run is the program on a terminal of a machine without configs: what both streams show, in order.
func run(args ...string) (string, error) {
	var out bytes.Buffer
	none := func(string) string { return "" }
	code := cli.Main(args, cli.IO{In: strings.NewReader(""), Out: &out, Err: &out, Getenv: none, Environ: func() []string { return nil },
		Cwd: "/example", Home: "/home/you", Platform: "linux", Now: time.Now, Width: Columns})
	if code != 0 {
		return "", fmt.Errorf("mcpassay %s exits %d:\n%s", strings.Join(args, " "), code, out.String())
	}
	return out.String(), nil
}

func demo(colour string) (string, error) { return run("demo", "--color", colour) }

// Verb is one command of the program and its one-line help.
type Verb struct{ Group, Name, Does string }

// Verbs are the commands that `mcpassay --help` lists, without help itself.
func Verbs() ([]Verb, error) {
	help, err := run("--help")
	if err != nil {
		return nil, err
	}
	var all []Verb
	group := ""
	for line := range strings.Lines(help) {
		line = strings.TrimRight(line, "\n")
		name, does, ok := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case line == "":
			group = ""
		case !strings.HasPrefix(line, " "):
			group = strings.TrimSuffix(line, ":")
		case ok && name != "help" && slices.Contains([]string{"Check", "Trust", "Packages", "Understand", "More"}, group):
			all = append(all, Verb{group, name, strings.TrimSpace(does)})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the help lists no verb:\n%s", help)
	}
	return all, nil
}

func table(verbs []Verb) string {
	var b strings.Builder
	b.WriteString("| | verb | does |\n|---|---|---|\n")
	last := ""
	for _, v := range verbs {
		group := ""
		if v.Group != last {
			group, last = v.Group, v.Group
		}
		fmt.Fprintf(&b, "| %s | [`%s`](docs/cli/%s.md) | %s |\n", group, v.Name, v.Name, v.Does)
	}
	return b.String()
}
