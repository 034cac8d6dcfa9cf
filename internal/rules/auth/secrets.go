package auth

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// each walks the secrets of a file, entry by entry, that mine picks. The option names the entry.
func each(f *client.File, mine func(*client.Secret) bool, visit func(s *client.Server, x client.Secret)) {
	for _, s := range f.Servers {
		for _, x := range s.Secrets() {
			if mine(&x) {
				visit(s, x)
			}
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
