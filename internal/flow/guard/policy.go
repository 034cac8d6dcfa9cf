package guard

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Told is what one file says of guarded servers.
type Told struct {
	*project.Guard
	// Path is how the file is shown, Dir the folder that ${project} means.
	Path, Dir string
	// Trusted says that a person named the file, or that it is the user's own. Any other can make the guard stricter and nothing
	// milder: it came with somebody's repository.
	Trusted bool
}

// Places are what the words of a policy mean on this machine.
type Places struct {
	// Home is the user's folder, Cwd the one in which the server runs; "" is not known.
	Home, Cwd string
}

// Policy is what one server's calls are held to, whatever the lock says. All files hold at once: the strictest decides. It may not
// be used by two sessions: rates are counted in it.
type Policy struct {
	server string
	lines  []line
	// defaults are for tools that no line of their section means; totals bound all calls.
	sections []section
	actions  map[string]rule.Action
	now      func() time.Duration
	last     time.Duration
	places   Places
}

// section is what one file says of servers of which this is one.
type section struct {
	access project.Access
	rate   *window
	from   string // file and line
}

// line is what one line of a file says of tools.
type line struct {
	project.GuardTool
	section int
	exact   bool   // it is a name, and no pattern
	lower   string // the pattern in small letters
	rate    *window
	paths   []bounded
	from    string
}

// bounded are the folders of one argument, as they are compared.
type bounded struct {
	argument string
	folders  []string
}

// NewPolicy is what files say of the server of a name, nil for nothing. now is a clock that never goes back, from any start.
func NewPolicy(server string, all []Told, places Places, now func() time.Duration, lim limits.Set) (*Policy, error) {
	p := &Policy{server: server, actions: map[string]rule.Action{}, now: now, places: places}
	for _, t := range all {
		if t.Guard == nil {
			continue
		}
		at := func(n int) string { return fmt.Sprintf("%s:%d", text.Line(t.Path, lim.ShownRunes), n) }
		for _, s := range t.Servers {
			if !project.Glob(strings.ToLower(s.Pattern), strings.ToLower(server)) {
				continue
			}
			p.sections = append(p.sections, section{s.Default, newWindow(s.Rate), at(s.Line)})
			for _, tool := range s.Tools {
				l := line{GuardTool: tool, section: len(p.sections) - 1, exact: !strings.Contains(tool.Pattern, "*"), lower: strings.ToLower(tool.Pattern), rate: newWindow(tool.Rate), from: at(tool.Line)}
				for _, b := range tool.Paths {
					one := bounded{argument: b.Argument}
					for _, folder := range b.Values {
						root, err := whole(folder, t.Dir, places.Home)
						if err != nil {
							return nil, fmt.Errorf("%s: %w", l.from, err)
						}
						one.folders = append(one.folders, root)
					}
					l.paths = append(l.paths, one)
				}
				p.lines = append(p.lines, l)
			}
		}
		for _, r := range t.Rules {
			for _, of := range catalog.Match(r.Pattern) {
				if of.Traffic == nil {
					continue
				}
				was, known := p.actions[of.ID]
				if !known {
					was = of.Action
				}
				if now := rule.Action(r.Action); t.Trusted || stricter(now, was) {
					p.actions[of.ID] = now
				}
			}
		}
	}
	if len(p.sections) == 0 && len(p.actions) == 0 {
		return nil, nil
	}
	return p, nil
}

// stricter says whether an action stops more than another.
func stricter(a, b rule.Action) bool {
	order := []rule.Action{rule.ActNote, rule.ActRedact, rule.ActAsk, rule.ActBlock}
	return slices.Index(order, a) > slices.Index(order, b)
}

