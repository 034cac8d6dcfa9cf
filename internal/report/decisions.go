package report

import (
	"github.com/go-json-experiment/json"

	"github.com/mcpassay/mcpassay/internal/finding"
)

// decision is what a client's allow list needs to know of one tool.
type decision struct {
	Server       string   `json:"server"`
	Tool         string   `json:"tool"`
	Decision     string   `json:"decision"`
	Risk         string   `json:"risk"`
	Capabilities []string `json:"capabilities"`
	Reasons      []string `json:"reasons"`
}

// Decisions is the decisions of a report document on its tools, in the report's order: a JSON array with a tool a line.
// unchecked is how much the report says could not be checked: tools that nobody saw have no decision. The error is
// Validate's for what is no report.
func Decisions(doc []byte) (list []byte, unchecked int, err error) {
	if err := Validate(doc); err != nil {
		return nil, 0, err
	}
	var rep struct {
		Subjects   []finding.Subject    `json:"subjects"`
		Incomplete []finding.Incomplete `json:"incomplete"`
	}
	if err := json.Unmarshal(doc, &rep); err != nil {
		return nil, 0, err
	}
	names := map[string]string{}
	out := []byte{'['}
	for i := range rep.Subjects {
		s := &rep.Subjects[i]
		names[s.ID] = s.Name
		if s.Decision == "" || s.Risk == nil {
			continue
		}
		line, err := encode(decision{Server: names[s.Parent], Tool: s.Name, Decision: s.Decision, Risk: s.Risk.Level,
			Capabilities: s.Risk.Capabilities, Reasons: s.Risk.Reasons})
		if err != nil {
			return nil, 0, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, '\n'), line...)
	}
	return append(out, "\n]\n"...), len(rep.Incomplete), nil
}
