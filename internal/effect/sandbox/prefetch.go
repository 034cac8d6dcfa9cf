package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/launch"
)

// fetcher downloads a package for one package runner, without running anything of it. DIR stands for the folder to fill.
type fetcher struct {
	runners   []string // as package launch names them
	ecosystem string
	argv      []string // the packages follow
	env       []string // for the download
	offline   []string // for the start
	bins      string   // where the programs are, below DIR
	linked    bool     // whether those of dependencies stand there too, each a link to its package
	named     []string // the flags that name a package; the program's name then follows
	settings  []string // files that may name another registry, below the home or working folder
	variables []string // the variables that may
}

var fetchers = []fetcher{
	{
		runners: []string{"npx", "npm exec"}, ecosystem: "npm", bins: "node_modules/.bin", linked: true,
		argv:    []string{"npm", "install", "--prefix", "DIR", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--"},
		env:     []string{"npm_config_ignore_scripts=true", "npm_config_cache=DIR/cache", "npm_config_update_notifier=false"},
		offline: []string{"npm_config_ignore_scripts=true", "npm_config_offline=true", "npm_config_update_notifier=false"},
		named:   []string{"-p", "--package"}, settings: []string{".npmrc"}, variables: []string{"npm_config_"},
	},
	{
		runners: []string{"bunx"}, ecosystem: "npm", bins: "node_modules/.bin", linked: true,
		argv:  []string{"bun", "add", "--cwd", "DIR", "--ignore-scripts"},
		env:   []string{"BUN_INSTALL_CACHE_DIR=DIR/cache"},
		named: []string{"-p", "--package"}, settings: []string{".npmrc", ".bunfig.toml", "bunfig.toml"}, variables: []string{"npm_config_", "bun_"},
	},
	{
		runners: []string{"pnpm dlx"}, ecosystem: "npm", bins: "node_modules/.bin",
		argv:  []string{"pnpm", "add", "--dir", "DIR", "--ignore-scripts", "--store-dir", "DIR/store"},
		named: []string{"--package"}, settings: []string{".npmrc", ".config/pnpm/rc"}, variables: []string{"npm_config_", "pnpm_"},
	},
	{
		runners: []string{"uvx", "uv tool run"}, ecosystem: "pypi", bins: "bin",
		// Only wheels: what is built from source runs its own code to be built.
		argv: []string{"uv", "tool", "install", "--no-build"},
		env: []string{"UV_TOOL_DIR=DIR/tools", "UV_TOOL_BIN_DIR=DIR/bin", "UV_CACHE_DIR=DIR/cache",
			"UV_PYTHON_INSTALL_DIR=DIR/python"},
		offline: []string{"UV_OFFLINE=1"},
		named:   []string{"--from"}, settings: []string{".config/uv/uv.toml", "uv.toml"}, variables: []string{"uv_", "pip_"},
	},
}

// forDownload are our own variables that a download gets beside the harmless ones: whom to trust, and the way out.
var forDownload = []string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
	"http_proxy", "https_proxy", "no_proxy", "all_proxy"}

// harmless are the words before a package that change nothing of what is fetched.
var harmless = []string{"-y", "--yes", "-q", "--quiet", "-s", "--silent", "--"}

// Downloads is the package runner that a command begins with, "" for none: without a network it finds nothing to start.
func Downloads(argv []string) string {
	var line launch.Line
	if line.Parse(argv); line.Package != nil && line.Docker == nil {
		return line.Runner
	}
	return ""
}

// offline are the variables that let a package runner say at once that it has no network, instead of trying for long.
func offline(argv []string) []string {
	runner := Downloads(argv)
	for _, f := range fetchers {
		if runner != "" && slices.Contains(f.runners, runner) {
			return f.offline
		}
	}
	return nil
}

