package traffic

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// SecretInArgument is traffic/secret-in-argument.
var SecretInArgument = &rule.Rule{
	ID:       "traffic/secret-in-argument",
	Title:    "a credential in an argument",
	Trigger:  "An argument of a call, or a client's answer to a server, holds a credential; beside an address of another party than the one that issued it, the message is blocked.",
	Message:  "The client hands {secret} to the server in {name}",
	Severity: finding.Warning,
	Tags:     []string{rule.Traffic, rule.Secret},
	OWASP:    "MCP01",
	CWE:      []int{200, 522},
	Since:    "0.1.0",
	Action:   rule.ActNote,
	Traffic: func(p *rule.Pass, m *traffic.Message) {
		if m.FromServer || m.Method == "initialize" {
			return
		}
		for i := range m.Texts {
			t := &m.Texts[i]
			if !mayHold(t.Text) {
				continue
			}
			for _, h := range secret.Text(t.Text) {
				args := rule.Args{"secret": h.Title, "name": named(t.Node)}
				span := t.Node.Within(h.Start, h.End, t.Key)
				if abroad(m, string(h.Kind)) {
					p.ReportAs("The client hands {secret} to another party, in {name}", rule.In(t.Node, span), args, rule.WithKind(string(h.Kind)), rule.WithSeverity(finding.Error), rule.WithAction(rule.ActBlock))
					continue
				}
				p.Report(rule.In(t.Node, span), args, rule.WithKind(string(h.Kind)))
			}
		}
	},
}

// abroad says whether the message names an address, and none is of the vendor whose credential it is.
func abroad(m *traffic.Message, kind string) bool {
	vendor, _, _ := strings.Cut(kind, "-")
	some := false
	for i := range m.Texts {
		for t := m.Texts[i].Text; ; {
			at := strings.Index(t, "://")
			if at < 0 {
				break
			}
			t = t[at+len("://"):]
			host := t[:strings.IndexFunc(t+"/", func(r rune) bool { return strings.ContainsRune("/?#\"' \n", r) })]
			if local(host) {
				continue
			}
			if strings.Contains(strings.ToLower(host), vendor) {
				return false
			}
			some = true
		}
	}
	return some
}

// local says whether a host is the machine itself.
func local(host string) bool {
	return strings.HasPrefix(host, "localhost") || strings.HasPrefix(host, "127.") || strings.HasPrefix(host, "[::1]") || host == ""
}
