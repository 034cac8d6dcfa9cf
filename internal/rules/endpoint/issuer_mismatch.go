package endpoint

import (
	"net/url"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// IssuerMismatch is endpoint/issuer-mismatch.
var IssuerMismatch = &rule.Rule{
	ID:       "endpoint/issuer-mismatch",
	Title:    "metadata of another issuer",
	Trigger:  "The metadata of an authorization server names another issuer than the address it stands at.",
	Message:  "The metadata at {path} is that of {issuer}, which belongs at another address: a client refuses it",
	Severity: finding.Warning,
	Tags:     []string{rule.Discovery, rule.Auth},
	OWASP:    "MCP07",
	CWE:      []int{346},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Serve no copy: name the login service in authorization_servers of the resource metadata.",
	Surface: issuerMismatch,
}

func issuerMismatch(p *rule.Pass, s *card.Server) {
	in := probe(s)
	endpoint := in.endpoint()
	root := *endpoint
	root.Path, root.RawPath = "", ""
	whole := false // the host is an issuer, and says so at its root
	for t, m := range in.documents(wire.AuthServer, wire.OpenIDAtRoot, wire.AuthServerAtPath, wire.OpenIDAtPath, wire.OpenIDAppended) {
		issuer := word(m, "issuer")
		atRoot := t.Trial == wire.AuthServer || t.Trial == wire.OpenIDAtRoot
		want := endpoint
		if atRoot {
			want = &root
		}
		switch {
		case same(issuer, want):
			whole = whole || atRoot
		case !atRoot && whole && same(issuer, &root): // the same document at every address
		case issuer == "":
			p.ReportAs("The metadata at {path} names no issuer: a client refuses it", rule.At(t.at), rule.Args{"path": t.Detail}, rule.WithKind("none "+string(t.Trial)))
		default:
			p.Report(rule.At(t.at), rule.Args{"path": t.Detail, "issuer": issuer}, rule.WithKind(string(t.Trial)))
		}
	}
}

// same says that a URL is that of an issuer, as far as its host is known. RFC 8414, 3.3: identical; a slash at the end of
// a host alone is forgiven.
func same(issuer string, want *url.URL) bool {
	u, err := url.Parse(issuer)
	return err == nil && u.Host != "" && covers(issuer, want) && strings.TrimSuffix(u.Path, "/") == strings.TrimSuffix(want.Path, "/")
}
