package auth

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// CleartextTransport is auth/cleartext-transport.
var CleartextTransport = &rule.Rule{
	ID:    "auth/cleartext-transport",
	Title: "traffic crosses a network in the clear",
	Trigger: "An http:// or ws:// address that is not this machine's stands as the server's URL, as the address that a bridge in " +
		"the arguments connects to, or in a variable beside the credential that is sent there.",
	Message:  `Server "{name}" talks to {host} without TLS ({place})`,
	Severity: finding.Error,
	Tags:     []string{rule.Auth},
	Aliases:  []string{"WRD-AUTH-PLAINTEXT-HTTP"},
	OWASP:    "MCP07",
	CWE:      []int{319},
	Since:    "0.1.0",
	Fault:    "cleartext",
	Server:   cleartextTransport,
}

func cleartextTransport(p *rule.Pass, s *client.Server) {
	report := func(v client.Str, place, address string, credential func() bool) {
		host, reach := client.Cleartext(address)
		if reach != client.Public && (reach != client.Network || !credential()) {
			return
		}
		opts := []rule.Option{}
		if reach == client.Network {
			opts = append(opts, rule.WithSeverity(finding.Warning))
		}
		p.Report(rule.At(v.Node), rule.Args{"name": s.Name, "host": host, "place": place}, opts...)
	}
	if s.URL.Set() {
		report(s.URL, s.URLKey, s.URL.Value, s.SendsCredential)
	}
	if slices.ContainsFunc(s.Args, func(a client.Str) bool { return strings.Contains(a.Value, "://") }) {
		if line, ok := s.Line(); ok {
			if address, arg, ok := line.Bridge(); ok && arg >= 0 {
				report(s.Word(arg), "args", address, func() bool { return slices.ContainsFunc(s.Secrets(), inArgs) || headerFlag(s) })
			}
		}
	}
	for _, e := range s.Env {
		if _, reach := client.Cleartext(e.Value); reach == client.Public && endpoint(e.Key) && accompanied(s, e.Key) {
			report(e.Str, `env "`+e.Key+`"`, e.Value, func() bool { return true })
		}
	}
}

func inArgs(x client.Secret) bool { return x.Field == "args" }

// headerFlag says that the arguments name a header to send.
func headerFlag(s *client.Server) bool {
	return slices.ContainsFunc(s.Args, func(a client.Str) bool {
		return a.Value == "--header" || a.Value == "-H" || strings.HasPrefix(a.Value, "--header=")
	})
}

// endpoint says that a variable's name is one for an address to connect to. A proxy is spoken to over http by nature.
func endpoint(key string) bool {
	key = strings.ToUpper(key)
	if strings.Contains(key, "PROXY") {
		return false
	}
	for _, end := range [...]string{"URL", "URI", "HOST", "ENDPOINT", "SERVER", "ADDRESS", "ADDR"} {
		if strings.HasSuffix(key, end) {
			return true
		}
	}
	return false
}

// accompanied says that the entry has a credential of the same family, which goes to that address: N8N_API_KEY beside
// N8N_API_URL.
func accompanied(s *client.Server, key string) bool {
	family, _, ok := strings.Cut(key, "_")
	for _, e := range s.Env {
		if f, _, _ := strings.Cut(e.Key, "_"); ok && strings.EqualFold(f, family) && secret.SecretName(e.Key) && e.Value != "" {
			return true
		}
	}
	return false
}
