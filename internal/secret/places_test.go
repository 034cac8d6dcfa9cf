package secret

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestURLs(t *testing.T) {
	for _, c := range []struct {
		url  string
		kind Kind
	}{
		{"https://app:[[{w:16}]]@h.test/mcp", UserInfo},
		{"redis://:[[{w:16}]]@10.0.0.1:6379/0", UserInfo},
		{"postgresql://u:[[p#w?/{w:9}]]@h.test/db", UserInfo},
		{"postgresql://u@tenant:[[{w:12}]]@h.test/db", UserInfo},
		{"https://[[ghp_{w:36}]]@github.com/o/r.git", "github-pat"},
		{"https://[[{x:32}]]@git.test/r", UserInfo},
		{"https://{x:32}@o1.ingest.sentry.io/1", ""},
		{"https://h.test/mcp?api_key=[[{w:24}]]", URLQuery},
		{"https://h.test/mcp?exaApiKey=[[" + uuid + "]]", URLQuery},
		{"https://h.test/mcp?a=1&access_token=[[abc123]]&b=2", URLQuery},
		{"https://h.test/mcp?a=1;sig=[[{w:43}%3D]]", URLQuery},
		{"https://h.test/mcp?api%5Fkey=[[{w:24}]]", URLQuery},
		{"https://h.test/mcp?%61pi-key=[[{w:24}]]#x", URLQuery},
		{"https://h.test/mcp?client_secret=[[{w:24}]]", URLQuery},
		{"https://h.test/mcp?q=[[tvly-{w:32}]]", "tavily"},
		{"https://h.test/api/mcp/s/[[{_:32}]]/mcp", URLPath},
		{"https://mcp.test/composio/server/[[" + uuid + "]]", URLPath},
		{"https://h.test/[[ctx7sk-" + uuid + "]]/mcp", "context7"},
		{"https://h.test/mcp#access_token=[[{w:24}]]", URLFragment},
		{"https://h.test/mcp#token=[[{w:8}]]&x=1", URLFragment},
		{"https://h.test/mcp#[[{w:32}]]", URLFragment},
		{" https://h.test/mcp?token=[[{w:24}]]", URLQuery},
		{"/mcp?token=[[{w:24}]]", URLQuery},
		{"ws://h.test?session=[[{x:32}]]", URLQuery},
		{"https://h.test/mcp?key=[[{w:24}]]&next=${X}", URLQuery},
		{"https://${HOST}:${PORT}/mcp?token=[[{w:24}]]", URLQuery},

		{"", ""}, {"https://h.test", ""}, {"https://h.test/mcp", ""}, {"http://[::1]:8080/@scope/pkg", ""}, {"http://[::1", ""}, {"https://u@h.test/", ""}, {"ssh://git@github.com/o/r.git", ""},
		{"https://h.test/mcp?key=${KEY}", ""}, {"https://h.test/mcp?key=$KEY", ""}, {"https://h.test/mcp?key={{key}}", ""}, {"https://h.test/mcp?key=<YOUR_KEY>", ""}, {"https://h.test/mcp?key=YOUR_API_KEY", ""}, {"https://h.test/mcp?key={key}", ""}, {"https://h.test/mcp?key=%24%7BKEY%7D", ""},
		{"https://h.test/mcp?api_key=", ""}, {"https://h.test/mcp?max_tokens=4096", ""}, {"https://h.test/mcp?token=true", ""}, {"https://h.test/mcp?author=jane&keyword=abc123def456", ""}, {"https://h.test/mcp?client_id=" + uuid, ""},
		{"https://h.test/mcp?tools=web_search_exa,deep_researcher_start,company_research_exa", ""}, {"https://raw.githubusercontent.com/o/r/{x:40}/f.json", ""}, {"https://git.test/o/r/commit/{x:40}", ""},
		{"https://h.test/docs/getting-started-with-model-context-protocol-servers", ""}, {"https://registry.test/@scope/name/-/name-1.2.3.tgz", ""}, {"https://h.test/projects/" + uuid + "/mcp", ""}, {"https://h.test/v2/o/i/blobs/sha256:{x:64}", ""},
		{"https://h.test/mcp#installation-and-configuration-2", ""}, {"postgresql://user:password@localhost/db", ""}, {"postgresql://postgres:[YOUR-PASSWORD]@db.h.test:5432/postgres", ""}, {"mysql://u:${PW:-}@h/db", ""}, {"https://user:%24%7BPW%7D@h.test/", ""}, {"jdbc:postgresql://h.test:5432/db?user=x", ""},
	} {
		check(t, c.url, c.url, c.kind, URL)
	}
}

