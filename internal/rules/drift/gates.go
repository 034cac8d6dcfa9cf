package drift

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/rule"
)

// gates reports what registries say of the packages and records of a lock for one of the reasons, each at its server.
func gates(reasons ...string) func(*rule.Pass, *rule.Locked) {
	return func(p *rule.Pass, l *rule.Locked) {
		if l.File.Lock == nil {
			return
		}
		for _, g := range l.Gates {
			s := l.File.Get(g.Server)
			if s == nil || !slices.Contains(reasons, g.Reason) {
				continue
			}
			severity := p.Rule.Severity
			if g.Severity != 0 {
				severity = g.Severity
			}
			p.Report(rule.Key(s.Node), rule.Args{"server": g.Server, "reason": g.Reason, "detail": g.Detail}, rule.ForLocked(l.File, g.Server, ""),
				rule.WithSeverity(severity), rule.WithKind(g.Reason))
		}
	}
}
