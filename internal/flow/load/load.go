// Package load turns paths into client files: it reads each file once through the door that its caller gives it
// and sorts what could not be read into skipped, incomplete and excluded. lint and doctor both stand on it.
package load

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/decide"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Disk reads one file of at most max bytes. A path below base that is reached through a link is refused; base ""
// allows links, for a file that a person named. The error is a *Refusal.
type Disk interface {
	Read(path string, max int, base string) (Content, error)
}

// Content is what was read and the identity of the file, the same for two paths that lead to one file.
type Content struct {
	Bytes    []byte
	Identity string
}

// Refusal says why a file was not read. Reasons are the words of the report: missing, symlink, oversized,
// not-regular, unreadable, changed, dangling-link, loop.
type Refusal struct {
	Reason, Detail string
}

func (r *Refusal) Error() string { return r.Reason + ": " + r.Detail }

// NoHome says that the user's own files could not be looked for.
var NoHome = finding.Incomplete{Path: "~", Cause: "missing", Detail: "no home folder is known: the user's own files were not looked at",
	Hint: "set HOME (on Windows USERPROFILE) to an absolute folder"}

// Set is the files of one run and what became of the others.
type Set struct {
	Files []*client.File
	// Cards are the documents that hold what servers expose.
	Cards []*card.File
	// Locks are locks, and Today is the day on which their approvals must hold.
	Locks []*lock.File
	// Manifests are files server.json, for the registry.
	Manifests  []*manifest.File
	Today      time.Time
	Skipped    []finding.Skip
	Incomplete []finding.Incomplete
	Excluded   []string
	// Notes are for standard error: nothing was left out, and a person may want to know.
	Notes []string
	// Missing is the number of places that were looked at and hold no file.
	Missing int
	// Machine is what doctor looks at beside the files, nil for every other verb.
	Machine *rule.Machine
	// Trust is what audit found out about servers of the files.
	Trust []*trust.Server
	// EveryClient has cards judged for every client of the table where none is named.
	EveryClient bool

	disk   Disk
	limits limits.Set
	seen   map[string]*client.File
	origin map[*card.File]*client.File
}

// NewSet is an empty set that reads through disk.
func NewSet(disk Disk, lim limits.Set) *Set {
	return &Set{disk: disk, limits: lim, seen: map[string]*client.File{}}
}

// Ask says how one file is to be read.
type Ask struct {
	Where client.Where
	// Base is the folder that must not be left through a link; "" for a named file.
	Base string
	// Named is true for a file that a person named.
	Named bool
	// Loose is true for a file that was found by the form of its name: what stands there may be something else.
	Loose bool
	// Hint is the command that reads the file anyway, shown when it is skipped.
	Hint string
}

// Outcome is what became of one file.
type Outcome string

// The outcomes.
const (
	Read       Outcome = "read"
	Again      Outcome = "again" // the same file was read under another path
	Absent     Outcome = "missing"
	Skipped    Outcome = "skipped"
	Incomplete Outcome = "incomplete"
	Excluded   Outcome = "excluded"
)

// Add reads one file into the set.
func (s *Set) Add(a Ask) (*client.File, Outcome) {
	f := client.Identify(a.Where)
	f.Named = a.Named
	max := s.limits.FoundBytes
	if a.Named {
		max = s.limits.NamedBytes
	}
	content, err := s.disk.Read(f.Abs, max, a.Base)
	if err != nil {
		return f, s.refuse(f, a, err)
	}
	if known, ok := s.seen[content.Identity]; ok && content.Identity != "" {
		return known, Again
	}
	if content.Identity != "" {
		s.seen[content.Identity] = f
	}
	return f, s.take(f, a, content.Bytes)
}

// AddBytes takes a file whose bytes came another way, or the error of getting them.
func (s *Set) AddBytes(a Ask, raw []byte, err error) (*client.File, Outcome) {
	f := client.Identify(a.Where)
	f.Named = a.Named
	if err != nil {
		return f, s.refuse(f, a, err)
	}
	return f, s.take(f, a, raw)
}

