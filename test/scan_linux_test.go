package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// binary is the program as people build it: a sandbox starts it again.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "mcpassay-scan")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "mcpassay")
	out, err := exec.Command("go", "build", "-o", bin, "../cmd/mcpassay").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return bin, err
})

// scanReport is what these tests look at.
type scanReport struct {
	Exit     int
	Summary  struct{ Servers, Tools, Incomplete int }
	Subjects []struct {
		Kind, Name, Transport string
		Protocol              struct{ Requested, Negotiated, Era string }
		Origin                struct{ Path, Pointer string }
	}
	Findings []struct {
		Rule, Severity, Message string
		Location                struct{ Path, Pointer string }
	}
	Incomplete []struct{ Path, Cause, Detail string }
}

// server is the subject of one.
func (r *scanReport) server(t *testing.T, name string) (transport, revision string) {
	t.Helper()
	for _, s := range r.Subjects {
		if s.Kind == "server" && (name == "" || s.Name == name) {
			return s.Transport, s.Protocol.Negotiated
		}
	}
	t.Fatalf("no server %q in %+v", name, r.Subjects)
	return "", ""
}

// scan runs the program in a folder of its own and gives its JSON report and all that it printed.
func scan(t *testing.T, env []string, args ...string) (rep scanReport, printed string) {
	t.Helper()
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, append([]string{"scan", "--json"}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &rep); err != nil {
		t.Fatalf("%v: %s%s", err, out.String(), errs.String())
	}
	if rep.Exit != cmd.ProcessState.ExitCode() {
		t.Errorf("the report says exit %d, and it is %d", rep.Exit, cmd.ProcessState.ExitCode())
	}
	return rep, out.String() + errs.String()
}

