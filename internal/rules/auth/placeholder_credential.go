package auth

import (
	"path"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
)

// PlaceholderCredential is auth/placeholder-credential.
var PlaceholderCredential = &rule.Rule{
	ID:       "auth/placeholder-credential",
	Title:    "a placeholder stands where a credential belongs",
	Trigger:  "A variable, a header or a flag whose name says that it is a secret holds a placeholder, such as YOUR_API_KEY.",
	Message:  `Server "{name}" has a placeholder in {place}: it can not work until it is replaced`,
	Severity: finding.Info,
	Tags:     []string{rule.Auth},
	Aliases:  []string{"WRD-AUTH-PLACEHOLDER-SECRET"},
	OWASP:    "MCP01",
	Since:    "0.1.0",
	Server:   placeholderCredential,
}

func placeholderCredential(p *rule.Pass, s *client.Server) {
	found := func(place, quoted, key, value string, at source.Node) {
		if stands(key, value) {
			if p.File.Dead() || forCopying(p.File.Path) {
				return // a template: the placeholder is there for whoever copies it
			}
			if quoted != "" {
				place += ` "` + quoted + `"`
			}
			p.Report(rule.At(at), rule.Args{"name": s.Name, "place": place})
		}
	}
	for _, e := range s.Env {
		found("env", e.Key, e.Key, e.Value, e.Node)
	}
	for _, h := range s.Headers {
		found("header", h.Key, h.Key, h.Value, h.Node)
	}
	for i, a := range s.Args {
		if !strings.HasPrefix(a.Value, "-") && strings.IndexByte(a.Value, '=') < 0 {
			continue
		}
		flag, value, joined := strings.Cut(a.Value, "=")
		name := strings.TrimLeft(flag, "-")
		switch {
		case joined:
			found("args", "", name, value, a.Node)
		case name != flag && i+1 < len(s.Args) && !strings.HasPrefix(s.Args[i+1].Value, "-"):
			found("args", "", name, s.Args[i+1].Value, s.Args[i+1].Node)
		}
	}
}

// forCopying says that a file's name calls it a template.
func forCopying(file string) bool {
	name := strings.ToLower(path.Base(file))
	for _, word := range [...]string{"example", "sample", "template"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// stands says that a value under a name is a placeholder for a secret. A word such as "none" or "test" may be meant.
func stands(key, value string) bool {
	return value != "" && !plainReference(value) && secret.SecretName(key) && !secret.IsReference(value) && !plainWord(value) && secret.IsPlaceholder(key, value)
}

// plainReference is a quick look: most values under such a name are one ${NAME}.
func plainReference(v string) bool {
	return strings.HasPrefix(v, "${") && strings.IndexByte(v, '}') == len(v)-1 && launch.IsName(v[2:len(v)-1])
}

// plainWord says that a value is one short word in lower case, which a server may well read ("none", "local", "dev").
func plainWord(v string) bool {
	return len(v) < len("password") && strings.Trim(v, "abcdefghijklmnopqrstuvwxyz") == ""
}
