package endpoint

import (
	"encoding/json"
	"reflect"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// AlteredID is endpoint/altered-id.
var AlteredID = &rule.Rule{
	ID:       "endpoint/altered-id",
	Title:    "an answer to another id",
	Trigger:  "The response to a request has another id than the request.",
	Message:  "The server answers the id {sent} with the id {got}: who asked waits for ever",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Give the id back as it came: decode it as a raw value, not as an integer.",
	Surface: alteredID,
}

func alteredID(p *rule.Pass, s *card.Server) {
	for t := range probe(s).of(wire.IDFraction, wire.IDObject) {
		var sent, got struct {
			ID any `json:"id"`
		}
		if t.accepted() && json.Unmarshal([]byte(t.Sent), &sent) == nil && json.Unmarshal(t.Reply, &got) == nil &&
			got.ID != nil && !reflect.DeepEqual(sent.ID, got.ID) {
			p.Report(rule.At(t.at), rule.Args{"sent": compact(sent.ID), "got": compact(got.ID)}, rule.WithKind(string(t.Trial)))
		}
	}
}
