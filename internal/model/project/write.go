package project

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Value is a server as the file writes it.
func (s *Server) Value() source.Value {
	v := source.Value{Kind: source.Object}
	put := func(key, text string) {
		if text != "" {
			v = v.With(key, source.StringValue(text))
		}
	}
	switch s.Kind {
	case Registry:
		if s.Of != s.Name {
			put(keyServer, s.Of)
		}
	case Package:
		put(keyPackage, s.Coordinate())
	case Remote:
		put(keyURL, s.URL)
	case Command:
		put(keyCommand, s.Command)
	}
	put(keyVersion, s.Version)
	if s.Transport != transports[0] {
		put(keyTransport, s.Transport)
	}
	if len(s.Args) > 0 {
		v = v.With(keyArgs, source.ListValue(s.Args))
	}
	if len(s.Profiles) > 0 {
		v = v.With(keyProfiles, source.ListValue(s.Profiles))
	}
	variables := func(key string, all []Variable) {
		if len(all) == 0 {
			return
		}
		o := source.Value{Kind: source.Object}
		for _, x := range all {
			o = o.With(x.Name, x.value())
		}
		v = v.With(key, o)
	}
	variables(keyEnv, s.Env)
	variables(keyHeaders, s.Headers)
	return v
}

func (v *Variable) value() source.Value {
	if v.Value != "" && !v.Required && !v.Secret {
		return source.StringValue(v.Value)
	}
	o := source.Value{Kind: source.Object}
	yes := source.Value{Kind: source.Bool, Text: "true"}
	if v.Required {
		o = o.With(keyRequired, yes)
	}
	if v.Secret {
		o = o.With(keySecret, yes)
	}
	if v.Defaulted {
		o = o.With(keyDefault, source.StringValue(v.Default))
	}
	if v.Value != "" {
		o = o.With(keyValue, source.StringValue(v.Value))
	}
	return o
}

// ErrSame says that a file says already what it was to say.
var ErrSame = errors.New("the file says so already")

// New is a project file without servers.
const New = "version: \"1\"\nservers: {}\n"

// Put gives the text of a project file with a server in it: a new one behind the others, or, where there is one of its
// name, with what differs changed. No other byte changes. The error is ErrSame where nothing is to be done.
func Put(path string, raw []byte, s Server, lim limits.Set) ([]byte, error) {
	doc, servers, err := open(path, raw, lim)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(servers, func(o Server) bool { return o.Name == s.Name })
	if i < 0 {
		edits, _, err := doc.Put([]string{"servers"}, false, s.Name, s.Value())
		if err != nil {
			return nil, fmt.Errorf("servers can not hold it: %w", err)
		}
		now, err := source.Apply(doc.Raw, edits)
		if err != nil {
			return nil, err
		}
		return now, holds(doc, now, s.Name, &s, lim)
	}
	want := s.Value()
	if servers[i].Value().String() == want.String() {
		return nil, ErrSame
	}
	now := raw
	for next, n := doc, servers[i].Node; ; n = next.Root().Get("servers").Get(s.Name) {
		if n.Kind() == source.Null {
			return nil, fmt.Errorf("what %s says stands nowhere: write {} behind its name", quote(s.Name))
		}
		edits, err := n.Next(want, func(string) bool { return true })
		if err != nil {
			return nil, fmt.Errorf("what %s says can not be changed: %w", quote(s.Name), err)
		}
		if len(edits) == 0 {
			return now, holds(doc, now, s.Name, &s, lim)
		}
		if now, err = source.Apply(now, edits); err == nil {
			next, err = source.Parse(path, now, source.YAML, lim)
		}
		if err != nil {
			return nil, err
		}
		if lim.EditSteps--; lim.EditSteps <= 0 {
			return nil, errors.New("it would take too many edits")
		}
	}
}

