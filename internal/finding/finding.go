// Package finding holds the one finding type of the product and the words around it:
// severities, places, fixes, subjects, and what could not be checked. It is a leaf.
package finding

import (
	"cmp"
	"fmt"
	"strings"
)

// Severity says how bad a finding is. The zero value is "not set".
type Severity uint8

// The three severities. Info never fails a lint run, Error always does by default.
const (
	Info Severity = iota + 1
	Warning
	Error
)

// Never is the threshold above every severity (`--fail-on never`).
const Never Severity = 255

func (s Severity) String() string {
	switch s {
	case Info:
		return "info"
	case Warning:
		return "warning"
	case Error:
		return "error"
	case Never:
		return "never"
	}
	return ""
}

// MarshalText writes the word that reports use.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote, so that a saved report can be rendered again.
func (s *Severity) UnmarshalText(word []byte) (err error) {
	*s, err = ParseSeverity(string(word))
	return err
}

// ParseSeverity reads a severity or one of the words that the source documents use for it
// (critical and high are error, medium is warning, low and note are info). "never" is a threshold.
func ParseSeverity(word string) (Severity, error) {
	switch strings.ToLower(word) {
	case "error", "critical", "high":
		return Error, nil
	case "warning", "medium", "warn":
		return Warning, nil
	case "info", "low", "note":
		return Info, nil
	case "never", "none":
		return Never, nil
	}
	return 0, fmt.Errorf("unknown severity %q: use error, warning, info or never", word)
}

// Confidence says how sure a rule is. The zero value is High.
type Confidence uint8

// The two confidences.
const (
	High Confidence = iota
	Medium
)

func (c Confidence) String() string {
	if c == Medium {
		return "medium"
	}
	return "high"
}

// MarshalText writes the word that reports use.
func (c Confidence) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (c *Confidence) UnmarshalText(word []byte) error {
	switch string(word) {
	case "high":
		*c = High
	case "medium":
		*c = Medium
	default:
		return fmt.Errorf("unknown confidence %q: use high or medium", word)
	}
	return nil
}

// Span is a half-open range of bytes in a document as it was read (a byte order mark counts).
type Span struct{ Start, End int }

// Len is the number of bytes in the span.
func (s Span) Len() int { return s.End - s.Start }

// Contains says whether o lies inside s.
func (s Span) Contains(o Span) bool { return s.Start <= o.Start && o.End <= s.End }

// Location is where a finding points, resolved: lines and columns count from 1, columns in
// Unicode code points, offsets are bytes from 0. Pointer is an RFC 6901 JSON Pointer.
type Location struct {
	Path      string `json:"path"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"endLine,omitempty"`
	EndColumn int    `json:"endColumn,omitempty"`
	Offset    int    `json:"offset"`
	Length    int    `json:"length"`
	Pointer   string `json:"pointer,omitempty"`
}

// Related is a second place or a second rule that belongs to a finding.
type Related struct {
	Rule     string    `json:"rule,omitempty"`
	Message  string    `json:"message,omitempty"`
	Location *Location `json:"location,omitempty"`
}

// Safety says whether a fix may be applied without thinking.
type Safety string

// The classes of a fix. Manual fixes are shown and never applied.
const (
	Safe   Safety = "safe"
	Unsafe Safety = "unsafe"
	Manual Safety = "manual"
)

// Edit replaces Length bytes at Offset of the document by Text.
type Edit struct {
	Offset int    `json:"offset"`
	Length int    `json:"length"`
	Text   string `json:"text"`
}

// Fix is a set of edits on one document that removes one finding.
type Fix struct {
	Safety Safety `json:"safety"`
	Title  string `json:"title"`
	Edits  []Edit `json:"edits,omitempty"`
	// Exports names the environment variables that a person must set after this fix moved a secret out.
	// The values are never part of a report.
	Exports []string `json:"exports,omitempty"`
}

// Blast says what a client loses because of a fault: the entry, the whole file, or the client itself.
type Blast string

// The blast radii, smallest first. Empty means that nothing stops working.
const (
	BlastEntry  Blast = "entry"
	BlastServer Blast = "server"
	BlastFile   Blast = "file"
	BlastClient Blast = "client"
)

// Status of a finding after policy.
const (
	Active     = "active"
	Suppressed = "suppressed"
)

// Suppression says who silenced a finding, why, and until when (2006-01-02).
type Suppression struct {
	Kind    string `json:"kind"` // "policy" or "inline"
	Reason  string `json:"reason"`
	Owner   string `json:"owner"`
	Expires string `json:"expires"`
}

