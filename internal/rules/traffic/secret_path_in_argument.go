package traffic

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// SecretPathInArgument is traffic/secret-path-in-argument.
var SecretPathInArgument = &rule.Rule{
	ID:       "traffic/secret-path-in-argument",
	Title:    "a path of secrets in an argument",
	Trigger:  "An argument of a call is a path under which people and programs keep keys and credentials.",
	Message:  "The call of {tool} names a place of secrets in its argument {name}",
	Severity: finding.Warning,
	Tags:     []string{rule.Traffic, rule.Behaviour},
	Aliases:  []string{"owasp-mcp-7-path-exfil-in-args"},
	OWASP:    "MCP01",
	CWE:      []int{200, 552},
	Since:    "0.1.0",
	Action:   rule.ActNote,
	Traffic: func(p *rule.Pass, m *traffic.Message) {
		if !arguments(m) {
			return
		}
		for i := range m.Texts {
			if t := &m.Texts[i]; !t.Key && secretPaths(t.Text) {
				p.Report(rule.At(t.Node), rule.Args{"tool": m.Tool, "name": named(t.Node)})
			}
		}
	},
}

// secretPaths says whether a text holds the path of a secret: an argument may be a path, or a line in which one stands.
func secretPaths(t string) bool {
	for i := 0; i < len(t); {
		from, path := i, false
		for i < len(t) && !parting[t[i]] {
			c := t[i]
			path = path || c == '.' || c == '/' || c == '_' || c == '\\' || c == '-'
			i++
		}
		if w := t[from:i]; (path || from == 0 && i == len(t)) && speech.SecretPath(w) && !example(w) {
			return true
		}
		i++
	}
	return false
}

// parting are the bytes that part the words of a command line.
var parting = func() (t [256]bool) {
	for _, c := range " \t\r\n\"'`=,;|&<>()[]{}" {
		t[c] = true
	}
	return
}()

// example says whether a file is a template that holds no secret.
func example(path string) bool {
	for _, end := range [...]string{".example", ".sample", ".template", ".dist"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return false
}
