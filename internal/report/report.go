// Package report says what a run found, in every format, all from one Report: text for people, JSON
// (schema 1) and JSON lines for programs, SARIF 2.1.0, JUnit, GitHub annotations, Markdown, and one HTML page.
//
// Names, paths and messages are a stranger's text. Each format neutralises them in its own way, so that
// no report drives a terminal, a log, a page or a build system.
package report

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/score"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/text"
)

// SchemaVersion is the version of the JSON document. Added fields do not change it.
const SchemaVersion = 1

// toolName and home are the product's name and page.
const (
	toolName = "mcpassay"
	home     = "https://github.com/mcpassay/mcpassay"
)

// Env is what a report needs to know of the run and of the place it is shown in.
type Env struct {
	Version   string // X.Y.Z
	Verb      string
	StartedAt time.Time
	Platform  string // linux, darwin, windows
	EnvMode   string // none or inherit
	// Deterministic makes equal runs give equal bytes: no clock, no random id, no path of this machine.
	Deterministic bool
	Profile       string
	FailOn        finding.Severity // zero means Error
	PolicySource  string           // "built-in" or the path of the policy that was read
	Shape         Shape            // what that policy and the flags changed
	Exit          int
	Verbose       bool // text: list info findings, suppressed findings and missing files one by one
	Color         bool // text: ANSI colours
	Width         int  // text: columns of the terminal, 0 for a pipe
	// Abs gives the absolute native path of a report's path ("." is the folder that was named), "" when
	// unknown. SARIF and GitHub need it to place a file in its repository. May be nil.
	Abs func(path string) string
	// GitRoot gives the root of the work tree that holds an absolute path. May be nil.
	GitRoot func(abs string) (root string, ok bool)
	// Rules gives what the catalog says about a rule. May be nil.
	Rules func(id string) (RuleInfo, bool)
}

// RuleInfo is what a report says about a rule. The caller fills it from the catalog.
type RuleInfo struct {
	ID         string
	Title      string
	Severity   finding.Severity
	Confidence finding.Confidence
	Text       string // help, in Markdown
	URL        string
	Tags       []string
	Aliases    []string
	OWASP      string // "MCP04" or ""
	CWE        []int
}

// Report is the document of `--format json`, schema 1. No array in it is nil.
type Report struct {
	SchemaVersion  int                  `json:"schemaVersion"`
	Tool           Tool                 `json:"tool"`
	Run            Run                  `json:"run"`
	Policy         Policy               `json:"policy"`
	Exit           int                  `json:"exit"`
	Summary        Summary              `json:"summary"`
	Subjects       []finding.Subject    `json:"subjects"`
	Findings       []finding.Finding    `json:"findings"`
	Skipped        []finding.Skip       `json:"skipped"`
	Incomplete     []finding.Incomplete `json:"incomplete"`
	Drift          []drift.Change       `json:"drift,omitzero"`       // of verify and diff
	Compared       *finding.Comparison  `json:"comparison,omitempty"` // of a diff of two reports
	Posture        *engine.Posture      `json:"posture,omitempty"`
	*engine.Health                      // of doctor: its members stand beside these
	Guards         []engine.Guarded     `json:"guards,omitzero"` // of doctor and audit
	ScoreCard      *score.Card          `json:"scoreCard,omitempty"`
	Trust          *trust.Model         `json:"trust,omitempty"` // of audit
}

// Tool names the program that wrote the report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Run names one run and the inputs that rules may look at past the files.
type Run struct {
	ID        string `json:"id"` // urn:uuid:…, or urn:sha256:… of the content when deterministic
	Verb      string `json:"verb"`
	StartedAt string `json:"startedAt"` // RFC 3339, UTC
	Platform  string `json:"platform"`
	Env       string `json:"env"` // none or inherit
}

// Policy says what shaped the findings.
type Policy struct {
	Profile string           `json:"profile"`
	FailOn  finding.Severity `json:"failOn"`
	Source  string           `json:"source"`
	Shape
}

// Shape is what a policy and the flags changed about the rules: a stranger's repository may bring a policy that hides
// what is wrong with it, and a report must not look as if nothing had been left out.
type Shape struct {
	// Select and Ignore are patterns of rules, Severity the words for rules whose severity is another.
	Select   []string          `json:"select,omitempty"`
	Ignore   []string          `json:"ignore,omitempty"`
	Severity map[string]string `json:"severity,omitempty"`
	// Left is how many rules of the catalog did not run because of Select and Ignore.
	Left int `json:"rulesLeftOut,omitempty"`
}

// shaped says in words what a policy changed, or "". Only what comes from a file is said: who typed a flag knows.
func (rep *Report) shaped() string {
	p := &rep.Policy
	if p.Source == builtIn {
		return ""
	}
	parts := []string{"profile " + p.Profile, "fails on " + p.FailOn.String()}
	if p.Left > 0 {
		parts = append(parts, text.Count(p.Left, "rule")+" left out")
	}
	if len(p.Severity) > 0 {
		parts = append(parts, "severity changed for "+text.Count(len(p.Severity), "rule"))
	}
	return "policy: " + p.Source + " (" + strings.Join(parts, ", ") + ")"
}

// builtIn is the source of the policy where no file has one.
const builtIn = "built-in"

// Summary counts. The severities count active findings only.
type Summary struct {
	Error      int `json:"error"`
	Warning    int `json:"warning"`
	Info       int `json:"info"`
	Suppressed int `json:"suppressed"`
	Excluded   int `json:"excluded"`
	Skipped    int `json:"skipped"`
	Incomplete int `json:"incomplete"`
	Files      int `json:"files"`
	Servers    int `json:"servers"`
	Tools      int `json:"tools"`
}

