// Package lock is mcpassay.lock: what a team approved of its servers, in one canonical form. For each server it holds how
// it is started or reached, who it says it is, and all that it exposes; approvals and signatures stand apart and point to
// digests. What is compared holds no time, host or user.
//
// Digests are SHA-256 over RFC 8785 bytes of what the wire sent (internal/canon: JSON says where integers differ).
package lock

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Version is the version of the format. A lock of a later one is refused.
const Version = 1

// FileName is the name of the file, Folder that of the folder in a user's config home in which the user's own lies.
const (
	FileName = "mcpassay.lock"
	Folder   = "mcpassay"
)

// Lock is one file.
type Lock struct {
	// Servers are in the order of their names, which are unique.
	Servers []*Server
	// Replaced are, in the same order, the last approved states of servers that were pinned again since: what a person who
	// approves is shown is what changed. The next approval takes them away.
	Replaced   []*Server
	Approvals  []Approval
	Signatures []Signature

	// Doc is what the lock was read from; nil for one that was just made.
	Doc *source.Doc
}

// Server is one server of a lock.
type Server struct {
	Name   string
	Launch Launch
	// Confinement is what it may reach when the guard starts it; nil for whatever the guard is told then.
	Confinement *Confinement
	// Package is what the launch starts, where it is a package of a registry; nil for none. Record is the record of the MCP
	// registry that the entry was made of; nil for none.
	Package *Package
	Record  *Record
	// Unpinned says that nobody asked the server yet what it exposes: the entry holds no surface, and nothing of what follows.
	Unpinned bool
	Protocol Protocol
	// Identity is what the server calls itself (serverInfo), Capabilities what it announces; canonical JSON, nil for none.
	Identity, Capabilities []byte
	// Instructions is the text that every model is given, nil where the server has none.
	Instructions *string
	// Items are the lists, each in the order in which the server sent it.
	Items [4][]Item
	// Partial says that the entry is no surface, but what another tool's file says of one; nil for a surface.
	Partial *Partial

	// Node is the server in the document that it was read from.
	Node source.Node
}

// Protocol is what was spoken when the surface was taken down.
type Protocol struct {
	Era      string `json:"era"`
	Revision string `json:"revision"`
}

// Item is one tool, prompt, resource or template as the wire sent it, in canonical form.
type Item struct {
	// Name is the item's: a resource's is its URI.
	Name string
	JSON []byte
	// Node is the item in the document that it was read from.
	Node source.Node

	sum sum
}

// sum is the digest of these very bytes: several rules ask for it, and it is most of the work of a verify.
type sum struct {
	of     []byte
	digest string
}

// Digest is the digest of the item. JSON may be replaced after it, and is not to be changed in place.
func (i *Item) Digest() string {
	if n := len(i.JSON); n == 0 || n != len(i.sum.of) || &i.JSON[0] != &i.sum.of[0] {
		i.sum = sum{i.JSON, canon.Digest(i.JSON)}
	}
	return i.sum.digest
}

// Approval says that somebody looked at what the digests stand for and agreed.
type Approval struct {
	Server  string `json:"server"`
	Launch  string `json:"launch"`
	Surface string `json:"surface"`
	By      string `json:"by,omitempty"`
	// At is RFC 3339, UTC. Expires is the last day (2006-01-02, UTC) on which the approval holds, "" for no such day.
	At      string `json:"at"`
	Expires string `json:"expires,omitempty"`
	Note    string `json:"note,omitempty"`
	// Accepted are the blocking findings that were accepted, each with its reason.
	Accepted []Accepted `json:"accepted,omitempty"`
	// Revoked says when and why the approval was taken back.
	Revoked *Revocation `json:"revoked,omitempty"`
}

// Digest is the digest of an approval, be it taken back since ("sha256:…").
func (a Approval) Digest() string {
	a.Revoked = nil
	return canon.Digest(must(a))
}

// Accepted is a rule whose finding was accepted.
type Accepted struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
}

