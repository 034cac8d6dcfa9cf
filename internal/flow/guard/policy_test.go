package guard

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/source"
)

func TestPathsLieBelowTheFoldersHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	at := Places{Home: "/home/ada", Cwd: "/work/app"}
	folders := []string{"/work/app/docs", "/home/ada/notes", "C:/docs"}
	for _, in := range []string{"docs", "docs/", "docs/a.txt", "./docs/a b.txt", "/work/app/docs/x/../y", "docs/../docs/a", "~/notes/a", "file:///work/app/docs/a", "FILE:///work/app/docs/a%20b",
		"file://localhost/work/app/docs/a", `C:\docs\a`, "c:/DOCS/a", "file:///C:/docs/a", `C:\docs\sub\..\a`, "docs/100%.txt", "docs/a%20b", "docs/$id.tsx", "docs/..a", "docs/説明", "docs/%41"} {
		if why := pathOutside(in, folders, at); why != "" {
			t.Errorf("%q %s", in, why)
		}
	}
	for _, out := range []string{"", " ", "/", "..", "docs/..", "docs/../..", "../app/docsx", "/work/app/docsx", "/work/app/docs/../../etc/passwd", "/etc/passwd", "a.txt", "~", "~/a", "~root/notes", "~/notes/../a",
		"docs/%2e%2e/a", "docs/%2e%2e%2fa", "docs/%252e%252e/a", "docs/%25252e%25252e%25252fa", "docs/..%5c..%5ca", `docs\..\..\a`, `docs/..\..\a`, `..\docs`, `\work\app\docs`, `\\server\docs\a`, "//server/docs/a",
		`\\?\C:\docs\a`, `\\.\pipe\docs`, "C:docs", "C:", `D:\docs\a`, `C:\docs\..\a`, `C:\docs\.. \a`, "docs/.../a", "docs/.. /a", "docs/...", "file://other/work/app/docs/a", "file:docs/a", "file:////etc/passwd", "file:///work/app/docs/%2e%2e/a",
		"file:///work/app/docs/a?b", "http://x/work/app/docs", "$HOME/notes", "${HOME}/notes", "%USERPROFILE%/docs", `docs/%TEMP%/a`, "docs/\x00/../../a", "docs\n/etc/passwd", " /work/app/docs/a", "docs/a ", "docs/%2e%2e%", "docs/%c0%ae%c0%ae/%c0%ae%c0%ae/x", "docs/..%c0%af..", "%2fetc%2fpasswd"} {
		if pathOutside(out, folders, at) == "" {
			t.Errorf("%q is taken for one within", out)
		}
	}
	for in, at := range map[string]Places{"docs/a": {Home: "/home/ada"}, "~/notes/a": {Cwd: "/work/app"}} {
		if pathOutside(in, folders, at) == "" {
			t.Errorf("%q is within a folder that nobody knows", in)
		}
	}
}

func FuzzPath(f *testing.F) {
	for _, s := range []string{"docs/a", "docs/%2e%2e/a", `..\x`, "file:///a/docs", "~/x", "C:\\docs"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, v string) {
		at := Places{Home: "/h", Cwd: "/w"}
		if pathOutside(v, []string{"/w/docs"}, at) != "" {
			return
		}
		low := strings.ToLower(v)
		if strings.HasPrefix(v, "/") && !strings.HasPrefix(v, "/w/") && !strings.HasPrefix(v, "/.") || strings.HasPrefix(v, "~") || strings.HasPrefix(low, "c:") {
			t.Errorf("%q is taken for one below /w/docs", v)
		}
	})
}

