package endpoint

import (
	"slices"
	"strconv"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// WrongErrorCode is endpoint/wrong-error-code.
var WrongErrorCode = &rule.Rule{
	ID:       "endpoint/wrong-error-code",
	Title:    "an error with the wrong code",
	Trigger:  "One of the five errors that clients meet has another code than the one it is for, or is none.",
	Message:  "The server answers {what} with {got} instead of {want}: {effect}",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Map what goes wrong: no such method -32601, no such tool or bad params -32602, no JSON -32700, no message -32600.",
	Surface: wrongErrorCode,
}

// vectors are the errors that a client meets by accident: what the codes may be, and what a client does with another.
var vectors = []struct {
	trial  wire.Trial
	codes  []int
	tool   bool // a result with isError will do
	effect string
	info   bool // nothing hangs on which of the codes it is
}{
	{wire.UnknownMethod, []int{-32601}, false, "a client that tries what is optional takes it for a failure", false},
	{wire.UnknownTool, []int{-32602, -32601}, true, "a model is not told that there is no such tool", false},
	{wire.CallWithoutName, []int{-32602, -32020}, true, "the caller's mistake looks like the server's", true},
	{wire.NotJSONBody, []int{-32700}, false, "who debugs a client looks in the wrong place", true},
	{wire.NoJSONRPC, []int{-32600}, false, "who debugs a client looks in the wrong place", true},
}

func wrongErrorCode(p *rule.Pass, s *card.Server) {
	in := probe(s)
	for _, v := range vectors {
		for t := range in.of(v.trial) {
			code, isError := t.Code()
			if t.broken() || !t.Answered() || slices.Contains(v.codes, code) || v.tool && t.toolError() {
				continue
			}
			severity := finding.Warning
			if v.info && (isError || t.toolError()) {
				severity = finding.Info
			}
			p.Report(rule.At(t.at), rule.Args{"what": t.words(), "got": t.got(), "want": "error " + strconv.Itoa(v.codes[0]), "effect": v.effect},
				rule.WithKind(string(v.trial)), rule.WithSeverity(severity))
		}
	}
}
