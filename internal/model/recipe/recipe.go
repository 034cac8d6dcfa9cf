// Package recipe makes a way to start or reach a server of what a registry says of it: the launch line with its version
// pinned, the arguments and variables that the record asks for. It is one function for whoever locks a server and whoever
// writes it into a client, so that what was locked is what is written.
//
// A record is a stranger's: nothing in it may bring another package, another registry, a folder of this machine or a
// reference to a variable into the launch.
//
// Sources: server.json 2025-12-11; mcpm-contracts, "Config & lockfile formats" (npm identifier@version, PyPI ===, images by
// digest).
package recipe

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Choice is the one of several ways to have a server that is taken. One of both is not nil.
type Choice struct {
	Package *registry.Package
	Remote  *registry.Transport
}

// order is which package is taken before others (mcpm: npm, PyPI, OCI, then the first that can be started at all).
var order = [...]pkg.Type{pkg.NPM, pkg.PyPI, pkg.OCI, pkg.NuGet}

// Startable is nil for a type of which a client can start a package by its name and version.
func Startable(t pkg.Type) error {
	if slices.Contains(order[:], t) {
		return nil
	}
	return fmt.Errorf("no client starts a package of the type %q: install it yourself, and declare the command that starts it", t)
}

// Choose takes a way to have the server of a record: a package that is spoken with over stdio, else an address. Why says what
// is wrong with all of them.
func Choose(rec *registry.Record) (c Choice, err error) {
	var why []string
	for _, t := range order {
		for i := range rec.Packages {
			if p := &rec.Packages[i]; pkg.Type(p.Type) == t && (p.Transport.Type == "" || p.Transport.Type == string(client.Stdio)) {
				return Choice{Package: p}, nil
			}
		}
	}
	for _, p := range rec.Packages {
		switch {
		case !slices.Contains(order[:], pkg.Type(p.Type)):
			why = append(why, Startable(pkg.Type(p.Type)).Error())
		case p.Transport.Type == remoteHTTP || p.Transport.Type == remoteSSE:
			why = append(why, fmt.Sprintf("its package %s waits for connections (%s), and no client starts one that does", p.Identifier, p.Transport.Type))
		default:
			why = append(why, fmt.Sprintf("its package %s has the transport %q, which is none of stdio, streamable-http and sse", p.Identifier, p.Transport.Type))
		}
	}
	for _, t := range [...]string{remoteHTTP, remoteSSE} {
		for i := range rec.Remotes {
			if rec.Remotes[i].Type == t {
				return Choice{Remote: &rec.Remotes[i]}, nil
			}
		}
	}
	for _, r := range rec.Remotes {
		why = append(why, fmt.Sprintf("it has an address of the transport %q, which is neither streamable-http nor sse", r.Type))
	}
	if len(why) == 0 {
		why = []string{"its record names neither a package nor an address"}
	}
	return c, errors.New(strings.Join(why, "; "))
}

// The words of server.json for the transports of remote servers.
const (
	remoteHTTP = "streamable-http"
	remoteSSE  = "sse"
)

// Made is a server ready to be locked or written.
type Made struct {
	client.Spec
	// Values are those of variables and headers that the record itself gives, none of them a secret.
	Values map[string]string
}

// Local is how a package is started. pin is what its version resolved to, with what the project file says of the server: its
// arguments stand behind those of the record, or in their place where those want a value that the record does not give.
func Local(p *registry.Package, pin *pkg.Pin, s *project.Server) (*Made, error) {
	m := &maker{Made: Made{Spec: client.Spec{Name: s.Name, Transport: client.Stdio}}}
	if pin.Type == pkg.OCI && len(pin.Files) != 1 {
		return nil, errors.New("its image is known by no digest")
	}
	if !plainVersion(pin.Version) && pin.Type != pkg.OCI {
		return nil, fmt.Errorf("its version %q can not stand in a launch line", pin.Version)
	}
	if err := m.variables(p.Env, s.Env); err != nil {
		return nil, err
	}
	runtime, err := m.arguments(p.RuntimeArgs)
	if err != nil {
		return nil, err
	}
	own, err := m.arguments(p.Args)
	if err != nil {
		return nil, err
	}
	var head []client.Text
	switch pin.Type {
	case pkg.NPM:
		m.Command, head, err = client.Plain("npx"), texts("-y", p.Identifier+"@"+pin.Version), npx(runtime, p.Identifier)
	case pkg.PyPI:
		m.Command = client.Plain("uvx")
		head, err = uvx(runtime, own, p.Identifier, p.Identifier+"==="+pin.Version)
	case pkg.NuGet:
		m.Command, head, err = client.Plain("dnx"), texts(p.Identifier+"@"+pin.Version, "--yes"), npx(runtime, p.Identifier)
		if len(own)+len(s.Args) > 0 { // without it dnx takes what follows for its own: another source, another folder of tools
			head = append(head, client.Plain("--"))
		}
	case pkg.OCI:
		m.Command = client.Plain("docker")
		head, err = m.docker(runtime, pin)
	default:
		return nil, Startable(pin.Type)
	}
	if err != nil {
		return nil, err
	}
	if len(s.Args) > 0 && slices.ContainsFunc(own, asks) {
		own = nil // who writes arguments gives what the record's own want
	}
	m.Args = append(head, own...)
	for _, a := range s.Args {
		m.Args = append(m.Args, project.Text(a))
	}
	return &m.Made, nil
}

