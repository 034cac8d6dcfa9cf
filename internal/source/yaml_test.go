package source

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

const gooseConfig = `# Goose
GOOSE_MODEL: gpt-4o   # plain

extensions:
  docs:
    enabled: true
    type: stdio
    cmd: npx
    args:
    - -y
    - "@acme/docs@1.2.3"   # pinned
    -
    envs: {A: 'it''s', "B#": [1, 0x1F, ], c}
    timeout: 300
    description: >-
      reads
      # not a comment

      docs
    bundled: ~
  remote:
    uri: https://mcp.example.com/#frag
    script: |2
        two
       one # text

    empty:
`

func TestYAMLPlacesAreExact(t *testing.T) {
	d := parseAs(t, YAML, gooseConfig)
	section := func(from, to string) string {
		i := strings.Index(gooseConfig, from)
		return gooseConfig[i : i+strings.Index(gooseConfig[i:], to)+len(to)]
	}
	checkPlaces(t, d, map[string]place{
		"":                             {section("GOOSE", "empty:"), "", Object, ""},
		"/GOOSE_MODEL":                 {"gpt-4o", "GOOSE_MODEL", String, "gpt-4o"},
		"/extensions":                  {section("docs:", "empty:"), "extensions", Object, ""},
		"/extensions/docs":             {section("enabled", "~"), "docs", Object, ""},
		"/extensions/docs/enabled":     {"true", "enabled", Bool, "true"},
		"/extensions/docs/args":        {strings.TrimSuffix(section("- -y", "\n    -\n"), "\n"), "args", Array, ""},
		"/extensions/docs/args/0":      {"-y", "", String, "-y"},
		"/extensions/docs/args/1":      {`"@acme/docs@1.2.3"`, "", String, "@acme/docs@1.2.3"},
		"/extensions/docs/args/2":      {"", "", Null, ""},
		"/extensions/docs/envs":        {`{A: 'it''s', "B#": [1, 0x1F, ], c}`, "envs", Object, ""},
		"/extensions/docs/envs/A":      {`'it''s'`, "A", String, "it's"},
		"/extensions/docs/envs/B#":     {`[1, 0x1F, ]`, `"B#"`, Array, ""},
		"/extensions/docs/envs/B#/1":   {`0x1F`, "", Number, "0x1F"},
		"/extensions/docs/envs/c":      {"", "c", Null, ""},
		"/extensions/docs/timeout":     {"300", "timeout", Number, "300"},
		"/extensions/docs/description": {section(">-", " docs"), "description", String, "reads # not a comment\ndocs"},
		"/extensions/docs/bundled":     {"~", "bundled", Null, ""},
		"/extensions/remote/uri":       {"https://mcp.example.com/#frag", "uri", String, "https://mcp.example.com/#frag"},
		"/extensions/remote/script":    {section("|2", "# text"), "script", String, "  two\n one # text\n"},
		"/extensions/remote/empty":     {"", "empty", Null, ""},
	})
	if got, want := commentsOf(d), []string{"# Goose", "# plain", "# pinned"}; !slices.Equal(got, want) {
		t.Errorf("comments %q, want %q", got, want)
	}
	if at := d.Lookup("/extensions/remote/empty").Span().Start; d.Raw[at-1] != ':' {
		t.Error("a value that is not written is not behind its colon")
	}
}

