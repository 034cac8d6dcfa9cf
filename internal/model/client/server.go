package client

import (
	"cmp"
	"iter"
	"strconv"

	"github.com/mcpassay/mcpassay/internal/source"
)

// Transport is how a client reaches a server.
type Transport string

// The transports. Builtin servers come with the client (Goose, Zed extensions) and need neither command nor URL.
const (
	Unknown Transport = "" // a type that no client knows, or no way to tell
	Stdio   Transport = "stdio"
	HTTP    Transport = "http"
	SSE     Transport = "sse"
	Builtin Transport = "builtin"
)

// The scopes of a definition. Local is a user's own definition for one project (Claude Code).
const (
	ScopeProject   = "project"
	ScopeLocal     = "local"
	ScopeUser      = "user"
	ScopeSystem    = "system"
	ScopeManaged   = "managed"
	ScopePlugin    = "plugin"
	ScopeExtension = "extension"
)

// Str is a string of a config file and the value that holds it. Node is not Valid when the file has none.
type Str struct {
	Value string
	Node  source.Node
}

// Set says that the file has the string.
func (s Str) Set() bool { return s.Node.Valid() }

// Pair is a named string: a variable or a header. Node is the value; its KeySpan is the name.
type Pair struct {
	Key string
	Str
}

// Server is one entry of a config file in one shape, whatever the client calls its fields. A field that the file
// has with a type that no client reads is left empty here and stays reachable through Node. A file may hold tens of
// thousands of them, so what few entries have is in Rare.
type Server struct {
	File *File
	Name string // as written
	Node source.Node

	Transport Transport
	// Command is the program. ArrayCommand says that it is the first item of an array whose tail is in Args.
	Command Str
	Args    []Str
	Env     []Pair
	EnvNode source.Node

	// Number tells the entries and files of a run apart: see Subject.
	Number       int32
	ArrayCommand bool
	// plain says that there is nothing but command, args and env, and that all of it was read.
	plain bool
	// TypeKnown says that the client documents the word of Type.
	TypeKnown bool
	// Disabled is true when the client itself will not start the entry. OffNode is the field that says so, whether
	// or not the client honours it; Ignored says that it does not.
	Disabled, Ignored bool
	// ApproveAll is a wildcard or a trust flag: every tool runs without asking.
	ApproveAll bool
	// Hidden is true for a definition that a later duplicate of its name, or of its root key, replaces, and for one
	// that has a Twin.
	Hidden bool

	*Rare
	derived *derived
}

// derived is what rules share while they look at an entry. It is made when it is first asked for, and large: whoever
// walks many entries calls Forget after each.
type derived struct {
	argv     []string
	look     looked
	found    []Ref
	secrets  []Secret
	launches []*Launch
	refs     []Use
	address  Address

	secretsDone, launchesDone, refsDone, addressDone, addressOK bool
}

func (s *Server) shared() *derived {
	if s.derived == nil {
		s.derived = s.File.memory.take()
		s.File.held++
	}
	return s.derived
}

// Memory keeps what rules shared about entries that they have looked at, to be used again for others. The zero value is
// ready; nil keeps nothing.
type Memory struct{ free []*derived }

func (m *Memory) take() *derived {
	if m == nil || len(m.free) == 0 {
		return new(derived)
	}
	last := len(m.free) - 1
	d := m.free[last]
	m.free = m.free[:last]
	return d
}

// Use lets a file's entries take their memory from m.
func (f *File) Use(m *Memory) { f.memory = m }

// Forget drops what Secrets, Launches, Refs and Address have kept: nothing that they answered may be used after it.
func (s *Server) Forget() {
	if d := s.derived; d != nil {
		*d = derived{argv: d.argv[:0], look: looked{fields: d.look.fields[:0], whole: d.look.whole[:0]}, found: d.found[:0],
			secrets: d.secrets[:0], launches: d.launches[:0], refs: d.refs[:0]}
		s.derived = nil
		s.File.held--
		if m := s.File.memory; m != nil {
			m.free = append(m.free, d)
		}
	}
}

// Subject is the id of the file's report subject.
func (f *File) Subject() string { return SubjectID(f.Number) }

// Forget drops it for all entries.
func (f *File) Forget() {
	for i := 0; i < len(f.Servers) && f.held > 0; i++ {
		f.Servers[i].Forget()
	}
}

