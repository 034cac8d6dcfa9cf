package client

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/source"
)

// CannotError says why a client can not be told of a server.
type CannotError struct {
	Client *Client
	// Why goes behind the client's name: "starts no remote servers".
	Why string
}

func (e *CannotError) Error() string { return e.Client.Name + " " + e.Why }

// Dialect is how one client writes entries in one file.
type Dialect struct {
	Client *Client
	// Loc is the file's place, nil for any.
	Loc *Location
	// Format is FormatJSON, FormatJSONC, FormatTOML or FormatYAML.
	Format string
	// OS is where the client runs: linux, darwin or windows.
	OS string
}

// Dialect is the one in which the file is written.
func (f *File) Dialect(os string) Dialect {
	d := Dialect{Client: f.Client, Loc: f.Loc, OS: os, Format: FormatJSON}
	switch f.format() {
	case source.TOML:
		d.Format = FormatTOML
	case source.YAML:
		d.Format = FormatYAML
	}
	return d
}

// Shape is how servers stand below the root key.
func (d Dialect) Shape() Shape { return d.Client.ShapeOf(d.Loc) }

// Root is the path of the place that a new server goes to, ok false for a client that reads no servers from such a file.
func (d Dialect) Root() (path []string, ok bool) {
	for _, r := range d.Client.Roots(d.Loc) {
		if r.At != "/" && !strings.Contains(r.At, "*") {
			return source.PointerParts(r.At), true
		}
	}
	return nil, false
}

// Entry writes a server as the client wants it: the fields in the order in which people write them. Left are parts of
// the spec that the client has no field for and that change nothing but comfort. What it can not express is a
// *CannotError: nothing is dropped that the server needs, or that holds it back.
func (d Dialect) Entry(s Spec) (v source.Value, left []string, err error) {
	w := &writer{Dialect: d, spec: s}
	v, err = w.entry()
	return v, w.left, err
}

type writer struct {
	Dialect
	spec Spec
	out  source.Value
	left []string
}

func (w *writer) cannot(format string, args ...any) error {
	return &CannotError{w.Client, fmt.Sprintf(format, args...)}
}

func (w *writer) put(name string, v source.Value) {
	if outer, inner, nested := strings.Cut(name, "/"); nested {
		w.out = w.out.With(outer, source.Value{Kind: source.Object}.With(inner, v))
		return
	}
	w.out = w.out.With(name, v)
}

// field is the client's name for a field of ours.
func (w *writer) field(ours string) string {
	if own := w.Client.Fields[ours]; len(own) > 0 {
		return own[0]
	}
	return ours
}

// knows says whether the client has the field.
func (w *writer) knows(name string) bool {
	outer, _, _ := strings.Cut(name, "/")
	return len(w.Client.Known) == 0 || slices.Contains(w.Client.Known, outer)
}

func (w *writer) entry() (source.Value, error) {
	c, s := w.Client, w.spec
	w.out.Kind = source.Object
	if c.Kind != Program || len(c.RootKeys) == 0 {
		return w.out, w.cannot("reads no servers from a file")
	}
	if l := &c.Limits.ServerName; s.Name == "" || l.Pattern != "" && !l.Allows(s.Name) {
		return w.out, w.cannot("takes no server of this name (%s)", cmp.Or(l.Pattern, "it is empty"))
	}
	if !slices.Contains(c.Transports, s.Transport) {
		if s.Transport != Stdio && slices.Equal(c.Transports, []Transport{Stdio}) {
			return w.out, w.cannot("starts local servers only, and this one is remote")
		}
		return w.out, w.cannot("has no word for the transport %q", s.Transport)
	}
	if w.Shape() != ShapeMap || slices.Contains(c.Always, "name") {
		w.put("name", source.StringValue(s.Name))
	}
	if err := w.transport(); err != nil {
		return w.out, err
	}
	steps := []func() error{w.command, w.env, w.cwd}
	if s.Transport != Stdio {
		steps = []func() error{w.url, w.headers}
	}
	for _, step := range append(steps, w.timeout, w.off) {
		if err := step(); err != nil {
			return w.out, err
		}
	}
	return w.out, nil
}

// transport writes the word for the transport where the client wants or knows one.
func (w *writer) transport() error {
	r, t := &w.Client.Remote, w.spec.Transport
	word := ""
	for _, x := range r.Types {
		if x.Means == t {
			word = x.Word
			break
		}
	}
	if t == HTTP {
		word = cmp.Or(r.Writes, word)
	}
	switch {
	case r.TypeKey != "" && word != "" && (r.TypeRequired == "always" || t != Stdio && w.urlKey().Means != t):
		w.put(r.TypeKey, source.StringValue(word))
	case r.TypeRequired == "always":
		return w.cannot("has no word for the transport %q", t)
	case t != Stdio && w.urlKey().Means != t && r.URLWithoutType != t:
		return w.cannot("can not be told that the transport is %q", t)
	}
	return nil
}

