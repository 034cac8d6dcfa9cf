package source

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
)

func parseAs(t *testing.T, f Format, text string) *Doc {
	t.Helper()
	d, err := Parse("f", []byte(text), f, limits.Default)
	if err != nil {
		t.Fatalf("parse %.200q: %v", text, err)
	}
	return d
}

// place is what a test expects of one value: its bytes, those of its name, its kind and its meaning.
type place struct {
	raw, key string
	kind     Kind
	value    string
}

func checkPlaces(t *testing.T, d *Doc, want map[string]place) {
	t.Helper()
	for pointer, w := range want {
		n := d.Lookup(pointer)
		k := n.KeySpan()
		key := string(d.Raw[k.Start:k.End])
		if !n.IsMember() {
			key = ""
		}
		value := ""
		if kind := n.Kind(); kind == String || kind == Number || kind == Bool {
			value = n.scalar()
		}
		if got := (place{string(n.Raw()), key, n.Kind(), value}); got != w {
			t.Errorf("%s:\n got %#v\nwant %#v", pointer, got, w)
		}
		if n.Pointer() != pointer {
			t.Errorf("%s: pointer %q", pointer, n.Pointer())
		}
	}
}

func commentsOf(d *Doc) []string { return textsOf(d, d.Comments) }

func textsOf(d *Doc, spans []finding.Span) (all []string) {
	for _, s := range spans {
		all = append(all, string(d.Raw[s.Start:s.End]))
	}
	return all
}

const codexConfig = `# Codex
model = "o4-mini" # the small one

[mcp_servers.docs] # reads docs
command = "npx"
args = [
  "-y", # yes
  "@acme/docs@1.2.3",
  '''C:\tmp''',
]
startup_timeout_sec = 1_0.5
enabled = true

[mcp_servers.docs.env]
"API.KEY" = "\u0041\tb"
since = 2024-05-06 07:08:09Z

[other]
x = 0xFF

[mcp_servers.remote]
url = "https://mcp.example.com"
http_headers = { "X-A" = "1", b.c = [ {}, [] ] }

[mcp_servers]
default.retry = 3
default.wait = inf
`

func TestTOMLPlacesAreExact(t *testing.T) {
	d := parseAs(t, TOML, codexConfig)
	section := func(from, to string) string {
		i := strings.Index(codexConfig, from)
		return codexConfig[i : i+strings.Index(codexConfig[i:], to)+len(to)]
	}
	checkPlaces(t, d, map[string]place{
		"":                      {codexConfig, "", Object, ""},
		"/model":                {`"o4-mini"`, "model", String, "o4-mini"},
		"/mcp_servers":          {section("[mcp_servers]", "= inf"), "mcp_servers", Object, ""},
		"/mcp_servers/docs":     {section("[mcp_servers.docs]", "enabled = true"), "docs", Object, ""},
		"/mcp_servers/docs/env": {section("[mcp_servers.docs.env]", "09Z"), "env", Object, ""},
		"/mcp_servers/docs/args": {"[\n  \"-y\", # yes\n  \"@acme/docs@1.2.3\",\n  '''C:\\tmp''',\n]",
			"args", Array, ""},
		"/mcp_servers/docs/args/1":               {`"@acme/docs@1.2.3"`, "", String, "@acme/docs@1.2.3"},
		"/mcp_servers/docs/args/2":               {`'''C:\tmp'''`, "", String, `C:\tmp`},
		"/mcp_servers/docs/startup_timeout_sec":  {"1_0.5", "startup_timeout_sec", Number, "1_0.5"},
		"/mcp_servers/docs/enabled":              {"true", "enabled", Bool, "true"},
		"/mcp_servers/docs/env/API.KEY":          {`"\u0041\tb"`, `"API.KEY"`, String, "A\tb"},
		"/mcp_servers/docs/env/since":            {"2024-05-06 07:08:09Z", "since", String, "2024-05-06 07:08:09Z"},
		"/other/x":                               {"0xFF", "x", Number, "0xFF"},
		"/mcp_servers/remote/http_headers":       {`{ "X-A" = "1", b.c = [ {}, [] ] }`, "http_headers", Object, ""},
		"/mcp_servers/remote/http_headers/X-A":   {`"1"`, `"X-A"`, String, "1"},
		"/mcp_servers/remote/http_headers/b":     {"b.c = [ {}, [] ]", "b", Object, ""},
		"/mcp_servers/remote/http_headers/b/c":   {"[ {}, [] ]", "c", Array, ""},
		"/mcp_servers/remote/http_headers/b/c/0": {"{}", "", Object, ""},
		"/mcp_servers/remote/http_headers/b/c/1": {"[]", "", Array, ""},
		"/mcp_servers/default":                   {"default.retry = 3\ndefault.wait = inf", "default", Object, ""},
		"/mcp_servers/default/wait":              {"inf", "wait", Number, "inf"},
	})
	if got, want := commentsOf(d), []string{"# Codex", "# the small one", "# reads docs", "# yes"}; !slices.Equal(got, want) {
		t.Errorf("comments %q, want %q", got, want)
	}
	if len(d.Conflicts) != 0 {
		t.Errorf("a table that is reopened out of order is one table: %q", textsOf(d, d.Conflicts))
	}
	if v, ok := d.Lookup("/mcp_servers/docs/enabled").Bool(); !v || !ok {
		t.Error("enabled is not true")
	}
}

