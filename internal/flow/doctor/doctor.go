// Package doctor looks at one machine: every place where a client of the table keeps its config, for this user and
// for the project around the working folder. Discovery is a function of platform, home, working folder and
// environment; nothing else is opened unless a person names it. It opens files and nothing else.
//
// Source: warden-doctor sections 1, 4 and 5.
package doctor

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
)

// Disk is what doctor needs of the file system.
type Disk interface {
	load.Disk
	// Exists says whether a path exists.
	Exists(path string) bool
	// Absent says that nothing is at a path, not even a link to nothing. Links above it are followed.
	Absent(path string) bool
	// Expand gives the paths of a candidate: its own, or those that its pattern matches, sorted; where the folder of
	// a pattern can not be listed or must not be entered, a path that can not be read for the same reason.
	Expand(c client.Candidate) []string
	// Below gives the files of a name in a folder and below it, so many folders deep, sorted, and whether that is all that
	// there is: after so many entries it looks no further. It follows no link.
	Below(dir, name string, depth, entries int) (paths []string, all bool)
}

// Options is what to look at.
type Options struct {
	// Configs are files that a person named; they replace what discovery finds at the same file.
	Configs []string
	// NoDiscover looks at the named files only.
	NoDiscover bool
	Env        client.Env
	Cwd        string
	// Today decides which approvals have expired.
	Today  time.Time
	Limits limits.Set
	// Shown gives the path that reports print, Command a command line that is safe to paste.
	Shown   func(abs string) string
	Command func(words ...string) string
}

// Visit is the files that were read and what became of every place.
type Visit struct {
	*load.Set
	options Options
	disk    Disk
	places  map[*client.Client][]engine.FilePosture
	looked  map[*client.Client][]string
	tried   map[string]bool // paths that were named, or tried for another client
	locks   *locks
}

// Look reads every file, and then the locks.
func Look(disk Disk, o Options) *Visit {
	v := look(disk, o)
	v.FindLocks()
	return v
}

func look(disk Disk, o Options) *Visit {
	v := &Visit{Set: load.NewSet(disk, o.Limits), options: o, disk: disk, places: map[*client.Client][]engine.FilePosture{},
		looked: map[*client.Client][]string{}, tried: map[string]bool{}}
	for _, c := range o.Configs {
		v.tried[c] = true
		f, outcome := v.Add(load.Ask{Named: true, Where: client.Where{Path: o.Shown(c), Abs: c, Root: o.Cwd, Env: o.Env}})
		if outcome == load.Again {
			v.Notes = append(v.Notes, o.Shown(c)+" is the same file as "+f.Path+" and is read once")
		}
		v.place(f, outcome)
		if outcome == load.Incomplete { // a person named it: the run ends here
			return v
		}
	}
	if o.NoDiscover {
		return v
	}
	if o.Env.Home == "" {
		v.Incomplete = append(v.Incomplete, load.NoHome)
	}
	if o.Cwd == "" {
		v.Incomplete = append(v.Incomplete, finding.Incomplete{Path: ".", Cause: "missing", Detail: "the working folder is gone: no project was looked at"})
	}
	for _, c := range client.UserFiles(o.Env) {
		v.candidate(c)
	}
	if o.Cwd == "" {
		return v
	}
	for _, dir := range v.walkUp() {
		for _, c := range client.ProjectCandidates(dir) {
			v.candidate(c)
		}
	}
	return v
}

// candidate looks at one place of the table. A file that several clients read is the first one's.
func (v *Visit) candidate(c client.Candidate) {
	o := v.options
	if place := v.shown(c, c.Path); c.Loc.Reads != client.ReadsNo && !slices.Contains(v.looked[c.Client], place) {
		v.looked[c.Client] = append(v.looked[c.Client], place)
	}
	for _, path := range v.disk.Expand(c) {
		if v.tried[path] {
			continue
		}
		v.tried[path] = true
		// A home folder may hold links of its owner's, ~/.config itself for one, and a place behind one that holds
		// nothing was not skipped. In a project nothing follows a link, since it may lead to another machine's disk.
		if !c.Loc.Project() && v.disk.Absent(path) {
			v.Missing++
			continue
		}
		hint := o.Command("mcpassay", "doctor", "--config", path)
		if c.Pattern != "" && !c.Matches(o.Env, path) { // the folder of the pattern, which is a link
			hint = o.Command("mcpassay", "lint", path)
		}
		f, outcome := v.Add(load.Ask{Base: c.Base, Hint: hint,
			Where: client.Where{Path: v.shown(c, path), Abs: path, Root: o.Cwd, Env: o.Env}})
		if outcome == load.Again || outcome == load.Absent {
			continue
		}
		v.place(f, outcome)
	}
}

// shown is the path that reports print: ~/… for a file of the user, in whatever folder the command runs.
func (v *Visit) shown(c client.Candidate, path string) string {
	if c.Loc.Project() {
		return v.options.Shown(path)
	}
	return v.options.Env.Display(path)
}

// place notes what became of a file, under its client.
func (v *Visit) place(f *client.File, outcome load.Outcome) {
	c := f.Client
	if c == nil {
		c = client.Generic
	}
	p := engine.FilePosture{Path: f.Path, Scope: f.Scope, State: string(outcome)}
	switch outcome {
	case load.Skipped:
		p.Detail = v.Skipped[len(v.Skipped)-1].Reason
	case load.Incomplete:
		p.Detail = v.Incomplete[len(v.Incomplete)-1].Cause
	case load.Excluded, load.Again:
		return
	}
	if f.Dead() {
		if len(f.Servers) == 0 {
			return
		}
		p.State = "not read"
	}
	if f.Mixed() && outcome == load.Read && len(f.Servers) == 0 {
		p.Detail = "no servers in it"
	}
	v.places[c] = append(v.places[c], p)
}

