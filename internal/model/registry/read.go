package registry

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// ReadPage reads a listing, or the versions of one server. The error is words for an *Error of the kind Malformed.
func ReadPage(raw []byte, lim limits.Set) (*Page, error) {
	root, err := object(raw, lim)
	if err != nil {
		return nil, err
	}
	list := root.Get("servers")
	switch list.Kind() {
	case source.Array:
	case source.Null: // what Go writes for a list of none
	default:
		return nil, errors.New("it lists no servers: " + kindAt(root, "servers"))
	}
	p := &Page{}
	for n := range list.Children() {
		rec, err := read(n, lim)
		if err != nil {
			p.Bad = append(p.Bad, Fault{n.Pointer(), err.Error()})
			continue
		}
		p.Records = append(p.Records, rec)
	}
	switch next := root.Get("metadata").Get("nextCursor"); next.Kind() {
	case source.Invalid, source.Null:
	case source.String:
		if p.Next = next.Text(); len(p.Next) > lim.CursorBytes {
			return nil, fmt.Errorf("the cursor of the next page has more than %d bytes", lim.CursorBytes)
		}
	default:
		return nil, errors.New("the cursor of the next page is " + next.Kind().String())
	}
	return p, nil
}

// ReadRecord reads the answer about one version.
func ReadRecord(raw []byte, lim limits.Set) (*Record, error) {
	root, err := object(raw, lim)
	if err != nil {
		return nil, err
	}
	return read(root, lim)
}

// Problem is what an error answer says of itself (RFC 9457), "" for nothing.
func Problem(raw []byte, lim limits.Set) string {
	root, err := object(raw, lim)
	if err != nil {
		return ""
	}
	words := root.Get("detail").Text()
	if words == "" {
		words = root.Get("title").Text()
	}
	return wire.Excerpt([]byte(words), lim)
}

func object(raw []byte, lim limits.Set) (source.Node, error) {
	lim.Depth = lim.DocumentDepth
	doc, err := source.Parse("answer", raw, source.JSON, lim)
	switch {
	case err != nil && wire.LooksLikeHTML(raw):
		return source.Node{}, errors.New("it is a web page, not JSON")
	case err != nil:
		return source.Node{}, fmt.Errorf("it is no JSON: %w", err)
	case !doc.Strict:
		return source.Node{}, errors.New("it is no strict JSON")
	case doc.BadText.Len() > 0:
		return source.Node{}, errors.New("it is no UTF-8")
	case doc.Root().Kind() != source.Object:
		return source.Node{}, errors.New("it is no JSON object")
	}
	return doc.Root(), nil
}

func kindAt(n source.Node, key string) string {
	if !n.Get(key).Valid() {
		return key + " is absent"
	}
	return key + " is " + n.Get(key).Kind().String()
}

// read reads {"server": …, "_meta": …}.
func read(n source.Node, lim limits.Set) (*Record, error) {
	s := n.Get("server")
	if n.Kind() != source.Object || s.Kind() != source.Object {
		return nil, errors.New("it is no record: " + kindAt(n, "server"))
	}
	rec, r, err := describe(s, lim)
	if err != nil {
		return nil, err
	}
	rec.Official = r.official(n)
	rec.Faults = r.faults
	return rec, nil
}

// FromManifest reads a server.json as a publisher has it: what the registry itself says stands in none.
func FromManifest(s source.Node, lim limits.Set) (*Record, error) {
	rec, r, err := describe(s, lim)
	if err != nil {
		return nil, err
	}
	rec.Faults = r.faults
	return rec, nil
}

// describe reads what a publisher says.
func describe(s source.Node, lim limits.Set) (*Record, *reader, error) {
	r := &reader{at: s, lim: lim}
	rec := &Record{Node: s, Schema: r.text(s, "$schema"), Name: r.text(s, "name"), Title: r.text(s, "title"), Description: r.text(s, "description"),
		Version: r.text(s, "version"), Website: r.text(s, "websiteUrl")}
	switch {
	case rec.Name == "":
		return nil, nil, errors.New("it is no record: it has no name")
	case rec.Version == "":
		return nil, nil, fmt.Errorf("it is no record: %s has no version", wire.Excerpt([]byte(rec.Name), lim))
	}
	if !GoodName(rec.Name) {
		r.fault(s.Get("name"), "no name that a server may have")
	}
	if LooksLatest(rec.Version) {
		r.fault(s.Get("version"), "latest is no version")
	}
	repo := r.object(s, "repository")
	rec.Repository = Repository{URL: r.text(repo, "url"), Source: r.text(repo, "source"), ID: r.text(repo, "id"), Subfolder: r.text(repo, "subfolder")}
	for p := range r.list(s, "packages") {
		rec.Packages = append(rec.Packages, Package{Type: strings.ToLower(r.text(p, "registryType")), BaseURL: r.text(p, "registryBaseUrl"),
			Identifier: r.text(p, "identifier"), Version: r.text(p, "version"), FileSHA256: strings.ToLower(r.text(p, "fileSha256")),
			RuntimeHint: r.text(p, "runtimeHint"), Transport: r.transport(r.object(p, "transport")), RuntimeArgs: r.inputs(p, "runtimeArguments"),
			Args: r.inputs(p, "packageArguments"), Env: r.inputs(p, "environmentVariables")})
	}
	for t := range r.list(s, "remotes") {
		rec.Remotes = append(rec.Remotes, r.transport(t))
	}
	for c := range s.Children() {
		if c.Overridden() {
			r.fault(c, "it stands here twice; the last one counts")
		}
	}
	return rec, r, nil
}

