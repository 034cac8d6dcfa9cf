// Package engine runs rules over what a flow has read and brings their findings into order: one fault, one
// finding, each with a stable fingerprint.
package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Input is what one run judges, and by what.
type Input struct {
	Files []*client.File
	Cards []*card.File
	Locks []*rule.Locked
	// Manifests are files server.json.
	Manifests []*manifest.File
	// Machine is what doctor looks at, nil for every other verb.
	Machine *rule.Machine
	// Trust is what audit found out about the servers of Files.
	Trust  []*trust.Server
	Rules  []*rule.Rule
	Facts  rule.Facts
	Limits limits.Set
	// EveryClient judges cards for every client of the table where none is named.
	EveryClient bool
	// All lists every finding. Otherwise a rule lists limits.RuleFindings in a file, and counts the others in one.
	All bool
}

// Judge runs every rule: file and server rules per file, then project rules per group. A rule that panics costs
// its own findings on that file and is reported as incomplete, never as clean.
func Judge(in Input) (found []finding.Finding, incomplete []finding.Incomplete) {
	j := &judge{in: in}
	for _, r := range in.Rules {
		one := j.run(r)
		j.runs = append(j.runs, one)
		if look := r.Server; look != nil {
			j.visits = append(j.visits, visit{look, one})
		} else if r.Each != nil {
			j.visits = append(j.visits, visit{func(p *rule.Pass, s *client.Server) { r.Each(p, s, &one.gather) }, one})
		}
	}
	for _, f := range in.Files {
		f.Use(&j.memory)
		j.file(f)
	}
	for _, g := range Groups(in.Files) {
		for _, r := range j.runs {
			if r.rule.Project != nil {
				r.group(g)
			}
		}
		for _, f := range g.Project {
			f.Forget()
		}
	}
	for _, f := range in.Cards {
		j.cards(f)
	}
	for _, l := range in.Locks {
		j.lock(l)
	}
	for _, f := range in.Manifests {
		j.manifest(f)
	}
	for _, r := range j.runs {
		if r.rule.Machine != nil && in.Machine != nil {
			r.machine(in.Machine)
		}
	}
	j.trust()
	return Settle(in.Rules, append(j.full, j.found)...), j.incomplete
}

type judge struct {
	in         Input
	scene      rule.Scene
	memory     client.Memory
	runs       []*run
	visits     []visit             // of those that look at servers
	full       [][]finding.Finding // chunks: a slice that grows would be copied again and again
	found      []finding.Finding
	incomplete []finding.Incomplete
	held       []held // findings on the card at hand of which one is to be listed
	kept       []held // those that are, of the server at hand
}

// held is a finding that waits for the other rules of its set.
type held struct {
	by *run
	finding.Finding
}

// chunk is how many findings are kept together.
const chunk = 256

func (j *judge) emit(f finding.Finding) {
	if len(j.found) == cap(j.found) {
		if len(j.found) > 0 {
			j.full = append(j.full, j.found)
		}
		j.found = make([]finding.Finding, 0, min(chunk, 4+4*cap(j.found)))
	}
	j.found = append(j.found, f)
}

// visit is one rule's look at a server.
type visit struct {
	look func(*rule.Pass, *client.Server)
	*run
}

// run is one rule at work, on one file after the other.
type run struct {
	*judge
	rule   *rule.Rule
	pass   rule.Pass
	gather rule.Gather
	// listed counts the findings in the file at hand, and rest stands for those that nobody would read on to.
	listed int
	rest   *finding.Finding
}

func (j *judge) run(r *rule.Rule) *run {
	one := &run{judge: j, rule: r}
	one.pass = rule.Pass{Rule: r, Facts: j.in.Facts, Scene: &j.scene, Limits: &j.in.Limits, Emit: one.emit}
	return one
}

func (r *run) emit(f finding.Finding) {
	if r.rule.Once != "" && r.pass.Card != nil {
		r.held = append(r.held, held{r, f})
		return
	}
	r.list(f)
}

func (r *run) list(f finding.Finding) {
	if r.listed++; r.in.All || r.listed <= r.in.Limits.RuleFindings {
		r.judge.emit(f)
	} else if f.Severity >= r.rest.Severity {
		*r.rest = f
	}
	if r.listed == r.in.Limits.RuleFindings && !r.in.All {
		r.rest = new(finding.Finding)
		if r.rule.Once == "" { // what is held is compared, so it must be made
			r.pass.Enough = r.enough
		}
	}
}

// enough counts a finding that is not listed. The gravest of them stands for all, so a graver one is still made.
func (r *run) enough(s finding.Severity) bool {
	if s > r.rest.Severity {
		return false
	}
	r.listed++
	return true
}

