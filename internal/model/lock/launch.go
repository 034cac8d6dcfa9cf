package lock

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/model/recipe"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// Launch is how a server is started or reached: the same on every machine, and without a secret. References (${TOKEN})
// stand as they were written.
type Launch struct {
	Transport string   `json:"transport"`
	Command   string   `json:"command,omitempty"`
	Args      []string `json:"args,omitempty"`
	Cwd       string   `json:"cwd,omitempty"`
	// EnvFile is the file that variables are read from: who names another gives the server other ones.
	EnvFile string `json:"envFile,omitempty"`
	URL     string `json:"url,omitempty"`
	// Env and Headers are sorted names. Values are those of the variables that load code or trust other hosts, by name.
	Env     []string          `json:"env,omitempty"`
	Headers []string          `json:"headers,omitempty"`
	Values  map[string]string `json:"values,omitempty"`
}

func (l Launch) form() []byte { return must(l) }

// Equal says whether two launch the same thing in the same way.
func (l Launch) Equal(o Launch) bool { return string(l.form()) == string(o.form()) }

// Places are the folders that differ from machine to machine. What lies below one is written as ${project} or ${home}.
type Places struct{ Project, Home string }

// SecretError says that a launch line holds a secret, which must not get into a lock.
type SecretError struct {
	// Where is the place ("args[2]", "url"), Move what to do instead.
	Where, Move string
}

func (e *SecretError) Error() string { return "a secret stands in " + e.Where + ": " + e.Move }

// LaunchOf is the launch of a config's entry.
func LaunchOf(s *client.Server, p Places) (Launch, error) {
	l := Launch{Transport: string(s.Transport), Command: p.shorten(s.Command.Value), Cwd: p.shorten(s.Cwd.Value), EnvFile: p.shorten(s.EnvFile.Value), URL: s.URL.Value}
	argv := []string{s.Command.Value}
	for _, a := range s.Args {
		argv = append(argv, a.Value)
		l.Args = append(l.Args, p.shorten(a.Value))
	}
	for _, kv := range s.Env {
		l.Env = append(l.Env, kv.Key)
		if launch.LoadsCode(kv.Key) {
			if len(secret.Value(kv.Key, kv.Value)) > 0 {
				return l, &SecretError{"env " + kv.Key, "give it through the environment"}
			}
			if l.Values == nil {
				l.Values = map[string]string{}
			}
			l.Values[kv.Key] = p.shorten(kv.Value)
		}
	}
	for _, v := range s.EnvVars {
		l.Env = append(l.Env, v.Value)
	}
	for _, h := range slices.Concat(s.Headers, s.EnvHeaders) {
		l.Headers = append(l.Headers, strings.ToLower(h.Key))
	}
	if s.BearerVar.Set() {
		l.Headers = append(l.Headers, "authorization")
	}
	return l, l.check(argv)
}

// LaunchOfCommand is the launch of a command line that a person typed in the folder cwd, with the names of the variables
// that it was given.
func LaunchOfCommand(argv []string, cwd string, env []string, p Places) (Launch, error) {
	l := Launch{Transport: string(client.Stdio), Command: p.shorten(argv[0]), Env: slices.Clone(env)}
	if filepath.Clean(cwd) != filepath.Clean(p.Project) {
		l.Cwd = p.shorten(cwd)
	}
	for _, a := range argv[1:] {
		l.Args = append(l.Args, p.shorten(a))
	}
	return l, l.check(argv)
}

// LaunchOfURL is the launch of a URL that a person typed, with the names of the headers that it was given.
func LaunchOfURL(url, transport string, headers []string) (Launch, error) {
	l := Launch{Transport: cmp.Or(transport, string(client.HTTP)), URL: url}
	for _, h := range headers {
		l.Headers = append(l.Headers, strings.ToLower(h))
	}
	return l, l.check(nil)
}

// LaunchOfSpec is the launch of a server that no client writes yet. References stand as ${NAME}.
func LaunchOfSpec(s client.Spec, p Places) (Launch, error) {
	l := Launch{Transport: string(s.Transport), Command: p.shorten(p.Fill(s.Command).String()), Cwd: p.shorten(p.Fill(s.Cwd).String()), URL: s.URL.String()}
	argv := []string{s.Command.String()}
	for _, a := range s.Args {
		argv = append(argv, a.String())
		l.Args = append(l.Args, p.shorten(p.Fill(a).String()))
	}
	for _, e := range s.Env {
		l.Env = append(l.Env, e.Name)
		if launch.LoadsCode(e.Name) {
			if len(secret.Value(e.Name, e.Value.String())) > 0 {
				return l, &SecretError{"env " + e.Name, "give it through the environment"}
			}
			if l.Values == nil {
				l.Values = map[string]string{}
			}
			l.Values[e.Name] = p.shorten(e.Value.String())
		}
	}
	for _, h := range s.Headers {
		l.Headers = append(l.Headers, strings.ToLower(h.Name))
	}
	return l, l.check(argv)
}

// Fill is a text of a project file with the folders of this machine for the names of its places.
func (p Places) Fill(t client.Text) client.Text {
	out := slices.Clone(t)
	for i := range out {
		switch {
		case out[i].Name == project.ProjectPlace && p.Project != "":
			out[i] = client.Part{Plain: p.Project}
		case out[i].Name == project.HomePlace && p.Home != "":
			out[i] = client.Part{Plain: p.Home}
		}
	}
	return out
}