// urlKey is the field for the address: one that settles the transport, or else the client's own.
func (w *writer) urlKey() URLKey {
	keys := w.Client.Remote.URLKeys
	for _, k := range keys {
		if k.Means == w.spec.Transport {
			return k
		}
	}
	for _, k := range keys {
		if k.Means == "" {
			return k
		}
	}
	return URLKey{Key: "url"}
}

func (w *writer) command() error {
	words := append([]Text{w.spec.Command}, w.spec.Args...)
	if len(w.spec.Command) == 1 && script(w.spec.Command[0].Plain) && w.OS == "windows" && w.Client.WindowsScripts != "yes" {
		words = append([]Text{Plain("cmd"), Plain("/c")}, words...)
	}
	if !w.spec.Command.Set() {
		return w.cannot("needs a command")
	}
	out := make([]string, 0, len(words))
	for i, t := range words {
		field := "args"
		if i == 0 {
			field = "command"
		}
		s, err := w.write(field, t)
		if err != nil {
			return err
		}
		out = append(out, s)
	}
	if len(w.Client.Command) > 0 && w.Client.Command[0] == "array" {
		w.put(w.field("command"), source.ListValue(out))
		return nil
	}
	w.put(w.field("command"), source.StringValue(out[0]))
	if len(out) > 1 {
		if !w.knows("args") {
			return w.cannot("has no field for arguments")
		}
		w.put("args", source.ListValue(out[1:]))
	}
	return nil
}

// instead is the client's field that names variables where it has no references, "" for none.
func (w *writer) instead(part string) string {
	for _, f := range w.Client.Env.Instead {
		if strings.Contains(strings.ToLower(f), part) {
			return f
		}
	}
	return ""
}

// variable is the one variable that a text consists of, behind a prefix.
func (t Text) variable(prefix string) (name string, ok bool) {
	if prefix != "" {
		if len(t) == 0 || t[0].Plain != prefix {
			return "", false
		}
		t = t[1:]
	}
	if len(t) != 1 || t[0].Variable == "" || t[0].Defaulted {
		return "", false
	}
	return t[0].Variable, true
}

func (w *writer) env() error {
	object, names := source.Value{Kind: source.Object}, []string(nil)
	for _, e := range w.spec.Env {
		if field := cmp.Or(w.instead("env_vars"), w.instead("env_keys")); field != "" {
			if name, ok := e.Value.variable(""); ok && name == e.Name {
				names = append(names, name)
				continue
			}
		}
		v, err := w.write("env", e.Value)
		if err != nil {
			return fmt.Errorf("env %s: %w", e.Name, err)
		}
		object = object.With(e.Name, source.StringValue(v))
	}
	if len(object.Members) > 0 {
		field := w.field("env")
		if !w.knows(field) {
			return w.cannot("has no field for variables")
		}
		w.put(field, object)
	}
	if len(names) > 0 {
		w.put(cmp.Or(w.instead("env_vars"), w.instead("env_keys")), source.ListValue(names))
	}
	return nil
}

func (w *writer) cwd() error {
	if !w.spec.Cwd.Set() {
		return nil
	}
	field := w.field("cwd")
	if !w.knows(field) || len(w.Client.Known) == 0 {
		return w.cannot("has no field for the folder that a server starts in")
	}
	s, err := w.write("cwd", w.spec.Cwd)
	if err == nil {
		w.put(field, source.StringValue(s))
	}
	return err
}

func (w *writer) url() error {
	if !w.spec.URL.Set() {
		return w.cannot("needs an address")
	}
	s, err := w.write("url", w.spec.URL)
	if err == nil {
		w.put(w.urlKey().Key, source.StringValue(s))
	}
	return err
}

func (w *writer) headers() error {
	object, named := source.Value{Kind: source.Object}, source.Value{Kind: source.Object}
	bearer := ""
	for _, h := range w.spec.Headers {
		if name, ok := h.Value.variable("Bearer "); ok && strings.EqualFold(h.Name, "Authorization") && w.instead("bearer") != "" && bearer == "" {
			bearer = name
			continue
		}
		if name, ok := h.Value.variable(""); ok && w.instead("http_headers") != "" {
			named = named.With(h.Name, source.StringValue(name))
			continue
		}
		v, err := w.write("headers", h.Value)
		if err != nil {
			return fmt.Errorf("header %s: %w", h.Name, err)
		}
		object = object.With(h.Name, source.StringValue(v))
	}
	if len(object.Members) > 0 {
		field := w.field("headers")
		if !w.knows(field) {
			return w.cannot("has no field for headers")
		}
		w.put(field, object)
	}
	if len(named.Members) > 0 {
		w.put(w.instead("http_headers"), named)
	}
	if bearer != "" {
		w.put(w.instead("bearer"), source.StringValue(bearer))
	}
	return nil
}

func (w *writer) timeout() error {
	if w.spec.Timeout == 0 {
		return nil
	}
	field, unit := w.Client.timeout()
	if field == "" {
		w.left = append(w.left, "timeout")
		return nil
	}
	n := strconv.FormatFloat(float64(w.spec.Timeout)/float64(unit), 'f', -1, 64)
	w.put(field, source.Value{Kind: source.Number, Text: n})
	return nil
}