// call judges a call. ready says that nothing else stops it, so that it counts. A pattern means a name whatever its case, since that is
// the server's to choose.
func (p *Policy) call(tool string, args source.Node, ready bool) (all []Ruling) {
	lower := strings.ToLower(tool)
	named := make([]bool, len(p.sections)) // by its full name
	met := make([]bool, len(p.sections))
	for i := range p.lines {
		if l := &p.lines[i]; l.exact && l.Pattern == tool {
			named[l.section] = true
		}
	}
	access, from := project.AccessAllow, ""
	worse := func(a project.Access, where string) {
		if a > access {
			access, from = a, where
		}
	}
	type counted struct {
		*window
		from string
	}
	var counts []counted
	count := func(w *window, from string) {
		if w != nil {
			counts = append(counts, counted{w, from})
		}
	}
	for i := range p.lines {
		l := &p.lines[i]
		if named[l.section] && l.Pattern != tool || !project.Glob(l.lower, lower) {
			continue
		}
		met[l.section] = met[l.section] || project.Glob(l.Pattern, tool)
		worse(l.Access, l.from)
		if why := p.outside(l, args); why != "" {
			all = append(all, Ruling{Action: Block, Rule: "traffic/argument-out-of-bounds", Reason: why + ", by " + l.from, Hint: "stay within what the policy allows, or change it"})
		}
		count(l.rate, l.from)
	}
	for i, s := range p.sections {
		if !met[i] {
			worse(s.access, s.from)
		}
		count(s.rate, s.from)
	}
	switch access {
	case project.AccessDeny:
		return append(all, Ruling{Action: Block, Rule: "traffic/tool-denied", Reason: "the policy denies this tool, by " + from, Hint: "do without it, or change the policy"})
	case project.AccessAsk:
		all = append(all, Ruling{Action: Ask, Rule: "traffic/tool-needs-leave", Reason: "the policy wants a person's leave for this tool, by " + from})
	}
	if !ready || len(all) > 0 && all[0].Action == Block {
		return all
	}
	if now := p.now(); now > p.last { // a clock that went back counts nothing twice
		p.last = now
	}
	for _, w := range counts {
		if !w.room(p.last) {
			return append(all, Ruling{Action: Block, Rule: "traffic/too-many-calls", Reason: "more calls than the policy allows in " + w.rate.Per.String() + ", by " + w.from, Hint: "wait, or change the policy"})
		}
	}
	for _, w := range counts {
		w.add(p.last)
	}
	return all
}

// outside says why arguments are not within a line's bounds, "" where they are.
func (p *Policy) outside(l *line, args source.Node) string {
	if len(l.paths)+len(l.Hosts)+len(l.SQL) > 0 && args.Valid() && args.Kind() != source.Object && args.Kind() != source.Null {
		return "the arguments are no object, and some of them are bound"
	}
	for _, b := range l.paths {
		if why := each(args, b.argument, func(v string) string { return pathOutside(v, b.folders, p.places) }); why != "" {
			return why
		}
	}
	for _, b := range l.Hosts {
		if why := each(args, b.Argument, func(v string) string { return hostOutside(v, b.Values) }); why != "" {
			return why
		}
	}
	for _, b := range l.SQL {
		if why := each(args, b.Argument, func(v string) string { return sqlOutside(v, b.Values) }); why != "" {
			return why
		}
	}
	return ""
}

// each judges the texts of an argument: it is one, or a list of them. Its name is the policy's, whatever its case.
func each(args source.Node, argument string, outside func(string) string) string {
	shown := text.Line(argument, limits.Default.ShownRunes)
	for n := range args.Children() {
		if !strings.EqualFold(n.Key(), argument) {
			continue
		}
		switch n.Kind() {
		case source.String:
			if why := outside(n.Text()); why != "" {
				return "the argument " + shown + " " + why
			}
		case source.Array:
			for c := range n.Children() {
				if c.Kind() != source.String {
					return "the argument " + shown + " holds what is no text"
				}
				if why := outside(c.Text()); why != "" {
					return "the argument " + shown + " " + why
				}
			}
		case source.Null:
		default:
			return "the argument " + shown + " is no text"
		}
	}
	return ""
}

// window counts calls: those of the last while, exactly.
type window struct {
	rate  project.Rate
	calls []time.Duration // a ring once it is full
	next  int
}

func newWindow(r project.Rate) *window {
	if r.Calls == 0 {
		return nil
	}
	return &window{rate: r}
}

// room says whether one call more is within the rate.
func (w *window) room(now time.Duration) bool {
	return len(w.calls) < w.rate.Calls || now-w.calls[w.next] >= w.rate.Per
}

func (w *window) add(now time.Duration) {
	if len(w.calls) < w.rate.Calls {
		w.calls = append(w.calls, now)
		return
	}
	w.calls[w.next] = now
	w.next = (w.next + 1) % len(w.calls)
}
