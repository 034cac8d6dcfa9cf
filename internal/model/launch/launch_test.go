package launch

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// packages renders what a line fetches: ecosystem:name pin[=version].
func packages(l Line) string {
	var out []string
	for _, p := range l.Packages {
		s := p.Ecosystem + ":" + p.Name + " " + p.Pin.String()
		if p.Version != "" {
			s += "=" + p.Version
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

// argv splits a test case: words are separated by one space, "␣" stands for a space in a word.
func argv(s string) []string {
	ws := strings.Split(s, " ")
	for i := range ws {
		ws[i] = strings.ReplaceAll(ws[i], "␣", " ")
	}
	return ws
}

func parse(argv []string) Line {
	var l Line
	l.Parse(argv)
	return l
}

const sha = "0123456789abcdef0123456789abcdef01234567"

func TestOnlyTheWordInThePackagesPlaceIsAPackage(t *testing.T) {
	digest := "sha256:" + strings.Repeat("ab", 32)
	for _, c := range []struct{ line, runner, packages, rest string }{
		// npx and npm exec
		{"npx -y pkg", "npx", "npm:pkg none", ""},
		{"npx --yes pkg@1.2.3 serve --port 8080", "npx", "npm:pkg exact=1.2.3", "serve --port 8080"},
		{"npx pkg@1.2.3-beta.1+b5 x", "npx", "npm:pkg exact=1.2.3-beta.1+b5", "x"},
		{"npx pkg@v1.2.3", "npx", "npm:pkg exact=v1.2.3", ""},
		{"npx pkg@1", "npx", "npm:pkg range=1", ""},
		{"npx pkg@1.x", "npx", "npm:pkg range=1.x", ""},
		{"npx pkg@^1.2.3", "npx", "npm:pkg range=^1.2.3", ""},
		{"npx pkg@>=1.2.3␣<2", "npx", "npm:pkg range=>=1.2.3 <2", ""},
		{"npx pkg@*", "npx", "npm:pkg range=*", ""},
		{"npx pkg@latest", "npx", "npm:pkg tag=latest", ""},
		{"npx pkg@next", "npx", "npm:pkg tag=next", ""},
		{"npx pkg@", "npx", "npm:pkg none", ""},
		{"npx -y @scope/name@1.2.3 /data", "npx", "npm:@scope/name exact=1.2.3", "/data"},
		{"npx -y @scope/name", "npx", "npm:@scope/name none", ""},
		{"npx -p pkg@1.2.3 bin --flag", "npx", "npm:pkg exact=1.2.3", "bin --flag"},
		{"npx -p one@1.2.3 -p two bin", "npx", "npm:one exact=1.2.3, npm:two none", "bin"},
		{"npx -y --package @scope/sdk -- mcp start", "npx", "npm:@scope/sdk none", "mcp start"},
		{"npx --package=pkg@2.0.0 bin", "npx", "npm:pkg exact=2.0.0", "bin"},
		{"npx --registry https://r.example pkg@1.2.3", "npx", "npm:pkg exact=1.2.3", ""},
		{"npx --registry=https://r.example pkg@1.2.3", "npx", "npm:pkg exact=1.2.3", ""},
		{"npx --prefer-offline --unknown pkg arg", "npx", "npm:pkg none", "arg"},
		{"npx -y -- pkg@1.2.3 -y", "npx", "npm:pkg exact=1.2.3", "-y"},
		{"/usr/local/bin/npx -y pkg", "npx", "npm:pkg none", ""},
		{`C:\Program␣Files\nodejs\npx.cmd -y pkg`, "npx", "npm:pkg none", ""},
		{"NPX.CMD pkg", "npx", "npm:pkg none", ""},
		{"npm exec -- pkg@1.2.3 x", "npm exec", "npm:pkg exact=1.2.3", "x"},
		{"npm x --yes pkg x", "npm exec", "npm:pkg none", "x"},
		{"npm --prefix /srv exec pkg", "npm exec", "npm:pkg none", ""},
		{"npm run start", "", "", "run start"},
		{"npm i -g one two@1.0.0", "npm install", "npm:one none, npm:two exact=1.0.0", ""},
		// what npm takes from elsewhere
		{"npx owner/repo", "npx", "git:github.com/owner/repo branch", ""},
		{"npx github:owner/repo#" + sha, "npx", "git:github.com/owner/repo commit=" + sha, ""},
		{"npx git+https://git.example/o/r.git#main", "npx", "git:git.example/o/r branch=main", ""},
		{"npx git+ssh://git@git.example/o/r.git#" + sha, "npx", "git:git.example/o/r commit=" + sha, ""},
		{"npx https://files.example/pkg.tgz", "npx", "url:https://files.example/pkg.tgz none", ""},
		{"npx mine@npm:theirs@1.2.3", "npx", "npm:theirs exact=1.2.3", ""},
		{"npx mine@git+https://git.example/o/r.git", "npx", "git:git.example/o/r branch", ""},
		// what is no package
		{"npx .", "npx", "", "."},
		{"npx ./build x", "npx", "", "./build x"},
		{"npx /opt/server", "npx", "", "/opt/server"},
		{"npx file:../server", "npx", "", "file:../server"},
		{"npx server.tgz", "npx", "", "server.tgz"},
		{`npx C:\servers\mine`, "npx", "", `C:\servers\mine`},
		{"npx ~/server", "npx", "", "~/server"},
		{"npx ${PACKAGE}", "npx", "", "${PACKAGE}"},
		{"npx pkg@${VERSION}", "npx", "npm:pkg range=${VERSION}", ""},
		{"npx API_KEY=x", "npx", "", "API_KEY=x"},
		{"npx", "npx", "", ""},
		{"npx -y", "npx", "", ""},
		{"npx --package", "npx", "", ""},
		// bun, pnpm, yarn
		{"bunx pkg@latest", "bunx", "npm:pkg tag=latest", ""},
		{"bunx --bun -p pkg@1.2.3 bin", "bunx", "npm:pkg exact=1.2.3", "bin"},
		{"bun x pkg a", "bunx", "npm:pkg none", "a"},
		{"bun run server.ts", "bun", "", "run server.ts"},
		{"pnpm dlx pkg@1.2.3 a", "pnpm dlx", "npm:pkg exact=1.2.3", "a"},
		{"pnpm --package=pkg@1.2.3 dlx bin", "pnpm dlx", "npm:pkg exact=1.2.3", "bin"},
		{"pnpm dlx --package pkg bin", "pnpm dlx", "npm:pkg none", "bin"},
		{"pnpm --dir /srv dlx pkg", "pnpm dlx", "npm:pkg none", ""},
		{"pnpm exec tsc", "", "", "exec tsc"},
		{"pnpx pkg", "pnpm dlx", "npm:pkg none", ""},
		{"yarn dlx -p pkg@1.2.3 bin", "yarn dlx", "npm:pkg exact=1.2.3", "bin"},
		{"yarn dlx -q pkg", "yarn dlx", "npm:pkg none", ""},
		{"yarn start", "", "", "start"},
		// uv
		{"uvx pkg", "uvx", "pypi:pkg none", ""},
		{"uvx pkg==1.2.3 serve", "uvx", "pypi:pkg exact=1.2.3", "serve"},
		{"uvx pkg@1.2.3", "uvx", "pypi:pkg exact=1.2.3", ""},
		{"uvx pkg@latest --port 8080", "uvx", "pypi:pkg tag=latest", "--port 8080"},
		{"uvx pkg==latest", "uvx", "pypi:pkg tag=latest", ""},
		{"uvx pkg==0.0.1a4", "uvx", "pypi:pkg exact=0.0.1a4", ""},
		{"uvx pkg==1.2.*", "uvx", "pypi:pkg range=1.2.*", ""},
		{"uvx pkg>=1.2,<2", "uvx", "pypi:pkg range=>=1.2,<2", ""},
		{"uvx pkg[cli,http]==1.2.3", "uvx", "pypi:pkg exact=1.2.3", ""},
		{"uvx --from pkg==1.0 bin --x", "uvx", "pypi:pkg exact=1.0", "bin --x"},
		{"uvx --from=pkg bin", "uvx", "pypi:pkg none", "bin"},
		{"uvx --with dep==2.0 --with other pkg", "uvx", "pypi:dep exact=2.0, pypi:other none, pypi:pkg none", ""},
		{"uvx --with a,b>=1,<2 pkg@1.0.0", "uvx", "pypi:a none, pypi:b range=>=1,<2, pypi:pkg exact=1.0.0", ""},
		{"uvx --python 3.12 pkg@1.0.0", "uvx", "pypi:pkg exact=1.0.0", ""},
		{"uvx -p3.12 pkg@1.0.0", "uvx", "pypi:pkg exact=1.0.0", ""},
		{"uvx --index-url https://i.example pkg", "uvx", "pypi:pkg none", ""},
		{"uvx --from git+https://git.example/o/r@" + sha + " bin", "uvx", "git:git.example/o/r commit=" + sha, "bin"},
		{"uvx --from git+https://git.example/o/r@v1.0 bin", "uvx", "git:git.example/o/r branch=v1.0", "bin"},
		{"uvx --from git+https://git.example/o/r bin", "uvx", "git:git.example/o/r branch", "bin"},
		{"uvx --from git+ssh://git@git.example/o/r.git@" + sha + "#subdirectory=py bin", "uvx", "git:git.example/o/r commit=" + sha, "bin"},
		{"uvx --from pkg␣@␣git+https://git.example/o/r@0123456 bin", "uvx", "git:git.example/o/r branch=0123456", "bin"},
		{"uvx --from . bin", "uvx", "", "bin"},
		{"uvx --from ./dist/x-1.0-py3-none-any.whl bin", "uvx", "", "bin"},
		{"uvx --from x-1.0-py3-none-any.whl bin", "uvx", "", "bin"},
		{"uvx python@3.12 -c x", "uvx", "", "python@3.12 -c x"},
		{"uv tool run pkg@1.2.3 a", "uv tool run", "pypi:pkg exact=1.2.3", "a"},
		{"uv --offline tool run --from pkg bin", "uv tool run", "pypi:pkg none", "bin"},
		{"uv run --with mcp==1.2.0 mcp run server.py", "uv run", "pypi:mcp exact=1.2.0", "mcp run server.py"},
		{"uv --directory /srv run server.py", "uv run", "", "server.py"},
		{"uv run -m pkg", "uv run", "", "pkg"},
		{"uv run https://files.example/server.py", "uv run", "url:https://files.example/server.py none", ""},
		{"uv run npx -y pkg", "npx", "npm:pkg none", ""},
		{"uv sync", "", "", "sync"},
		// pip, pipx
		{"pipx run pkg==1.2.3 a", "pipx run", "pypi:pkg exact=1.2.3", "a"},
		{"pipx run --spec pkg==1.2.3 bin", "pipx run", "pypi:pkg exact=1.2.3", "bin"},
		{"pip install --user one==1.0 two", "pip install", "pypi:one exact=1.0, pypi:two none", ""},
		{"pip3.12 install -r requirements.txt", "pip install", "", ""},
		{"pip install -e git+https://git.example/o/r@" + sha, "pip install", "git:git.example/o/r commit=" + sha, ""},
		{"python -m pip install pkg", "pip install", "pypi:pkg none", ""},
		{"python3.13 -u -m pipx run pkg", "pipx run", "pypi:pkg none", ""},
		{"python -m server pkg", "python", "", "-m server pkg"},
		// containers
		{"docker run -i --rm image", "docker run", "oci:image none", ""},
		{"docker run -i --rm -e KEY image:latest -transport stdio", "docker run", "oci:image tag=latest", "-transport stdio"},
		{"docker run -it -p 8080:80 registry.example:5000/o/image:1.2.3 a", "docker run", "oci:registry.example:5000/o/image exact=1.2.3", "a"},
		{"docker run registry.example:5000/o/image", "docker run", "oci:registry.example:5000/o/image none", ""},
		{"docker run image:1.2", "docker run", "oci:image range=1.2", ""},
		{"docker run image:20-alpine", "docker run", "oci:image range=20-alpine", ""},
		{"docker run image:1.2.3-alpine", "docker run", "oci:image exact=1.2.3-alpine", ""},
		{"docker run image:2026-01-31", "docker run", "oci:image exact=2026-01-31", ""},
		{"docker run image:main", "docker run", "oci:image tag=main", ""},
		{"docker run image@" + digest, "docker run", "oci:image digest=" + digest, ""},
		{"docker run o/image:1.2@" + digest, "docker run", "oci:o/image digest=" + digest, ""},
		{"docker --context remote run --init --name x -v /a:/b image:1.2.3", "docker run", "oci:image exact=1.2.3", ""},
		{"docker container run --rm image:1.2.3", "docker run", "oci:image exact=1.2.3", ""},
		{"podman run --net=host image:1.2.3", "podman run", "oci:image exact=1.2.3", ""},
		{"docker run --rm -i node:22.1.0 npx -y pkg", "docker run", "oci:node exact=22.1.0, npm:pkg none", "npx -y pkg"},
		{"docker run $IMAGE x", "docker run", "", "x"},
		{"docker compose up", "", "", "compose up"},
		// deno, go, .NET, nix
		{"deno run -A npm:pkg@1.2.3 a", "deno run", "npm:pkg exact=1.2.3", "a"},
		{"deno run --allow-net=h --allow-env npm:@scope/pkg/cli", "deno run", "npm:@scope/pkg none", ""},
		{"deno run jsr:@scope/pkg@^1", "deno run", "jsr:@scope/pkg range=^1", ""},
		{"deno run --config deno.json https://x.example/mod.ts", "deno run", "url:https://x.example/mod.ts none", ""},
		{"deno run https://x.example/std@0.224.0/mod.ts", "deno run", "url:https://x.example/std@0.224.0/mod.ts exact=0.224.0", ""},
		{"deno run main.ts", "deno run", "", "main.ts"},
		{"deno task start", "deno", "", "task start"},
		{"go run go.example/o/r/cmd/x@v1.2.3 a", "go run", "go:go.example/o/r/cmd/x exact=v1.2.3", "a"},
		{"go run -mod=mod -tags x go.example/o/r@latest", "go run", "go:go.example/o/r tag=latest", ""},
		{"go run go.example/o/r@main", "go run", "go:go.example/o/r branch=main", ""},
		{"go run go.example/o/r@v1", "go run", "go:go.example/o/r range=v1", ""},
		{"go run go.example/o/r@" + sha, "go run", "go:go.example/o/r commit=" + sha, ""},
		{"go run ./cmd/x", "go run", "", "./cmd/x"},
		{"go run go.example/o/r", "go run", "", "go.example/o/r"}, // the module in go.mod pins it
		{"dnx My.Tool@1.2.3 --yes", "dnx", "nuget:My.Tool exact=1.2.3", "--yes"},
		{"dnx -y My.Tool --version 1.2.3", "dnx", "nuget:My.Tool none", "--version 1.2.3"},
		{"dnx --version 1.2.3 My.Tool", "dnx", "nuget:My.Tool exact=1.2.3", ""},
		{"dnx --version 1.* My.Tool", "dnx", "nuget:My.Tool range=1.*", ""},
		{"dotnet tool exec My.Tool", "dnx", "nuget:My.Tool none", ""},
		{"dotnet dnx -y My.Tool --mcp", "dnx", "nuget:My.Tool none", "--mcp"},
		{"dotnet run --project x", "dotnet", "", "run --project x"},
		{"nix run github:o/r/" + sha, "nix run", "git:github.com/o/r commit=" + sha, ""},
		{"nix run github:o/r -- a", "nix run", "git:github.com/o/r branch", "-- a"},
		{"nix run nixpkgs#x", "nix run", "", "nixpkgs#x"},
		// plain programs
		{"node dist/index.js", "node", "", "dist/index.js"},
		{"/opt/venv/bin/python3.12 server.py", "python", "", "server.py"},
		{"bash start.sh", "bash", "", "start.sh"},
		{"mcp-server --port 1", "", "", "--port 1"},
		{`C:\tools\Server.EXE`, "", "", ""},
	} {
		l := parse(argv(c.line))
		if got := packages(l); l.Runner != c.runner || got != c.packages || strings.Join(l.Rest, " ") != c.rest {
			t.Errorf("%s\n got %q, %q, rest %q\nwant %q, %q, rest %q", c.line, l.Runner, got, l.Rest, c.runner, c.packages, c.rest)
		}
		check(t, l)
	}
}

func TestThePackageIsTheOneThatRuns(t *testing.T) {
	for line, want := range map[string]string{
		"uvx --with dep pkg":            "pkg",
		"uvx --with dep --from pkg bin": "pkg",
		"npx -p pkg -p other bin":       "pkg",
		"sh -c npm␣i␣dep␣&&␣npx␣pkg":    "pkg",
		"docker run image npx pkg":      "image",
		"uv run --with dep python x":    "dep",
	} {
		l := parse(argv(line))
		if l.Package == nil || l.Package.Name != want {
			t.Errorf("%s: package %+v, want %s", line, l.Package, want)
		}
	}
}

func TestSpansPointAtThePackageInItsArgument(t *testing.T) {
	for _, c := range []struct {
		line, spec string
		arg        int
	}{
		{"npx -y @scope/name@1.2.3 x", "@scope/name@1.2.3", 2},
		{"npx --package=pkg@1 bin", "pkg@1", 1},
		{"uvx --from git+https://git.example/o/r bin", "git+https://git.example/o/r", 2},
		{"uvx --with=a,bcd pkg", "a", 1},
		{"docker run -eK=v image:1", "image:1", 3},
		{"cmd /c npx -y pkg@latest", "pkg@latest", 4},
		{"cmd /c npx -y pkg@latest & echo x", "pkg@latest", 4},
		{"powershell -NoProfile -Command npx -y pkg", "pkg", 5},
		{"env A=1 npx pkg", "pkg", 3},
		{"npx␣-y␣pkg@1", "pkg@1", 0},
	} {
		args := argv(c.line)
		l := parse(args)
		if len(l.Packages) == 0 {
			t.Errorf("%s: no package", c.line)
			continue
		}
		p := l.Packages[0]
		if p.Arg != c.arg || args[p.Arg][p.Start:p.End] != c.spec || p.Spec != c.spec {
			t.Errorf("%s: %q in argument %d at %d to %d, want %q in %d", c.line, p.Spec, p.Arg, p.Start, p.End, c.spec, c.arg)
		}
	}
	if p := parse([]string{"sh", "-c", "npx -y pkg"}).Package; p == nil || p.Arg != -1 || p.Start != 0 || p.End != 0 {
		t.Errorf("a package in a script has a place: %+v", p)
	}
}

func TestWrappersAreTakenOff(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString(utf16LE("npx -y pkg"))
	for _, c := range []struct {
		line, wrappers, runner, program string
		script                          int
	}{
		{"cmd /c npx -y pkg", "cmd /c", "npx", "npx", -1},
		{"cmd.exe /C npx -y pkg", "cmd /c", "npx", "npx", -1},
		{"cmd /d /s /c npx␣-y␣pkg", "cmd /c", "npx", "npx", 4},
		{"cmd //c npx pkg", "cmd /c", "npx", "npx", -1},
		{"sh -c npx␣-y␣pkg", "sh -c", "npx", "npx", 2},
		{"bash -lc npx␣-y␣pkg", "bash -c", "npx", "npx", 2},
		{"/bin/bash -euo pipefail -c exec␣npx␣pkg", "bash -c, exec", "npx", "npx", 4},
		{"zsh -i -l -c cd␣/srv␣&&␣npx␣pkg", "zsh -c", "npx", "npx", 4},
		{"env FOO=1 BAR=2 npx pkg", "env", "npx", "npx", -1},
		{"env -u X -i -- npx pkg", "env", "npx", "npx", -1},
		{"env -S npx␣-y␣pkg", "env", "npx", "npx", 2},
		{"/usr/bin/env -S FOO=1␣npx␣pkg", "env", "npx", "npx", 2},
		{"sudo -u me -E npx pkg", "sudo", "npx", "npx", -1},
		{"powershell -NoProfile -ExecutionPolicy Bypass -Command npx␣-y␣pkg", "powershell -command", "npx", "npx", 5},
		{"pwsh -c npx␣pkg", "pwsh -command", "npx", "npx", 2},
		{"powershell.exe npx␣pkg", "powershell -command", "npx", "npx", 1},
		{"powershell -enc " + encoded, "powershell -encodedcommand", "npx", "npx", 2},
		{"powershell -File server.ps1", "", "powershell", "powershell", -1},
		{"timeout 30 npx pkg", "timeout", "npx", "npx", -1},
		{"nice -n 5 nohup npx pkg", "nice, nohup", "npx", "npx", -1},
		{"op run --env-file=.env -- npx pkg", "op run", "npx", "npx", -1},
		{"mise exec node@22 -- npx pkg", "mise exec", "npx", "npx", -1},
		{"conda run -n x python -m server", "conda run", "python", "python", -1},
		{"poetry run mcp-server", "poetry run", "", "mcp-server", -1},
		{"wsl -d Ubuntu -- npx pkg", "wsl", "npx", "npx", -1},
		{"wsl bash -lc npx␣pkg", "wsl, bash -c", "npx", "npx", 3},
		{"docker exec -i -e K=v box npx pkg", "docker exec", "npx", "npx", -1},
		{"cmd /c start /b npx pkg", "cmd /c, start", "npx", "npx", -1},
		{"sh -c sh␣-c␣'npx␣pkg'", "sh -c, sh -c", "npx", "npx", 2},
		{"npx -c 'vite'␣build -p vite@6.0.0", "npx -c", "npx", "vite", 2},
		{"npx␣-y␣pkg", "", "npx", "npx", -1},
		{"busybox sh -c npx␣pkg", "sh -c", "npx", "npx", 3},
		{"sh server.sh -c x", "", "sh", "sh", -1},
		{"env", "", "", "env", -1},
		{"cmd", "", "", "cmd", -1},
		{"sudo -i", "", "", "sudo", -1},
	} {
		l := parse(argv(c.line))
		if got := strings.Join(l.Wrappers, ", "); got != c.wrappers || l.Runner != c.runner || l.Program != c.program || l.ScriptArg != c.script || l.Script != (c.script >= 0) {
			t.Errorf("%s: wrappers %q, runner %q, program %q, script %v at %d", c.line, got, l.Runner, l.Program, l.Script, l.ScriptArg)
		}
		if c.runner == "npx" && l.Package == nil {
			t.Errorf("%s: no package", c.line)
		}
		check(t, l)
	}
}

func utf16LE(s string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return b
}

func TestEveryCommandOfAScriptCounts(t *testing.T) {
	l := parse([]string{"bash", "-c", `if true; then npm i one; fi; (cd /x && uvx two) | tee log; X="$(npx three)" npx -y four`})
	if got, want := packages(l), "npm:one none, pypi:two none, npm:three none, npm:four none"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if l.Package == nil || l.Package.Name != "four" {
		t.Errorf("main package %+v", l.Package)
	}
}

func TestVariablesThatTheLineSets(t *testing.T) {
	for line, want := range map[string]string{
		"env A=1 B=two␣words npx x":                "A=1@1[2:3] B=two words@2[2:11]",
		"sudo A=1 npx x":                           "A=1@1[2:3]",
		"sh -c A=1␣B='x␣y'␣npx␣x":                  "A=1@-1[0:0] B=x y@-1[0:0]",
		"docker run -e A=1 --env=B=2 -eC=3 -e D i": "A=1@3[2:3] B=2@4[8:9] C=3@5[4:5] D?@7",
		"npx x -e A=1":                             "",
	} {
		var got []string
		l := parse(argv(line))
		for _, a := range l.Env {
			if a.Inherit {
				got = append(got, fmt.Sprintf("%s?@%d", a.Name, a.Arg))
			} else {
				got = append(got, fmt.Sprintf("%s=%s@%d[%d:%d]", a.Name, a.Value, a.Arg, a.Start, a.End))
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %q, want %q", line, s, want)
		}
	}
}

func TestDockerPrivileges(t *testing.T) {
	for _, c := range []struct {
		line string
		want Docker
	}{
		{"docker run -i --rm image", Docker{Interactive: true}},
		{"docker run -ti image", Docker{Interactive: true, TTY: true, TTYArg: 2}},
		{"docker run --tty=false -i image", Docker{Interactive: true, TTYArg: 2}},
		{"docker run --interactive=false -d image", Docker{Detach: true, DetachArg: 3}},
		{"docker run --privileged image", Docker{Privileged: true, PrivilegedArg: 2}},
		{"docker run image --privileged -i", Docker{}},
		{"docker run -v /var/run/docker.sock:/var/run/docker.sock image", Docker{Socket: true, SocketArg: 3,
			Mounts: []Setting{{"/var/run/docker.sock:/var/run/docker.sock", 3}}}},
		{"docker run -v//./pipe/docker_engine://./pipe/docker_engine image", Docker{Socket: true, SocketArg: 2,
			Mounts: []Setting{{"//./pipe/docker_engine://./pipe/docker_engine", 2}}}},
		{"docker run --mount type=bind,source=/run/docker.sock,target=/s image", Docker{Socket: true, SocketArg: 3,
			Mounts: []Setting{{"type=bind,source=/run/docker.sock,target=/s", 3}}}},
		{"docker run --volume=$HOME:/h image", Docker{Home: true, HomeArg: 2, Mounts: []Setting{{"$HOME:/h", 2}}}},
		{"docker run -v ${env:HOME}:/h image", Docker{Home: true, HomeArg: 3, Mounts: []Setting{{"${env:HOME}:/h", 3}}}},
		{"docker run -v /home/me/:/h image", Docker{Home: true, HomeArg: 3, Mounts: []Setting{{"/home/me/:/h", 3}}}},
		{"docker run -v /:/host:ro image", Docker{Home: true, HomeArg: 3, Mounts: []Setting{{"/:/host:ro", 3}}}},
		{`docker run -v C:\Users\me:/h image`, Docker{Home: true, HomeArg: 3, Mounts: []Setting{{`C:\Users\me:/h`, 3}}}},
		{`docker run -v C:\:/h image`, Docker{Home: true, HomeArg: 3, Mounts: []Setting{{`C:\:/h`, 3}}}},
		{"docker run -v /home/me/project:/p -v data:/d image", Docker{Mounts: []Setting{{"/home/me/project:/p", 3}, {"data:/d", 5}}}},
		{"docker run --network host --cap-add SYS_ADMIN --cap-add=ALL image", Docker{Network: "host", NetworkArg: 3,
			Caps: []Setting{{"SYS_ADMIN", 5}, {"ALL", 6}}}},
		{"podman run --pid=host --security-opt seccomp=unconfined --device /dev/mem image", Docker{Host: []Setting{{"pid", 2}},
			SecurityOpts: []Setting{{"seccomp=unconfined", 4}}, Devices: []Setting{{"/dev/mem", 6}}}},
	} {
		l := parse(argv(c.line))
		d := l.Docker
		if d == nil || l.Package == nil || l.Package.Name != "image" {
			t.Errorf("%s: %+v", c.line, d)
			continue
		}
		for _, f := range []struct {
			arg *int
			has bool
		}{{&c.want.PrivilegedArg, c.want.Privileged}, {&c.want.SocketArg, c.want.Socket}, {&c.want.HomeArg, c.want.Home},
			{&c.want.NetworkArg, c.want.Network != ""},
			{&c.want.DetachArg, c.want.DetachArg > 0}, {&c.want.TTYArg, c.want.TTYArg > 0}} {
			if !f.has {
				*f.arg = -1
			}
		}
		if !reflect.DeepEqual(*d, c.want) {
			t.Errorf("%s\n got %+v\nwant %+v", c.line, *d, c.want)
		}
	}
}

func TestBridgesNameTheirRemote(t *testing.T) {
	for _, c := range []struct {
		line, url string
		arg       int
	}{
		{"npx -y mcp-remote https://x.example/mcp", "https://x.example/mcp", 3},
		{"npx mcp-remote@0.1.2 --header Authorization:Bearer␣x https://x.example/sse 3334", "https://x.example/sse", 4},
		{"npx mcp-remote --debug http://x.example/sse --allow-http", "http://x.example/sse", 3},
		{"npx -p mcp-remote@0.1.2 mcp-remote https://x.example/mcp", "https://x.example/mcp", 4},
		{"npx mcp-remote --resource https://r.example https://x.example/mcp", "https://x.example/mcp", 4},
		{"npx -y supergateway --streamableHttp https://x.example/mcp --header a:b", "https://x.example/mcp", 4},
		{"npx -y supergateway --sse=https://x.example/sse", "https://x.example/sse", 3},
		{"npx -y supergateway --stdio npx␣other --baseUrl https://mine.example", "", -1},
		{"uvx mcp-proxy --transport streamablehttp https://x.example/mcp", "https://x.example/mcp", 4},
		{"uvx mcp-proxy --port 8080 uvx fetch --base https://x.example", "", -1},
		{"uv tool run mcp-proxy -- npx y https://x.example", "", -1},
		{"uv run mcp-proxy https://x.example/sse", "https://x.example/sse", 3},
		{"python -m mcp_proxy https://x.example/sse", "https://x.example/sse", 3},
		{"mcp-remote https://x.example/mcp", "https://x.example/mcp", 1},
		{"uvx fastmcp run https://x.example", "https://x.example", 3},
		{"npx -y @scope/mcp-http-bridge --url https://x.example", "https://x.example", 4},
		{"cmd /c npx -y mcp-remote https://x.example/mcp", "https://x.example/mcp", 5},
		{"sh -c npx␣-y␣mcp-remote␣https://x.example/mcp", "https://x.example/mcp", -1},
		{"npx -y @scope/server https://x.example/mcp", "", -1},
		{"node server.js https://x.example/mcp-proxy", "", -1},
	} {
		url, arg, ok := parse(argv(c.line)).Bridge()
		if url != c.url || arg != c.arg || ok != (c.url != "") {
			t.Errorf("%s: %q in argument %d, %v", c.line, url, arg, ok)
		}
	}
}

func TestTheServerBehindABridgeIsRead(t *testing.T) {
	for line, want := range map[string]string{
		"npx supergateway@3.0.0 --stdio npx␣-y␣pkg": "npm:supergateway exact=3.0.0, npm:pkg none",
		"uvx mcpo --port 1 -- uvx pkg":              "pypi:mcpo none, pypi:pkg none",
	} {
		if got := packages(parse(argv(line))); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestAVariableIsDangerousByItsName(t *testing.T) {
	for _, name := range []string{
		"NODE_OPTIONS", "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "PYTHONSTARTUP", "PERL5OPT", "RUBYOPT",
		"BASH_ENV", "ENV", "GIT_SSH_COMMAND", "JAVA_TOOL_OPTIONS", "npm_config_registry", "PIP_INDEX_URL", "UV_INDEX_URL",
		"NODE_TLS_REJECT_UNAUTHORIZED", "NODE_EXTRA_CA_CERTS", "OPENAI_BASE_URL",
	} {
		if d, ok := dangerOf(name); !ok || d.Why == "" {
			t.Errorf("%s: %+v %v", name, d, ok)
		}
	}
	for _, name := range []string{"PATH", "NODE_ENV", "N8N_BASE_URL", "PYTHONUNBUFFERED", "API_KEY", ""} {
		if d, ok := dangerOf(name); ok {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestRiskyEnvLooksAtTheValue(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        bool
	}{
		{"NODE_OPTIONS", "--max-old-space-size=4096", false},
		{"NODE_OPTIONS", "--no-warnings --require ./x.js", true},
		{"NODE_OPTIONS", "--import=data:text/javascript,x", true},
		{"NODE_OPTIONS", "${NODE_OPTIONS}", false},
		{"NODE_TLS_REJECT_UNAUTHORIZED", "0", true},
		{"NODE_TLS_REJECT_UNAUTHORIZED", "1", false},
		{"GIT_SSL_NO_VERIFY", "true", true},
		{"GIT_SSL_NO_VERIFY", "0", false},
		{"LD_PRELOAD", "/tmp/x.so", true},
		{"LD_PRELOAD", "", false},
		{"JAVA_TOOL_OPTIONS", "-Xmx512m", false},
		{"JAVA_TOOL_OPTIONS", "-javaagent:/tmp/x.jar", true},
		{"RUBYOPT", "-W0", false},
		{"RUBYOPT", "-r./x", true},
		{"GOPROXY", "direct", false},
		{"npm_config_registry", "http://r.example", true},
		{"NODE_OPTIONS", "--use-openssl-ca", false},
		{"NODE_OPTIONS", "--inspect=0.0.0.0:9229", true},
		{"ENV", "production", false},
		{"ENV", "./hook.sh", true},
		{"ComSpec", `C:\Windows\System32\cmd.exe`, false},
		{"COMSPEC", `C:\temp\cmd.exe`, true},
		{"GIT_PAGER", "cat", false},
		{"GIT_PAGER", "sh -c ./x", true},
		{"GIT_SSH_COMMAND", "ssh -i ~/.ssh/deploy", false},
		{"GIT_SSH_COMMAND", "ssh -o ProxyCommand=./x", true},
		{"GIT_SSH_COMMAND", "./ssh.sh", true},
		{"DEBUG", "1", false},
	} {
		if _, ok := RiskyEnv(c.name, c.value); ok != c.want {
			t.Errorf("%s=%s: %v", c.name, c.value, ok)
		}
	}
}

// check holds what every line promises of its indexes.
func check(t *testing.T, l Line) {
	t.Helper()
	in := func(what string, arg, start, end int) {
		switch {
		case arg < -1 || arg >= len(l.Argv):
			t.Errorf("%s %d of %q is out of range", what, arg, l.Argv)
		case arg < 0 && (start != 0 || end != 0), arg >= 0 && (start < 0 || start > end || end > len(l.Argv[arg])):
			t.Errorf("%s %d [%d:%d] of %q is out of range", what, arg, start, end, l.Argv)
		}
	}
	for _, p := range l.Packages {
		in("package", p.Arg, p.Start, p.End)
		if p.End > p.Start && p.Arg >= 0 && l.Argv[p.Arg][p.Start:p.End] != p.Spec {
			t.Errorf("package %q of %q is not at its place", p.Spec, l.Argv)
		}
	}
	for _, a := range l.Env {
		in("assignment", a.Arg, a.Start, a.End)
		if a.End > a.Start && a.Arg >= 0 && l.Argv[a.Arg][a.Start:a.End] != a.Value {
			t.Errorf("value %q of %q is not at its place", a.Value, l.Argv)
		}
	}
	for _, f := range l.FetchRun {
		in("fetch", f.Arg, 0, 0)
	}
	in("script", l.ScriptArg, 0, 0)
	if _, arg, _ := l.Bridge(); true {
		in("bridge", arg, 0, 0)
	}
	if d := l.Docker; d != nil {
		for _, arg := range []int{d.PrivilegedArg, d.SocketArg, d.HomeArg, d.NetworkArg, d.DetachArg, d.TTYArg} {
			in("docker", arg, 0, 0)
		}
		for _, m := range slices.Concat(d.Mounts, d.Caps, d.Host, d.SecurityOpts, d.Devices) {
			in("docker", m.Arg, 0, 0)
		}
	}
}

func TestExactVersion(t *testing.T) {
	for v, want := range map[string]bool{
		"1.2.3": true, "v1.2.3": true, " 1.2.3 ": true, "10.20.30-rc.1": true, "1.2.3+build.5": true, "1.2.3-a-b+c": true,
		"": false, "v": false, "1": false, "1.2": false, "1.2.3.4": false, "1.2.": false, "1..3": false, ".1.2": false, "1.2.3-": false,
		"1.2.3+": false, "1.2.3-a+": false, "1.2.x": false, "1.2.3 4": false, "1.2.3x": false, "latest": false, "1.2.-3": false,
	} {
		if got := exactVersion(v); got != want {
			t.Errorf("%q: %v", v, got)
		}
	}
}

func TestCmdFlagWithBytesThatAreNoText(t *testing.T) {
	if l := parse([]string{"Cmd", "/C\xfa\xfa0", "x"}); l.Program != "\xfa\xfa0" && l.Program != "��0" || l.Wrappers[0] != "cmd /c" {
		t.Errorf("%q through %q", l.Program, l.Wrappers)
	}
	if l := parse([]string{"cmd", "//Cnpx", "-y", "pkg"}); l.Package == nil || l.Package.Name != "pkg" || l.Packages[0].Arg != 3 {
		t.Errorf("%+v", l)
	}
}