// walkUp is the folders whose project files count: from the working folder up to the first with .git, or the home
// folder when the working folder is under it. Outside of the home folder and without a .git it is the working folder
// alone: an unbounded walk from /tmp/x would read a /tmp/.mcp.json that anybody may write.
func (v *Visit) walkUp() []string {
	o := v.options
	var dirs []string
	inHome := o.Env.Home != "" && (o.Cwd == o.Env.Home || strings.HasPrefix(o.Cwd, strings.TrimSuffix(o.Env.Home, string(filepath.Separator))+string(filepath.Separator)))
	for dir := o.Cwd; len(dirs) < o.Limits.WalkUp; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
		if v.disk.Exists(filepath.Join(dir, ".git")) || inHome && dir == o.Env.Home {
			return dirs
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if inHome {
		return dirs
	}
	return []string{o.Cwd}
}

// Posture is the table that the report ends with.
func (v *Visit) Posture(res *engine.Result) *engine.Posture {
	p := &engine.Posture{Clients: []engine.ClientPosture{}, Next: []engine.NextStep{}, Looked: []string{}}
	counts := map[string]*engine.ServerPosture{}
	servers := map[*client.Client][]*engine.ServerPosture{}
	for _, f := range v.Files {
		for _, s := range f.Servers {
			if s.Twin != nil {
				continue
			}
			one := &engine.ServerPosture{Name: s.Display(), Path: f.Path, Scope: s.Scope(), Transport: string(s.Transport), State: state(f, s), Lock: v.lockOf(s)}
			counts[s.Subject()] = one
			servers[f.Client] = append(servers[f.Client], one)
		}
	}
	for _, f := range res.Findings {
		s := counts[f.Subject]
		if s == nil || f.Status != finding.Active {
			continue
		}
		switch f.Severity {
		case finding.Error:
			s.Error++
		case finding.Warning:
			s.Warning++
		default:
			s.Info++
		}
	}
	for _, c := range append(client.Table(), client.Generic) {
		name := c.Name
		if c == client.Generic {
			name = "unknown client"
		}
		one := engine.ClientPosture{Client: c.ID, Name: name, Files: v.places[c], Servers: []engine.ServerPosture{}}
		for _, path := range c.InstalledPaths(v.options.Env) {
			// Nobody looked for its config without discovery: "installed, no config" would be a guess.
			one.Installed = one.Installed || !v.options.NoDiscover && v.disk.Exists(path)
		}
		for _, s := range servers[c] {
			one.Servers = append(one.Servers, *s)
		}
		if one.Files == nil {
			one.Files = []engine.FilePosture{}
		}
		if one.Installed || len(one.Files) > 0 {
			p.Clients = append(p.Clients, one)
		}
		if places := v.looked[c]; len(v.Files)+len(v.Skipped)+len(v.Set.Incomplete) == 0 && len(places) > 0 {
			p.Looked = append(p.Looked, c.Name+": "+strings.Join(places, ", "))
		}
	}
	v.next(p, res)
	return p
}

func state(f *client.File, s *client.Server) string {
	switch {
	case f.Dead():
		return "not read"
	case s.Hidden, s.Shadowed != nil:
		return "shadowed"
	case s.Disabled:
		return "disabled"
	}
	return "enabled"
}

// next is what to do now: commands that exist, each safe to paste, and few. Whatever else is to do, there is room for some
// about locks.
func (v *Visit) next(p *engine.Posture, res *engine.Result) {
	o := v.options
	locks := v.lockSteps(res)
	room := o.Limits.NextSteps - min(len(locks), o.Limits.PinSteps)
	add := func(why, command string) {
		if len(p.Next) < room {
			p.Next = append(p.Next, engine.NextStep{Why: why, Command: command})
		}
	}
	defer func() {
		locks = locks[:min(len(locks), o.Limits.NextSteps-len(p.Next))]
		p.Next = append(p.Next, locks...)
	}()
	fixable := map[string]bool{}
	worst := map[string]finding.Finding{}
	var order []string
	for _, f := range res.Findings {
		if f.Status != finding.Active || f.Advice {
			continue
		}
		if f.Fix != nil && f.Fix.Safety != finding.Manual && !fixable[f.Location.Path] {
			fixable[f.Location.Path] = true
			order = append(order, f.Location.Path)
		}
		if w, ok := worst[f.Rule]; !ok || f.Severity > w.Severity {
			worst[f.Rule] = f
		}
	}
	for _, s := range v.Skipped {
		add("read "+s.Path+", which was skipped ("+s.Reason+")", s.Hint)
	}
	for _, shown := range order {
		for _, f := range v.Files {
			if f.Path == shown {
				add("see the fixes for "+shown, o.Command("mcpassay", "lint", "--diff", f.Abs))
			}
		}
	}
	for _, whole := range []bool{true, false} { // what breaks a whole file comes first
		for _, f := range res.Findings {
			if w := worst[f.Rule]; w.Fingerprint == f.Fingerprint && f.Severity == finding.Error && (f.Blast == finding.BlastFile) == whole {
				add("understand "+f.Rule, o.Command("mcpassay", "explain", f.Rule))
			}
		}
	}
}
