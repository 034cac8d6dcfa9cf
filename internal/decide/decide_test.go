package decide

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

func tool(t *testing.T, text string) *card.Card {
	t.Helper()
	doc, err := source.Parse("tools.json", []byte(`{"tools": [`+text+`]}`), source.JSON, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	return card.Read(doc).Servers[0].Cards[0]
}

// tagged is the id of a rule with that tag.
func tagged(t *testing.T, tag string) string {
	t.Helper()
	for _, r := range catalog.All() {
		if slices.Contains(r.Tags, tag) {
			return r.ID
		}
	}
	t.Fatalf("no rule is tagged %s", tag)
	return ""
}

// Each row of the table in docs/tool-decisions.md holds, and the table has no other.
func TestEveryRowOfTheTableDecides(t *testing.T) {
	page, err := os.ReadFile("../../docs/tool-decisions.md")
	if err != nil {
		t.Fatal(err)
	}
	reads := `{"name": "list_books", "description": "List the books."}`
	at := func(tag string, s finding.Severity) func(*testing.T) *finding.Finding {
		return func(t *testing.T) *finding.Finding {
			return &finding.Finding{Rule: tagged(t, tag), Severity: s, Status: finding.Active}
		}
	}
	rows := []struct {
		what, decision, level string
		cards                 []string
		own, around           func(*testing.T) *finding.Finding
	}{
		{"an active finding of a rule tagged `block`, on it or on its server", "block", "critical", []string{reads}, at(rule.Block, finding.Warning), nil},
		{"an active finding of a rule tagged `block`, on it or on its server", "block", "critical", []string{reads}, nil, at(rule.Block, finding.Error)},
		{"an active error of a security rule, on it or on its server", "approve", "high", []string{reads}, at(rule.Behaviour, finding.Error), nil},
		{"an active error of a security rule, on it or on its server", "approve", "high", []string{reads}, nil, at(rule.Behaviour, finding.Error)},
		{"it deletes, pays, runs code, or reads secrets", "approve", "high", []string{
			`{"name": "deleteUser"}`, `{"name": "pay_bill"}`, `{"name": "run_command"}`, `{"name": "get_secret"}`,
			`{"name": "drop_table", "annotations": {"readOnlyHint": true}}`, `{"name": "wipe", "description": "A read-only tool."}`}, nil, nil},
		{"it says of itself that it is destructive", "approve", "medium", []string{`{"name": "sync", "annotations": {"destructiveHint": true}}`}, nil, nil},
		{"an active warning of a security rule", "approve", "medium", []string{reads}, at(rule.Behaviour, finding.Warning), nil},
		{"one doubtful sign that it deletes, pays or reads secrets", "approve", "medium", []string{`{"name": "remove_filter", "description": "Shows everything."}`}, nil, nil},
		{"it sends to people, or asks for a secret", "approve", "medium", []string{`{"name": "send_mail"}`,
			`{"name": "list_books", "inputSchema": {"properties": {"password": {"type": "string"}}}}`}, nil, nil},
		{"it writes, works on files, or opens addresses", "include", "medium", []string{`{"name": "update_book"}`,
			`{"name": "read_file", "inputSchema": {"properties": {"path": {"type": "string"}}}}`,
			`{"name": "fetch_page", "inputSchema": {"properties": {"url": {"type": "string"}}}}`}, nil, nil},
		{"nothing is known of it", "include", "medium", []string{`{"name": "frobnicate"}`, `{}`}, nil, nil},
		{"it reads", "include", "low", []string{reads, `{"name": "list_deleted_users"}`}, nil, nil},
	}
	written := map[string]bool{}
	for _, row := range rows {
		line := "| " + row.what + " | " + row.decision + " | " + row.level + " |"
		written[line] = true
		if !strings.Contains(string(page), line+"\n") {
			t.Errorf("docs/tool-decisions.md has no row %s", line)
		}
		t.Run(row.what, func(t *testing.T) {
			var own, around []*finding.Finding
			if row.own != nil {
				own = append(own, row.own(t))
			}
			if row.around != nil {
				around = append(around, row.around(t))
			}
			for _, text := range row.cards {
				v := Tool(tool(t, text), own, around)
				if v.Decision.String() != row.decision || v.Level.String() != row.level {
					t.Errorf("%s: %s, %s %v", text, v.Decision, v.Level, v.Reasons)
				}
				if len(v.Reasons) == 0 && v.Level != Low {
					t.Errorf("%s: no reason", text)
				}
			}
		})
	}
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| what") && !written[line] {
			t.Errorf("no test holds the row %s", line)
		}
	}
}

func TestASuppressedFindingAndAWarningOnTheServerWeighNothing(t *testing.T) {
	c := tool(t, `{"name": "list_books", "description": "List the books."}`)
	id := tagged(t, rule.Behaviour)
	own := []*finding.Finding{{Rule: id, Severity: finding.Error, Status: finding.Suppressed}}
	around := []*finding.Finding{{Rule: id, Severity: finding.Warning, Status: finding.Active}}
	if v := Tool(c, own, around); v.Decision != Include || v.Level != Low || len(v.Reasons) != 0 {
		t.Errorf("%+v", v)
	}
}

func TestFaultsOfFormWeighNothing(t *testing.T) {
	c := tool(t, `{"name": "list_books", "description": "List the books."}`)
	if v := Tool(c, []*finding.Finding{{Rule: tagged(t, rule.Schema), Severity: finding.Error, Status: finding.Active}}, nil); v.Decision != Include || v.Level != Low {
		t.Errorf("%+v", v)
	}
}

func TestReasonsAreFewAndShort(t *testing.T) {
	long := strings.Repeat("x", 10_000) + "_command"
	v := Tool(tool(t, `{"name": "delete_pay_run", "description": "Deletes, pays, executes code, sends a mail.", "inputSchema": {"properties": {"`+long+`": {"type": "string"}}}}`), nil, nil)
	total := 0
	for _, r := range v.Reasons {
		total += len(r)
	}
	if len(v.Reasons) == 0 || len(v.Reasons) > limits.Default.Reasons || total > limits.Default.Reasons*(limits.Default.ReasonRunes+len("…")) {
		t.Errorf("%q", v.Reasons)
	}
}
