package project

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Access is what a person has decided about calls of a tool, the mildest first.
type Access uint8

// The decisions. The zero one is what is done where nobody decided.
const (
	AccessAllow Access = iota
	AccessAsk
	AccessDeny
)

func (a Access) String() string { return accesses[a] }

var accesses = []string{"allow", "ask", "deny"}

// Guard is what the file says of calls that a guard moves on.
type Guard struct {
	Servers []GuardServer
	Rules   []GuardRule
}

// GuardServer is what holds for the servers whose names a pattern means, in which * is any text.
type GuardServer struct {
	Pattern string
	// Default is for tools that no pattern of Tools means.
	Default Access
	// Rate bounds all calls of the server together.
	Rate  Rate
	Tools []GuardTool
	// Line is where it stands, from 1.
	Line int
}

// GuardTool is what holds for the tools that a pattern means.
type GuardTool struct {
	Pattern string
	Access  Access
	// Rate bounds the calls of all tools that the pattern means together.
	Rate Rate
	// Paths, Hosts and SQL bound what arguments may say: folders, hosts, verbs.
	Paths, Hosts, SQL []Bound
	Line              int
}

// Bound is what one argument, by its name, may say.
type Bound struct {
	Argument string
	Values   []string
}

// Rate is how many calls there may be in a time; the zero Rate bounds nothing.
type Rate struct {
	Calls int
	Per   time.Duration
}

// GuardRule is what is done about the findings of the rules on traffic that a pattern means: note, redact, ask or block.
type GuardRule struct {
	Pattern, Action string
	Node            source.Node
}

// The words that a bound on SQL may list beside verbs.
const (
	SQLComments = "comments"
	SQLMultiple = "multiple"
	SQLWith     = "with"
)

// SQLVerbs are the words with which statements begin, and what else a bound on SQL may let in.
var SQLVerbs = []string{"select", "insert", "update", "delete", "merge", "replace", "create", "alter", "drop", "truncate", "grant", "revoke", "explain", "show",
	"describe", "values", "table", "begin", "commit", "rollback", "set", "use", "call", "execute", "pragma", "analyze", "copy", SQLWith, SQLComments, SQLMultiple}

var (
	guardKeys       = []string{"servers", "rules"}
	guardServerKeys = []string{"default", "rate", "tools"}
	guardToolKeys   = []string{"access", "rate", "paths", "hosts", "sql"}
	guardActions    = []string{"note", "redact", "ask", "block"}
)

// ReadGuard gives what the value of `guard` says, and all that is wrong with it, in its order.
func ReadGuard(v source.Node) (*Guard, []Fault) {
	r := &reader{}
	g := &Guard{}
	if !v.Valid() || !r.mapping("guard", v) {
		return g, r.faults
	}
	r.members(v, guardKeys, func(key string, v source.Node) {
		if !r.mapping(key, v) {
			return
		}
		if key == "rules" {
			r.members(v, nil, func(pattern string, c source.Node) {
				if word, ok := r.word(pattern, c, guardActions); ok {
					g.Rules = append(g.Rules, GuardRule{pattern, word, c})
				}
			})
			return
		}
		r.members(v, nil, func(pattern string, c source.Node) {
			if r.pattern(c) && r.mapping(pattern, c) {
				g.Servers = append(g.Servers, r.guardServer(pattern, c))
			}
		})
	})
	slices.SortStableFunc(r.faults, func(a, b Fault) int { return a.At.Start - b.At.Start })
	return g, r.faults
}

func lineOf(n source.Node) int {
	line, _ := n.Doc().Position(n.KeySpan().Start)
	return line
}

// pattern says whether a key can mean a name.
func (r *reader) pattern(n source.Node) bool {
	if key := n.Key(); strings.TrimSpace(key) == "" || strings.ContainsFunc(key, text.Unsafe) {
		r.failAt(n.KeySpan(), `write a name, in which * is any text`, "%s means no name", quote(key))
		return false
	}
	return true
}

// word is a text out of a few.
func (r *reader) word(key string, v source.Node, words []string) (string, bool) {
	s, ok := r.str(key, v)
	if ok && !slices.Contains(words, s) {
		r.fail(v, oneOf(s, words), "%s is none of %s", quote(s), strings.Join(words, ", "))
		ok = false
	}
	return s, ok
}

func (r *reader) access(key string, v source.Node) Access {
	s, ok := r.word(key, v, accesses)
	if !ok {
		return AccessDeny
	}
	return Access(slices.Index(accesses, s))
}

func (r *reader) guardServer(pattern string, n source.Node) GuardServer {
	s := GuardServer{Pattern: pattern, Line: lineOf(n)}
	r.members(n, guardServerKeys, func(key string, v source.Node) {
		switch key {
		case "default":
			s.Default = r.access(key, v)
		case "rate":
			s.Rate = r.rate(v)
		case "tools":
			if !r.mapping(key, v) {
				return
			}
			r.members(v, nil, func(pattern string, c source.Node) {
				if r.pattern(c) {
					s.Tools = append(s.Tools, r.guardTool(pattern, c))
				}
			})
		}
	})
	return s
}

