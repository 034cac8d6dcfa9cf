package trust

// Model is what audit says: schema version 1 of audit --report-json, and the part "trust" of the full report. Who reads it takes
// inventory, assessment, outcome and the checks of each item together, and stops at a version that they do not know.
type Model struct {
	SchemaVersion int `json:"schemaVersion"`
	// Outcome is empty (nothing is configured), incomplete (something could not be read or assessed), risky, findings or clean.
	Outcome    string     `json:"outcome"`
	Level      string     `json:"level"` // the worst of the items', "none" for no item
	Inventory  Inventory  `json:"inventory"`
	Assessment Completion `json:"assessment"`
	Items      []Item     `json:"items"`
}

// Inventory is what was looked at for configured servers.
type Inventory struct {
	Complete bool     `json:"complete"`
	Files    int      `json:"files"`
	Servers  int      `json:"servers"`
	Unread   []Unread `json:"unread"`
}

// Unread is a file that could not be read.
type Unread struct {
	Path   string `json:"path"`
	Cause  string `json:"cause"`
	Detail string `json:"detail"`
}

// Completion says of how many servers all was asked that a run asks.
type Completion struct {
	Complete bool `json:"complete"`
	Assessed int  `json:"assessed"`
	Failed   int  `json:"failed"`
}

// Item is one configured server.
type Item struct {
	Name   string `json:"name"`
	Client string `json:"client"`
	Scope  string `json:"scope"`
	Path   string `json:"path"`
	// Kind is package, remote, or program: one that is started from files of this machine.
	Kind     string       `json:"kind"`
	Packages []PackageRow `json:"packages"`
	URL      string       `json:"url,omitempty"`
	Record   *RecordRow   `json:"record"`
	// TrustScore is Unknown where Error says why nothing was assessed.
	TrustScore Score      `json:"trustScore"`
	Assessment Assessment `json:"assessment"`
	Checks     []Evidence `json:"checks"`
	Error      *string    `json:"error"`
}

// PackageRow is a package of an item. Wanted is what the config says, Resolved what that means now, Pinned how firmly it says it.
type PackageRow struct {
	Type     string   `json:"type"`
	Name     string   `json:"name"`
	Wanted   string   `json:"wanted"`
	Resolved string   `json:"resolved"`
	Pinned   string   `json:"pinned"`
	Digests  []string `json:"digests"`
}

// RecordRow is the record of an item in the MCP registry.
type RecordRow struct {
	Name    string   `json:"name"`
	Version string   `json:"version"`
	Status  string   `json:"status"`
	Others  []string `json:"others"`
}

// The outcomes.
const (
	Empty      = "empty"
	Incomplete = "incomplete"
	Findings   = "findings"
	Clean      = "clean"
)

// Conclude counts, and says what the items come to.
func (m *Model) Conclude() {
	m.SchemaVersion, m.Level, m.Outcome = 1, "none", Empty
	m.Assessment = Completion{Complete: true}
	found := false
	rank := map[string]int{"none": 0, Safe: 1, Caution: 2, Risky: 3}
	for _, i := range m.Items {
		if i.Error != nil {
			m.Assessment.Failed++
			m.Assessment.Complete = false
		} else {
			m.Assessment.Assessed++
		}
		if rank[i.TrustScore.Level] > rank[m.Level] {
			m.Level = i.TrustScore.Level
		}
		found = found || len(i.Assessment.Findings) > 0
	}
	switch {
	case !m.Inventory.Complete || !m.Assessment.Complete:
		m.Outcome = Incomplete
	case m.Level == Risky:
		m.Outcome = Risky
	case found:
		m.Outcome = Findings
	case len(m.Items) > 0:
		m.Outcome = Clean
	}
}
