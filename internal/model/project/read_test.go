package project

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

func read(t *testing.T, text string) ([]Server, Install, []string) {
	t.Helper()
	doc, err := source.Parse("mcpassay.yaml", []byte(text), source.YAML, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	servers, install, faults := Read(doc.Root())
	var said []string
	for _, f := range faults {
		line, column := doc.Position(f.At.Start)
		if f.Hint == "" {
			t.Errorf("%s has no next step", f.Msg)
		}
		said = append(said, fmt.Sprintf("%d:%d %s: %s", line, column, f.Msg, f.Hint))
	}
	return servers, install, said
}

func TestServersAndWhatMayBeInstalledAreRead(t *testing.T) {
	servers, install, faults := read(t, `version: "1"
servers:
  io.github.example/files: {version: "^1.2.0", profiles: [dev], env: {ROOT: {required: true}, TOKEN: {secret: true}}, args: [--verbose, 3, ""]}
  short: {server: io.github.example/files}
  search: {url: "https://mcp.example.com/mcp", headers: {Authorization: {required: true, secret: true}}}
  feed: {url: "https://mcp.example.com/sse", transport: sse}
  all: {package: "npm:@example/all", version: 1.0.0, env: {MODE: {default: fast}, N: {default: 3}, B: , C: "x-${D}"}}
  own: {command: node, args: [server.js]}
  pinned:
install: {minTrust: 60, minReleaseAge: 24h, blockInstallScripts: true, allowUrlServers: false, allow: ["io.github.*"], deny: ["npm:evil"]}
`)
	if faults != nil {
		t.Fatal(strings.Join(faults, "\n"))
	}
	files := servers[0]
	if files.Kind != Registry || files.Of != "io.github.example/files" || files.Version != "^1.2.0" || !files.In("dev") || files.In("ops") || !files.In("") ||
		fmt.Sprint(files.Env) != "[{ROOT true false  false } {TOKEN false true  false }]" || fmt.Sprintf("%q", files.Args) != `["--verbose" "3" ""]` {
		t.Errorf("%+v", files)
	}
	var kinds []Kind
	for _, s := range servers {
		kinds = append(kinds, s.Kind)
	}
	if fmt.Sprint(kinds) != "[registry registry url url package command named]" || servers[1].Of != "io.github.example/files" || servers[2].Transport != "http" || servers[3].Transport != "sse" {
		t.Errorf("%v", kinds)
	}
	if all := servers[4]; all.Coordinate() != "npm:@example/all" || all.Version != "1.0.0" || fmt.Sprint(all.Env) != "[{MODE false false fast true } {N false false 3 true } {B false false  false } {C false false  false x-${D}}]" {
		t.Errorf("%+v", all)
	}
	if install.MinTrust != 60 || install.MinReleaseAge != 24*time.Hour || !install.BlockInstallScripts || install.URLServers || len(install.Allow) != 1 || len(install.Deny) != 1 {
		t.Errorf("%+v", install)
	}
	if servers, install, _ := read(t, "version: \"1\"\n"); servers != nil || !install.URLServers {
		t.Errorf("%v %+v", servers, install)
	}
}

func TestWhatIsWrongWithAProjectFileIsSaidWithItsPlace(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"servers: [a]\n", `1:10 "servers" is an array, not a mapping`},
		{"servers:\n  __proto__: {}\n", `2:3 the name of a server is "__proto__"`},
		{"servers:\n  constructor: {}\n", `2:3 the name of a server is "constructor"`},
		{"servers:\n  \"\": {}\n", `2:3 the name of a server is empty`},
		{"servers:\n  \"a\\u200Bb\": {}\n", `2:3 the name of a server "a`},
		{"servers:\n  \"a \": {}\n", `characters that nobody sees`},
		{"servers:\n  " + strings.Repeat("a", 201) + ": {}\n", `has more than 200 characters`},
		{"servers:\n  a: {command: x}\n  a: {command: y}\n", `2:3 the key "a" stands twice: keep one of the two`},
		{"servers:\n  a: {command: x}\n  A: {command: y}\n", `3:3 the names "a" and "A" differ by case alone`},
		{"servers:\n  a: 7\n", `2:6 "a" is a number, not a mapping`},
		{"servers:\n  a.b/c: {versoin: \"1\"}\n", `2:11 unknown key "versoin": did you mean "version"?`},
		{"servers:\n  a.b/c: {version: 1.2}\n", `2:20 "version" is a number: write it in quotes`},
		{"servers:\n  a.b/c: {version: \" \"}\n", `"version" is empty`},
		{"servers:\n  a: {version: \"1\"}\n", `version says nothing of a server with a name alone: say how it is had`},
		{"servers:\n  a: {url: \"https://a.example/mcp\", command: x}\n", `a server has url or command, not both`},
		{"servers:\n  a: {url: \"https://a.example/mcp\", env: {A: {}}}\n", `env says nothing of a server with a url`},
		{"servers:\n  a: {url: \"file:///etc/passwd\"}\n", `"file:///etc/passwd" is no address of a server`},
		{"servers:\n  a: {url: \"https://u:hunter22secret@a.example/mcp\"}\n", `the url holds a secret`},
		{"servers:\n  a: {url: 7}\n", `"url" is a number`},
		{"servers:\n  a: {url: \"https://a.example/mcp\", transport: pigeon}\n", `unknown transport "pigeon": use http, sse`},
		{"servers:\n  a: {server: files}\n", `"files" is no name of the registry: write it like io.github.example/files`},
		{"servers:\n  a: {package: files}\n", `"files" is no package: write it like npm:@example/files`},
		{"servers:\n  a: {package: \"npm:files@1.0.0\"}\n", `holds a version: write the version beside it, as version`},
		{"servers:\n  a: {command: x, args: x}\n", `"args" is a string, not a list`},
		{"servers:\n  a: {command: x, args: [{}]}\n", `an argument is an object`},
		{"servers:\n  a: {command: x, args: [--token, \"ghp_0123456789abcdefghijABCDEFGHIJ012345\"]}\n", `an argument holds a secret`},
		{"servers:\n  a: {command: x, env: [A]}\n", `"env" is an array, not a mapping`},
		{"servers:\n  a: {command: x, env: {A: 3}}\n", `2:28 "A" is a number: write it in quotes, or {default: …}`},
		{"servers:\n  a: {command: x, env: {API_TOKEN: \"s3cr3t-0f-th3-h0us3-9\"}}\n", `the value of "API_TOKEN" is a secret: write a reference`},
		{"servers:\n  a: {url: \"https://a.example/mcp\", headers: {Authorization: \"Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345\"}}\n", `the value of "Authorization" is a secret`},
		{"servers:\n  a: {command: x, env: {A: {value: \"1\", default: \"2\"}}}\n", `"A" has a value and a default`},
		{"servers:\n  a: {command: x, env: {\"A B\": {}}}\n", `"A B" is no name for one of env`},
		{"servers:\n  a: {command: x, env: {A: {required: yes please}}}\n", `"required" is a string: write true or false`},
		{"servers:\n  a: {command: x, env: {A: {secret: true, default: x}}}\n", `the default of "A" is a secret: leave the default out`},
		{"servers:\n  a: {command: x, env: {A: {default: [1]}}}\n", `the default of "A" is an array`},
		{"servers:\n  a: {command: x, env: {A: {vaule: 1}}}\n", `unknown key "vaule": did you mean "value"?`},
		{"servers:\n  a: {command: x, profiles: dev}\n", `"profiles" is a string, not a list`},
		{"install: {minTrust: 101}\n", `1:21 minTrust is none that can be reached: write a whole number of per cent, 0 to 100`},
		{"install: {minTrust: \"60\"}\n", `minTrust is none`},
		{"install: {minReleaseAge: 24}\n", `minReleaseAge is no time: write a number and a unit`},
		{"install: {minReleaseAge: 24y}\n", `minReleaseAge is no time`},
		{"install: {minReleaseAge: 99999d}\n", `minReleaseAge is no time`},
		{"install: {minReleaseAge: 0h}\n", `minReleaseAge is no time`},
		{"install: {blockInstallScripts: 1}\n", `"blockInstallScripts" is a number: write true or false`},
		{"install: {allow: x}\n", `"allow" is a string, not a list`},
		{"install: {allowed: []}\n", `1:11 unknown key "allowed": did you mean "allow"?`},
		{"install: {deny: [a], deny: [b]}\n", `the key "deny" stands twice`},
	} {
		if _, _, faults := read(t, c.text); !strings.Contains(strings.Join(faults, "\n"), c.want) {
			t.Errorf("%s\ngot %q\nwant %s", c.text, faults, c.want)
		}
	}
}