// asks says that a word is not known before somebody sets a variable.
func asks(t client.Text) bool {
	return slices.ContainsFunc(t, func(p client.Part) bool { return p.Variable != "" })
}

// Remote is how an address of a record is reached.
func Remote(t *registry.Transport, s *project.Server) (*Made, error) {
	m := &maker{Made: Made{Spec: client.Spec{Name: s.Name, Transport: client.HTTP}}}
	if t.Type == remoteSSE {
		m.Transport = client.SSE
	}
	var err error
	if m.URL, err = m.fill(t.URL, t.Variables); err != nil {
		return nil, err
	}
	if len(m.URL) == 0 || m.URL[0].Variable != "" || !strings.HasPrefix(m.URL[0].Plain, "https://") && !strings.HasPrefix(m.URL[0].Plain, "http://") {
		return nil, errors.New("the address in its record is none")
	}
	for _, h := range t.Headers {
		if !token(h.Name) {
			return nil, fmt.Errorf("a header in its record has no name that a header has")
		}
		v, fixed, err := m.value(h, h.Name)
		if err != nil {
			return nil, err
		}
		if v.Set() {
			m.Headers = append(m.Headers, client.Setting{Name: h.Name, Value: v})
			m.fixed(h.Name, fixed)
		}
	}
	m.Headers = m.declared(m.Headers, s.Headers, true)
	return &m.Made, nil
}

// Declared is how a server is reached or started of which the project file alone says how.
func Declared(s *project.Server) *Made {
	m := &maker{Made: Made{Spec: client.Spec{Name: s.Name, Transport: client.Stdio}}}
	if s.Kind == project.Remote {
		m.Transport = client.HTTP
		if s.Transport != "" {
			m.Transport = client.Transport(s.Transport)
		}
		m.URL, m.Headers = project.Text(s.URL), m.declared(nil, s.Headers, true)
		return &m.Made
	}
	m.Command, m.Env = project.Text(s.Command), m.declared(nil, s.Env, false)
	for _, a := range s.Args {
		m.Args = append(m.Args, project.Text(a))
	}
	return &m.Made
}

// maker gathers a server.
type maker struct{ Made }

func (m *maker) fixed(name, value string) {
	if value == "" {
		return
	}
	if m.Values == nil {
		m.Values = map[string]string{}
	}
	m.Values[name] = value
}

// variables are those that the record needs or sets, and those that the project file names.
func (m *maker) variables(of []registry.Input, own []project.Variable) error {
	for _, in := range of {
		if !envName(in.Name) {
			return fmt.Errorf("a variable in its record has no name that a variable has")
		}
		v, fixed, err := m.value(in, in.Name)
		if err != nil {
			return err
		}
		if !v.Set() {
			continue
		}
		given := slices.ContainsFunc(v, func(p client.Part) bool { return p.Variable == "" }) // a part of it is as good as all
		if given && (launch.LoadsCode(in.Name) || launch.FindsPrograms(in.Name)) {
			return fmt.Errorf("its record sets the variable %s, which decides what code runs or whom it trusts", in.Name)
		}
		m.Env = append(m.Env, client.Setting{Name: in.Name, Value: v})
		m.fixed(in.Name, fixed)
	}
	m.Env = m.declared(m.Env, own, false)
	return nil
}

// declared adds what the project file says of variables or headers: its word goes before the record's.
func (m *maker) declared(all []client.Setting, own []project.Variable, fold bool) []client.Setting {
	for _, o := range own {
		v := o.Text(fold, false)
		i := slices.IndexFunc(all, func(s client.Setting) bool { return s.Name == o.Name || fold && strings.EqualFold(s.Name, o.Name) })
		switch {
		case i < 0:
			all = append(all, client.Setting{Name: o.Name, Value: v})
		case o.Defaulted, o.Value != "":
			all[i].Value = v
			delete(m.Values, all[i].Name)
		}
	}
	return all
}

