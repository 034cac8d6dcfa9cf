package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// SurfaceVersion is the version of a saved surface.
const SurfaceVersion = 1

// ListKind is one of the lists that a server exposes.
type ListKind uint8

// The lists.
const (
	Tools ListKind = iota
	Prompts
	Resources
	Templates
	listKinds
)

// Lists are the kinds in the order in which they are asked for.
func Lists() []ListKind { return []ListKind{Tools, Prompts, Resources, Templates} }

// String is the member of a result that holds the items, and the name in a saved surface.
func (k ListKind) String() string {
	return [...]string{"tools", "prompts", "resources", "resourceTemplates"}[k]
}

// Method is the request that asks for it.
func (k ListKind) Method() string {
	return [...]string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"}[k]
}

// Capability is the capability that covers it.
func (k ListKind) Capability() string {
	return [...]string{"tools", "prompts", "resources", "resources"}[k]
}

// Protocol is what client and server agreed on.
type Protocol struct {
	// Requested and Negotiated are revisions; Negotiated is "" where there was no agreement.
	Requested  string `json:"requested"`
	Negotiated string `json:"negotiated,omitempty"`
	// Era is the lane that the surface was read in, Eras the lanes in which the server answers.
	Era  string   `json:"era,omitempty"`
	Eras []string `json:"eras"`
	// Supported are the versions that server/discover lists.
	Supported []string `json:"supportedVersions,omitempty"`
}

// Gap is a part of the surface that could not be had: never clean.
type Gap struct {
	// Part is the list ("tools"), "handshake", or "refresh".
	Part   string `json:"part"`
	Cause  Cause  `json:"cause"`
	Detail string `json:"detail,omitempty"`
	Status int    `json:"status,omitempty"`
}

// The parts of a surface that are no list. The last two are of a probe: what it could not try.
const (
	PartHandshake = "handshake"
	PartRefresh   = "refresh"
	PartErrors    = "errors"
	PartDiscovery = "discovery"
)

// The transports, as clients' configs name them.
const (
	Stdio = "stdio"
	HTTP  = "http"
	SSE   = "sse"
)

// Surface is what one server exposes, as it said it: results are the bytes of the answer. It is written as one JSON
// document which embeds them verbatim, and judged in that form alone: a saved surface gives the findings that the live
// one gave, and every finding points at bytes.
type Surface struct {
	// Label is the server's name in reports, Transport one of Stdio, HTTP and SSE.
	Label, Transport string
	// Origin is the config entry that named the server, nil for none.
	Origin *finding.Location
	// Endpoint is the URL that a probe asked (ShownURL), "" on stdio and for a scan.
	Endpoint string
	// Section is the part of the score card that a probe was limited to, "" for none. Such a surface is judged at once and
	// never saved: nobody could tell later what was left out.
	Section  string
	Protocol Protocol
	// Certificate is the fingerprint of the server's certificate, "" for none.
	Certificate string
	// Hello is the result of initialize or server/discover: capabilities, serverInfo, instructions. nil for none.
	Hello []byte
	// Pages are the results of the list requests. nil means that the list was not asked for, or not had.
	Pages [listKinds][][]byte
	// Earlier are the pages before a refresh that changed them, else nil.
	Earlier [listKinds][][]byte
	Faults  Faults
	Gaps    []Gap
	// Trials are what a probe tried beside reading the surface, in the order in which it was sent; nil for a scan.
	Trials []Tried

	// Doc is the document that the surface was read from; nil for one that was just made.
	Doc *source.Doc
}

