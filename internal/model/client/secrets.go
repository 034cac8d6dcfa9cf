package client

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Secret is a literal credential in an entry.
type Secret struct {
	secret.Hit
	// Field is env, headers, url, args, command, run, input or other; Key the variable or header.
	Field, Key string
	// Value is the string that holds it, at bytes Start to End of its text.
	Value Str
}

// Secrets finds the credentials of an entry, wherever a client reads a string from.
func (s *Server) Secrets() []Secret {
	d := s.shared()
	if d.secretsDone {
		return d.secrets
	}
	d.secretsDone = true
	look := &d.look
	look.entry = s.Node
	keep := func(field, key string, v Str, hits []secret.Hit) {
		for _, h := range hits {
			d.secrets = append(d.secrets, Secret{h, field, key, v})
		}
	}
	add := func(field, key string, v Str, hits []secret.Hit) {
		look.at(v.Node)
		keep(field, key, v, hits)
	}
	for _, p := range s.Env {
		add("env", p.Key, p.Str, secret.Value(p.Key, p.Value))
	}
	for _, p := range s.Headers {
		add("headers", p.Key, p.Str, secret.Header(p.Key, p.Value))
	}
	if s.URL.Set() {
		add("url", s.URLKey, s.URL, secret.URL(s.URL.Value))
	}
	args := s.words()[1:]
	for _, a := range s.Args {
		look.at(a.Node)
	}
	for _, h := range secret.Args(args) {
		add("args", "", s.Args[h.Index], []secret.Hit{h.Hit})
	}
	if s.Command.Set() {
		add("command", "", s.Command, line(s.Command.Value))
	}
	for _, r := range s.Runs {
		add("run", r.Node.Key(), r, line(r.Value))
	}
	// A field that names a variable holds a token when people take it for the token's own place.
	if v := s.BearerVar; v.Set() {
		add("other", nameOf(v.Node), v, secret.Text(v.Value))
	}
	for _, v := range s.EnvVars {
		add("other", nameOf(v.Node), v, secret.Text(v.Value))
	}
	for _, p := range s.EnvHeaders {
		add("other", p.Key, p.Str, secret.Text(p.Value))
	}
	if !s.plain {
		s.rest(s.Node, look, keep)
	}
	return d.secrets
}

// line finds the secrets of a whole command line.
func line(text string) []secret.Hit {
	var hits []secret.Hit
	for _, h := range secret.Args([]string{text}) {
		hits = append(hits, h.Hit)
	}
	return hits
}

// Secrets finds the credentials that stand as the default of an input.
func (in *Input) Secrets() []Secret {
	var out []Secret
	for _, h := range secret.Value(in.ID.Value, in.Default.Value) {
		out = append(out, Secret{h, "input", in.ID.Value, in.Default})
	}
	return out
}

// looked is what was looked at with the knowledge of its place: fields of the entry, and all the strings of some of its
// lists and objects.
type looked struct {
	entry         source.Node
	fields, whole []source.Node
}

func (l *looked) at(n source.Node) {
	p := n.Parent()
	switch last := len(l.whole) - 1; {
	case p == l.entry:
		l.fields = append(l.fields, n)
	case last < 0 || l.whole[last] != p:
		l.whole = append(l.whole, p)
	}
}

// rest looks at every other string of the entry under its own name (oauth.clientSecret, bearer_token, settings).
func (s *Server) rest(n source.Node, done *looked, keep func(field, key string, v Str, hits []secret.Hit)) {
	whole := slices.Contains(done.whole, n)
	for c := range n.Children() {
		switch c.Kind() {
		case source.String:
			if key := nameOf(c); !whole && key != "" && !slices.Contains(done.fields, c) {
				keep("other", key, str(c), secret.Value(key, c.Text()))
			}
		case source.Object, source.Array:
			s.rest(c, done, keep)
		}
	}
}

// nameOf is the name of a value, or for an item of a list the list's.
func nameOf(n source.Node) string {
	for n.Valid() && !n.IsMember() {
		n = n.Parent()
	}
	return n.Key()
}

// SecretSpan is where one secret stands in the bytes of a file.
type SecretSpan struct {
	finding.Span
	Kind secret.Kind
}

// SecretSpans is where the secrets of the whole file stand, in servers and in any other setting, for whoever shows
// the file's text. Order and overlaps are as they come.
func (f *File) SecretSpans() []SecretSpan {
	var spans []SecretSpan
	mark := func(v source.Node, h secret.Hit) {
		in, ok := v.Inner()
		if !ok {
			spans = append(spans, SecretSpan{v.Span(), h.Kind})
			return
		}
		spans = append(spans, SecretSpan{finding.Span{Start: in.Start + h.Start, End: in.Start + h.End}, h.Kind})
	}
	for _, s := range f.Servers {
		for _, x := range s.Secrets() {
			mark(x.Value.Node, x.Hit)
		}
	}
	for n := range f.Doc.Nodes() {
		if n.IsMember() {
			if hits := secret.Text(n.Key()); len(hits) > 0 {
				spans = append(spans, SecretSpan{n.KeySpan(), hits[0].Kind}) // a name, which should not hold one
			}
		}
		if n.Kind() == source.String {
			for _, h := range secret.Value(nameOf(n), n.Text()) {
				mark(n, h)
			}
		}
	}
	return spans
}
