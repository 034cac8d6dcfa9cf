package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/launch"
)

func TestAPackageRunnersLineIsReadAsItsFetch(t *testing.T) {
	for argv, want := range map[string]string{
		"npx -y @x/server@1 DIR --flag":             "npm | @x/server@1 |  | DIR --flag",
		"npx -y -p @x/a cmd arg":                    "npm | @x/a | cmd | arg",
		"npx --package=@x/a --package b -- cmd":     "npm | @x/a b | cmd | ",
		"npx -y @x/s -- --x":                        "npm | @x/s |  | -- --x", // npx hands it on
		"npm exec -y @x/s -- --x y":                 "npm | @x/s |  | --x y",
		"npm exec --package=@x/a -- cmd z":          "npm | @x/a | cmd | z",
		"bunx @x/s a":                               "bun | @x/s |  | a",
		"pnpm dlx @x/s a":                           "pnpm | @x/s |  | a",
		"uvx pkg==1.0 --a":                          "uv | pkg==1.0 |  | --a",
		"uvx --from pkg@1 cmd --a":                  "uv | pkg@1 | cmd | --a",
		"uv tool run pkg a":                         "uv | pkg |  | a",
		"npx --registry=http://evil.test @x/s":      "refused",
		"npx --registry http://evil.test @x/s":      "refused",
		"uvx -i http://evil.test pkg":               "refused",
		"npx -y git+https://example.com/x/y":        "refused",
		"npx https://example.com/a.tgz":             "refused",
		"uvx git+https://example.com/a/b":           "refused",
		"npx ./local":                               "refused",
		"npx -c script":                             "refused",
		"cmd /c npx -y @x/s":                        "refused",
		"env npm_config_registry=http://e npx @x/s": "refused",
		"npx -p @x/a":                               "refused",
	} {
		var l launch.Line
		l.Parse(strings.Fields(argv))
		got := "refused"
		for _, f := range fetchers {
			if !slices.Contains(f.runners, l.Runner) {
				continue
			}
			program, rest, err := f.reads(&l)
			var r *Refusal
			if err != nil && (!errors.As(err, &r) || r.Hint == "") {
				t.Errorf("%s: %v", argv, err)
			}
			if err == nil {
				var specs []string
				for _, p := range l.Packages {
					specs = append(specs, p.Spec)
				}
				got = strings.Join([]string{f.argv[0], strings.Join(specs, " "), program, strings.Join(rest, " ")}, " | ")
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", argv, got, want)
		}
	}
}

func TestADownloadRunsNoScriptAndWritesOnlyItsFolder(t *testing.T) {
	want := map[string]string{
		"npm":  "npm install --prefix DIR --ignore-scripts --no-audit --no-fund --no-save -- | npm_config_ignore_scripts=true npm_config_cache=DIR/cache npm_config_update_notifier=false",
		"bun":  "bun add --cwd DIR --ignore-scripts | BUN_INSTALL_CACHE_DIR=DIR/cache",
		"pnpm": "pnpm add --dir DIR --ignore-scripts --store-dir DIR/store | ",
		"uv":   "uv tool install --no-build | UV_TOOL_DIR=DIR/tools UV_TOOL_BIN_DIR=DIR/bin UV_CACHE_DIR=DIR/cache UV_PYTHON_INSTALL_DIR=DIR/python",
	}
	for _, f := range fetchers {
		if got := strings.Join(f.argv, " ") + " | " + strings.Join(f.env, " "); got != want[f.argv[0]] {
			t.Errorf("%s: %s", f.argv[0], got)
		}
	}
}

func TestARegistryOfYourOwnIsNotReplacedByThePublicOne(t *testing.T) {
	for text, refused := range map[string]bool{
		"registry=https://npm.corp.test\n": true, "@corp:registry = https://npm.corp.test": true, "  //x/:_authToken=t\nRegistry=x": true,
		"fund=false\nomit-lockfile-registry-resolved = true\n": false, "# registry\n": true, "": false,
	} {
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, ".npmrc"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, s := range []Spec{{Parent: []string{"HOME=" + home}}, {Dir: home}} {
			s.Limits = limits.Default
			if err := fetchers[0].registry(s); (err != nil) != refused {
				t.Errorf("%q: %v", text, err)
			}
			s.Executor = Host
			if err := fetchers[0].registry(s); err != nil {
				t.Errorf("%q on the host: %v", text, err)
			}
		}
	}
}

func TestTheProgramOfAPackageIsFound(t *testing.T) {
	dir := t.TempDir()
	bins := filepath.Join(dir, "node_modules/.bin")
	if err := os.MkdirAll(bins, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"mcp-server": "../@x/server/dist/index.js", "other": "../dep/other.js",
		"two": "../two/two.js", "two-admin": "../two/admin.js", "a": "../many/a.js", "b": "../many/b.js"} {
		if err := os.Symlink(to, filepath.Join(bins, name)); err != nil {
			t.Skip(err)
		}
	}
	for _, c := range []struct{ program, pkg, want string }{
		{"", "@x/server", "mcp-server"}, {"", "two", "two"}, {"two-admin", "two", "two-admin"}, {"other", "two", "other"},
		{"", "many", ""}, {"absent", "two", ""}, {"", "absent", ""}, {"../../x", "two", ""},
	} {
		got, err := fetchers[0].bin(dir, c.program, c.pkg)
		if c.want == "" && err == nil || c.want != "" && got != filepath.Join(bins, c.want) {
			t.Errorf("%+v: %s %v", c, got, err)
		}
	}
}

func TestWhatIsNoPackageRunnerIsLeftAsItIs(t *testing.T) {
	s := Spec{Argv: []string{"node", "server.js"}, Limits: limits.Default}
	got, cleanup, err := Prefetch(t.Context(), s)
	if err != nil || !slices.Equal(got.Argv, s.Argv) || cleanup() != nil {
		t.Errorf("%+v %v", got, err)
	}
	var r *Refusal
	if _, _, err := Prefetch(t.Context(), Spec{Argv: []string{"pipx", "run", "pkg"}, Limits: limits.Default}); !errors.As(err, &r) {
		t.Error(err)
	}
}