// start turns to another file or group.
func (r *run) start() { r.pass.Enough, r.listed = nil, 0 }

// finish reports what the rule gathered, and how many findings it did not list.
func (r *run) finish(path, subject string) {
	defer r.fence(path)
	if r.rule.Each != nil {
		r.gather.Report(&r.pass, r.rule.Message, nil)
		r.gather = rule.Gather{}
	}
	if more := r.listed - r.in.Limits.RuleFindings; more > 0 && !r.in.All {
		r.rest.Message = fmt.Sprintf("%s (and %d more like it in this file)", r.rest.Message, more-1)
		// It is about the file: what hides the findings of one server must not hide it.
		r.rest.Folded = true
		r.rest.Fix, r.rest.Subject, r.rest.Server, r.rest.Tool = nil, cmp.Or(subject, r.rest.Subject), "", ""
		r.judge.emit(*r.rest)
	}
}

// fence turns a panic of a rule into an incomplete entry. It must itself be deferred.
func (r *run) fence(path string) {
	if e := recover(); e != nil {
		r.failed(path, e)
	}
}

func (r *run) failed(path string, e any) {
	r.incomplete = append(r.incomplete, finding.Incomplete{Path: path, Cause: "internal", Detail: fmt.Sprintf("rule %s failed: %v", r.rule.ID, e)})
}

func (j *judge) file(f *client.File) {
	j.scene = rule.Scene{File: f}
	for _, r := range j.runs {
		r.start()
		if r.rule.File != nil && (f.Doc != nil || r.rule.Unparsed) {
			r.file(f)
		}
	}
	// All rules look at one server before the next, so that what they share about it is made once and dropped.
	server, next := 0, 0
	for server < len(f.Servers) {
		j.walk(f, &server, &next) // returns early only where a rule panicked: it goes on behind that rule
	}
	j.scene.Server = nil
	for _, r := range j.runs {
		if r.listed > 0 || r.rule.Each != nil {
			r.finish(f.Path, f.Subject())
		}
	}
}

func (r *run) file(f *client.File) {
	defer r.fence(f.Path)
	r.rule.File(&r.pass)
	f.Forget()
}

func (j *judge) walk(f *client.File, server, next *int) {
	defer func() {
		if e := recover(); e != nil {
			j.visits[*next-1].failed(f.Path, e)
		}
	}()
	for ; *server < len(f.Servers); *server++ {
		s := f.Servers[*server]
		j.scene.Server = s
		for *next < len(j.visits) {
			v := &j.visits[*next]
			*next++
			v.look(&v.pass, s)
		}
		if s.Unread() {
			j.unread(f.Path, s.Display())
		}
		s.Forget()
		*next = 0
	}
}

// unread says once per file that a launch line was not read to its end.
func (j *judge) unread(path, server string) {
	if n := len(j.incomplete); n > 0 && j.incomplete[n-1].Path == path && j.incomplete[n-1].Cause == "size" {
		return
	}
	j.incomplete = append(j.incomplete, finding.Incomplete{Path: path, Cause: "size",
		Detail: fmt.Sprintf("the launch line of %q nests deeper, or holds more commands, than is read: what lies beyond was not checked", server)})
}

// cards judges a document with cards: all rules look at one card before the next, so that of what they say of it the
// gravest can be picked; then at each server, then at all servers together.
func (j *judge) cards(f *card.File) {
	var runs []*run
	for _, r := range j.runs {
		if r.rule.Card != nil || r.rule.Surface != nil || r.rule.Cards != nil {
			r.start()
			runs = append(runs, r)
		}
	}
	clients := j.clients(f.Client)
	for _, s := range f.Servers {
		j.scene = rule.Scene{Client: f.Client, Clients: clients, Surface: s}
		for _, c := range s.Cards {
			j.scene.Card = c
			for _, r := range runs {
				if r.rule.Card != nil {
					r.card(f, c)
				}
			}
			j.release()
		}
		j.scene.Card = nil
		j.gather(s)
		for _, r := range runs {
			if r.rule.Surface != nil {
				r.surface(f, s)
			}
		}
	}
	j.scene = rule.Scene{Client: f.Client, Clients: clients}
	apart := *f // a server in two eras is no two servers
	apart.Servers = f.Distinct()
	for _, r := range runs {
		if r.rule.Cards != nil {
			r.together(&apart)
		}
		r.finish(f.Path, f.Subject)
	}
}

// clients are those that cards are judged for.
func (j *judge) clients(named *client.Client) []*client.Client {
	switch {
	case named != nil:
		return []*client.Client{named}
	case j.in.EveryClient:
		return client.Table()
	}
	return nil
}