func (s *Set) take(f *client.File, a Ask, raw []byte) Outcome {
	if lock.Looks(f.Path, raw) {
		s.Locks = append(s.Locks, lock.Open(f.Path, f.Abs, raw, s.limits))
		return Read
	}
	f.Load(raw, s.limits)
	if f.Loc == nil && a.Where.Client == nil && s.takeManifest(f, a, raw) {
		if f.Doc == nil {
			return Incomplete
		}
		return Read
	}
	if s.takeCards(f, a) {
		return Read
	}
	if !f.Recognised() && !(a.Named && a.Where.Client != nil) {
		if f.Named {
			s.Incomplete = append(s.Incomplete, finding.Incomplete{Path: f.Path, Cause: "unrecognised",
				Detail: "no MCP client's config, and no servers or tools in it", Hint: "name its client with --client (see mcpassay clients)"})
			return Incomplete
		}
		s.Excluded = append(s.Excluded, f.Path)
		return Excluded
	}
	s.Files = append(s.Files, f)
	if f.Err != nil {
		s.Incomplete = append(s.Incomplete, finding.Incomplete{Path: f.Path, Cause: f.Err.Cause, Detail: text.Safe(f.Err.Error(), s.limits.ShownRunes)})
		return Incomplete
	}
	return Read
}

// takeCards takes a document that holds cards and is no config: none that stands where a client reads one, and none
// whose servers say how they are reached.
func (s *Set) takeCards(f *client.File, a Ask) bool {
	if f.Doc == nil || f.Loc != nil || f.Doc.Format != source.JSON ||
		slices.ContainsFunc(f.Servers, func(v *client.Server) bool { return v.Command.Set() || v.URL.Set() }) {
		return false
	}
	cards := CardsOf(f, a.Where.Client)
	if cards == nil {
		return false
	}
	s.AddCards(cards)
	if s.origin == nil {
		s.origin = map[*card.File]*client.File{}
	}
	s.origin[cards] = f
	return true
}

// CardsOf reads a file that was read as one with cards, which are judged for a client; nil where it holds none.
func CardsOf(f *client.File, c *client.Client) *card.File {
	cards := card.Read(f.Doc)
	if cards != nil {
		cards.Path, cards.Abs, cards.Client = f.Path, f.Abs, c
	}
	return cards
}

// Origin is the file that cards were read from, nil where it must not be changed: what a server said stays as it is.
func (s *Set) Origin(f *card.File) *client.File {
	for _, v := range f.Servers {
		if v.Saved {
			return nil
		}
	}
	return s.origin[f]
}

// Renew takes a changed file in the place of one with cards.
func (s *Set) Renew(i int, after *client.File) {
	cards := CardsOf(after, s.Cards[i].Client)
	s.origin[cards] = after
	s.Cards[i] = cards
}

// AddCards takes a document with cards. What could not be had of a server when its surface was saved is still missing.
func (s *Set) AddCards(f *card.File) {
	s.Cards = append(s.Cards, f)
	for i, n := range f.Unread {
		if i == s.limits.ShownFaults {
			s.Incomplete = append(s.Incomplete, finding.Incomplete{Path: f.Path, Cause: "surface",
				Detail: fmt.Sprintf("%d more entries were not read either", len(f.Unread)-i)})
			break
		}
		s.Incomplete = append(s.Incomplete, finding.Incomplete{Path: f.Path, Cause: "surface",
			Detail: s.Safe(n.Pointer() + " was not read: it holds nothing that a server exposes, or there are too many")})
	}
	for _, v := range f.Servers {
		part := f.Unsaved && v.Node.Get("section").Valid() // ours, just made
		if v.Saved && !part {
			if err := wire.CheckSurface(v.Node, s.limits); err != nil {
				v.Faults = source.Node{}
				what := "this saved surface was changed, and can not be judged: " + err.Error()
				if v.Name != "" {
					what = v.Name + ": " + what
				}
				s.Incomplete = append(s.Incomplete, finding.Incomplete{Path: f.Path, Cause: "surface", Detail: s.Safe(what)})
			}
		}
		for _, list := range v.Unfinished() {
			s.Incomplete = append(s.Incomplete, finding.Incomplete{Path: f.Path, Cause: "pages",
				Detail: "the last page of " + list + " names a next one: what is on it was not checked"})
		}
		listed := 0
		for gap := range v.Gaps.Children() {
			if listed++; listed > s.limits.ShownFaults {
				break // a person, or a stranger, wrote more than any scan
			}
			s.Incomplete = append(s.Incomplete, s.gap(f, v, gap))
		}
	}
}

