// Package client is what is known of the programs that read MCP server configs: one dated row for each,
// with the files it reads on each system, the root key and the shape it wants, its grammar of references to
// the environment, its words for the transports, its own field names and its limits.
//
// The facts are data. clients.json is the source, edited by hand; clients_gen.go is the same table as Go
// values, because decoding 66 KB of JSON takes longer than linting a small project (see BenchmarkDecode).
// `go generate ./internal/model/client` writes it and docs/clients.md anew; tests fail while they are stale.
package client

//go:generate go run ../../tool/genclients

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Kind says what a row describes.
type Kind string

const (
	// Program is a client that reads config files.
	Program Kind = "client"
	// Remote is a client without a file.
	Remote Kind = "remote"
	// Manifest is no client: the row describes the registry's server.json.
	Manifest Kind = "manifest"
)

// Confidence grades a fact: High comes from the client's source or documents, Medium from the tables of other
// tools, Low from one of them or from memory. The severity of a finding falls with it.
type Confidence string

const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
)

// The formats of a file.
const (
	FormatJSON  = "json"
	FormatJSONC = "jsonc"
	FormatTOML  = "toml"
	FormatYAML  = "yaml"
)

// Shape is how servers stand below a root key.
type Shape string

const (
	// ShapeMap is an object of name: entry (in TOML [root.name] tables).
	ShapeMap Shape = "map"
	// ShapeList is a list of entries that each have a name field.
	ShapeList Shape = "list"
	// ShapeTables is an array of TOML tables, [[root]], that each have a name key.
	ShapeTables Shape = "tables"
)

// What a client may make of an entry with a URL and no type, beside HTTP and SSE.
const (
	// Dropped is: the entry vanishes without a message.
	Dropped Transport = "dropped"
	// Refused is: the entry or its file is an error.
	Refused Transport = "error"
)

// ScopeAgent is the scope of a definition that stands in the file of one agent (Amazon Q, Kiro).
const ScopeAgent = "agent"

// Reads says whether the client reads a location.
type Reads string

const (
	ReadsYes Reads = "yes"
	// ReadsNo marks a dead file: people write it, the client never opens it.
	ReadsNo Reads = "no"
	// ReadsLegacy is read by older versions, or under a switch.
	ReadsLegacy Reads = "legacy"
)

// A Client is one row. It is shared and must not be changed.
type Client struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Kind       Kind       `json:"kind"`
	Aliases    []string   `json:"aliases,omitempty"`
	Status     string     `json:"status"` // active, or discontinued
	AsOf       string     `json:"asOf"`   // the newest source, YYYY-MM-DD
	Confidence Confidence `json:"confidence"`
	Sources    []string   `json:"sources"`
	Notes      []string   `json:"notes,omitempty"`

	// RootKeys are the top-level keys that hold servers; the first is what the client wants. A location may
	// have its own Roots.
	RootKeys []string `json:"rootKeys"`
	Shape    Shape    `json:"shape"`
	Format   string   `json:"format"`
	Comments string   `json:"comments"` // yes, no, or unverified
	BOM      string   `json:"bom"`      // accepts, rejects, or unknown

	Env        EnvRefs     `json:"env"`
	Transports []Transport `json:"transports"`
	Remote     RemoteEntry `json:"remote"`
	// Command lists the shapes of the command field, the client's own first: string, array (program and
	// arguments in one), or object ({path, args, env}).
	Command []string `json:"command"`
	// Fields gives the client's keys for a field, by our name for it, the client's own first. A slash steps
	// into an object. A field that is not here has its usual name.
	Fields map[string][]string `json:"fields,omitempty"`
	// Known is every field of an entry that the client documents, in its own spelling.
	Known []string  `json:"known"`
	own   ownFields // of Fields and Known, filled by Table
	// Always are fields that every entry has: name, and enabled, which is true unless the server is switched off.
	Always []string `json:"always,omitempty"`
	// Only are fields that the client refuses in an entry of the other kind; Refuses those that it refuses in any.
	Only     Only      `json:"only,omitzero"`
	Refuses  []string  `json:"refuses,omitempty"`
	Safety   Safety    `json:"safety,omitzero"`
	Timeouts []Timeout `json:"timeouts,omitempty"`
	// Runs are entry fields, or forms of reference, whose text the client runs as a command.
	Runs   []string `json:"runs,omitempty"`
	Limits Limits   `json:"limits,omitzero"`
	// Breaks are shapes of a tool's card that the specification allows and that the client, or the API behind it, does
	// not take.
	Breaks []Break `json:"breaks,omitempty"`
	// UniqueNames says that a server name may be used once over all scopes.
	UniqueNames bool `json:"uniqueNames,omitempty"`
	// Switches says that an entry may hold nothing but its on or off switch: it then changes one of another layer.
	Switches bool `json:"switches,omitempty"`
	// WindowsScripts says whether the client starts a script such as npx without cmd /c on Windows: yes, likely (what it
	// is built on does), or "" for no or unknown.
	WindowsScripts string `json:"windowsScripts,omitempty"`
	// BadEntry is what one invalid entry breaks: entry, file, client (it does not start), or "" for unknown.
	BadEntry string `json:"badEntry,omitempty"`
	// Precedence orders the scopes, strongest first; empty where it is not known.
	Precedence []string `json:"precedence,omitempty"`
	// Installed are path templates; one of them existing suggests that the client is installed.
	Installed []string   `json:"installed,omitempty"`
	Locations []Location `json:"locations"`
}

