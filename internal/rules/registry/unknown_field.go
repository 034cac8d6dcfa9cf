package registry

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// UnknownField is registry/unknown-field.
var UnknownField = &rule.Rule{
	ID:       "registry/unknown-field",
	Title:    "a member that the registry drops",
	Trigger:  "server.json has a member that the schema of its date does not have.",
	Message:  "{field} is no member of the schema of {date}, and the registry drops it{near}",
	Severity: finding.Info,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Take it out, correct its name, or move it into _meta.",
	Manifest: unknownField,
}

func unknownField(p *rule.Pass, f *manifest.File) {
	for _, one := range schemaFaults(p, f) {
		if one.Kind != manifest.Stray {
			continue
		}
		args := rule.Args{"field": one.Field, "date": f.Judged().String()}
		severity, message := finding.Info, p.Rule.Message
		if one.Near != "" {
			severity, args["near"] = finding.Warning, ": did you mean "+one.Near+"?"
		}
		if one.Closed {
			severity, message = finding.Error, "{field} is no member of the schema of {date}, which allows no others{near}"
		}
		if one.Near == "" {
			args["near"] = ""
		}
		p.ReportAs(message, at(one), args, rule.WithSeverity(severity))
	}
}