func TestTOMLArraysOfTables(t *testing.T) {
	text := "\xEF\xBB\xBF[[mcp_servers]]\r\nname = \"a\"\r\ntransport = 'stdio'\r\n[mcp_servers.env]\r\nK = '''\r\nx\r\ny'''\r\n\r\n" +
		"[[ mcp_servers ]] # two\r\n[[mcp_servers.deep.er]]\r\n[[mcp_servers.deep.er]]\r\nz = 1\r\n"
	d := parseAs(t, TOML, text)
	checkPlaces(t, d, map[string]place{
		"/mcp_servers": {text[3 : len(text)-2], "mcp_servers", Array, ""},
		"/mcp_servers/0": {"[[mcp_servers]]\r\nname = \"a\"\r\ntransport = 'stdio'",
			"", Object, ""},
		"/mcp_servers/0/env":         {"[mcp_servers.env]\r\nK = '''\r\nx\r\ny'''", "env", Object, ""},
		"/mcp_servers/0/env/K":       {"'''\r\nx\r\ny'''", "K", String, "x\r\ny"},
		"/mcp_servers/1":             {"[[ mcp_servers ]]", "", Object, ""},
		"/mcp_servers/1/deep":        {"deep.er]]\r\n[[mcp_servers.deep.er]]\r\nz = 1", "deep", Object, ""},
		"/mcp_servers/1/deep/er":     {"[[mcp_servers.deep.er]]\r\n[[mcp_servers.deep.er]]\r\nz = 1", "er", Array, ""},
		"/mcp_servers/1/deep/er/0":   {"[[mcp_servers.deep.er]]", "", Object, ""},
		"/mcp_servers/1/deep/er/1/z": {"1", "z", Number, "1"},
	})
	if !d.BOM || len(d.Comments) != 1 {
		t.Errorf("BOM %v, comments %q", d.BOM, commentsOf(d))
	}
	if line, col := d.Position(d.Lookup("/mcp_servers/0/name").Span().Start); line != 2 || col != 8 {
		t.Errorf("name at %d:%d", line, col)
	}
}

