package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// BadMessage is endpoint/bad-message.
var BadMessage = &rule.Rule{
	ID:       "endpoint/bad-message",
	Title:    "a message that breaks the protocol",
	Trigger:  "The server sends something that the revision it speaks does not allow.",
	Message:  "The server sends {what} during {during}{more}",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: `Write one message at a time, with "jsonrpc": "2.0" and the id of its request.`,
	Surface: badMessage,
}

// breaches are the kinds that are told apart by a few words alone.
var breaches = []struct {
	kind wire.FaultKind
	what string
}{
	{wire.NotJSON, "an answer that is no JSON"},
	{wire.BadEnvelope, "a message that is no JSON-RPC 2.0"},
	{wire.BadText, "text that is not UTF-8"},
	{wire.TooDeep, "a message that nests too deep"},
	{wire.TooLarge, "a message that is too large"},
	{wire.HTML, "a web page where JSON-RPC belongs"},
	{wire.WrongID, "an answer to a request that was never made"},
	{wire.DuplicateID, "a second answer to one request"},
	{wire.BatchSent, "a batch, which its revision does not know"},
	{wire.ServerRequest, "a request that it must not make"},
	{wire.NoReply, "an end without the answer"},
	{wire.NotificationAnswered, "an answer to a notification"},
	{wire.BadContentType, "an answer of another type than JSON and event streams"},
	{wire.BadResult, "a result that lacks what it must hold"},
	{wire.BadCursor, "a cursor that is no string"},
	{wire.UnknownVersion, "a version that is none of the protocol's"},
	{wire.SessionDemanded, "a refusal of the handshake for want of a session"},
	{wire.BadSession, "a session id that breaks its grammar"},
	{wire.SessionLost, "an error for a session that it forgot"},
}

func badMessage(p *rule.Pass, s *card.Server) {
	for _, b := range breaches {
		if b.kind == wire.NotJSON && s.Transport == wire.Stdio {
			continue
		}
		for f, at := range faults(s, b.kind) {
			a := args(f)
			a["what"], a["more"] = b.what, ""
			switch {
			case f.Detail != "":
				a["more"] = ": " + f.Detail
			case f.Status != 0:
				a["more"] = " (HTTP " + a["status"] + ")"
			}
			severity := finding.Warning
			if f.Kind == wire.SessionDemanded { // no client gets past it
				severity = finding.Error
			}
			p.Report(rule.At(at), a, rule.WithKind(string(f.Kind)+" "+f.During), rule.WithSeverity(severity))
		}
	}
}