func TestHostsAreThoseOfURLsThatAllReadersReadAlike(t *testing.T) {
	t.Parallel()
	hosts := []string{"api.example.com", "*.example.org", "[::1]:8080", "local.test:81"}
	for _, in := range []string{"https://api.example.com", "HTTPS://API.example.com./a?b#c", "http://api.example.com:8080/x", "wss://a.b.example.org/", "http://[::1]:8080/", "http://local.test:81/"} {
		if why := hostOutside(in, hosts); why != "" {
			t.Errorf("%q %s", in, why)
		}
	}
	for _, out := range []string{"", "api.example.com", "//api.example.com", "https://evil.example/", "https://api.example.com@evil.example/", "https://evil.example#@api.example.com", "https://evil.example\\@api.example.com/", "https:\\\\api.example.com",
		"https:/api.example.com", "https://api.example.com.evil.example/", "https://xapi.example.com/", "https://example.org/", "http://[::1]/", "http://local.test/", "https://api%2eexample.com/", "https://api.example.com%2fevil", "file:///etc/passwd", "ftp://api.example.com/",
		"javascript://api.example.com/%0aalert(1)", " https://api.example.com/", "https://api.example.com/\nhttps://evil.example", "https://ａpi.example.com/", "https://2130706433/", "https://:80/", "https://api.example.com:80:90/", "https://[api.example.com]/"} {
		if hostOutside(out, hosts) == "" {
			t.Errorf("%q is taken for an allowed one", out)
		}
	}
	if hostOutside("https://anything.example/", []string{"*"}) != "" {
		t.Error("any host is not any host")
	}
}

func TestStatementsAreOfTheVerbsThatAreAllowed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ allowed, in, out string }{
		{"select", "SELECT 1|select a, 'x; y -- z' from t where b = \"c;d\"|(SELECT 1) UNION (SELECT 2);| \n select 1 ; |SELECT replace(a, 'b', 'c') FROM t|SELECT a[1] FROM t|SELECT updated_at, deleted FROM t|select 'it''s'",
			"|;|()|DELETE FROM t|delete\tfrom t|SELECT 1; DROP TABLE t|SELECT 1;SELECT 2|WITH a AS (SELECT 1) SELECT * FROM a|SELECT 1 -- x|SELECT 1 --|SELECT /* x */ 1|SELECT 1 # x|SEL/**/ECT 1|SELECT /*!50000 1*/|SELECT * INTO u FROM t|SELECT 1 INTO OUTFILE 'x'|SELECT * FROM t FOR UPDATE|EXPLAIN DELETE FROM t|SELECT 'a\\'; DROP TABLE t; --'|SELECT $$a$$; DROP TABLE t|SELECT $x$;$x$|SELECT 'open|SELECT 1 AS [x'] ; DROP TABLE y; SELECT '1'|SELECT q'[a' b]'|SELECT\u00a01|'x'|1|ＳＥＬＥＣＴ 1|VACUUM|ATTACH 'x' AS y|EXEC xp_cmdshell 'x'|SELECT 1 /* /* */ ; DROP TABLE t */|SELECT 1 EXEC xp_cmdshell 'x'|SELECT 1 EXECUTE p|SELECT 1e0INTO OUTFILE 'x'|SELECT 1e0DROP TABLE t|SELECT 0x1INTO OUTFILE 'x'|SELECT 1.5e3INTO DUMPFILE 'x'"},
		{"select", "SELECT 1e5, 1.5E-3, 0xff, 0Xab, 2.0e+1 FROM t1|SELECT .5e2", "SELECT 12abc|SELECT 1e5x"},
		{"select,with", "WITH a AS (SELECT 1) SELECT * FROM a", "WITH a AS (DELETE FROM t RETURNING *) SELECT * FROM a|WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a"},
		{"insert,with", "INSERT INTO t VALUES (1)", "WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a|SELECT 1"},
		{"select,multiple", "SELECT 1; SELECT 2", "SELECT 1; DELETE FROM t|SELECT 1;; WITH a AS (SELECT 1) SELECT 1|SELECT 1; 'x'"},
		{"select,comments", "SELECT 1 -- drop table t|SELECT /* drop table t */ 1|-- first\nSELECT 1", "SELECT 1 # ; DROP TABLE t|SELECT 1 --x DROP TABLE t|SELECT 1 --x\n; DROP TABLE t|SELECT /*! DROP TABLE t */ 1|-- only"},
		{"describe,execute", "DESC t|EXEC p", "SELECT 1"},
	} {
		allowed := strings.Split(c.allowed, ",")
		for _, in := range strings.Split(c.in, "|") {
			if why := sqlOutside(in, allowed); why != "" {
				t.Errorf("%s: %q %s", c.allowed, in, why)
			}
		}
		for _, out := range strings.Split(c.out, "|") {
			if sqlOutside(out, allowed) == "" {
				t.Errorf("%s: %q is taken for an allowed one", c.allowed, out)
			}
		}
	}
}

