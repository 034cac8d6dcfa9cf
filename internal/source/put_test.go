package source

import (
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// server is a value as a client's entry has it.
func server() Value {
	return Value{Kind: Object}.With("command", StringValue("npx")).With("args", ListValue([]string{"-y", "@x/y@1.0.0"})).
		With("env", Value{Kind: Object}.With("TOKEN", StringValue("${TOKEN}")))
}

// around gives the document's value without one entry, as JSON without white space.
func around(n Node, skip Node) string {
	var b strings.Builder
	var walk func(Node)
	walk = func(n Node) {
		switch n.Kind() {
		case Object, Array:
			b.WriteByte('{')
			for c := range n.Children() {
				if c == skip {
					continue
				}
				b.WriteString(Quote(c.Key()) + ":")
				walk(c)
				b.WriteByte(',')
			}
			b.WriteByte('}')
		default:
			b.WriteString(n.Kind().String() + Quote(n.Text()) + n.scalar())
		}
	}
	walk(n)
	return b.String()
}

// roundTrip puts an entry in, demands that it is there and that all else is what it was, takes it out again and demands
// the bytes from before.
func roundTrip(t *testing.T, f Format, text string, path []string, name string) string {
	t.Helper()
	d, err := Parse("f", []byte(text), f, limits.Default)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	v := server()
	if name == "" {
		v = Value{Kind: Object}.With("name", StringValue("new")).With("command", StringValue("npx"))
	}
	edits, undo, err := d.Put(path, name == "", name, v)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	after, err := Apply(d.Raw, edits)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	with, err := Parse("f", after, f, limits.Default)
	if err != nil {
		t.Fatalf("%v in\n%s", err, after)
	}
	if len(with.Conflicts) > len(d.Conflicts) || len(with.Comments) != len(d.Comments) {
		t.Errorf("conflicts or comments differ in\n%s", after)
	}
	n := with.Lookup(pointer(path))
	if name == "" {
		n = n.At(n.Len() - 1)
	} else {
		n = n.Get(name)
	}
	if !v.Means(n) {
		t.Fatalf("the entry is not there as it is meant:\n%s", after)
	}
	if undo.Made == "" && d.Root().Valid() && !undo.Held && (f != TOML || d.Lookup(pointer(path)).Valid()) && around(d.Root(), Node{}) != around(with.Root(), n) {
		t.Errorf("something else changed:\n%s", after)
	}
	back, err := Apply(with.Raw, n.Take(undo))
	if err != nil {
		t.Fatal(err)
	}
	if string(back) != text {
		t.Errorf("%q\nbecame %q\nand then %q", text, after, back)
	}
	return string(after)
}

func TestPutAndTakeGiveTheSameBytes(t *testing.T) {
	servers := []string{"mcpServers"}
	for _, c := range []struct {
		format Format
		path   []string
		name   string
		texts  []string
	}{
		{JSON, servers, "new", []string{
			`{}`, `{ }`, "{\n}\n", "\xEF\xBB\xBF{}", `{"mcpServers":{}}`, "{\n  \"mcpServers\": {}\n}", "{\n  \"mcpServers\": {\n  }\n}\n",
			"{\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\": \"x\"}\n\t}\n}\n",
			"{\r\n  \"mcpServers\": {\r\n    \"a\": {\r\n      \"command\": \"x\",\r\n      \"args\": [\r\n        \"1\"\r\n      ]\r\n    }\r\n  }\r\n}\r\n",
			`{"mcpServers":{"a":{"command":"x","args":["1"]}}}`, `{ "mcpServers": { "a": { "command": "x" } }, "z": 1 }`,
			"{\n  // none yet\n  \"mcpServers\": { // here\n  }\n}\n", "{\"mcpServers\": {/* none */}}", "{\"mcpServers\": {\n  /* none */ }}",
			"{\n  \"mcpServers\": {\n    \"a\": {}, // last\n  },\n}\n", "{\n  \"mcpServers\": {\n    \"a\": {} // last\n    // \"b\": {}\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    \"a\": {},\n    // \"b\": {}\n  }\n}\n", "{\"mcpServers\": {\"a\": {}, /* x */ \"b\": {} /* y */ }}",
			"{\n  \"theme\": \"dark\" // mine\n}\n", "{\n  \"theme\": \"dark\",\n  /* end */\n}\n", "{\"theme\": 1}", "{\n    \"theme\": {\n        \"a\": 1}}",
			"{\n  \"mcpServers\": {\"a\": {\"command\": \"x\"},\n                 \"b\": {\"command\": \"y\"}}\n}\n", "{\"mcpServers\"\n:\n{\n\"a\"\n:\n{}\n}\n}",
			"{\"mcpServers\": {\"a\": 1,}}", "{\n  \"mcpServers\": null\n}\n", "{\"mcpServers\":null}", "{\"mcpServers\": {\"a\": 1 ,  } }",
		}},
		{JSON, []string{"settings", "mcp", "servers"}, "new", []string{"{}", "{\n  \"settings\": {}\n}\n", "{\"settings\": {\"mcp\": {\"x\": 1}}}"}},
		{JSON, servers, "", []string{`{"mcpServers": []}`, "{\n  \"mcpServers\": [\n    {\"name\": \"a\"}\n  ]\n}\n", `{}`}},
		{TOML, []string{"mcp_servers"}, "new", []string{
			"", "\n", "\xEF\xBB\xBF", "# only\n", "model = \"x\"", "model = \"x\"\n", "model = \"x\"\r\n\r\n", "[mcp_servers.a]\ncommand = \"x\"\n",
			"[mcp_servers.a]\ncommand = \"x\"\n# args\n\n# about\n[profiles.p]\nx = 1\n", "[mcp_servers.a]\ncommand = \"x\"\n# about\n[profiles.p]\nx = 1\n",
			"[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.a.env]\nK = \"v\" # k\n\n[z]\n", "[mcp_servers]\n", "[mcp_servers]\na = {command = \"x\"}\n\n[z]\nb = 1\n",
			"mcp_servers = {}\nx = 1\n", "mcp_servers = { a = { command = \"x\" } }\n", "mcp_servers.a.command = \"x\"\nmodel = \"y\"\n[z]\n",
			"  [mcp_servers.a]\n    command = \"x\"\n    args = [\n      \"1\",\n    ]\n[mcp_servers.b]\ncommand = \"y\"", "[z]\nx = 1\n\n\n",
		}},
		{TOML, []string{"mcp_servers"}, "", []string{"", "x = 1\n", "mcp_servers = []\n", "[[mcp_servers]]\nname = \"a\"\ncommand = \"x\"\n\n[z]\n", "[[mcp_servers]]\nname = \"a\"\n[mcp_servers.env]\nK = \"v\""}},
		{YAML, []string{"extensions"}, "new", []string{
			"", "# only\n", "# only", "a: 1\n", "a: 1", "extensions:\n", "extensions: # none\nz: 1\n", "extensions: {}\n", "extensions: {} # none\nz: 1\n", "extensions: null\n",
			"extensions:\n  a:\n    cmd: x\n    args:\n      - y\n", "extensions:\n    a:\n        cmd: x # c\n# end\nz: 1\n", "extensions: {a: {cmd: x}}\n", "extensions: {\n  a: {cmd: x},\n}\n",
			"extensions:\r\n  a:\r\n    cmd: x\r\n", "extensions:\n  a:\n    cmd: |\n      x\n\nz: 1\n", "extensions:\n  a: {cmd: x}", "---\nextensions:\n  a: {}\n...\n", "{}\n",
			"z: |\n  text\n", "\xEF\xBB\xBFz: 1\n", "z:\n  - 1\n",
		}},
		{YAML, servers, "", []string{
			"name: x\nmcpServers:\n  - name: a\n    command: x\n", "mcpServers:\n- name: a\n  args: [1]\nz: 1\n", "mcpServers: []\n", "mcpServers: [{name: a}]\n", "name: x\n", "mcpServers:\n",
			"mcpServers:\n  -\n    name: a\n", "mcpServers:\n  - name: a # c\n",
		}},
	} {
		for _, text := range c.texts {
			roundTrip(t, c.format, text, c.path, c.name)
		}
	}
}

func TestWhatIsPutLooksLikeWhatIsThere(t *testing.T) {
	for _, c := range []struct {
		format     Format
		path, name string
		text, want string
	}{
		{JSON, "mcpServers", "new", "{\n  \"mcpServers\": {}\n}\n",
			"{\n  \"mcpServers\": {\n    \"new\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"@x/y@1.0.0\"],\n      \"env\": {\n        \"TOKEN\": \"${TOKEN}\"\n      }\n    }\n  }\n}\n"},
		{JSON, "mcpServers", "new", "{\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\": \"x\"}\n\t}\n}\n",
			"{\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\": \"x\"},\n\t\t\"new\": {\"command\": \"npx\", \"args\": [\"-y\", \"@x/y@1.0.0\"], \"env\": {\"TOKEN\": \"${TOKEN}\"}}\n\t}\n}\n"},
		{JSON, "mcpServers", "new", `{"mcpServers":{"a":{"command":"x"}}}`,
			`{"mcpServers":{"a":{"command":"x"},"new":{"command":"npx","args":["-y","@x/y@1.0.0"],"env":{"TOKEN":"${TOKEN}"}}}}`},
		{JSON, "mcpServers", "new", "{\n  \"a\": 1, // one\n}\n",
			"{\n  \"a\": 1, // one\n  \"mcpServers\": {\n    \"new\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"@x/y@1.0.0\"],\n      \"env\": {\n        \"TOKEN\": \"${TOKEN}\"\n      }\n    }\n  },\n}\n"},
		{TOML, "mcp_servers", "new", "model = \"x\"\n\n[mcp_servers.a]\ncommand = \"x\"\n\n[z]\n",
			"model = \"x\"\n\n[mcp_servers.a]\ncommand = \"x\"\n\n[mcp_servers.new]\ncommand = \"npx\"\nargs = [\"-y\", \"@x/y@1.0.0\"]\nenv = { TOKEN = \"${TOKEN}\" }\n\n[z]\n"},
		{YAML, "extensions", "new", "extensions:\n  a:\n    cmd: x\nz: 1\n",
			"extensions:\n  a:\n    cmd: x\n  new:\n    command: npx\n    args:\n      - \"-y\"\n      - \"@x/y@1.0.0\"\n    env:\n      TOKEN: \"${TOKEN}\"\nz: 1\n"},
		{YAML, "mcpServers", "", "mcpServers: []\n", "mcpServers:\n  - name: new\n    command: npx\n"},
	} {
		if got := roundTrip(t, c.format, c.text, []string{c.path}, c.name); got != c.want {
			t.Errorf("%s\nwant\n%s", got, c.want)
		}
	}
}

func TestNothingIsPutWhereItCanNotStand(t *testing.T) {
	for _, c := range []struct {
		format Format
		text   string
		path   []string
		name   string
	}{
		{JSON, `[]`, []string{"mcpServers"}, "new"}, {JSON, `{"mcpServers": 1}`, []string{"mcpServers"}, "new"}, {JSON, `{"mcpServers": []}`, []string{"mcpServers"}, "new"},
		{JSON, `{"mcpServers": {}}`, []string{"mcpServers"}, ""}, {JSON, `{"a": "x"}`, []string{"a", "b"}, "new"},
		{YAML, "x: &x {a: 1}\ny: *x\n", []string{"y"}, "new"}, {TOML, "mcp_servers = 1\n", []string{"mcp_servers"}, "new"},
	} {
		d := parseAs(t, c.format, c.text)
		if _, _, err := d.Put(c.path, c.name == "", c.name, server()); err == nil {
			t.Errorf("%s took an entry", c.text)
		}
	}
}

func FuzzPutAndTakeGiveTheSameBytes(f *testing.F) {
	for i, s := range []string{"{}", "{\"mcpServers\": {\"a\": {}, // c\n}}", "[mcpServers.a]\nb = 1 # c\n[z]\n", "mcpServers:\n  a: {x: 1} # c\nz: |\n  t\n", "mcpServers = {a.b = 1}\n", "{\"mcpServers\":{/*a*/\"b\":1/*c*/,}}"} {
		f.Add(s, uint8([]Format{JSON, JSON, TOML, YAML, TOML, JSON}[i]))
	}
	lim := limits.Default
	f.Fuzz(func(t *testing.T, text string, format uint8) {
		d, err := Parse("f", []byte(text), Format(format%3), lim)
		if err != nil || len(d.Conflicts) > 0 || d.BadText.Len() > 0 {
			return
		}
		for c := range d.Nodes() {
			if c.Overridden() || c.Shared() {
				return
			}
		}
		at := d.Lookup("/mcpServers")
		if at.Get("new").Valid() {
			return
		}
		edits, undo, err := d.Put([]string{"mcpServers"}, false, "new", server())
		if err != nil {
			return
		}
		after := must(t, d.Raw, edits)
		with, err := Parse("f", after, d.Format, lim)
		if err != nil {
			return // the caller refuses what does not parse, and writes nothing
		}
		n := with.Lookup("/mcpServers/new")
		if !n.Valid() || !server().Means(n) {
			return
		}
		if back := must(t, with.Raw, n.Take(undo)); string(back) != text {
			// What is left must still mean the same, and every other byte must be one of before.
			again, err := Parse("f", back, d.Format, lim)
			if err != nil || again.Lookup("/mcpServers/new").Valid() {
				t.Errorf("%q\nbecame %q\nand then %q (%v)", text, after, back, err)
			}
		}
	})
}

func must(t *testing.T, raw []byte, edits []finding.Edit) []byte {
	t.Helper()
	out, err := Apply(raw, edits)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
