package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/source"
)

func TestACommentIsRead(t *testing.T) {
	want := remark{rules: []string{"a/b", "c"}, owner: "me", until: "2026-12-31", reason: "it is checked"}
	for _, text := range []string{
		"// mcpassay: ignore[a/b, c] owner=me until=2026-12-31 it is checked",
		"//mcpassay:ignore[a/b,c] until=2026-12-31 owner=me it is checked",
		"# mcpassay: ignore[ a/b,,c ] it is owner=me checked until=2026-12-31",
		"/* mcpassay: ignore[a/b, c]\n   owner=me until=2026-12-31\r\n\tit is checked */",
		"/** mcpassay: ignore[a/b, c] owner=me until=2026-12-31 it is checked*/",
	} {
		got, problem, ours := readComment(text)
		if !ours || problem != "" || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: %v, %q, %+v", text, ours, problem, got)
		}
	}
}

func TestACommentThatSaysTooLittleHasAProblem(t *testing.T) {
	const form = "write mcpassay: ignore[rule] owner=NAME until=YYYY-MM-DD why"
	for text, want := range map[string]string{
		"// mcpassay: ignore":                               form,
		"// mcpassay: ignore http-no-tls":                   form,
		"// mcpassay: ignore[http-no-tls":                   form,
		"// mcpassay ignore[http-no-tls] owner=a":           form,
		"# mcpassay-ignore http-no-tls":                     form,
		"# MCPassay: ignore[x] owner=a until=2026-12-31 b":  form,
		"# mcpassay: disable[x] owner=a until=2026-12-31 b": form,
		"# mcpassay:": form,
		"# mcpassay: ignore[] owner=a until=2026-12-31 b":    "it names no rule: write ignore[rule]",
		"# mcpassay: ignore[x] ownr=a until=2026-12-31 b":    "it has no owner: write owner=NAME, who answers for it",
		"# mcpassay: ignore[x] owner= until=2026-12-31 b":    "it has no owner: write owner=NAME, who answers for it",
		`# mcpassay: ignore[x] owner="a b" until=2026-12-31`: "an owner is one word without quotes",
		"# mcpassay: ignore[x] owner=a expires=2026-12-31 b": "it has no end: write until=YYYY-MM-DD",
		"# mcpassay: ignore[x] owner=a until=2026-12-31":     "it has no reason: say at its end why the finding is no concern",
	} {
		_, problem, ours := readComment(text)
		if !ours || problem != want {
			t.Errorf("%q: %v, %q, want %q", text, ours, problem, want)
		}
	}
	for _, text := range []string{"// see mcpassay: ignore[x]", "# mcpassay ignores this file", "// mcpassay checks this", "//", "/**/", "# mcpassayer"} {
		if _, _, ours := readComment(text); ours {
			t.Errorf("%q is taken for a suppression", text)
		}
	}
}

func TestACompleteCommentMayStillBeVoid(t *testing.T) {
	for _, c := range []struct{ rules, until, want string }{
		{"wrong-root-key, policy/*", "2027-12-01", ""},
		{"wrong-rot-key", "2026-12-31", `"wrong-rot-key" matches no rule: did you mean "wrong-root-key"?`},
		{"wrong-root-key, *", "2026-12-31", `"*" is every rule: name them`},
		{"*/*", "2026-12-31", `"*/*" is every rule: name them`},
		{"wrong-root-key", "soon", `"soon" is no date: write it as YYYY-MM-DD`},
		{"wrong-root-key", "2027-12-02", "2027-12-02 is too far away: a suppression lasts 366 days at most, until 2027-12-01 today"},
	} {
		m := remark{rules: strings.Split(strings.ReplaceAll(c.rules, " ", ""), ","), until: c.until}
		if got := m.wrong(today); got != c.want {
			t.Errorf("%s until %s: %q, want %q", c.rules, c.until, got, c.want)
		}
	}
}

// marked stands for a comment in the files below: @ is the one at hand, as the format writes it.
func marked(text, open string) string {
	return strings.ReplaceAll(text, "@", open+" mcpassay: ignore[wrong-root-key] owner=o until=2026-12-31 r")
}