// Spec is the server of an entry as it can be written for a client: variables and headers have the value that the lock holds,
// or are references to the variable of their name.
func (s *Server) Spec(p Places) client.Spec {
	text := func(v string) client.Text { return project.Text(p.expand(v)) }
	l := &s.Launch
	out := client.Spec{Name: s.Name, Transport: client.Transport(l.Transport), Command: text(l.Command), Cwd: text(l.Cwd), URL: project.Text(l.URL)}
	for _, a := range l.Args {
		out.Args = append(out.Args, text(a))
	}
	given := func(name string) (client.Text, bool) {
		if v, ok := l.Values[name]; ok {
			return text(v), true
		}
		if s.Record != nil {
			for key, v := range s.Record.Values {
				if key == name || strings.EqualFold(key, name) && l.Transport != string(client.Stdio) {
					return client.Plain(v), true
				}
			}
		}
		return nil, false
	}
	for _, name := range l.Env {
		v, ok := given(name)
		if !ok {
			v = client.Variable(name)
		}
		out.Env = append(out.Env, client.Setting{Name: name, Value: v})
	}
	for _, name := range l.Headers {
		v, ok := given(name)
		if !ok {
			v = client.Variable(recipe.NameOf(name))
		}
		out.Headers = append(out.Headers, client.Setting{Name: name, Value: v})
	}
	return out
}

// Start is the launch on this machine. What it is given of variables and headers are the values that the lock holds.
func (l Launch) Start(p Places) client.Start {
	out := client.Start{URL: l.URL, Dir: p.expand(l.Cwd)}
	if l.Command != "" {
		out.Argv = append(out.Argv, p.expand(l.Command))
		for _, a := range l.Args {
			out.Argv = append(out.Argv, p.expand(a))
		}
		if out.Dir == "" {
			out.Dir = p.Project
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.Values)) {
		out.Env = append(out.Env, name+"="+p.expand(l.Values[name]))
	}
	return out
}

// Filled is the launch with the values of the environment in place of references to its variables, as a client starts it. What is not
// set and has no default stays as it is written, and so do references to anything else. It may hold secrets: it is for comparing.
func (l Launch) Filled(p Places, getenv func(name string) string) Launch {
	fill := func(v string) string {
		var b strings.Builder
		at := 0
		for _, r := range client.Refs(v) {
			text := v[r.Start:r.End]
			if !r.Variable() || r.Name == project.ProjectPlace || r.Name == project.HomePlace || r.Start > 0 && v[r.Start-1] == '$' {
				continue
			}
			value := getenv(r.Name)
			if value == "" {
				_, value, _ = strings.Cut(strings.TrimSuffix(text, "}"), ":-")
				if !r.Default || r.Nested {
					continue
				}
			}
			b.WriteString(v[at:r.Start] + value)
			at = r.End
		}
		if at == 0 {
			return v
		}
		return p.shorten(p.expand(b.String() + v[at:]))
	}
	l.Command, l.Args = fill(l.Command), slices.Clone(l.Args)
	for i := range l.Args {
		l.Args[i] = fill(l.Args[i])
	}
	return l
}

// Beside are the folder in which it starts and the file of its variables on this machine, "" for none.
func (l Launch) Beside(p Places) (cwd, envFile string) { return p.expand(l.Cwd), p.expand(l.EnvFile) }

// check refuses a secret and what is no text, and puts names into their order.
func (l *Launch) check(argv []string) error {
	for i, s := range slices.Concat(argv, []string{l.Cwd, l.URL}) {
		if !utf8.ValidString(s) { // JSON can not hold it, and two such lines would be one in a lock
			where := "the launch line"
			if i > 0 && i < len(argv) {
				where = fmt.Sprintf("args[%d]", i-1)
			}
			return fmt.Errorf("%s is not UTF-8, and a lock holds text", where)
		}
	}
	slices.Sort(l.Env)
	slices.Sort(l.Headers)
	l.Env, l.Headers = slices.Compact(l.Env), slices.Compact(l.Headers)
	if hits := secret.Args(argv); len(hits) > 0 {
		where := "the command"
		if at := hits[0].Index; at > 0 {
			where = fmt.Sprintf("args[%d]", at-1)
		}
		return &SecretError{where, "move it to an environment variable of the server"}
	}
	if len(secret.URL(l.URL)) > 0 {
		return &SecretError{"the URL", "move it to a header"}
	}
	return nil
}

// shorten writes the places of this machine as their names. A text that holds such a name of its own keeps it apart by a
// second "$".
func (p Places) shorten(s string) string {
	s = strings.NewReplacer("${project}", "$${project}", "${home}", "$${home}").Replace(s)
	for _, of := range []struct{ dir, name string }{{p.Project, "${project}"}, {p.Home, "${home}"}} {
		dir := strings.TrimRight(of.dir, `/\`)
		if dir == "" || filepath.Dir(dir) == dir {
			continue
		}
		s = replaceDir(s, dir, of.name)
	}
	return s
}

// expand undoes shorten.
func (p Places) expand(s string) string {
	return strings.NewReplacer("$${project}", "${project}", "$${home}", "${home}",
		"${project}", strings.TrimRight(p.Project, `/\`), "${home}", strings.TrimRight(p.Home, `/\`)).Replace(s)
}

// replaceDir replaces a folder where it stands as one: at the beginning of a word, up to a slash or the end of the word.
func replaceDir(s, dir, name string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, dir)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		rest := s[i+len(dir):]
		begins := i == 0 || strings.ContainsRune("=:,;'\" \t", rune(s[i-1])) || strings.HasSuffix(s[:i], "file://")
		if !begins || rest != "" && !strings.ContainsRune("/\\:,;'\" \t", rune(rest[0])) {
			b.WriteString(s[:i+1])
			s = s[i+1:]
			continue
		}
		b.WriteString(s[:i] + name)
		if end := strings.IndexAny(rest, ":,;'\" \t"); end < 0 {
			rest = filepath.ToSlash(rest)
		} else {
			rest = filepath.ToSlash(rest[:end]) + rest[end:]
		}
		s = rest
	}
}
