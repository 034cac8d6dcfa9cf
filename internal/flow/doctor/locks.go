package doctor

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// The rules that the next commands are about.
const (
	noLock     = "doctor/no-lock"
	unapproved = "doctor/lock-unapproved"
)

// locks is what was found of locks.
type locks struct {
	rule.Machine
	// left has those that can not be relied on, and those that were not read.
	left *load.Set
	// near is the lock that mcpassay pin writes without --lock, "" without a working folder.
	near string
	// seen are the paths that were looked at, unusable those of them with something that is no lock, which pin does not write over.
	seen, unusable map[string]bool
	notes          []string
	bytes          int // of those that were read
}

// FindLocks reads the locks of the machine: those in the folders from the working folder up, those below it, those of the
// projects whose files were read, and the user's own. A lock that is not found covers nothing, so that what is not read here
// makes nothing look clean. Called again it looks again.
//
// Source: warden-doctor section 3.
func (v *Visit) FindLocks() {
	o := v.options
	l := &locks{left: load.NewSet(v.disk, o.Limits), seen: map[string]bool{}, unusable: map[string]bool{}}
	l.Files, l.Today = v.Files, o.Today
	v.locks, v.Machine = l, &l.Machine
	if !slices.ContainsFunc(v.Files, func(f *client.File) bool { return slices.ContainsFunc(f.Servers, rule.Starts) }) {
		return
	}
	if own := v.userLock(); own != "" { // first, so that no crowd of others keeps it out
		v.lock(own, true)
	}
	if o.Cwd != "" {
		l.near = filepath.Join(o.Cwd, lock.FileName)
		isRepo := func(dir string) bool { return v.disk.Exists(filepath.Join(dir, ".git")) }
		if near, ok := policy.Nearest(o.Cwd, lock.FileName, v.disk.Exists, isRepo); ok {
			l.near = near
		}
		v.lock(l.near, false)
		for _, dir := range v.walkUp() {
			v.lock(filepath.Join(dir, lock.FileName), false)
		}
		below, all := v.disk.Below(o.Cwd, lock.FileName, o.Limits.LockDepth, o.Limits.LockEntries)
		for _, path := range below {
			v.lock(path, false)
		}
		if !all {
			l.notes = append(l.notes, "locks were looked for among the first "+strconv.Itoa(o.Limits.LockEntries)+" files and folders below this one, and no further")
		}
	}
	for _, f := range v.Files {
		if f.Project != "" {
			v.lock(filepath.Join(filepath.FromSlash(f.Project), lock.FileName), false)
		}
	}
}

// userLock is the user's own lock, for the servers of the user's own files; "" where there is no place for one.
func (v *Visit) userLock() string {
	home := filepath.FromSlash(v.options.Env.ConfigHome())
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, lock.Folder, lock.FileName)
}

// lock reads one lock, if it is there.
func (v *Visit) lock(path string, own bool) {
	l, o := v.locks, v.options
	if l.seen[path] {
		return
	}
	l.seen[path] = true
	if len(l.Locks) == o.Limits.Locks {
		if len(l.notes) == 0 && v.disk.Exists(path) {
			l.notes = append(l.notes, "no more than "+strconv.Itoa(o.Limits.Locks)+" locks are read: "+o.Shown(path)+" and those behind it are not")
		}
		return
	}
	shown := o.Shown(path)
	if own {
		shown = o.Env.Display(path)
	}
	dir := filepath.Dir(path)
	content, err := v.disk.Read(path, max(1, min(o.Limits.FoundBytes, o.Limits.LockBytes-l.bytes)), dir)
	if err != nil {
		var r *load.Refusal
		if errors.As(err, &r) && r.Reason != "missing" {
			l.unusable[path] = true
			l.left.LeaveOut(shown, load.Ask{Hint: o.Command("mcpassay", "lint", path)}, r)
		}
		return
	}
	l.bytes += len(content.Bytes)
	f := lock.Open(shown, path, content.Bytes, o.Limits)
	if f.Err != nil {
		l.unusable[path] = true
		l.left.Locks = append(l.left.Locks, f)
		return
	}
	l.Locks = append(l.Locks, &lock.Held{File: f, Own: own, Places: lock.Places{Project: dir, Home: o.Env.Home}})
}

// Inputs are the locks that were looked at, and those that a printed command would write.
func (v *Visit) Inputs() (paths []string) {
	for path := range v.locks.seen {
		paths = append(paths, path)
	}
	return paths
}

