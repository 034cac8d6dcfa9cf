package client

import (
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

func TestReferencesOfEverySpellingAreRead(t *testing.T) {
	for _, c := range []struct {
		in, form, name string
		def            bool
	}{
		{"${A}", "${VAR}", "A", false},
		{"x${A_1}y", "${VAR}", "A_1", false},
		{"${A:-b}", "${VAR:-default}", "A", true},
		{"${A:-${B}}", "${VAR:-default}", "A", true},
		{"${env:A}", "${env:VAR}", "A", false},
		{"${env:A:-b}", "${env:VAR}", "A", true},
		{"${input:my-key}", "${input:id}", "my-key", false},
		{"${config:a.b}", "${config:key}", "a.b", false},
		{"${command:a.b}", "${command:id}", "a.b", false},
		{"${file:/x/y}", "${file:path}", "/x/y", false},
		{"${{ secrets.A }}", "${{ secrets.VAR }}", "A", false},
		{"${{inputs.A}}", "${{ inputs.VAR }}", "A", false},
		{"{env:A}", "{env:VAR}", "A", false},
		{"{file:~/x}", "{file:path}", "~/x", false},
		{"Bearer $TOKEN", "$VAR", "TOKEN", false},
		{"$HOME/x", "$VAR", "HOME", false},
		{`%APPDATA%\x`, "%VAR%", "APPDATA", false},
		{"{{ name }}", "{{VAR}}", "name", false},
		{"$(pass show x)", "$(command)", "", false},
		{"${workspaceFolder:web}", "", "workspaceFolder", false},
		{"${user_config.key}", "", "user_config.key", false},
		{"${/}", "", "/", false},
	} {
		got := Refs(c.in)
		if len(got) != 1 || string(got[0].Form) != c.form || got[0].Name != c.name || got[0].Default != c.def {
			t.Errorf("%s: got %+v", c.in, got)
		}
	}
}

func TestWhatOnlyLooksLikeAReferenceIsNone(t *testing.T) {
	for _, in := range []string{"costs $5", "^a$", "$1", "$.x", "100%", "50%-60%", "%20%2F%AB", "pa$WORD1", "pa$$WORD", "{x}", "{\"a\":1}", "$x", "${A", "a}"} {
		if got := Refs(in); len(got) != 0 {
			t.Errorf("%s: got %+v", in, got)
		}
	}
}

func load(t *testing.T, path, text string) *File {
	t.Helper()
	f := Identify(Where{Path: path, Root: "/p", Env: Env{OS: "linux", Home: "/home/u", Getenv: func(string) string { return "" }}})
	f.Load([]byte(text), limits.Default)
	if f.Doc == nil {
		t.Fatal(f.Err)
	}
	return f
}

func TestAShellOwnsItsOwnReferences(t *testing.T) {
	for args, want := range map[string]bool{
		`"command":"sh","args":["-c","$HOME"]`:                           true,
		`"command":"/bin/bash","args":["-lc","${A}"]`:                    true,
		`"command":"docker","args":["run","x","sh","-c","echo ${A}"]`:    true,
		`"command":"cmd","args":["/c","x","%APPDATA%"]`:                  true,
		`"command":"cmd.exe","args":["/c","x","${A}"]`:                   false, // cmd leaves it to the client
		`"command":"powershell","args":["-NoProfile","-Command","$FOO"]`: true,
		`"command":"bash","args":["x.sh","-c","${A}"]`:                   false, // an argument of the script
		`"command":"node","args":["-c","${A}"]`:                          false,
		`"type":"http","url":"https://h/","headersHelper":"echo $AUTH"`:  true,
	} {
		uses := load(t, ".mcp.json", `{"mcpServers":{"a":{`+args+`}}}`).Servers[0].Refs()
		if len(uses) != 1 || uses[0].Shell != want {
			t.Errorf("%s: got %+v, want shell %v", args, uses, want)
		}
	}
}

func TestSecretsOfOneFileGetOneVariableAValue(t *testing.T) {
	f := load(t, ".mcp.json", `{"mcpServers":{
		"a": {"command":"x","env":{"API_KEY":"sk-proj-Zp8Yt3Gw6Bn1Xk9Qv4Mc7Re2Lf5","OTHER":"sk-proj-Zp8Yt3Gw6Bn1Xk9Qv4Mc7Re2Lf5"}},
		"b": {"command":"x","env":{"API_KEY":"sk-proj-Ud2Sj7Ah4Ek9Wo1Ip6Tn3Vb8Xy5","OPEN":"${B_API_KEY}"}},
		"c": {"command":"x","args":["${C_KEY}"],"env":{"C_KEY":"sk-proj-q7Rk2Vx9Lm4Tz8Wc3Nf6Hs1Jd5"}},
		"d": {"command":"x","env":{"C_KEY":"sk-proj-Mf6Gh2Jk8Pl4Qw9Er1Ty7Ui3Op5"}},
		"7": {"type":"http","url":"https://h.dev/","headers":{"Authorization":"Bearer Bq4Nz7Kd2Xv9Lr5Ts1Gm8"}},
		"é": {"type":"http","url":"https://h.dev/","headers":{"X-Api-Key":"Wc3Ty8Fh5Jn1Rv6Pk2Zs9"}}}}`)
	var got []string
	for _, s := range f.Servers {
		for _, x := range s.Secrets() {
			m, ok := f.Move(x)
			if !ok {
				t.Errorf("%s can not be moved", x.Place())
			}
			got = append(got, s.Name+" "+x.Key+" "+m.Variable)
		}
	}
	want := "a API_KEY API_KEY|a OTHER API_KEY|b API_KEY B_API_KEY_2|c C_KEY C_KEY|d C_KEY D_C_KEY|" +
		"7 Authorization MCP_7_API_KEY|é X-Api-Key MCP_API_KEY"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}

func TestAMovedSecretLeavesTheRestOfItsFileAlone(t *testing.T) {
	for _, c := range []struct{ path, in, want string }{
		{".mcp.json", `{"mcpServers":{"a":{"command":"x","env":{"K_KEY":"${T_KEY:-sk-proj-Zp8Yt3Gw6Bn1Xk9Qv4Mc7Re2Lf5}"}}}}`,
			`{"mcpServers":{"a":{"command":"x","env":{"K_KEY":"${T_KEY}"}}}}`},
		{".mcp.json", `{"mcpServers":{"a":{"command":"x","env":{"K_KEY":"\u0073k-proj-Zp8Yt3Gw6Bn1Xk9Qv4Mc7Re2Lf5"}}}}`,
			`{"mcpServers":{"a":{"command":"x","env":{"K_KEY":"${K_KEY}"}}}}`},
		{".continue/mcpServers/a.yaml", "mcpServers:\n  - name: a\n    command: x\n    env:\n      K_KEY: sk-proj-Zp8Yt3Gw6Bn1Xk9Qv4Mc7Re2Lf5 # mine\n",
			"mcpServers:\n  - name: a\n    command: x\n    env:\n      K_KEY: \"${{ secrets.K_KEY }}\" # mine\n"},
		{".continue/mcpServers/a.yaml", "mcpServers:\n  - name: a\n    command: x\n    env: {K_KEY: 'sk-proj-Zp8Yt3Gw6Bn1Xk9Qv4Mc7Re2Lf5'}\n",
			"mcpServers:\n  - name: a\n    command: x\n    env: {K_KEY: '${{ secrets.K_KEY }}'}\n"},
	} {
		f := load(t, c.path, c.in)
		m, ok := f.Move(f.Servers[0].Secrets()[0])
		if !ok {
			t.Errorf("%s: no move", c.in)
			continue
		}
		if out, err := source.Apply(f.Doc.Raw, m.Edits); err != nil || string(out) != c.want {
			t.Errorf("got  %s (%v)\nwant %s", out, err, c.want)
		}
	}
}

func TestAnEditNeverShowsAnotherSecret(t *testing.T) {
	// The escape makes the whole value new, and there is a second secret in it.
	f := load(t, ".mcp.json", `{"mcpServers":{"a":{"command":"x","env":{"K_KEYS":"\u0073k-proj-Zp8Yt3Gw6Bn1Xk9Qv4Mc7Re2Lf5 sk-proj-Ud2Sj7Ah4Ek9Wo1Ip6Tn3Vb8Xy5"}}}}`)
	for _, x := range f.Servers[0].Secrets() {
		if m, ok := f.Move(x); ok {
			t.Errorf("moved to %s by %+v", m.Variable, m.Edits)
		}
	}
}

func TestClientsWithoutReferencesGetNone(t *testing.T) {
	f := load(t, ".codex/config.toml", "[mcp_servers.a]\ncommand = \"x\"\nenv = { K_KEY = \"sk-proj-Zp8Yt3Gw6Bn1Xk9Qv4Mc7Re2Lf5\" }\n")
	if m, ok := f.Move(f.Servers[0].Secrets()[0]); ok {
		t.Errorf("Codex got %+v", m)
	}
	f = load(t, ".amazonq/mcp.json", `{"mcpServers":{"a":{"command":"x","args":["--api-key","sk-proj-Zp8Yt3Gw6Bn1Xk9Qv4Mc7Re2Lf5"]}}}`)
	if m, ok := f.Move(f.Servers[0].Secrets()[0]); ok {
		t.Errorf("Amazon Q expands no arguments and got %+v", m)
	}
}

func TestHowFarACleartextAddressGoes(t *testing.T) {
	for in, want := range map[string]Reach{
		"http://mcp.acme.dev/":              Public,
		" HTTP://mcp.acme.dev ":             Public,
		"ws://mcp.acme.dev/":                Public,
		`http://evil.dev\@localhost/`:       Public,
		"http://8.8.8.8/":                   Public,
		"http://[2001:db8::1]/":             Public,
		"https://mcp.acme.dev/":             Nowhere,
		"http://${HOST}/":                   Nowhere,
		"mcp.acme.dev":                      Nowhere,
		"":                                  Nowhere,
		"http://localhost:3000":             Machine,
		"http://[::ffff:127.0.0.1]/":        Machine,
		"http://0.0.0.0:3000":               Machine,
		"http://host.docker.internal:3000/": Machine,
		"http://192.168.1.20/":              Network,
		"http://3232235796/":                Network, // 192.168.1.20 in one number
		"http://169.254.1.1/":               Network,
		"http://100.64.0.9/":                Network,
		"http://[fd00::1]/":                 Network,
		"http://mcp-server:8080/":           Network,
		"http://printer.local/":             Network,
		"http://api.corp.internal/":         Network,
	} {
		if _, got := Cleartext(in); got != want {
			t.Errorf("%q: got %v, want %v", in, got, want)
		}
	}
}

func FuzzRefs(f *testing.F) {
	for _, s := range []string{"${A}", "${A:-${B}}", "${{ secrets.A }}", "$HOME/%X_Y%/{env:A}", "$(x ${", "{{}}", "${env:A:-b}${", "%%A%%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		end := 0
		for _, r := range Refs(s) {
			if r.Start < end || r.End <= r.Start || r.End > len(s) {
				t.Fatalf("%q: reference %+v behind %d", s, r, end)
			}
			end = r.End
			if again := Refs(s[r.Start:r.End]); len(again) != 1 || again[0].Form != r.Form || again[0].Name != r.Name {
				t.Fatalf("%q alone is read as %+v, in %q as %+v", s[r.Start:r.End], again, s, r)
			}
		}
	})
}