// Rare is what few entries have. It is never nil and, where an entry has none of it, shared: only the reader
// writes it.
type Rare struct {
	// scope and display are what Scope and Display answer where it is not the file's scope and the name.
	scope, display string
	// Twin is the entry of the same name and the same body under another root key, which stands for both.
	Twin *Server
	// Shadowed is the definition that wins over this one by the client's precedence.
	Shadowed *Server
	// Project is the folder that a local definition is for.
	Project string
	// Type is the transport word of the entry, in the field that this client reads it from; TypeNode is the field,
	// whatever it holds.
	Type     Str
	TypeNode source.Node
	// URL stands in the field URLKey: url, httpUrl, serverUrl or uri.
	URL     Str
	URLKey  string
	Headers []Pair
	// HeadersNode holds the literal headers.
	HeadersNode source.Node
	Cwd         Str
	EnvFile     Str
	// Runs are further strings that the client runs as a command (headersHelper).
	Runs    []Str
	OffNode source.Node
	// Approve are tools that run without asking, ApproveNode the field that says so.
	Approve     []Str
	ApproveNode source.Node
	Timeout     source.Node
	OAuth       source.Node
	// BearerVar, EnvVars and EnvHeaders name variables that the client reads secrets from (Codex, Goose env_keys).
	BearerVar  Str
	EnvVars    []Str
	EnvHeaders []Pair
	// Foreign are fields that this client does not document.
	Foreign []source.Node
	// Guard is our own wrapper around the command, nil for none.
	Guard *Guard
}

// Subject is the id of the entry's report subject, "" before it has a number.
func (s *Server) Subject() string { return SubjectID(s.Number) }

// SubjectID is the id of the report subject of that number, "" for 0.
func SubjectID(number int32) string {
	if number == 0 {
		return ""
	}
	return "s" + strconv.Itoa(int(number))
}

// Scope is the file's, or "local".
func (s *Server) Scope() string { return cmp.Or(s.scope, s.File.Scope) }

// Display is the name, made unique in the file ("x#servers" for the copy under the second root key).
func (s *Server) Display() string { return cmp.Or(s.display, s.Name) }

// none is the Rare of most entries.
var none Rare

// rare is the entry's own Rare, made when it is first written.
func (s *Server) rare() *Rare {
	if s.Rare == &none {
		s.Rare = new(Rare)
	}
	return s.Rare
}

// Argv is the launch line: command and arguments. It is empty for a remote server.
func (s *Server) Argv() []string {
	if !s.Command.Set() {
		return nil
	}
	argv := make([]string, 0, 1+len(s.Args))
	argv = append(argv, s.Command.Value)
	for _, a := range s.Args {
		argv = append(argv, a.Value)
	}
	return argv
}

// words is Argv in memory that is used again after Forget.
func (s *Server) words() []string {
	d := s.shared()
	if len(d.argv) == 0 {
		d.argv = append(d.argv, s.Command.Value)
		for _, a := range s.Args {
			d.argv = append(d.argv, a.Value)
		}
	}
	return d.argv
}

// Word is the string behind an index of Argv.
func (s *Server) Word(i int) Str {
	if i == 0 {
		return s.Command
	}
	if i-1 < len(s.Args) {
		return s.Args[i-1]
	}
	return Str{}
}

// Strings walks every string value that a client may expand, with the field it stands in: command, args, env, url,
// headers, cwd, envFile or run.
func (s *Server) Strings() iter.Seq2[string, Pair] {
	return func(yield func(string, Pair) bool) {
		one := func(field string, v Str) bool { return !v.Set() || yield(field, Pair{Str: v}) }
		if !one("command", s.Command) {
			return
		}
		for _, a := range s.Args {
			if !one("args", a) {
				return
			}
		}
		for _, p := range s.Env {
			if !yield("env", p) {
				return
			}
		}
		if !one("url", s.URL) {
			return
		}
		for _, p := range s.Headers {
			if !yield("headers", p) {
				return
			}
		}
		if !one("cwd", s.Cwd) || !one("envFile", s.EnvFile) {
			return
		}
		for _, r := range s.Runs {
			if !one("run", r) {
				return
			}
		}
	}
}

// Input is a VS Code input variable.
type Input struct {
	ID      Str
	Default Str
	Node    source.Node
}

// Map is one place of a file that holds server entries.
type Map struct {
	// Key is the pointer-free name of the place ("mcpServers", "amp.mcpServers", "mcp.servers").
	Key  string
	Node source.Node
	// Wanted is true for a place that this client reads.
	Wanted bool
	// Scope and Project are set for a nested place (~/.claude.json projects.*).
	Scope, Project string
}

// File is one config file: whose it is, what it holds, and what could not be read of it.
type File struct {
	// Number is like a Server's.
	Number int32
	// Path is what reports show, Abs where the bytes came from ("" for standard input).
	Path, Abs string
	Client    *Client
	// Readers are all clients that read this path, the owner first.
	Readers []*Client
	Loc     *Location
	Scope   string
	// Project is the absolute folder, with slashes, that the file belongs to; "" for a user's file.
	Project string
	// Guessed says that the client is known by the file's shape alone.
	Guessed bool
	// CaseDiffers says that the path is the client's but for upper and lower case.
	CaseDiffers bool
	// Named is true when a person named the file.
	Named bool

	// Doc is nil when Err says why.
	Doc *source.Doc
	Err *source.SyntaxError

	// Maps are the places with entries, in file order; more than one only in odd files and ~/.claude.json.
	Maps    []Map
	Servers []*Server
	Inputs  []Input

	vars map[spot]string

	rootsOf []Root
	memory  *Memory
	held    int // how many entries keep what rules share
}
