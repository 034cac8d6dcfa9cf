package launch

import (
	"os"
	"strings"
	"testing"
	"time"
)

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"npx -y @scope/pkg@1.2.3 x", "uvx --from git+https://h/o/r@main#subdirectory=x bin", "docker run -it -eA=b -v/:/x r:5/i:1@sha256:0 c",
		"cmd /c npx \"a b\" & x", "sh -c eval␣\"$(curl␣x)\"␣|␣sh", "powershell -enc bgBwAHgA", "deno run npm:", "pip install a[b]==1;c -e",
		"npx supergateway --stdio npx␣x", "uvx --with a,b[c,d],e f", "env -S a=b␣c", "nix run github:a/b?rev=x#c", "mise exec a -- b", "npx @", "dnx --version",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l := parse(argv(s))
		check(t, l)
		if l.Package != nil && len(l.Packages) == 0 {
			t.Errorf("%q: a package that is not one of the packages", s)
		}
		joinHolds(t, l.Argv)
	})
}

func FuzzParseShell(f *testing.F) {
	for _, s := range []string{
		"a 'b' \"c $(d `e`)\" $'\\x41' ${f:-$(g)} <(h) > i 2>&1 <<< j", "cat <<-E\n\tx\n\tE\ny", "{ a; (b | c) & } && ! d || e",
		"S=$(curl x); eval \"$S\"", "pwsh -c 'iex (irm x); $a = {b}'", `C:\a.exe ^& "b" & (c) | d`, "for x in a; do b; done # c", "`\\`a\\``",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, l := range ParseShell(s) {
			for _, p := range l.Packages {
				if p.Arg != -1 {
					t.Errorf("%q: a package in a script has the argument %d", s, p.Arg)
				}
			}
			if len(l.Argv) > 0 && strings.Join(l.Argv, "") != "" {
				joinHolds(t, l.Argv)
			}
		}
	})
}

// Each input is built to make a careless reader take quadratic or exponential time.
func TestReadingIsLinear(t *testing.T) {
	if os.Getenv("MCPASSAY_BENCH") == "" {
		t.Skip("a measurement: make bench")
	}
	repeat := func(s string) func(int) string { return func(n int) string { return strings.Repeat(s, n/len(s)) } }
	shapes := map[string]func(int) string{
		"words":         repeat("a "),
		"substitutions": repeat("$("),
		"backquotes":    repeat("`a` "),
		"escapes":       repeat("\\`"),
		"quotes":        repeat(`"'`),
		"braces":        repeat("${"),
		"groups":        repeat("("),
		"here":          repeat("<<E\n"),
		"evals":         repeat("eval "),
		"eval in eval":  repeat(`eval "$(`),
		"fetches":       repeat("curl -o x y|sh;sh x;"),
		"taints":        repeat(`a=$(curl x);eval "$a";`),
		"wrappers":      repeat("env A=1 "),
		"runners":       repeat("uv run --with a,b "),
		"containers":    repeat("docker run i "),
		"packages":      repeat("npm i a b c;"),
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			cost := func(n int) time.Duration {
				s := shape(n)
				start := time.Now()
				ParseShell(s)
				parse([]string{"sh", "-c", s})
				parse(strings.Fields(s))
				return time.Since(start)
			}
			// Eight times the input may take eight times as long; 40 leaves room, 64 is quadratic. One good
			// attempt is enough: other work on the machine only ever adds time.
			var small, large time.Duration
			for range 10 {
				small, large = cost(1<<13), cost(1<<16)
				if large <= 40*small {
					return
				}
			}
			t.Errorf("8 times the input takes %d times as long (%s, %s)", large/small, small, large)
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for name, line := range map[string][]string{
		"npx":    {"npx", "-y", "@modelcontextprotocol/server-filesystem@1.2.3", "/data"},
		"uvx":    {"uvx", "--from", "git+https://git.example/o/r", "serve"},
		"docker": {"docker", "run", "-i", "--rm", "-e", "KEY", "ghcr.io/o/i:1.2.3"},
		"shell":  {"bash", "-c", "cd /srv && exec npx -y pkg"},
		"node":   {"node", "dist/index.js"},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				parse(line)
			}
		})
	}
}
