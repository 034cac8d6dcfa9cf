package client

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/source"
)

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
	rares []Rare
	size  int // how many values one allocation holds at least
}

// fewRares is how many entries there are for each that an allocation makes room for something rare of: it is large.
const fewRares = 8

func (m *slabs) rare() *Rare {
	if len(m.rares) == cap(m.rares) {
		m.rares = make([]Rare, 0, max(1, m.size/fewRares))
	}
	m.rares = m.rares[:len(m.rares)+1]
	return &m.rares[len(m.rares)-1]
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

// ownFields is a row's Fields and Known as the reader asks for them, entry by entry.
type ownFields struct {
	command, env, headers, cwd []string
	// plain says that command, args and env are fields that the client knows.
	plain bool
}

func (c *Client) ownFields() ownFields {
	knows := func(field string) bool { return slices.Contains(c.Known, field) }
	return ownFields{command: c.Fields["command"], env: c.Fields["env"], headers: c.Fields["headers"], cwd: c.Fields["cwd"],
		plain: knows("command") && knows("args") && knows("env")}
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
	switch cmd := f.first(c.own.command, "command", "cmd"); cmd.Kind() {
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
	s.guarded()
	if n := f.first(c.own.env, "env", "environment", "envs"); n.Valid() {
		s.EnvNode = n
	}
	s.Env = f.slabs.readPairs(s.EnvNode)
	if !f.plain {
		if s.Rare == &none {
			s.Rare = f.slabs.rare()
		}
		s.readURL(f)
		s.readRare(f)
		s.readType(f)
		s.readSafety(f)
	} else if s.Command.Set() {
		s.Transport = Stdio
		s.plain = len(s.Args) == f.get("args").Len() && len(s.Env) == s.EnvNode.Len()
	}
	if len(c.Known) == 0 || f.plain && c.own.plain {
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
	if n := f.first(c.own.headers, "headers", "http_headers"); n.Valid() {
		s.rare().HeadersNode, s.Rare.Headers = n, f.slabs.readPairs(n)
	}
	if n := f.get("env_http_headers"); n.Valid() {
		s.rare().EnvHeaders = pairs(n)
	}
	if n := f.first(nil, "bearer_token_env_var", "bearerTokenEnvVar"); n.Valid() {
		s.rare().BearerVar = str(n)
	}
	if n := f.first(nil, "env_vars", "env_keys"); n.Valid() {
		s.rare().EnvVars = strs(n)
	}
	if n := f.first(c.own.cwd, "cwd", "working_directory"); n.Valid() {
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
		s.rare().URL, s.Rare.URLKey = u, key
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
