package verify

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/locking"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Model is the document of `verify --json`, schema 1 (mcpm, "verify --json, schema version 1"): what a gate reads. Consumers
// accept added fields, and stop at unknown versions. No array in it is nil.
type Model struct {
	SchemaVersion int `json:"schemaVersion"`
	// OK is what the exit code says.
	OK bool `json:"ok"`
	// Verified are the packages of npm that their registry has as they were locked, CheckedNpmCount those with a digest in the
	// lock; NoBaselines says that there are packages of npm and that none has one.
	Verified        int  `json:"verified"`
	CheckedNpmCount int  `json:"checkedNpmCount"`
	NoBaselines     bool `json:"noBaselines"`
	// VerifiedPackages and CheckedPackages are the same of packages of every type.
	VerifiedPackages       int      `json:"verifiedPackages"`
	CheckedPackages        int      `json:"checkedPackages"`
	Blocked                []Block  `json:"blocked"`
	Unenforceable          []string `json:"unenforceable"`
	ProvenanceBlocked      []Block  `json:"provenanceBlocked"`
	CheckedProvenanceCount int      `json:"checkedProvenanceCount"`
	// Unpinned are the servers of the lock that nobody asked yet what they expose.
	Unpinned []string `json:"unpinned"`
	// Offline says that no registry was asked, and AgeSeconds how old the oldest answer is that was taken in its place.
	Offline    bool  `json:"offline"`
	AgeSeconds int64 `json:"ageSeconds"`
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

// Block is a server that stops the run, and the reason: a word of flow/locking for its package or record, else a rule's id.
type Block struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
	// Identifier and NpmVersion are its package, of whatever type, "" where there is none.
	Identifier string `json:"identifier,omitempty"`
	NpmVersion string `json:"npmVersion,omitempty"`
	Detail     string `json:"detail"`
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

// Failed is the document of a run that came to nothing, such as one without a lock.
func Failed(path, why string) *Model {
	c := Check{}
	c.File = &lock.File{Path: path, Err: &lock.Error{Msg: why}}
	m := c.Model(&engine.Result{}, false, nil)
	m.OK = false
	return m
}

// Model makes the document of a result. Unchecked is what the run did not look at.
func (c *Check) Model(res *engine.Result, vacuous bool, unchecked []string) *Model {
	m := &Model{SchemaVersion: 1, OK: !vacuous && !c.Stops(res), Blocked: []Block{}, Unenforceable: []string{}, ProvenanceBlocked: []Block{},
		Unpinned: []string{}, Uncovered: []string{}, Vacuous: vacuous, Lock: c.File.Path, Servers: []Server{}, Drift: append([]drift.Change{}, res.Drift...),
		Findings: append([]finding.Finding{}, res.Findings...), Incomplete: append([]finding.Incomplete{}, res.Incomplete...),
		Unchecked: append([]string{}, unchecked...)}
	for _, d := range c.Declared {
		m.Uncovered = append(m.Uncovered, d.Name)
	}
	for i := range res.Findings {
		if f := &res.Findings[i]; f.Severity == finding.Error && !ofGates(f.Rule) {
			m.Blocked = append(m.Blocked, Block{Name: f.Server, Reason: f.Rule, Detail: f.Message})
		}
	}
	m.gates(c.Registries)
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

// gates puts in what registries say.
func (m *Model) gates(g *locking.Gates) {
	if g == nil {
		return
	}
	block := func(all []locking.Refusal) (out []Block) {
		for _, r := range all {
			out = append(out, Block{Name: r.Name, Reason: string(r.Reason), Identifier: r.Identifier, NpmVersion: r.Version, Detail: r.Detail})
		}
		return out
	}
	m.Blocked, m.ProvenanceBlocked = append(m.Blocked, block(g.Blocked)...), append(m.ProvenanceBlocked, block(g.Provenance)...)
	m.Verified, m.CheckedNpmCount, m.NoBaselines = g.VerifiedNPM, g.CheckedNPM, g.NPM > 0 && g.CheckedNPM == 0
	m.VerifiedPackages, m.CheckedPackages, m.CheckedProvenanceCount = g.Verified, g.Checked, g.CheckedProvenance
	for _, u := range g.Unenforceable {
		m.Unenforceable = append(m.Unenforceable, u.Name)
	}
	m.Unpinned = append(m.Unpinned, g.Unpinned...)
}

// ofGates says that a rule reports what a gate says, which has its own rows.
func ofGates(rule string) bool {
	return slices.Contains([]string{"drift/package-changed", "drift/package-unverified", "drift/provenance-changed", "drift/deleted-server"}, rule)
}

// gated hands what registries say to the rules.
func (c *Check) gated() {
	if c.Registries == nil {
		return
	}
	for _, r := range slices.Concat(c.Registries.Blocked, c.Registries.Provenance) {
		detail := r.Detail
		if r.Hint != "" {
			detail += " (" + r.Hint + ")"
		}
		c.Locked.Gates = append(c.Locked.Gates, rule.Gate{Server: r.Name, Reason: string(r.Reason), Detail: detail})
	}
	for _, u := range c.Registries.Unenforceable {
		g := rule.Gate{Server: u.Name, Reason: "unenforceable", Detail: u.Detail}
		if c.Strict {
			g.Severity = finding.Error
		}
		c.Locked.Gates = append(c.Locked.Gates, g)
	}
	for _, n := range c.Registries.Notices {
		c.Locked.Gates = append(c.Locked.Gates, rule.Gate{Server: n.Name, Reason: "notice", Detail: n.Detail})
	}
}
