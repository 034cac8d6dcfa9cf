package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Error says why a lock can not be relied on, and where.
type Error struct {
	// Line counts from 1, 0 for the whole file.
	Line int
	Msg  string
	Hint string
	// Node is the place in the document, not Valid where there is none.
	Node source.Node
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return "line " + strconv.Itoa(e.Line) + ": " + e.Msg
	}
	return e.Msg
}

// Read reads a lock. It is refused unless it is exactly what Encode writes: nobody edits a lock by hand, and what is not
// compared could not be relied on. path is for messages.
func Read(path string, raw []byte, lim limits.Set) (*Lock, error) {
	if at := marker(raw); at > 0 {
		return nil, &Error{Line: at, Msg: "a merge left its marks here", Hint: "take one side, then mcpassay pin what the other changed"}
	}
	doc, err := source.Parse(path, raw, source.JSON, lim)
	if err != nil {
		var syntax *source.SyntaxError
		if errors.As(err, &syntax) {
			return nil, &Error{Line: syntax.Line, Msg: syntax.Msg, Hint: "take the file from version control again"}
		}
		return nil, err
	}
	return Of(doc)
}

// Of reads a lock from its document.
func Of(doc *source.Doc) (*Lock, error) {
	root := doc.Root()
	version, _ := root.Get("lockVersion").Number()
	switch n, err := strconv.Atoi(version); {
	case err != nil || n < 1:
		return nil, &Error{Msg: "it has no lockVersion: this is no mcpassay.lock", Hint: "mcpassay pin writes one"}
	case n > Version:
		return nil, &Error{Msg: fmt.Sprintf("it was written by a later mcpassay (lockVersion %d, and %d is the last that this one knows)", n, Version), Hint: "install the mcpassay that wrote it"}
	}
	l := &Lock{Doc: doc}
	var err error
	if l.Servers, err = serversAt(root.Get("servers")); err != nil {
		return nil, err
	}
	if l.Replaced, err = serversAt(root.Get("replaced")); err != nil {
		return nil, err
	}
	for _, part := range []struct {
		name string
		into any
	}{{"approvals", &l.Approvals}, {"signatures", &l.Signatures}} {
		n := root.Get(part.name)
		for one := range n.Children() {
			if !canon.Is(one.Raw()) {
				return nil, wrong(one, "an item of "+part.name+" is not in its canonical form")
			}
		}
		if json.Unmarshal(n.Raw(), part.into) != nil {
			return nil, wrong(n, part.name+" is not what mcpassay writes")
		}
	}
	for _, s := range l.Signatures {
		if (s.Keyless == nil) == (s.Envelope.Payload == "") {
			return nil, wrong(root.Get("signatures"), "a signature of "+s.Server+" is neither an envelope nor a bundle")
		}
	}
	if again := l.Encode(); !bytes.Equal(again, doc.Raw) {
		return nil, &Error{Line: firstDifference(again, doc.Raw), Msg: "this is not what mcpassay writes: somebody edited the file", Hint: "take the file from version control again"}
	}
	return l, nil
}

// serversAt reads a map of servers, which must stand in their order and have the digests that they say.
func serversAt(of source.Node) ([]*Server, error) {
	var all []*Server
	for n := range of.Children() {
		s, err := serverAt(n)
		if err != nil {
			return nil, wrong(n, n.Key()+": "+err.Error())
		}
		if i := len(all) - 1; i >= 0 && all[i].Name == s.Name {
			return nil, wrong(n, "the server "+s.Name+" stands here twice")
		}
		all = append(all, s)
		for _, digest := range [...][2]string{{"launchDigest", s.LaunchDigest()}, {"surfaceDigest", s.SurfaceDigest()}} {
			if at := n.Get(digest[0]); at.Text() != digest[1] || at.Valid() == (digest[1] == "") {
				return nil, wrong(at, s.Name+": the "+digest[0]+" is not that of what stands here")
			}
		}
	}
	if !slices.IsSortedFunc(all, byName) {
		return nil, wrong(of, "the servers are not in the order of their names")
	}
	return all, nil
}

func byName(a, b *Server) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) }

func wrong(n source.Node, msg string) *Error {
	e := &Error{Msg: msg, Hint: "take the file from version control again", Node: n}
	if n.Valid() {
		e.Line = n.Doc().Locate(n.Span(), "").Line
	}
	return e
}

func serverAt(n source.Node) (*Server, error) {
	s := &Server{Name: n.Key(), Node: n}
	for _, part := range []struct {
		name string
		into any
	}{{"launch", &s.Launch}, {"confinement", &s.Confinement}, {"package", &s.Package}, {"record", &s.Record}, {"protocol", &s.Protocol}} {
		v := n.Get(part.name)
		if !v.Valid() && part.name != "launch" {
			continue
		}
		if json.Unmarshal(v.Raw(), part.into) != nil {
			return nil, errors.New(part.name + " is not what mcpassay writes")
		}
	}
	if err := errors.Join(s.Confinement.check(), s.Package.check(), s.Record.check()); err != nil {
		return nil, err
	}
	if s.Unpinned = !slices.ContainsFunc(surfaceMembers(), func(name string) bool { return n.Get(name).Valid() }); s.Unpinned {
		return s, nil
	}
	if !n.Get("protocol").Valid() {
		return nil, errors.New("protocol is not what mcpassay writes")
	}
	for _, part := range []struct {
		name string
		into *[]byte
	}{{"identity", &s.Identity}, {"capabilities", &s.Capabilities}} {
		if v := n.Get(part.name); v.Valid() {
			if !canon.Is(v.Raw()) {
				return nil, errors.New(part.name + " is not in its canonical form")
			}
			*part.into = v.Raw()
		}
	}
	if v := n.Get("instructions"); v.Valid() {
		text := v.Text()
		s.Instructions = &text
	}
	if v := n.Get("partial"); v.Valid() {
		if json.Unmarshal(v.Raw(), &s.Partial) != nil || s.Partial == nil || s.Partial.From == "" {
			return nil, errors.New("partial is not what mcpassay writes")
		}
	}
	for _, k := range wire.Lists() {
		of := n.Get(k.String())
		if of.Kind() != source.Array {
			return nil, fmt.Errorf("%s is %s", k, of.Kind())
		}
		for item := range of.Children() {
			if item.Kind() != source.Object || !canon.Is(item.Raw()) {
				return nil, fmt.Errorf("an item of %s is not in its canonical form", k)
			}
			s.Items[k] = append(s.Items[k], Item{Name: nameOf(k, item), JSON: item.Raw(), Node: item})
		}
	}
	return s, nil
}

// surfaceMembers are the members of an entry that are its surface: it has all that it needs of them, or none.
func surfaceMembers() []string {
	all := []string{"protocol", "identity", "capabilities", "instructions", "partial", "surfaceDigest"}
	for _, k := range wire.Lists() {
		all = append(all, k.String())
	}
	return all
}

func nameOf(k wire.ListKind, n source.Node) string {
	switch k {
	case wire.Resources:
		return n.Get("uri").Text()
	case wire.Templates:
		return n.Get("uriTemplate").Text()
	}
	return n.Get("name").Text()
}

// marker is the line of a mark that a merge left, 0 for none.
func marker(raw []byte) int {
	line := 0
	for l := range bytes.Lines(raw) {
		line++
		for _, mark := range []string{"<<<<<<< ", "=======\n", ">>>>>>> ", "||||||| "} {
			if bytes.HasPrefix(l, []byte(mark)) {
				return line
			}
		}
	}
	return 0
}

func firstDifference(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return 1 + bytes.Count(b[:n], []byte("\n"))
}
