package auth

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// report reports the secrets of an entry that stand in URLs, or those that stand elsewhere.
func report(p *rule.Pass, s *client.Server, inURL bool) {
	for _, x := range s.Secrets() {
		if x.InURL() == inURL {
			p.Report(rule.Part(x.Value.Node, x.Start, x.End),
				rule.Args{"name": s.Name, "place": x.Place(), "what": x.Title, "length": x.LengthClass}, rule.Moving(p.File, x), grave(x))
		}
	}
}

// grave lowers the severity of what is probably, not certainly, a secret.
func grave(x client.Secret) rule.Option {
	return func(f *finding.Finding) {
		if x.Medium {
			f.Severity = finding.Warning
		}
	}
}