// gap is a part of a surface that could not be had (model/wire: Gap).
func (s *Set) gap(f *card.File, v *card.Server, gap source.Node) finding.Incomplete {
	what := gap.Get("part").Text()
	if detail := gap.Get("detail").Text(); detail != "" {
		what += ": " + detail
	}
	if v.Name != "" && v.Name != f.Path { // a live server alone is its own path
		what = v.Name + ": " + what
	}
	return finding.Incomplete{Path: f.Path, Cause: s.Safe(cmp.Or(gap.Get("cause").Text(), "unknown")), Detail: s.Safe(what)}
}

// Safe is a stranger's text for a report.
func (s *Set) Safe(word string) string { return text.Safe(secret.Mask(word), s.limits.ShownRunes) }

// refuse sorts a refusal: a missing file that was only looked for is no news.
func (s *Set) refuse(f *client.File, a Ask, err error) Outcome {
	r := refusalOf(err)
	if r.Reason == "missing" && !a.Named {
		s.Missing++
		return Absent
	}
	if r.Reason == "not-regular" && a.Loose {
		return Excluded
	}
	return s.LeaveOut(f.Path, a, r)
}

// refusalOf is the reason of an error.
func refusalOf(err error) *Refusal {
	r := &Refusal{Reason: "unreadable", Detail: err.Error()}
	errors.As(err, &r)
	return r
}

// LeaveOut notes what was not read under the path that reports show: what a safety rule left out is skipped, the rest
// is incomplete, and so is all that a person named.
func (s *Set) LeaveOut(path string, a Ask, r *Refusal) Outcome {
	detail := text.Safe(r.Detail, s.limits.ShownRunes)
	if !a.Named && (r.Reason == "symlink" || r.Reason == "oversized") {
		s.Skipped = append(s.Skipped, finding.Skip{Path: path, Reason: r.Reason, Detail: detail, Hint: a.Hint})
		return Skipped
	}
	s.Incomplete = append(s.Incomplete, finding.Incomplete{Path: path, Cause: r.Reason, Detail: detail})
	return Incomplete
}

// number gives the files and their servers the numbers by which findings name them, and counts them.
func (s *Set) number(res *engine.Result) {
	n := int32(0)
	next := func() int32 { n++; return n }
	for _, f := range s.Files {
		f.Number = next()
		if f.Doc != nil {
			res.Files++
		}
		for _, v := range f.Servers {
			if v.Twin == nil {
				v.Number = next()
				res.Servers++
			}
		}
		for _, v := range f.Servers {
			if v.Twin != nil {
				v.Number = v.Twin.Number
			}
		}
	}
	for _, f := range s.Locks {
		f.Number(func() string { return client.SubjectID(next()) })
		res.Files++
		if f.Lock != nil {
			res.Servers += len(f.Servers)
		}
	}
	for _, f := range s.Manifests {
		f.Subject = client.SubjectID(next())
		res.Files++
	}
	for _, f := range s.Cards {
		f.Subject = client.SubjectID(next())
		if !f.Unsaved {
			res.Files++
		}
		res.Servers += len(f.Distinct())
		for _, v := range f.Servers {
			v.Subject = client.SubjectID(next())
			for _, c := range v.Cards {
				c.Subject = client.SubjectID(next())
				if c.Kind == card.Tool && !v.Lane {
					res.Tools++
				}
			}
		}
	}
}

// locked are the locks for the engine.
func (s *Set) locked() (all []*rule.Locked) {
	for _, f := range s.Locks {
		all = append(all, &rule.Locked{File: f, Today: s.Today})
	}
	return all
}

// cardSubjects describes the servers of a document with cards, and their cards with the decisions on them. Of has the
// findings by subject.
func cardSubjects(f *card.File, of map[string][]*finding.Finding, lim limits.Set) []finding.Subject {
	all := []finding.Subject{{ID: f.Subject, Kind: "surface", Path: f.Path, Digest: canon.Digest(f.Doc.Raw)}}
	folded := slices.DeleteFunc(slices.Clone(of[f.Subject]), func(one *finding.Finding) bool { return !one.Folded })
	for _, v := range f.Servers {
		all = append(slices.Grow(all, 1+len(v.Cards)), finding.Subject{ID: v.Subject, Kind: "server", Parent: f.Subject, Name: v.Name,
			Transport: v.Transport, Protocol: protocol(v, lim), Origin: v.Origin})
		for _, c := range v.Cards {
			one := finding.Subject{ID: c.Subject, Kind: c.Kind.String(), Parent: v.Subject, Name: c.Name, Digest: canon.Digest(c.Node.Raw())}
			if c.Kind == card.Tool {
				verdict := decide.Tool(c, of[c.Subject], slices.Concat(of[v.Subject], folded))
				one.Decision = verdict.Decision.String()
				one.Risk = &finding.Risk{Level: verdict.Level.String(), Capabilities: verdict.Capabilities, Reasons: verdict.Reasons}
			}
			all = append(all, one)
		}
	}
	return all
}

