package finding

// Comparison is what two reports have beside the findings that only the later one has: those are its findings.
type Comparison struct {
	// Gone are findings that the later report no longer has. They belong to none of its subjects.
	Gone []Finding `json:"gone"`
	// Changed are findings that both have, with another severity or status.
	Changed []Turn `json:"changed"`
	// Same is how many both have alike.
	Same int `json:"same"`
	// Notes say in what the two runs differ, so that a finding may be new or gone for another reason than what was judged.
	Notes []string `json:"notes"`
}

// Turn is a finding that is not what it was.
type Turn struct {
	Was struct {
		Severity Severity `json:"severity"`
		Status   string   `json:"status"`
	} `json:"was"`
	Finding Finding `json:"finding"`
}
