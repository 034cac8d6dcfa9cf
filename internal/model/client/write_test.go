package client

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// specs are servers that between them have everything that a client may be able to express.
func specs() map[string]Spec {
	local := Spec{Name: "files", Transport: Stdio, Command: Plain("npx"), Args: []Text{Plain("-y"), Plain("@example/files@1.2.3")}}
	with := func(change func(*Spec)) Spec { s := local; change(&s); return s }
	remote := Spec{Name: "search", Transport: HTTP, URL: Plain("https://mcp.example.com/mcp")}
	far := func(change func(*Spec)) Spec { s := remote; change(&s); return s }
	return map[string]Spec{
		"local":            local,
		"no arguments":     with(func(s *Spec) { s.Args = nil }),
		"env":              with(func(s *Spec) { s.Env = []Setting{{"ROOT", Plain("/srv/x y")}, {"LEVEL", Plain("info")}} }),
		"env reference":    with(func(s *Spec) { s.Env = []Setting{{"TOKEN", Variable("TOKEN")}} }),
		"renamed variable": with(func(s *Spec) { s.Env = []Setting{{"TOKEN", Variable("OTHER_TOKEN")}} }),
		"reference in args": with(func(s *Spec) {
			s.Args = append(s.Args[:2:2], Text{{Plain: "--key="}, {Variable: "KEY"}}, Text{{Variable: "A"}, {Plain: "/b"}})
		}),
		"default": with(func(s *Spec) {
			s.Env = []Setting{{"LEVEL", Text{{Variable: "LEVEL", Default: "info", Defaulted: true}}}}
		}),
		"folder":  with(func(s *Spec) { s.Cwd = Plain("/srv") }),
		"off":     with(func(s *Spec) { s.Disabled = true }),
		"timeout": with(func(s *Spec) { s.Timeout = 90 * time.Second }),
		"text": with(func(s *Spec) {
			s.Args = []Text{Plain("a \"b\" \\ c"), Plain("yes"), Plain("tab\t"), Plain("# no: comment")}
		}),
		"remote":              remote,
		"sse":                 far(func(s *Spec) { s.Transport = SSE }),
		"headers":             far(func(s *Spec) { s.Headers = []Setting{{"X-Team", Plain("blue")}} }),
		"bearer":              far(func(s *Spec) { s.Headers = []Setting{{"Authorization", Text{{Plain: "Bearer "}, {Variable: "TOKEN"}}}} }),
		"header reference":    far(func(s *Spec) { s.Headers = []Setting{{"X-Key", Variable("KEY")}} }),
		"reference in url":    far(func(s *Spec) { s.URL = Text{{Plain: "https://"}, {Variable: "HOST"}, {Plain: "/mcp"}} }),
		"a remote that's off": far(func(s *Spec) { s.Disabled = true }),
	}
}

// dialects are all clients with files, in each of their formats and shapes, on two systems.
func dialects() (all []Dialect) {
	for _, c := range Table() {
		if c.Kind != Program {
			continue
		}
		seen := map[string]bool{}
		for i := range c.Locations {
			l := &c.Locations[i]
			for _, os := range []string{"linux", "windows"} {
				d := Dialect{Client: c, Loc: l, Format: c.FormatOf(l), OS: os}
				key := fmt.Sprint(d.Format, d.Shape(), os)
				if _, ok := d.Root(); ok && !seen[key] && l.Reads == ReadsYes {
					seen[key] = true
					all = append(all, d)
				}
			}
		}
	}
	return all
}

// file is an empty file in the dialect.
func (d Dialect) file() *File {
	return &File{Path: "mcp" + map[string]string{FormatTOML: ".toml", FormatYAML: ".yaml"}[d.Format], Client: d.Client, Loc: d.Loc, Scope: ScopeUser}
}

