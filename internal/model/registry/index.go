package registry

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// Index is what a registry lists: of each server its latest version, and by which packages and addresses it is known. It is
// what a listing of the whole registry comes down to, small enough to be kept and read in each run. Look-ups may go on at
// once; Put may not.
type Index struct {
	// Since is when the listing began that it is made of: what changed after that is not in it.
	Since time.Time
	// Next is the cursor at which a listing goes on that was interrupted, "" for one that is whole.
	Next string

	entries        []Entry
	mu             sync.Mutex // of what look-ups make when they are first asked
	byName         map[string]int
	byIdent, byURL map[string][]int
	shapes         []shape // of Near
}

// Entry is one server.
type Entry struct {
	Name, Version string
	Status        Status
	// Packages are its packages, Remotes the URLs without variables.
	Packages []Coordinate
	Remotes  []string
}

// Coordinate is a package without its version.
type Coordinate struct{ Type, Identifier string }

// EntryOf is what an index keeps of a record.
func EntryOf(r *Record) Entry {
	e := Entry{Name: r.Name, Version: r.Version, Status: r.Official.Status}
	for _, p := range r.Packages {
		c := Coordinate{p.Type, BareIdentifier(p.Type, p.Identifier)}
		if c.Identifier != "" && !slices.Contains(e.Packages, c) {
			e.Packages = append(e.Packages, c)
		}
	}
	for _, t := range r.Remotes {
		if u := PlainURL(t.URL); u != "" && !strings.ContainsAny(u, "{}") && !slices.Contains(e.Remotes, u) {
			e.Remotes = append(e.Remotes, u)
		}
	}
	return e
}

// BareIdentifier is the name of a package in the one form in which two are compared: an image without tag, digest and the
// host that it has anyway, a name of PyPI and NuGet in lower case with one separator.
func BareIdentifier(kind, id string) string {
	switch kind {
	case "oci":
		id, _, _ = strings.Cut(id, "@")
		if i := strings.LastIndexByte(id, ':'); i > strings.LastIndexByte(id, '/') {
			id = id[:i]
		}
		for _, hub := range []string{"docker.io/", "index.docker.io/", "registry-1.docker.io/"} {
			id = strings.TrimPrefix(id, hub)
		}
		return strings.TrimPrefix(id, "library/")
	case "pypi":
		return strings.Join(strings.FieldsFunc(strings.ToLower(id), func(r rune) bool { return r == '-' || r == '_' || r == '.' }), "-")
	case "nuget":
		return strings.ToLower(id)
	}
	return id
}

// PlainURL is an address in the one form in which two are compared: scheme and host in lower case, no query, no slash at the end
// and no port that the scheme implies. It is "" for what is no address.
func PlainURL(u string) string {
	u, _, _ = strings.Cut(u, "?")
	u, _, _ = strings.Cut(u, "#")
	scheme, rest, ok := strings.Cut(strings.TrimSpace(u), "://")
	if !ok || rest == "" {
		return ""
	}
	scheme = strings.ToLower(scheme)
	host, path, _ := strings.Cut(rest, "/")
	host = strings.ToLower(host[strings.LastIndexByte(host, '@')+1:])
	host = strings.TrimSuffix(host, map[string]string{"https": ":443", "http": ":80"}[scheme])
	return scheme + "://" + strings.TrimRight(host+"/"+path, "/")
}

// Len is the number of servers.
func (x *Index) Len() int { return len(x.entries) }

// Put takes records over, each in place of the one of its name.
func (x *Index) Put(all []*Record) {
	if x.byName == nil {
		x.byName = make(map[string]int, len(x.entries))
		for i, e := range x.entries {
			x.byName[e.Name] = i
		}
	}
	x.byIdent, x.byURL, x.shapes = nil, nil, nil
	for _, r := range all {
		e := EntryOf(r)
		if !e.writable() {
			continue
		}
		if at, ok := x.byName[e.Name]; ok {
			x.entries[at] = e
			continue
		}
		x.byName[e.Name] = len(x.entries)
		x.entries = append(x.entries, e)
	}
}

