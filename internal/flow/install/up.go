package install

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/model/registry"
)

// Profile are the servers of a project that belong to a profile, "" for all of them. It fails where no server names it: a
// profile that is misspelt would install nothing of it.
func Profile(all []project.Server, profile string) (in []project.Server, err error) {
	known := profile == ""
	for _, s := range all {
		known = known || slices.Contains(s.Profiles, profile)
		if s.In(profile) {
			in = append(in, s)
		}
	}
	if !known {
		return nil, fmt.Errorf("no server belongs to a profile %q", profile)
	}
	return in, nil
}

// Stale says why the entry of a lock is not what a project file asks for, "" where it is. The entry may be nil.
func Stale(s *project.Server, e *lock.Server, p lock.Places) string {
	if e == nil {
		return "is not in the lock"
	}
	l := &e.Launch
	switch s.Kind {
	case project.Named:
		return "" // whoever pinned it said how it is started
	case project.Registry:
		switch {
		case e.Record == nil:
			return "is in the lock without a record of the registry"
		case e.Record.Name != s.Of:
			return fmt.Sprintf("is locked as %s, and %s is asked for", e.Record.Name, s.Of)
		case !within(pkg.NPM, e.Record.Version, s.Version):
			return fmt.Sprintf("is locked at %s, and %s is asked for", e.Record.Version, s.Version)
		}
	case project.Package:
		switch {
		case e.Package == nil:
			return "is in the lock without its package"
		case string(e.Package.Type) != s.Type || !identifies(s, e.Package.Identifier):
			return fmt.Sprintf("is locked as %s:%s, and %s is asked for", e.Package.Type, e.Package.Identifier, s.Coordinate())
		case s.Type != string(pkg.OCI) && !within(pkg.Type(s.Type), e.Package.Version, s.Version):
			return fmt.Sprintf("is locked at %s, and %s is asked for", e.Package.Version, s.Version)
		}
	case project.Remote:
		if l.URL != s.URL || l.Transport != s.Transport {
			return "is locked at another address"
		}
	case project.Command:
		if want, err := lock.LaunchOfSpec(client.Spec{Transport: client.Stdio, Command: project.Text(s.Command), Args: texts(s.Args)}, p); err != nil || want.Command != l.Command || !slices.Equal(want.Args, l.Args) {
			return "is locked with another command"
		}
	}
	if s.Kind == project.Registry || s.Kind == project.Package {
		want, err := lock.LaunchOfSpec(client.Spec{Transport: client.Stdio, Args: texts(s.Args)}, p)
		if n := len(want.Args); err != nil || len(l.Args) < n || !slices.Equal(l.Args[len(l.Args)-n:], want.Args) {
			return "is locked with other arguments"
		}
	}
	for _, v := range s.Env {
		if !slices.Contains(l.Env, v.Name) {
			return "is locked without the variable " + v.Name
		}
	}
	for _, v := range s.Headers {
		if !slices.Contains(l.Headers, strings.ToLower(v.Name)) {
			return "is locked without the header " + v.Name
		}
	}
	return ""
}

// identifies says whether a package of a lock is the one that is asked for: names of images stand there without a tag.
func identifies(s *project.Server, locked string) bool {
	if s.Type != string(pkg.OCI) {
		return s.Identifier == locked
	}
	name, _, _ := strings.Cut(s.Identifier, "@")
	if i := strings.LastIndex(name, ":"); i > strings.LastIndex(name, "/") {
		name = name[:i]
	}
	return name == locked
}

// within says whether a version is among what a range means. Nothing and latest mean any: what is newest by now is no reason
// to leave what was locked.
func within(t pkg.Type, version, want string) bool {
	if want == "" || registry.LooksLatest(want) || version == want {
		return true
	}
	_, err := pkg.Best(t, []string{version}, want)
	return err == nil
}

func texts(all []string) (out []client.Text) {
	for _, s := range all {
		out = append(out, project.Text(s))
	}
	return out
}

// Specs are ways to tell a client of a server, the best first: what stands in the lock, with the variables and headers as the
// project file says them. They differ in what stands for a variable that nobody set.
func Specs(s *project.Server, e *lock.Server, p lock.Places) (all []client.Spec) {
	for _, optional := range []bool{true, false} {
		spec := e.Spec(p)
		spec.Name = s.Name
		say := func(settings []client.Setting, own []project.Variable, header bool) {
			for i := range settings {
				for _, v := range own {
					if v.Name == settings[i].Name || header && strings.EqualFold(v.Name, settings[i].Name) {
						settings[i] = client.Setting{Name: v.Name, Value: p.Fill(v.Text(header, optional))}
					}
				}
			}
		}
		say(spec.Env, s.Env, false)
		say(spec.Headers, s.Headers, true)
		all = append(all, spec)
	}
	return all
}

// Unset are the variables of the environment that a server needs and that are not set, in the order of their names. What a
// record asks for and the project file says nothing of is needed.
func Unset(s *project.Server, e *lock.Server, p lock.Places, getenv func(string) string) (names []string) {
	need := func(name string) {
		if getenv(name) == "" {
			names = append(names, name)
		}
	}
	of := func(settings []client.Setting, own []project.Variable, header bool) {
		for _, x := range settings {
			i := slices.IndexFunc(own, func(v project.Variable) bool { return v.Name == x.Name || header && strings.EqualFold(v.Name, x.Name) })
			if i >= 0 {
				for _, name := range own[i].Needs(header) {
					need(name)
				}
				continue
			}
			for _, part := range x.Value {
				if part.Variable != "" && !part.Defaulted {
					need(part.Variable)
				}
			}
		}
	}
	spec := e.Spec(p)
	of(spec.Env, s.Env, false)
	of(spec.Headers, s.Headers, true)
	for _, a := range append(spec.Args, spec.Command, spec.URL) {
		for _, part := range a {
			if part.Variable != "" && !part.Defaulted {
				need(part.Variable)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
