// Package fix turns findings that carry edits into new bytes. Every result is parsed and judged again before anyone
// may write it: the fixed findings must be gone, no new error may appear, and bytes that no edit names stay as they
// are. A fix that does not hold is left out and said so.
package fix

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Judge judges one file alone, policy applied.
type Judge func(*client.File) []finding.Finding

// Change is the outcome for one file.
type Change struct {
	File *client.File
	// After is the file with its new bytes, read again.
	After *client.File
	// Applied are the findings whose fixes hold, Left says why another's does not.
	Applied []finding.Finding
	Left    []Left
	// Exports are the variables that must be set now; Secret says that a value was moved out of the file.
	Exports []string
	Secret  bool
}

// Left is a fix that was not made.
type Left struct {
	Finding finding.Finding
	Why     string
}

// Bytes are the new bytes.
func (c *Change) Bytes() []byte { return c.After.Doc.Raw }

// Plan makes the fixes of one file that wanted allows. It answers nil where there is nothing to fix.
func Plan(f *client.File, judge Judge, wanted func(finding.Finding) bool, lim limits.Set) *Change {
	if f.Doc == nil {
		return nil
	}
	p := &planner{judge: judge, wanted: wanted, lim: lim, tried: map[string]bool{}}
	c := &Change{File: f, After: f}
	found := judge(f)
	for range lim.FixRounds {
		todo := p.todo(c.After.Doc.Raw, found)
		if len(todo) == 0 {
			break
		}
		if p.tries >= lim.FixTries {
			c.Left = append(c.Left, Left{todo[0], fmt.Sprintf("this and %d more were not tried, since too many fixes of this file do not hold", len(todo)-1)})
			break
		}
		next, after, made := p.round(c, found, todo)
		if len(made) == 0 {
			continue // all of this round were left out: those that overlapped them may hold
		}
		c.After, found = next, after
		c.Applied = append(c.Applied, made...)
	}
	if len(c.Applied) == 0 && len(c.Left) == 0 {
		return nil
	}
	for _, a := range c.Applied {
		for _, name := range a.Fix.Exports {
			c.Secret = true
			if !slices.Contains(c.Exports, name) {
				c.Exports = append(c.Exports, name)
			}
		}
	}
	return c
}

type planner struct {
	judge  Judge
	wanted func(finding.Finding) bool
	lim    limits.Set
	tried  map[string]bool // fingerprints whose fix did not hold
	// tries counts how often the file was parsed and judged: a hostile one holds thousands of fixes that do not hold.
	tries int
}

// todo are the fixes that do not touch each other and give no two members of one object one name, the first by position.
func (p *planner) todo(raw []byte, found []finding.Finding) []finding.Finding {
	var all, out []finding.Finding
	for _, f := range found {
		if f.Fix != nil && len(f.Fix.Edits) > 0 && f.Fix.Safety != finding.Manual && f.Status == finding.Active && p.wanted(f) && !p.tried[f.Fingerprint] {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b finding.Finding) int { return cmp.Compare(first(a), first(b)) })
	end := -1
	given := map[name]bool{}
	for _, f := range all {
		names := renames(raw, f)
		if first(f) <= end || slices.ContainsFunc(names, func(n name) bool { return given[n] }) {
			continue // it touches the one before: the next round judges it anew
		}
		for _, n := range names {
			given[n] = true
		}
		for _, e := range f.Fix.Edits {
			end = max(end, e.Offset+e.Length)
		}
		out = append(out, f)
	}
	return out
}

// name is what a fix calls a member, and the pointer of its object.
type name struct{ object, text string }

// renames are the names that a fix gives: its edits that stand before a colon or an equals sign.
func renames(raw []byte, f finding.Finding) (names []name) {
	object := f.Location.Pointer
	if i := strings.LastIndexByte(object, '/'); i >= 0 {
		object = object[:i]
	}
	for _, e := range f.Fix.Edits {
		after := bytes.TrimLeft(raw[min(len(raw), e.Offset+e.Length):], "\"' \t\r\n")
		if e.Length > 0 && e.Text != "" && len(after) > 0 && (after[0] == ':' || after[0] == '=') {
			names = append(names, name{object, e.Text})
		}
	}
	return names
}

