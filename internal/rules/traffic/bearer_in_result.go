package traffic

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// BearerInResult is traffic/bearer-in-result.
var BearerInResult = &rule.Rule{
	ID:       "traffic/bearer-in-result",
	Title:    "a bearer token in what a server sends",
	Trigger:  "What a server sends holds a bearer token behind its scheme, in a header as it is written down.",
	Message:  "The server hands out a bearer token",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic, rule.Secret},
	Aliases:  []string{"generic-bearer-token-disclosure"},
	OWASP:    "MCP01",
	CWE:      []int{200, 522},
	Since:    "0.1.0",
	Action:   rule.ActRedact,
	Traffic: func(p *rule.Pass, m *traffic.Message) {
		if !m.FromServer {
			return
		}
		for i := range m.Texts {
			bearers(p, &m.Texts[i])
		}
	},
}

const scheme = "earer "

// bearers reports the tokens of one text that no vendor's shape tells of.
func bearers(p *rule.Pass, t *traffic.Text) {
	for from := 0; ; {
		i := strings.Index(t.Text[from:], scheme)
		if i < 0 {
			return
		}
		start := from + i + len(scheme)
		from = start
		if i = start - len(scheme) - 1; i < 0 || t.Text[i]|0x20 != 'b' {
			continue
		}
		end := start
		for end < len(t.Text) && tokenByte(t.Text[end]) {
			end++
		}
		if token := t.Text[start:end]; len(token) >= shortestSecret && len(secret.Text(token)) == 0 && len(secret.Header("Authorization", "Bearer "+token)) > 0 {
			redact(p, t, start, end, string(secret.Bearer), nil)
		}
	}
}

// tokenByte says whether a byte may stand in a bearer token (RFC 6750, section 2.1).
func tokenByte(c byte) bool {
	return letter(c) || c >= '0' && c <= '9' || strings.IndexByte("-._~+/=", c) >= 0
}