func TestTOMLKeepsWhatItForbidsAndRemembersIt(t *testing.T) {
	cases := []struct {
		text      string
		conflicts []string
		pointer   string
		want      string
		first     string // another definition that is kept
	}{
		{"a = 1\na = 2", []string{"a"}, "/a", "2", "1"},
		{"[a]\nx = 1\n[b]\n[a]\ny = 2", []string{"a"}, "/a/y", "2", "[a]\nx = 1"},
		{"a = 1\n[a.b]\nc = 2", []string{"a"}, "/a/b/c", "2", "1"},
		{"a = 1\na.b = 2", []string{"a"}, "/a/b", "2", "1"},
		{"a = {x = 1}\n[a.b]\nc = 2", []string{"a"}, "/a/b/c", "2", "{x = 1}"},
		{"a = {x = 1, x = 2}", []string{"x"}, "/a/x", "2", ""},
		{"a = [1]\n[[a]]\nb = 3", []string{"a"}, "/a/0/b", "3", "[1]"},
		{"[[a]]\nb = 1\n[a]\nc = 2", []string{"a"}, "/a/c", "2", "[[a]]\nb = 1"},
		{"a.b = 1\n[a]\nc = 2", []string{"a"}, "/a/c", "2", "a.b = 1"},
		{"[a.b]\nx = 1\n[a]\nb.y = 2", []string{"b"}, "/a/b/y", "2", ""},
		{"[a.b]\nx = 1\n[a]\ny = 2\n[a]\nz = 3", []string{"a"}, "/a/z", "3", "[a]\ny = 2"},
		{"[a]\n\"b\" = 1\nb.c = 2\n'b' = 3", []string{"b", "'b'"}, "/a/b", "3", ""},
		{"[a.b]\nx = 1\n[a]\n[a.c]\ny = 2", nil, "/a/c/y", "2", ""},
		{"a.b.c = 1\na.b.d = 2\na.e = 3\n[a.b.f]\ng = 4", nil, "/a/b/f/g", "4", ""},
		{"[[a]]\n[a.b]\nc = 1\n[[a]]\n[a.b]\nc = 2", nil, "/a/1/b/c", "2", ""},
	}
	for _, c := range cases {
		d := parseAs(t, TOML, c.text)
		if got := textsOf(d, d.Conflicts); !slices.Equal(got, c.conflicts) {
			t.Errorf("%q: conflicts %q, want %q", c.text, got, c.conflicts)
		}
		if got := string(d.Lookup(c.pointer).Raw()); got != c.want {
			t.Errorf("%q: %s = %q, want %q", c.text, c.pointer, got, c.want)
		}
		if c.first == "" {
			continue
		}
		all := d.Root().All("a")
		if len(all) != 2 || string(all[0].Raw()) != c.first || !all[0].Overridden() || all[1].Overridden() {
			t.Errorf("%q: definitions %d, first %q", c.text, len(all), all[0].Raw())
		}
	}
}