// Prefetch downloads what a package runner would start, with install scripts off and the network on, in the sandbox of
// s, and gives the spec that starts the same without a network, and a cleanup to call once the server is closed. A
// command that is no package runner is given back as it is.
func Prefetch(ctx context.Context, s Spec) (_ Spec, cleanup func() error, err error) {
	nothing := func() error { return nil }
	var line launch.Line
	line.Parse(s.Argv)
	i := slices.IndexFunc(fetchers, func(f fetcher) bool { return slices.Contains(f.runners, line.Runner) })
	if i < 0 {
		if line.Package != nil && line.Docker == nil {
			return s, nothing, refuse("--allow-net lets it download by itself", "--prefetch does not know %s", line.Runner)
		}
		return s, nothing, nil
	}
	f := fetchers[i]
	program, rest, err := f.reads(&line)
	if err != nil {
		return s, nothing, err
	}
	if err := f.registry(s); err != nil {
		return s, nothing, err
	}
	dir, err := os.MkdirTemp("", "mcpassay-fetch-")
	if err != nil {
		return s, nothing, fmt.Errorf("prefetch: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return s, nothing, fmt.Errorf("prefetch: %w", err)
	}
	cleanup = func() error { return proc.RemoveTree(dir) }
	if err := f.fetch(ctx, s, &line, dir); err != nil {
		return s, nothing, errors.Join(err, cleanup())
	}
	bin, err := f.bin(dir, program, line.Package.Name)
	if err != nil {
		return s, nothing, errors.Join(err, cleanup())
	}
	s.Argv = append([]string{bin}, rest...)
	s.Workspace = append(slices.Clone(s.Workspace), dir)
	s.Entry = append(slices.Clone(s.Entry), f.offline...)
	return s, cleanup, nil
}

// reads gives the program that a line starts, "" for the one of its package, and its arguments.
func (f fetcher) reads(l *launch.Line) (program string, rest []string, err error) {
	unknown := func(word string) error {
		return refuse("--allow-net lets it download by itself", "--prefetch does not know what %.80q does to what is fetched", word)
	}
	if l.Script || len(l.Wrappers) > 0 {
		return "", nil, unknown(l.Argv[0])
	}
	if l.Package == nil {
		return "", nil, refuse("give its name after "+l.Runner, "%s names no package to fetch", l.Runner)
	}
	for _, p := range l.Packages {
		if p.Ecosystem != f.ecosystem || strings.HasPrefix(p.Spec, "-") {
			return "", nil, refuse("--allow-net lets it download by itself", "--prefetch takes packages of a registry only, not %.80q", p.Spec)
		}
	}
	words := len(strings.Fields(l.Runner))
	by := false
	for i := 1; i < len(l.Argv)-len(l.Rest); i++ {
		w := l.Argv[i]
		name, _, joined := strings.Cut(w, "=")
		switch {
		case slices.Contains(f.named, name):
			by = true
			if !joined {
				i++
			}
		case slices.Contains(harmless, w):
		case i < words && !strings.HasPrefix(w, "-") || w == l.Package.Spec: // exec, dlx, tool run, and the package
		default:
			return "", nil, unknown(w)
		}
	}
	rest = l.Rest
	if !by {
		if l.Runner == "npm exec" && len(rest) > 0 && rest[0] == "--" {
			rest = rest[1:]
		}
		return "", rest, nil
	}
	if len(rest) == 0 {
		return "", nil, refuse("name its program", "%s names no program to start", l.Runner)
	}
	return rest[0], rest[1:], nil
}

// registry refuses to fetch where a person's settings name a registry of their own: the sandbox does not see them, and
// a package of that name from the public registry is another one.
func (f fetcher) registry(s Spec) error {
	if s.Executor == Docker {
		return refuse("put the server into the image", "--prefetch can not fill a container")
	}
	if s.Executor == Host {
		return nil // its settings are seen
	}
	for _, folder := range []string{proc.Get(s.Parent, "HOME"), s.Dir} {
		for _, name := range f.settings {
			file, err := os.Open(filepath.Join(folder, name))
			if folder == "" || err != nil {
				continue
			}
			text, err := io.ReadAll(io.LimitReader(file, int64(s.Limits.FoundBytes)))
			file.Close()
			if lower := strings.ToLower(string(text)); err != nil || namesRegistry(lower) {
				return refuse("install it yourself and name its program, or use --executor host",
					"%s names a registry, which a sandbox does not use", filepath.Join(folder, name))
			}
		}
	}
	return nil
}

// namesRegistry says whether settings, in lower case, name a registry or an index.
func namesRegistry(settings string) bool {
	for l := range strings.Lines(settings) {
		key, _, _ := strings.Cut(strings.TrimLeft(l, " \t[\"'"), "=")
		if !strings.HasPrefix(key, "omit-lockfile") && (strings.Contains(key, "registry") || strings.Contains(key, "index")) {
			return true
		}
	}
	return false
}

// fetch runs the download.
func (f fetcher) fetch(ctx context.Context, s Spec, l *launch.Line, dir string) error {
	at := func(words []string) (out []string) {
		for _, w := range words {
			out = append(out, strings.ReplaceAll(w, "DIR", dir))
		}
		return out
	}
	d := Spec{Executor: s.Executor, Argv: at(f.argv), Parent: s.Parent, Limits: s.Limits, AllowNet: true, writable: dir, pathMeta: true}
	for _, p := range l.Packages {
		if f.ecosystem == "pypi" && p.Arg != l.Package.Arg {
			d.Argv = append(d.Argv, "--with")
		}
		d.Argv = append(d.Argv, p.Spec)
	}
	for _, name := range forDownload {
		value := proc.Get(s.Parent, name)
		if value == "" {
			continue
		}
		d.Entry = append(d.Entry, name+"="+value)
		if _, err := os.Stat(value); err == nil && filepath.IsAbs(value) && s.mayOpen(value) {
			d.Workspace = append(d.Workspace, value)
		}
	}
	for _, kv := range s.Entry { // a download gets no credential of the server, only where to load from
		if slices.ContainsFunc(f.variables, func(v string) bool { return strings.HasPrefix(strings.ToLower(kv), v) }) {
			d.Entry = append(d.Entry, kv)
		}
	}
	d.Entry = append(d.Entry, at(f.env)...)
	ctx, cancel := context.WithTimeout(ctx, s.Limits.Prefetch)
	defer cancel()
	plan, err := New(ctx, d)
	if err != nil {
		return err
	}
	exit, stderr, err := proc.Run(ctx, plan.Command, s.Limits)
	err = errors.Join(err, plan.Cleanup())
	if err == nil && exit.Code != 0 {
		err = errors.New(exit.Reason)
	}
	if err != nil {
		return fmt.Errorf("prefetch: %s: %w: %s", d.Argv[0], err, strings.Join(strings.FieldsFunc(string(stderr[max(0, len(stderr)-s.Limits.ShownURLRunes):]), func(r rune) bool { return r == '\n' || r == '\r' }), "; "))
	}
	return nil
}

// bin finds the program of a package: the named one, else its only one, else the one of its name.
func (f fetcher) bin(dir, program, pkg string) (string, error) {
	folder := filepath.Join(dir, filepath.FromSlash(f.bins))
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", fmt.Errorf("prefetch: %w", err)
	}
	var all []string
	for _, e := range entries {
		if f.linked && program == "" {
			to, _ := os.Readlink(filepath.Join(folder, e.Name()))
			if !strings.HasPrefix(filepath.ToSlash(to), "../"+pkg+"/") {
				continue
			}
		}
		all = append(all, e.Name())
	}
	if program == "" {
		if program = path.Base(pkg); len(all) == 1 {
			program = all[0]
		}
	}
	if !slices.Contains(all, program) {
		hint := "name one of its programs: " + strings.Join(all[:min(len(all), limits.Default.ShownNames)], ", ")
		if runtime.GOOS == "windows" {
			hint = "--allow-net lets it download by itself"
		}
		return "", refuse(hint, "package %.200q has no program %.80q", pkg, program)
	}
	return filepath.Join(folder, program), nil
}