// Take gives the text without the server. The error is ErrSame where there is none of that name.
func Take(path string, raw []byte, name string, lim limits.Set) (now []byte, err error) {
	doc, servers, err := open(path, raw, lim)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(servers, func(o Server) bool { return o.Name == name })
	if i < 0 {
		return nil, ErrSame
	}
	if servers[i].Node.Shared() {
		return nil, fmt.Errorf("%s is written once and used in several places", quote(name))
	}
	if end := servers[i].Node.Span().End; servers[i].Node.Span().Len() > 0 { // a comment behind it on its line is its own
		rest, _, _ := strings.Cut(string(doc.Raw[end:]), "\n")
		if comment := strings.TrimLeft(rest, " \t"); strings.HasPrefix(comment, "#") && slices.ContainsFunc(doc.Comments, func(c finding.Span) bool { return c.Start == end+len(rest)-len(comment) }) {
			cut, err := source.Apply(doc.Raw, []finding.Edit{{Offset: end, Length: len(strings.TrimRight(rest, "\r"))}})
			if err != nil {
				return nil, err
			}
			if now, err = Take(path, cut, name, lim); err != nil {
				return nil, err
			}
			return now, holds(doc, now, name, nil, lim)
		}
	}
	undo := source.Undo{}
	if servers[i].Node.Parent().Len() == 1 {
		undo = source.Undo{Holder: "/servers", Was: " {}", Held: true}
	}
	now, err = source.Apply(doc.Raw, servers[i].Node.Take(undo))
	if err != nil {
		return nil, err
	}
	return now, holds(doc, now, name, nil, lim)
}

// Arm adds what may be installed to the end of a file that says nothing of it.
func Arm(raw []byte, in Install) []byte {
	var b strings.Builder
	b.Write(raw)
	if n := len(raw); n > 0 && raw[n-1] != '\n' {
		b.WriteByte('\n')
	}
	b.WriteString("install:\n")
	if in.MinTrust > 0 {
		fmt.Fprintf(&b, "  %s: %d\n", keyMinTrust, in.MinTrust)
	}
	if in.MinReleaseAge > 0 {
		fmt.Fprintf(&b, "  %s: %dh\n", keyMinAge, in.MinReleaseAge/time.Hour)
	}
	fmt.Fprintf(&b, "  %s: %v\n  %s: %v\n", keyScripts, in.BlockInstallScripts, keyURLs, in.URLServers)
	return []byte(b.String())
}

// FaultsError are the faults of a project file.
type FaultsError struct {
	Doc    *source.Doc
	Faults []Fault
}

func (e *FaultsError) Error() string {
	line, column := e.Doc.Position(e.Faults[0].At.Start)
	return fmt.Sprintf("line %d, column %d: %s: %s", line, column, e.Faults[0].Msg, e.Faults[0].Hint)
}

func open(path string, raw []byte, lim limits.Set) (*source.Doc, []Server, error) {
	doc, err := source.Parse(path, raw, source.YAML, lim)
	if err != nil {
		return nil, nil, err
	}
	servers, _, faults := Read(doc.Root())
	if len(faults) > 0 {
		return nil, nil, &FaultsError{doc, faults}
	}
	return doc, servers, nil
}

// holds says whether the result is the file with the server as it is meant, nil for none, and with nothing else changed.
func holds(before *source.Doc, now []byte, name string, want *Server, lim limits.Set) error {
	after, servers, err := open(before.Path, now, lim)
	if err != nil {
		return fmt.Errorf("the result could not be read: %w", err)
	}
	i := slices.IndexFunc(servers, func(o Server) bool { return o.Name == name })
	switch {
	case want == nil && i >= 0, want != nil && (i < 0 || servers[i].Value().String() != want.Value().String()):
		return fmt.Errorf("the result would not say of %s what is meant", quote(name))
	case !slices.Equal(rest(before, name), rest(after, name)):
		return fmt.Errorf("the edit would change more than %s", quote(name))
	}
	return nil
}

// rest are the values and the comments of a project file outside of one server.
func rest(d *source.Doc, name string) (all []string) {
	server := d.Root().Get("servers").Get(name)
	own := server.Span()
	if server.Valid() { // a comment behind it on its line is its own
		own.Start = server.KeySpan().Start
		for own.End < len(d.Raw) && d.Raw[own.End] != '\n' && d.Raw[own.End] != '\r' {
			own.End++
		}
	}
	var walk func(n source.Node)
	walk = func(n source.Node) {
		if server.Valid() && n == server {
			return
		}
		switch n.Kind() {
		case source.Object, source.Array:
			for c := range n.Children() {
				walk(c)
			}
		case source.Invalid, source.Null:
		default:
			all = append(all, n.Pointer()+" "+source.ValueOf(n).String())
		}
	}
	walk(d.Root())
	for _, c := range d.Comments {
		if !server.Valid() || c.Start < own.Start || c.End > own.End {
			all = append(all, strings.TrimRight(string(d.Raw[c.Start:c.End]), "\r\n"))
		}
	}
	return all
}
