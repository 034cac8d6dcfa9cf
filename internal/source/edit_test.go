package source

import (
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// edited makes the edit, demands that the result parses, and gives it back.
func edited(t *testing.T, d *Doc, e finding.Edit) string {
	t.Helper()
	out, err := Apply(d.Raw, []finding.Edit{e})
	if err != nil {
		t.Fatal(err)
	}
	again, perr := Parse("f", out, d.Format, limits.Default)
	if perr != nil {
		t.Errorf("%s: %v\n%s", d.Format, perr, out)
	} else if len(again.Conflicts) > len(d.Conflicts) {
		t.Errorf("new conflicts in\n%s", out)
	}
	return string(out)
}

func TestQuotedTextMeansTheSameInEveryFormat(t *testing.T) {
	for _, s := range []string{"", "a", `C:\Users\"x"`, "tab\tline\nend\r", "\x00\x1b\x7f\u0080\u0085\u009f", "\u2028\u2029\ufeff\ufffe\uffff", "é𝒳", "# no: comment", "*a", "bad \xff byte"} {
		q := Quote(s)
		want := strings.ToValidUTF8(s, "\uFFFD")
		for f, text := range map[Format]string{JSON: `{"_": ` + q + `, ` + q + `: 1}`, TOML: "_ = " + q + "\n\"x\".b." + q + " = 1\n", YAML: "_: " + q + "\n" + q + ": 1\n"} {
			d := parseAs(t, f, text)
			if got := d.Lookup("/_").Text(); got != want {
				t.Errorf("%v: %q is read as %q", f, q, got)
			}
			holder := d.Root()
			if f == TOML {
				holder = d.Lookup("/x/b")
			}
			if !holder.Get(want).Valid() {
				t.Errorf("%v: no member %q", f, want)
			}
		}
	}
}

func TestReplaceAndRenameInTOMLAndYAML(t *testing.T) {
	toml := "[mcpServers.a]\ncommand = 'npx' # c\n[x]\n[ mcpServers . a.env]\n'old' = \"\"\"\nx\"\"\"\n[[mcpServers.b]]\n[mcpServers.b.c]\n"
	dots := "a.b.c = 1\n[t]\nb.'x y' = {b.c = 2}\nb.z = 3\n"
	yaml := "extensions:\n  a:\n    cmd: |\n      npx\n    # c\n    'old': x y # d\n    empty: # e\n    list: [a, ]\n"
	cases := []struct {
		format        Format
		text, pointer string
		rename        bool
		with, want    string
	}{
		{TOML, toml, "/mcpServers/a/command", false, `"uvx"`, strings.Replace(toml, "'npx'", `"uvx"`, 1)},
		{TOML, toml, "/mcpServers/a/env/old", false, `"y"`, strings.Replace(toml, "\"\"\"\nx\"\"\"", `"y"`, 1)},
		{TOML, toml, "/mcpServers/a/env/old", true, `new`, strings.Replace(toml, "'old'", `"new"`, 1)},
		{TOML, toml, "/mcpServers/a/command", true, `cmd`, strings.Replace(toml, "command", `cmd`, 1)},
		{TOML, toml, "/mcpServers/a/command", true, `a.b`, strings.Replace(toml, "command", `"a.b"`, 1)},
		{TOML, toml, "/mcpServers", true, "mcp_servers", strings.ReplaceAll(toml, "mcpServers", "mcp_servers")},
		{TOML, toml, "/mcpServers/a", true, "z", strings.Replace(strings.Replace(toml, ".a]", ".z]", 1), ". a.", ". z.", 1)},
		{TOML, toml, "/mcpServers/b", true, "z", strings.Replace(strings.Replace(toml, ".b]", ".z]", 1), ".b.", ".z.", 1)},
		{TOML, dots, "/a/b", true, "q", strings.Replace(dots, "a.b.c", "a.q.c", 1)},
		{TOML, dots, "/a/b/c", true, "q", strings.Replace(dots, "a.b.c", "a.b.q", 1)},
		{TOML, dots, "/t/b", true, "q", "a.b.c = 1\n[t]\nq.'x y' = {b.c = 2}\nq.z = 3\n"},
		{TOML, dots, "/t/b/x y/b", true, "q", strings.Replace(dots, "{b.c", "{q.c", 1)},
		{TOML, dots, "/t", true, "q", strings.Replace(dots, "[t]", "[q]", 1)},
		{YAML, yaml, "/extensions/a/cmd", false, `"uvx"`, strings.Replace(yaml, "|\n      npx", `"uvx"`, 1)},
		{YAML, yaml, "/extensions/a/old", false, `"y"`, strings.Replace(yaml, "x y", `"y"`, 1)},
		{YAML, yaml, "/extensions/a/old", true, `new`, strings.Replace(yaml, "'old'", `"new"`, 1)},
		{YAML, yaml, "/extensions/a/empty", false, `"y"`, strings.Replace(yaml, "empty:", `empty: "y"`, 1)},
		{YAML, yaml, "/extensions", true, `mcpServers`, strings.Replace(yaml, "extensions", `mcpServers`, 1)},
		{YAML, yaml, "/extensions/a", true, `No`, strings.Replace(yaml, "  a:", `  "No":`, 1)},
		{YAML, yaml, "/extensions/a", true, `1`, strings.Replace(yaml, "  a:", `  "1":`, 1)},
		{YAML, yaml, "/extensions/a/list/0", false, `"y"`, strings.Replace(yaml, "[a", `["y"`, 1)},
	}
	for _, c := range cases {
		d := parseAs(t, c.format, c.text)
		n := d.Lookup(c.pointer)
		edit := n.Replace(c.with)
		if c.rename {
			edit = n.Rename(c.with)
		}
		if got := edited(t, d, edit); got != c.want {
			t.Errorf("%s to %s:\n%s\nwant\n%s", c.pointer, c.with, got, c.want)
		}
	}
}

func TestRemoveTakesAllOfAValueAndNothingElse(t *testing.T) {
	toml := "# top\nmodel = \"x\" # m\n\n# a\n[mcp_servers.a]\ncommand = \"npx\"\nargs = [\n  1, # one\n  2 # two\n]\n\n[mcp_servers.a.env]\nK = \"v\"\n\n" +
		"# b\n[mcp_servers.b]\nt = {x = 1, y.z = 2, y.w = 3}\n\n[[list]]\nn = 1\n[list.sub]\n\n[[list]]\nn = 2\n\n[mcp_servers.a.late]\nL = 1\n  \n# end\n"
	dots := "a.b.c = 1\na.b.d = 2 # d\nx = 0\n\"a\".e = 3\n"
	yaml := "# top\nname: x # n\nmcpServers:\n  # a\n  - name: a\n    args: # list\n      - 1\n      # two\n      - 2\n  - &k name: b # b\n\n    env:\n      K: |\n        v\n\n        w\n  -\n    - c\n    - d\n" +
		"flow: {a: 1, b: [x, y]}\nonly:\n- z\n"
	cut := func(text string, parts ...string) string {
		for _, p := range parts {
			if strings.Count(text, p) != 1 {
				t.Fatalf("%d of %q", strings.Count(text, p), p)
			}
			text = strings.Replace(text, p, "", 1)
		}
		return text
	}
	cases := []struct {
		format              Format
		text, pointer, want string
	}{
		{TOML, toml, "/model", cut(toml, "model = \"x\" # m\n")},
		{TOML, toml, "/mcp_servers/a", cut(toml, "[mcp_servers.a]\ncommand = \"npx\"\nargs = [\n  1, # one\n  2 # two\n]\n\n[mcp_servers.a.env]\nK = \"v\"\n\n", "[mcp_servers.a.late]\nL = 1\n  \n")},
		{TOML, toml, "/mcp_servers/a/env", cut(toml, "[mcp_servers.a.env]\nK = \"v\"\n\n")},
		{TOML, toml, "/mcp_servers/a/args", cut(toml, "args = [\n  1, # one\n  2 # two\n]\n")},
		{TOML, toml, "/mcp_servers/a/args/0", strings.Replace(toml, "  1, # one\n  2", "  # one\n  2", 1)},
		{TOML, toml, "/mcp_servers/a/args/1", strings.Replace(toml, "1, # one\n  2 # two", "1 # one\n # two", 1)},
		{TOML, toml, "/mcp_servers/b", cut(toml, "[mcp_servers.b]\nt = {x = 1, y.z = 2, y.w = 3}\n\n")},
		{TOML, toml, "/mcp_servers/b/t/x", cut(toml, "x = 1, ")},
		{TOML, toml, "/mcp_servers/b/t/y/z", cut(toml, "y.z = 2, ")},
		{TOML, toml, "/mcp_servers/b/t/y/w", cut(toml, ", y.w = 3")},
		{TOML, toml, "/list/0", cut(toml, "[[list]]\nn = 1\n[list.sub]\n\n")},
		{TOML, toml, "/list", cut(toml, "[[list]]\nn = 1\n[list.sub]\n\n[[list]]\nn = 2\n\n")},
		{TOML, toml, "/mcp_servers/a/late/L", cut(toml, "L = 1\n")},
		{TOML, dots, "/a/b", "x = 0\n\"a\".e = 3\n"},
		{TOML, dots, "/a", "x = 0\n"},
		{TOML, dots, "/a/e", cut(dots, "\"a\".e = 3\n")},
		{TOML, "\xEF\xBB\xBFa = 1\r\nb = 2\r\n", "/a", "\xEF\xBB\xBFb = 2\r\n"},
		{TOML, "b = 2\n[a]", "/a", "b = 2\n"},
		{YAML, yaml, "/name", cut(yaml, "name: x # n\n")},
		{YAML, yaml, "/mcpServers/0/name", cut(yaml, "name: a\n    ")},
		{YAML, yaml, "/mcpServers/0/args", cut(yaml, "    args: # list\n      - 1\n      # two\n      - 2\n")},
		{YAML, yaml, "/mcpServers/0/args/0", cut(yaml, "      - 1\n")},
		{YAML, yaml, "/mcpServers/0/args/1", cut(yaml, "      - 2\n")},
		{YAML, yaml, "/mcpServers/0", cut(yaml, "  - name: a\n    args: # list\n      - 1\n      # two\n      - 2\n")},
		{YAML, yaml, "/mcpServers/1/name", cut(yaml, "&k name: b # b\n\n    ")},
		{YAML, yaml, "/mcpServers/1/env", cut(yaml, "    env:\n      K: |\n        v\n\n        w\n")},
		{YAML, yaml, "/mcpServers/1/env/K", strings.Replace(yaml, "env:\n      K: |\n        v\n\n        w\n", "env: {}\n", 1)},
		{YAML, yaml, "/mcpServers/2", cut(yaml, "  -\n    - c\n    - d\n")},
		{YAML, yaml, "/mcpServers", cut(yaml, yaml[strings.Index(yaml, "mcpServers"):strings.Index(yaml, "flow")])},
		{YAML, yaml, "/flow/a", cut(yaml, "a: 1, ")},
		{YAML, yaml, "/flow/b", cut(yaml, ", b: [x, y]")},
		{YAML, yaml, "/flow/b/1", cut(yaml, ", y")},
		{YAML, yaml, "/only/0", strings.Replace(yaml, "only:\n- z", "only: []", 1)},
		{YAML, "- - a\n  - b\n- c\n", "/0/0", "- - b\n- c\n"},
		{YAML, "- - a\n- c\n", "/0/0", "- []\n- c\n"},
		{YAML, "a: 1\n", "/a", "{}\n"},
		{JSON, "{\"a\": 1, // c\n \"b\": 2}", "/b", "{\"a\": 1 // c\n}"},
		{JSON, "{\"a\": 1, // c\n \"b\": 2\n}", "/b", "{\"a\": 1 // c\n}"},
		{JSON, "{\"a\": 1, // c\n \"b\": 2, }", "/b", "{\"a\": 1, // c\n }"},
		{JSON, "{ // c\n \"b\": 2}", "/b", "{ // c\n}"},
		{JSON, "{ /* c */ \"b\": 2}", "/b", "{ /* c */ }"},
	}
	for _, c := range cases {
		d := parseAs(t, c.format, c.text)
		n := d.Lookup(c.pointer)
		if got := edited(t, d, n.Remove()); got != c.want {
			t.Errorf("%v without %s:\n%s\nwant\n%s", c.format, c.pointer, got, c.want)
		}
	}
}

func TestInsertWritesInTheStyleOfWhatIsThere(t *testing.T) {
	toml := "# top\nm = 1\n\n[a] # a\n  x = 1\n[b.c]\n[[l]]\n[l.m.n]\nt = {x = 1, y = {}}\nd.e.f = 1\n"
	yaml := "# top\n# more\nm: 1\nlist:\n  - name: a\n    e: {}\n  - &x y: 1\nargs: # c\n    - 1\n"
	cases := []struct {
		format                         Format
		text, pointer, name, old, want string // old is replaced by want
	}{
		{TOML, toml, "", "k", "m = 1", "k = 9\nm = 1"},
		{TOML, toml, "/a", "k", "[a] # a\n", "[a] # a\n  k = 9\n"},
		{TOML, toml, "/a", "n o", "[a] # a\n", "[a] # a\n  \"n o\" = 9\n"},
		{TOML, toml, "/b", "k", "[b.c]", "[b]\nk = 9\n\n[b.c]"},
		{TOML, toml, "/b/c", "k", "[b.c]\n", "[b.c]\nk = 9\n"},
		{TOML, toml, "/l/0", "k", "[[l]]\n", "[[l]]\nk = 9\n"},
		{TOML, toml, "/l/0/m", "k2", "[l.m.n]", "[l.m]\nk2 = 9\n\n[l.m.n]"},
		{TOML, toml, "/l/0/m/n/t", "k", "{x = 1", "{k = 9, x = 1"},
		{TOML, toml, "/l/0/m/n/t/y", "k", "{}", "{k = 9}"},
		{TOML, toml, "/l/0/m/n/d/e", "k", "d.e.f", "d.e.k = 9\nd.e.f"},
		{TOML, "[a]", "/a", "k", "[a]", "[a]\nk = 9"},
		{TOML, "[a]\r\n[b]\r\n", "/a", "k", "[a]\r\n", "[a]\r\nk = 9\r\n"},
		{TOML, "\xEF\xBB\xBF[a]\n", "", "k", "[a]\n", "k = 9\n[a]\n"},
		{YAML, yaml, "", "k", "m: 1", "k: 9\nm: 1"},
		{YAML, yaml, "/list/0", "k", "- name", "- k: 9\n    name"},
		{YAML, yaml, "/list/0/e", "k", "{}", "{k: 9}"},
		{YAML, yaml, "/list/1", "on", "- &x", "- \"on\": 9\n    &x"},
		{YAML, "\ta: 1\r\n"[1:], "", "k", "a", "k: 9\r\na"},
		{YAML, "{a: 1}", "", "k", "{", "{k: 9, "},
	}
	for _, c := range cases {
		d := parseAs(t, c.format, c.text)
		got := edited(t, d, d.Lookup(c.pointer).Insert(c.name, "9"))
		if want := strings.Replace(c.text, c.old, c.want, 1); got != want {
			t.Errorf("%v %s:\n%s\nwant\n%s", c.format, c.pointer, got, want)
		}
		if n := parseAs(t, c.format, got).Lookup(c.pointer).Get(c.name); string(n.Raw()) != "9" {
			t.Errorf("%v %s: %s is not there", c.format, c.pointer, c.name)
		}
	}
	d := parseAs(t, YAML, yaml)
	if got := edited(t, d, d.Lookup("/args").Prepend(`"x"`, `"y"`)); got != strings.Replace(yaml, "    - 1", "    - \"x\"\n    - \"y\"\n    - 1", 1) {
		t.Errorf("prepended:\n%s", got)
	}
	d = parseAs(t, TOML, "a = [\n  1,\n]")
	if got := edited(t, d, d.Lookup("/a").Prepend("3", "2")); got != "a = [\n  3,\n  2,\n  1,\n]" {
		t.Errorf("prepended:\n%s", got)
	}
}

// meaning writes a tree with the members in order of their names and without what is empty, as it is after an edit of n.
func meaning(root, n Node, edit string) string {
	name := func(c Node) string {
		if c == n && edit == "rename" {
			return "zz"
		}
		return c.Key()
	}
	switch root.Kind() {
	case Object, Array:
		var all []string
		if root == n && edit == "insert" {
			all = append(all, "zz=9")
		}
		for c := range root.Children() {
			m := meaning(c, n, edit)
			if (c != n || edit != "remove") && m != "" {
				all = append(all, name(c)+"="+m)
			}
		}
		if root.Kind() == Object {
			slices.Sort(all)
		}
		if len(all) == 0 {
			return ""
		}
		return "(" + strings.Join(all, ";") + ")"
	case String:
		return root.Text()
	case Invalid:
		return ""
	case Null:
		return "null"
	}
	return root.scalar()
}

func TestEditsChangeTheMeaningOfOneValue(t *testing.T) {
	docs := map[string]Format{codexConfig: TOML, gooseConfig: YAML}
	for _, text := range yamlTexts {
		if !strings.ContainsAny(text, "*+") { // not what is shared; the lines that a |+ keeps are those of its neighbours
			docs[text] = YAML
		}
	}
	lines := strings.Split("[a]|[ a . b ]|[a.\"c\"]|[[l]]|[[l.m]]|[l.n]|[b.c.d]|[x]|[x.y.z]|[[x.w]]|a.p = 1|a.q = 1|p.q.r = 2|p.q.s = 3|'p'.\"t\" = 4|"+
		"k = [1, [2], {e.f = 1, e.g = 2, h = []}]|v = \"s\" # c|w = '''\n x\n'''|u = [\n 1, # c\n 2\n # d\n ,]|t = {}|# comment||  i = true", "|")
	random := rand.New(rand.NewSource(1))
	for range 300 {
		var b strings.Builder
		for range 1 + random.Intn(12) {
			b.WriteString(lines[random.Intn(len(lines))] + "\n")
		}
		docs[b.String()] = TOML
	}
	for text, f := range docs {
		for _, nl := range []string{"\n", "\r\n"} {
			d := parseAs(t, f, strings.ReplaceAll(text, "\n", nl))
			if len(d.Conflicts) > 0 {
				continue
			}
			try := func(n Node, name string, edit finding.Edit) {
				got, _ := Parse("f", []byte(edited(t, d, edit)), f, limits.Default)
				if got == nil {
					t.Fatalf("%s %s of\n%s", name, n.Pointer(), text)
				}
				if g, w := meaning(got.Root(), Node{}, ""), meaning(d.Root(), n, name); g != w {
					t.Errorf("%s %s of\n%s\nmeans %s\nwant  %s", name, n.Pointer(), text, g, w)
				}
			}
			for n := range d.Nodes() {
				if n.Kind() == Object {
					try(n, "insert", n.Insert("zz", "9"))
				}
				if n.Parent().Valid() {
					try(n, "remove", n.Remove())
				}
				if n.IsMember() {
					try(n, "rename", n.Rename("zz"))
				}
			}
		}
	}
}
