package recipe

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/model/registry"
)

// record reads a record of that server.json.
func record(t testing.TB, members string) *registry.Record {
	t.Helper()
	r, err := registry.ReadRecord([]byte(`{"server":{"name":"com.example/a","version":"1.0.0",`+members+`},"_meta":{}}`), limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// line is how the record is started, or what is wrong with it.
func line(t testing.TB, members string, s project.Server) string {
	t.Helper()
	c, err := Choose(record(t, members))
	if err != nil {
		return "error: " + err.Error()
	}
	var m *Made
	if c.Remote != nil {
		m, err = Remote(c.Remote, &s)
	} else {
		pin := &pkg.Pin{Type: pkg.Type(c.Package.Type), Version: "1.2.3"}
		if pin.Type == pkg.OCI {
			pin.Files = []pkg.File{{Name: "ghcr.io/example/box@sha256:00"}}
		}
		m, err = Local(c.Package, pin, &s)
	}
	if err != nil {
		return "error: " + err.Error()
	}
	words := []string{m.Command.String() + m.URL.String()}
	for _, a := range m.Args {
		words = append(words, a.String())
	}
	for _, e := range append(m.Env, m.Headers...) {
		words = append(words, "["+e.Name+"="+e.Value.String()+"]")
	}
	return strings.Join(words, " ")
}

func TestLaunchLinesArePinned(t *testing.T) {
	for members, want := range map[string]string{
		`"packages":[{"registryType":"npm","identifier":"@example/a","version":"1.0.0","transport":{"type":"stdio"}}]`:                                                            "npx -y @example/a@1.2.3",
		`"packages":[{"registryType":"npm","identifier":"a","runtimeArguments":[{"type":"positional","value":"-y"},{"type":"positional","value":"a@latest"}]}]`:                   "npx -y a@1.2.3",
		`"packages":[{"registryType":"pypi","identifier":"a"}]`:                                                                                                                   "uvx a===1.2.3",
		`"packages":[{"registryType":"pypi","identifier":"a","runtimeArguments":[{"type":"named","name":"--python","value":"3.12"}]}]`:                                            "uvx --python 3.12 a===1.2.3",
		`"packages":[{"registryType":"pypi","identifier":"a","runtimeArguments":[{"type":"named","name":"--from","value":"a"},{"type":"positional","value":"run-a"}]}]`:           "uvx --from a===1.2.3 run-a",
		`"packages":[{"registryType":"nuget","identifier":"A.B"}]`:                                                                                                                "dnx A.B@1.2.3 --yes",
		`"packages":[{"registryType":"nuget","identifier":"A.B","packageArguments":[{"type":"named","name":"--source","value":"https://evil.example"}]}]`:                         "dnx A.B@1.2.3 --yes -- --source https://evil.example",
		`"packages":[{"registryType":"oci","identifier":"ghcr.io/example/box:1.2.3","runtimeArguments":[{"type":"named","name":"--rm"},{"type":"named","name":"-i"}]}]`:           "docker run --rm -i ghcr.io/example/box@sha256:00",
		`"packages":[{"registryType":"oci","identifier":"x","environmentVariables":[{"name":"TOKEN","isRequired":true,"isSecret":true}]}]`:                                        "docker run --rm -i -e TOKEN ghcr.io/example/box@sha256:00 [TOKEN=${TOKEN}]",
		`"packages":[{"registryType":"mcpb","identifier":"https://x.example/a.mcpb"},{"registryType":"pypi","identifier":"b"},{"registryType":"npm","identifier":"a"}]`:           "npx -y a@1.2.3",
		`"packages":[{"registryType":"npm","identifier":"a","transport":{"type":"streamable-http","url":"http://localhost/"}},{"registryType":"pypi","identifier":"b"}]`:          "uvx b===1.2.3",
		`"packages":[{"registryType":"mcpb","identifier":"https://x.example/a.mcpb"}],"remotes":[{"type":"sse","url":"https://a.example/s"}]`:                                     "https://a.example/s",
		`"remotes":[{"type":"sse","url":"https://a.example/s"},{"type":"streamable-http","url":"https://a.example/m"}]`:                                                           "https://a.example/m", // modelcontextprotocol/registry#703: no package at all
		`"remotes":[{"type":"sse","url":"https://{host}/s","variables":{"host":{"default":"a.example"}}}]`:                                                                        "https://a.example/s",
		`"remotes":[{"type":"sse","url":"https://{host-name}/s","variables":{"host-name":{}}}]`:                                                                                   "https://${HOST_NAME}/s",
		`"remotes":[{"type":"sse","url":"https://a.example/","headers":[{"name":"Authorization","value":"Bearer {api_key}","variables":{"api_key":{"isSecret":true}}}]}]`:         "https://a.example/ [Authorization=Bearer ${api_key}]",
		`"remotes":[{"type":"sse","url":"https://a.example/","headers":[{"name":"X-Api-Key","isRequired":true,"isSecret":true},{"name":"X-Opt"},{"name":"Accept","value":"a"}]}]`: "https://a.example/ [X-Api-Key=${X_API_KEY}] [Accept=a]",
	} {
		if got := line(t, members, project.Server{Name: "a"}); got != want {
			t.Errorf("%s\n got %s\nwant %s", members, got, want)
		}
	}
}

func TestArgumentsAreThoseOfTheRecord(t *testing.T) {
	args := func(list string) string {
		return strings.TrimPrefix(line(t, `"packages":[{"registryType":"npm","identifier":"a","packageArguments":[`+list+`]}]`, project.Server{Name: "a"}), "npx -y a@1.2.3")
	}
	for list, want := range map[string]string{
		`{"type":"positional","value":"serve"}`:                                                                   " serve",
		`{"type":"named","name":"--root","value":"{folder}","variables":{"folder":{"isRequired":true}}}`:          " --root ${folder}",
		`{"type":"named","name":"--in","value":"a-{x}-b{y}","variables":{"x":{"value":"1"},"y":{"default":"2"}}}`: " --in a-1-b2",
		`{"type":"named","name":"--port","format":"number"}`:                                                      "",
		`{"type":"named","name":"--port","format":"number","default":"80","isRequired":true}`:                     " --port 80",
		`{"type":"named","name":"--allow","format":"boolean","default":"false"}`:                                  "",
		`{"type":"named","name":"--allow","format":"boolean","value":"true"}`:                                     " --allow",
		`{"type":"named","name":"--stdio"}`:                                                                       " --stdio",
		`{"type":"positional","valueHint":"directory","isRepeated":true}`:                                         "",
		`{"type":"positional","valueHint":"the directory","isRequired":true}`:                                     " ${THE_DIRECTORY}",
		`{"type":"named","name":"--token","isSecret":true,"isRequired":true}`:                                     " --token ${TOKEN}",
		`{"type":"positional","value":"{\"a\":{\"b\":1}}"}`:                                                       ` {"a":{"b":1}}`,
		`{"type":"named","name":"--key","value":"{k}","variables":{"k":{"isSecret":true,"default":"hunter2"}}}`:   " --key ${k}",
		`{"type":"positional","value":"${HOME}/.ssh/id_rsa"}`:                                                     "error",
		`{"type":"positional","value":"$HOME"}`:                                                                   "error",
		`{"type":"positional","value":"%USERPROFILE%"}`:                                                           "error",
		`{"type":"positional","value":"{x}","variables":{"x":{"default":"${env:AWS_SECRET_ACCESS_KEY}"}}}`:        "error",
		`{"type":"positional","value":"{a}{b}","variables":{"a":{"default":"$"},"b":{"default":"{HOME}"}}}`:       "error",
		`{"type":"positional","value":"a\u0000b"}`:                                                                "error",
		`{"type":"named","value":"x"}`:                                                                            "error",
		`{"type":"named","name":"--a ${HOME}","value":"x"}`:                                                       "error",
		`{"type":"positional","isRequired":true}`:                                                                 "error",
	} {
		if got := args(list); got != want && !(want == "error" && strings.HasPrefix(got, "error: ")) {
			t.Errorf("%s\n got %q\nwant %q", list, got, want)
		}
	}
}

func TestARecordBringsNothingBesideItsPackage(t *testing.T) {
	one := func(kind, words string) string {
		var list []string
		for w := range strings.FieldsSeq(words) {
			list = append(list, fmt.Sprintf(`{"type":"positional","value":%q,"variables":{"folder":{}}}`, w))
		}
		return line(t, `"packages":[{"registryType":"`+kind+`","identifier":"a","runtimeArguments":[`+strings.Join(list, ",")+`]}]`, project.Server{Name: "a"})
	}
	for _, c := range []struct {
		kind, words string
		good        bool
	}{
		{"npm", "-y --quiet a@1", true}, {"npm", "other", false}, {"npm", "-p other", false}, {"npm", "--package=other", false}, {"npm", "--registry=https://x.example", false},
		{"npm", "--call x", false}, {"npm", "--node-options=--require=./x", false}, {"npm", "abc", false}, {"npm", "a-b", false},
		{"pypi", "a --quiet", true}, {"pypi", "--python=3.13", true}, {"pypi", "--from a==1 serve", true}, {"pypi", "--from other serve", false}, {"pypi", "--with other", false},
		{"pypi", "--index-url https://x.example", false}, {"pypi", "--python /tmp/evil", false}, {"pypi", "--python", false}, {"pypi", "--from a serve more", false}, {"pypi", "--from a --from a", false},
		{"oci", "run --rm -i --init --read-only --network none", true}, {"oci", "-v {folder}:/data:ro", true}, {"oci", "--mount type=bind,src={folder},dst=/data", true}, {"oci", "-v data:/data", true},
		{"oci", "--mount=type=volume,src=data,dst=/data", true}, {"oci", "-e MODE=fast --env TOKEN", true}, {"oci", "-v /:/host", false}, {"oci", "-v .:/host", false}, {"oci", "-v {folder}/../..:/host", false},
		{"oci", "--mount type=bind,src=/,dst=/host", false}, {"oci", "--mount type=bind,src={folder},src=/,dst=/x", false}, {"oci", "--privileged", false}, {"oci", "--network host", false},
		{"oci", "--pid=host", false}, {"oci", "evil/image", false}, {"oci", "-v /var/run/docker.sock:/s", false}, {"oci", "--env-file /etc/passwd", false}, {"oci", "--entrypoint sh", false}, {"oci", "-e", false},
		{"nuget", "--yes", true}, {"nuget", "--source https://x.example", false},
		{"pypi", "--from a bash", false}, {"pypi", "--from a python3.12", false}, {"pypi", "--from a env", false}, {"pypi", "--from a ./x", false}, {"pypi", "--from a a", true},
	} {
		if got := one(c.kind, c.words); strings.HasPrefix(got, "error: ") == c.good {
			t.Errorf("%s %s: %s", c.kind, c.words, got)
		}
	}
	for members, want := range map[string]string{
		`"packages":[{"registryType":"npm","identifier":"a","transport":{"type":"http"}}]`:                                                                                        "none of stdio, streamable-http and sse", // heznpc/AirMCP#292
		`"packages":[{"registryType":"cargo","identifier":"a"}]`:                                                                                                                  `"cargo"`,
		`"remotes":[{"type":"http","url":"https://a.example/"}]`:                                                                                                                  "neither streamable-http nor sse",
		`"remotes":[{"type":"sse","url":"file:///etc/passwd"}]`:                                                                                                                   "none",
		`"remotes":[{"type":"sse","url":"{x}","variables":{"x":{}}}]`:                                                                                                             "none",
		`"remotes":[{"type":"sse","url":"https://a.example/","headers":[{"name":"A: b\r\nC","value":"d"}]}]`:                                                                      "header",
		`"packages":[{"registryType":"npm","identifier":"a","environmentVariables":[{"name":"NODE_OPTIONS","value":"-r ./x"}]}]`:                                                  "NODE_OPTIONS",
		`"packages":[{"registryType":"npm","identifier":"a","environmentVariables":[{"name":"NODE_OPTIONS","value":"--import=data:text/javascript,0{x}","variables":{"x":{}}}]}]`: "NODE_OPTIONS",
		`"packages":[{"registryType":"npm","identifier":"a","environmentVariables":[{"name":"npm_config_package","value":"other"}]}]`:                                             "npm_config_package",
		`"packages":[{"registryType":"npm","identifier":"a","environmentVariables":[{"name":"npm_config_cache","isRequired":true,"default":"./c"}]}]`:                             "npm_config_cache",
		`"packages":[{"registryType":"npm","identifier":"a","environmentVariables":[{"name":"PATH","value":"./node_modules/.bin"}]}]`:                                             "PATH",
		`"packages":[{"registryType":"pypi","identifier":"a","runtimeArguments":[{"type":"named","name":"--from","value":"a"}],"packageArguments":[{"type":"positional","value":"bash"},{"type":"positional","value":"-c"},{"type":"positional","value":"id"}]}]`: "bash",
		`"packages":[{"registryType":"npm","identifier":"a","environmentVariables":[{"name":"A B","value":"x"}]}]`:                                                                                                                                                "name",
		`"packages":[{"registryType":"npm","identifier":"a","packageArguments":[{"type":"positional","value":"a\u202eb"}]}]`:                                                                                                                                      "nobody sees",
		`"packages":[{"registryType":"npm","identifier":"a","packageArguments":[{"type":"named","name":"--a\u200b"}]}]`:                                                                                                                                           "no name",
		`"remotes":[{"type":"sse","url":"https://a.example/\u202emcp"}]`:                                                                                                                                                                                          "nobody sees",
		`"description":"d"`: "neither a package nor an address",
	} {
		if got := line(t, members, project.Server{Name: "a"}); !strings.HasPrefix(got, "error: ") || !strings.Contains(got, want) {
			t.Errorf("%s\n got %s\nwant %s", members, got, want)
		}
	}
	pin := &pkg.Pin{Type: pkg.NPM, Version: "1.0.0 --registry=x"}
	if _, err := Local(&registry.Package{Type: "npm", Identifier: "a"}, pin, &project.Server{Name: "a"}); err == nil {
		t.Error("a version brought an argument")
	}
}

func TestTheProjectFileGoesBeforeTheRecord(t *testing.T) {
	s := project.Server{Name: "a", Args: []string{"--mine", "${FOLDER}"}, Env: []project.Variable{{Name: "MODE", Default: "slow", Defaulted: true}, {Name: "MORE"}, {Name: "KEY", Secret: true, Default: "x", Defaulted: true}}}
	got := line(t, `"packages":[{"registryType":"npm","identifier":"a","environmentVariables":[{"name":"MODE","value":"fast"},{"name":"LEVEL","default":"1","isRequired":true},
		{"name":"LEFT"},{"name":"LEAK","value":"ghp_x7Qm2Rk9Tz4Wp1Ls8Vb3Nc6Yd5Hf0Gj2Ka9B"}]}]`, s)
	if want := "npx -y a@1.2.3 --mine ${FOLDER} [MODE=slow] [LEVEL=1] [LEAK=${LEAK}] [MORE=${MORE}] [KEY=${KEY}]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	m := Declared(&project.Server{Name: "r", Kind: project.Remote, URL: "https://a.example/mcp", Headers: []project.Variable{{Name: "X-Key", Secret: true}}})
	if m.URL.String() != "https://a.example/mcp" || m.Transport != client.HTTP || m.Headers[0].Value.String() != "${X_KEY}" {
		t.Errorf("%+v", m)
	}
	m = Declared(&project.Server{Name: "c", Kind: project.Command, Command: "node", Args: []string{"server.js"}})
	if m.Command.String() != "node" || len(m.Args) != 1 || m.Transport != client.Stdio {
		t.Errorf("%+v", m)
	}
}

// Whatever a record says, its launch runs the package that was pinned and holds no reference that the record spelled.
func FuzzRecord(f *testing.F) {
	f.Add(`"packages":[{"registryType":"npm","identifier":"a","runtimeArguments":[{"type":"positional","value":"-y"}],"packageArguments":[{"type":"named","name":"--a","value":"{b}","variables":{"b":{"default":"c"}}}]}]`)
	f.Add(`"packages":[{"registryType":"oci","identifier":"a","runtimeArguments":[{"type":"named","name":"--mount","value":"type=bind,src={b},dst=/x","variables":{"b":{}}}]}]`)
	f.Add(`"packages":[{"registryType":"pypi","identifier":"a","runtimeArguments":[{"type":"named","name":"--from","value":"a"},{"type":"positional","value":"b"}]}]`)
	f.Fuzz(func(t *testing.T, members string) {
		rec, err := registry.ReadRecord([]byte(`{"server":{"name":"com.example/a","version":"1.0.0",`+members+`}}`), limits.Default)
		if err != nil {
			return
		}
		c, err := Choose(rec)
		if err != nil || c.Package == nil || c.Package.Identifier != "a" {
			return
		}
		pin := &pkg.Pin{Type: pkg.Type(c.Package.Type), Version: "1.2.3", Files: []pkg.File{{Name: "box@sha256:00"}}}
		m, err := Local(c.Package, pin, &project.Server{Name: "a"})
		if err != nil {
			return
		}
		want := map[pkg.Type]string{pkg.NPM: "a@1.2.3", pkg.PyPI: "a===1.2.3", pkg.OCI: "box@sha256:00", pkg.NuGet: "a@1.2.3"}[pin.Type]
		found := false
		for i, a := range m.Args {
			if a.String() == want {
				found = true
				break
			}
			if w := a.String(); pin.Type == pkg.NPM && i > 0 || strings.HasPrefix(w, "--index") || strings.HasPrefix(w, "--with") || strings.HasPrefix(w, "--privileged") {
				t.Fatalf("%q comes before the package in %v", w, m.Args)
			}
		}
		if !found {
			t.Fatalf("%v does not run %s", m.Args, want)
		}
		for _, a := range m.Args {
			for _, p := range a {
				if len(client.Refs(p.Plain)) > 0 {
					t.Fatalf("%q holds a reference", p.Plain)
				}
			}
		}
	})
}
