package traffic

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// CredentialInResult is traffic/credential-in-result.
var CredentialInResult = &rule.Rule{
	ID:       "traffic/credential-in-result",
	Title:    "a credential in what a server sends",
	Trigger:  "What a server sends holds a credential of a shape that its vendor publishes.",
	Message:  "The server hands out a credential: {secret}",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic, rule.Secret},
	Aliases:  []string{"credential-egress-in-response"},
	OWASP:    "MCP01",
	CWE:      []int{200, 522},
	Since:    "0.1.0",
	Action:   rule.ActRedact,
	Traffic: func(p *rule.Pass, m *traffic.Message) {
		if !m.FromServer {
			return
		}
		for i := range m.Texts {
			t := &m.Texts[i]
			if !mayHold(t.Text) {
				continue
			}
			for _, h := range secret.Text(t.Text) {
				redact(p, t, h.Start, h.End, string(h.Kind), rule.Args{"secret": h.Title})
			}
		}
	},
}

// shortestSecret is what no vendor's credential is shorter than.
const shortestSecret = 16

// mayHold says whether a text can hold a credential of a vendor's shape: one has no blank in it, but for the lines of a key.
func mayHold(t string) bool {
	for i := 0; i+shortestSecret <= len(t); {
		k := i + shortestSecret - 1
		for k >= i && t[k] > ' ' {
			k--
		}
		if k < i {
			return true
		}
		i = k + 1
	}
	return strings.Contains(t, "-----")
}

// redact reports a stretch of a text and says how the message reads without it.
func redact(p *rule.Pass, t *traffic.Text, start, end int, kind string, args rule.Args, opts ...rule.Option) {
	span := t.Node.Within(start, end, t.Key)
	cut := finding.Edit{Offset: span.Start, Length: span.Len(), Text: "<removed: " + kind + ">"}
	opts = append(opts, rule.WithKind(kind), rule.WithFix(finding.Safe, "replace it by what it is", cut))
	p.Report(rule.In(t.Node, span), args, opts...)
}
