package client

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/secret"
)

// World is what a client fills references with.
type World struct {
	// Getenv looks a variable up; set tells an empty one from none.
	Getenv func(name string) (value string, set bool)
	// Home and Project are absolute folders, "" where there is none.
	Home, Project string
}

// Start is how a client starts or reaches a server, its references filled in. It holds secrets: it goes to the server
// that it names, and nowhere else.
//
// An entry that names both a command and a URL has both here, unless its type says which is meant.
type Start struct {
	// Argv is the launch line, empty for a remote server. Dir is the working folder, "" for the client's own.
	Argv []string
	Env  []string // NAME=value
	Dir  string
	// URL is where a remote server answers, with Headers for it.
	URL     string
	Headers []Header
	// Missing names what a reference asks for and nobody here has: a variable that is not set, an input that a person
	// would be asked for. Left are things that the client would do and that are not done here (headersHelper, envFile).
	Missing, Left []string

	// filled are the variables that references were filled with, as NAME=value.
	filled []string
}

// Secrets are the values among what the server is given that a name, a place or a form shows to be secret. A plain word
// ("postgres") is none, whatever its name says: honest answers hold it too.
func (s Start) Secrets() (all []string) {
	add := func(text string, hits []secret.Hit) {
		for _, h := range hits {
			all = append(all, text[h.Start:h.End])
		}
	}
	for _, kv := range slices.Concat(s.Env, s.filled) {
		name, value, _ := strings.Cut(kv, "=")
		if secret.SecretName(name) && !secret.IsPlaceholder(name, value) {
			all = append(all, value)
		}
		add(value, secret.Value(name, value))
	}
	for _, h := range secret.Args(s.Argv) {
		add(s.Argv[h.Index], []secret.Hit{h.Hit})
	}
	add(s.URL, secret.URL(s.URL))
	for _, h := range s.Headers {
		add(h.Value, secret.Header(h.Name, h.Value))
	}
	all = slices.DeleteFunc(all, func(v string) bool {
		return !strings.ContainsFunc(v, func(r rune) bool { return !(r >= 'a' && r <= 'z' || strings.ContainsRune(" -_.", r)) })
	})
	slices.Sort(all)
	return slices.Compact(all)
}

// Header is one line of a request.
type Header struct{ Name, Value string }

// Start fills in the references of an entry as its client reads them.
func (s *Server) Start(w World) Start {
	f := filler{s: s, w: w}
	out := Start{}
	if s.Command.Set() {
		out.Argv = append(out.Argv, f.fill("command", s.Command.Value))
		for _, a := range s.Args {
			out.Argv = append(out.Argv, f.fill("args", a.Value))
		}
		out.Dir = f.fill("cwd", s.Cwd.Value)
		if out.Dir != "" && !filepath.IsAbs(out.Dir) {
			out.Dir = filepath.Join(w.Project, out.Dir)
		}
	}
	for _, p := range s.Env {
		out.Env = append(out.Env, p.Key+"="+f.fill("env", p.Value))
	}
	for _, v := range s.EnvVars {
		if value, ok := f.variable(v.Value); ok {
			out.Env = append(out.Env, v.Value+"="+value)
		}
	}
	if s.URL.Set() {
		out.URL = f.fill("url", s.URL.Value)
		for _, p := range s.Headers {
			out.Headers = append(out.Headers, Header{p.Key, f.fill("headers", p.Value)})
		}
		for _, p := range s.EnvHeaders {
			if value, ok := f.variable(p.Value); ok {
				out.Headers = append(out.Headers, Header{p.Key, value})
			}
		}
		if s.BearerVar.Set() {
			if value, ok := f.variable(s.BearerVar.Value); ok {
				out.Headers = append(out.Headers, Header{"Authorization", "Bearer " + value})
			}
		}
	}
	if s.Command.Set() && s.URL.Set() && s.Type.Set() { // the type says which of them is meant
		switch s.Transport {
		case Stdio:
			out.URL, out.Headers = "", nil
		case HTTP, SSE:
			out.Argv, out.Dir, out.Env = nil, "", nil
		}
	}
	if len(s.Runs) > 0 {
		f.left = append(f.left, "the command that makes headers is not run")
	}
	if s.EnvFile.Set() {
		f.left = append(f.left, "the file of variables is not read")
	}
	out.Missing, out.Left, out.filled = f.missing, f.left, f.filled
	return out
}

type filler struct {
	s             *Server
	w             World
	missing, left []string
	filled        []string
}

func (f *filler) variable(name string) (value string, ok bool) {
	if value, ok = f.w.Getenv(name); !ok {
		f.lacks(name)
		return "", false
	}
	f.filled = append(f.filled, name+"="+value)
	return value, true
}

func (f *filler) lacks(name string) {
	if !slices.Contains(f.missing, name) {
		f.missing = append(f.missing, name)
	}
}

func (f *filler) fill(field, v string) string {
	refs := Refs(v)
	if len(refs) == 0 {
		return v
	}
	var b strings.Builder
	at := 0
	for _, r := range refs {
		b.WriteString(v[at:r.Start])
		b.WriteString(f.one(r, field, v[r.Start:r.End]))
		at = r.End
	}
	b.WriteString(v[at:])
	return b.String()
}

// one is what stands for one reference: what the client does not read stays as it is written.
func (f *filler) one(r Ref, field, written string) string {
	switch f.s.File.Reads(r, field) {
	case Own:
		if value, ok := f.own(r.Name); ok {
			return value
		}
		f.lacks(r.Name)
		return written
	case Right, Unjudged:
	default:
		return written
	}
	switch {
	case r.Form == "${input:id}":
		f.lacks("input " + r.Name)
		return written
	case !r.Variable():
		return written
	}
	if value, set := f.w.Getenv(r.Name); set {
		f.filled = append(f.filled, r.Name+"="+value)
		return value
	}
	if _, def, ok := strings.Cut(strings.TrimSuffix(written, "}"), ":-"); ok && r.Default {
		return f.fill(field, def)
	}
	f.lacks(r.Name)
	if f.s.File.Client.Env.Unset == "empty" {
		return ""
	}
	return written
}

// own is a name that clients fill in themselves.
func (f *filler) own(name string) (value string, ok bool) {
	switch name {
	case "workspaceFolder", "workspacePath", "cwd", "CLAUDE_PROJECT_DIR":
		value = f.w.Project
	case "userHome":
		value = f.w.Home
	case "workspaceFolderBasename":
		value = filepath.Base(f.w.Project)
	case "pathSeparator", "/":
		value = string(filepath.Separator)
	}
	return value, value != ""
}
