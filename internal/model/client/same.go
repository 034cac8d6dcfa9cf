package client

import (
	"path"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/source"
)

// Same says whether two entries mean the same server: one address, or one command with the same arguments. The
// spelling of their clients does not matter: npx, npx.cmd and cmd /c npx, with -y or without, a command in an array,
// args that are empty or absent, ${X}, ${env:X} and {env:X}, the name of the URL's field, a slash at its end, the word
// for the transport or none, and mcp-remote in place of a URL. Environment and headers are not compared: they differ
// from person to person (mcp-config-lint-spec, section 2.7).
func (s *Server) Same(o *Server) bool {
	a, b := s.target(), o.target()
	return len(a) == len(b) && (len(a) == 0 || sameProgram(a[0], b[0]) && slices.EqualFunc(a[1:], b[1:], sameText))
}

// sameProgram compares two programs. One that lies in a folder, the project's too, is none that is found by its name.
func sameProgram(a, b string) bool {
	return strings.ContainsAny(a, `/\`) == strings.ContainsAny(b, `/\`) && sameText(a, b)
}

// Identical says whether nothing changes when one entry takes the place of the other in the same client: they are
// Same, and environment, headers, folder and every other field are equal too, in any order.
func (s *Server) Identical(o *Server) bool {
	if !s.Same(o) || s.Transport != o.Transport || s.Disabled != o.Disabled {
		return false
	}
	if !samePairs(s.EnvNode, o.EnvNode, false) || !samePairs(s.HeadersNode, o.HeadersNode, true) {
		return false
	}
	if !sameText(s.Cwd.Value, o.Cwd.Value) || !sameText(s.EnvFile.Value, o.EnvFile.Value) {
		return false
	}
	for _, n := range [...]source.Node{s.Node, o.Node} {
		for c := range n.Children() {
			if !slices.Contains(compared, c.Key()) && !source.Equal(s.Node.Get(c.Key()), o.Node.Get(c.Key())) {
				return false
			}
		}
	}
	return true
}

// compared are the fields that Identical has looked at through the server.
var compared = []string{"name", "type", "transport", "transportType", "command", "cmd", "args", "env", "environment", "envs",
	"url", "httpUrl", "serverUrl", "uri", "headers", "http_headers", "requestOptions", "cwd", "working_directory", "envFile",
	"env_file", "disabled", "enabled"}

// target is what an entry reaches, in one spelling but for the references: "url" and an address, or the words of
// its command.
func (s *Server) target() []string {
	if s.URL.Value != "" && (s.Transport != Stdio || s.Command.Value == "") {
		return []string{"url", plainURL(s.URL.Value)}
	}
	if !s.Command.Set() {
		return nil
	}
	words := unwrapped(s.words())
	if u, ok := bridged(words); ok {
		return []string{"url", plainURL(u)}
	}
	return words
}

// unwrapped takes off what only tells how a program is found: cmd /c, the suffix of a script on Windows, and the
// consent of npx.
func unwrapped(argv []string) []string {
	for len(argv) > 0 && stem(argv[0]) == "cmd" {
		i := slices.IndexFunc(argv, func(w string) bool { return strings.EqualFold(w, "/c") })
		if i < 0 {
			break
		}
		argv = argv[i+1:]
	}
	if len(argv) == 0 {
		return nil
	}
	out := append(make([]string, 0, len(argv)), plainProgram(argv[0]))
	npm := slices.Contains([]string{"npx", "npm", "bunx", "pnpx"}, stem(argv[0]))
	for _, w := range argv[1:] {
		if npm && (w == "-y" || w == "--yes") {
			continue
		}
		if !strings.HasPrefix(w, "-") && w != "exec" {
			npm = false // the package: what follows is its own
		}
		out = append(out, w)
	}
	return out
}

// plainProgram is a program without the suffix that Windows finds by itself.
func plainProgram(program string) string {
	ext := path.Ext(program)
	if slices.Contains([]string{".cmd", ".exe", ".bat", ".ps1"}, strings.ToLower(ext)) {
		return strings.TrimSuffix(program, ext)
	}
	return program
}

// stem is the name of a program without folder and suffix, in lower case.
func stem(program string) string {
	return strings.ToLower(plainProgram(program[strings.LastIndexAny(program, `/\`)+1:]))
}

// bridged is the address that mcp-remote makes a local server of: what a client without remote servers is given.
func bridged(words []string) (string, bool) {
	for i, w := range words[:min(len(words), 4)] {
		if (w == "mcp-remote" || strings.HasPrefix(w, "mcp-remote@")) && i+1 < len(words) {
			for _, u := range words[i+1:] {
				if strings.Contains(u, "://") {
					return u, true
				}
			}
		}
	}
	return "", false
}

// plainURL writes scheme and host in lower case, and no slash at the end and no port that the scheme implies.
func plainURL(u string) string {
	u, query, _ := strings.Cut(u, "?")
	scheme, rest, ok := strings.Cut(u, "://")
	if ok {
		host, tail := rest, ""
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			host, tail = rest[:i], strings.TrimRight(rest[i:], "/")
		}
		if !strings.ContainsAny(host, "${%<") {
			host = strings.ToLower(host)
		}
		scheme = strings.ToLower(scheme)
		if port := map[string]string{"https": ":443", "http": ":80"}[scheme]; port != "" {
			host = strings.TrimSuffix(host, port)
		}
		u = scheme + "://" + host + tail
	}
	if query != "" {
		u += "?" + query
	}
	return u
}

// samePairs compares two objects of strings. A value that is no string counts as it is written.
func samePairs(a, b source.Node, fold bool) bool {
	x, y := valuesOf(a, fold), valuesOf(b, fold)
	if len(x) != len(y) {
		return false
	}
	for key, v := range x {
		w, ok := y[key]
		if !ok || !sameText(v, w) {
			return false
		}
	}
	return true
}

func valuesOf(n source.Node, fold bool) map[string]string {
	m := map[string]string{}
	for c := range n.Children() {
		key := c.Key()
		if fold {
			key = strings.ToLower(key)
		}
		m[key] = string(c.Raw())
		if v, ok := c.Str(); ok {
			m[key] = v
		}
	}
	return m
}

// Differences are the fields in which two entries are not the same server: transport, command, args, env, url, headers.
// Of variables and headers the names count, in any order: values differ from person to person and from client to client
// (mcpm-contracts, sync). Where one entry reaches through mcp-remote what the other reaches itself, neither is compared.
func (s *Server) Differences(o *Server) (fields []string) {
	a, b := s.target(), o.target()
	remote := func(t []string) bool { return len(t) == 2 && t[0] == "url" }
	switch {
	case remote(a) != remote(b):
		return []string{"command", "url"}
	case remote(a):
		if !sameText(a[1], b[1]) {
			fields = append(fields, "url")
		}
		if s.URL.Set() && o.URL.Set() && (s.Transport == SSE) != (o.Transport == SSE) {
			fields = append(fields, "transport")
		}
		if s.Command.Set() || o.Command.Set() {
			return fields
		}
		if !slices.Equal(s.HeaderNames(), o.HeaderNames()) {
			fields = append(fields, "headers")
		}
		return fields
	}
	if len(a) == 0 || len(b) == 0 || !sameProgram(a[0], b[0]) {
		fields = append(fields, "command")
	}
	if !slices.EqualFunc(a[min(1, len(a)):], b[min(1, len(b)):], sameText) {
		fields = append(fields, "args")
	}
	if !slices.Equal(s.EnvNames(), o.EnvNames()) {
		fields = append(fields, "env")
	}
	return fields
}

// Elsewhere are the fields by which an entry of a project runs something else than another launch of the same words: cwd, a
// folder that is neither the project's nor the one given, where a package runner takes other settings and other packages, and
// envFile, a file of variables that is not the one given.
func (s *Server) Elsewhere(project, cwd, envFile string) (fields []string) {
	if dir := strings.TrimRight(named(s.Cwd.Value), "/"); s.Cwd.Set() && dir != "" && dir != "." && path.Clean(dir) != path.Clean(project) && !sameText(s.Cwd.Value, cwd) {
		fields = append(fields, "cwd")
	}
	if s.EnvFile.Set() && !sameText(s.EnvFile.Value, envFile) {
		fields = append(fields, "envFile")
	}
	return fields
}

// EnvNames are the names of the variables that the entry gives a server, sorted.
func (s *Server) EnvNames() (names []string) {
	for c := range s.EnvNode.Children() {
		names = append(names, c.Key())
	}
	for _, v := range s.EnvVars {
		names = append(names, v.Value)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// HeaderNames are those of its headers, in lower case and sorted.
func (s *Server) HeaderNames() (names []string) {
	for c := range s.HeadersNode.Children() {
		names = append(names, strings.ToLower(c.Key()))
	}
	for _, p := range s.EnvHeaders {
		names = append(names, strings.ToLower(p.Key))
	}
	if s.BearerVar.Set() {
		names = append(names, "authorization")
	}
	slices.Sort(names)
	return slices.Compact(names)
}