// Where a comment stands decides what it is about (of a file with values named by their pointers).
func TestWhatACommentIsAbout(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		hidden           string // the pointers among all values of the file
	}{
		{"on the line", "a.json", "{\n\"a\": 1, @\n\"b\": 2\n}", "/a"},
		{"above", "a.json", "{\n\"a\": 1,\n  @\n\"b\": 2\n}", "/b"},
		{"above, with other comments between", "a.json", "{\n\"a\": 1,\n@\n// what b is for\n/* of two\n lines */\n\"b\": 2\n}", "/b"},
		{"two comments above", "a.json", "{\n\"a\": 1,\n@\n@\n\"b\": 2\n}", "/b"},
		{"above an empty line", "a.json", "{\n\"a\": 1,\n@\n\n\"b\": 2\n}", ""},
		{"above the end", "a.json", "{\n\"a\": 1\n@\n}", ""},
		{"at the end of the file", "a.json", "{\n\"a\": 1\n}\n@", ""},
		{"after the value of the line above", "a.json", "{\n\"a\": 1, @\n// b\n\"b\": 2\n}", "/a"},
		{"in front, on the line", "a.json", "{\n@ */ \"a\": 1,\n\"b\": 2\n}", "/a"},
		{"two lines long, in front", "a.json", "{\n@\n*/ \"a\": 1,\n\"b\": 2\n}", "/a"},
		{"on the opening brace", "a.json", "{\"s\": {\n\"a\": { @\n\"b\": [\n1]},\n\"c\": 2}}", "/s/a /s/a/b /s/a/b/0"},
		{"on a brace below its key", "a.json", "{\n\"s\":\n{ @\n\"a\": 1},\n\"c\": 2}", "/s /s/a"},
		{"above the entry", "a.json", "{\"s\": {\n@\n\"a\": {\n\"b\": {\n\"d\": 1}},\n\"c\": 2}}", "/s/a /s/a/b /s/a/b/d"},
		{"on the entry's last line", "a.json", "{\"s\": {\n\"a\": {\n\"b\": 1\n}, @\n\"c\": 2}}", ""},
		{"above an item", "a.json", "{\"l\": [\n1,\n@\n{\n\"a\": 1},\n3]}", "/l/1 /l/1/a"},
		{"above the root", "a.json", "@\n{\"a\": 1,\n\"b\": 2}", " /a /b"},
		{"carriage returns alone", "a.json", "{\r\"a\": 1,\r@\r\"b\": 2\r}", "/b"},
		{"Windows lines", "a.json", "{\r\n\"a\": 1,\r\n@\r\n\"b\": 2\r\n}", "/b"},
		{"a byte order mark", "a.json", "\uFEFF@\n{\"a\": 1}", " /a"},

		{"TOML: above a table", "a.toml", "x = 1\n@\n[s.a]\nb = 1\n[s.a.env]\nT = 1\n[s.c]\nb = 1\n", "/s /s/a /s/a/b /s/a/env /s/a/env/T /s/c /s/c/b"},
		{"TOML: above one of two tables", "a.toml", "[s.c]\nb = 1\n@\n[s.a]\nb = 1\n[s.a.env]\nT = 1\n[s.d]\nb = 1", "/s/a /s/a/b /s/a/env /s/a/env/T"},
		{"TOML: on a key", "a.toml", "[s.a]\nb = 1 @\nc = 2", "/s/a/b"},
		{"TOML: above the first key is not above the file", "a.toml", "@\nb = 1\nc = 2", "/b"},
		{"TOML: in a list", "a.toml", "[s.a]\nargs = [\n1,\n2, @\n]", "/s/a/args/1"},

		{"YAML: above an entry", "a.yaml", "s:\n  c:\n    b: 1\n  @\n  a:\n    b: 1\n    l:\n      - 1\n  d: 1\n", "/s/a /s/a/b /s/a/l /s/a/l/0"},
		{"YAML: on an entry, on whose line a report also puts its map", "a.yaml", "s:\n  a: @\n    b: 1\n  d: 1\n", "/s /s/a /s/a/b"},
		{"YAML: above an item", "a.yaml", "l:\n  - 1\n  @\n  - n: 1\n    m: 2\n  - 3\n", "/l/1 /l/1/n /l/1/m"},
		{"YAML: above the first key, where a report puts the file's own findings", "a.yaml", "@\nb: 1\nc: 2", " /b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			open := "//"
			if strings.HasPrefix(c.name, "in front") || strings.HasPrefix(c.name, "two lines long") {
				open = "/*"
			}
			if !strings.HasSuffix(c.file, ".json") {
				open = "#"
			}
			d := parse(t, c.file, marked(c.text, open))
			var found []finding.Finding
			for n := range d.Nodes() {
				found = append(found, finding.Finding{Rule: anyRule, Status: finding.Active, Location: d.Locate(n.Span(), n.Pointer())})
			}
			// A finding that stands at a name is hidden as one at its value.
			for n := range d.Nodes() {
				found = append(found, finding.Finding{Rule: anyRule, Status: finding.Active, Location: d.Locate(n.KeySpan(), n.Pointer())})
			}
			var hidden []string
			unused := false
			for _, f := range Default().Apply(found, []*source.Doc{d}, today) {
				unused = unused || f.Rule == "policy/unused-suppression"
				if f.Status == finding.Suppressed {
					if f.Suppression.Kind != "inline" || f.Suppression.Owner != "o" || f.Suppression.Reason != "r" {
						t.Errorf("%+v", f.Suppression)
					}
					if !slices.Contains(hidden, f.Location.Pointer) {
						hidden = append(hidden, f.Location.Pointer)
					}
				}
			}
			slices.Sort(hidden)
			want := strings.Split(c.hidden, " ")
			slices.Sort(want)
			if c.hidden == "" {
				want = nil
			}
			if !slices.Equal(hidden, want) || unused != (c.hidden == "") {
				t.Errorf("hides %q (unused: %v), want %q", hidden, unused, want)
			}
		})
	}
}

