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
	// Field is env, headers, url, args, command, run, oauth, input or other; Key the variable or header.
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
	var seen []source.Node // what was looked at with the knowledge of its place
	add := func(field, key string, v Str, hits []secret.Hit) {
		seen = append(seen, v.Node)
		for _, h := range hits {
			d.secrets = append(d.secrets, Secret{h, field, key, v})
		}
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
	args := make([]string, len(s.Args))
	for i, a := range s.Args {
		args[i] = a.Value
		seen = append(seen, a.Node)
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
	for _, v := range slices.Concat([]Str{s.BearerVar}, s.EnvVars) {
		if v.Set() {
			add("other", nameOf(v.Node), v, secret.Text(v.Value))
		}
	}
	for _, p := range s.EnvHeaders {
		add("other", p.Key, p.Str, secret.Text(p.Value))
	}
	s.rest(s.Node, &seen, add)
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

// rest looks at every other string of the entry under its own name (oauth.clientSecret, bearer_token, settings).
func (s *Server) rest(n source.Node, seen *[]source.Node, add func(field, key string, v Str, hits []secret.Hit)) {
	for c := range n.Children() {
		switch c.Kind() {
		case source.String:
			if key := nameOf(c); !slices.Contains(*seen, c) && key != "" {
				add("other", key, str(c), secret.Value(key, c.Text()))
			}
		case source.Object, source.Array:
			s.rest(c, seen, add)
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

// SecretSpans is where the secrets of the whole file stand, in servers and in any other setting, for whoever shows
// the file's text. Order and overlaps are as they come.
func (f *File) SecretSpans() []finding.Span {
	var spans []finding.Span
	mark := func(v source.Node, h secret.Hit) {
		in, start := v.Span(), 0
		if raw := v.Raw(); len(raw) > 0 && len(v.Text()) == len(raw)-2 {
			start = 1
		} else if len(raw) != len(v.Text()) {
			spans = append(spans, in)
			return
		}
		spans = append(spans, finding.Span{Start: in.Start + start + h.Start, End: in.Start + start + h.End})
	}
	for _, s := range f.Servers {
		for _, x := range s.Secrets() {
			mark(x.Value.Node, x.Hit)
		}
	}
	for n := range f.Doc.Nodes() {
		if n.Kind() == source.String {
			for _, h := range secret.Value(nameOf(n), n.Text()) {
				mark(n, h)
			}
		}
	}
	return spans
}
