package endpoint

import (
	"reflect"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ChangingHandshake is endpoint/changing-handshake.
var ChangingHandshake = &rule.Rule{
	ID:       "endpoint/changing-handshake",
	Title:    "a handshake that changes",
	Trigger:  "The same initialize or server/discover gets another answer the second time, or none.",
	Message:  "The answer to {what} differs from the first in its {part}: a client that reconnects finds another server",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Keep the state of a session with the session, not in a variable of the process.",
	Surface: changingHandshake,
}

func changingHandshake(p *rule.Pass, s *card.Server) {
	in := probe(s)
	for _, pair := range [][2]wire.Trial{{wire.Initialize, wire.InitializeAgain}, {wire.Discover, wire.DiscoverAgain}} {
		first, again := in.one(pair[0]), in.one(pair[1])
		if first == nil || again == nil || !first.accepted() || again.broken() {
			continue
		}
		if !again.accepted() && again.Trial == wire.InitializeAgain && in.stdio {
			continue // it is the same connection
		}
		if !again.accepted() {
			p.ReportAs("The server refuses {what} with {got}: a client that lost the answer to the first can not connect", rule.At(again.at),
				rule.Args{"what": again.words(), "got": again.got()}, rule.Also(rule.At(first.at), "the first"), rule.WithKind("refused"),
				rule.WithFix(finding.Manual, "begin a new session for an initialize without one"))
			continue
		}
		for _, part := range []string{"protocolVersion", "supportedVersions", "capabilities", "serverInfo", "instructions"} {
			if a, b := value(first.result().Get(part)), value(again.result().Get(part)); !reflect.DeepEqual(a, b) {
				p.Report(rule.At(again.at), rule.Args{"what": again.words(), "part": part}, rule.Also(rule.At(first.at), "the first"), rule.WithKind(part))
			}
		}
	}
}