// writeOne puts an entry into an empty file and reads it again.
func writeOne(t *testing.T, d Dialect, v source.Value, name string) *File {
	t.Helper()
	f := d.file()
	text := "{}"
	if d.Format == FormatTOML || d.Format == FormatYAML {
		text = ""
	}
	doc, err := source.Parse(f.Path, []byte(text), f.format(), limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	path, _ := d.Root()
	list := d.Shape() != ShapeMap
	if list {
		name = ""
	}
	edits, _, err := doc.Put(path, list, name, v)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := source.Apply(doc.Raw, edits)
	if err != nil {
		t.Fatal(err)
	}
	f.Load(raw, limits.Default)
	if f.Err != nil {
		t.Fatalf("%v in\n%s", f.Err, raw)
	}
	return f
}

func TestAServerIsReadAsItWasWrittenByEveryClient(t *testing.T) {
	written, refused := 0, 0
	for _, d := range dialects() {
		for what, spec := range specs() {
			if d.Client.ID == "gemini-cli" && strings.Contains(spec.Name, "_") {
				continue
			}
			v, left, err := d.Entry(spec)
			var cannot *CannotError
			if errors.As(err, &cannot) {
				refused++
				continue
			}
			if err != nil {
				t.Errorf("%s of %s: %v", what, d.Client.ID, err)
				continue
			}
			f := writeOne(t, d, v, spec.Name)
			if len(f.Servers) != 1 {
				t.Errorf("%s of %s gives %d servers:\n%s", what, d.Client.ID, len(f.Servers), f.Doc.Raw)
				continue
			}
			if len(left) > 0 { // no field for a timeout
				spec.Timeout = 0
			}
			got := f.Servers[0].Spec()
			if !got.Equal(spec) {
				t.Errorf("%s of %s (%s, %s):\n%s\nis read as %+v", what, d.Client.ID, d.Format, d.OS, f.Doc.Raw, got)
			}
			if n := len(f.Servers[0].Foreign); n > 0 {
				t.Errorf("%s of %s has %d fields that it does not know:\n%s", what, d.Client.ID, n, f.Doc.Raw)
			}
			written++
		}
	}
	if written < 500 || refused < 100 {
		t.Errorf("%d written, %d refused", written, refused)
	}
}

func TestWhatAClientCanNotExpressIsRefusedWithTheReason(t *testing.T) {
	for _, c := range []struct{ id, what, why string }{
		{"claude-desktop", "remote", "starts local servers only, and this one is remote"},
		{"claude-desktop", "env reference", "reads no reference to a variable (TOKEN) in variables"},
		{"claude-code", "off", "has no switch, and would start a server that is switched off"},
		{"claude-code", "folder", "has no field for the folder that a server starts in"},
		{"codex", "sse", `has no word for the transport "sse"`},
		{"codex", "renamed variable", "reads no reference to a variable (OTHER_TOKEN) in variables"},
		{"amazon-q", "reference in url", "reads no reference to a variable (HOST) in the address"},
		{"cursor", "default", "knows no default for a variable (LEVEL)"},
		{"antigravity", "sse", `can not be told that the transport is "sse"`},
		{"claude-ai", "remote", "reads no servers from a file"},
	} {
		d := Dialect{Client: mustID(t, c.id), Format: mustID(t, c.id).Format, OS: "linux"}
		_, _, err := d.Entry(specs()[c.what])
		var cannot *CannotError
		if !errors.As(err, &cannot) || cannot.Why != c.why {
			t.Errorf("%s of %s: %v", c.what, c.id, err)
		}
	}
	for _, c := range []struct {
		id, why string
		change  func(*Spec)
	}{
		{"codex", "takes no server of this name (^[A-Za-z0-9_-]+$)", func(s *Spec) { s.Name = "a b" }},
		{"gemini-cli", "takes no server of this name (^[^_]+$)", func(s *Spec) { s.Name = "a_b" }},
		{"claude-code", "would fill in ${X}, which is meant as it stands", func(s *Spec) { s.Args = []Text{Plain("${X}")} }},
		{"claude-code", "knows nothing that is called workspaceFolder", func(s *Spec) { s.Args = []Text{{{Form: "${VAR}", Name: "workspaceFolder"}}} }},
		{"claude-code", "needs a command", func(s *Spec) { s.Command = nil }},
		{"claude-code", "needs an address", func(s *Spec) { s.Transport = HTTP }},
	} {
		d := Dialect{Client: mustID(t, c.id), Format: mustID(t, c.id).Format, OS: "linux"}
		spec := specs()["local"]
		c.change(&spec)
		_, _, err := d.Entry(spec)
		var cannot *CannotError
		if !errors.As(err, &cannot) || cannot.Why != c.why {
			t.Errorf("%s: %v", c.id, err)
		}
	}
}

func TestEachClientsOwnSpelling(t *testing.T) {
	for _, c := range []struct{ id, os, what, want string }{
		{"claude-code", "linux", "remote", `{"type":"http","url":"https://mcp.example.com/mcp"}`},
		{"claude-code", "linux", "local", `{"command":"npx","args":["-y","@example/files@1.2.3"]}`},
		{"claude-code", "windows", "local", `{"command":"cmd","args":["/c","npx","-y","@example/files@1.2.3"]}`},
		{"vscode", "windows", "local", `{"command":"npx","args":["-y","@example/files@1.2.3"]}`},
		{"vscode", "linux", "bearer", `{"type":"http","url":"https://mcp.example.com/mcp","headers":{"Authorization":"Bearer ${env:TOKEN}"}}`},
		{"gemini-cli", "linux", "remote", `{"httpUrl":"https://mcp.example.com/mcp"}`},
		{"gemini-cli", "linux", "sse", `{"type":"sse","url":"https://mcp.example.com/mcp"}`},
		{"windsurf", "linux", "remote", `{"type":"http","serverUrl":"https://mcp.example.com/mcp"}`},
		{"opencode", "linux", "env reference", `{"type":"local","command":["npx","-y","@example/files@1.2.3"],"environment":{"TOKEN":"{env:TOKEN}"}}`},
		{"opencode", "linux", "off", `{"type":"local","command":["npx","-y","@example/files@1.2.3"],"enabled":false}`},
		{"codex", "linux", "env reference", `{"command":"npx","args":["-y","@example/files@1.2.3"],"env_vars":["TOKEN"]}`},
		{"codex", "linux", "bearer", `{"url":"https://mcp.example.com/mcp","bearer_token_env_var":"TOKEN"}`},
		{"codex", "linux", "timeout", `{"command":"npx","args":["-y","@example/files@1.2.3"],"tool_timeout_sec":90}`},
		{"goose", "linux", "env", `{"name":"files","type":"stdio","cmd":"npx","args":["-y","@example/files@1.2.3"],"envs":{"ROOT":"/srv/x y","LEVEL":"info"},"enabled":true}`},
		{"goose", "linux", "remote", `{"name":"search","type":"streamable_http","uri":"https://mcp.example.com/mcp","enabled":true}`},
		{"cline", "linux", "remote", `{"type":"streamableHttp","url":"https://mcp.example.com/mcp"}`},
		{"continue", "linux", "header reference", `{"name":"search","type":"streamable-http","url":"https://mcp.example.com/mcp","requestOptions":{"headers":{"X-Key":"${{ secrets.KEY }}"}}}`},
		{"crush", "linux", "reference in args", `{"command":"npx","args":["-y","@example/files@1.2.3","--key=${KEY}","${A}/b"]}`},
		{"mistral-vibe", "linux", "local", `{"name":"files","transport":"stdio","command":"npx","args":["-y","@example/files@1.2.3"]}`},
	} {
		cl := mustID(t, c.id)
		v, _, err := Dialect{Client: cl, Format: cl.Format, OS: c.os}.Entry(specs()[c.what])
		if err != nil {
			t.Errorf("%s of %s: %v", c.what, c.id, err)
			continue
		}
		if got := v.String(); got != c.want {
			t.Errorf("%s of %s on %s:\n%s\nwant\n%s", c.what, c.id, c.os, got, c.want)
		}
	}
}
