package report

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/text"
)

// The parts of SARIF 2.1.0 (OASIS, errata 01) that we write. Every field that is not optional is written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool                `json:"tool"`
		Automation  sarifID                  `json:"automationDetails"`
		Invocations []sarifInvocation        `json:"invocations"`
		BaseIDs     map[string]sarifArtifact `json:"originalUriBaseIds"`
		ColumnKind  string                   `json:"columnKind"`
		Taxonomies  []sarifComponent         `json:"taxonomies"`
		Results     []sarifResult            `json:"results"`
		Properties  map[string]any           `json:"properties"`
	}
	sarifTool struct {
		Driver sarifComponent `json:"driver"`
	}
	sarifID struct {
		ID string `json:"id"`
	}
	sarifComponent struct {
		Name             string           `json:"name"`
		Version          string           `json:"version,omitempty"`
		SemanticVersion  string           `json:"semanticVersion,omitempty"`
		Organization     string           `json:"organization,omitempty"`
		InformationURI   string           `json:"informationUri"`
		ShortDescription *sarifMessage    `json:"shortDescription,omitempty"`
		Taxonomies       []sarifRef       `json:"supportedTaxonomies,omitempty"`
		Rules            []sarifRule      `json:"rules,omitempty"`
		Notifications    []sarifDescribed `json:"notifications,omitempty"`
		Taxa             []sarifDescribed `json:"taxa,omitempty"`
	}
	sarifRef struct {
		Name  string `json:"name"`
		Index int    `json:"index"`
	}
	sarifDescribed struct {
		ID               string        `json:"id"`
		ShortDescription *sarifMessage `json:"shortDescription,omitempty"`
		HelpURI          string        `json:"helpUri,omitempty"`
	}
	sarifRule struct {
		ID               string              `json:"id"`
		ShortDescription sarifMessage        `json:"shortDescription"`
		FullDescription  sarifMessage        `json:"fullDescription"`
		HelpURI          string              `json:"helpUri,omitempty"`
		Help             sarifMessage        `json:"help"`
		Configuration    sarifLevel          `json:"defaultConfiguration"`
		Relationships    []sarifRelationship `json:"relationships,omitempty"`
		Properties       sarifRuleProperties `json:"properties"`
	}
	sarifRuleProperties struct {
		Tags             []string `json:"tags"`
		Precision        string   `json:"precision"`
		ProblemSeverity  string   `json:"problem.severity"`
		SecuritySeverity string   `json:"security-severity,omitempty"`
		Aliases          []string `json:"aliases"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifRelationship struct {
		Target sarifTarget `json:"target"`
		Kinds  []string    `json:"kinds"`
	}
	sarifTarget struct {
		ID        string   `json:"id"`
		Index     int      `json:"index"`
		Component sarifRef `json:"toolComponent"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		ExitCode      int                 `json:"exitCode"`
		Start         string              `json:"startTimeUtc"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Descriptor sarifID         `json:"descriptor"`
		Level      string          `json:"level"`
		Message    sarifMessage    `json:"message"`
		Locations  []sarifLocation `json:"locations,omitempty"`
	}
	sarifMessage struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifArtifact struct {
		URI         string        `json:"uri,omitempty"`
		BaseID      string        `json:"uriBaseId,omitempty"`
		Description *sarifMessage `json:"description,omitempty"`
	}
	sarifLocation struct {
		ID       int            `json:"id,omitempty"`
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
		Message  *sarifMessage  `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"name,omitempty"`
		Path string `json:"fullyQualifiedName,omitempty"`
		Kind string `json:"kind,omitempty"`
	}
	sarifRegion struct {
		StartLine   int  `json:"startLine,omitempty"`
		StartColumn int  `json:"startColumn,omitempty"`
		EndLine     int  `json:"endLine,omitempty"`
		EndColumn   int  `json:"endColumn,omitempty"`
		ByteOffset  *int `json:"byteOffset,omitempty"`
		ByteLength  *int `json:"byteLength,omitempty"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifMessage       `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints,omitempty"`
		Suppressions []sarifSuppression `json:"suppressions,omitzero"`
		Fixes        []sarifFix         `json:"fixes,omitempty"`
		Properties   map[string]any     `json:"properties"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification"`
	}
	sarifFix struct {
		Description sarifMessage  `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion  `json:"deletedRegion"`
		Inserted sarifMessage `json:"insertedContent"`
	}
)

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	srcRoot     = "%SRCROOT%"
)

func writeSARIF(w *bufio.Writer, rep *Report, env Env) error {
	s := &sarifWriter{rep: rep, files: newPlacer(rep, env), names: rep.names()}
	doc, err := encode(sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{s.run(env)}})
	if err != nil {
		return err
	}
	_, err = w.Write(append(doc, '\n'))
	return err
}

type sarifWriter struct {
	rep   *Report
	files *placer
	names map[string]named
}

func (s *sarifWriter) run(env Env) sarifRun {
	rep := s.rep
	rules := newRuleTable(rep, env)
	run := sarifRun{
		Tool: sarifTool{sarifComponent{Name: toolName, Version: rep.Tool.Version, SemanticVersion: rep.Tool.Version,
			InformationURI: home, Rules: rules.rules, Taxonomies: rules.supported()}},
		// the part before the last slash is the category under which GitHub replaces the last upload
		Automation: sarifID{toolName + "/" + rep.Run.Verb + "/"},
		Invocations: []sarifInvocation{{Successful: len(rep.Incomplete) == 0 && rep.Exit <= 1, ExitCode: rep.Exit,
			Start: rep.Run.StartedAt, Notifications: s.notifications()}},
		BaseIDs:    map[string]sarifArtifact{srcRoot: {URI: s.files.rootURI(), Description: &sarifMessage{Text: "The repository, or the folder that was named."}}},
		ColumnKind: "unicodeCodePoints",
		Taxonomies: rules.taxonomies(),
		Results:    make([]sarifResult, 0, len(rep.Findings)),
		Properties: map[string]any{"runId": rep.Run.ID, "platform": rep.Run.Platform, "env": rep.Run.Env,
			"policy": rep.Policy, "summary": rep.Summary},
	}
	seen := map[string]int{}
	for i := range rep.Findings {
		f := &rep.Findings[i]
		r := s.result(f)
		r.RuleIndex = rules.index[f.Rule]
		if f.Fingerprint != "" {
			seen[f.Fingerprint]++
			// GitHub reads primaryLocationLineHash alone, and expects hash:occurrence
			hash := strings.TrimPrefix(f.Fingerprint, "sha256:")
			r.Fingerprints = map[string]string{toolName + "/v1": f.Fingerprint,
				"primaryLocationLineHash": hash + ":" + strconv.Itoa(seen[f.Fingerprint])}
		}
		run.Results = append(run.Results, r)
	}
	return run
}

func (s *sarifWriter) result(f *finding.Finding) sarifResult {
	r := sarifResult{
		RuleID: f.Rule, Level: sarifSeverity(f.Severity), Message: sarifText(f.Message),
		Locations:  []sarifLocation{{Physical: s.physical(s.place(f))}},
		Properties: map[string]any{"confidence": f.Confidence.String(), "aliases": f.Aliases},
	}
	of := s.names[f.Subject]
	server, tool := cmp.Or(of.server, f.Server), cmp.Or(of.tool, f.Tool)
	if server != "" {
		r.Properties["server"] = server
	}
	if tool != "" {
		r.Properties["tool"] = tool
	}
	if f.Blast != "" {
		r.Properties["blast"] = f.Blast
	}
	if f.Advice {
		r.Properties["advice"] = true
	}
	if server != "" || f.Location.Pointer != "" {
		r.Locations[0].Logical = []sarifLogical{{Name: server, Path: f.Location.Pointer}}
	}
	if tool != "" {
		r.Locations[0].Logical = []sarifLogical{{Name: server, Kind: "module"}, {Name: tool, Path: f.Location.Pointer, Kind: "function"}}
	}
	var others []string
	for _, o := range f.Related {
		if o.Location != nil {
			l := sarifLocation{ID: len(r.Related) + 1}
			if o.Location.Line == 0 && o.Location.Pointer != "" { // of a live server, like the finding itself
				l.Physical, l.Logical = s.physical(s.place(f)), []sarifLogical{{Path: o.Location.Pointer}}
			} else {
				l.Physical = s.physical(*o.Location)
			}
			if o.Message != "" {
				m := sarifText(o.Message)
				l.Message = &m
			}
			r.Related = append(r.Related, l)
		}
		if o.Rule != "" {
			others = append(others, o.Rule)
		}
	}
	if others != nil {
		r.Properties["relatedRules"] = others
	}
	// one result with suppressions asks for the array on every result, or viewers read "unknown" (SARIF 3.27.23)
	if s.rep.Summary.Suppressed > 0 {
		r.Suppressions = []sarifSuppression{}
	}
	if f.Status == finding.Suppressed {
		x := sarifSuppression{Kind: "external", Status: "accepted"}
		if p := f.Suppression; p != nil {
			x.Justification = reason(p)
			if p.Kind == "inline" {
				x.Kind = "inSource"
			}
		}
		r.Suppressions = append(r.Suppressions, x)
	}
	if f.Fix != nil {
		r.Properties["fix"] = map[string]any{"safety": f.Fix.Safety, "title": f.Fix.Title, "exports": list(f.Fix.Exports)}
		if len(f.Fix.Edits) > 0 {
			r.Fixes = []sarifFix{s.fix(f)}
		}
	}
	return r
}

// place is where a finding can be looked at. The subjects know the config entries too, in a report that was read again.
func (s *sarifWriter) place(f *finding.Finding) finding.Location {
	if o := s.names[f.Subject].origin; o != nil {
		return *o
	}
	return f.File()
}

func (s *sarifWriter) fix(f *finding.Finding) sarifFix {
	c := sarifChange{Artifact: s.artifact(f.Location.Path)}
	for _, e := range f.Fix.Edits {
		c.Replacements = append(c.Replacements, sarifReplacement{
			Deleted:  sarifRegion{ByteOffset: &e.Offset, ByteLength: &e.Length},
			Inserted: sarifMessage{Text: e.Text}})
	}
	return sarifFix{Description: sarifText(f.Fix.Title), Changes: []sarifChange{c}}
}

// notifications are what was skipped or could not be checked.
func (s *sarifWriter) notifications() []sarifNotification {
	all := s.rep.notChecked()
	out := make([]sarifNotification, 0, len(all))
	for _, x := range all {
		level := "error"
		if x.skipped {
			level = "warning"
		}
		m := x.word() + ": " + x.why
		for _, more := range []string{x.detail, x.hint} {
			if more != "" {
				m += "; " + more
			}
		}
		out = append(out, sarifNotification{Descriptor: sarifID{x.word() + "/" + x.why}, Level: level, Message: sarifText(m),
			Locations: []sarifLocation{{Physical: &sarifPhysical{Artifact: s.artifact(x.path)}}}})
	}
	return out
}

func (s *sarifWriter) artifact(path string) sarifArtifact {
	uri, inside := s.files.uri(path)
	if inside {
		return sarifArtifact{URI: uri, BaseID: srcRoot}
	}
	return sarifArtifact{URI: uri}
}

// physical points at a place, nil where there is no file. A finding about a whole file points at its first
// line: GitHub wants a line.
func (s *sarifWriter) physical(l finding.Location) *sarifPhysical {
	if l.Path == "" {
		return nil
	}
	r := &sarifRegion{StartLine: max(1, l.Line)}
	if l.Line > 0 {
		r.StartColumn, r.EndLine, r.EndColumn = l.Column, l.EndLine, l.EndColumn
		r.ByteOffset, r.ByteLength = &l.Offset, &l.Length
	}
	return &sarifPhysical{Artifact: s.artifact(l.Path), Region: r}
}

// sarifText makes a message of a stranger's text: "[x](y)" in a SARIF message is a link (3.11.6).
func sarifText(s string) sarifMessage {
	s = text.Safe(s, 0)
	if strings.Contains(s, "](") {
		s = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(s)
	}
	return sarifMessage{Text: s}
}

func sarifSeverity(s finding.Severity) string {
	if s == finding.Info {
		return "note"
	}
	return s.String()
}

// ruleTable holds the rules that occur, in order of their id, and the taxa they point to.
type ruleTable struct {
	rules []sarifRule
	index map[string]int
	cwe   []int
}

func newRuleTable(rep *Report, env Env) *ruleTable {
	t := &ruleTable{index: map[string]int{}}
	var infos []RuleInfo
	for i := range rep.Findings {
		f := &rep.Findings[i]
		if _, ok := t.index[f.Rule]; ok {
			continue
		}
		t.index[f.Rule] = 0
		info := RuleInfo{ID: f.Rule, Title: f.Rule, Severity: f.Severity, Confidence: f.Confidence, Aliases: f.Aliases}
		if env.Rules != nil {
			if known, ok := env.Rules(f.Rule); ok {
				info = known
			}
		}
		infos = append(infos, info)
		t.cwe = append(t.cwe, info.CWE...)
	}
	slices.SortFunc(infos, func(a, b RuleInfo) int { return cmp.Compare(a.ID, b.ID) })
	slices.Sort(t.cwe)
	t.cwe = slices.Compact(t.cwe)
	for i, info := range infos {
		t.index[info.ID] = i
		t.rules = append(t.rules, t.rule(info))
	}
	return t
}

func (t *ruleTable) rule(info RuleInfo) sarifRule {
	r := sarifRule{ID: info.ID, ShortDescription: sarifMessage{Text: info.Title}, FullDescription: sarifMessage{Text: info.Title},
		HelpURI: info.URL, Configuration: sarifLevel{sarifSeverity(info.Severity)}}
	help := cmp.Or(info.Text, info.Title)
	r.Help = sarifMessage{Text: help, Markdown: help}
	p := sarifRuleProperties{Tags: list(info.Tags), Precision: info.Confidence.String(), Aliases: list(info.Aliases)}
	p.ProblemSeverity = map[finding.Severity]string{finding.Error: "error", finding.Warning: "warning"}[info.Severity]
	p.ProblemSeverity = cmp.Or(p.ProblemSeverity, "recommendation")
	if info.OWASP != "" || len(info.CWE) > 0 {
		p.Tags = append(p.Tags, "security")
		p.SecuritySeverity = map[finding.Severity]string{finding.Error: "8.0", finding.Warning: "5.0"}[info.Severity]
		p.SecuritySeverity = cmp.Or(p.SecuritySeverity, "2.0")
	}
	if i := slices.IndexFunc(owaspMCP(), func(x taxon) bool { return x.id == info.OWASP }); i >= 0 {
		r.Relationships = append(r.Relationships, sarifRelationship{sarifTarget{info.OWASP, i, sarifRef{owaspName, 0}}, []string{"superset"}})
	}
	for _, n := range info.CWE {
		i, _ := slices.BinarySearch(t.cwe, n)
		id := fmt.Sprintf("CWE-%d", n)
		r.Relationships = append(r.Relationships, sarifRelationship{sarifTarget{id, i, sarifRef{cweName, 1}}, []string{"relevant"}})
		p.Tags = append(p.Tags, "external/cwe/"+strings.ToLower(id)) // the form that GitHub filters by
	}
	slices.Sort(p.Tags)
	r.Properties = p
	return r
}
