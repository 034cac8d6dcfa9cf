package report

// decision is what a client's allow list needs to know of one tool.
type decision struct {
	Server       string   `json:"server"`
	Tool         string   `json:"tool"`
	Decision     string   `json:"decision"`
	Risk         string   `json:"risk"`
	Capabilities []string `json:"capabilities"`
	Reasons      []string `json:"reasons"`
}

// Decisions is the decisions of a report on its tools, in the report's order: a JSON array with a tool a line. unchecked is how
// much the report says could not be checked: tools that nobody saw have no decision.
func Decisions(rep *Report) (list []byte, unchecked int, err error) {
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