// Finding is one fault at one place. Only rule.Pass makes them.
type Finding struct {
	Rule        string       `json:"rule"`
	Aliases     []string     `json:"aliases"`
	Severity    Severity     `json:"severity"`
	Confidence  Confidence   `json:"confidence"`
	Message     string       `json:"message"`
	Subject     string       `json:"subject,omitempty"`
	Location    Location     `json:"location"`
	Blast       Blast        `json:"blast,omitempty"`
	Related     []Related    `json:"related"`
	Fix         *Fix         `json:"fix,omitempty"`
	Status      string       `json:"status"`
	Suppression *Suppression `json:"suppression,omitempty"`
	Fingerprint string       `json:"fingerprint"`
	// Section is the part of a probe's score card that the finding belongs to: handshake, tools, errors, discovery; "" of
	// another verb.
	Section string `json:"section,omitempty"`
	// Check is the row of that part which the finding explains, "" for none.
	Check string `json:"check,omitempty"`
	// Kind tells findings of one rule at one pointer apart (a detector's name, a variable). It goes into
	// the fingerprint and is not printed.
	Kind string `json:"-"`
	// Shape is the pointer without array indexes, for the fingerprint.
	Shape string `json:"-"`
	// Server is the name of the server the finding is about, "" when it is about a file.
	Server string `json:"-"`
	// Tool is the name of the tool the finding is about, "" when it is about a server or a file.
	Tool string `json:"-"`
	// Count is how many entries share the fault, 0 for one.
	Count int `json:"-"`
	// Origin is the config entry that named the live server that the finding is about, nil for none. Nowhere says that what
	// the server answered is not saved, so that Location leads to no file.
	Origin  *Location `json:"-"`
	Nowhere bool      `json:"-"`
	// Folded says that it stands for others of its rule in the file, which are not listed: any card of the file may have one.
	Folded bool `json:"-"`
	// Action is what is done with the message in which it was found: note, redact, block; "" outside of traffic.
	Action string `json:"-"`
	// Advice marks a finding that doctor shows and does not count.
	Advice bool `json:"advice,omitempty"`
}

// File is where the finding can be looked at: the config entry that named a live server, else its location. It has no
// path where nothing can be.
func (f *Finding) File() Location {
	switch {
	case f.Origin != nil:
		return *f.Origin
	case f.Nowhere:
		return Location{}
	}
	return f.Location
}

// ByPlace orders findings by file and position.
func ByPlace(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.Location.Path, b.Location.Path),
		cmp.Compare(a.Location.Offset, b.Location.Offset),
		cmp.Compare(a.Location.Length, b.Location.Length))
}

// Subject is one thing that was judged.
type Subject struct {
	ID        string `json:"id"`
	Kind      string `json:"kind"` // config, server, tool, …
	Parent    string `json:"parent,omitempty"`
	Name      string `json:"name,omitempty"`
	Path      string `json:"path,omitempty"`
	Client    string `json:"client,omitempty"`
	Scope     string `json:"scope,omitempty"`
	Transport string `json:"transport,omitempty"`
	Shadowed  bool   `json:"shadowed,omitempty"`
	Disabled  bool   `json:"disabled,omitempty"`
	Digest    string `json:"digest,omitempty"`
	// Protocol is what was agreed on with a server that was asked.
	Protocol *Protocol `json:"protocol,omitempty"`
	// Origin is the config entry that named a server that was asked.
	Origin *Location `json:"origin,omitempty"`
	// Decision and Risk are a tool's: whether a client should offer it (include, approve, block), and why.
	Decision string `json:"decision,omitempty"`
	Risk     *Risk  `json:"risk,omitempty"`
}

// Protocol is what client and server agreed on, and what the server says of itself.
type Protocol struct {
	Requested  string `json:"requested"`
	Negotiated string `json:"negotiated"`
	// Era is modern (2026-07-28 and later) or legacy.
	Era string `json:"era"`
	// Capabilities are the names of those that the server announces.
	Capabilities []string   `json:"capabilities"`
	ServerInfo   ServerInfo `json:"serverInfo"`
}

// ServerInfo is what a server calls itself.
type ServerInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Risk is what a tool can do and what speaks for caution.
type Risk struct {
	Level        string   `json:"level"`        // low, medium, high, critical
	Capabilities []string `json:"capabilities"` // read, write, delete, pay, send, run, files, network, secrets
	Reasons      []string `json:"reasons"`      // ids of rules, and abilities with what tells of them
}

// Skip is a thing that was left out by a safety rule (a link, a size): it makes a run exit 1 at least.
type Skip struct {
	Path   string `json:"path"`
	Reason string `json:"reason"` // symlink, oversized, …
	Detail string `json:"detail,omitempty"`
	Hint   string `json:"hint,omitempty"` // the command that reads it anyway
}

// Incomplete is a thing that could not be checked: it makes a run exit 2.
type Incomplete struct {
	Path   string `json:"path"`
	Cause  string `json:"cause"` // unreadable, syntax, unrecognised, changed, …
	Detail string `json:"detail,omitempty"`
	Hint   string `json:"hint,omitempty"`
}