func TestYAMLOddFormsHavePlaces(t *testing.T) {
	text := "\xEF\xBB\xBF%YAML 1.1 # d\r\n--- # start\r\n" +
		"é𝒳: [é, [a: b, ? c , 'k': {}] ] # é\r\n" +
		"multi: one\r\n  two\r\n\r\n  three # end\r\n" +
		"\"quo\\\"ted\": \"a \\\r\n   b\"\r\n" +
		"? - complex\r\n: x\r\n" +
		"1: 2\r\n~: &t !!str 5\r\n!!str null : &n\r\n" +
		"yes: True\r\nfold: > # c\r\n\r\n  a\r\n   b\r\nkeep: |+\r\n\r\nlit: !!binary |\r\n  aGk=\r\n" +
		"tagged: !!bool maybe\r\nfloat: !!float 5\r\ndate: 2024-01-02\r\n- : dash\r\n"
	text = strings.Replace(text, "- : dash", "_: dash", 1)
	d := parseAs(t, YAML, text)
	checkPlaces(t, d, map[string]place{
		"/é𝒳":        {"[é, [a: b, ? c , 'k': {}] ]", "é𝒳", Array, ""},
		"/é𝒳/0":      {"é", "", String, "é"},
		"/é𝒳/1":      {"[a: b, ? c , 'k': {}]", "", Array, ""},
		"/é𝒳/1/0":    {"a: b", "", Object, ""},
		"/é𝒳/1/0/a":  {"b", "a", String, "b"},
		"/é𝒳/1/1/c":  {"", "c", Null, ""},
		"/é𝒳/1/2":    {"'k': {}", "", Object, ""},
		"/é𝒳/1/2/k":  {"{}", "'k'", Object, ""},
		"/multi":     {"one\r\n  two\r\n\r\n  three", "multi", String, "one two\nthree"},
		"/quo\"ted":  {"\"a \\\r\n   b\"", `"quo\"ted"`, String, "a b"},
		"/- complex": {"x", "- complex", String, "x"},
		"/1":         {"2", "1", Number, "2"},
		"/~0":        {"5", "~", String, "5"},
		"/null":      {"", "null", Null, ""},
		"/yes":       {"True", "yes", Bool, "true"},
		"/fold":      {"> # c\r\n\r\n  a\r\n   b", "fold", String, "\na\n b\n"},
		"/keep":      {"|+", "keep", String, "\n"},
		"/lit":       {"|\r\n  aGk=", "lit", String, "aGk=\n"},
		"/tagged":    {"maybe", "tagged", String, "maybe"},
		"/float":     {"5", "float", Number, "5"},
		"/date":      {"2024-01-02", "date", String, "2024-01-02"},
		"/_":         {"dash", "_", String, "dash"},
	})
	if got, want := commentsOf(d), []string{"# d", "# start", "# é", "# end", "# c"}; !slices.Equal(got, want) {
		t.Errorf("comments %q, want %q", got, want)
	}
	if line, col := d.Position(d.Lookup("/é𝒳/1").Span().Start); line != 3 || col != 9 {
		t.Errorf("é at %d:%d", line, col)
	}
	// One key that was not quoted can still be a list of items with the dash at the indentation of the key.
	d = parseAs(t, YAML, "name: c\rmcpServers:\r- name: a\r  args: [x]\r-\r  - &x b # 1\r  - *x\r")
	checkPlaces(t, d, map[string]place{
		"/mcpServers":        {"- name: a\r  args: [x]\r-\r  - &x b # 1\r  - *x", "mcpServers", Array, ""},
		"/mcpServers/0":      {"name: a\r  args: [x]", "", Object, ""},
		"/mcpServers/0/args": {"[x]", "args", Array, ""},
		"/mcpServers/1":      {"- &x b # 1\r  - *x", "", Array, ""},
		"/mcpServers/1/0":    {"b", "", String, "b"},
		"/mcpServers/1/1":    {"*x", "", String, "b"},
	})
}

// Continue lists its servers, and its references look like flow mappings where they are quoted or not.
func TestYAMLListsOfServersHavePlaces(t *testing.T) {
	text := "name: Team\nversion: 0.0.1\nmcpServers:\n  - name: Docs\n    command: npx\n    args: [ -y, '@acme/docs' ]\n    env:\n" +
		"      API_KEY: ${{ secrets.API_KEY }}   # from the hub\n  - name: Remote\n    url: \"https://${{ inputs.HOST }}/mcp\"\n    requestOptions: {headers: {Authorization: \"Bearer ${{ secrets.T }}\"}}\n"
	checkPlaces(t, parseAs(t, YAML, text), map[string]place{
		"/version":                  {"0.0.1", "version", String, "0.0.1"},
		"/mcpServers/0/args/0":      {"-y", "", String, "-y"},
		"/mcpServers/0/args/1":      {"'@acme/docs'", "", String, "@acme/docs"},
		"/mcpServers/0/env":         {"API_KEY: ${{ secrets.API_KEY }}", "env", Object, ""},
		"/mcpServers/0/env/API_KEY": {"${{ secrets.API_KEY }}", "API_KEY", String, "${{ secrets.API_KEY }}"},
		"/mcpServers/1/url":         {`"https://${{ inputs.HOST }}/mcp"`, "url", String, "https://${{ inputs.HOST }}/mcp"},
		"/mcpServers/1/requestOptions/headers/Authorization": {`"Bearer ${{ secrets.T }}"`, "Authorization", String, "Bearer ${{ secrets.T }}"},
	})
	// YAML 1.1 has more line breaks than we count, and columns start after them.
	checkPlaces(t, parseAs(t, YAML, "a: [b,\u0085c,\u2028d,\u2029e]"), map[string]place{
		"/a/1": {"c", "", String, "c"}, "/a/2": {"d", "", String, "d"}, "/a/3": {"e", "", String, "e"},
	})
}