// Only lists fields by the kind of entry that may have them.
type Only struct {
	Stdio  []string `json:"stdio"`
	Remote []string `json:"remote"`
}

// A Form is one spelling of a reference. Forms lists them all.
type Form string

// Forms is the closed list of spellings. `${VAR}` does not cover a client's Builtins, which stand in the
// same braces.
var Forms = [...]Form{
	"${VAR}", "${VAR:-default}", "$VAR", "%VAR%", "${env:VAR}", "${input:id}", "${config:key}", "${command:id}",
	"{env:VAR}", "{file:path}", "${file:path}", "${{ secrets.VAR }}", "${{ inputs.VAR }}", "$(command)", "{{VAR}}", "{var}",
}

// EnvRefs is a client's grammar of references in the values of an entry.
type EnvRefs struct {
	// Expands is yes, no (every value is literal), or unknown (Forms then lists what is reported).
	Expands string `json:"expands"`
	Forms   []Form `json:"forms,omitempty"`
	// Write is the form that a fix writes; "" when none is safe to write.
	Write Form `json:"write,omitempty"`
	// Fields are the fields, in our names, whose values are expanded; empty when that is not known.
	Fields []string `json:"fields,omitempty"`
	// Builtins are the names that stand in ${} and are no environment variables.
	Builtins []string `json:"builtins,omitempty"`
	// Nests are the fields in which a default may hold a reference; empty when that is not known.
	Nests []string `json:"nests,omitempty"`
	// Instead are fields that name a variable where there is no reference.
	Instead []string `json:"instead,omitempty"`
	// Unset is what becomes of a reference to a variable that is not set: literal, empty, error or unknown.
	Unset      string     `json:"unset"`
	Confidence Confidence `json:"confidence"`
	// Formats overrides Forms and Write for files of one format.
	Formats []FormatForms `json:"formats,omitempty"`
	Note    string        `json:"note,omitempty"`
}

// FormatForms is the grammar of one file format.
type FormatForms struct {
	Format string `json:"format"`
	Forms  []Form `json:"forms"`
	Write  Form   `json:"write"`
}

// For gives the forms that files of that format may use, and the one to write.
func (e *EnvRefs) For(format string) (forms []Form, write Form) {
	for i := range e.Formats {
		if e.Formats[i].Format == format {
			return e.Formats[i].Forms, e.Formats[i].Write
		}
	}
	return e.Forms, e.Write
}

// RemoteEntry is how the transport and the URL of an entry are written.
type RemoteEntry struct {
	// TypeKey is the field that names the transport; "" when the client infers it.
	TypeKey string `json:"typeKey,omitempty"`
	Types   []Word `json:"types,omitempty"`
	// TypeRequired is remote (with a URL), always, or "".
	TypeRequired string   `json:"typeRequired,omitempty"`
	URLKeys      []URLKey `json:"urlKeys,omitempty"`
	// URLWithoutType is what an entry with a URL and no type is: HTTP, SSE, Dropped or Refused.
	URLWithoutType Transport `json:"urlWithoutType,omitempty"`
	// Writes is the client's word for Streamable HTTP; "" when it has none.
	Writes string `json:"writes,omitempty"`
	// Schemes are URL schemes that are accepted beside http and https.
	Schemes []string `json:"schemes,omitempty"`
}

// Word is one value of the type field and what it means.
type Word struct {
	Word  string    `json:"word"`
	Means Transport `json:"means"`
}