func (r *reader) guardTool(pattern string, n source.Node) GuardTool {
	t := GuardTool{Pattern: pattern, Line: lineOf(n)}
	if n.Kind() != source.Object {
		t.Access = r.access(pattern, n)
		return t
	}
	r.members(n, guardToolKeys, func(key string, v source.Node) {
		switch key {
		case "access":
			t.Access = r.access(key, v)
		case "rate":
			t.Rate = r.rate(v)
		case "paths":
			t.Paths = r.bounds(key, v, r.folder)
		case "hosts":
			t.Hosts = r.bounds(key, v, r.host)
		case "sql":
			t.SQL = r.bounds(key, v, r.verb)
		}
	})
	return t
}

// rate reads 10/1m: ten calls in a minute.
func (r *reader) rate(v source.Node) (rate Rate) {
	s, ok := r.str("rate", v)
	if !ok {
		return
	}
	calls, per, _ := strings.Cut(s, "/")
	n, err := strconv.Atoi(calls)
	d, other := Duration(per)
	if err != nil || other != nil || n < 1 || n > limits.Default.GuardedRate {
		r.fail(v, "write calls and a time, 10/1m: 1 to "+strconv.Itoa(limits.Default.GuardedRate)+" calls", "%s is no rate", quote(s))
		return
	}
	return Rate{n, d}
}

// bounds reads arguments with what each may say. An argument that may say nothing is a fault: nobody means it.
func (r *reader) bounds(key string, v source.Node, good func(string) (hint string)) (all []Bound) {
	if !r.mapping(key, v) {
		return nil
	}
	r.members(v, nil, func(argument string, c source.Node) {
		b := Bound{Argument: argument, Values: r.list(argument, c)}
		if c.Kind() == source.Array && c.Len() == 0 {
			r.fail(c, "list what it may say, or leave the key out", "%s may say nothing", quote(argument))
		}
		for item := range c.Children() {
			if s, ok := item.Str(); ok && strings.TrimSpace(s) != "" {
				if hint := good(s); hint != "" {
					r.fail(item, hint, "%s can not be one of the %s", quote(s), key)
				}
			}
		}
		all = append(all, b)
	})
	return all
}

// Root parts a folder of a bound into the place that it begins with ("${project}", "${home}", "/", or a drive like "C:/") and the
// rest, with / for both slashes of Windows. ok is false for one that is not whole.
func Root(folder string) (place, rest string, ok bool) {
	for _, p := range []string{"${" + ProjectPlace + "}", "${" + HomePlace + "}", "~"} {
		if after, found := strings.CutPrefix(folder, p); found {
			after = strings.ReplaceAll(after, `\`, "/")
			if p == "~" {
				p = "${" + HomePlace + "}"
			}
			return p, strings.TrimLeft(after, "/"), after == "" || after[0] == '/'
		}
	}
	if strings.HasPrefix(folder, "/") {
		return "/", strings.TrimLeft(folder, "/"), !strings.HasPrefix(folder, "//")
	}
	if len(folder) > 2 && folder[1] == ':' && (folder[0]|0x20 >= 'a' && folder[0]|0x20 <= 'z') && (folder[2] == '\\' || folder[2] == '/') {
		return strings.ToUpper(folder[:1]) + ":/", strings.ReplaceAll(folder[3:], `\`, "/"), true
	}
	return "", "", false
}

func (r *reader) folder(s string) string {
	_, rest, ok := Root(s)
	if !ok || slices.Contains(strings.Split(rest, "/"), "..") {
		return `write a whole path: "${project}/docs", "${home}/notes", "/srv/docs", 'C:\docs'`
	}
	return ""
}

func (r *reader) host(s string) string {
	name, port, _ := strings.Cut(s, ":")
	if strings.HasPrefix(s, "[") {
		name, port, _ = strings.Cut(strings.TrimPrefix(s, "["), "]")
		port = strings.TrimPrefix(port, ":")
		if name == "" || strings.Trim(name, "0123456789abcdefABCDEF:.") != "" {
			return "write a name or an address: example.com, *.example.com, [::1]:8080"
		}
		name = "v6"
	}
	if n, err := strconv.Atoi(port); port != "" && (err != nil || n < 1 || n > 65535) || name == "" ||
		strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789.-*_") != "" {
		return "write a name or an address: example.com, *.example.com, [::1]:8080"
	}
	return ""
}

func (r *reader) verb(s string) string {
	if slices.Contains(SQLVerbs, s) {
		return ""
	}
	return oneOf(s, SQLVerbs)
}
