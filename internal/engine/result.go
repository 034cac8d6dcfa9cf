package engine

import (
	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/score"
	"github.com/mcpassay/mcpassay/internal/model/trust"
)

// Result is what a flow found out: findings after policy, what was judged, and what could not be.
type Result struct {
	Findings []finding.Finding
	// Subjects is what was judged. Describe makes them from the findings after policy, for the formats that list them.
	Subjects   []finding.Subject
	Describe   func(found []finding.Finding) []finding.Subject
	Skipped    []finding.Skip
	Incomplete []finding.Incomplete
	// Excluded are the paths that the user's own exclusions (git ignores, policy) left out. They are counted, never a skip.
	Excluded []string
	// Files and Servers count what was read.
	Files, Servers, Tools int
	// Drift is what is another than it was: the part of verify and diff, nil for every other verb.
	Drift []drift.Change
	// Compared is the part of a diff of two reports.
	Compared *finding.Comparison
	// Posture is doctor's part.
	Posture *Posture
	// Health is the same in the words of another document.
	Health *Health
	// Guards are the entries that start their server through our guard: of doctor and audit, nil for every other verb.
	Guards []Guarded
	// Trust is audit's part.
	Trust *trust.Model
	// Score is the probe's part.
	Score *score.Card
}

// Posture is doctor's table: what it looked at, per client and server.
type Posture struct {
	Clients []ClientPosture `json:"clients"`
	Next    []NextStep      `json:"next"`
	// Looked is where doctor looked, a line for each client; it is filled only when nothing was found.
	Looked []string `json:"looked"`
}

// ClientPosture is one client of the table on this machine.
type ClientPosture struct {
	Client    string          `json:"client"`
	Name      string          `json:"name"`
	Installed bool            `json:"installed"`
	Files     []FilePosture   `json:"files"`
	Servers   []ServerPosture `json:"servers"`
}

// FilePosture is one config file of a client and what became of it: read, missing, skipped, incomplete, dead.
type FilePosture struct {
	Path   string `json:"path"`
	Scope  string `json:"scope"`
	State  string `json:"state"`
	Detail string `json:"detail,omitempty"`
}

// ServerPosture is one server entry with the number of findings on it.
type ServerPosture struct {
	Name      string `json:"name"`
	Path      string `json:"path"`
	Scope     string `json:"scope"`
	Transport string `json:"transport"`
	State     string `json:"state"` // enabled, disabled, shadowed
	Error     int    `json:"error"`
	Warning   int    `json:"warning"`
	Info      int    `json:"info"`
	// Lock is nil for an entry that is not started.
	Lock *LockPosture `json:"lock,omitempty"`
}

// LockPosture is what the locks of the machine say of a server. State is "none" where no lock holds it, "imported" where one
// holds what another tool wrote down, else what its approvals come to (model/lock: Standing). Path is the lock's.
type LockPosture struct {
	State string `json:"state"`
	Path  string `json:"path,omitempty"`
}

// NextStep is a command that exists today, safe to paste.
type NextStep struct {
	Why     string `json:"why"`
	Command string `json:"command"`
}
