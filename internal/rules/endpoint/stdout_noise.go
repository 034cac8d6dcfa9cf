package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// StdoutNoise is endpoint/stdout-noise.
var StdoutNoise = &rule.Rule{
	ID:       "endpoint/stdout-noise",
	Title:    "output that is no message",
	Trigger:  "A server on stdio writes a line to its standard output that is no JSON.",
	Message:  "The server writes a line to its output that is no message ({times}): {detail}",
	Severity: finding.Error,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Send logs to standard error, those of libraries too.",
	Surface: stdoutNoise,
}

func stdoutNoise(p *rule.Pass, s *card.Server) {
	if s.Transport == wire.Stdio {
		report(wire.NotJSON)(p, s)
	}
}