// Encode writes the surface. It is canonical: reading and writing it again gives the same bytes.
func (s *Surface) Encode() []byte {
	size := len(s.Hello)
	for _, pages := range append(s.Pages[:], s.Earlier[:]...) {
		for _, p := range pages {
			size += len(p) + 2
		}
	}
	var b bytes.Buffer
	b.Grow(size + 4*limits.KiB)
	fmt.Fprintf(&b, "{\n\"surfaceVersion\": %d", SurfaceVersion)
	field := func(name string, v any) {
		text, err := marshal(v)
		if err != nil {
			panic(err) // strings, numbers and lists of them
		}
		fmt.Fprintf(&b, ",\n%q: %s", name, text)
	}
	field("label", s.Label)
	field("transport", s.Transport)
	if s.Origin != nil {
		field("origin", s.Origin)
	}
	if s.Endpoint != "" {
		field("endpoint", s.Endpoint)
	}
	if s.Section != "" {
		field("section", s.Section)
	}
	protocol := s.Protocol
	protocol.Eras = orEmpty(protocol.Eras)
	field("protocol", protocol)
	if s.Certificate != "" {
		field("certificate", s.Certificate)
	}
	if s.Hello != nil {
		b.WriteString(",\n\"hello\": ")
		b.Write(s.Hello)
	}
	for _, k := range Lists() {
		writePages(&b, k.String(), s.Pages[k])
	}
	if slices.ContainsFunc(s.Earlier[:], func(pages [][]byte) bool { return pages != nil }) {
		b.WriteString(",\n\"earlier\": {")
		var in bytes.Buffer
		for _, k := range Lists() {
			writePages(&in, k.String(), s.Earlier[k])
		}
		b.Write(bytes.TrimPrefix(in.Bytes(), []byte(",")))
		b.WriteString("\n}")
	}
	field("faults", orEmpty(s.Faults))
	field("incomplete", orEmpty(s.Gaps))
	if s.Trials != nil {
		b.WriteString(",\n\"trials\": [")
		for i, t := range s.Trials {
			text, err := marshal(t)
			if err != nil {
				panic(err) // a reply is the JSON that it was read from
			}
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteByte('\n')
			b.Write(text)
		}
		b.WriteString("\n]")
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

func orEmpty[S ~[]E, E any](s S) S {
	if s == nil {
		return S{}
	}
	return s
}

// marshal leaves <, > and & as they are: a saved surface is for people too.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

func writePages(b *bytes.Buffer, name string, pages [][]byte) {
	if pages == nil {
		return
	}
	fmt.Fprintf(b, ",\n%q: [", name)
	for i, p := range pages {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(p)
	}
	b.WriteString("\n]")
}

// ReadSurface reads a saved surface; path is for messages. What a person may have edited is checked: unknown members are
// ignored, wrong types are errors.
func ReadSurface(path string, raw []byte, lim limits.Set) (*Surface, error) {
	doc, err := source.Parse(path, raw, source.JSON, lim)
	if err != nil {
		return nil, err
	}
	return SurfaceOf(doc)
}

// SurfaceOf reads a surface from its document.
func SurfaceOf(doc *source.Doc) (*Surface, error) {
	s, err := surfaceAt(doc.Root())
	if s != nil {
		s.Doc = doc
	}
	return s, err
}

// CheckSurface says what of a saved surface is not what Encode writes, so that it can not be judged. A list that is
// announced and not there, with no gap to say why, is such a thing: nobody knows what is in it.
func CheckSurface(root source.Node, lim limits.Set) error {
	if n := root.Get("faults").Len(); n > lim.RuleFindings { // a scan notes a kind once for each method
		return fmt.Errorf("it has %d faults", n)
	}
	s, err := surfaceAt(root)
	if err != nil {
		return err
	}
	if root.Get("section").Valid() {
		return errors.New("it is of a part of a probe alone")
	}
	for _, k := range Lists() {
		for page := range root.Get(k.String()).Children() {
			if list := page.Get(k.String()); list.Kind() != source.Array {
				return fmt.Errorf("%s holds %s without %s", k, page.Kind(), k)
			}
		}
		announced := root.Get("hello").Get("capabilities").Get(k.Capability())
		asked := k == Tools || k != Templates && s.Trials == nil // a probe asks for the tools alone
		if asked && s.Pages[k] == nil && announced.Kind() == source.Object && s.Complete() {
			return fmt.Errorf("%s is announced and missing", k)
		}
	}
	if n := root.Get("hello"); n.Valid() && n.Kind() != source.Object {
		return fmt.Errorf("hello is %s, not an object", n.Kind())
	}
	if s.Hello == nil && s.Complete() && !slices.ContainsFunc(s.Pages[:], func(pages [][]byte) bool { return pages != nil }) {
		return errors.New("it holds no answer, and no reason why")
	}
	return nil
}

func surfaceAt(root source.Node) (*Surface, error) {
	if v, _ := root.Get("surfaceVersion").Number(); v != fmt.Sprint(SurfaceVersion) {
		return nil, fmt.Errorf("no saved surface of version %d", SurfaceVersion)
	}
	s := &Surface{}
	for name, into := range map[string]any{"label": &s.Label, "transport": &s.Transport, "origin": &s.Origin, "endpoint": &s.Endpoint, "protocol": &s.Protocol,
		"certificate": &s.Certificate, "faults": &s.Faults, "incomplete": &s.Gaps} {
		if n := root.Get(name); n.Valid() {
			if err := json.Unmarshal(n.Raw(), into); err != nil {
				return nil, fmt.Errorf("%s is of the wrong type", name)
			}
		}
	}
	for _, name := range []string{"faults", "incomplete"} { // for encoding/json null is as good as an empty list
		if n := root.Get(name); n.Valid() && n.Kind() != source.Array {
			return nil, fmt.Errorf("%s is %s, not an array", name, n.Kind())
		}
	}
	if n := root.Get("hello"); n.Valid() {
		s.Hello = n.Raw()
	}
	if err := readLists(root, &s.Pages); err != nil {
		return nil, err
	}
	var err error
	if s.Trials, err = ReadTrials(root.Get("trials"), limits.Default); err != nil {
		return nil, err
	}
	return s, readLists(root.Get("earlier"), &s.Earlier)
}

func readLists(from source.Node, into *[listKinds][][]byte) error {
	for _, k := range Lists() {
		n := from.Get(k.String())
		if !n.Valid() {
			continue
		}
		if n.Kind() != source.Array {
			return fmt.Errorf("%s is %s, not an array of results", k, n.Kind())
		}
		into[k] = [][]byte{}
		for page := range n.Children() {
			into[k] = append(into[k], page.Raw())
		}
	}
	return nil
}

// HelloNode is the result of the handshake in the document.
func (s *Surface) HelloNode() source.Node { return s.root().Get("hello") }

// Instructions is what the server tells every model that uses it.
func (s *Surface) Instructions() source.Node { return s.HelloNode().Get("instructions") }

// Capabilities is what the server announces.
func (s *Surface) Capabilities() source.Node { return s.HelloNode().Get("capabilities") }

// ServerInfo is what the server calls itself: from 2026-07-28 on it stands in the result's _meta.
func (s *Surface) ServerInfo() source.Node {
	if n := s.HelloNode().Get("serverInfo"); n.Valid() {
		return n
	}
	return s.HelloNode().Get("_meta").Get("io.modelcontextprotocol/serverInfo")
}

// PageNodes are the results of a list in the document.
func (s *Surface) PageNodes(k ListKind) []source.Node {
	return slices.Collect(s.root().Get(k.String()).Children())
}

// EarlierNodes are the results of a list before a refresh changed it.
func (s *Surface) EarlierNodes(k ListKind) []source.Node {
	return slices.Collect(s.root().Get("earlier").Get(k.String()).Children())
}

// FaultNode and GapNode are the entry of a fault or a gap in the document, for a finding to point at.
func (s *Surface) FaultNode(i int) source.Node { return s.root().Get("faults").At(i) }

// GapNode is the entry of a gap in the document.
func (s *Surface) GapNode(i int) source.Node { return s.root().Get("incomplete").At(i) }

func (s *Surface) root() source.Node {
	if s.Doc == nil {
		return source.Node{}
	}
	return s.Doc.Root()
}

// Complete says that everything that the server announces was read.
func (s *Surface) Complete() bool { return len(s.Gaps) == 0 }

// Gap notes a part that could not be had.
func (s *Surface) Gap(part string, why *Failure, lim limits.Set) {
	s.Gaps = append(s.Gaps, Gap{Part: part, Cause: why.Cause, Detail: Excerpt([]byte(why.Detail), lim), Status: why.Status})
}

// Weight is the most JSON values that text can hold.
func Weight(text []byte) int {
	n := 1
	for _, mark := range [...]string{",", "[", "{"} {
		n += bytes.Count(text, []byte(mark))
	}
	return n
}

// CheckResult looks at a result that 2026-07-28 wants more of than its items: resultType, and on what may be cached
// ttlMs and cacheScope.
func CheckResult(n source.Node) []Fault {
	var faults []Fault
	if n.Get("resultType").Kind() != source.String {
		faults = append(faults, Fault{Kind: MissingResultType})
	}
	if n.Get("ttlMs").Kind() != source.Number || bytes.HasPrefix(n.Get("ttlMs").Raw(), []byte("-")) {
		faults = append(faults, Fault{Kind: MissingTTL})
	}
	if scope := n.Get("cacheScope").Text(); scope != "public" && scope != "private" {
		faults = append(faults, Fault{Kind: MissingCacheScope})
	}
	return faults
}
