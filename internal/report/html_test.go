package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/score"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/text"
)

// nodes is every node of a page as a browser reads it, in the order of the page.
func nodes(t testing.TB, page []byte) (all []*html.Node) {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		all = append(all, n)
	}
	return all
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// content is the text of a node, with one space for each white space.
func content(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// find is the content of the elements with a class or an id.
func find(all []*html.Node, key, value string) (found []string) {
	for _, n := range all {
		if n.Type == html.ElementNode && slices.Contains(strings.Fields(attr(n, key)), value) {
			found = append(found, content(n))
		}
	}
	return found
}

// sampleScore is a score card with a row of each kind, in two lanes.
func sampleScore(s string) *score.Card {
	wrong := score.Row{Check: s, Expected: s, HTTPStatus: 404, Code: -32601, Verdict: "html", Effect: s, Fix: s, Points: 1, Max: 5}
	lane := score.Lane{Era: "legacy", Revision: s, Total: 71, Grade: "C", Sections: score.Sections{
		Handshake: score.Section{Score: 27.46, Max: 30, Applies: true, Rows: []score.Row{{Check: s, Expected: s, Verdict: "ok", Points: 5, Max: 5}}},
		Tools:     score.Section{Rows: []score.Row{{Check: s, Expected: s, Verdict: "skipped", Effect: s}}},
		Errors:    score.Section{Score: 9, Max: 25, Applies: true, Rows: []score.Row{wrong}},
		Discovery: score.Section{Score: 12, Max: 15, Applies: true, Rows: []score.Row{wrong, {Check: s, Verdict: "missing"}}}}}
	return &score.Card{Target: s, Total: 71, Grade: "C", Capped: s, Requests: 17, Lanes: []score.Lane{lane, lane}}
}

// everywhere is a run in which every text that anybody else can write is s.
func everywhere(s string) (*engine.Result, Env) {
	lines := s + "\n" + s
	place := finding.Location{Path: s, Line: 3, Column: 4, Pointer: "/" + s}
	one := finding.Finding{Rule: s, Severity: finding.Error, Message: s, Subject: "s3", Location: place, Server: s, Tool: s, Advice: true,
		Related: []finding.Related{{Rule: s, Message: s, Location: &place}, {Message: s}},
		Fix: &finding.Fix{Safety: finding.Unsafe, Title: s, Exports: []string{s},
			Edits: []finding.Edit{{Offset: 5, Length: 7, Text: lines}, {Offset: 9, Text: s}, {Length: 2}}}}
	silent, whole, known := one, one, one
	silent.Status, silent.Suppression = finding.Suppressed, &finding.Suppression{Kind: "policy", Reason: s, Owner: s, Expires: s}
	whole.Subject, whole.Location, whole.Severity = "", finding.Location{Path: s}, finding.Info
	known.Rule, known.Severity, known.Origin = "auth/literal-token", finding.Warning, &place
	risk := func(level string) *finding.Risk {
		return &finding.Risk{Level: level, Capabilities: []string{"read", "network", s}, Reasons: []string{s, s}}
	}
	res := &engine.Result{
		Findings: []finding.Finding{one, silent, whole, known},
		Subjects: []finding.Subject{{ID: "s1", Kind: "config", Path: s, Client: s, Scope: s}, {ID: "s2", Kind: "server", Parent: "s1", Name: s, Transport: s},
			{ID: "s3", Kind: "tool", Parent: "s2", Name: s, Decision: "block", Risk: risk("critical")},
			{ID: "s4", Kind: "tool", Parent: "s2", Name: s, Decision: "include", Risk: risk("low")}, {ID: "s5", Kind: "server", Name: s}},
		Skipped:    []finding.Skip{{Path: s, Reason: s, Detail: s, Hint: s}},
		Incomplete: []finding.Incomplete{{Path: s, Cause: s, Detail: s, Hint: s}},
		Files:      1, Servers: 2, Tools: 2, Score: sampleScore(s),
		Posture: &engine.Posture{Looked: []string{s}, Next: []engine.NextStep{{Why: s, Command: s}}, Clients: []engine.ClientPosture{
			{Name: s, Installed: true, Files: []engine.FilePosture{{Path: s, State: "read"}, {Path: s + s, State: "skipped", Detail: s}},
				Servers: []engine.ServerPosture{{Name: s, Path: s, Transport: s, State: "disabled", Error: 1}}},
			{Name: s, Installed: true}}},
	}
	failed := s
	item := trust.Item{Name: s, Client: s, Scope: s, TrustScore: trust.Score{Score: 45, MaxPossible: 80, Percent: 75, Level: trust.Caution, Highest: trust.Caution},
		Checks: []trust.Evidence{{Check: "config", State: trust.Fail, Detail: s}, {Check: "pinning", State: trust.Pass, Detail: s}, {Check: "health", State: trust.NotRun, Detail: s}}}
	lost := item
	lost.Client, lost.Error = s+s, &failed
	res.Trust = &trust.Model{Level: trust.Risky, Items: []trust.Item{item, lost}}
	env := sampleEnv()
	env.PolicySource, env.Profile = s, s
	env.Shape = Shape{Select: []string{s}, Ignore: []string{s}, Severity: map[string]string{s: s}, Left: 2}
	return res, env
}

// skeleton is a page without its text: the elements as they nest, with all their attributes.
func skeleton(t testing.TB, page []byte) string {
	var b strings.Builder
	for _, n := range nodes(t, page) {
		switch n.Type {
		case html.TextNode:
			continue
		case html.ElementNode:
		default:
			fmt.Fprintf(&b, "(%d)", n.Type)
		}
		depth := 0
		for range n.Ancestors() {
			depth++
		}
		fmt.Fprintf(&b, "%d %s", depth, n.Data)
		for _, a := range n.Attr {
			fmt.Fprintf(&b, " %s=%q", a.Key, a.Val)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func everywherePage(t *testing.T, s string) []byte {
	t.Helper()
	res, env := everywhere(s)
	return render(t, "html", res, env)
}

func FuzzPageKeepsTextAsText(f *testing.F) {
	for _, s := range append(hostileNames, "</style><script>alert(1)</script>", "</title><img src=x onerror=alert(1)>", `" onmouseover="alert(1)`,
		"javascript:alert(1)", "<!--", "--><svg onload=alert(1)>", "</code></p></details></main>", "<![CDATA[", "&lt;script&gt;", "{{.Home}}",
		"<plaintext>", "<select><table>", "</textarea><template>", "\r\n::add-mask::x", strings.Repeat("\u0301", 3000)) {
		f.Add(s)
	}
	tame := map[int]string{} // by lines: an edit shows each on its own
	f.Fuzz(func(t *testing.T, s string) {
		s = "a" + s // what is there in one page is there in the other
		if secret.Mask(s) != s || secret.Mask(s+"\n"+s) != s+"\n"+s {
			t.Skip("a mask changes the text, and an edit with a secret is left out")
		}
		got := everywherePage(t, s)
		lines := strings.Count(s, "\n")
		if tame[lines] == "" {
			tame[lines] = skeleton(t, everywherePage(t, "a"+strings.Repeat("\n", lines)))
		}
		if bones := skeleton(t, got); bones != tame[lines] {
			t.Errorf("%q changes the page from\n%s\nto\n%s", s, tame[lines], bones)
		}
		want := strings.Join(strings.Fields(plain(s, limits.Default.ShownURLRunes)), " ")
		for _, message := range find(nodes(t, got), "class", "message") {
			if !strings.HasSuffix(message, want) {
				t.Errorf("%q reads %q", s, message)
			}
		}
		drivesNothing(t, "html", string(got))
	})
}

// samplePages are pages with everything in them, by the verb.
func samplePages(t *testing.T) map[string][]byte {
	env := sampleEnv()
	doctor := sampleEnv()
	doctor.Verb, doctor.FailOn = "doctor", finding.Info
	clean := sampleEnv()
	clean.Exit = 0
	return map[string][]byte{"lint": render(t, "html", sample(), env), "doctor": render(t, "html", doctorSample(), doctor), "nothing": render(t, "html", nothingSample(), doctor),
		"everything": everywherePage(t, "x"), "clean": render(t, "html", &engine.Result{Files: 3, Servers: 7}, clean)}
}

func TestThePageRunsNothingAndLoadsNothing(t *testing.T) {
	for verb, doc := range samplePages(t) {
		var policy, style string
		for _, n := range nodes(t, doc) {
			if n.Type != html.ElementNode {
				continue
			}
			switch n.Data {
			case "meta":
				if attr(n, "http-equiv") == "Content-Security-Policy" {
					policy = attr(n, "content")
				}
			case "style":
				style = n.FirstChild.Data
			case "script", "link", "img", "iframe", "object", "embed", "base", "form", "input", "image", "use", "foreignObject":
				t.Errorf("%s: the page holds <%s>", verb, n.Data)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || slices.Contains([]string{"style", "src", "srcset", "srcdoc", "action"}, a.Key) {
					t.Errorf("%s: <%s %s=%q>", verb, n.Data, a.Key, a.Val)
				}
				if a.Key == "href" && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, home) {
					t.Errorf("%s: a link leads to %q", verb, a.Val)
				}
			}
		}
		sum := sha256.Sum256([]byte(style))
		want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
		if policy != want || !strings.Contains(style, "prefers-color-scheme: dark") {
			t.Errorf("%s: the policy is %q, want %q", verb, policy, want)
		}
		if strings.Contains(style, "url(") || strings.Contains(style, "@import") {
			t.Errorf("%s: the style loads something", verb)
		}
	}
}

// What a screen reader goes by: headings that skip no level, tables whose heads say what they head, pictures with words,
// and names that lead to something.
func TestThePageIsInOrderForAReaderWhoDoesNotSeeIt(t *testing.T) {
	for verb, doc := range samplePages(t) {
		ids, all, level := map[string]bool{}, nodes(t, doc), 0
		for _, n := range all {
			if id := attr(n, "id"); id != "" {
				if ids[id] {
					t.Errorf("%s: two elements are %q", verb, id)
				}
				ids[id] = true
			}
		}
		for _, n := range all {
			if n.Type != html.ElementNode {
				continue
			}
			for _, key := range []string{"aria-labelledby", "href"} {
				if to := attr(n, key); to != "" && !strings.HasPrefix(to, home) && !ids[strings.TrimPrefix(to, "#")] {
					t.Errorf("%s: %s=%q leads nowhere", verb, key, to)
				}
			}
			switch n.Data {
			case "h1", "h2", "h3", "h4":
				at, _ := strconv.Atoi(n.Data[1:])
				if at > level+1 || content(n) == "" {
					t.Errorf("%s: <%s> %q after level %d", verb, n.Data, content(n), level)
				}
				level = at
			case "th":
				if attr(n, "scope") == "" {
					t.Errorf("%s: the head %q heads nothing", verb, content(n))
				}
			case "svg":
				if attr(n, "aria-hidden") == "" && (attr(n, "role") != "img" || attr(n, "aria-labelledby") == "") {
					t.Errorf("%s: a picture without words", verb)
				}
			case "html":
				if attr(n, "lang") != "en" {
					t.Errorf("%s: no language", verb)
				}
			}
		}
	}
}

func TestThePageShowsAllThatTheReportHolds(t *testing.T) {
	all := nodes(t, everywherePage(t, "x"))
	for _, c := range []struct{ key, value, want string }{
		{"class", "unchecked", "Not checked What is listed here is not known to be clean. incomplete x x: x Hint: x skipped x x: x Hint: x"},
		{"class", "at", "x:3:4 tool x /x"}, {"class", "at", "x:3:4 tool x named in x:3:4 /x"},
		{"class", "fix", "Fix unsafe x, then set x"},
		{"class", "diff", "@ byte 5 7 bytes x x"},
		{"class", "note", "Silenced by policy: x (x, until x)"},
		{"class", "rule", "auth/literal-token MCP01 CWE-798 CWE-312 advice #"},
		{"id", "gauge", "Grade C, 71 of 100"},
		{"class", "bars", "Handshake 27.5 of 30 Tools does not apply Errors 9 of 25 Discovery 12 of 15"},
		{"class", "note", "The grade is capped: x."},
		{"class", "verdict", "html"},
		{"class", "decision", "block"},
		{"class", "next", "x x"},
	} {
		if got := find(all, c.key, c.value); !slices.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.value, got, c.want)
		}
	}
	parts := find(all, "class", "part")
	if len(parts) != 4 || !strings.HasPrefix(parts[0], "Errors 1") || !strings.HasPrefix(parts[3], "Suppressed 1") {
		t.Errorf("the parts are %q", parts)
	}
}

func TestThePageNeverCallsAnUncheckedRunClean(t *testing.T) {
	clean := &engine.Result{Files: 1, Servers: 1}
	skipped := &engine.Result{Files: 1, Servers: 1, Skipped: []finding.Skip{{Path: "a", Reason: "symlink"}}}
	incomplete := &engine.Result{Incomplete: []finding.Incomplete{{Path: "a", Cause: "syntax"}}}
	gated := &engine.Result{Servers: 1, Score: &score.Card{Gated: true}}
	graded := &engine.Result{Servers: 1, Score: &score.Card{Grade: "D", Total: 48}}
	found := &engine.Result{Files: 1, Findings: []finding.Finding{{Severity: finding.Warning}}}
	for _, c := range []struct {
		res  *engine.Result
		exit int
		want string
	}{
		{clean, 0, "Clean"}, {skipped, 1, "Not all of it was checked"}, {incomplete, 2, "Not all of it was checked"}, {gated, 0, "Wants credentials"},
		{graded, 0, "Grade D"}, {found, 0, "Passed, with findings"}, {found, 1, "Needs attention"}, {&engine.Result{}, 2, "Needs attention"},
		{&engine.Result{}, 0, "Nothing to check"},
	} {
		env := sampleEnv()
		env.Exit = c.exit
		for _, n := range nodes(t, render(t, "html", c.res, env)) {
			if n.Data == "h1" && content(n) != c.want {
				t.Errorf("the page says %q, want %q", content(n), c.want)
			}
		}
	}
}

// A page of 10,000 tools opens: each list ends where nobody reads on, the gravest first, and says how many more there are.
func TestTheListsOfAPageEndAndSaySo(t *testing.T) {
	const many = 10_000
	most := limits.Default.ShownItems
	res := &engine.Result{Files: 1, Servers: many, Tools: many}
	for i := range many {
		server, tool := fmt.Sprintf("s%d", i), fmt.Sprintf("t%d", i)
		decision := "include"
		if i == many-1 {
			decision = "block"
		}
		res.Subjects = append(res.Subjects, finding.Subject{ID: server, Kind: "server", Name: server},
			finding.Subject{ID: tool, Kind: "tool", Parent: server, Name: tool, Decision: decision, Risk: &finding.Risk{Level: "low"}})
		severity := finding.Warning
		if i%10 == 1 {
			severity = finding.Error
		}
		res.Findings = append(res.Findings, finding.Finding{Rule: "card/x", Severity: severity, Subject: tool, Message: "message of " + tool,
			Location: finding.Location{Path: "a", Offset: many - i},
			Fix:      &finding.Fix{Edits: []finding.Edit{{Text: strings.Repeat("line\n", limits.Default.ShownLines)}}}})
		if i%4 == 0 {
			f := &res.Findings[i]
			f.Status, f.Suppression = finding.Suppressed, &finding.Suppression{}
		}
		res.Incomplete = append(res.Incomplete, finding.Incomplete{Path: "p", Cause: "syntax"})
	}
	doc := render(t, "html", res, sampleEnv())
	all := nodes(t, doc)
	for class, want := range map[string]int{"message": 2 * most, "decision": most, "more": 5, "part": 3} {
		if got := len(find(all, "class", class)); got != want {
			t.Errorf("%d of class %s, want %d", got, class, want)
		}
	}
	for _, want := range []string{"9000 more items, not listed on this page.", "9000 more servers, not listed on this page.",
		"6500 more, not listed on this page: the JSON report has them all.", "1500 more, not listed on this page: the JSON report has them all.", "9000 more tools, not listed on this page: the gravest are."} {
		if got := find(all, "class", "more"); !slices.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if got := find(all, "class", "decision")[0]; got != "block" {
		t.Errorf("the first of the tools is to be %q", got)
	}
	if got, want := len(doc), 4*limits.MiB; got > want {
		t.Errorf("%d bytes, want at most %d", got, want)
	}
}

func TestEqualReportsAreEqualPages(t *testing.T) {
	once, again := everywherePage(t, "x"), everywherePage(t, "x")
	if !bytes.Equal(once, again) {
		t.Error("two pages of one run differ")
	}
}

func TestNoFormatHoldsASecret(t *testing.T) {
	token := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	card := sampleScore("the endpoint answers with " + token)
	res := &engine.Result{Servers: 1, Score: card, Subjects: []finding.Subject{{ID: "s1", Kind: "server", Name: token, Protocol: &finding.Protocol{Negotiated: token,
		Capabilities: []string{token}, ServerInfo: finding.ServerInfo{Name: token, Version: "of " + token}}},
		{ID: "s2", Kind: "tool", Parent: "s1", Name: token, Decision: "block", Risk: &finding.Risk{Reasons: []string{token}}}}}
	for _, format := range Formats() {
		if doc := render(t, format, res, sampleEnv()); bytes.Contains(doc, []byte(token)) {
			t.Errorf("a secret is in the %s report", format)
		}
	}
}

func TestANameIsCutWhereNobodyReadsOn(t *testing.T) {
	long := strings.Repeat("漢", 10_000)
	doc := everywherePage(t, long)
	if got, want := len(doc), limits.MiB; got > want || text.Width(long) < len(doc)/100 {
		t.Errorf("%d bytes, want at most %d", got, want)
	}
}

// Of an audit the page shows each server with what it comes to, the gravest first, and every check: what was not run is no pass.
func TestAnAuditIsATableOfServers(t *testing.T) {
	why := "the registry can not be reached"
	mail := trust.Item{Name: "mail", Client: "cursor", Scope: "user", TrustScore: trust.Score{Score: 62, MaxPossible: 80, Percent: 100, Level: trust.Caution, Highest: trust.Caution},
		Checks: []trust.Evidence{{Check: "config", State: trust.Pass, Detail: "nothing grave"}, {Check: "health", State: trust.NotRun, Detail: "nobody was asked"}}}
	shop := trust.Item{Name: "shop", Client: "codex", Scope: "user", TrustScore: trust.Score{MaxPossible: 80, Level: trust.Risky, Highest: trust.Caution},
		Checks: []trust.Evidence{{Check: "vulnerabilities", State: trust.Fail, Detail: "EX-1 is known of it"}}}
	lost := trust.Item{Name: "lost", Client: "codex", Scope: "user", TrustScore: trust.Unknown(), Error: &why}
	page := render(t, "html", &engine.Result{Files: 2, Servers: 3, Trust: &trust.Model{Level: trust.Risky, Items: []trust.Item{mail, shop, lost}}}, sampleEnv())
	all := nodes(t, page)
	if v := find(all, "class", "verdict"); !slices.Equal(v, []string{"risky", "not assessed", "caution"}) {
		t.Errorf("the levels are %q", v)
	}
	if v := find(all, "class", "why"); !slices.Equal(v, []string{"vulnerabilities EX-1 is known of it"}) {
		t.Errorf("what failed is %q", v)
	}
	if v := find(all, "class", "right"); len(v) != 1 || v[0] != "mail : 1 passed, 1 not run config pass nothing grave health not-run nobody was asked" {
		t.Errorf("the other checks are %q", v)
	}
	if !bytes.Contains(page, []byte(why)) || !bytes.Contains(page, []byte("cursor (user)")) {
		t.Errorf("the page is\n%s", page)
	}
}