// URLKey is a field that holds a URL. Means is set where the key alone settles the transport.
type URLKey struct {
	Key   string    `json:"key"`
	Means Transport `json:"means,omitempty"`
}

// Transport gives the meaning of a word of the type field.
func (r *RemoteEntry) Transport(word string) (Transport, bool) {
	for _, w := range r.Types {
		if w.Word == word {
			return w.Means, true
		}
	}
	return "", false
}

// Safety lists the fields by which an author holds a server back, sorted by what they do. A field that is
// not here is one that this client ignores.
type Safety struct {
	Off     []string `json:"off,omitempty"`     // true switches the server off
	On      []string `json:"on,omitempty"`      // false switches the server off
	Approve []string `json:"approve,omitempty"` // tools that run without asking
	Allow   []string `json:"allow,omitempty"`   // the only tools that are offered
	Deny    []string `json:"deny,omitempty"`    // tools that are not offered
}

// Honours says whether field has an effect on this client.
func (s *Safety) Honours(field string) bool {
	for _, l := range [...][]string{s.Off, s.On, s.Approve, s.Allow, s.Deny} {
		if slices.Contains(l, field) {
			return true
		}
	}
	return false
}

// Timeout is a field that holds a duration, and its unit: ms or s.
type Timeout struct {
	Field string `json:"field"`
	Unit  string `json:"unit"`
}

// Limits are the client's limits on names; zero values are not known.
type Limits struct {
	ServerName NameLimit `json:"serverName,omitzero"`
	ToolName   NameLimit `json:"toolName,omitzero"`
	// Tools is how many tools, over all servers, reach the model.
	Tools int `json:"tools,omitempty"`
	// Description is how many characters of a tool's description reach the model.
	Description int `json:"description,omitempty"`
}

// CardShape is a shape of a tool's card. CardShapes lists them all.
type CardShape string

// CardShapes is the closed list of shapes.
var CardShapes = [...]CardShape{RootCombinator, Draft07Output, PropertyName, UntypedProperty, UntypedItems, OpenObject, NoProperties,
	ClosedObject, TypeArray, Reference}

// The shapes.
const (
	// RootCombinator is allOf, anyOf or oneOf at the root of inputSchema.
	RootCombinator CardShape = "root-combinator"
	// Draft07Output is an outputSchema that declares draft-07.
	Draft07Output CardShape = "draft-07-output"
	// PropertyName is a property at the root of inputSchema whose name has other characters than A-Z a-z 0-9 _ . - or
	// more than 64.
	PropertyName CardShape = "property-name"
	// UntypedProperty is a property that says nothing of its value's type.
	UntypedProperty CardShape = "untyped-property"
	// UntypedItems is an array that says nothing of its items.
	UntypedItems CardShape = "untyped-items"
	// OpenObject is a property that is an object without properties.
	OpenObject CardShape = "open-object"
	// NoProperties is an inputSchema without properties.
	NoProperties CardShape = "no-properties"
	// ClosedObject is additionalProperties, with whatever value.
	ClosedObject CardShape = "closed-object"
	// TypeArray is a list of types.
	TypeArray CardShape = "type-array"
	// Reference is a $ref within the schema.
	Reference CardShape = "reference"
)

// Break says that a client does not take a shape.
type Break struct {
	Shape CardShape `json:"shape"`
	// Loses is what stops working: session (the model answers no request), server (none of its tools is offered), tool,
	// or call.
	Loses string `json:"loses"`
	// By is who refuses the shape where it is not the client itself.
	By         string     `json:"by,omitempty"`
	AsOf       string     `json:"asOf"`
	Confidence Confidence `json:"confidence"`
	Source     string     `json:"source"`
}

// BreaksOn is what the client does with a shape, nil where it is not known to do anything.
func (c *Client) BreaksOn(s CardShape) *Break {
	for i := range c.Breaks {
		if c.Breaks[i].Shape == s {
			return &c.Breaks[i]
		}
	}
	return nil
}

// NameLimit bounds a name.
type NameLimit struct {
	// Format is the name that the model sees, with {server} and {tool} in it; Plugin is the same for a
	// server that a plugin brings, with {plugin}.
	Format string `json:"format,omitempty"`
	Plugin string `json:"plugin,omitempty"`
	// Max is in characters of the formatted name.
	Max     int    `json:"max,omitempty"`
	Pattern string `json:"pattern,omitempty"` // an RE2 expression
}