func lacks(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("MCPASSAY_CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

const npmVersion = "2026.8.31"

// npmServer is the script of a real server, installed once a machine.
func npmServer(t *testing.T, name string) string {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			lacks(t, "needs %s: apt-get install nodejs npm", program)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "mcpassay-test", npmVersion)
	script := filepath.Join(dir, "node_modules", "@modelcontextprotocol", name, "dist", "index.js")
	if _, err := os.Stat(script); err != nil {
		args := []string{"install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", dir}
		for _, s := range []string{"everything", "filesystem", "memory"} {
			args = append(args, "@modelcontextprotocol/server-"+s+"@"+npmVersion)
		}
		if out, err := exec.Command("npm", args...).CombinedOutput(); err != nil {
			lacks(t, "the servers can not be installed: %v: %s", err, out)
		}
	}
	return script
}

func TestScanReadsRealServersInEachSandbox(t *testing.T) {
	for _, executor := range []string{"landlock", "bubblewrap"} {
		if executor == "bubblewrap" {
			if _, err := exec.LookPath("bwrap"); err != nil {
				lacks(t, "needs bubblewrap: apt-get install bubblewrap")
			}
		}
		for name, tools := range map[string]int{"server-everything": 13, "server-filesystem": 14, "server-memory": 9} {
			t.Run(executor+" "+name, func(t *testing.T) {
				args := []string{"--executor", executor, "--", "node", npmServer(t, name)}
				if name == "server-filesystem" {
					args = append(args, t.TempDir())
				}
				rep, printed := scan(t, nil, args...)
				if rep.Exit == 2 && strings.Contains(printed, "landlock") && strings.Contains(printed, "kernel") {
					lacks(t, "this kernel has no Landlock: Linux 5.13 or later")
				}
				transport, revision := rep.server(t, "")
				if rep.Exit != 0 || rep.Summary.Tools != tools || transport != "stdio" || revision != "2025-11-25" {
					t.Errorf("exit %d, %d tools, %s %s\n%s", rep.Exit, rep.Summary.Tools, transport, revision, printed)
				}
			})
		}
	}
}

// free is a port that nobody listens on.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// everything starts a real server that listens, and gives its address.
func everything(t *testing.T, mode string) (base string) {
	t.Helper()
	port := free(t)
	cmd := exec.Command("node", npmServer(t, "server-everything"), mode)
	cmd.Env = append(os.Environ(), "PORT="+port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for range 200 {
		if conn, err := net.Dial("tcp", "localhost:"+port); err == nil {
			conn.Close()
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return "http://localhost:" + port
}

func TestScanReadsARealServerOverHTTPAndSSE(t *testing.T) {
	for mode, c := range map[string]struct{ path, transport, revision string }{
		"streamableHttp": {"/mcp", "http", "2025-11-25"}, "sse": {"/sse", "sse", "2025-11-25"}, // what it negotiates over the old transport
	} {
		t.Run(mode, func(t *testing.T) {
			rep, printed := scan(t, nil, everything(t, mode)+c.path)
			transport, revision := rep.server(t, "")
			if rep.Exit != 0 || rep.Summary.Tools != 13 || transport != c.transport || revision != c.revision {
				t.Errorf("exit %d, %d tools, %s %s\n%s", rep.Exit, rep.Summary.Tools, transport, revision, printed)
			}
		})
	}
}

// eraServer answers in one era only, with one tool, and notes the headers of what it is asked.
func eraServer(t *testing.T, modern bool) (url string, asked func() []http.Header) {
	t.Helper()
	var mu sync.Mutex
	var all []http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		all = append(all, r.Header.Clone())
		mu.Unlock()
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		body, _ := io.ReadAll(r.Body)
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(body, &m)
		if m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		hints := `"resultType": "complete", "ttlMs": 1000, "cacheScope": "public", `
		results := map[string]string{
			"server/discover": `{` + hints + `"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "new", "version": "1"}}}`,
			"tools/list":      `{` + hints + `"tools": [{"name": "list_books", "description": "List the books of a shelf", "inputSchema": {"type": "object"}}]}`,
		}
		if !modern {
			results = map[string]string{
				"initialize": `{"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "old", "version": "1"}}`,
				"tools/list": `{"tools": [{"name": "list_books", "description": "List the books of a shelf", "inputSchema": {"type": "object"}}]}`,
			}
		}
		w.Header().Set("Content-Type", "application/json")
		if result, ok := results[m.Method]; ok {
			fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %s, "result": %s}`, m.ID, result)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %s, "error": {"code": -32601, "message": "no such method"}}`, m.ID)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/mcp", func() []http.Header { mu.Lock(); defer mu.Unlock(); return slices.Clone(all) }
}

func TestScanSpeaksToAServerOfEitherEra(t *testing.T) {
	for revision, modern := range map[string]bool{"2026-07-28": true, "2025-06-18": false} {
		url, _ := eraServer(t, modern)
		rep, printed := scan(t, nil, url)
		if _, got := rep.server(t, ""); rep.Exit != 0 || rep.Summary.Tools != 1 || got != revision || len(rep.Findings) > 0 {
			t.Errorf("%s: exit %d, %d tools, %s\n%s", revision, rep.Exit, rep.Summary.Tools, got, printed)
		}
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A credential goes to the server it was given for (in another tool one token went to every URL of a config), and into no output.
func TestACredentialGoesToItsOwnServerAlone(t *testing.T) {
	one, oneAsked := eraServer(t, true)
	two, twoAsked := eraServer(t, false)
	config := write(t, ".mcp.json", `{"mcpServers": {
  "one": {"type": "http", "url": "`+one+`", "headers": {"Authorization": "Bearer ${ONE_TOKEN}"}},
  "two": {"type": "http", "url": "`+two+`", "headers": {"X-Key": "${TWO_KEY:-none}"}}}}`)
	env := []string{"ONE_TOKEN=first-secret-0451", "TWO_KEY=second-secret-0452", "THIRD=third-secret-0453"}
	rep, printed := scan(t, env, "--config", config, "--allow-private-network", "--allow-insecure-http")
	if rep.Exit != 0 || rep.Summary.Servers != 2 || rep.Summary.Tools != 2 {
		t.Fatalf("exit %d: %s", rep.Exit, printed)
	}
	for _, h := range oneAsked() {
		if h.Get("Authorization") != "Bearer first-secret-0451" || h.Get("X-Key") != "" {
			t.Errorf("one got %q and %q", h.Get("Authorization"), h.Get("X-Key"))
		}
	}
	for _, h := range twoAsked() {
		if h.Get("X-Key") != "second-secret-0452" || h.Get("Authorization") != "" {
			t.Errorf("two got %q and %q", h.Get("Authorization"), h.Get("X-Key"))
		}
	}
	bin, _ := binary()
	out, err := exec.Command(bin, "scan", "--config", config, "--bearer-token-env", "PATH").CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("a credential goes to one server")) {
		t.Errorf("one token for two servers: %v %s", err, out)
	}
	if _, more := scan(t, env, "--bearer-token-env", "THIRD", two); strings.Contains(printed+more, "secret-045") {
		t.Errorf("a credential is printed:\n%s%s", printed, more)
	}
	if last := twoAsked(); last[len(last)-1].Get("Authorization") != "Bearer third-secret-0453" {
		t.Errorf("the bearer token does not arrive: %q", last[len(last)-1])
	}
}

// The finding names the URL to configure; nothing is sent there (a client that follows sends the token along).
func TestARedirectIsNamedAndNotFollowed(t *testing.T) {
	there, asked := eraServer(t, true)
	here := httptest.NewServer(http.RedirectHandler(there, http.StatusTemporaryRedirect))
	defer here.Close()
	rep, printed := scan(t, nil, here.URL+"/mcp")
	if rep.Exit != 2 || len(asked()) > 0 {
		t.Errorf("exit %d, %d requests went there", rep.Exit, len(asked()))
	}
	if !slices.ContainsFunc(rep.Findings, func(f struct {
		Rule, Severity, Message string
		Location                struct{ Path, Pointer string }
	}) bool {
		return f.Rule == "endpoint/redirect" && strings.Contains(f.Message, there)
	}) {
		t.Errorf("no finding names %s:\n%s", there, printed)
	}
}

func TestWhatIsSavedGivesTheSameReportAgain(t *testing.T) {
	url, _ := eraServer(t, true)
	other, _ := eraServer(t, false)
	dir := t.TempDir()
	config := write(t, ".mcp.json", `{"mcpServers": {"new": {"type": "http", "url": "`+url+`"}, "old": {"type": "http", "url": "`+other+`"}, "gone": {"type": "http", "url": "http://127.0.0.1:1/mcp"}}}`)
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) []byte {
		cmd := exec.Command(bin, append([]string{"scan", "--json", "--deterministic"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 2 {
			t.Fatalf("%v: %s", err, out)
		}
		return out
	}
	live := run("--config", config, "--allow-private-network", "--allow-insecure-http", "--save", "surface.json")
	if again := run("--replay", "surface.json"); !bytes.Equal(live, again) {
		t.Errorf("live:\n%s\nreplayed:\n%s", live, again)
	}
	var rep scanReport
	if err := json.Unmarshal(live, &rep); err != nil {
		t.Fatal(err)
	}
	if rep.Summary.Servers != 3 || rep.Summary.Tools != 2 || rep.Summary.Incomplete != 1 || !strings.HasPrefix(rep.Incomplete[0].Detail, "gone: ") {
		t.Errorf("%+v", rep.Summary)
	}
	for _, s := range rep.Subjects {
		if s.Kind == "server" && s.Origin.Pointer != "/mcpServers/"+s.Name {
			t.Errorf("%s comes from %+v", s.Name, s.Origin)
		}
	}
	info, err := os.Stat(filepath.Join(dir, "surface.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the surface is saved as %v: %v", info.Mode(), err)
	}
}

func TestACommandOfAConfigRunsOnlyWhenAPersonSaysSo(t *testing.T) {
	dir := t.TempDir()
	mark := filepath.Join(dir, "ran")
	config := write(t, ".mcp.json", `{"mcpServers": {"a": {"command": "touch", "args": ["`+mark+`"]}}}`)
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(bin, "scan", "--config", config).CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("--allow-exec")) {
		t.Errorf("%v %s", err, out)
	}
	for _, executor := range []string{"none", "auto"} { // in a sandbox it runs, and can not write there
		if rep, printed := scan(t, nil, "--config", config, "--allow-exec", "--executor", executor); rep.Exit != 2 {
			t.Errorf("%s: exit %d: %s", executor, rep.Exit, printed)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Errorf("--executor %s: the command wrote outside of its folder", executor)
		}
	}
}

// oldServer speaks the transport of 2024-11-05 and no other.
func oldServer(t *testing.T) string {
	t.Helper()
	answers := make(chan string, 8)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodGet && r.URL.Path == "/sse":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: endpoint\ndata: /post\n\n")
			w.(http.Flusher).Flush()
			for {
				select {
				case a := <-answers:
					fmt.Fprintf(w, "data: %s\n\n", a)
					w.(http.Flusher).Flush()
				case <-r.Context().Done():
					return
				}
			}
		case r.Method == http.MethodPost && r.URL.Path == "/post":
			var m struct {
				ID     json.RawMessage
				Method string
			}
			_ = json.NewDecoder(r.Body).Decode(&m)
			w.WriteHeader(http.StatusAccepted)
			result := `{"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": {"name": "old", "version": "1"}}`
			if m.Method == "tools/list" {
				result = `{"tools": [{"name": "list_books", "description": "List the books of a shelf", "inputSchema": {"type": "object"}}]}`
			}
			if m.ID != nil {
				answers <- fmt.Sprintf(`{"jsonrpc": "2.0", "id": %s, "result": %s}`, m.ID, result)
			}
		default:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/sse"
}

// says gives the severity and message of the one finding of a rule, "" for none.
func (r *scanReport) says(rule string) string {
	for _, f := range r.Findings {
		if f.Rule == rule {
			return f.Severity + " " + f.Message
		}
	}
	return ""
}

// github/copilot-cli#129: the wrong type, and a client that says nothing. The right one is named, and the server is read.
func TestTheTransportOfAConfigThatIsWrongIsNamed(t *testing.T) {
	old := oldServer(t)
	current, _ := eraServer(t, false)
	for _, c := range []struct{ kind, url, want string }{
		{"http", old, `warning The config says "http", and the server speaks HTTP+SSE: its type is "sse"`},
		{"sse", current, `warning The config says "sse", and the server speaks Streamable HTTP: its type is "http"`},
		{"sse", old, ""},
		{"http", current, ""},
	} {
		config := write(t, ".mcp.json", `{"mcpServers": {"a": {"type": "`+c.kind+`", "url": "`+c.url+`"}}}`)
		rep, printed := scan(t, nil, "--config", config, "--allow-private-network", "--allow-insecure-http")
		if got := rep.says("endpoint/other-transport"); got != c.want || rep.Summary.Tools != 1 || rep.Summary.Incomplete > 0 {
			t.Errorf("%s: %q\n%s", c.kind, got, printed)
		}
	}
}

// hurttlocker/o8#1541: a log line on standard output is an error that quotes it, and the server is read all the same.
func TestALogLineOnTheOutputIsQuotedAndTheServerIsRead(t *testing.T) {
	script := write(t, "server.sh", `echo "[db] Connected"
while read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case "$line" in
    *'"initialize"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"a\",\"version\":\"1\"}}}" ;;
    *'"tools/list"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"tools\":[{\"name\":\"list_books\",\"description\":\"List the books of a shelf\",\"inputSchema\":{\"type\":\"object\"}}]}}" ;;
  esac
done
`)
	args := []string{"--executor", "host", "--protocol", "legacy", "--", "sh", script}
	rep, printed := scan(t, nil, args...)
	if got := rep.says("endpoint/stdout-noise"); !strings.HasPrefix(got, "error ") || !strings.Contains(got, "[db] Connected") || rep.Summary.Tools != 1 || rep.Exit != 1 {
		t.Errorf("exit %d, %q\n%s", rep.Exit, got, printed)
	}
	if rep, printed := scan(t, nil, append([]string{"--compat-stdio-noise"}, args...)...); rep.Exit != 0 || len(rep.Findings) > 0 {
		t.Errorf("exit %d\n%s", rep.Exit, printed)
	}
}

// Hmbown/Codewhale#1629: nobody has a session before the handshake.
func TestAServerThatWantsASessionFirstIsAnError(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": "Missing session ID"}}`)
	}))
	defer s.Close()
	rep, printed := scan(t, nil, s.URL+"/mcp")
	if got := rep.says("endpoint/bad-message"); rep.Exit != 2 || !strings.HasPrefix(got, "error ") || !strings.Contains(got, "Missing session ID") {
		t.Errorf("exit %d, %q\n%s", rep.Exit, got, printed)
	}
}

// The first thing that people type. Without a network the runner says so at once, and the way on is named.
func TestAPackageRunnerWithoutANetworkNamesTheWayOn(t *testing.T) {
	npmServer(t, "server-memory") // the parts are there, and the registry can be reached
	if _, err := exec.LookPath("bwrap"); err != nil {
		lacks(t, "needs bubblewrap: apt-get install bubblewrap")
	}
	line := []string{"--executor", "bubblewrap", "--", "npx", "-y", "@modelcontextprotocol/server-memory@" + npmVersion}
	rep, printed := scan(t, nil, line...)
	if rep.Exit != 2 || len(rep.Incomplete) != 1 || !strings.HasPrefix(rep.Incomplete[0].Detail, "handshake: npx downloads what it starts") ||
		!strings.Contains(rep.Incomplete[0].Detail, "--prefetch") || rep.Incomplete[0].Cause != "ended" {
		t.Errorf("exit %d\n%s", rep.Exit, printed)
	}
}

// A person who interrupts a scan finds nothing of it afterwards: no server, and no folder that was made for one.
func TestAnInterruptedScanLeavesNoServerAndNoFolder(t *testing.T) {
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	cmd := exec.Command(bin, "scan", "--executor", "landlock", "--", "sh", "-c", "echo up >&2; trap '' TERM; while :; do sleep 1; done")
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &errs, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); ; {
		made, err := filepath.Glob(filepath.Join(tmp, "mcpassay-*"))
		if err != nil {
			t.Fatal(err)
		}
		if len(made) > 0 {
			break
		}
		if time.Now().After(end) {
			lacks(t, "nothing was started here in 20 s: %s", &errs)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("exit code %d, %v: %s", cmd.ProcessState.ExitCode(), err, &errs)
	}
	if left, _ := filepath.Glob(filepath.Join(tmp, "mcpassay-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
