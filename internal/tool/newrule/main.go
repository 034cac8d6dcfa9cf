// Command newrule makes the two files of a new rule: go run ./internal/tool/newrule config/fault-name
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./internal/tool/newrule ROOM/FAULT-NAME")
		os.Exit(2)
	}
	if err := create(".", os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "newrule:", err)
		os.Exit(1)
	}
}

var idForm = regexp.MustCompile(`^([a-z]+)/([a-z0-9]+(?:-[a-z0-9]+)*)$`)

func create(root, id string) error {
	m := idForm.FindStringSubmatch(id)
	if m == nil {
		return fmt.Errorf("%q is no id: write room/fault-name, the fault and not its cure", id)
	}
	room, fault := m[1], m[2]
	dir := filepath.Join(root, "internal", "rules", room)
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("there is no room %s: %w", room, err)
	}
	base := filepath.Join(dir, strings.ReplaceAll(fault, "-", "_"))
	var name strings.Builder
	for _, word := range strings.Split(fault, "-") {
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	fill := strings.NewReplacer("THEROOM", room, "THEID", id, "TheRule", name.String(), "theRule", strings.ToLower(name.String()[:1])+name.String()[1:])
	for file, text := range map[string]string{base + ".go": code, base + ".md": page} {
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		if _, err := f.WriteString(fill.Replace(text)); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		fmt.Println(file)
	}
	fmt.Println("then: go generate ./internal/catalog && go test ./test -run TestPages/" + strings.ReplaceAll(id, "/", "."))
	return nil
}

const code = `package THEROOM

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// TheRule is THEID.
var TheRule = &rule.Rule{
	ID:       "THEID",
	Title:    "",
	Trigger:  "",
	Message:  ` + "`Server \"{name}\"`" + `,
	Severity: finding.Warning,
	Tags:     []string{rule.Hygiene},
	Since:    "0.1.0",
	Server:   theRule,
}

func theRule(p *rule.Pass, s *client.Server) {
	p.Report(rule.Key(s.Node), rule.Args{"name": s.Name})
}
`

const page = `# THEID

What it finds, in a paragraph.

## Why

What goes wrong because of it.

## Bad

` + "```json .mcp.json\n{\"mcpServers\": {\"a\": {\"command\": \"node\"}}}\n```\n\n```findings\n1:17 warning Server \"a\"\n```" + `

## Good

` + "```json .mcp.json\n{\"mcpServers\": {}}\n```" + `

## References
`