func FuzzSQL(f *testing.F) {
	f.Add("SELECT 1; DROP TABLE t", "select")
	f.Add("select 'a' /* b */ -- c", "select,comments")
	f.Fuzz(func(t *testing.T, v, allowed string) {
		lets := strings.Split(allowed, ",")
		if sqlOutside(v, lets) != "" {
			return
		}
		// What is let through begins with an allowed verb, whatever stands before it.
		if words, _, _, ok := sqlWords(v); !ok || len(words) == 0 {
			t.Errorf("%q is let through and holds no word", v)
		}
	})
}

// told reads a policy.
func told(t *testing.T, trusted bool, yaml string) Told {
	t.Helper()
	doc, err := source.Parse("guard.yaml", []byte(yaml), source.YAML, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	g, faults := project.ReadGuard(doc.Root())
	if len(faults) > 0 {
		t.Fatalf("%+v", faults)
	}
	return Told{Guard: g, Path: "guard.yaml", Dir: "/work/app", Trusted: trusted}
}

func policyOf(t *testing.T, server string, now *time.Duration, all ...Told) *Policy {
	t.Helper()
	p, err := NewPolicy(server, all, Places{Home: "/home/ada", Cwd: "/work/app"}, func() time.Duration {
		if now == nil {
			return 0
		}
		return *now
	}, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTheStrictestOfAllThatIsSaidHolds(t *testing.T) {
	t.Parallel()
	p := policyOf(t, "files", nil, told(t, true, `
servers:
  files:
    default: deny
    tools: {read: allow, "read_*": allow, write: ask, "w*": deny, Drop: allow}
  "*":
    tools: {"*secret*": deny, "mail": ask}
`), told(t, false, `
servers:
  "fi*": {tools: {read_all: ask}}
  other: {default: deny}
`))
	for tool, want := range map[string]Action{"read": Pass, "read_one": Pass, "write": Ask, "wipe": Block, "WIPE": Block, "read_secret": Block, "read_SECRET": Block, "read_all": Ask, "READ_ONE": Block, "unknown": Block, "mail": Block, "drop": Block, "Drop": Pass} {
		if got, _ := worst(p.call(tool, node(t, `{}`), true)); got != want {
			t.Errorf("%s: %s, want %s", tool, got, want)
		}
	}
	if p := policyOf(t, "none", nil, told(t, true, "servers: {files: {default: deny}}")); p != nil {
		t.Error("a policy of another server is one")
	}
	if _, err := NewPolicy("x", []Told{told(t, true, `servers: {x: {tools: {a: {paths: {p: ["${home}/a"]}}}}}`)}, Places{}, nil, limits.Default); err == nil {
		t.Error("a folder that nobody knows is one")
	}
}

func TestArgumentsAreBoundByTheirNamesInAnyCase(t *testing.T) {
	t.Parallel()
	p := policyOf(t, "s", nil, told(t, true, `
servers:
  s: {tools: {read: {paths: {path: ["${project}/docs", "~/notes"]}, hosts: {url: [example.com]}, sql: {q: [select]}}}}
`))
	for in, want := range map[string]Action{`{}`: Pass, `{"path":null}`: Pass, `{"path":"docs/a","url":"https://example.com/","q":"select 1","other":"/etc/passwd"}`: Pass, `{"path":["docs/a","/home/ada/notes/b"]}`: Pass,
		`{"path":["docs/a","/etc/passwd"]}`: Block, `{"PATH":"/etc/passwd"}`: Block, `{"path":{"a":"docs"}}`: Block, `{"path":[["docs"]]}`: Block, `{"path":1}`: Block, `{"url":"https://example.net/"}`: Block, `{"q":"drop table t"}`: Block} {
		if got, _ := worst(p.call("read", node(t, in), true)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// Rates are exact, count what goes on and nothing else, and know no wall clock.
func TestRatesCountWhatGoesOn(t *testing.T) {
	t.Parallel()
	now := 100 * time.Second
	p := policyOf(t, "s", &now, told(t, true, `
servers:
  s: {rate: 5/1h, tools: {"mail*": {rate: 2/1m}, bad: deny}}
`))
	call := func(tool string, want Action) {
		t.Helper()
		if got, names := worst(p.call(tool, node(t, `{}`), true)); got != want {
			t.Errorf("%s at %s: %s by %v, want %s", tool, now, got, names, want)
		}
	}
	call("bad", Block)
	p.call("mail", node(t, `{}`), false) // something else stops it
	call("mail", Pass)
	now -= 50 * time.Second // a clock that goes back frees nothing and blocks nothing
	call("mail_all", Pass)
	call("mail", Block)
	now = 159 * time.Second
	call("mail", Block)
	now = 160 * time.Second
	call("mail", Pass)
	now = 50 * time.Hour
	for range 2 {
		call("mail", Pass)
	}
	for range 3 {
		call("read", Pass)
	}
	call("read", Block)
	now += time.Hour
	call("read", Pass)
}

// A window remembers as many calls as its rate allows and no more.
func TestARateKeepsNoMoreThanItCounts(t *testing.T) {
	t.Parallel()
	w := newWindow(project.Rate{Calls: limits.Default.GuardedRate, Per: time.Second})
	for i := range 3 * limits.Default.GuardedRate {
		if now := time.Duration(i) * time.Second; w.room(now) {
			w.add(now)
		}
	}
	if len(w.calls) != limits.Default.GuardedRate {
		t.Errorf("%d calls are kept", len(w.calls))
	}
}

// A file of a repository can make rules stricter. Milder only a file that a person named makes them.
func TestARepositoryMakesNothingMilder(t *testing.T) {
	t.Parallel()
	raw := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get","arguments":{"id":"x && y","path":"/home/a/.ssh/id_rsa"}}}`)
	for _, c := range []struct {
		trusted bool
		rules   string
		want    Action
	}{
		{false, "{}", Block},
		{false, "{shell-syntax-in-identifier: note}", Block},
		{false, "{shell-syntax-in-identifier: ask}", Block},
		{false, `{"traffic/*": note}`, Block},
		{true, "{shell-syntax-in-identifier: note}", Note},
		{true, "{shell-syntax-in-identifier: note, secret-path-in-argument: block}", Block},
		{true, `{"traffic/*": note}`, Note},
	} {
		p := policyOf(t, "s", nil, told(t, c.trusted, "rules: "+c.rules))
		if r := NewSession(Options{Policy: p}).Frame(Client, raw); r.Action != c.want {
			t.Errorf("%v %s: %s (%s), want %s", c.trusted, c.rules, r.Action, said(r), c.want)
		}
	}
	p := policyOf(t, "s", nil, told(t, false, `rules: {secret-path-in-argument: block}`))
	if r := NewSession(Options{Policy: p}).Frame(Client, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get","arguments":{"path":"/home/a/.ssh/id_rsa"}}}`)); r.Action != Block {
		t.Errorf("a repository does not make a rule stricter: %s", said(r))
	}
	// Two files: what one has made stricter stays so.
	both := policyOf(t, "s", nil, told(t, true, `rules: {shell-syntax-in-identifier: note}`), told(t, false, `rules: {shell-syntax-in-identifier: block}`))
	if r := NewSession(Options{Policy: both}).Frame(Client, raw); r.Action != Block {
		t.Errorf("the stricter of two does not hold: %s", said(r))
	}
}

func BenchmarkPolicy(b *testing.B) {
	lines := ""
	for i := range 100 {
		lines += fmt.Sprintf("      \"tool_%d_*\": ask\n", i)
	}
	doc, err := source.Parse("guard.yaml", []byte("servers:\n  s:\n    tools:\n"+lines), source.YAML, limits.Default)
	if err != nil {
		b.Fatal(err)
	}
	g, _ := project.ReadGuard(doc.Root())
	p, err := NewPolicy("s", []Told{{Guard: g}}, Places{}, func() time.Duration { return 0 }, limits.Default)
	if err != nil {
		b.Fatal(err)
	}
	s := NewSession(Options{Policy: p})
	call, _ := calls(7)
	b.ReportAllocs()
	for b.Loop() {
		if r := s.Frame(Client, call); r.Action != Pass {
			b.Fatal(r.Findings)
		}
	}
}
