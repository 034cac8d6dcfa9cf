package card

import (
	"encoding/json"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Read finds the servers of a document. It answers nil for one that holds none. Known shapes:
//
//	{"tools": […], "prompts": […], …}                     one server; beside it "initialize", "name", "instructions"
//	{"jsonrpc": "2.0", "id": 1, "result": {"tools": […]}}  an answer, or an array of them: pages of one server
//	[{"name": …, "inputSchema": …}, …]                     the tools alone
//	{"servers": {"NAME": {"tools": […]}, …}}               several servers, also as an array with names
//	{"surfaceVersion": 1, "tools": [{"tools": […]}], …}    a saved surface (model/wire): its lists hold answers
//	{"lockVersion": 1, "servers": {"NAME": {…}}, …}        a lock (model/lock)
func Read(doc *source.Doc) *File {
	r := reader{file: &File{Path: doc.Path, Doc: doc}}
	r.document(doc.Root())
	if len(r.file.Servers) == 0 {
		return nil
	}
	return r.file
}

// ReadAt finds the cards in one answer of a document that may hold others; nil where it holds none.
func ReadAt(answer source.Node) *File {
	if !part(answer) {
		return nil
	}
	r := reader{file: &File{Path: answer.Doc().Path, Doc: answer.Doc(), Unsaved: true}}
	r.server("", answer).take(answer)
	return r.file
}

// ServerAt reads one server of a document that holds several, alone; nil where none stands there.
func ServerAt(n source.Node) *Server {
	if !part(n) {
		return nil
	}
	r := reader{file: &File{Path: n.Doc().Path, Doc: n.Doc()}}
	s := r.server(n.Key(), n)
	s.take(n)
	return s
}

type reader struct{ file *File }

func (r *reader) document(root source.Node) {
	switch root.Kind() {
	case source.Object:
		if r.several(root.Get("servers")) {
			return
		}
		if part(root) {
			r.server(root.Get("name").Text(), root).take(root)
		}
	case source.Array:
		r.array(root)
	}
}

// several reads a map or a list of servers, each with cards of its own.
func (r *reader) several(list source.Node) bool {
	if list.Kind() != source.Object && list.Kind() != source.Array {
		return false
	}
	var unread []source.Node
	for n := range list.Children() {
		if !part(n) || len(r.file.Servers) == limits.Default.SurfaceServers {
			unread = append(unread, n)
			continue
		}
		name := n.Key()
		if !n.IsMember() {
			name = n.Get("name").Text()
		}
		r.server(name, n).take(n)
	}
	if len(r.file.Servers) == 0 {
		return false
	}
	r.file.Unread = unread
	return true
}

// array reads pages of one server, or its tools.
func (r *reader) array(root source.Node) {
	var one *Server
	for n := range root.Children() {
		page := part(n)
		if !page && !bare(n) {
			continue
		}
		if one == nil {
			one = r.server("", root)
		}
		if page {
			one.take(n)
		} else {
			one.add(Tool, n)
		}
	}
	if one == nil {
		return
	}
	// What is neither a page nor a tool, among those that are, would else be left out without a word.
	for n := range root.Children() {
		if !part(n) && !bare(n) && n.Get("jsonrpc").Kind() == source.Invalid {
			one.Strays = append(one.Strays, n)
		}
	}
}

func (r *reader) server(name string, n source.Node) *Server {
	s := &Server{File: r.file, Name: name, Node: n}
	r.file.Servers = append(r.file.Servers, s)
	return s
}

// bare says whether a value is a tool that stands by itself.
func bare(n source.Node) bool {
	return n.Get("name").Kind() == source.String && n.Get("inputSchema").Valid()
}

// part says whether a value holds a list of cards, or is an answer that does, or what a server says of itself.
func part(n source.Node) bool {
	if n.Kind() != source.Object {
		return false
	}
	for _, key := range lists {
		if n.Get(key).Kind() == source.Array {
			return true
		}
	}
	if Saved(n) || n.Get("protocolVersion").Kind() == source.String && n.Get("serverInfo").Kind() == source.Object {
		return true
	}
	if result := n.Get("result"); result.Kind() == source.Object {
		return part(result)
	}
	return false
}

// Saved says whether a value is a saved surface.
func Saved(n source.Node) bool { return n.Get("surfaceVersion").Kind() == source.Number }

// takeSaved adds what a saved surface says: its lists hold the answers to list requests.
func (s *Server) takeSaved(n source.Node) {
	s.Saved = true
	if label := n.Get("label").Text(); label != "" {
		s.Name = label
	}
	s.Transport = n.Get("transport").Text()
	s.Protocol = n.Get("protocol")
	s.Faults, s.Gaps, s.Trials = n.Get("faults"), n.Get("incomplete"), n.Get("trials")
	for _, o := range s.File.Servers {
		same := o != s && o.Name == s.Name && o.Transport == s.Transport && string(o.Node.Get("endpoint").Raw()) == string(n.Get("endpoint").Raw())
		s.Lane = s.Lane || same && s.Trials.Valid() && o.Trials.Valid() && o.Protocol.Get("era").Text() != s.Protocol.Get("era").Text()
	}
	if origin := n.Get("origin"); origin.Kind() == source.Object {
		if l := new(finding.Location); json.Unmarshal(origin.Raw(), l) == nil && l.Path != "" {
			s.Origin = l
		}
	}
	s.describe(n.Get("hello"))
	if v := s.Protocol.Get("negotiated").Text(); v != "" {
		s.Revision = v
	}
	for k, key := range lists {
		for page := range n.Get(key).Children() {
			s.Pages = append(s.Pages, page)
			for item := range page.Get(key).Children() {
				s.add(Kind(k), item)
			}
		}
	}
}

// take adds what one object says of the server: lists of cards, the answer to initialize, or an answer around them.
func (s *Server) take(n source.Node) {
	if Saved(n) {
		s.takeSaved(n)
		return
	}
	if result := n.Get("result"); result.Kind() == source.Object {
		n = result
	}
	for _, of := range []source.Node{n, n.Get("initialize"), n.Get("discover")} {
		s.describe(of)
	}
	if v := n.Get("plugin"); v.Kind() == source.String {
		s.Plugin = v.Text()
	}
	if n.Get("surfaceDigest").Kind() == source.String { // an entry of mcpassay.lock (model/lock)
		s.Info, s.Revision, s.Transport = n.Get("identity"), n.Get("protocol").Get("revision").Text(), n.Get("launch").Get("transport").Text()
	}
	s.Pages = append(s.Pages, n)
	for k, key := range lists {
		for item := range n.Get(key).Children() {
			s.add(Kind(k), item)
		}
	}
}

func (s *Server) describe(n source.Node) {
	if v := n.Get("protocolVersion"); v.Kind() == source.String {
		s.Revision = v.Text()
	}
	if v := n.Get("capabilities"); v.Kind() == source.Object {
		s.Capabilities = v
	}
	v := n.Get("serverInfo")
	if !v.Valid() { // from 2026-07-28 on
		v = n.Get("_meta").Get("io.modelcontextprotocol/serverInfo")
	}
	if v.Kind() == source.Object {
		s.Info = v
		if s.Name == "" {
			s.Name = v.Get("name").Text()
		}
	}
	if v := n.Get("instructions"); v.Kind() == source.String {
		s.Instructions = v
	}
}
