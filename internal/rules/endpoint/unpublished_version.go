package endpoint

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// UnpublishedVersion is endpoint/unpublished-version.
var UnpublishedVersion = &rule.Rule{
	ID:       "endpoint/unpublished-version",
	Title:    "agreement to a revision that does not exist",
	Trigger:  "initialize for a revision that nobody published is answered with that revision, or with another such.",
	Message:  "The server agrees to revision {version}, which nobody published: a client of the future would believe that it is spoken",
	Severity: finding.Error,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Compare what came with the revisions that you support, and answer with the newest of those where it is not among them.",
	Surface: unpublishedVersion,
}

func unpublishedVersion(p *rule.Pass, s *card.Server) {
	for t := range probe(s).of(wire.InitializeUnpublished) {
		version := t.result().Get("protocolVersion").Text()
		if version != "" && version != wire.Modern && !slices.Contains(wire.Legacy(), version) {
			p.Report(rule.At(t.at), rule.Args{"version": version})
		}
	}
}
