package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// WrongVersionError is endpoint/wrong-version-error.
var WrongVersionError = &rule.Rule{
	ID:       "endpoint/wrong-version-error",
	Title:    "an unknown revision that is refused in another way",
	Trigger:  "A modern request for a revision that nobody published is not answered with HTTP 400 and error -32022.",
	Message:  "The server answers {what} with {got} instead of {want}: a client does not learn which revision to speak",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Aliases:  []string{"sep-2575-server-unsupported-version-error", "sep-2575-http-server-unsupported-version-400"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Check the version before anything else, and answer HTTP 400 with error -32022 and the revisions in data.supported.",
	Surface: wrongVersionError,
}

func wrongVersionError(p *rule.Pass, s *card.Server) {
	in := probe(s)
	for t := range in.of(wire.DiscoverUnpublished) {
		if !in.modern || t.broken() || t.gated() {
			continue
		}
		supported := t.at.Get("reply").Get("error").Get("data").Get("supported")
		switch code, _ := t.Code(); {
		case code != wire.CodeUnsupportedVersion || t.badStatus(400):
			p.Report(rule.At(t.at), rule.Args{"what": t.words(), "got": t.answer(), "want": in.want(400, wire.CodeUnsupportedVersion)})
		case supported.Kind() != source.Array || supported.Len() == 0:
			p.ReportAs("Error -32022 does not list in data.supported what the server speaks: a client has nothing to choose from", rule.At(t.at), nil, rule.WithKind("supported"))
		}
	}
}
