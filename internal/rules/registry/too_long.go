package registry

import (
	"strconv"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// TooLong is registry/too-long.
var TooLong = &rule.Rule{
	ID:       "registry/too-long",
	Title:    "a text of the wrong length",
	Trigger:  "A text of server.json has more or fewer characters than its schema allows.",
	Message:  "{field} has {length} characters, and {want} are the {most}",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Shorten it, or say more.",
	Manifest: tooLong,
}

func tooLong(p *rule.Pass, f *manifest.File) {
	for _, one := range schemaFaults(p, f) {
		most := "most"
		switch one.Kind {
		case manifest.TooLong:
		case manifest.TooShort:
			most = "fewest"
		default:
			continue
		}
		p.Report(at(one), rule.Args{"field": one.Field, "length": strconv.Itoa(one.Length), "want": one.Want, "most": most})
	}
}