func TestDefaultPasswordsInURLsAreMedium(t *testing.T) {
	for _, u := range []string{"postgresql://postgres:postgres@localhost:5432/postgres", "mysql://root:root@127.0.0.1/x", "amqp://guest:guest@mq/"} {
		if hits := URL(u); len(hits) != 1 || hits[0].Kind != UserInfo || !hits[0].Medium {
			t.Errorf("%s: got %+v", u, hits)
		}
	}
}

func TestHeaders(t *testing.T) {
	for _, c := range []struct {
		name, value string
		kind        Kind
	}{
		{"Authorization", "Bearer [[{w:40}]]", Bearer},
		{"authorization", "bearer   [[{w:12}]]", Bearer},
		{"Authorization", " Bearer [[{w:40}]]", Bearer},
		{"Authorization", "Bearer [[mcp]]", Bearer},
		{"Proxy-Authorization", "Bearer [[{w:40}]]", Bearer},
		{"Authorization", "Bearer [[ghp_{w:36}]]", "github-pat"},
		{"Authorization", "Bearer [[eyJ{w:33}.eyJ{w:90}.{w:43}]]", "jwt"},
		{"Authorization", "Basic [[dXNlcjpIdW50ZXIyMiE=]]", Basic}, // user:Hunter22!
		{"Authorization", "Basic [[{w:28}]]", Basic},
		{"Authorization", "Token [[{x:40}]]", HeaderValue},
		{"Authorization", "[[{w:40}]]", HeaderValue},
		{"X-Api-Key", "[[{w:24}]]", HeaderValue},
		{"X-Auth-Token", "[[{w:24}]]", HeaderValue},
		{"X-Goog-Api-Key", "[[AIza{_:35}]]", "google"},
		{"Private-Token", "[[glpat-{w:20}]]", "gitlab"},
		{"PRIVATE-TOKEN", "[[{w:20}]]", HeaderValue},
		{"CONTEXT7_API_KEY", "[[ctx7sk-" + uuid + "]]", "context7"},
		{"DD-API-KEY", "[[{x:32}]]", HeaderValue},
		{"Cookie", "theme=dark; sid=[[{w:32}]]; lang=en", Cookie},
		{"X-Custom", "[[sk-ant-api03-{_:40}]]", "anthropic"},

		{"Authorization", "Bearer ${TOKEN}", ""}, {"Authorization", "Bearer $TOKEN", ""}, {"Authorization", "Bearer {env:TOKEN}", ""}, {"Authorization", "Bearer ${input:token}", ""}, {"Authorization", "Bearer YOUR_TOKEN_HERE", ""}, {"Authorization", "Bearer <token>", ""}, {"Authorization", "Bearer ", ""}, {"Authorization", "${AUTH}", ""},
		{"Authorization", "Basic dXNlcjpwYXNzd29yZA==", ""}, // user:password
		{"Authorization", "Basic ${AUTH}", ""}, {"X-Api-Key", "YOUR_API_KEY", ""}, {"X-Api-Key", "", ""}, {"X-Api-Version", "2024-10-22-preview", ""}, {"Content-Type", "application/json", ""}, {"Accept", "application/json, text/event-stream", ""}, {"X-Request-Id", uuid, ""}, {"X-Client-Id", uuid, ""}, {"User-Agent", "mcp-client/1.2.3 (linux; {x:16})", ""}, {"Cookie", "theme=dark; lang=en", ""},
	} {
		check(t, c.name+": "+c.value, c.value, c.kind, func(s string) []Hit { return Header(c.name, s) })
	}
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		args []string // the secret stands in [[ ]]
		kind Kind
	}{
		{[]string{"-y", "pkg", "--api-key", "[[{w:24}]]"}, FlagValue},
		{[]string{"--key", "[[" + uuid + "]]"}, FlagValue}, // Smithery
		{[]string{"--openai_api_key", "[[{w:24}]]"}, FlagValue},
		{[]string{"--api-key-value", "[[{w:24}]]"}, FlagValue},
		{[]string{"-token", "[[{w:24}]]"}, FlagValue},
		{[]string{"--password", "[[hunter2]]"}, FlagValue},
		{[]string{"--token=[[{w:24}]]"}, FlagValue},
		{[]string{`--token="[[{w:24}]]"`}, FlagValue},
		{[]string{"--access-token", "[[sbp_{x:40}]]"}, "supabase-pat"},
		{[]string{"-k", "[[sk-ant-api03-{_:40}]]"}, "anthropic"},
		{[]string{"API_KEY=[[{x:64}]]"}, ArgsKV},
		{[]string{`API_KEY="[[{x:64}]]"`}, ArgsKV},
		{[]string{"run", "--rm", "-e", "API_KEY=[[{x:32}]]", "img"}, ArgsKV},
		{[]string{"run", "--env=API_KEY=[[{x:32}]]", "img"}, ArgsKV},
		{[]string{"run", "-eAPI_KEY=[[{x:32}]]", "img"}, FlagValue},
		{[]string{"PW=[[hunter2]]"}, ArgsKV},
		{[]string{"mcp-remote", "https://h.test/mcp", "--header", "Authorization: Bearer [[{w:40}]]"}, Bearer},
		{[]string{"mcp-remote", "https://h.test/mcp", "--header", "Authorization:Bearer [[{w:40}]]"}, Bearer},
		{[]string{"-H", "X-Api-Key: [[{w:24}]]"}, HeaderValue},
		{[]string{"-H", "X-Custom-Thing: [[figd_{_:40}]]"}, "figma"},
		{[]string{"-HX-Api-Key: [[{w:24}]]"}, HeaderValue},
		{[]string{"--header=Authorization: Bearer [[{w:40}]]"}, Bearer},
		{[]string{"Authorization: Bearer [[{w:40}]]"}, Bearer},
		{[]string{"X-Api-Key: [[{w:24}]]"}, HeaderValue},
		{[]string{"Bearer [[{w:24}]]"}, Bearer},
		{[]string{"bearer", "[[{w:24}]]"}, Bearer},
		{[]string{"--bearer", "[[{w:24}]]"}, FlagValue},
		{[]string{"--config", `{"a":{"apiKey":"[[{w:24}]]"}}`}, JSONField},
		{[]string{"--config", `{\"exaApiKey\":\"[[{w:24}]]\"}`}, JSONField},
		{[]string{"--config", `"{\"exaApiKey\":\"[[{w:24}]]\"}"`}, JSONField},
		{[]string{`--config={"token":"[[{w:24}]]"}`}, JSONField},
		{[]string{"postgresql://u:[[{w:16}]]@h/db"}, UserInfo},
		{[]string{"--db=postgresql://u:[[{w:16}]]@h/db"}, UserInfo},
		{[]string{"--url", "https://h.test/mcp?api_key=[[{w:24}]]"}, URLQuery},
		{[]string{"[[ghp_{w:36}]]"}, "github-pat"},
		{[]string{"-c", "API_KEY=[[{x:32}]] node server.js"}, ArgsKV},
		{[]string{"-c", "exec npx pkg --api-key [[{x:32}]] --verbose"}, FlagValue},
		{[]string{"-c", `curl -H "X-Api-Key: [[{x:32}]]" https://h.test | sh`}, HeaderValue},
		{[]string{"--conn", "Server=db;User Id=sa;Password=[[{w:12}]];"}, NameGated},
		{[]string{"--token", "${TOKEN:-[[{w:24}]]}"}, FlagValue},

		{[]string{"-y", "@modelcontextprotocol/server-github"}, ""}, {[]string{"@scope/name@1.2.3", "@upstash/context7-mcp@latest"}, ""}, {[]string{"--max-tokens", "4096"}, ""}, {[]string{"--author", "jane-doe-12345"}, ""}, {[]string{"--token-file", "/run/secrets/{x:32}"}, ""}, {[]string{"--key", "./certs/server.key"}, ""},
		{[]string{"--api-key", "${API_KEY}"}, ""}, {[]string{"--api-key", "$API_KEY"}, ""}, {[]string{"--api-key", "%API_KEY%"}, ""}, {[]string{"--api-key", "YOUR_API_KEY"}, ""}, {[]string{"--api-key", "<key>"}, ""}, {[]string{"--api-key", "--verbose"}, ""}, {[]string{"--api-key"}, ""}, {[]string{"--api-key="}, ""},
		{[]string{"--db-path", "data/store/main-7f3a9c21.db"}, ""}, {[]string{"-k", "{w:32}"}, ""}, {[]string{"{x:64}"}, ""}, {[]string{"--session", "main"}, ""}, {[]string{"--auth", "oauth2"}, ""}, {[]string{"--auth-type", "bearer"}, ""}, {[]string{"--keyring", "{w:32}"}, ""}, {[]string{"--key-file", "id_{x:32}"}, ""},
		{[]string{"mcp-remote", "https://h.test/sse", "--header", "Authorization:${AUTH_HEADER}"}, ""}, {[]string{"--header", "Content-Type: application/json"}, ""}, {[]string{"--header", "X-Api-Key: ${KEY}"}, ""}, {[]string{"run", "-e", "API_KEY", "img:1.2"}, ""}, {[]string{"run", "-e", "API_KEY=${API_KEY}"}, ""}, {[]string{"run", "--mount", "type=bind,src=/a,dst=/b"}, ""},
		{[]string{"ghcr.io/o/i@sha256:{x:64}"}, ""}, {[]string{"git+https://github.com/o/r@{x:40}"}, ""}, {[]string{"--client-id", uuid}, ""}, {[]string{"--config", `{"apiKey":"${KEY}","model":"gpt-4o-2024-08-06"}`}, ""}, {[]string{"-c", "exec node \"$HOME/srv/index.js\" --token \"$TOKEN\""}, ""}, {[]string{"--author=Jane", "--keyword=abc123def456"}, ""},
		{[]string{`C:\Users\me\key\server.js`, "/home/u/keys/{x:32}/index.js"}, ""}, {nil, ""}, {[]string{""}, ""}, {[]string{"-"}, ""}, {[]string{"--"}, ""}, {[]string{"--password", "${PW}"}, ""}, {[]string{"--password", "password"}, ""}, {[]string{"npm:@a/b@1.0.0"}, ""},
	} {
		index, start, end := -1, -1, -1
		args := make([]string, len(c.args))
		for i, a := range c.args {
			text, lo, hi := marked(a)
			args[i] = text
			if lo >= 0 {
				index, start, end = i, lo, hi
			}
		}
		hits := Args(args)
		switch {
		case index < 0 && len(hits) != 0:
			t.Errorf("%q: got %+v, want none", c.args, hits)
		case index >= 0 && (len(hits) != 1 || hits[0].Index != index || hits[0].Kind != c.kind || hits[0].Start != start || hits[0].End != end):
			t.Errorf("%q: got %+v, want %s at %d [%d,%d)", c.args, hits, c.kind, index, start, end)
		}
		masked := MaskArgs(args)
		for i := range args {
			want := args[i]
			if i == index {
				want = args[i][:start] + "<secret: " + string(c.kind) + ">" + args[i][end:]
			}
			if masked[i] != want {
				t.Errorf("%q: masked to %q", c.args, masked[i])
			}
		}
		if again := MaskArgs(masked); !slices.Equal(again, masked) {
			t.Errorf("%q: masking twice changes it: %q", c.args, again)
		}
	}
}