type reader struct {
	at     source.Node // the record
	lim    limits.Set
	faults []Fault
}

// fault notes what is wrong. Pointers are those of the server.json.
func (r *reader) fault(n source.Node, detail string) {
	if len(r.faults) == r.lim.ShownFaults {
		return
	}
	r.faults = append(r.faults, Fault{strings.TrimPrefix(n.Pointer(), r.at.Pointer()), detail})
}

func absent(n source.Node) bool { return !n.Valid() || n.Kind() == source.Null }

func (r *reader) text(n source.Node, key string) string {
	v := n.Get(key)
	if absent(v) {
		return ""
	}
	s, ok := v.Str()
	if !ok {
		r.fault(v, "it is "+v.Kind().String()+", not a string")
	}
	return s
}

// flag reads a boolean. The word "true" counts too: of what is a secret or needed, nothing is taken lightly.
func (r *reader) flag(n source.Node, key string) bool {
	v := n.Get(key)
	if absent(v) {
		return false
	}
	yes, ok := v.Bool()
	if !ok {
		r.fault(v, "it is "+v.Kind().String()+", not a boolean")
		return strings.EqualFold(v.Text(), "true")
	}
	return yes
}

func (r *reader) object(n source.Node, key string) source.Node {
	v := n.Get(key)
	switch {
	case absent(v):
		return source.Node{}
	case v.Kind() != source.Object:
		r.fault(v, "it is "+v.Kind().String()+", not an object")
		return source.Node{}
	}
	return v
}

// list gives the objects of a list.
func (r *reader) list(n source.Node, key string) func(yield func(source.Node) bool) {
	return func(yield func(source.Node) bool) {
		v := n.Get(key)
		if absent(v) {
			return
		}
		if v.Kind() != source.Array {
			r.fault(v, "it is "+v.Kind().String()+", not a list")
			return
		}
		for c := range v.Children() {
			if c.Kind() != source.Object {
				r.fault(c, "it is "+c.Kind().String()+", not an object")
				continue
			}
			if !yield(c) {
				return
			}
		}
	}
}

func (r *reader) transport(n source.Node) Transport {
	return Transport{Type: r.text(n, "type"), URL: r.text(n, "url"), Headers: r.inputs(n, "headers"), Variables: r.variables(n)}
}

func (r *reader) inputs(n source.Node, key string) (all []Input) {
	for c := range r.list(n, key) {
		in := r.input(c)
		in.Kind, in.Name, in.Hint, in.Repeated = r.text(c, "type"), r.text(c, "name"), r.text(c, "valueHint"), r.flag(c, "isRepeated")
		in.Variables = r.variables(c)
		all = append(all, in)
	}
	return all
}

func (r *reader) variables(n source.Node) (all []Input) {
	for c := range r.object(n, "variables").Children() {
		if c.Kind() != source.Object {
			r.fault(c, "it is "+c.Kind().String()+", not an object")
			continue
		}
		in := r.input(c)
		in.Name = c.Key()
		all = append(all, in)
	}
	return all
}

func (r *reader) input(n source.Node) Input {
	in := Input{Description: r.text(n, "description"), Value: r.text(n, "value"), Default: r.text(n, "default"), Placeholder: r.text(n, "placeholder"),
		Format: r.text(n, "format"), Required: r.flag(n, "isRequired"), Secret: r.flag(n, "isSecret")}
	choices := n.Get("choices")
	if !absent(choices) && choices.Kind() != source.Array {
		r.fault(choices, "it is "+choices.Kind().String()+", not a list")
	}
	for c := range choices.Children() {
		if s, ok := c.Str(); ok {
			in.Choices = append(in.Choices, s)
		}
	}
	return in
}

// official reads what the registry itself says, which stands beside the server.json.
func (r *reader) official(entry source.Node) (o Official) {
	meta := r.object(entry, "_meta")
	said := r.object(meta, official)
	if !said.Valid() {
		r.faults = append(r.faults, Fault{"", "the registry says nothing of its state"})
		return o
	}
	return Official{Present: true, Status: Status(strings.ToLower(strings.TrimSpace(r.text(said, "status")))), Message: r.text(said, "statusMessage"),
		Changed: r.time(said, "statusChangedAt"), Published: r.time(said, "publishedAt"), Updated: r.time(said, "updatedAt"), Latest: r.flag(said, "isLatest")}
}

func (r *reader) time(n source.Node, key string) time.Time {
	s := r.text(n, key)
	if s == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		r.fault(n.Get(key), "it is no time (RFC 3339)")
	}
	return t
}
