package report

import "fmt"

// The two taxonomies that rules point to.
const (
	owaspName = "OWASP MCP Top 10"
	cweName   = "CWE"
)

type taxon struct{ id, name string }

// owaspMCP is the OWASP MCP Top 10, 2025 (https://owasp.org/www-project-mcp-top-10/).
func owaspMCP() []taxon {
	return []taxon{
		{"MCP01", "Token Mismanagement & Secret Exposure"},
		{"MCP02", "Privilege Escalation via Scope Creep"},
		{"MCP03", "Tool Poisoning"},
		{"MCP04", "Software Supply Chain Attacks & Dependency Tampering"},
		{"MCP05", "Command Injection & Execution"},
		{"MCP06", "Intent Flow Subversion"},
		{"MCP07", "Insufficient Authentication & Authorization"},
		{"MCP08", "Lack of Audit and Telemetry"},
		{"MCP09", "Shadow MCP Servers"},
		{"MCP10", "Context Injection & Over-Sharing"},
	}
}

func (t *ruleTable) supported() []sarifRef {
	refs := []sarifRef{{owaspName, 0}}
	if len(t.cwe) > 0 {
		refs = append(refs, sarifRef{cweName, 1})
	}
	return refs
}

// taxonomies gives the whole Top 10, and of CWE the entries that occur.
func (t *ruleTable) taxonomies() []sarifComponent {
	owasp := sarifComponent{Name: owaspName, Version: "2025", Organization: "OWASP",
		InformationURI:   "https://owasp.org/www-project-mcp-top-10/",
		ShortDescription: &sarifMessage{Text: "The ten most critical risks of Model Context Protocol systems."}}
	for _, x := range owaspMCP() {
		owasp.Taxa = append(owasp.Taxa, sarifDescribed{ID: x.id, ShortDescription: &sarifMessage{Text: x.name}})
	}
	if len(t.cwe) == 0 {
		return []sarifComponent{owasp}
	}
	cwe := sarifComponent{Name: cweName, Organization: "MITRE", InformationURI: "https://cwe.mitre.org/",
		ShortDescription: &sarifMessage{Text: "Common Weakness Enumeration."}}
	for _, n := range t.cwe {
		cwe.Taxa = append(cwe.Taxa, sarifDescribed{ID: fmt.Sprintf("CWE-%d", n),
			HelpURI: fmt.Sprintf("https://cwe.mitre.org/data/definitions/%d.html", n)})
	}
	return []sarifComponent{owasp, cwe}
}