// Judge runs the rules over the files and the locks. It is called once.
func (v *Visit) Judge(rules []*rule.Rule, facts rule.Facts) *engine.Result {
	l := v.locks
	for _, f := range l.left.Locks { // what is wrong with a lock that was named is said already
		if !slices.ContainsFunc(v.Locks, func(o *lock.File) bool { return o.Abs == f.Abs }) {
			v.Locks = append(v.Locks, f)
		}
	}
	v.Skipped, v.Incomplete = append(v.Skipped, l.left.Skipped...), append(v.Incomplete, l.left.Incomplete...)
	v.Notes = append(v.Notes, l.notes...)
	return v.Set.Judge(rules, facts)
}

// lockOf is the row of an entry in the report.
func (v *Visit) lockOf(s *client.Server) *engine.LockPosture {
	if !rule.Starts(s) {
		return nil
	}
	switch c := v.Machine.Cover(s); {
	case c.Entry == nil:
		return &engine.LockPosture{State: "none"}
	case c.Entry.Partial != nil:
		return &engine.LockPosture{State: "imported", Path: c.Lock.Path}
	default:
		return &engine.LockPosture{State: string(c.Standing), Path: c.Lock.Path}
	}
}

// Pin is where and how one entry is pinned.
type Pin struct {
	Server *client.Server
	// Lock is the absolute path of the lock, and Named says that it must be named, as pin would take another.
	Lock  string
	Named bool
	// Name is the entry's name there, which is not the server's where that is another's; Replace says that an approved entry
	// gives way, which is what the server was.
	Name    string
	Replace bool
}

// destination says into which lock an entry is pinned: a user's file's into the user's own, another into the one that pin takes,
// unless its launch hangs on a folder for which that one does not speak. ok is false where there is no such lock.
func (v *Visit) destination(s *client.Server) (path string, named, ok bool) {
	if s.File.Project == "" {
		own := v.userLock()
		return own, true, own != ""
	}
	near := v.locks.near
	here := &lock.Held{Places: lock.Places{Project: filepath.Dir(near)}}
	if s.OfItsFolder() && !here.SpeaksOf(s) {
		return filepath.Join(filepath.FromSlash(s.File.Project), lock.FileName), true, true
	}
	return near, false, near != ""
}

// Uncovered are the entries that no lock holds, of those with one launch the first, in the order of the files.
func (v *Visit) Uncovered() (all []Pin) {
	taken := map[string]bool{} // lock and name
	for _, alike := range v.Machine.Alike(func(s *client.Server) bool { return v.Machine.Cover(s).Entry == nil }) {
		s := alike[0]
		path, named, ok := v.destination(s)
		if !ok {
			continue
		}
		p := Pin{Server: s, Lock: path, Named: named, Name: s.Display()}
		key := path + "\x00" + p.Name
		if h, e := v.held(path, p.Name); e != nil && !taken[key] {
			taken[key] = v.Machine.Used(e) // else it is what this one was
			p.Replace = len(h.Approved(e)) > 0 || h.Was(e.Name) != nil
		}
		if taken[key] {
			l, _ := lock.LaunchOf(s, lock.Places{Project: filepath.Dir(path), Home: v.options.Env.Home})
			_, sum, _ := strings.Cut(canon.Digest([]byte(l.Key())), ":")
			p.Name, p.Replace = p.Name+"#"+sum[:v.options.Limits.NameSuffix], false
		}
		taken[key] = true
		all = append(all, p)
	}
	return all
}

// Unapproved are the entries that a lock holds without an approval that counts, of those with one launch the first.
func (v *Visit) Unapproved() (all []*client.Server) {
	for _, alike := range v.Machine.Alike(func(s *client.Server) bool {
		c := v.Machine.Cover(s)
		return c.Entry != nil && c.Standing != lock.Approved
	}) {
		all = append(all, alike[0])
	}
	return all
}

// Holds says whether the lock at a path has an entry of that name.
func (v *Visit) Holds(path, name string) bool {
	_, e := v.held(path, name)
	return e != nil
}

// held is the entry of a name in the lock at a path, nil for none.
func (v *Visit) held(path, name string) (*lock.Held, *lock.Server) {
	for _, h := range v.Machine.Locks {
		if h.Abs == path {
			return h, h.Get(name)
		}
	}
	return nil, nil
}

// lockSteps are the commands for what the rules on locks found.
func (v *Visit) lockSteps(res *engine.Result) (steps []engine.NextStep) {
	found, avoid := map[string]bool{}, map[string]bool{}
	for _, f := range res.Findings {
		if f.Status != finding.Active {
			continue
		}
		found[f.Rule] = true
		if r, ok := catalog.ByID(f.Rule); ok && slices.Contains(r.Tags, rule.Block) || f.Rule == "doctor/missing-runtime" {
			avoid[f.Subject] = true
		}
	}
	if found[noLock] {
		for _, p := range v.Uncovered() {
			if words := v.pinCommand(p); words != nil && !avoid[p.Server.Subject()] {
				steps = append(steps, engine.NextStep{Why: "write down what " + v.called(p.Server) + " is and exposes", Command: v.options.Command(words...)})
			}
		}
	}
	if found[unapproved] {
		steps = append(steps, v.approvals()...)
	}
	return steps
}

