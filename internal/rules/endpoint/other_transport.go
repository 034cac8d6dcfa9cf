package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// OtherTransport is endpoint/other-transport.
var OtherTransport = &rule.Rule{
	ID:       "endpoint/other-transport",
	Title:    "a transport other than the config says",
	Trigger:  "The config says http of a server that speaks only SSE, or the other way round.",
	Message:  `The config says "{detail}", and the server speaks {speaks}: its type is "{transport}"`,
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Write the type that the server speaks into the config.",
	Surface: otherTransport,
}

func otherTransport(p *rule.Pass, s *card.Server) {
	speaks := map[string]string{wire.HTTP: "Streamable HTTP", wire.SSE: "HTTP+SSE"}
	for f, at := range faults(s, wire.OtherTransport) {
		if speaks[s.Transport] == "" || f.Detail == s.Transport {
			continue // of a surface that a person edited
		}
		p.Report(rule.At(at), rule.Args{"detail": f.Detail, "speaks": speaks[s.Transport], "transport": s.Transport})
	}
}
