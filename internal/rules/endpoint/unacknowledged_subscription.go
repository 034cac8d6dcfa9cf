package endpoint

import (
	"encoding/json"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// UnacknowledgedSubscription is endpoint/unacknowledged-subscription.
var UnacknowledgedSubscription = &rule.Rule{
	ID:       "endpoint/unacknowledged-subscription",
	Title:    "a subscription that is not acknowledged",
	Trigger:  "The stream of subscriptions/listen does not begin with the acknowledgement, or that does not name the subscription.",
	Message:  "The stream of subscriptions/listen begins with {first} instead of notifications/subscriptions/acknowledged: a client does not know what it is subscribed to",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Aliases:  []string{"sep-2575-server-sends-subscription-ack", "sep-2575-server-tags-subscription-id"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Send the acknowledgement before any other message, with subscriptionId in _meta.",
	Surface: unacknowledgedSubscription,
}

func unacknowledgedSubscription(p *rule.Pass, s *card.Server) {
	in := probe(s)
	for t := range in.of(wire.Listen) {
		if !in.modern || t.Status >= 500 || t.gated() || t.died() {
			continue
		}
		if _, isError := t.Code(); isError {
			if !announcesChanges(s) {
				continue // there is nothing to subscribe to
			}
			p.ReportAs("The server announces changes and answers subscriptions/listen with {got}: no client hears of one", rule.At(t.at),
				rule.Args{"got": t.got()}, rule.WithKind("refused"))
			continue
		}
		var first struct {
			Method string `json:"method"`
			Params struct {
				Meta map[string]any `json:"_meta"`
			} `json:"params"`
		}
		err := json.Unmarshal([]byte(t.Body), &first)
		switch {
		case t.Body == "" || err != nil || first.Method == "":
			p.Report(rule.At(t.at), rule.Args{"first": "nothing"})
		case first.Method != "notifications/subscriptions/acknowledged":
			p.Report(rule.At(t.at), rule.Args{"first": first.Method})
		case first.Params.Meta["io.modelcontextprotocol/subscriptionId"] == nil:
			p.ReportAs("The acknowledgement of subscriptions/listen names no subscriptionId: a client with two streams can not tell them apart", rule.At(t.at), nil, rule.WithKind("id"))
		}
	}
}

// announcesChanges says that the server promises to tell of changes.
func announcesChanges(s *card.Server) bool {
	for c := range s.Capabilities.Children() {
		if truth(c.Get("listChanged")) || truth(c.Get("subscribe")) {
			return true
		}
	}
	return false
}
