package client

import (
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Load parses raw and reads its servers. What can not be parsed leaves Err; everything else leaves Doc.
func (f *File) Load(raw []byte, lim limits.Set) {
	doc, err := source.Parse(f.Path, raw, f.format(), lim)
	if err != nil {
		if !errors.As(err, &f.Err) {
			f.Err = &source.SyntaxError{Path: f.Path, Msg: err.Error(), Cause: "syntax", Line: 1, Column: 1}
		}
		return
	}
	f.Doc = doc
	if f.Client == nil {
		f.Client, f.Guessed = guess(doc), true
	}
	f.findMaps()
	for _, m := range f.Maps {
		f.readMap(m)
	}
	if len(f.Maps) == 0 && f.Loc == nil {
		f.readLone(doc.Root())
	}
	f.display()
	f.readInputs()
}

// format is the location's, the client's, or what the file's name says.
func (f *File) format() source.Format {
	switch strings.ToLower(path.Ext(f.Path)) {
	case ".toml":
		return source.TOML
	case ".yaml", ".yml":
		return source.YAML
	case ".json", ".jsonc", ".json5":
		return source.JSON
	}
	if f.Client != nil {
		switch f.Client.FormatOf(f.Loc) {
		case "toml":
			return source.TOML
		case "yaml":
			return source.YAML
		}
	}
	return source.JSON
}

// Generic stands for the client of a file that no client's path or shape names: it reads what most clients read,
// and nothing that clients disagree about is judged by it.
var Generic = &Client{ID: "", Name: "this client", RootKeys: []string{"mcpServers", "servers"}, Shape: "map",
	Format: "json", Comments: "unverified", BOM: "unknown", Command: []string{"string", "array"},
	Env: EnvRefs{Expands: "unknown", Unset: "unknown", Confidence: Low}, Confidence: Low}

// rootClients are the clients that a root key gives away.
var rootClients = []struct{ at, id string }{
	{"/amp.mcpServers", "amp"}, {"/context_servers", "zed"}, {"/mcp_servers", "codex"}, {"/extensions", "goose"},
}

// guess is the client of a file of any name, by its shape.
func guess(doc *source.Doc) *Client {
	for _, r := range rootClients {
		if n := doc.Lookup(r.at); entries(n) {
			if c, ok := ByID(r.id); ok && (r.id != "goose" || doc.Format == source.YAML) {
				return c
			}
		}
	}
	if n := doc.Lookup("/mcp"); entries(n) {
		if c, ok := ByID("opencode"); ok {
			return c
		}
	}
	return Generic
}

// Recognised says whether the file is a client's, by its path or by holding servers.
func (f *File) Recognised() bool {
	return f.Loc != nil || len(f.Maps) > 0 || len(f.Servers) > 0 || f.Err != nil
}

// Mixed says that the file also holds other settings, so that having no servers in it is no fault.
func (f *File) Mixed() bool { return f.Loc != nil && f.Loc.Mixed }

// Dead says that no client reads the file.
func (f *File) Dead() bool { return f.Loc != nil && f.Loc.Reads == ReadsNo }

// findMaps finds the places with servers: those that the client reads, and beside them the two root keys that
// other clients read, since a decoy must not hide the map that a client loads.
func (f *File) findMaps() {
	root := f.Doc.Root()
	if root.Kind() != source.Object {
		return
	}
	for _, r := range f.roots() {
		if strings.Trim(r.At, "/") != "" {
			f.addMaps(root, strings.Split(r.At, "/")[1:], Map{Wanted: true, Scope: r.Scope})
		} else if len(f.Maps) == 0 && entries(root) { // the whole file is the map
			f.Maps = append(f.Maps, Map{Wanted: true, Scope: r.Scope, Node: root})
		}
	}
	for _, key := range []string{"mcpServers", "servers"} {
		if f.wants("/" + key) {
			continue
		}
		for _, n := range root.All(key) {
			if !f.Mixed() || entries(n) {
				f.Maps = append(f.Maps, Map{Key: key, Node: n})
			}
		}
	}
	if len(f.Maps) == 0 && f.Loc != nil && !f.Mixed() {
		f.findUnread(root)
	}
	slices.SortStableFunc(f.Maps, func(a, b Map) int { return a.Node.Span().Start - b.Node.Span().Start })
}

// findUnread finds the servers of a file that has no key that any client reads: under another key, or without one.
// No client starts them, and what they hold is judged all the same.
func (f *File) findUnread(root source.Node) {
	if entries(root) {
		f.Maps = append(f.Maps, Map{Node: root})
		return
	}
	for n := range root.Children() {
		if entries(n) {
			f.Maps = append(f.Maps, Map{Key: n.Key(), Node: n})
		}
	}
}

// roots are the places that the client reads in this file.
func (f *File) roots() []Root {
	if f.rootsOf == nil {
		f.rootsOf = f.Client.Roots(f.Loc)
	}
	return f.rootsOf
}

func (f *File) wants(at string) bool {
	return slices.ContainsFunc(f.roots(), func(r Root) bool { return r.At == at })
}

// Expected is the name of the place that the client reads first, "" for one that reads no servers from files.
func (f *File) Expected() string {
	if r := f.roots(); len(r) > 0 {
		return strings.TrimPrefix(r[0].At, "/")
	}
	return ""
}

func (f *File) addMaps(n source.Node, path []string, m Map) {
	if len(path) == 0 {
		m.Node = n
		f.Maps = append(f.Maps, m)
		return
	}
	if path[0] == "*" {
		for c := range n.Children() {
			if c.IsMember() {
				inner := m
				inner.Project = c.Key()
				f.addMaps(c, path[1:], inner)
			}
		}
		return
	}
	for _, c := range n.All(strings.ReplaceAll(strings.ReplaceAll(path[0], "~1", "/"), "~0", "~")) {
		inner := m
		if inner.Key != "" {
			inner.Key += "."
		}
		inner.Key += c.Key()
		f.addMaps(c, path[1:], inner)
	}
}

// entries says whether a value looks like a map (or a list) of servers: one entry at least has a launch or a URL.
func entries(n source.Node) bool {
	if n.Kind() != source.Object && n.Kind() != source.Array {
		return false
	}
	for c := range n.Children() {
		if isEntry(c) {
			return true
		}
	}
	return false
}

// isEntry says whether a value has a launch or a URL.
func isEntry(n source.Node) bool {
	for _, key := range []string{"command", "cmd", "url", "httpUrl", "serverUrl", "uri"} {
		if k := n.Get(key).Kind(); k == source.String || k == source.Array || k == source.Object && key == "command" {
			return true
		}
	}
	return false
}

// readLone reads a file that is one server and names it itself: {"name": …, "command": …}.
func (f *File) readLone(n source.Node) {
	if name := n.Get("name").Text(); name != "" && isEntry(n) {
		s := &Server{File: f, Name: name, Node: n, Rare: &none}
		s.read(&fields{slabs: slabs{size: 1}})
		f.Servers = append(f.Servers, s)
	}
}

func (f *File) readMap(m Map) {
	count := m.Node.Len()
	f.Servers = slices.Grow(f.Servers, count)
	made := make([]Server, 0, count) // one allocation for all
	members := fields{slabs: slabs{size: min(count*2, manyValues)}}
	hidden := m.Node.Overridden()
	for n := range m.Node.Children() {
		if n.Kind() != source.Object {
			continue
		}
		name := n.Key()
		if !n.IsMember() { // a list: each item names itself
			name = n.Get("name").Text()
		}
		made = made[:len(made)+1]
		s := &made[len(made)-1]
		s.File, s.Name, s.Node, s.Rare = f, name, n, &none
		if m.Project != "" {
			s.rare().Project = m.Project
		}
		if m.Scope != "" {
			s.rare().scope = m.Scope
		}
		s.Hidden = hidden
		s.read(&members)
		f.Servers = append(f.Servers, s)
	}
}

// display gives every server a name that is unique in its file: the copy under a second root key becomes
// "name#key", with "#" appended until no server has that name (seed warden-doctor, section 1). Of two entries of one
// name in one map the first is hidden.
func (f *File) display() {
	if len(f.Maps) == 1 && f.Maps[0].Project == "" && f.Maps[0].Node.Kind() == source.Object && !f.Maps[0].Node.Repeats() {
		return
	}
	last := make(map[string]*Server, len(f.Servers)) // by name as shown
	twins := false
	for _, s := range f.Servers {
		if s.Project != "" {
			s.rare().display = s.Name + "#projects[" + s.Project + "]"
		}
		if o := last[s.Display()]; o != nil {
			twins = true
			switch {
			case !s.Node.IsMember() || o.Hidden || s.Hidden:
			case o.Node.Parent() == s.Node.Parent():
				o.Hidden = true
			case source.Equal(o.Node, s.Node):
				f.pair(o, s)
			}
		}
		last[s.Display()] = s
	}
	if !twins {
		return
	}
	used := map[string]bool{}
	times := map[string]int{} // how often a name was numbered: a file may hold one ten thousand times
	for _, s := range f.Servers {
		if used[s.Display()] {
			base := s.Display() + "#" + f.keyOf(s)
			name := base
			for used[name] || last[name] != nil {
				times[base]++
				name = base + "#" + strconv.Itoa(times[base]+1)
			}
			s.rare().display = name
		}
		used[s.Display()] = true
	}
}

// pair lets one of two entries with one name and one body stand for both: the one that the client reads, or else the
// first.
func (f *File) pair(a, b *Server) {
	for _, m := range f.Maps {
		if m.Wanted && m.Node == b.Node.Parent() {
			a, b = b, a
			break
		} else if m.Wanted && m.Node == a.Node.Parent() {
			break
		}
	}
	b.rare().Twin, b.Hidden = a, true
}

func (f *File) keyOf(s *Server) string { return s.Node.Parent().Key() }

func (f *File) readInputs() {
	for n := range f.Doc.Root().Get("inputs").Children() {
		in := Input{Node: n, ID: str(n.Get("id")), Default: str(n.Get("default"))}
		if n.Kind() == source.Object {
			f.Inputs = append(f.Inputs, in)
		}
	}
}