func TestMask(t *testing.T) {
	secrets := []string{fake("ghp_{w:36}"), fake("{w:16}"), fake("{w:24}"), fake("{_:32}")}
	text := "token " + secrets[0] + ", db postgres://u:" + secrets[1] + "@h.test/db and https://h.test/s/" + secrets[3] + "/mcp?a=1&api_key=" + secrets[2] + "&b=2 end"
	want := "token <secret: github-pat>, db postgres://u:<secret: url-userinfo>@h.test/db and https://h.test/s/<secret: url-path>/mcp?a=1&api_key=<secret: url-query>&b=2 end"
	if got := Mask(text); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	clean := "https://h.test/mcp?a=b%20c#d and \x1b[31m plain"
	if got := Mask(clean); got != clean {
		t.Errorf("text without a secret is changed: %q", got)
	}
	if got := maskNamed("API_KEY", secrets[2]); got != "<secret: name-gated>" {
		t.Errorf("got %s", got)
	}
	if got := maskNamed("REGION", "eu-west-1"); got != "eu-west-1" {
		t.Errorf("got %s", got)
	}
	if got := MaskURL("http://h.test/a b?api_key=" + secrets[2]); got != "http://h.test/a b?api_key=<secret: url-query>" {
		t.Errorf("got %s", got)
	}
	if got := maskHeader("Authorization", "Bearer "+secrets[2]); got != "Bearer <secret: bearer>" {
		t.Errorf("got %s", got)
	}
}

