package registry

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// HostileRecord is registry/hostile-record.
var HostileRecord = &rule.Rule{
	ID:       "registry/hostile-record",
	Title:    "a record that speaks to a model",
	Trigger:  "The rules on texts that a model reads find something grave in what the MCP registry's record of a configured server says.",
	Message:  `Server "{name}": what the record {record} says is aimed at a model: {rules}`,
	Severity: finding.Error,
	Tags:     []string{rule.Poisoning, rule.Supply},
	OWASP:    "MCP03",
	CWE:      []int{1427},
	Since:    "0.1.0",
	Needs:    []rule.Need{rule.NeedRegistry},
	Trust:    hostileRecord,
}

func hostileRecord(p *rule.Pass, s *trust.Server) {
	if s.Record == nil {
		return
	}
	var rules []string
	for _, f := range s.Record.Said {
		if f.Severity == trust.Critical || f.Severity == trust.High {
			rules = append(rules, f.Type)
		}
	}
	if len(rules) > 0 {
		p.Report(entry(s), rule.Args{"name": s.Entry.Name, "record": s.Record.Name + " " + s.Record.Version, "rules": strings.Join(rules, ", ")})
	}
}