// Revocation takes an approval back.
type Revocation struct {
	At     string `json:"at"`
	Reason string `json:"reason,omitempty"`
}

// Signature is over one server's entry: a DSSE envelope over an in-toto statement (Sign writes the statement), or Keyless.
type Signature struct {
	Server   string   `json:"server"`
	Envelope Envelope `json:"envelope,omitzero"`
	Keyless  *Keyless `json:"keyless,omitempty"`
}

// Keyless is a Sigstore bundle over the file of one server's entry (Alone). What stands beside the bundle nobody signed.
type Keyless struct {
	// By names the approval that it goes with, and Approval is that one's Digest; Subject is the digest of the file.
	By       string `json:"by"`
	Approval string `json:"approval"`
	Subject  string `json:"subject"`
	// Bundle is the bundle as its client wrote it, in canonical form.
	Bundle json.RawMessage `json:"bundle"`
}

// Envelope is DSSE 1.0: payload and signatures in base64.
type Envelope struct {
	PayloadType string         `json:"payloadType"`
	Payload     string         `json:"payload"`
	Signatures  []KeySignature `json:"signatures"`
}

// KeySignature is the signature of one key, in base64. KeyID is a hint.
type KeySignature struct {
	KeyID string `json:"keyid,omitempty"`
	Sig   string `json:"sig"`
}

// CheckName says what is wrong with the name of an entry.
func CheckName(name string) error {
	switch {
	case strings.TrimSpace(name) != name || name == "":
		return fmt.Errorf("%q is no name: it is empty, or has blanks around it", name)
	case len(name) > limits.Default.LockName:
		return fmt.Errorf("a name of %d bytes is too long: give another with --name", len(name))
	}
	return nil
}

// Get is the server of that name, nil for none.
func (l *Lock) Get(name string) *Server { return get(l.Servers, name) }

// Was is the last approved state of the server of that name, where it was pinned again since; nil for none.
func (l *Lock) Was(name string) *Server { return get(l.Replaced, name) }

func indexOf(all []*Server, name string) (int, bool) {
	return slices.BinarySearchFunc(all, name, func(s *Server, name string) int { return strings.Compare(s.Name, name) })
}

func get(all []*Server, name string) *Server {
	i, ok := indexOf(all, name)
	if !ok {
		return nil
	}
	return all[i]
}

// Put adds a server, in place of the one of its name. Where that one was approved, it is kept among the replaced.
func (l *Lock) Put(s *Server) {
	old := l.Get(s.Name)
	put(&l.Servers, s)
	switch was := l.Was(s.Name); {
	case was != nil && was.Same(s):
		l.Settle(s.Name) // back to what was approved
	case was == nil && old != nil && len(l.Approved(old)) > 0 && len(l.Approved(s)) == 0:
		put(&l.Replaced, old)
	}
}

// Drop takes a server out, with all that was said of it.
func (l *Lock) Drop(name string) {
	of := func(s *Server) bool { return s.Name == name }
	l.Servers, l.Replaced = slices.DeleteFunc(l.Servers, of), slices.DeleteFunc(l.Replaced, of)
	l.Approvals = slices.DeleteFunc(l.Approvals, func(a Approval) bool { return a.Server == name })
	l.Signatures = slices.DeleteFunc(l.Signatures, func(s Signature) bool { return s.Server == name })
}

// Settle forgets what a server was before, and the approvals of anything but what it is.
func (l *Lock) Settle(name string) {
	if i, ok := indexOf(l.Replaced, name); ok {
		l.Replaced = slices.Delete(l.Replaced, i, i+1)
	}
	s := l.Get(name)
	l.Approvals = slices.DeleteFunc(l.Approvals, func(a Approval) bool { return a.Server == name && !a.of(s) })
}

func put(all *[]*Server, s *Server) {
	i, ok := indexOf(*all, s.Name)
	if ok {
		(*all)[i] = s
		return
	}
	*all = slices.Insert(*all, i, s)
}