func first(f finding.Finding) int {
	at := f.Fix.Edits[0].Offset
	for _, e := range f.Fix.Edits {
		at = min(at, e.Offset)
	}
	return at
}

// round makes all fixes at once; where the result does not hold, one after the other.
func (p *planner) round(c *Change, before, todo []finding.Finding) (*client.File, []finding.Finding, []finding.Finding) {
	if p.tries >= p.lim.FixTries {
		return c.After, before, nil
	}
	p.tries++
	next, after, err := p.try(c.After, before, todo)
	if err == nil {
		return next, after, todo
	}
	if len(todo) > 1 {
		half := len(todo) / 2
		next, after, made := p.round(c, before, todo[:half])
		if len(made) > 0 {
			return next, after, made // the others are judged anew in the next round
		}
		return p.round(c, before, todo[half:])
	}
	p.tried[todo[0].Fingerprint] = true
	c.Left = append(c.Left, Left{todo[0], err.Error()})
	return c.After, before, nil
}

// try applies fixes in memory and holds the result against what a fix promises.
func (p *planner) try(f *client.File, before, todo []finding.Finding) (*client.File, []finding.Finding, error) {
	var edits []finding.Edit
	for _, t := range todo {
		edits = append(edits, t.Fix.Edits...)
	}
	raw, err := source.Apply(f.Doc.Raw, edits)
	if err != nil {
		return nil, nil, err
	}
	next := f.Renew()
	next.Load(raw, p.lim)
	if next.Err != nil {
		return nil, nil, fmt.Errorf("the result could not be read: %w", next.Err)
	}
	if overridden(next.Doc) > overridden(f.Doc) {
		return nil, nil, errors.New("two members of one object would have the same name, and one of them would be lost")
	}
	after := p.judge(next)
	if err := compare(before, after, todo); err != nil {
		return nil, nil, err
	}
	return next, after, nil
}

// overridden counts the members that nobody reads, since a later one has the name. Two fixes that are right alone may
// give one name twice (both env and environment become "env"), and another fix would delete what is lost by that.
func overridden(d *source.Doc) (n int) {
	for v := range d.Nodes() {
		if v.Overridden() {
			n++
		}
	}
	return n
}

// compare holds the findings after fixes against those before: those of the fixes are gone, and no error is new.
// A fix may move other findings, as one that renames the root key does, so that their fingerprints differ: these
// are known again by their words. Equal findings are told apart by their number.
func compare(before, after, todo []finding.Finding) error {
	for _, key := range []func(finding.Finding) likeness{byShape, byWords} {
		was, is, fixed := count(before, key), count(after, key), count(todo, key)
		for _, t := range todo {
			if k := key(t); is[k] > 0 && is[k] > was[k]-fixed[k] {
				return fmt.Errorf("%s would still be found", t.Rule)
			}
		}
	}
	known := map[string]bool{}
	for _, b := range before {
		known[b.Fingerprint] = true
	}
	was, is := count(before, byWords), count(after, byWords)
	for _, a := range after {
		if k := byWords(a); a.Severity >= finding.Error && a.Status == finding.Active && !known[a.Fingerprint] && is[k] > was[k] {
			return fmt.Errorf("it would cause %s: %s", a.Rule, a.Message)
		}
	}
	return nil
}

// likeness is what equal findings share.
type likeness struct{ rule, server, tool, kind, text string }

func byShape(f finding.Finding) likeness { return likeness{f.Rule, f.Server, f.Tool, f.Kind, f.Shape} }
func byWords(f finding.Finding) likeness {
	return likeness{f.Rule, f.Server, f.Tool, f.Kind, f.Message}
}

func count(found []finding.Finding, key func(finding.Finding) likeness) map[likeness]int {
	n := map[likeness]int{}
	for _, f := range found {
		n[key(f)]++
	}
	return n
}
