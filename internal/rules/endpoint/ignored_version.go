package endpoint

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// IgnoredVersion is endpoint/ignored-version.
var IgnoredVersion = &rule.Rule{
	ID:       "endpoint/ignored-version",
	Title:    "a revision that is not agreed to",
	Trigger:  "initialize for a published revision is answered with another one.",
	Message:  "The server answers {got} to a client that asks for {asked}: one that speaks nothing else can not connect",
	Severity: finding.Info,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Answer with the revision that came if you support it, and with your newest otherwise.",
	Surface: ignoredVersion,
}

func ignoredVersion(p *rule.Pass, s *card.Server) {
	in := probe(s)
	spoken := map[string]bool{} // what it is known to speak
	for v := range s.Protocol.Get("supportedVersions").Children() {
		spoken[v.Text()] = true
	}
	type other struct {
		*trial
		asked, got string
	}
	var all []other
	for t := range in.of(wire.Initialize, wire.InitializeVersion, wire.InitializeUnpublished) {
		got := t.result().Get("protocolVersion").Text()
		if got == "" {
			continue
		}
		asked := t.revision()
		if got != asked && slices.Contains(wire.Legacy(), asked) {
			all = append(all, other{t, asked, got})
		}
		spoken[got] = true
	}
	var unknown []*trial
	var asked []string
	for _, o := range all {
		if spoken[o.asked] {
			p.ReportAs("The server answers {got} to a client that asks for {asked}, which it speaks", rule.At(o.at), rule.Args{"got": o.got, "asked": o.asked},
				rule.WithKind(o.asked), rule.WithSeverity(finding.Error))
			continue
		}
		unknown, asked = append(unknown, o.trial), append(asked, o.asked)
	}
	if len(unknown) > 0 {
		reportAll(p, unknown, rule.Args{"got": unknown[0].result().Get("protocolVersion").Text(), "asked": strings.Join(asked, ", ")})
	}
}
