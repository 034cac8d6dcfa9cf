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

// Recognised says whether the file is a client's, by its path or by holding a map of servers.
func (f *File) Recognised() bool {
	return f.Loc != nil || len(f.Maps) > 0 || f.Err != nil
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
		for _, key := range []string{"command", "cmd", "url", "httpUrl", "serverUrl", "uri"} {
			if k := c.Get(key).Kind(); k == source.String || k == source.Array || k == source.Object && key == "command" {
				return true
			}
		}
	}
	return false
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
		made = append(made, Server{File: f, Name: name, Node: n, Scope: f.Scope, Rare: &none})
		s := &made[len(made)-1]
		if m.Project != "" {
			s.rare().Project = m.Project
		}
		if m.Scope != "" {
			s.Scope = m.Scope
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
		for _, s := range f.Servers {
			s.Display = s.Name
		}
		return
	}
	last := make(map[string]*Server, len(f.Servers)) // by name as shown
	twins := false
	for _, s := range f.Servers {
		s.Display = s.Name
		if s.Project != "" {
			s.Display = s.Name + "#projects[" + s.Project + "]"
		}
		if o := last[s.Display]; o != nil {
			twins = true
			switch {
			case !s.Node.IsMember() || o.Hidden || s.Hidden:
			case o.Node.Parent() == s.Node.Parent():
				o.Hidden = true
			case source.Equal(o.Node, s.Node):
				f.pair(o, s)
			}
		}
		last[s.Display] = s
	}
	if !twins {
		return
	}
	used := map[string]bool{}
	times := map[string]int{} // how often a name was numbered: a file may hold one ten thousand times
	for _, s := range f.Servers {
		if used[s.Display] {
			base := s.Display + "#" + f.keyOf(s)
			name := base
			for used[name] || last[name] != nil {
				times[base]++
				name = base + "#" + strconv.Itoa(times[base]+1)
			}
			s.Display = name
		}
		used[s.Display] = true
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
	b.Twin, b.Hidden = a, true
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

func str(n source.Node) Str {
	if v, ok := n.Str(); ok {
		return Str{v, n}
	}
	return Str{}
}

func strs(n source.Node) []Str {
	if n.Kind() != source.Array {
		return nil
	}
	return appendStrs(make([]Str, 0, n.Len()), n)
}

func appendStrs(out []Str, n source.Node) []Str {
	for c := range n.Children() {
		if s := str(c); s.Set() {
			out = append(out, s)
		}
	}
	return out
}

func pairs(n source.Node) []Pair {
	if n.Kind() != source.Object {
		return nil
	}
	return appendPairs(make([]Pair, 0, n.Len()), n)
}

func appendPairs(out []Pair, n source.Node) []Pair {
	for c := range n.Children() {
		if s := str(c); s.Set() && c.IsMember() {
			out = append(out, Pair{c.Key(), s})
		}
	}
	return out
}

// manyValues is where a larger allocation gains nothing.
const manyValues = 512

// slabs hold the arguments and variables of many entries in few allocations.
type slabs struct {
	strs  []Str
	pairs []Pair
	size  int // how many values one allocation holds at least
}

func (m *slabs) readStrs(n source.Node) []Str {
	if n.Kind() != source.Array {
		return nil
	}
	if need := n.Len(); cap(m.strs)-len(m.strs) < need {
		m.strs = make([]Str, 0, max(m.size, need))
	}
	start := len(m.strs)
	m.strs = appendStrs(m.strs, n)
	return slices.Clip(m.strs[start:])
}

func (m *slabs) readPairs(n source.Node) []Pair {
	if n.Kind() != source.Object {
		return nil
	}
	if need := n.Len(); cap(m.pairs)-len(m.pairs) < need {
		m.pairs = make([]Pair, 0, max(m.size, need))
	}
	start := len(m.pairs)
	m.pairs = appendPairs(m.pairs, n)
	return slices.Clip(m.pairs[start:])
}

// fields is the members of an entry by name, the last of duplicates. Entries have few members, so a list is quicker
// than a map, and one is used for all entries of a file.
type fields struct {
	keys  []string
	nodes []source.Node
	slabs slabs
	// plain says that there is nothing but command, args and env, as in most entries.
	plain bool
}

func (f *fields) read(n source.Node) {
	f.keys, f.nodes, f.plain = f.keys[:0], f.nodes[:0], true
	for c := range n.Children() {
		if c.IsMember() {
			key := c.Key()
			f.keys, f.nodes = append(f.keys, key), append(f.nodes, c)
			f.plain = f.plain && (key == "command" || key == "args" || key == "env")
		}
	}
}

func (f *fields) get(key string) source.Node {
	for i := len(f.keys) - 1; i >= 0; i-- {
		if f.keys[i] == key {
			return f.nodes[i]
		}
	}
	return source.Node{}
}

// first is the first of the client's names for a field that the entry has, and after those the names that other
// clients use: what another client would run is judged too. A slash steps into an object.
func (f *fields) first(own []string, others ...string) source.Node {
	for _, list := range [...][]string{own, others} {
		for _, key := range list {
			if outer, inner, nested := strings.Cut(key, "/"); nested {
				if n := f.get(outer).Get(inner); n.Valid() {
					return n
				}
			} else if n := f.get(key); n.Valid() {
				return n
			}
		}
	}
	return source.Node{}
}

func (s *Server) read(f *fields) {
	c := s.File.Client
	f.read(s.Node)
	switch cmd := f.first(c.Fields["command"], "command", "cmd"); cmd.Kind() {
	case source.String:
		s.Command = str(cmd)
	case source.Array:
		if words := strs(cmd); len(words) > 0 {
			s.Command, s.Args, s.ArrayCommand = words[0], words[1:], true
		}
	case source.Object: // Zed's old shape
		s.Command, s.Args = str(cmd.Get("path")), strs(cmd.Get("args"))
		s.EnvNode = cmd.Get("env")
	}
	if args := f.slabs.readStrs(f.get("args")); len(s.Args) == 0 {
		s.Args = args
	} else {
		s.Args = append(s.Args, args...)
	}
	if n := f.first(c.Fields["env"], "env", "environment", "envs"); n.Valid() {
		s.EnvNode = n
	}
	s.Env = f.slabs.readPairs(s.EnvNode)
	if !f.plain {
		s.readURL(f)
		s.readRare(f)
		s.readType(f)
		s.readSafety(f)
	} else if s.Command.Set() {
		s.Transport = Stdio
		s.plain = len(s.Args) == f.get("args").Len() && len(s.Env) == s.EnvNode.Len()
	}
	if len(c.Known) == 0 {
		return
	}
	for i, key := range f.keys {
		if !slices.Contains(c.Known, key) {
			s.rare().Foreign = append(s.Foreign, f.nodes[i])
		}
	}
}

func (s *Server) readRare(f *fields) {
	c := s.File.Client
	if n := f.first(c.Fields["headers"], "headers", "http_headers"); n.Valid() {
		s.rare().HeadersNode, s.Rare.Headers = n, pairs(n)
	}
	if n := f.get("env_http_headers"); n.Valid() {
		s.rare().EnvHeaders = pairs(n)
	}
	if n := f.get("bearer_token_env_var"); n.Valid() {
		s.rare().BearerVar = str(n)
	}
	if n := f.first(nil, "env_vars", "env_keys"); n.Valid() {
		s.rare().EnvVars = strs(n)
	}
	if n := f.first(c.Fields["cwd"], "cwd", "working_directory"); n.Valid() {
		s.rare().Cwd = str(n)
	}
	if n := f.first(nil, "envFile", "env_file"); n.Valid() {
		s.rare().EnvFile = str(n)
	}
	if n := f.first(nil, "oauth", "auth"); n.Valid() {
		s.rare().OAuth = n
	}
	if r := str(f.get("headersHelper")); r.Set() {
		s.rare().Runs = append(s.Runs, r)
	}
	for _, t := range c.Timeouts {
		if n := f.get(t.Field); n.Valid() {
			s.rare().Timeout = n
			break
		}
	}
}

// otherURLKeys are the names that clients give the address, beside this client's own.
var otherURLKeys = []string{"url", "httpUrl", "serverUrl", "uri"}

func (s *Server) readURL(f *fields) {
	for _, k := range s.File.Client.Remote.URLKeys {
		if s.setURL(f, k.Key) {
			return
		}
	}
	for _, key := range otherURLKeys {
		if s.setURL(f, key) {
			return
		}
	}
}

func (s *Server) setURL(f *fields, key string) bool {
	u := str(f.get(key))
	if u.Set() {
		s.URL, s.rare().URLKey = u, key
	}
	return u.Set()
}

// commonTypes are the transport words of the clients together, for a file whose client has no table of its own.
var commonTypes = map[string]Transport{
	"stdio": Stdio, "local": Stdio, "http": HTTP, "streamable-http": HTTP, "streamablehttp": HTTP,
	"streamable_http": HTTP, "remote": HTTP, "sse": SSE, "builtin": Builtin, "platform": Builtin,
}

// Means is what a transport word means to the file's client. Known is false for a word that it does not document.
func (f *File) Means(word string) (t Transport, known bool) {
	if f.Client == Generic || len(f.Client.Remote.Types) == 0 {
		t, known = commonTypes[strings.ToLower(word)]
		return t, known
	}
	if t, known = f.Client.Remote.Transport(word); known {
		return t, true
	}
	return commonTypes[strings.ToLower(word)], false
}

func (s *Server) readType(f *fields) {
	n := f.first(s.File.Client.typeKeys(), "type", "transport", "transportType", "server_type")
	if n.Valid() {
		s.rare().TypeNode, s.Rare.Type = n, str(n)
	}
	switch {
	case s.Type.Set():
		s.Transport, s.TypeKnown = s.File.Means(s.Type.Value)
	case s.Command.Set():
		s.Transport = Stdio
	case s.URL.Set():
		s.Transport = s.impliedTransport()
	case f.get("source").Valid() || f.get("settings").Valid():
		s.Transport = Builtin
	}
}

// typeKeys is the field that names the transport, if the client has one of its own.
func (c *Client) typeKeys() []string {
	if c.Remote.TypeKey == "" {
		return nil
	}
	return []string{c.Remote.TypeKey}
}

func (s *Server) impliedTransport() Transport {
	if s.URLKey == "httpUrl" {
		return HTTP
	}
	if s.File.Client.Remote.URLWithoutType == SSE {
		return SSE
	}
	return HTTP
}

// approvalKeys are the fields in which clients list tools that run without asking.
var approvalKeys = [...]string{"autoApprove", "alwaysAllow", "alwaysAllowed", "autoApproved"}

// Sandboxed is VS Code's field that puts a server in a sandbox, and then asks before none of its tools.
const Sandboxed = "sandboxEnabled"

func (s *Server) readSafety(f *fields) {
	c := s.File.Client
	s.readOff(f.get("disabled"), true, slices.Contains(c.Safety.Off, "disabled"))
	s.readOff(f.get("enabled"), false, slices.Contains(c.Safety.On, "enabled"))
	for _, key := range c.Safety.On {
		if key != "enabled" {
			s.readOff(f.get(key), false, true)
		}
	}
	for _, key := range approvalKeys {
		n := f.get(key)
		if !n.Valid() {
			continue
		}
		s.rare().ApproveNode, s.Rare.Approve = n, strs(n)
		all, _ := n.Bool()
		all = all || n.Text() == "*" || n.Text() == "all"
		for _, a := range s.Approve {
			all = all || strings.Trim(a.Value, " ") == "*" || a.Value == "all"
		}
		s.ApproveAll = s.ApproveAll || all
	}
	mode, trust := f.get("default_tools_approval_mode"), f.get("trust")
	if mode.Text() == "auto" || mode.Text() == "approve" {
		s.ApproveAll, s.rare().ApproveNode = true, mode
	}
	if v, _ := trust.Bool(); v {
		s.ApproveAll, s.rare().ApproveNode = true, trust
	}
	if n := f.get(Sandboxed); n.Valid() {
		if v, _ := n.Bool(); v {
			s.ApproveAll, s.rare().ApproveNode = true, n
		}
	}
}

// readOff reads a field that switches the entry off when it has the value.
func (s *Server) readOff(n source.Node, value, honoured bool) {
	if v, ok := n.Bool(); !ok || v != value {
		return
	}
	s.rare().OffNode = n
	if honoured || s.File.Client == Generic {
		s.Disabled = true
	} else {
		s.Ignored = true
	}
}

// Shadow marks the definitions that lose: of one name in one client, the strongest scope wins in its project. A
// user's own definition stays in force in other projects, so it is marked only when one project is in view.
func Shadow(files []*File) {
	type key struct{ client, name string }
	all := map[key][]*Server{}
	projects := map[string]bool{}
	scopes := map[*Client]map[string]bool{} // nothing loses where a client's definitions are all of one scope
	for _, f := range files {
		if f.Client == nil {
			continue
		}
		if scopes[f.Client] == nil {
			scopes[f.Client] = map[string]bool{}
		}
		scopes[f.Client][f.Scope] = true
		for _, m := range f.Maps {
			if m.Scope != "" {
				scopes[f.Client][m.Scope] = true
			}
		}
	}
	for _, f := range files {
		if f.Client == nil || f.Client == Generic || f.Dead() || len(scopes[f.Client]) < 2 {
			continue
		}
		for _, s := range f.Servers {
			if s.Hidden {
				continue
			}
			k := key{f.Client.ID, s.Name}
			all[k] = append(all[k], s)
			if p := s.project(); p != "" && f.Scope == ScopeProject {
				projects[p] = true
			}
		}
	}
	for _, group := range all {
		for _, s := range group {
			for _, o := range group {
				if o != s && stronger(o, s, len(projects) == 1) && (s.Shadowed == nil || stronger(o, s.Shadowed, true)) {
					s.Shadowed = o
				}
			}
		}
	}
}

// project is the folder that the definition is for, "" for every folder.
func (s *Server) project() string {
	if s.Project != "" {
		return s.Project
	}
	return s.File.Project
}

// stronger says whether a wins over b where both apply.
func stronger(a, b *Server, oneProject bool) bool {
	order := a.File.Client.Precedence
	x, y := slices.Index(order, a.Scope), slices.Index(order, b.Scope)
	if x < 0 || y < 0 || x >= y {
		return false
	}
	p, q := a.project(), b.project()
	return p == q || p == "" || q == "" && oneProject
}