// A Location is a place where a client reads servers, or where people think that it does.
type Location struct {
	// Path is a template. Without an anchor it is relative to a project. The anchors are:
	//
	//	~/              the home directory
	//	<app>/          where desktop programs keep settings: ~/Library/Application Support on macOS,
	//	                %APPDATA% on Windows, else $XDG_CONFIG_HOME or ~/.config
	//	<xdg>/          $XDG_CONFIG_HOME or ~/.config, on every system
	//	%NAME%/ $NAME/  an environment variable
	//	/ and C:/       the machine's own folders
	//
	// {a,b} stands for either, * for any part of one name, ** for any number of folders.
	Path string `json:"path"`
	// Fallback is the template to use while the variable that Path begins with is not set.
	Fallback string `json:"fallback,omitempty"`
	// OS lists linux, darwin, windows; empty is all.
	OS    []string `json:"os,omitempty"`
	Scope string   `json:"scope"`
	Reads Reads    `json:"reads"`
	// Roots replaces the client's RootKeys.
	Roots  []Root `json:"roots,omitempty"`
	Format string `json:"format,omitempty"`
	Shape  Shape  `json:"shape,omitempty"`
	// Mixed says that the file also holds other settings, so that having no root key is no fault.
	Mixed bool   `json:"mixed,omitempty"`
	Note  string `json:"note,omitempty"`
}

// A Root is a place in a document that holds servers.
type Root struct {
	// At is a JSON Pointer in which * stands for every member; "/" is the document itself, without a root key.
	At string `json:"at"`
	// Scope is set where it differs from the location's.
	Scope string `json:"scope,omitempty"`
}

// Project says whether the location is relative to a project.
func (l *Location) Project() bool { return anchor(l.Path) == "" }

// Roots gives the places of loc that hold servers, the one to write to first. With a nil loc, a file of
// which only the client is known, they are all that the client reads anywhere.
func (c *Client) Roots(loc *Location) []Root {
	if loc != nil && len(loc.Roots) > 0 {
		return loc.Roots
	}
	roots := make([]Root, 0, len(c.RootKeys))
	for _, k := range c.RootKeys {
		roots = append(roots, Root{At: "/" + strings.ReplaceAll(strings.ReplaceAll(k, "~", "~0"), "/", "~1")})
	}
	if loc != nil {
		return roots
	}
	for i := range c.Locations {
		for _, r := range c.Locations[i].Roots {
			if !slices.ContainsFunc(roots, func(have Root) bool { return have.At == r.At }) {
				roots = append(roots, r)
			}
		}
	}
	return roots
}

// FormatOf gives the format of a file at loc, which may be nil.
func (c *Client) FormatOf(loc *Location) string {
	if loc != nil && loc.Format != "" {
		return loc.Format
	}
	return c.Format
}

// ShapeOf gives the shape of a file at loc, which may be nil.
func (c *Client) ShapeOf(loc *Location) Shape {
	if loc != nil && loc.Shape != "" {
		return loc.Shape
	}
	return c.Shape
}

// Table gives every row, in the order in which clients that share a file are named: its owner first.
func Table() []*Client { return pointers() }

var pointers = sync.OnceValue(func() []*Client {
	addMaps()
	t := make([]*Client, len(table))
	for i := range table {
		t[i] = &table[i]
		t[i].own = t[i].ownFields()
	}
	return t
})

// ByID finds a row by its id or one of its aliases.
func ByID(idOrAlias string) (*Client, bool) {
	c, ok := byID()[idOrAlias]
	return c, ok
}

var byID = sync.OnceValue(func() map[string]*Client {
	m := make(map[string]*Client, 2*len(table))
	for _, c := range Table() {
		m[c.ID] = c
		for _, a := range c.Aliases {
			m[a] = c
		}
	}
	return m
})

// Names gives every id and alias, for a person who mistyped one.
func Names() []string {
	var names []string
	for _, c := range Table() {
		names = append(append(names, c.ID), c.Aliases...)
	}
	return names
}

// Allows says whether a name matches the pattern.
func (l *NameLimit) Allows(name string) bool {
	re, ok := expressions.Load(l.Pattern)
	if !ok {
		re, _ = expressions.LoadOrStore(l.Pattern, regexp.MustCompile(l.Pattern))
	}
	return re.(*regexp.Regexp).MatchString(name)
}

// expressions are the patterns that were asked for, compiled; a test compiles them all.
var expressions sync.Map