// value is what a variable or a header is set to: what the record says, else a reference for what it needs, else nothing.
// fixed is the value where the record gives all of it.
func (m *maker) value(in registry.Input, name string) (v client.Text, fixed string, err error) {
	given := in.Value
	if given == "" && in.Required && !in.Secret {
		given = in.Default
	}
	if given != "" && (in.Secret && len(in.Variables) == 0 || len(secret.Value(name, given)) > 0) {
		given = "" // a token that a publisher left there is nobody's to use
	}
	if given == "" {
		if in.Required || in.Value != "" {
			return client.Variable(NameOf(name)), "", nil
		}
		return nil, "", nil
	}
	if v, err = m.fill(given, in.Variables); err != nil {
		return nil, "", err
	}
	if len(v) == 1 && v[0].Variable == "" {
		fixed = v[0].Plain
	}
	return v, fixed, nil
}

// fill puts variables of a record into their places: {name} is its value or its default, or else a reference.
func (m *maker) fill(text string, variables []registry.Input) (out client.Text, err error) {
	plain := func(s string) {
		if n := len(out); n > 0 && out[n-1].Variable == "" && s != "" {
			out[n-1].Plain += s
		} else {
			out = append(out, client.Plain(s)...)
		}
	}
	for {
		before, rest, ok := strings.Cut(text, "{")
		name, after, closed := strings.Cut(rest, "}")
		i := slices.IndexFunc(variables, func(v registry.Input) bool { return v.Name == name })
		switch {
		case !ok:
			plain(text)
			return out, harmless(out)
		case !closed || i < 0:
			plain(before + "{")
			text = rest
			continue
		}
		plain(before)
		text = after
		v := variables[i]
		given := v.Value
		if given == "" {
			given = v.Default
		}
		if given != "" && !v.Secret && len(secret.Value(v.Name, given)) == 0 {
			plain(given)
			continue
		}
		if NameOf(name) == "" {
			return nil, fmt.Errorf("its record needs a value by the name %q, which no variable can have", name)
		}
		out = append(out, client.Part{Variable: NameOf(name)})
	}
}

// harmless refuses a text of a record in which a client would find more than the references that were made of its variables.
func harmless(t client.Text) error {
	for i, p := range t {
		if p.Variable != "" {
			continue
		}
		if len(client.Refs(p.Plain)) > 0 || i+1 < len(t) && strings.ContainsAny(p.Plain[len(p.Plain)-1:], "$%{") {
			return fmt.Errorf("its record holds a reference to a variable (%q), which a client would fill in", p.Plain)
		}
		if strings.ContainsFunc(p.Plain, text.Unsafe) {
			return errors.New("its record holds a character that nobody sees, or that drives a terminal, where a launch line has none")
		}
	}
	return nil
}

// arguments are the words of a record. What a user may give and need not is left out.
func (m *maker) arguments(all []registry.Input) (words []client.Text, err error) {
	for _, in := range all {
		named := in.Kind == "named"
		if named && (in.Name == "" || strings.ContainsFunc(in.Name, unicode.IsSpace) || strings.ContainsFunc(in.Name, text.Unsafe) || len(client.Refs(in.Name)) > 0) {
			return nil, fmt.Errorf("an argument of its record has no name that an argument has")
		}
		given := in.Value
		if given == "" && in.Required {
			given = in.Default
		}
		if in.Format == "boolean" && named && len(in.Variables) == 0 {
			if given == "true" {
				words = append(words, client.Plain(in.Name))
			}
			continue
		}
		var v client.Text
		switch {
		case given != "":
			if v, err = m.fill(given, in.Variables); err != nil {
				return nil, err
			}
		case named && !in.Required && in.Default == "" && in.Placeholder == "" && in.Hint == "" && in.Format == "" && len(in.Choices) == 0 && !in.Secret:
			words = append(words, client.Plain(in.Name)) // a flag that takes nothing (--rm)
			continue
		case in.Required:
			ask := NameOf(in.Hint)
			if ask == "" {
				ask = NameOf(in.Name)
			}
			if ask == "" {
				return nil, errors.New("its record needs an argument, and has no name for it")
			}
			v = client.Variable(ask)
		default:
			continue
		}
		if named {
			words = append(words, client.Plain(in.Name))
		}
		words = append(words, v)
	}
	return words, nil
}

func texts(all ...string) (out []client.Text) {
	for _, s := range all {
		out = append(out, client.Plain(s))
	}
	return out
}

// NameOf is the variable of the environment that a name of a record or a header stands for: in capitals, with "_" for what
// no such name holds. It is "" where nothing is left.
func NameOf(name string) string { return project.VariableFor(name) }

func envName(s string) bool {
	for i, r := range s {
		if !(r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || i > 0 && r >= '0' && r <= '9') {
			return false
		}
	}
	return s != ""
}

// token says that a text is a name of a header (RFC 9110, section 5.6.2).
func token(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)) || r == '$'
	})
}

// plainVersion says that a version holds nothing but what versions hold.
func plainVersion(v string) bool {
	return v != "" && v[0] != '-' && !strings.ContainsFunc(v, func(r rune) bool {
		return !(r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune(".+-_!", r))
	})
}