// A secret that somebody wrote down is not repeated by the message that says so.
func TestAFaultRepeatsNoSecret(t *testing.T) {
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	for _, text := range []string{"servers:\n  a: {" + token + ": 1}\n", "servers:\n  a: {package: " + token + "}\n", "servers:\n  a: {url: \"ftp://u:" + token + "@a.example\"}\n",
		"servers:\n  a: {command: x, env: {T: {default: " + token + "}}}\n", "servers:\n  a: {transport: " + token + "}\n", "install: {" + token + ": 1}\n"} {
		if _, _, faults := read(t, text); len(faults) == 0 || strings.Contains(strings.Join(faults, "\n"), token) {
			t.Errorf("%s: %q", text, faults)
		}
	}
}

func TestAllowAndDenyAreGlobs(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"*", "", true}, {"a*", "a/b/c", true}, {"*b*", "abc", true}, {"a*a", "a", false}, {"a*b*c", "axbxc", true}, {"a*bc*c", "abc", false},
		{"npm:@x/*", "npm:@x/y", true}, {"npm:@x/*", "npm:@xy/y", false}, {"[a]", "a", false},
	} {
		if got := Glob(c.pattern, c.s); got != c.want {
			t.Errorf("%s on %s: %v", c.pattern, c.s, got)
		}
	}
	in := Install{Allow: []string{"io.github.Example/*"}, Deny: []string{"npm:Evil"}}
	if _, denied := in.Denied("io.github.x/y", "NPM:evil"); !denied || in.Allowed("io.github.example/x") || !in.Allowed("io.github.Example/x") {
		t.Error("deny knows no case, and allow does")
	}
	if none := (Install{}); !none.Allowed("x") {
		t.Error("no list lets everything in")
	}
	// What could not be read of a list lets nothing in.
	if _, in, faults := read(t, "install: {allow: [7]}\n"); len(faults) == 0 || in.Allowed("7") {
		t.Errorf("%v", faults)
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{"90s": 90 * time.Second, "30m": 30 * time.Minute, "24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour, "3650d": limits.Default.LongestAge} {
		if d, err := Duration(text); err != nil || d != want {
			t.Errorf("%s: %v %v", text, d, err)
		}
	}
	for _, text := range []string{"", "h", "1", "0h", "-1h", "1.5h", "+1h", "3651d", "1w", "99999999999h", "1h30m"} {
		if d, err := Duration(text); err == nil {
			t.Errorf("%q is %v", text, d)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("version: \"1\"\nservers:\n  io.github.example/files: {version: \"^1.2.0\", env: {A: {required: true}}}\ninstall: {minTrust: 60}\n")
	f.Add("servers: {a: {url: \"https://a.example/mcp\"}}\ninstall: {allow: [\"*\"]}\n")
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := source.Parse("mcpassay.yaml", []byte(text), source.YAML, limits.Default)
		if err != nil {
			return
		}
		servers, _, faults := Read(doc.Root())
		for _, s := range servers {
			if why, _ := BadName(s.Name); why != "" {
				t.Errorf("%q is a server, and its name %s", s.Name, why)
			}
			if s.Kind == Registry && s.Of == "" && len(faults) == 0 {
				t.Errorf("%q is of the registry and has no name there", s.Name)
			}
		}
		for _, x := range faults {
			if x.Hint == "" || x.At.Start < 0 || x.At.Start+x.At.Len() > len(text) {
				t.Errorf("%+v", x)
			}
		}
	})
}

