package config

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// UnsetVariable is mcp-env/unset-variable.
var UnsetVariable = &rule.Rule{
	ID:       "mcp-env/unset-variable",
	Title:    "a variable that is not set",
	Trigger:  "A value refers to an environment variable, without a default, that is not set where mcpassay runs.",
	Message:  `Server "{name}": environment variable "{var}" is not set`,
	Severity: finding.Info,
	Tags:     []string{rule.Portability},
	Since:    "0.1.0",
	Needs:    []rule.Need{rule.NeedEnv},
	Advice:   true,
	Server:   unsetVariable,
}

func unsetVariable(p *rule.Pass, s *client.Server) {
	if s.Disabled || s.Hidden || p.File.Dead() || p.File.Client.ID == "continue" {
		return
	}
	var few [4]client.Use // most entries have no more
	uses := unset(p, s, few[:0])
	if len(uses) == 0 {
		return
	}
	var seen map[string]bool
	if len(uses) > 1 {
		seen = map[string]bool{}
	}
	// What is sent goes first: one finding a variable, at the place where it hurts most.
	for _, sent := range []bool{true, false} {
		for _, u := range uses {
			if (u.Field == "headers" || u.Field == "url") != sent || seen[u.Name] {
				continue
			}
			if seen != nil {
				seen[u.Name] = true
			}
			severity := p.Rule.Severity
			if sent {
				severity = finding.Warning
			}
			if p.Counted(severity) {
				continue
			}
			p.Report(rule.Part(u.Value.Node, u.Start, u.End), rule.Args{"name": s.Name, "var": u.Name},
				rule.WithKind(u.Name), rule.WithSeverity(severity))
		}
	}
}

// unset are the variables that the client looks up for an entry, by reference or by a field that names one, and does
// not find.
func unset(p *rule.Pass, s *client.Server, out []client.Use) []client.Use {
	f := p.File
	if f.Client.Env.Expands == "yes" {
		for _, u := range s.Refs() {
			if !u.Shell && u.Variable() && !u.Default && p.Facts.Env(u.Name) == rule.No && f.Reads(u.Ref, u.Field) == client.Right {
				out = append(out, u)
			}
		}
	}
	named := func(field string, v client.Str) {
		if launch.IsName(v.Value) && p.Facts.Env(v.Value) == rule.No {
			out = append(out, client.Use{Ref: client.Ref{Name: v.Value, End: len(v.Value)}, Field: field, Value: client.Pair{Str: v}})
		}
	}
	if s.BearerVar.Set() {
		named("headers", s.BearerVar)
	}
	for _, h := range s.EnvHeaders {
		named("headers", h.Str)
	}
	if f.Client.ID == "codex" { // Goose takes the values of env_keys from its keyring
		for _, v := range s.EnvVars {
			named("env", v)
		}
	}
	return out
}
