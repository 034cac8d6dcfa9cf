package verify

import (
	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/lock"
)

// Model is the document of `verify --json`, schema 1 (mcpm, "verify --json, schema version 1"): what a gate reads. Consumers
// accept added fields, and stop at unknown versions. No array in it is nil.
type Model struct {
	SchemaVersion int `json:"schemaVersion"`
	// OK is what the exit code says.
	OK bool `json:"ok"`
	// Verified and CheckedNpmCount count package records that were held against the registry, and what follows is about them.
	// This version keeps none.
	Verified               int      `json:"verified"`
	CheckedNpmCount        int      `json:"checkedNpmCount"`
	NoBaselines            bool     `json:"noBaselines"`
	Blocked                []Block  `json:"blocked"`
	Unenforceable          []string `json:"unenforceable"`
	ProvenanceBlocked      []Block  `json:"provenanceBlocked"`
	CheckedProvenanceCount int      `json:"checkedProvenanceCount"`
	// Uncovered are declared servers that the lock does not hold as they are declared.
	Uncovered []string `json:"uncovered"`
	// Vacuous says that the lock is empty and no project file says that it should be.
	Vacuous bool   `json:"vacuous"`
	Error   string `json:"error,omitempty"`

	// Lock is the file, Servers are those in it, Drift is what is another, Findings all that was found, Incomplete what could
	// not be compared, and Unchecked what this run does not look at.
	Lock       string               `json:"lock"`
	Servers    []Server             `json:"servers"`
	Drift      []drift.Change       `json:"drift"`
	Findings   []finding.Finding    `json:"findings"`
	Incomplete []finding.Incomplete `json:"incomplete"`
	Unchecked  []string             `json:"unchecked"`
}

// Block is a server that stops the run, and the reason: a rule's id.
type Block struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
	Detail string `json:"detail"`
}

// Server is one server of the lock.
type Server struct {
	Name          string `json:"name"`
	Standing      string `json:"standing"` // approved, unapproved, changed, expired, revoked
	LaunchDigest  string `json:"launchDigest"`
	SurfaceDigest string `json:"surfaceDigest"`
	// Compared says that what the server answers was held against the lock in this run.
	Compared bool `json:"compared"`
}

// Missing is the document where there is no lock.
func Missing(path string) *Model {
	c := Check{}
	c.File = &lock.File{Path: path, Err: &lock.Error{Msg: "there is no lock"}}
	m := c.Model(&engine.Result{}, false, nil)
	m.OK = false
	return m
}

// Model makes the document of a result. Unchecked is what the run did not look at.
func (c *Check) Model(res *engine.Result, vacuous bool, unchecked []string) *Model {
	m := &Model{SchemaVersion: 1, OK: !vacuous && !Stops(res), Blocked: []Block{}, Unenforceable: []string{}, ProvenanceBlocked: []Block{},
		Uncovered: []string{}, Vacuous: vacuous, Lock: c.File.Path, Servers: []Server{}, Drift: append([]drift.Change{}, res.Drift...),
		Findings: append([]finding.Finding{}, res.Findings...), Incomplete: append([]finding.Incomplete{}, res.Incomplete...),
		Unchecked: append([]string{}, unchecked...)}
	for _, d := range c.Declared {
		m.Uncovered = append(m.Uncovered, d.Name)
	}
	for i := range res.Findings {
		if f := &res.Findings[i]; f.Severity == finding.Error {
			m.Blocked = append(m.Blocked, Block{Name: f.Server, Reason: f.Rule, Detail: f.Message})
		}
	}
	if c.File.Lock == nil {
		m.Error = c.File.Err.Error()
		return m
	}
	for _, s := range c.File.Servers {
		standing, _ := c.File.Standing(s, c.Today)
		m.Servers = append(m.Servers, Server{Name: s.Name, Standing: string(standing), LaunchDigest: s.LaunchDigest(), SurfaceDigest: s.SurfaceDigest(),
			Compared: c.Compared[s.Name]})
	}
	return m
}