// Build makes the report of a result. It takes the findings and subjects over and puts the findings in the order of
// files and positions.
func Build(res *engine.Result, env Env) *Report {
	rep := &Report{
		SchemaVersion: SchemaVersion,
		Tool:          Tool{Name: toolName, Version: env.Version},
		Run: Run{Verb: env.Verb, StartedAt: env.StartedAt.UTC().Format(time.RFC3339),
			Platform: env.Platform, Env: env.EnvMode},
		Policy:     Policy{Profile: env.Profile, FailOn: cmp.Or(env.FailOn, finding.Error), Source: env.PolicySource, Shape: env.Shape},
		Exit:       env.Exit,
		Subjects:   res.Subjects, // not copied: there may be as many as servers in a large file
		Findings:   res.Findings, // nor these
		Skipped:    list(res.Skipped),
		Incomplete: list(res.Incomplete),
		Drift:      Changes(res.Drift),
		Compared:   res.Compared,
		Posture:    posture(res.Posture),
		Health:     res.Health,
		Guards:     res.Guards,
		ScoreCard:  res.Score,
		Trust:      res.Trust,
	}
	if rep.Findings == nil {
		rep.Findings = []finding.Finding{}
	}
	if rep.Subjects == nil {
		rep.Subjects = []finding.Subject{}
	}
	for i := range rep.Findings {
		f := &rep.Findings[i]
		f.Aliases, f.Related = list(f.Aliases), list(f.Related)
		f.Status = cmp.Or(f.Status, finding.Active)
	}
	rep.mask()
	slices.SortStableFunc(rep.Findings, finding.ByPlace) // within one place the engine's order stays
	rep.Summary = summarise(rep, res)
	if env.Deterministic {
		rep.Run.StartedAt = time.Unix(0, 0).UTC().Format(time.RFC3339)
		rep.Run.ID = contentID(rep)
	} else {
		rep.Run.ID = randomID()
	}
	return rep
}

func summarise(rep *Report, res *engine.Result) Summary {
	s := Summary{Excluded: len(res.Excluded), Skipped: len(res.Skipped), Incomplete: len(res.Incomplete),
		Files: res.Files, Servers: res.Servers, Tools: res.Tools}
	for i := range rep.Findings {
		s.add(&rep.Findings[i])
	}
	return s
}

// add counts f: by its severity when it is active.
func (s *Summary) add(f *finding.Finding) {
	switch {
	case f.Status == finding.Suppressed:
		s.Suppressed++
	case f.Severity == finding.Error:
		s.Error++
	case f.Severity == finding.Warning:
		s.Warning++
	default:
		s.Info++
	}
}

// list copies s and never gives nil: consumers iterate over arrays without asking.
func list[T any](s []T) []T { return append(make([]T, 0, len(s)), s...) }

func posture(p *engine.Posture) *engine.Posture {
	if p == nil {
		return nil
	}
	c := &engine.Posture{Clients: list(p.Clients), Next: list(p.Next), Looked: list(p.Looked)}
	for i := range c.Clients {
		c.Clients[i].Files = list(c.Clients[i].Files)
		c.Clients[i].Servers = list(c.Clients[i].Servers)
	}
	return c
}

func contentID(rep *Report) string {
	doc, err := encode(rep)
	if err != nil { // a Report holds nothing that can fail to encode
		panic(err)
	}
	sum := sha256.Sum256(doc)
	return "urn:sha256:" + hex.EncodeToString(sum[:])
}

// randomID is a version 4 UUID (RFC 9562).
func randomID() string {
	var u [16]byte
	_, _ = rand.Read(u[:]) // never fails: the runtime stops the program instead
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// fails says whether f makes the run fail at the report's threshold. Doctor shows advice and does not count it.
func (rep *Report) fails(f *finding.Finding) bool {
	advice := f.Advice && rep.Run.Verb == "doctor"
	return f.Status != finding.Suppressed && !advice && f.Severity >= rep.Policy.FailOn
}

// notChecked is a thing that was skipped or could not be checked.
type notChecked struct {
	skipped                 bool
	path, why, detail, hint string
}

// word says which of the two it is.
func (x *notChecked) word() string {
	if x.skipped {
		return "skipped"
	}
	return "incomplete"
}

// notChecked is everything that was not checked, what is incomplete first.
func (rep *Report) notChecked() []notChecked {
	all := make([]notChecked, 0, len(rep.Incomplete)+len(rep.Skipped))
	for _, x := range rep.Incomplete {
		all = append(all, notChecked{false, x.Path, x.Cause, x.Detail, x.Hint})
	}
	for _, x := range rep.Skipped {
		all = append(all, notChecked{true, x.Path, x.Reason, x.Detail, x.Hint})
	}
	return all
}

// named is the server and the tool that a subject is, or belongs to, and the config entry that named the server.
type named struct {
	server, tool string
	origin       *finding.Location
}

// label is what a subject is called in one word, "" for a file.
func (n named) label() string {
	if n.tool != "" {
		return n.server + "/" + n.tool
	}
	return n.server
}

// names maps the id of each subject to what it is called.
func (rep *Report) names() map[string]named {
	names := make(map[string]named, len(rep.Subjects))
	for i := range rep.Subjects { // a parent stands before its children
		s := &rep.Subjects[i]
		switch s.Kind {
		case "server":
			names[s.ID] = named{server: s.Name, origin: s.Origin}
		case "config", "surface", "lock":
		default:
			n := names[s.Parent]
			n.tool = s.Name
			names[s.ID] = n
		}
	}
	return names
}