// release lists the gravest finding of each set of rules on a card, the first of equals, and names the others beside it.
func (j *judge) release() {
	for len(j.held) > 0 {
		best := 0
		set := j.held[0].by.rule.Once
		for i, h := range j.held {
			if h.by.rule.Once == set && h.Severity > j.held[best].Severity {
				best = i
			}
		}
		one := j.held[best]
		rest := j.held[:0]
		for i, h := range j.held {
			switch {
			case h.by.rule.Once != set:
				rest = append(rest, h)
			case i != best && len(one.Related) < j.in.Limits.RelatedPlaces:
				one.Related = append(one.Related, finding.Related{Rule: h.Rule, Message: h.Message})
			}
		}
		j.held = rest
		j.kept = append(j.kept, one)
	}
}

// gather lists what release kept of a server's cards. Where one rule finds one kind of fault in several, it is one
// finding, the server's.
func (j *judge) gather(s *card.Server) {
	type fault struct{ rule, kind string }
	first := map[fault]int{}
	more := map[int]int{}
	for i := range j.kept {
		h := &j.kept[i]
		at, again := first[fault{h.Rule, h.Kind}]
		if h.Kind == "" || !again {
			first[fault{h.Rule, h.Kind}] = i
			continue
		}
		one := &j.kept[at]
		if more[at]++; len(one.Related) < j.in.Limits.RelatedPlaces {
			place := h.Location
			one.Related = append(one.Related, finding.Related{Message: text.Safe(h.Tool, j.in.Limits.ShownRunes), Location: &place})
		}
		one.Severity = max(one.Severity, h.Severity)
		h.by = nil
	}
	for i, h := range j.kept {
		if n := more[i]; n > 0 {
			do := "do"
			if n == 1 {
				do = "does"
			}
			h.Message = fmt.Sprintf("%s (and %d more of this server %s so)", h.Message, n, do)
			h.Subject, h.Tool, h.Shape = s.Subject, "", ""
		}
		if h.by != nil {
			h.by.list(h.Finding)
		}
	}
	j.kept = j.kept[:0]
}

func (r *run) card(f *card.File, c *card.Card) {
	defer r.fence(f.Path)
	r.rule.Card(&r.pass, c)
}

func (r *run) surface(f *card.File, s *card.Server) {
	defer r.fence(f.Path)
	r.rule.Surface(&r.pass, s)
}

func (r *run) together(f *card.File) {
	defer r.fence(f.Path)
	r.rule.Cards(&r.pass, f)
}

func (j *judge) lock(l *rule.Locked) {
	j.scene = rule.Scene{Locked: l}
	for _, r := range j.runs {
		if r.rule.Lock != nil {
			r.start()
			r.locked(l)
			r.finish(l.File.Path, l.File.Subject)
		}
	}
}

func (r *run) locked(l *rule.Locked) {
	defer r.fence(l.File.Path)
	r.rule.Lock(&r.pass, l)
}

func (j *judge) manifest(f *manifest.File) {
	j.scene = rule.Scene{Manifest: f}
	for _, r := range j.runs {
		if r.rule.Manifest != nil {
			r.start()
			r.manifested(f)
			r.finish(f.Path, f.Subject)
		}
	}
}

func (r *run) manifested(f *manifest.File) {
	defer r.fence(f.Path)
	r.rule.Manifest(&r.pass, f)
}

func (r *run) machine(m *rule.Machine) {
	r.start()
	r.scene = rule.Scene{}
	defer r.fence("~")
	r.rule.Machine(&r.pass, m)
	r.finish("~", "")
}

// trust judges what is known of each server, all rules one server before the next.
func (j *judge) trust() {
	for _, r := range j.runs {
		r.start()
	}
	for _, s := range j.in.Trust {
		j.scene = rule.Scene{File: s.Entry.File, Server: s.Entry}
		for _, r := range j.runs {
			if r.rule.Trust != nil {
				r.trusted(s)
			}
		}
	}
	for _, r := range j.runs {
		if r.rule.Trust != nil {
			r.finish("~", "")
		}
	}
}

func (r *run) trusted(s *trust.Server) {
	defer r.fence(s.Entry.File.Path)
	r.rule.Trust(&r.pass, s)
}

func (r *run) group(g *rule.Group) {
	r.start()
	r.scene = rule.Scene{}
	defer r.fence(cmp.Or(g.Root, "~"))
	r.rule.Project(&r.pass, g)
	r.finish(cmp.Or(g.Root, "~"), "")
}

