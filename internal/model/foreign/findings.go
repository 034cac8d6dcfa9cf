package foreign

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Findings is a report of MCP Tool Card Linter, schema 1.0.0 or 1.1.0, as far as it says what was found.
type Findings struct {
	// Schema is the version of the report's schema, Tool that of the program, ID its urn, At when it was made (RFC 3339).
	Schema, Tool, ID, At string
	Profile              string
	Suppressed           int
	Sources              []FindingsSource
	Tools                []FindingsTool
}

// FindingsSource is one server that was looked at. Errors and Truncated say that it was not looked at as a whole.
type FindingsSource struct {
	Server, Type, Path string
	Errors             []string
	Truncated          bool
}

// FindingsTool is one tool.
type FindingsTool struct {
	Server, Name, Digest string
	Risk                 string // low, medium, high, critical
	Categories           []string
	Issues               []Issue
}

// Issue is one finding. Pointer is a JSON Pointer into the card.
type Issue struct {
	Code, Severity, Message, Pointer, Advice string
}

// Fingerprint names the report.
func (f *Findings) Fingerprint() string { return canon.Fingerprint(Report, f.ID, f.At) }

// Fingerprint is the same for one finding in two reports: of a rule, at a place of a tool.
func (i *Issue) Fingerprint(t *FindingsTool) string {
	return canon.Fingerprint(Report, i.Code, t.Server, t.Name, i.Pointer)
}

// ReadFindings reads such a report, and lists what is wrong with it, each fault with its place: nothing for a good one.
func ReadFindings(doc *source.Doc) (*Findings, []string) {
	r := &findingsReader{}
	root := doc.Root()
	out := &Findings{Schema: r.oneOf(root.Get("report_schema_version"), "/report_schema_version", "1.0.0", "1.1.0"),
		Tool: r.text(root.Get("tool_version"), "/tool_version"), ID: r.like(root.Get("scan_id"), "/scan_id", ids()),
		At: r.text(root.Get("generated_at"), "/generated_at"), Profile: root.Get("policy").Get("profile").Text()}
	if n, ok := root.Get("policy").Get("suppressed_count").Number(); ok {
		out.Suppressed, _ = strconv.Atoi(n)
	}
	known := map[string]bool{}
	for i, n := range r.items(root.Get("sources"), "/sources") {
		at := fmt.Sprintf("/sources/%d", i)
		s := FindingsSource{Server: r.text(n.Get("server_name"), at+"/server_name"), Type: r.text(n.Get("source_type"), at+"/source_type"),
			Path: n.Get("metadata").Get("path").Text(), Errors: r.texts(n.Get("errors"), at+"/errors")}
		switch string(n.Get("truncated").Raw()) {
		case "true":
			s.Truncated = true
		case "false":
		default:
			r.fault(at+"/truncated", "is neither true nor false")
		}
		known[s.Server] = true
		out.Sources = append(out.Sources, s)
	}
	for i, n := range r.items(root.Get("tools"), "/tools") {
		at := fmt.Sprintf("/tools/%d", i)
		t := FindingsTool{Server: r.text(n.Get("server_name"), at+"/server_name"), Name: r.text(n.Get("tool_name"), at+"/tool_name"),
			Digest: r.like(n.Get("card_fingerprint"), at+"/card_fingerprint", fingerprints()),
			Risk:   r.oneOf(n.Get("risk_level"), at+"/risk_level", "low", "medium", "high", "critical"), Categories: r.texts(n.Get("risk_categories"), at+"/risk_categories")}
		if t.Server != "" && !known[t.Server] {
			r.fault(at+"/server_name", "names none of the sources")
		}
		for k, issue := range r.items(n.Get("issues"), at+"/issues") {
			at := fmt.Sprintf("%s/issues/%d", at, k)
			t.Issues = append(t.Issues, Issue{Code: r.like(issue.Get("code"), at+"/code", codes()),
				Severity: r.oneOf(issue.Get("severity"), at+"/severity", "info", "warning", "error", "critical"),
				Message:  r.text(issue.Get("message"), at+"/message"), Pointer: pointerOf(issue.Get("json_pointer")), Advice: issue.Get("recommendation").Text()})
		}
		out.Tools = append(out.Tools, t)
	}
	return out, r.faults
}

var (
	ids          = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^urn:(uuid:[0-9a-f-]{36}|sha256:[0-9a-f]{64})$`) })
	fingerprints = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^sha256:[0-9a-f]{64}$`) })
	codes        = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z][A-Z0-9_]{1,127}$`) })
)

func pointerOf(n source.Node) string {
	if p := n.Text(); strings.HasPrefix(p, "/") {
		return p
	}
	return "" // the card itself
}

type findingsReader struct{ faults []string }

func (r *findingsReader) fault(at, what string) {
	if len(r.faults) < limits.Default.ShownFaults {
		r.faults = append(r.faults, at+": "+what)
	}
}

func (r *findingsReader) text(n source.Node, at string) string {
	if n.Kind() != source.String {
		r.fault(at, "is no text")
	}
	return n.Text()
}

func (r *findingsReader) like(n source.Node, at string, form *regexp.Regexp) string {
	s := r.text(n, at)
	if n.Kind() == source.String && !form.MatchString(s) {
		r.fault(at, "does not match "+form.String())
	}
	return s
}

func (r *findingsReader) oneOf(n source.Node, at string, words ...string) string {
	if !slices.Contains(words, n.Text()) {
		r.fault(at, "is not one of "+strings.Join(words, ", "))
	}
	return n.Text()
}

func (r *findingsReader) items(n source.Node, at string) (all []source.Node) {
	if n.Kind() != source.Array {
		r.fault(at, "is no array")
		return nil
	}
	for c := range n.Children() {
		all = append(all, c)
	}
	return all
}

func (r *findingsReader) texts(n source.Node, at string) (all []string) {
	for i, c := range r.items(n, at) {
		all = append(all, r.text(c, fmt.Sprintf("%s/%d", at, i)))
	}
	return all
}