// Encode writes the lock. Reading and writing it again gives the same bytes.
func (l *Lock) Encode() []byte {
	var b bytes.Buffer
	if l.Doc != nil {
		b.Grow(len(l.Doc.Raw) + bytes.MinRead)
	}
	b.WriteString("{\n  \"lockVersion\": 1,\n  \"servers\": ")
	servers(&b, l.Servers)
	b.WriteString(",\n  \"replaced\": ")
	servers(&b, l.Replaced)
	b.WriteString(",\n  \"approvals\": ")
	list(&b, "  ", l.Approvals, func(a Approval) []byte { return must(a) })
	b.WriteString(",\n  \"signatures\": ")
	list(&b, "  ", l.Signatures, func(s Signature) []byte { return must(s) })
	b.WriteString("\n}\n")
	return b.Bytes()
}

func servers(b *bytes.Buffer, all []*Server) {
	b.WriteByte('{')
	for i, s := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    ")
		b.Write(must(s.Name))
		b.WriteString(": {")
		s.encode(b)
		b.WriteString("\n    }")
	}
	if len(all) > 0 {
		b.WriteString("\n  ")
	}
	b.WriteByte('}')
}

// encode writes the members of a server, a line each, and a line for each item.
func (s *Server) encode(b *bytes.Buffer) {
	first := b.Len()
	line := func(name string, value []byte) {
		if b.Len() > first {
			b.WriteByte(',')
		}
		b.WriteString("\n      " + `"` + name + `": `)
		b.Write(value)
	}
	line("launch", s.Launch.form())
	line("launchDigest", must(s.LaunchDigest()))
	if s.Confinement != nil {
		line("confinement", must(s.Confinement))
	}
	if s.Package != nil {
		line("package", s.Package.encode())
	}
	if s.Record != nil {
		line("record", must(s.Record))
	}
	if s.Unpinned {
		return
	}
	line("protocol", must(s.Protocol))
	if s.Identity != nil {
		line("identity", s.Identity)
	}
	if s.Capabilities != nil {
		line("capabilities", s.Capabilities)
	}
	if s.Instructions != nil {
		line("instructions", must(*s.Instructions))
	}
	for _, k := range wire.Lists() {
		line(k.String(), nil)
		list(b, "      ", s.Items[k], func(i Item) []byte { return i.JSON })
	}
	if s.Partial != nil {
		line("partial", s.Partial.encode())
	}
	line("surfaceDigest", must(s.SurfaceDigest()))
}

// list writes one item a line.
func list[T any](b *bytes.Buffer, indent string, all []T, form func(T) []byte) {
	b.WriteByte('[')
	for i, v := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + indent + "  ")
		b.Write(form(v))
	}
	if len(all) > 0 {
		b.WriteString("\n" + indent)
	}
	b.WriteByte(']')
}

// must is the canonical form of what always has one: strings that are text, numbers, and lists of them.
func must(v any) []byte {
	text, err := json.Marshal(v)
	if err == nil {
		text, err = canon.JSON(text)
	}
	if err != nil {
		panic(err)
	}
	return text
}

// LaunchDigest is the digest of how the server is started or reached: of the canonical form of its launch, which has the
// confinement as a member where there is one.
func (s *Server) LaunchDigest() string {
	if s.Confinement == nil {
		return canon.Digest(s.Launch.form())
	}
	return canon.Digest(must(struct {
		Launch
		Confinement *Confinement `json:"confinement"`
	}{s.Launch, s.Confinement}))
}

