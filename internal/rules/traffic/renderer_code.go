package traffic

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// RendererCode is traffic/renderer-code.
var RendererCode = &rule.Rule{
	ID:       "traffic/renderer-code",
	Title:    "code for the client that shows a text",
	Trigger:  "A text calls what a desktop client lends to its pages, to add or to start a server, or links to its installer of servers.",
	Message:  "Text of the server would have a client {what}",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic},
	Aliases:  []string{"renderer-code-execution-in-response"},
	OWASP:    "MCP05",
	CWE:      []int{79, 94},
	Since:    "0.1.0",
	Action:   rule.ActRedact,
	Traffic: func(p *rule.Pass, m *traffic.Message) {
		if !m.FromServer {
			return
		}
		for i := range m.Texts {
			t := &m.Texts[i]
			if start, end := bridge(t.Text); end > 0 {
				redact(p, t, start, end, "renderer-code", rule.Args{"what": "run code that sets up a server"})
			} else if installs(t.Text) {
				p.Report(at(t), rule.Args{"what": "set up a server by a link"}, rule.WithAction(rule.ActNote), rule.WithSeverity(finding.Warning))
			}
		}
	},
}

// bridges are the objects through which pages of desktop clients reach what lies beyond the page.
var bridges = [...]string{"electron.", "ipcRenderer.", "__TAURI__.", "electronAPI.", "contextBridge."}

// bridge finds a call of a bridge that is about servers: its name, the name of the function, the opening bracket.
func bridge(t string) (start, end int) {
	const longest = 96
	if strings.IndexByte(t, '(') < 0 {
		return 0, 0
	}
	for _, b := range bridges {
		for from := 0; ; {
			i := strings.Index(t[from:], b)
			if i < 0 {
				break
			}
			start = from + i
			end = start
			for end < len(t) && end-start < longest && (letter(t[end]) || t[end] == '.' || t[end] == '_' || t[end] >= '0' && t[end] <= '9') {
				end++
			}
			if end < len(t) && t[end] == '(' {
				call := strings.ToLower(t[start:min(len(t), end+longest)])
				if strings.Contains(call, "mcp") {
					return start, closed(t, end)
				}
			}
			from = max(end, start+len(b))
		}
	}
	return 0, 0
}

// closed is where the bracket that opens at i is closed, or the bracket's end where it is not soon.
func closed(t string, i int) int {
	const longest = 512
	depth := 0
	for k := i; k < len(t) && k < i+longest; k++ {
		switch t[k] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return k + 1
			}
		}
	}
	return i + 1
}

// installs says whether a text holds a link that has a client set up a server.
func installs(t string) bool {
	i := strings.Index(t, "mcp/install?")
	if i < 0 {
		return false
	}
	from := strings.LastIndexAny(t[:i], " \n\"'(<") + 1
	scheme, _, ok := strings.Cut(t[from:i], ":")
	return ok && scheme != "http" && scheme != "https"
}