func TestYAMLAliasesAreSharedCopies(t *testing.T) {
	d := parseAs(t, YAML, "base: &base {cmd: npx, env: &e {A: 1, B: 2}}\nother: &o\n  env: *e\n  cmd: uvx\n"+
		"one:\n  cmd: node\n  <<: *base\ntwo:\n  <<: [*o, *base, {x: 9}]\nthree: *base\nfour: {<<: 5, '<<': {y: 1}}\n*base : 7\n")
	for pointer, want := range map[string]string{
		"/one/cmd": "node", "/one/env/A": "1", "/two/cmd": "uvx", "/two/env/B": "2", "/two/x": "9", "/three": "*base", "/three/cmd": "npx",
	} {
		if got := string(d.Lookup(pointer).Raw()); got != want {
			t.Errorf("%s = %q, want %q", pointer, got, want)
		}
	}
	for pointer, want := range map[string]bool{
		"/base/cmd": false, "/one": false, "/one/cmd": false, "/one/env": true, "/one/env/A": true, "/two/x": true, "/three": true, "/three/cmd": true,
	} {
		if n := d.Lookup(pointer); n.Shared() != want || !n.Valid() {
			t.Errorf("%s: shared %v", pointer, n.Shared())
		}
	}
	if all := d.Lookup("/one").All("cmd"); len(all) != 2 || !all[0].Overridden() || !all[0].Shared() {
		t.Errorf("what is merged is not overridden by what is written: %d", len(all))
	}
	if n := d.Lookup("/four"); n.Len() != 2 {
		t.Errorf("a `<<` that can not be merged is a name: %d members", n.Len())
	}
	if n := d.Root().Get("*base"); n.Kind() != Number {
		t.Errorf("a mapping as a name is its text: %v", n.Kind())
	}
	if n := d.Lookup("/four/<</y"); n.Shared() || string(n.Raw()) != "1" {
		t.Error("a quoted `<<` is a name")
	}
	d = parseAs(t, YAML, "a: &a 1\nb: &a 2\nc: *a\n*a : x\n")
	if v, _ := d.Lookup("/c").Number(); v != "2" || d.Lookup("/2").Text() != "x" {
		t.Error("an anchor that is set again is not the last one")
	}
}

func TestYAMLKeepsDuplicates(t *testing.T) {
	d := parseAs(t, YAML, "a: 1\nb: 2\na: 3\n")
	if all := d.Root().All("a"); len(all) != 2 || string(d.Root().Get("a").Raw()) != "3" {
		t.Errorf("%d definitions, last %q", len(all), d.Root().Get("a").Raw())
	}
}