// Groups sorts files into projects, each with the user's files beside it, in the order of the projects' folders.
// The user's files alone are the last group.
func Groups(files []*client.File) []*rule.Group {
	byRoot := map[string]*rule.Group{}
	var groups []*rule.Group
	var user []*client.File
	for _, f := range files {
		if f.Doc == nil {
			continue
		}
		if f.Project == "" {
			user = append(user, f)
			continue
		}
		g := byRoot[f.Project]
		if g == nil {
			g = &rule.Group{Root: f.Project}
			byRoot[f.Project] = g
			groups = append(groups, g)
		}
		g.Project = append(g.Project, f)
	}
	slices.SortStableFunc(groups, func(a, b *rule.Group) int { return cmp.Compare(a.Root, b.Root) })
	for _, g := range groups {
		g.User = user
	}
	if len(user) > 0 {
		groups = append(groups, &rule.Group{User: user})
	}
	return groups
}

// Settle merges what several rules say of one fault, orders findings by place, and gives each its fingerprint.
func Settle(rules []*rule.Rule, chunks ...[]finding.Finding) []finding.Finding {
	byID := make(map[string]*rule.Rule, len(rules))
	order := make(map[string]int, len(rules))
	for i, r := range rules {
		byID[r.ID], order[r.ID] = r, i
	}
	var sorted []*finding.Finding // findings are large: what is sorted is where they are
	for _, c := range chunks {
		sorted = slices.Grow(sorted, len(c))
		for i := range c {
			sorted = append(sorted, &c[i])
		}
	}
	slices.SortStableFunc(sorted, func(a, b *finding.Finding) int {
		if c := cmp.Or(
			cmp.Compare(a.Location.Path, b.Location.Path),
			cmp.Compare(a.Location.Offset, b.Location.Offset),
			cmp.Compare(a.Location.Length, b.Location.Length),
		); c != 0 {
			return c
		}
		return cmp.Or(
			cmp.Compare(b.Severity, a.Severity),
			cmp.Compare(order[a.Rule], order[b.Rule]),
			cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Message, b.Message),
		)
	})
	found := merge(sorted, byID)
	seen := make(map[string]int, len(found))
	for i := range found {
		f := &found[i]
		if f.Aliases == nil {
			f.Aliases = []string{}
		}
		if f.Related == nil {
			f.Related = []finding.Related{}
		}
		key := canon.Fingerprint(f.Rule, f.Location.Path, f.Server, f.Shape, f.Kind)
		if f.Tool != "" { // the pointer of a card has but its index
			key = canon.Fingerprint(key, f.Tool)
		}
		n := seen[key]
		seen[key]++
		f.Fingerprint = key
		if n > 0 {
			f.Fingerprint = canon.Fingerprint(key, strconv.Itoa(n))
		}
	}
	return found
}

// merge keeps one finding per fault and place: the specification's rule wins, then one that blocks, then the graver one.
// Equal findings of one rule are one finding.
func merge(sorted []*finding.Finding, byID map[string]*rule.Rule) []finding.Finding {
	out := make([]finding.Finding, 0, len(sorted))
	group := 0 // where the findings of the current place begin in out
	for _, f := range sorted {
		if len(out) == group || out[group].Location.Path != f.Location.Path || out[group].Location.Offset != f.Location.Offset ||
			out[group].Location.Length != f.Location.Length {
			group = len(out)
		}
		merged := false
		for i := group; i < len(out) && !merged; i++ {
			o := &out[i]
			if o.Rule == f.Rule && o.Kind == f.Kind && o.Subject == f.Subject && o.Message == f.Message {
				merged = true
				continue
			}
			a, b := byID[o.Rule], byID[f.Rule]
			if a == nil || b == nil || a == b || a.Fault == "" || a.Fault != b.Fault || o.Subject != f.Subject {
				continue
			}
			if outranks(b, a) {
				*o, *f = *f, *o
			}
			o.Related = append(o.Related, finding.Related{Rule: f.Rule, Message: f.Message})
			for _, r := range f.Related { // those that the finding stood for before it gave way
				if r.Rule != "" {
					o.Related = append(o.Related, r)
				}
			}
			if o.Fix == nil {
				o.Fix = f.Fix
			}
			merged = true
		}
		if !merged {
			out = append(out, *f)
		}
	}
	return out
}

// outranks says whether a rule wins over one of the same fault that stands first at a place.
func outranks(r, first *rule.Rule) bool {
	if ofSpec(r.ID) != ofSpec(first.ID) {
		return ofSpec(r.ID)
	}
	return slices.Contains(r.Tags, rule.Block) && !slices.Contains(first.Tags, rule.Block)
}

// ofSpec says whether a rule is one of the configuration specification's, whose categories start with "mcp-".
func ofSpec(id string) bool { return strings.HasPrefix(id, "mcp-") }