// protocol is what was agreed on with a server that was asked, nil for another.
func protocol(v *card.Server, lim limits.Set) *finding.Protocol {
	if !v.Saved {
		return nil
	}
	p := &finding.Protocol{Requested: v.Protocol.Get("requested").Text(), Negotiated: v.Protocol.Get("negotiated").Text(),
		Era: v.Protocol.Get("era").Text(), Capabilities: []string{},
		ServerInfo: finding.ServerInfo{Name: v.Info.Get("name").Text(), Version: v.Info.Get("version").Text()}}
	for c := range v.Capabilities.Children() {
		if len(p.Capabilities) == lim.Capabilities {
			break // a stranger wrote more than any revision knows
		}
		p.Capabilities = append(p.Capabilities, c.Key())
	}
	return p
}

// bySubject sorts findings by what they are about.
func bySubject(found []finding.Finding) map[string][]*finding.Finding {
	of := map[string][]*finding.Finding{}
	for i := range found {
		if f := &found[i]; f.Subject != "" {
			of[f.Subject] = append(of[f.Subject], f)
		}
	}
	return of
}

// subjects describes what was judged, for the formats that list it. Found is what is left of the findings after policy.
func (s *Set) subjects(found []finding.Finding) []finding.Subject {
	var all []finding.Subject
	for _, f := range s.Files {
		sub := finding.Subject{ID: f.Subject(), Kind: "config", Path: f.Path, Scope: f.Scope}
		if f.Client != nil {
			sub.Client = f.Client.ID
		}
		if f.Doc != nil {
			sub.Digest = canon.Digest(f.Doc.Raw)
		}
		all = append(slices.Grow(all, 1+len(f.Servers)), sub)
		for _, v := range f.Servers {
			if v.Twin != nil {
				continue
			}
			one := finding.Subject{ID: v.Subject(), Kind: "server", Parent: f.Subject(), Name: v.Display(),
				Transport: string(v.Transport), Shadowed: v.Shadowed != nil || v.Hidden, Disabled: v.Disabled}
			if scope := v.Scope(); scope != f.Scope {
				one.Scope = scope
			}
			all = append(all, one)
		}
	}
	for _, f := range s.Locks {
		all = append(all, f.Describe()...)
	}
	for _, f := range s.Manifests {
		all = append(all, finding.Subject{ID: f.Subject, Kind: "manifest", Path: f.Path, Name: f.Root().Get("name").Text(), Digest: canon.Digest(f.Doc.Raw)})
	}
	if len(s.Cards) > 0 {
		of := bySubject(found)
		for _, f := range s.Cards {
			all = append(all, cardSubjects(f, of, s.limits)...)
		}
	}
	return all
}

// Judge runs the rules over the set.
func (s *Set) Judge(rules []*rule.Rule, facts rule.Facts) *engine.Result {
	client.Shadow(s.Files)
	res := &engine.Result{}
	s.number(res)
	res.Describe = s.subjects
	if s.Machine != nil {
		s.Machine.Files = s.Files
	}
	res.Skipped = append(res.Skipped, s.Skipped...)
	res.Incomplete = append(res.Incomplete, s.Incomplete...)
	res.Excluded = append(res.Excluded, s.Excluded...)
	found, incomplete := engine.Judge(engine.Input{Files: s.Files, Cards: s.Cards, Locks: s.locked(), Manifests: s.Manifests, Machine: s.Machine, Trust: s.Trust, Rules: rules, Facts: facts, Limits: s.limits, EveryClient: s.EveryClient})
	s.withhold(found)
	res.Findings = found
	res.Incomplete = append(res.Incomplete, incomplete...)
	return res
}

// Docs are the documents of the set.
func (s *Set) Docs() []*source.Doc {
	var docs []*source.Doc
	for _, f := range s.Files {
		if f.Doc != nil {
			docs = append(docs, f.Doc)
		}
	}
	for _, f := range s.Cards {
		docs = append(docs, f.Doc)
	}
	for _, f := range s.Manifests {
		docs = append(docs, f.Doc)
	}
	for _, f := range s.Locks {
		if f.Lock != nil {
			docs = append(docs, f.Lock.Doc)
		}
	}
	return docs
}