func TestYAMLFaultsSayWhere(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 10; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9))
	}
	cases := map[string]struct {
		text, cause  string
		line, column int
	}{
		"a key in a value":        {"a: 1\nb: c: d\n", "syntax", 2, 5},
		"a wrong indentation":     {"a:\n  b: 1\n c: 2\n", "syntax", 3, 2},
		"a tab":                   {"a:\n\tb: 1\n", "syntax", 2, 1},
		"an open list":            {"a: 1\nb: [1, 2\nc: 3\n", "syntax", 3, 2},
		"an open list at the end": {"a: 1\nb: [1, 2\n", "syntax", 2, 4},
		"an open string":          {"a: 1\n\nb: \"x\nc: 3\n", "syntax", 3, 4},
		"no colon":                {"a: 1\nb\nc: 2\n", "syntax", 3, 1},
		"an unknown anchor":       {"a: 1\nb: *x\n", "syntax", 2, 4},
		"a recursive alias":       {"a: 1\nb: &x [1, *x]\n", "syntax", 2, 11},
		"a bad escape":            {"a: 1\nb: \"C:\\Users\"\n", "syntax", 2, 9},
		"a bad start":             {"a: 1\nb: @x\n", "syntax", 2, 4},
		"two documents":           {"a: 1\n---\nb: 2\n", "syntax", 3, 1},
		"a fault in the second":   {"a: 1\n---\nb: ]\n", "syntax", 3, 4},
		"TOML":                    {"[a]\nb = 1\n", "syntax", 2, 1},
		"NUL":                     {"a: 1\nb: é\x00\n", "syntax", 2, 5},
		"an escape character":     {"\xEF\xBB\xBFa: \x1b[0m\n", "syntax", 1, 4},
		"UTF-16":                  {"\xFE\xFF\x00a\x00:", "encoding", 1, 1},
		"bad UTF-8":               {"a: 1\nb: \xff\n", "encoding", 2, 4},
		"1 MB of [":               {strings.Repeat("[", 1_000_000), "depth", 1, 10001},
		"300 of [":                {"a:\n " + strings.Repeat("[", 300) + strings.Repeat("]", 300), "depth", 2, 257},
		"1 MB of dashes":          {strings.Repeat("- ", 500_000), "depth", 1, 20001},
		"300 dashes":              {strings.Repeat("- ", 300) + "x", "depth", 1, 513},
		"1,300 indentations":      {stairs(1300), "depth", 257, 257},
		"1 MB of own aliases":     {strings.Repeat("a: &a [*a]\n", 90_000), "syntax", 1, 8},
		"nine to the ninth":       {bomb, "size", 6, 10},
		"depth through aliases":   {"a: &a " + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "\nb: " + strings.Repeat("[", 100) + "*a" + strings.Repeat("]", 100), "depth", 2, 104},
		"more than 1 MiB":         {strings.Repeat("a: b\n", limits.MiB/5+1), "size", 1, 1},
	}
	for name, c := range cases {
		e := parseErr(t, YAML, c.text)
		if e.Cause != c.cause || e.Line != c.line || e.Column != c.column {
			t.Errorf("%s: %s at %d:%d (%s), want %s at %d:%d", name, e.Cause, e.Line, e.Column, e.Msg, c.cause, c.line, c.column)
		}
	}
	lim := limits.Default
	lim.Values = 10
	if _, err := Parse("f", []byte("["+strings.Repeat("1,", 20)+"]"), YAML, lim); err == nil || err.(*SyntaxError).Cause != "size" {
		t.Errorf("too many values: %v", err)
	}
}

func stairs(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func TestOddYAMLIsRead(t *testing.T) {
	for _, empty := range []string{"", "\n\n", "# only a comment", "\xEF\xBB\xBF"} {
		if d := parseAs(t, YAML, empty); d.Root().Valid() {
			t.Errorf("%q has a value", empty)
		}
	}
	if d := parseAs(t, YAML, "# only a comment"); len(d.Comments) != 1 {
		t.Error("the comment is lost")
	}
	for _, text := range []string{"a: 1\n---\n", "---\na: 1\n...\n---\n# end\n...\n"} {
		if d := parseAs(t, YAML, text); string(d.Lookup("/a").Raw()) != "1" {
			t.Errorf("%q: an empty document more is not the value", text)
		}
	}
	d := parseAs(t, YAML, "{\"a\": [1, {\"b\": null}],\n \"c\": \"x\"}")
	if string(d.Lookup("/a/1/b").Raw()) != "null" {
		t.Error("JSON is YAML")
	}
	if n := parseAs(t, YAML, "a: "+strings.Repeat("9", 5000)).Lookup("/a"); len(n.Raw()) != 5000 {
		t.Error("a 5,000-digit number has its place")
	}
}

func TestLargeYAMLIsLinear(t *testing.T) {
	for name, text := range map[string]string{
		"one line": "[" + strings.Repeat("é,", 60_000) + "]", "comments": strings.Repeat("a:\n#\n", 40_000), "keys": strings.Repeat("a: 1\n", 40_000),
		"documents": strings.Repeat("---\n", 50_000), "lines": strings.Repeat("a\n", 100_000), "quotes": "'" + strings.Repeat("''", 100_000) + "'",
		"anchors": strings.Repeat("- &a 1\n- *a\n", 20_000),
	} {
		t.Run(name, func(t *testing.T) { parseAs(t, YAML, text) }) // quadratic work would not end in this life
	}
}
