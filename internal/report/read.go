package report

import (
	"encoding/json"

	"github.com/mcpassay/mcpassay/internal/finding"
)

// Read reads a report document back, to be written in another format. The error is Validate's for what is none. What a
// document does not repeat of a finding, the names of its server and tool, is taken from its subjects.
func Read(doc []byte) (*Report, error) {
	if err := Validate(doc); err != nil {
		return nil, err
	}
	rep := &Report{}
	if err := json.Unmarshal(doc, rep); err != nil {
		return nil, err
	}
	rep.mask() // it need not be ours
	at := map[string]*finding.Subject{}
	for i := range rep.Subjects {
		at[rep.Subjects[i].ID] = &rep.Subjects[i]
	}
	for i := range rep.Findings {
		f := &rep.Findings[i]
		s := at[f.Subject]
		for range 3 { // a tool, its server, its file; a document may say that each belongs to the other
			if s == nil {
				break
			}
			switch s.Kind {
			case "server":
				f.Server = s.Name
			case "tool", "prompt", "resource", "template":
				f.Tool = s.Name
			}
			s = at[s.Parent]
		}
	}
	return rep, nil
}
