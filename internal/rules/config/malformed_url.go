package config

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// MalformedURL is mcp-urls/malformed-url.
var MalformedURL = &rule.Rule{
	ID:       "mcp-urls/malformed-url",
	Title:    "an address that is no URL",
	Trigger:  "The address of a server is written out, and no client can connect to it: no scheme, no host, blanks around it.",
	Message:  `Server "{name}": invalid URL "{url}"`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Server:   malformedURL,
}

func malformedURL(p *rule.Pass, s *client.Server) {
	if s.Hidden || s.URL.Value == "" {
		return
	}
	a, ok := s.Address()
	if a.References || ok && speaks(s.File.Client, a.Scheme) {
		return
	}
	p.Report(rule.At(s.URL.Node), rule.Args{"name": s.Name, "url": masked(s.URL.Value)}, rule.WithBlast(entryBlast(s.File)))
}

// speaks says whether a client may connect to a URL of that scheme.
func speaks(c *client.Client, scheme string) bool {
	switch scheme {
	case "http", "https", "ws", "wss":
		return true
	case "unix", "pipe":
		return c == client.Generic || slices.Contains(c.Remote.Schemes, scheme)
	}
	return false
}

// masked is a broken URL for a message. What stands where a URL has its secrets is masked although it is none.
func masked(u string) string {
	rest := strings.TrimLeft(u, " \t\r\n")
	if _, after, ok := strings.Cut(rest, ":"); ok && after != "" && (after[0] == '/' || after[0] == '\\') {
		rest = strings.TrimLeft(after, `/\`)
	}
	const whole = "https://"
	clean := secret.MaskURL(whole + rest)
	return u[:len(u)-len(rest)] + strings.TrimPrefix(clean, whole)
}
