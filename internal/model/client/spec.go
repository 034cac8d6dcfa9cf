package client

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/source"
)

// Spec is a server as no client writes it: what an entry means, whoever's it is. Read makes one of an entry, and Entry
// writes one for a client.
type Spec struct {
	Name      string
	Transport Transport // Stdio, HTTP or SSE
	// Command and Args start a local server, in Cwd where that is set.
	Command Text
	Args    []Text
	Env     []Setting
	Cwd     Text
	// URL is where a remote one answers, with Headers.
	URL     Text
	Headers []Setting
	// Timeout is how long a request may take, 0 for the client's own.
	Timeout  time.Duration
	Disabled bool
}

// Setting is a variable or a header.
type Setting struct {
	Name  string
	Value Text
}

// Text is a string in which references have no client's spelling.
type Text []Part

// Part is a piece of a Text: plain text, or a reference.
type Part struct {
	// Plain is text that no client reads anything into.
	Plain string
	// Variable names a variable of the environment; Default is used where it is not set, if Defaulted says that there is one.
	Variable, Default string
	Defaulted         bool
	// Form and Name are a reference to something else (${input:token}, ${workspaceFolder}) in the one spelling that it has.
	Form Form
	Name string
}

// Plain is a text without references.
func Plain(s string) Text {
	if s == "" {
		return nil
	}
	return Text{{Plain: s}}
}

// Variable is a text that is a reference to a variable.
func Variable(name string) Text { return Text{{Variable: name}} }

// Set says that there is something.
func (t Text) Set() bool { return len(t) > 0 }

// String is the text with its references as ${NAME}, for people.
func (t Text) String() string {
	var b strings.Builder
	for _, p := range t {
		switch {
		case p.Variable != "" && p.Defaulted:
			b.WriteString("${" + p.Variable + ":-" + p.Default + "}")
		case p.Variable != "":
			b.WriteString("${" + p.Variable + "}")
		case p.Name != "":
			b.WriteString("${" + p.Name + "}")
		default:
			b.WriteString(p.Plain)
		}
	}
	return b.String()
}

// Equal says whether two specs are one server to the letter: the order of variables and headers does not matter.
func (s Spec) Equal(o Spec) bool {
	same := func(a, b Text) bool { return slices.Equal(a, b) }
	settings := func(a, b []Setting, fold bool) bool {
		if len(a) != len(b) {
			return false
		}
		for _, x := range a {
			if !slices.ContainsFunc(b, func(y Setting) bool {
				return (x.Name == y.Name || fold && strings.EqualFold(x.Name, y.Name)) && same(x.Value, y.Value)
			}) {
				return false
			}
		}
		return true
	}
	return s.Name == o.Name && s.Transport == o.Transport && same(s.Command, o.Command) && slices.EqualFunc(s.Args, o.Args, same) &&
		settings(s.Env, o.Env, false) && same(s.Cwd, o.Cwd) && same(s.URL, o.URL) && settings(s.Headers, o.Headers, true) &&
		s.Timeout == o.Timeout && s.Disabled == o.Disabled
}

// Spec is what the entry means.
func (s *Server) Spec() Spec {
	out := Spec{Name: s.Name, Transport: s.Transport, Disabled: s.Disabled, Cwd: s.text("cwd", s.Cwd.Value), URL: s.text("url", s.URL.Value)}
	words := s.Argv()
	if throughCmd(words) { // how Windows finds a script is the client's dialect
		words = words[2:]
	}
	if len(words) > 0 {
		out.Command = s.text("command", words[0])
		for _, w := range words[1:] {
			out.Args = append(out.Args, s.text("args", w))
		}
	}
	out.Env = s.settings("env", s.EnvNode, s.EnvVars, nil)
	out.Headers = s.settings("headers", s.HeadersNode, nil, s.EnvHeaders)
	if s.BearerVar.Set() {
		out.Headers = append(out.Headers, Setting{"Authorization", Text{{Plain: "Bearer "}, {Variable: s.BearerVar.Value}}})
	}
	if field, unit := s.File.Client.timeout(); field != "" {
		if n, ok := s.Node.Get(field).Number(); ok {
			if v, err := strconv.ParseFloat(n, 64); err == nil && v > 0 && v < 1e9 {
				out.Timeout = time.Duration(v * float64(unit))
			}
		}
	}
	return out
}

// throughCmd says that a command line starts a script through cmd.
func throughCmd(words []string) bool {
	return len(words) > 2 && stem(words[0]) == "cmd" && strings.EqualFold(words[1], "/c") && script(words[2])
}

// script says whether Windows has a script of that name, which only cmd starts.
func script(program string) bool {
	return slices.Contains([]string{"npx", "npm", "pnpm", "pnpx", "yarn"}, stem(program))
}

// timeout is the field in which the client bounds a request, and its unit.
func (c *Client) timeout() (field string, unit time.Duration) {
	for _, t := range c.Timeouts {
		if t.Field == "timeout" || strings.Contains(t.Field, "tool") {
			field, unit = t.Field, time.Second
			if t.Unit == "ms" {
				unit = time.Millisecond
			}
		}
	}
	return field, unit
}

// settings are the variables or the headers of an entry: those written as text, and those that are only named.
func (s *Server) settings(field string, n source.Node, names []Str, named []Pair) (all []Setting) {
	for c := range n.Children() {
		v := source.ValueOf(c)
		if c.Overridden() || v.Kind == source.Object || v.Kind == source.Array || v.Kind == source.Null {
			continue
		}
		all = append(all, Setting{c.Key(), s.text(field, v.Text)})
	}
	for _, v := range names {
		all = append(all, Setting{v.Value, Variable(v.Value)})
	}
	for _, p := range named {
		all = append(all, Setting{p.Key, Variable(p.Value)})
	}
	return all
}

// text reads a value of a field as the file's client does. What it does not expand is plain.
func (s *Server) text(field, v string) (out Text) {
	at := 0
	plain := func(to int) {
		if to > at {
			out = append(out, Part{Plain: v[at:to]})
		}
		at = to
	}
	for _, r := range Refs(v) {
		p := Part{Form: r.Form, Name: r.Name}
		switch s.File.Reads(r, field) {
		case Own:
		case Right:
			if r.Form == "$(command)" || r.Nested {
				continue
			}
			if r.Variable() || r.Form == "${{ secrets.VAR }}" {
				p = Part{Variable: r.Name, Defaulted: r.Default}
				if _, def, ok := strings.Cut(strings.TrimSuffix(v[r.Start:r.End], "}"), ":-"); ok && r.Default {
					p.Default = def
				}
			}
		default:
			continue
		}
		plain(r.Start)
		out = append(out, p)
		at = r.End
	}
	plain(len(v))
	return out
}