func TestValuesKeepTheirReferences(t *testing.T) {
	for _, text := range []string{"a", "${A}", "Bearer ${A}", "${A}${B}!", "${", "${1}", "a${b c}d", "x${A:-d}y"} {
		variables := 0
		for _, p := range Text(text) {
			if p.Variable != "" {
				variables++
			}
		}
		if got := Text(text).String(); got != text || variables != strings.Count(text, "${A")+strings.Count(text, "${B}") {
			t.Errorf("%q is %q with %d references", text, got, variables)
		}
	}
	v := Variable{Name: "X-Api-Key", Required: true}
	if fmt.Sprint(v.Needs(true)) != "[X_API_KEY]" || v.Text(true, true).String() != "${X_API_KEY}" {
		t.Errorf("%v %s", v.Needs(true), v.Text(true, true))
	}
	v = Variable{Name: "A", Default: "d", Defaulted: true, Required: true}
	if v.Needs(false) != nil || v.Text(false, true).String() != "${A:-d}" || v.Text(false, false).String() != "d" {
		t.Errorf("%v %s %s", v.Needs(false), v.Text(false, true), v.Text(false, false))
	}
	v = Variable{Name: "A"}
	if v.Text(false, true).String() != "${A:-}" || v.Text(false, false).String() != "${A}" {
		t.Errorf("%s %s", v.Text(false, true), v.Text(false, false))
	}
	v = Variable{Name: "A", Required: true, Value: "${B}-${C}"}
	if fmt.Sprint(v.Needs(false)) != "[B C]" {
		t.Error(v.Needs(false))
	}
}