func TestTOMLFaultsSayWhere(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("a.", n) + "a" }
	cases := map[string]struct {
		text, cause  string
		line, column int
	}{
		"no value":              {"a = 1\nb =\n", "syntax", 2, 4},
		"no equals sign":        {"a = 1\n\n  b 2\n", "syntax", 3, 5},
		"after a mark":          {"\xEF\xBB\xBFa = x", "syntax", 1, 5},
		"after é":               {"é = 1", "syntax", 1, 1},
		"an open array":         {"a = [1,\n2", "syntax", 2, 1},
		"an open string":        {"a = \"x\nb = 1", "syntax", 1, 7},
		"an open header":        {"[a\nb = 1", "syntax", 1, 3},
		"two on a line":         {"a = 1 b = 2", "syntax", 1, 7},
		"a bare word":           {"a = npx", "syntax", 1, 5},
		"a bad escape":          {`a = "C:\Users"`, "syntax", 1, 8},
		"CR only":               {"a = 1\rb = 2", "syntax", 1, 6},
		"NUL":                   {"a = \"\x00\"", "syntax", 1, 6},
		"UTF-16":                {"\xFF\xFEa\x00=\x001\x00", "encoding", 1, 1},
		"bad UTF-8":             {"a = 1\nb = \"\xff\"", "encoding", 2, 6},
		"no date":               {"a = 1\nb = 2024-02-30\n", "syntax", 2, 5},
		"JSON":                  {"{\"mcpServers\": {}}", "syntax", 1, 1},
		"YAML":                  {"mcpServers:\n  a: 1\n", "syntax", 1, 11},
		"0.7 MB of [":           {"a = " + strings.Repeat("[", 700_000), "depth", 1, 261},
		"0.7 MB of {a=":         {"a = " + strings.Repeat("{a=", 233_333), "depth", 1, 773},
		"0.7 MB of [ in a head": {strings.Repeat("[", 700_000), "depth", 1, 257},
		"a dotted key too deep": {deep(300) + " = 1", "depth", 1, 511},
		"a header too deep":     {"[" + deep(300) + "]", "depth", 1, 512},
		"an element too deep":   {"[[" + deep(254) + "]]", "depth", 1, 511},
		"brackets under a name": {deep(200) + " = " + strings.Repeat("[", 60) + strings.Repeat("]", 60), "depth", 1, 460},
	}
	for name, c := range cases {
		e := parseErr(t, TOML, c.text)
		if e.Cause != c.cause || e.Line != c.line || e.Column != c.column {
			t.Errorf("%s: %s at %d:%d (%s), want %s at %d:%d", name, e.Cause, e.Line, e.Column, e.Msg, c.cause, c.line, c.column)
		}
	}
	lim := limits.Default
	lim.Values = 10
	for _, text := range []string{"a = [" + strings.Repeat("1,", 20) + "]", strings.Repeat("[a]\n", 20), deep(20) + "=1"} {
		if _, err := Parse("f", []byte(text), TOML, lim); err == nil || err.(*SyntaxError).Cause != "size" {
			t.Errorf("%.20q: %v, want a refusal for its size", text, err)
		}
	}
}

func TestOddTOMLIsRead(t *testing.T) {
	for _, empty := range []string{"", "\n\n", "# only a comment", "\xEF\xBB\xBF"} {
		if d := parseAs(t, TOML, empty); d.Root().Valid() {
			t.Errorf("%q has a value", empty)
		}
	}
	if d := parseAs(t, TOML, "# only a comment"); len(d.Comments) != 1 {
		t.Error("the comment is lost")
	}
	if v, _ := parseAs(t, TOML, "a = "+strings.Repeat("9", 5000)).Lookup("/a").Number(); len(v) != 5000 {
		t.Error("a 5,000-digit number is a number")
	}
	d := parseAs(t, TOML, "a = [ \"]#\", '''\n]'# ''''', # ]\n 1 ]\nb = \"\"\"\\\"\"\"\"\"\"#\nc=2")
	checkPlaces(t, d, map[string]place{
		"/a":   {"[ \"]#\", '''\n]'# ''''', # ]\n 1 ]", "a", Array, ""},
		"/a/1": {"'''\n]'# '''''", "", String, "]'# ''"},
		"/b":   {`"""\""""""`, "b", String, `"""`},
	})
	if !slices.Equal(commentsOf(d), []string{"# ]", "#"}) {
		t.Errorf("comments %q", commentsOf(d))
	}
}

// The time of large files grows with their size and no faster: go-toml's own decoder takes minutes for these.
func TestLargeTOMLIsLinear(t *testing.T) {
	var headers, keys strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&headers, "[a.b.c.d%d]\nx = 1\n", i)
		fmt.Fprintf(&keys, "a.k%d = 1\na.l.k%d = 2\n", i, i)
	}
	for name, text := range map[string]string{
		"headers": headers.String(), "dotted keys": keys.String(), "elements": strings.Repeat("[[a]]\n[a.b]\nc = 1\n", 50_000),
		"conflicts": strings.Repeat("[a]\nb = 1\n", 50_000), "comments": strings.Repeat("#\n", 300_000), "commas": "a = [" + strings.Repeat("1,\n", 200_000) + "]",
	} {
		t.Run(name, func(t *testing.T) { parseAs(t, TOML, text) }) // quadratic work would not end in this life
	}
}