// off writes the switch. A server that is off must not start because a client has none.
func (w *writer) off() error {
	c := w.Client
	boolean := func(text string) source.Value { return source.Value{Kind: source.Bool, Text: text} }
	switch {
	case !w.spec.Disabled && slices.Contains(c.Always, "enabled"):
		w.put("enabled", boolean("true"))
	case !w.spec.Disabled:
	case len(c.Safety.On) > 0:
		w.put(c.Safety.On[0], boolean("false"))
	case len(c.Safety.Off) > 0:
		w.put(c.Safety.Off[0], boolean("true"))
	default:
		return w.cannot("has no switch, and would start a server that is switched off")
	}
	return nil
}

// write spells a text in the client's grammar for a field.
func (w *writer) write(field string, t Text) (string, error) {
	e := &w.Client.Env
	forms, form := e.For(w.Format)
	f := &File{Client: w.Client, Doc: &source.Doc{Format: map[string]source.Format{FormatTOML: source.TOML, FormatYAML: source.YAML}[w.Format]}}
	var b strings.Builder
	for _, p := range t {
		switch {
		case p.Variable != "":
			spelt, err := w.variable(field, p, forms, form, len(t) > 1)
			if err != nil {
				return "", err
			}
			b.WriteString(spelt)
		case p.Name != "":
			known := slices.Contains(forms, p.Form)
			if p.Form == "${VAR}" || p.Form == "" { // a name that the client fills in itself
				known = slices.Contains(e.Builtins, p.Name)
			}
			if !known {
				return "", w.cannot("knows nothing that is called %s", p.Name)
			}
			b.WriteString(spell(p))
		default:
			for _, r := range Refs(p.Plain) {
				if read := f.Reads(r, field); read == Right || read == Own {
					return "", w.cannot("would fill in %s, which is meant as it stands", p.Plain[r.Start:r.End])
				}
			}
			b.WriteString(p.Plain)
		}
	}
	return b.String(), nil
}

// spell writes a reference that is none to a variable.
func spell(p Part) string {
	for _, hole := range []string{"VAR", "id", "key", "path"} {
		if strings.Contains(string(p.Form), hole) {
			return strings.Replace(string(p.Form), hole, p.Name, 1)
		}
	}
	return "${" + p.Name + "}"
}

func (w *writer) variable(field string, p Part, forms []Form, form Form, beside bool) (string, error) {
	if form == "" || len(w.Client.Env.Fields) > 0 && !slices.Contains(w.Client.Env.Fields, field) {
		return "", w.cannot("reads no reference to a variable (%s) in %s", p.Variable, fieldWords[field])
	}
	if p.Defaulted {
		if !slices.Contains(forms, "${VAR:-default}") {
			return "", w.cannot("knows no default for a variable (%s)", p.Variable)
		}
		return "${" + p.Variable + ":-" + p.Default + "}", nil
	}
	if form == "$VAR" && beside && slices.Contains(forms, "${VAR}") {
		form = "${VAR}"
	}
	return strings.Replace(string(form), "VAR", p.Variable, 1), nil
}

// fieldWords are the fields for people.
var fieldWords = map[string]string{"command": "the command", "args": "arguments", "env": "variables", "cwd": "the folder", "url": "the address", "headers": "headers"}

// Adapt is an entry for this one's client with the field for the address that this one has.
func (s *Server) Adapt(v source.Value) source.Value {
	keys := s.File.Client.Remote.URLKeys
	if s.URLKey == "" || !slices.ContainsFunc(keys, func(k URLKey) bool { return k.Key == s.URLKey && k.Means == "" }) {
		return v
	}
	out := source.Value{Kind: v.Kind}
	for _, m := range v.Members {
		if slices.ContainsFunc(keys, func(k URLKey) bool { return k.Key == m.Name && k.Means == "" }) {
			m.Name = s.URLKey
		}
		out.Members = append(out.Members, m)
	}
	return out
}

// Drops says which fields of the entry contradict a spec when the entry that is written for it does not have them: how
// the server is reached, and what switches it off. All others are the user's.
func (s *Server) Drops(spec Spec) func(field string) bool {
	c := s.File.Client
	owned := []string{"command", "cmd", "args", "env", "environment", "envs", "cwd", "working_directory", "url", "httpUrl", "serverUrl", "uri",
		"headers", "http_headers"}
	for _, list := range c.Fields {
		for _, f := range list {
			outer, _, _ := strings.Cut(f, "/")
			owned = append(owned, outer)
		}
	}
	owned = append(owned, c.Env.Instead...)
	if c.Remote.TypeKey != "" && spec.Transport != s.Transport {
		owned = append(owned, c.Remote.TypeKey)
	}
	if spec.Disabled != s.Disabled {
		owned = append(append(owned, c.Safety.Off...), c.Safety.On...)
	}
	return func(field string) bool {
		if n := s.Node.Get(field); !slices.Contains(owned, field) || (n.Kind() == source.Array || n.Kind() == source.Object) && n.Empty() {
			return false // empty is the same as absent
		}
		return true
	}
}