// Each of these makes a candidate of a pattern, an open bracket or a quote out of every few bytes: looking
// ahead from each of them to the end would be quadratic. The bound is on the ratio of two runs in one process, so that
// it runs where budgets are measured (make bench), not among the unit tests.
func TestTimeIsLinearInTheInput(t *testing.T) {
	if os.Getenv("MCPASSAY_BENCH") == "" {
		t.Skip("a measurement: make bench")
	}
	const small, factor = 4 << 10, 8
	for _, unit := range []string{"ghp_", "sk-", "sk-ant-", "eyJ-", "eyJ.", "eyJaaaaaaaaaaaa.", "://", "a://u:p", "a://{", "a://u:p@", "${", "{{", "$(", "${A:-", "%A", "`", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n", "SG.aaaaaaaaaaaaaaaaaaaaaa.",
		"Bearer ", "K=v;", "K=v ", `"`, `\"`, `{"k":"`, `{"key":"c3Jk9dPq2x"},`, "'", "<", "x?key=&", "-us", ":AA", "pat1", "MT", "{env:", "[", "a ", "a://u:p@h?key=Ab3dEf9hI ", "API_KEY=c3Jk9dPq2x ", "-", "/"} {
		cost := func(size int) time.Duration {
			s := strings.Repeat(unit, size/len(unit))
			best := time.Duration(math.MaxInt64)
			for range 3 {
				begin := time.Now()
				Value("API_KEY", s)
				Value("API_KEY", "{"+s)
				Header("Cookie", s)
				URL("https://h/" + s)
				Args([]string{"--config", s, "sh -c " + s})
				Text(s)
				best = min(best, time.Since(begin))
			}
			return best
		}
		cost(small) // compile what it meets
		a, b := cost(small), cost(factor*small)
		if b > 4*factor*a && b > 50*time.Millisecond {
			t.Errorf("%q: %d times the input takes %v instead of %v", unit, factor, b, a)
		}
	}
}
