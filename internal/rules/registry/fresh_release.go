package registry

import (
	"fmt"
	"time"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// FreshRelease is registry/fresh-release.
var FreshRelease = &rule.Rule{
	ID:       "registry/fresh-release",
	Title:    "a release that nobody had time to look at",
	Trigger:  "The version that a configured server runs was published less than a day ago, or in the future.",
	Message:  `Server "{name}": {what} was published {when}`,
	Severity: finding.Warning,
	Tags:     []string{rule.Supply},
	Aliases:  []string{"release-cooldown"},
	OWASP:    "MCP04",
	CWE:      []int{1357},
	Since:    "0.1.0",
	Needs:    []rule.Need{rule.NeedRegistry},
	Trust:    freshRelease,
}

func freshRelease(p *rule.Pass, s *trust.Server) {
	for _, one := range s.Packages {
		if when := fresh(one.Age, p.Limits.ReleaseFresh); when != "" {
			p.Report(place(one), rule.Args{"name": s.Entry.Name, "what": called(one), "when": when}, rule.WithKind("package"))
			return
		}
	}
	if r := s.Record; r != nil {
		if when := fresh(r.Age, p.Limits.ReleaseFresh); when != "" {
			p.Report(entry(s), rule.Args{"name": s.Entry.Name, "what": "the record " + r.Name + " " + r.Version, "when": when}, rule.WithKind("record"))
		}
	}
}

// fresh says when something was published that is too young, "" for what is not or has no known age.
func fresh(age *time.Duration, least time.Duration) string {
	switch {
	case age == nil || *age >= least:
		return ""
	case *age < 0:
		return "in the future"
	}
	return fmt.Sprintf("%v ago", age.Round(time.Minute))
}