func (v *Visit) called(s *client.Server) string { return v.Set.Safe(s.Display()) }

// approvals are the commands that approve what is pinned: a person looks first, and what somebody took back stays so.
func (v *Visit) approvals() (steps []engine.NextStep) {
	for _, s := range v.Unapproved() {
		c := v.Machine.Cover(s)
		if c.Entry.Unpinned {
			if words := v.pinCommand(Pin{Server: s, Lock: c.Lock.Abs, Named: c.Lock.Abs != v.locks.near, Name: c.Entry.Name}); words != nil {
				steps = append(steps, engine.NextStep{Why: "write down what " + v.called(s) + " exposes", Command: v.options.Command(words...)})
			}
			continue
		}
		if c.Entry.Partial != nil || c.Standing == lock.Revoked {
			continue
		}
		words := []string{"mcpassay", "approve"}
		if c.Lock.Abs != v.locks.near {
			words = append(words, "--lock", v.short(c.Lock.Abs))
		}
		if strings.HasPrefix(c.Entry.Name, "-") {
			words = append(words, "--")
		}
		steps = append(steps, engine.NextStep{Why: "once you have looked at " + v.Set.Safe(c.Entry.Name) + ", approve it", Command: v.options.Command(append(words, c.Entry.Name)...)})
	}
	return steps
}

// pinCommand is the command that pins an entry: it names the entry, never what the entry says. It is nil for an entry that
// pin would refuse, and for one whose pin would be the attack: code that is downloaded and run, traffic in the clear.
func (v *Visit) pinCommand(p Pin) []string {
	s := p.Server
	_, secret := lock.LaunchOf(s, lock.Places{})
	switch {
	case secret != nil, lock.CheckName(p.Name) != nil, strings.Contains(s.Display()+s.File.Abs, "\x00"):
		return nil
	case v.locks.unusable[p.Lock]:
		return nil
	case s.Command.Value != "" && s.URL.Value != "" && !s.Type.Set(): // nobody knows which
		return nil
	}
	flags, ok := v.means(s)
	if !ok {
		return nil
	}
	words := append([]string{"mcpassay", "pin", "--config", v.short(s.File.Abs), "--server", s.Display()}, flags...)
	if p.Name != s.Display() {
		words = append(words, "--name", p.Name)
	}
	if p.Named {
		words = append(words, "--lock", v.short(p.Lock))
	}
	if p.Replace {
		words = append(words, "--replace")
	}
	return words
}

// means are the flags without which an entry can not be asked.
func (v *Visit) means(s *client.Server) (flags []string, ok bool) {
	defer s.Forget()
	if s.Command.Value == "" || s.URL.Value != "" && s.Transport != client.Stdio {
		a, _ := s.Address()
		_, clear := client.Cleartext(s.URL.Value)
		switch {
		case clear == client.Network, clear == client.Public, a.Reach() == client.Network:
			return nil, false // in the clear, or into somebody's network at the word of a file
		case clear == client.Machine:
			return []string{"--allow-private-network", "--allow-insecure-http"}, true
		case a.Reach() == client.Machine:
			return []string{"--allow-private-network"}, true
		}
		return nil, true
	}
	if slices.ContainsFunc(s.Launches(), func(l *client.Launch) bool { return len(l.FetchRun) > 0 }) {
		return nil, false
	}
	flags = []string{"--allow-exec"}
	line, ok := s.Line()
	switch {
	case !ok || line.Docker != nil: // a sandbox starts no container
		return nil, false
	case line.Package == nil:
	case slices.Contains(fetched, line.Runner):
		flags = append(flags, "--prefetch")
	default:
		flags = append(flags, "--allow-net")
	}
	return flags, true
}

// fetched are the runners of which pin can download a package before it starts it without a network.
var fetched = []string{"npx", "npm exec", "bunx", "pnpm dlx", "uvx", "uv tool run"}

// short is a path for a command: from the working folder where it lies below it. A stranger may have named it like a flag.
func (v *Visit) short(abs string) string {
	rel, err := filepath.Rel(v.options.Cwd, abs)
	if v.options.Cwd == "" || err != nil || !filepath.IsLocal(rel) {
		return abs
	}
	if strings.HasPrefix(rel, "-") {
		return "." + string(filepath.Separator) + rel
	}
	return rel
}
