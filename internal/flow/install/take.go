package install

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// Taken is an entry of a client as a project file says it.
type Taken struct {
	project.Server
	// Given up are parts of the entry that a project file does not hold: values that are secret.
	GivenUp []string
}

// Take says of a client's entry what a project file says. A package that npx, uvx or dnx starts is named as one, with the
// version that it was pinned to; any other command stays one. No value that may be a secret is taken over: it becomes a
// variable that whoever runs it sets.
func Take(s *client.Server) (t Taken, err error) {
	spec := s.Spec()
	t.Name = s.Name
	if why, hint := project.BadName(s.Name); why != "" {
		return t, fmt.Errorf("its name %s: %s", why, hint)
	}
	if s.Disabled {
		return t, errors.New("it is switched off")
	}
	if s.EnvFile.Set() {
		return t, errors.New("it reads variables from a file, which a project file does not know")
	}
	variables := func(all []client.Setting, header bool) (out []project.Variable) {
		for _, v := range all {
			x := project.Variable{Name: v.Name}
			judge := secret.Value
			if header {
				judge = secret.Header
			}
			plain := v.Value.String()
			switch {
			case !references(v.Value) && (len(judge(v.Name, plain)) > 0 || secret.SecretName(v.Name) || header):
				x.Secret, x.Required = true, true
				t.GivenUp = append(t.GivenUp, "the value of "+v.Name)
			case len(v.Value) == 1 && v.Value[0].Variable == v.Name && !v.Value[0].Defaulted:
				x.Required = true
			case references(v.Value):
				x.Value = plain
			default:
				x.Default, x.Defaulted = plain, true
			}
			out = append(out, x)
		}
		return out
	}
	if spec.URL.Set() && (spec.Transport != client.Stdio || !spec.Command.Set()) {
		t.Kind, t.URL, t.Transport = project.Remote, spec.URL.String(), string(client.HTTP)
		if spec.Transport == client.SSE {
			t.Transport = string(client.SSE)
		}
		if len(secret.URL(t.URL)) > 0 {
			return t, errors.New("its address holds a secret: move it to a header")
		}
		t.Headers = variables(spec.Headers, true)
		return t, nil
	}
	if !spec.Command.Set() {
		return t, errors.New("it has no command and no address")
	}
	argv := []string{spec.Command.String()}
	for _, a := range spec.Args {
		argv = append(argv, a.String())
	}
	if hits := secret.Args(argv); len(hits) > 0 {
		return t, errors.New("a secret stands in its arguments: move it to a variable")
	}
	if spec.Cwd.Set() {
		return t, fmt.Errorf("it starts in a folder of its own (%s), which a project file does not know", spec.Cwd)
	}
	t.Env = variables(spec.Env, false)
	t.Kind, t.Command, t.Args = project.Command, argv[0], argv[1:]
	var line launch.Line
	line.Parse(argv)
	kind := map[string]string{"npm": "npm", "pypi": "pypi", "nuget": "nuget"}[ecosystem(&line)]
	if kind == "" || len(line.Packages) != 1 || len(line.Wrappers) > 0 || line.Script || len(line.Env) > 0 || !usual(argv, &line) {
		return t, nil
	}
	p := line.Package
	t.Kind, t.Command, t.Type, t.Identifier, t.Args = project.Package, "", kind, p.Name, slices.Clone(line.Rest)
	t.Version = cmp.Or(p.Version, "")
	if p.Pin == launch.Tag || p.Pin == launch.None {
		t.Version = ""
	}
	if kind == "nuget" {
		t.Args = slices.DeleteFunc(t.Args, func(a string) bool { return a == "--yes" })
	}
	return t, nil
}

func ecosystem(l *launch.Line) string {
	if l.Package == nil {
		return ""
	}
	return l.Package.Ecosystem
}

// usual says that nothing stands before the package that changes what is started.
func usual(argv []string, l *launch.Line) bool {
	if l.Package.Arg < 1 || l.Package.Arg >= len(argv) || argv[l.Package.Arg] != l.Package.Spec {
		return false
	}
	if !slices.Contains([]string{"npx", "uvx", "dnx"}, l.Runner) && !slices.Contains([]string{"npx", "uvx", "dnx"}, l.Program) {
		return false
	}
	for _, a := range argv[1:l.Package.Arg] {
		if a != "-y" && a != "--yes" {
			return false
		}
	}
	return len(l.Rest) == len(argv)-l.Package.Arg-1
}

func references(t client.Text) bool {
	return slices.ContainsFunc(t, func(p client.Part) bool { return p.Variable != "" || p.Name != "" })
}

// Unite puts what several clients have into one list: entries of one name that mean the same are one, in the words of the
// first. Differ names those that do not.
func Unite(all []Taken) (one []Taken, differ []string) {
	at := map[string]int{}
	for _, t := range all {
		i, twice := at[strings.ToLower(t.Name)]
		if !twice {
			at[strings.ToLower(t.Name)] = len(one)
			one = append(one, t)
			continue
		}
		if a, b := one[i].Server, t.Server; a.Name != b.Name || meaning(a) != meaning(b) {
			differ = append(differ, t.Name)
		}
	}
	slices.SortFunc(one, func(a, b Taken) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(differ)
	return one, slices.Compact(differ)
}

// meaning is a server without what its variables are set to.
func meaning(s project.Server) string {
	names := func(all []project.Variable) (out []string) {
		for _, v := range all {
			out = append(out, strings.ToLower(v.Name))
		}
		slices.Sort(out)
		return out
	}
	env, headers := names(s.Env), names(s.Headers)
	s.Env, s.Headers = nil, nil
	return fmt.Sprintf("%s %q %q", s.Value(), env, headers)
}

// Written is a new project file with servers.
func Written(path string, all []Taken, lim limits.Set) (text []byte, err error) {
	text = []byte(project.New)
	for _, t := range all {
		if text, err = project.Put(path, text, t.Server, lim); err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	return text, nil
}
