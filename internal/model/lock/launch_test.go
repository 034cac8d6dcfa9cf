package lock

import (
	"errors"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
)

func TestALaunchIsTheSameOnEveryMachine(t *testing.T) {
	for in, want := range map[string]string{
		"/home/ada/work/shop/server.js":   "${project}/server.js",
		"--root=/home/ada/work/shop":      "--root=${project}",
		"/home/ada/work/shop:/home/ada/x": "${project}:${home}/x",
		"/home/ada/work/shopping":         "${home}/work/shopping",
		"/home/adam":                      "/home/adam",
		"x/home/ada":                      "x/home/ada",
		"file:///home/ada/work/shop/a":    "file://${project}/a",
		"${project}/a":                    "$${project}/a",
		"${HOME}/a":                       "${HOME}/a",
	} {
		places := Places{Project: "/home/ada/work/shop/", Home: "/home/ada"}
		if got := places.shorten(in); got != want || places.expand(got) != in {
			t.Errorf("%s: %s, want %s, and back %s", in, got, want, places.expand(got))
		}
	}
	if got := (Places{Project: "/", Home: ""}).shorten("/a"); got != "/a" {
		t.Errorf("the root became %s", got)
	}
}

func entry(t *testing.T, body string) *client.Server {
	t.Helper()
	f := client.Identify(client.Where{Path: ".mcp.json", Root: "/p", Env: client.Env{OS: "linux", Home: "/h", Getenv: func(string) string { return "" }}})
	f.Load([]byte(`{"mcpServers": {"a": `+body+`}}`), limits.Default)
	return f.Servers[0]
}

func TestALaunchHoldsNamesAndNoValues(t *testing.T) {
	l, err := LaunchOf(entry(t, `{"command": "node", "args": ["/p/a.js", "${TOKEN}"], "env": {"Z_TOKEN": "s3cr3t", "NODE_OPTIONS": "--require /p/x.js"}}`), Places{Project: "/p"})
	want := `{"args":["${project}/a.js","${TOKEN}"],"command":"node","env":["NODE_OPTIONS","Z_TOKEN"],"transport":"stdio","values":{"NODE_OPTIONS":"--require ${project}/x.js"}}`
	if err != nil || string(l.form()) != want {
		t.Errorf("%v %s", err, l.form())
	}
	l, err = LaunchOf(entry(t, `{"type": "http", "url": "https://mcp.example.com/mcp", "headers": {"X-Key": "k", "authorization": "Bearer ${T}"}}`), Places{})
	if err != nil || string(l.form()) != `{"headers":["authorization","x-key"],"transport":"http","url":"https://mcp.example.com/mcp"}` {
		t.Errorf("%v %s", err, l.form())
	}
}

// Another file of variables is another launch: it may name NODE_OPTIONS.
func TestTheFileOfVariablesIsPartOfALaunch(t *testing.T) {
	of := func(file string) Launch {
		f := &client.File{Path: ".vscode/mcp.json"}
		f.Client, _ = client.ByID("vscode")
		f.Load([]byte(`{"servers": {"a": {"command": "node", "args": ["a.js"], "envFile": "`+file+`"}}}`), limits.Default)
		l, err := LaunchOf(f.Servers[0], Places{Project: "/p"})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if l := of("/p/.env"); l.EnvFile != "${project}/.env" || l.Equal(of("/p/other.env")) {
		t.Errorf("%s", l.form())
	}
}

// Two names that JSON can not hold would be one in a lock.
func TestALaunchThatIsNoTextIsRefused(t *testing.T) {
	for _, argv := range [][]string{{"./\xff"}, {"node", "\xfe.js"}} {
		if l, err := LaunchOfCommand(argv, "/p", nil, Places{Project: "/p"}); err == nil {
			t.Errorf("%s", l.form())
		}
	}
}

func TestASecretInALaunchIsRefusedAndNotRepeated(t *testing.T) {
	const token = "ghp_" + "x7Kq2Lm9Rt4Vw8Zb3Nc6Yd1Fg5Hj0PsAeUoQ"
	for body, where := range map[string]string{
		`{"command": "node", "args": ["a.js", "--token", "` + token + `"]}`:                      "args[2]",
		`{"type": "http", "url": "https://mcp.example.com/mcp?api_key=` + token + `"}`:           "the URL",
		`{"command": "node", "args": [], "env": {"NODE_OPTIONS": "--require /x ` + token + `"}}`: "env NODE_OPTIONS",
	} {
		_, err := LaunchOf(entry(t, body), Places{})
		var s *SecretError
		if !errors.As(err, &s) || s.Where != where {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// A client fills references in before it starts a server; whoever stands between sees what they came to.
func TestReferencesOfALaunchAreFilledAsClientsFillThem(t *testing.T) {
	env := map[string]string{"DIR": "/home/ada/work", "KEY": "k-1"}
	l := Launch{Command: "${BIN:-node}", Args: []string{"${DIR}/x", "--key=${env:KEY}", "$UNSET", "${MODE:-fast}", "${project}/a", "$${home}", "${input:token}", "5$"}}
	got := l.Filled(Places{Project: "/home/ada/work", Home: "/home/ada"}, func(name string) string { return env[name] })
	want := Launch{Command: "node", Args: []string{"${project}/x", "--key=k-1", "$UNSET", "fast", "${project}/a", "$${home}", "${input:token}", "5$"}}
	if !got.Equal(want) {
		t.Errorf("%q, want %q", got, want)
	}
	if l.Args[0] != "${DIR}/x" {
		t.Error("the launch itself was changed")
	}
}