// SurfaceDigest is the digest of what the server exposes, whatever starts it: of the canonical form of an object with the
// protocol, capabilities, identity, instructions (null for what there is none of), and for each list the sorted digests of its
// items. The order of a list is not part of it. An entry that is no surface has its partial in the object too, so that no
// surface has the digest of one. An entry without a surface has none: it is "".
func (s *Server) SurfaceDigest() string {
	if s.Unpinned {
		return ""
	}
	sum := struct {
		Capabilities json.RawMessage     `json:"capabilities"`
		Identity     json.RawMessage     `json:"identity"`
		Instructions *string             `json:"instructions"`
		Lists        map[string][]string `json:"lists"`
		Partial      *Partial            `json:"partial,omitempty"`
		Protocol     Protocol            `json:"protocol"`
	}{s.Capabilities, s.Identity, s.Instructions, map[string][]string{}, s.Partial, s.Protocol}
	for _, k := range wire.Lists() {
		digests := make([]string, len(s.Items[k]))
		for i := range digests {
			digests[i] = s.Items[k][i].Digest()
		}
		slices.Sort(digests)
		sum.Lists[k.String()] = digests
	}
	return canon.Digest(must(sum))
}

// Same says whether launch and surface of two states are the same.
func (s *Server) Same(o *Server) bool {
	return s.LaunchDigest() == o.LaunchDigest() && s.SurfaceDigest() == o.SurfaceDigest()
}

// Part is where a part of the server ("launch", "identity", "tools") stands in the document that it was read from; the
// server itself where it has no such part.
func (s *Server) Part(name string) source.Node {
	if n := s.Node.Get(name); n.Valid() {
		return n
	}
	return s.Node
}

// of says whether the approval is one of the server as it stands, revoked or not.
func (a *Approval) of(s *Server) bool {
	return s != nil && !s.Unpinned && a.Server == s.Name && a.Launch == s.LaunchDigest() && a.Surface == s.SurfaceDigest()
}

// Approved are the approvals that hold for a server as it stands: of its digests, and not revoked. Whether one has expired
// is the caller's to say.
func (l *Lock) Approved(s *Server) (held []Approval) {
	if s.Unpinned {
		return nil
	}
	launch, surface := s.LaunchDigest(), s.SurfaceDigest()
	for _, a := range l.Approvals {
		if a.Server == s.Name && a.Launch == launch && a.Surface == surface && a.Revoked == nil {
			held = append(held, a)
		}
	}
	return held
}

// Standing is what a server's approvals come to.
type Standing string

// The standings.
const (
	Approved   Standing = "approved"
	Unapproved Standing = "unapproved" // nobody approved it
	Changed    Standing = "changed"    // another state of it was approved
	Expired    Standing = "expired"
	Revoked    Standing = "revoked"
	// Unpinned is an entry without a surface: there is nothing yet that anybody could approve.
	Unpinned Standing = "unpinned"
)

// Standing says whether an approval holds on a day, and gives those that say so.
func (l *Lock) Standing(s *Server, today time.Time) (Standing, []Approval) {
	if s.Unpinned { // what was approved of a server is not less than nothing
		others := slices.DeleteFunc(slices.Clone(l.Approvals), func(a Approval) bool { return a.Server != s.Name })
		if len(others) > 0 {
			return Changed, others
		}
		return Unpinned, nil
	}
	day := today.UTC().Format(time.DateOnly)
	launch, surface := s.LaunchDigest(), s.SurfaceDigest()
	by := map[Standing][]Approval{}
	for _, a := range l.Approvals {
		at := Approved
		switch {
		case a.Server != s.Name:
			continue
		case a.Launch != launch || a.Surface != surface:
			at = Changed
		case a.Revoked != nil:
			at = Revoked
		case a.Expires != "" && !(isDay(a.Expires) && a.Expires >= day):
			at = Expired
		}
		by[at] = append(by[at], a)
	}
	for _, at := range []Standing{Approved, Revoked, Expired, Changed} {
		if len(by[at]) > 0 {
			return at, by[at]
		}
	}
	return Unapproved, nil
}

func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// Alone is the lock that holds this server and nothing else: the file that a signature is over (its SHA-256 is the
// statement's subject), and that a person can write out and check with other tools.
func (s *Server) Alone() []byte { return (&Lock{Servers: []*Server{s}}).Encode() }