// Packaged are the servers that have a package.
func (x *Index) Packaged(c Coordinate) []Entry {
	x.sort()
	return x.pick(x.byIdent[c.Type+" "+c.Identifier])
}

// Reached are the servers that have an address.
func (x *Index) Reached(address string) []Entry {
	x.sort()
	return x.pick(x.byURL[PlainURL(address)])
}

func (x *Index) pick(at []int) (all []Entry) {
	for _, i := range at {
		all = append(all, x.entries[i])
	}
	return all
}

// sort makes the tables that look-ups need.
func (x *Index) sort() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.byIdent != nil {
		return
	}
	x.byIdent, x.byURL = make(map[string][]int, len(x.entries)), map[string][]int{}
	for i, e := range x.entries {
		for _, c := range e.Packages {
			key := c.Type + " " + c.Identifier
			x.byIdent[key] = append(x.byIdent[key], i)
		}
		for _, u := range e.Remotes {
			x.byURL[u] = append(x.byURL[u], i)
		}
	}
}

// indexHead begins the text of an index. A later form has another one.
const indexHead = "mcpassay-index 1"

// writable says that an entry's words stand in one line each: what is no name of a server or a package can not be configured.
func (e Entry) writable() bool {
	bad := func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	}
	return GoodName(e.Name) && !bad(e.Version) && !bad(string(e.Status)) &&
		!slices.ContainsFunc(e.Packages, func(c Coordinate) bool { return bad(c.Type) || bad(c.Identifier) || c.Type == "" || c.Identifier == "" }) && !slices.ContainsFunc(e.Remotes, bad)
}

// Encode writes an index as text: a line of its state, then a line a server.
func (x *Index) Encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\t%s\t%s\n", indexHead, x.Since.UTC().Format(time.RFC3339), strconv.Quote(x.Next))
	for _, e := range x.entries {
		fmt.Fprintf(&b, "%s\t%s\t%s\t", e.Name, e.Version, e.Status)
		for i, c := range e.Packages {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(c.Type + " " + c.Identifier)
		}
		b.WriteByte('\t')
		b.WriteString(strings.Join(e.Remotes, " "))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// ReadIndex reads what Encode wrote.
func ReadIndex(raw []byte, lim limits.Set) (*Index, error) {
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, lim.PageBytes)
	if !lines.Scan() {
		return nil, errors.New("an empty index")
	}
	head := strings.Split(lines.Text(), "\t")
	if len(head) != 3 || head[0] != indexHead {
		return nil, errors.New("an index of another form")
	}
	since, err := time.Parse(time.RFC3339, head[1])
	if err != nil {
		return nil, errors.New("an index without a time")
	}
	next, err := strconv.Unquote(head[2])
	if err != nil {
		return nil, errors.New("an index without a cursor")
	}
	x := &Index{Since: since, Next: next, entries: make([]Entry, 0, bytes.Count(raw, []byte("\n")))}
	for lines.Scan() {
		parts := strings.Split(lines.Text(), "\t")
		if len(parts) != 5 {
			return nil, errors.New("an index with a line that is no server")
		}
		e := Entry{Name: parts[0], Version: parts[1], Status: Status(parts[2])}
		words := strings.Fields(parts[3])
		if len(words)%2 != 0 {
			return nil, errors.New("an index with half a package")
		}
		for i := 0; i < len(words); i += 2 {
			e.Packages = append(e.Packages, Coordinate{words[i], words[i+1]})
		}
		e.Remotes = strings.Fields(parts[4])
		if len(e.Remotes) == 0 {
			e.Remotes = nil
		}
		if !e.writable() {
			return nil, errors.New("an index with words that are no server's")
		}
		x.entries = append(x.entries, e)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return x, nil
}
