// Package verify holds a lock against what is: what the project declares, what a config starts, what a server answers. It
// finds out, and judges as a gate does: every difference stops but words and order that mean nothing new, and what could not
// be compared is never taken for the same.
package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/locking"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Check is one run: a lock and what is held against it.
type Check struct {
	rule.Locked
	// Strict lets no difference pass.
	Strict bool
	Facts  rule.Facts
	Limits limits.Set

	Incomplete []finding.Incomplete
	// Registries are what registries say, nil where nobody looked: the lock holds no package and no record.
	Registries *locking.Gates
	// Compared are the servers that were held against an answer, by name.
	Compared map[string]bool
}

// Covers looks up what mcpassay.yaml declares.
func (c *Check) Covers(declared []project.Server) {
	for _, d := range declared {
		if why := c.uncovered(d); why != "" {
			c.Declared = append(c.Declared, rule.Declared{Name: d.Name, Node: d.Node, Why: why})
		}
	}
}

// uncovered says why a lock does not hold a server as it is declared, "" where it does.
func (c *Check) uncovered(d project.Server) string {
	s := c.File.Get(d.Name)
	const again = ": mcpassay lock writes it down"
	switch {
	case s == nil:
		return "is declared here, and is not in the lock"
	case d.URL != "" && s.Launch.URL != d.URL:
		return "is declared at another URL than the lock's"
	case d.Kind == project.Registry && s.Record == nil:
		return "is declared as one of the registry, and the lock holds no record of it" + again
	case d.Kind == project.Registry && s.Record.Name != d.Of:
		return "is declared as " + d.Of + ", and the lock holds " + s.Record.Name + again
	case d.Kind == project.Registry && !locking.Satisfies(d.Version, s.Record.Version):
		return "is declared as " + d.Version + ", and the lock holds " + s.Record.Version + again
	case d.Kind == project.Package && !locking.Is(s.Package, d):
		return "is declared as " + d.Coordinate() + " " + d.Version + ", and the lock holds " + s.Locked() + again
	}
	return ""
}

// Launch finds a config's entry in the lock, by its name (NAME#… where that is another's of the same name) or else by how it is
// started, and compares how it is started. It
// answers nil where the lock does not hold it.
func (c *Check) Launch(e *client.Server, p lock.Places) *lock.Server {
	launch, err := lock.LaunchOf(e, p)
	if err != nil {
		c.Declared = append(c.Declared, rule.Declared{Name: e.Display(), Node: e.Node, Why: "can not be what was pinned: " + err.Error()})
		return nil
	}
	s := c.File.Get(e.Display())
	if s == nil || !s.Launch.Equal(launch) {
		if i := slices.IndexFunc(c.File.Servers, func(o *lock.Server) bool {
			return (s == nil || strings.HasPrefix(o.Name, e.Display()+"#")) && o.Launch.Equal(launch)
		}); i >= 0 {
			s = c.File.Servers[i]
		}
	}
	if s == nil {
		c.Declared = append(c.Declared, rule.Declared{Name: e.Display(), Node: e.Node, Why: "is started here, and is not in the lock"})
		return nil
	}
	now := *s
	now.Launch = launch
	c.note(drift.Compare(s, &now, c.Limits), s, nil)
	return s
}

// Surface compares a server of the lock with what one answers now. A document that holds but a part of a surface is compared
// in that part.
func (c *Check) Surface(name string, now *card.Server) {
	was := c.File.Get(name)
	lacks := func(format string, args ...any) {
		c.Incomplete = append(c.Incomplete, finding.Incomplete{Path: c.File.Path, Cause: "surface", Detail: fmt.Sprintf("%s: "+format, append([]any{name}, args...)...)})
	}
	if was.Unpinned {
		lacks("it is locked and was never pinned: there is nothing to compare it with")
		return
	}
	take := lock.Take
	if now.Saved {
		take = lock.Capture
		if now.Node.Get("earlier").Valid() {
			lacks("it changed its lists while they were read")
		}
	}
	is, err := take(name, now)
	if err != nil {
		lacks("%s", err)
		return
	}
	if !now.Saved {
		for _, what := range Keep(was, is, now) {
			lacks("the file does not hold its %s: save the whole surface with mcpassay scan --save", what)
		}
		for _, list := range now.Unfinished() {
			lacks("the last page of %s names a next one, which is not here", list)
		}
	}
	c.Compared[name] = true
	c.note(drift.Surfaces(was, is, c.Limits), was, now)
}

// note weighs changes by the two documents that they were found in: of two entries that start one server each answers for
// itself.
func (c *Check) note(changes []drift.Change, was *lock.Server, now *card.Server) {
	Weigh(changes, c.Strict, c.Facts, c.Limits, func(string) (before, after *card.Server) { return card.ServerAt(was.Node), now })
	c.Changes = append(c.Changes, changes...)
}

// Keep takes for unchanged what a document does not speak of, and lists what of that there is.
func Keep(was, is *lock.Server, now *card.Server) (lacking []string) {
	is.Protocol, is.Launch, is.Confinement = was.Protocol, was.Launch, was.Confinement
	if !now.Introduced() {
		is.Identity, is.Capabilities = was.Identity, was.Capabilities
		if is.Instructions == nil && was.Instructions != nil {
			is.Instructions = was.Instructions
			lacking = append(lacking, "instructions")
		}
	}
	for _, k := range wire.Lists() {
		held := slices.ContainsFunc(now.Pages, func(page source.Node) bool { return page.Get(k.String()).Valid() })
		if len(is.Items[k]) == 0 && !held && len(was.Items[k]) > 0 {
			is.Items[k] = was.Items[k]
			lacking = append(lacking, k.String())
		}
	}
	return lacking
}

// Result judges the run.
func (c *Check) Result(rules []*rule.Rule) *engine.Result {
	res := &engine.Result{Files: 1, Drift: c.Changes, Incomplete: c.Incomplete}
	n := int32(0)
	c.File.Number(func() string { n++; return client.SubjectID(n) })
	if c.File.Lock != nil {
		res.Servers = len(c.File.Servers)
		for _, s := range c.File.Servers {
			res.Tools += len(s.Items[wire.Tools])
		}
	}
	res.Describe = func([]finding.Finding) []finding.Subject { return c.File.Describe() }
	c.gated()
	found, incomplete := engine.Judge(engine.Input{Locks: []*rule.Locked{&c.Locked}, Rules: rules, Facts: c.Facts, Limits: c.Limits, All: true})
	res.Findings, res.Incomplete = found, append(res.Incomplete, incomplete...)
	return res
}

// Stops says whether a gate stops at a result.
func Stops(res *engine.Result) bool {
	return len(res.Incomplete)+len(res.Skipped) > 0 || slices.ContainsFunc(res.Findings, func(f finding.Finding) bool {
		return f.Status == finding.Active && f.Severity == finding.Error
	})
}

// Stops says whether this run stops: at its result, or at what registries say, which needs no rule to count.
func (c *Check) Stops(res *engine.Result) bool {
	return Stops(res) || c.Registries != nil && c.Registries.Stops()
}
