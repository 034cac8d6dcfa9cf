// Package registry is what the MCP registry answers (its API v0.1, schemas 2025-07-09 to 2025-12-11): records of servers,
// in pages, and why something could not be had. It is read over internal/source and not with the types that the registry
// publishes (its module's pkg/api/v0): those give up a page of a hundred records for one field of a wrong type or one time
// that can not be read (measured), take members in any case, know no place, and raise the version of Go that this module
// asks for. Here such a field is empty and noted, and the record stays.
package registry

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/mcpassay/mcpassay/internal/source"
)

// The keys of _meta: what the registry itself says, and what the publisher says.
const official = "io.modelcontextprotocol.registry/official"

// Status is the state of a version, in lower case. Registries may have others than these; "" is none.
type Status string

// The states of the official registry.
const (
	Active     Status = "active"
	Deprecated Status = "deprecated"
	Gone       Status = "deleted"
)

// Record is one version of one server as the registry has it. Strings are the publisher's words as they came: who prints
// them masks them and makes them safe.
type Record struct {
	Schema, Name, Title, Description, Version, Website string
	Repository                                         Repository
	Packages                                           []Package
	Remotes                                            []Transport
	Official                                           Official
	// Faults are what is wrong with the record; what is at fault is left out of it.
	Faults []Fault
	// Node is the server.json, for rules.
	Node source.Node
}

// Official is what the registry says of a record. Times that it does not say are zero.
type Official struct {
	// Present is false where the registry said nothing.
	Present                     bool
	Status                      Status
	Message                     string
	Changed, Published, Updated time.Time
	Latest                      bool
}

// Repository is where the source is said to be. Nobody has checked that.
type Repository struct{ URL, Source, ID, Subfolder string }

// Package is one way to get the server as bytes. Type is npm, pypi, oci, nuget, cargo, mcpb, or what a later registry has.
type Package struct {
	Type, BaseURL, Identifier, Version, FileSHA256, RuntimeHint string
	Transport                                                   Transport
	RuntimeArgs, Args, Env                                      []Input
}

// Transport is how a server is spoken with: stdio, streamable-http or sse. A URL may hold {variables}.
type Transport struct {
	Type, URL          string
	Headers, Variables []Input
}

// Input is an argument, a variable, a header: what a user may have to give.
type Input struct {
	// Kind is positional or named for an argument, "" for the rest.
	Kind                                           string
	Name, Description, Value, Default, Placeholder string
	// Format is string, number, boolean or filepath, Hint names a positional argument.
	Format, Hint               string
	Required, Secret, Repeated bool
	Choices                    []string
	Variables                  []Input
}

// Fault is something wrong with an answer, and where.
type Fault struct{ Pointer, Detail string }

func (f Fault) String() string {
	if f.Pointer == "" {
		return f.Detail
	}
	return f.Pointer + ": " + f.Detail
}

// Page is one answer of a listing.
type Page struct {
	Records []*Record
	// Bad are the entries that are no records: nobody knows which servers those would be.
	Bad []Fault
	// Next is the cursor of the next page, "" for none.
	Next string
}

// NamePattern is what a server's name looks like (server.json, 2025-12-11).
var namePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`) })

// The bounds of the schema, in characters.
const (
	shortestName = 3
	longestName  = 200
)

// GoodName says that a name may be that of a server.
func GoodName(name string) bool {
	return len(name) >= shortestName && len(name) <= longestName && namePattern().MatchString(name)
}

// Deleted says that the registry took the version away.
func (r *Record) Deleted() bool { return r.Official.Status == Gone }

// LooksLatest says that the version is no version but a word for one.
func LooksLatest(version string) bool { return strings.EqualFold(strings.TrimSpace(version), "latest") }
