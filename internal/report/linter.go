package report

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/foreign"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// linter is the category of rules that are MCP Tool Card Linter's, and its name as the source of a report.
const (
	linter     = "card-linter"
	linterName = "MCP Tool Card Linter"
)

// ReadAny reads a report of ours, or one of MCP Tool Card Linter (1.0.0, 1.1.0). form says which of the latter's schemas it has,
// "" for ours. The error lists what is wrong with it.
func ReadAny(doc []byte) (rep *Report, form string, err error) {
	if !isLinter(doc) {
		rep, err = Read(doc)
		return rep, "", err
	}
	parsed, err := source.Parse("report", doc, source.JSON, limits.Default)
	if err != nil {
		return nil, linterName, err
	}
	f, faults := foreign.ReadFindings(parsed)
	if len(faults) > 0 {
		for i := range faults {
			faults[i] = text.Safe(faults[i], limits.Default.ShownRunes)
		}
		return nil, linterName, faultsError(faults)
	}
	return ofLinter(f), linterName + ", schema " + f.Schema, nil
}

// Looks says whether a document is a report, be it a good one.
func Looks(doc []byte) bool {
	parsed, err := source.Parse("report", doc, source.JSON, limits.Default)
	if err != nil {
		return false
	}
	root := parsed.Root()
	return foreign.Form(parsed) == foreign.Report || root.Get("schemaVersion").Valid() && root.Get("run").Valid() && root.Get("findings").Kind() == source.Array
}

// faultsError are faults, a line each.
type faultsError []string

func (e faultsError) Error() string { return strings.Join(e, "\n") }

// isLinter says whether a document is a report of the tool card linter, be it a good one.
func isLinter(doc []byte) bool {
	parsed, err := source.Parse("report", doc, source.JSON, limits.Default)
	return err == nil && foreign.Form(parsed) == foreign.Report
}

// ofLinter makes a report of ours. Its rules stay that tool's, under the category card-linter: which of ours is which is on the
// page on moving over.
func ofLinter(f *foreign.Findings) *Report {
	rep := &Report{SchemaVersion: SchemaVersion, Tool: Tool{Name: toolName, Version: f.Tool}, Findings: []finding.Finding{}, Subjects: []finding.Subject{},
		Skipped: []finding.Skip{}, Incomplete: []finding.Incomplete{},
		Run:    Run{ID: "urn:" + f.Fingerprint(), Verb: "lint", StartedAt: "1970-01-01T00:00:00Z", Env: "none"},
		Policy: Policy{Profile: f.Profile, FailOn: finding.Error, Source: linterName + " " + f.Tool + ", schema " + f.Schema}}
	rep.Summary.Suppressed = f.Suppressed
	at := map[string]foreign.FindingsSource{}
	parent := map[string]string{}
	number := 0
	id := func() string { number++; return "s" + strconv.Itoa(number) }
	for _, s := range f.Sources {
		at[s.Server] = s
		parent[s.Server] = id()
		rep.Subjects = append(rep.Subjects, finding.Subject{ID: parent[s.Server], Kind: "server", Name: s.Server, Transport: transports[s.Type]})
		for _, e := range s.Errors {
			rep.Incomplete = append(rep.Incomplete, finding.Incomplete{Path: placeOf(s), Cause: "surface", Detail: s.Server + ": " + e})
		}
		if s.Truncated {
			rep.Incomplete = append(rep.Incomplete, finding.Incomplete{Path: placeOf(s), Cause: "surface", Detail: s.Server + ": tools were left out"})
		}
	}
	for _, t := range f.Tools {
		decision, reasons := decideLinter(&t)
		one := finding.Subject{ID: id(), Kind: "tool", Parent: parent[t.Server], Name: t.Name, Digest: t.Digest, Decision: decision,
			Risk: &finding.Risk{Level: t.Risk, Capabilities: []string{}, Reasons: reasons}}
		for _, c := range t.Categories {
			if ours, ok := capabilities[c]; ok {
				one.Risk.Capabilities = append(one.Risk.Capabilities, ours)
			}
		}
		rep.Subjects = append(rep.Subjects, one)
		for _, i := range t.Issues {
			found := finding.Finding{Rule: linter + "/" + strings.ToLower(strings.ReplaceAll(i.Code, "_", "-")), Aliases: []string{i.Code}, Confidence: finding.High,
				Message: secret.Mask(t.Name + ": " + i.Message), Subject: one.ID, Server: t.Server, Tool: t.Name, Related: []finding.Related{}, Status: finding.Active,
				Location: finding.Location{Path: placeOf(at[t.Server]), Pointer: i.Pointer}, Fingerprint: i.Fingerprint(&t)}
			found.Severity = severities[i.Severity]
			if i.Advice != "" {
				found.Fix = advice(i.Advice)
			}
			rep.Findings = append(rep.Findings, found)
			rep.Summary.add(&found)
		}
	}
	rep.Summary.Servers, rep.Summary.Tools, rep.Summary.Incomplete = len(f.Sources), len(f.Tools), len(rep.Incomplete)
	switch {
	case len(rep.Incomplete) > 0:
		rep.Exit = 2
	case rep.Summary.Error > 0:
		rep.Exit = 1
	}
	rep.mask()
	return rep
}

func advice(words string) *finding.Fix { return &finding.Fix{Safety: finding.Manual, Title: words} }

// What the words of the tool card linter are in ours.
var (
	severities = map[string]finding.Severity{"critical": finding.Error, "error": finding.Error, "warning": finding.Warning, "info": finding.Info}
	transports = map[string]string{"stdio": "stdio", "streamable-http": "http"}
	// capabilities are its risk categories that are abilities.
	capabilities = map[string]string{"destructive": "delete", "write": "write", "financial": "pay", "secret": "secrets", "network": "network",
		"filesystem": "files", "code_execution": "run"}
)

// placeOf is the file that a source is, without the folders of the machine that it was read on; else the server.
func placeOf(s foreign.FindingsSource) string {
	if s.Path == "" {
		return s.Server
	}
	return path.Base(strings.ReplaceAll(s.Path, `\`, "/"))
}

// decideLinter is the decision on a tool of such a report, by the stricter of that tool's two ways: what is critical, poisoned or
// changed is blocked, and whatever else is an error or no low risk is for a person to approve.
func decideLinter(t *foreign.FindingsTool) (decision string, reasons []string) {
	var block, approve []string
	for _, i := range t.Issues {
		switch {
		case i.Severity == "critical" || i.Code == "TOOL_CARD_CHANGED" || strings.HasPrefix(i.Code, "TOOL_POISONING_"):
			block = append(block, i.Code)
		case i.Severity == "error":
			approve = append(approve, i.Code)
		}
	}
	if t.Risk == "critical" {
		block = append(block, "risk critical")
	}
	if t.Risk == "medium" || t.Risk == "high" {
		approve = append(approve, "risk "+t.Risk)
	}
	slices.Sort(block)
	slices.Sort(approve)
	switch {
	case len(block) > 0:
		return "block", slices.Compact(block)
	case len(approve) > 0:
		return "approve", slices.Compact(approve)
	}
	return "include", []string{}
}