// Two members with one name have one pointer; their bytes tell them apart.
func TestACommentIsAboutOneOfTwoMembersWithOneName(t *testing.T) {
	for text, want := range map[string]string{
		"{\n@\n\"a\": {\n\"b\": 1},\n\"a\": {\n\"b\": 2}}": "a.json:4 suppressed, a.json:6 active",
		"{\n\"a\": {\n\"b\": 1},\n@\n\"a\": {\n\"b\": 2}}": "a.json:3 active, a.json:6 suppressed",
	} {
		d := parse(t, "a.json", marked(text, "//"))
		var found []finding.Finding
		for n := range d.Nodes() {
			if n.Key() == "b" {
				found = append(found, finding.Finding{Rule: anyRule, Status: finding.Active, Location: d.Locate(n.Span(), n.Pointer())})
			}
		}
		found = Default().Apply(found, []*source.Doc{d}, today)
		if len(found) != 2 {
			t.Fatalf("%s", told(found))
		}
		got := fmt.Sprintf("a.json:%d %s, a.json:%d %s", found[0].Location.Line, found[0].Status, found[1].Location.Line, found[1].Status)
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestACommentHidesItsOwnRulesOnly(t *testing.T) {
	d := parse(t, "a.json", "{\n// mcpassay: ignore[policy/*] owner=o until=2026-12-31 r\n\"servers\": 1}")
	found := Default().Apply([]finding.Finding{atServers(d)}, []*source.Doc{d}, today)
	if got := told(found); got != "a.json:2 info active Suppression of policy/* hides no finding\na.json:3 error active" {
		t.Errorf("%s", got)
	}
}

// Whatever a comment says, it is read whole or has a problem, and what was read reads the same when written again.
func FuzzReadComment(f *testing.F) {
	f.Add("// mcpassay: ignore[a/b, c] owner=me until=2026-12-31 it is checked")
	f.Add("/* mcpassay: ignore[x] owner=a\n * until=2026-12-31 b */")
	f.Add("# mcpassay-ignore[x] owner=owner= until=until= ]")
	f.Fuzz(func(t *testing.T, text string) {
		m, problem, ours := readComment(text)
		if !ours && (problem != "" || len(m.rules) > 0) {
			t.Fatalf("not ours, and %q, %+v", problem, m)
		}
		if !ours || problem != "" {
			return
		}
		if len(m.rules) == 0 || m.owner == "" || m.until == "" || m.reason == "" {
			t.Fatalf("incomplete: %+v", m)
		}
		again, problem, ours := readComment(fmt.Sprintf("# mcpassay: ignore[%s] owner=%s until=%s %s", strings.Join(m.rules, ","), m.owner, m.until, m.reason))
		if !ours || problem != "" || fmt.Sprintf("%q", again) != fmt.Sprintf("%q", m) {
			t.Fatalf("%q\nis %+v\nand %+v", text, m, again)
		}
		_ = m.wrong(today)
	})
}
