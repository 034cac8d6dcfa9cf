package config

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// The three rules of the specification that judge tracked files divide the secrets of an entry between them. Each
// secret is of one of them at most; what is of none is reported by auth/* alone.

// hardcodedBearer is a literal token in an Authorization header of the Bearer scheme.
func hardcodedBearer(x *client.Secret) bool {
	if x.Field != "headers" || !strings.EqualFold(x.Key, "Authorization") {
		return false
	}
	scheme, _, ok := strings.Cut(strings.TrimLeft(x.Value.Value, " \t"), " ")
	return ok && strings.EqualFold(scheme, "Bearer")
}

// hardcodedKey is a value in a vendor's form, or one that the specification's heuristic finds.
func hardcodedKey(x *client.Secret) bool {
	switch x.Field {
	case "headers", "env", "args":
		return (x.Spec || x.Kind.Vendor()) && !hardcodedBearer(x)
	}
	return false
}

// secretInURL is the value of a parameter in the query of the server's address.
func secretInURL(x *client.Secret) bool {
	if x.Field != "url" || x.Kind == secret.UserInfo || x.Kind == secret.URLFragment {
		return false
	}
	before := x.Value.Value[:x.Start]
	return strings.HasSuffix(before, "=") && strings.IndexByte(before, '?') >= 0 && strings.IndexByte(before, '#') < 0
}

// reportTracked reports the secrets of an entry that are of one rule, where git tracks the file. It asks git only when
// there is one.
func reportTracked(p *rule.Pass, s *client.Server, mine func(*client.Secret) bool) {
	for _, x := range s.Secrets() {
		if !mine(&x) {
			continue
		}
		if tracked, _ := p.Facts.Tracked(p.File); tracked != rule.Yes {
			return
		}
		p.Report(rule.Part(x.Value.Node, x.Start, x.End), rule.Args{"name": s.Name}, rule.Moving(p.File, x))
	}
}
