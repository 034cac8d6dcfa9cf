package test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The official TypeScript client and the Inspector, which needs Node 22.
const clientVersion, inspectorVersion = "2.4.0", "2.12.0"

// official is what the package of the client, the Inspector and their Node are, installed once a machine.
func official(t *testing.T) (modules, node string) {
	t.Helper()
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			lacks(t, "needs %s: apt-get install nodejs npm", name)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "mcpassay-test", "official-"+clientVersion)
	modules = filepath.Join(dir, "node_modules")
	node = filepath.Join(modules, "node", "bin", "node")
	for _, path := range []string{node, filepath.Join(modules, "@modelcontextprotocol", "client"), inspector(modules)} {
		if _, err := os.Stat(path); err == nil {
			continue
		}
		out, err := exec.Command("npm", "install", "--no-audit", "--no-fund", "--prefix", dir, "@modelcontextprotocol/client@"+clientVersion,
			"@modelcontextprotocol/inspector@"+inspectorVersion, "node@"+suiteNode).CombinedOutput()
		if _, missing := os.Stat(path); err != nil || missing != nil {
			lacks(t, "the official clients can not be installed: %v: %s", err, out)
		}
	}
	return modules, node
}

func inspector(modules string) string {
	return filepath.Join(modules, "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
}

// stage is where a run takes place: its folders, and the environment of all who take part.
type stage struct {
	modules, node string
	dir, work     string
	env           []string
}

// set makes a stage. All runs of a server work in one folder, since its name stands in what is said.
func set(t *testing.T, modules, node, work string) stage {
	t.Helper()
	s := stage{modules: modules, node: node, dir: t.TempDir(), work: work}
	s.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "MEMORY_FILE_PATH=" + filepath.Join(s.dir, "memory.json"), "LANG=C.UTF-8"}
	return s
}

// walk uses all that a server offers.
func (s stage) walk(t *testing.T, kind string, how ...string) {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("official", "walk.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(s.node, append([]string{script, s.modules, kind, s.work}, how...)...)
	cmd.Env, cmd.Dir = s.env, s.dir
	out, err := cmd.Output()
	var did struct{ Offered, Asked []string }
	if err != nil || json.Unmarshal(out, &did) != nil {
		t.Errorf("the client: %v: %.2000s", err, out)
		return
	}
	for _, name := range did.Offered {
		if !slices.ContainsFunc(did.Asked, func(a string) bool { return a == "tools/call "+name || strings.HasPrefix(a, "tools/call "+name+":") }) {
			t.Errorf("%s was not called", name)
		}
	}
}

// piped is a shell line that runs a command and records what goes in and comes out.
func (s stage) piped(name, command string) string {
	at := filepath.Join(s.dir, name)
	return fmt.Sprintf("tee %s.in | %s | tee %s.out\n", at, command, at)
}

// script writes a shell script and gives the command that runs it.
func (s stage) script(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(s.dir, name+".sh")
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return "sh " + path
}

func (s stage) lines(t *testing.T, name string) (lines []string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		lines = append(lines, line)
	}
	return lines
}

// spoken is one message as far as it is told from others.
type spoken struct {
	ID            json.RawMessage
	Method        string
	Result, Error json.RawMessage
}

// answers are the responses among frames by their ids, and methods those of all that is no response.
func answers(t *testing.T, frames []string) (by map[string]string, methods []string) {
	t.Helper()
	by = map[string]string{}
	for _, f := range frames {
		var m spoken
		if err := json.Unmarshal([]byte(f), &m); err != nil {
			t.Fatalf("%v: %.200q", err, f)
		}
		if m.Method != "" {
			methods = append(methods, m.Method)
		} else {
			by[string(m.ID)] = f
		}
	}
	slices.Sort(methods)
	return by, slices.Compact(methods)
}

// alike holds what a client read through the guard against what it reads without. What differs between two runs without it may differ.
func alike(t *testing.T, guarded, direct, again []string) {
	t.Helper()
	got, events := answers(t, guarded)
	want, wanted := answers(t, direct)
	other, _ := answers(t, again)
	if !slices.Equal(events, wanted) {
		t.Errorf("the server said %v, and without the guard %v", events, wanted)
	}
	if len(got) != len(want) {
		t.Errorf("%d answers, %d without the guard", len(got), len(want))
	}
	stopped := 0
	for id, answer := range want {
		switch {
		case strings.Contains(got[id], `"code":-32099`):
			stopped++
		case got[id] == "" || answer == other[id] && got[id] != answer:
			t.Errorf("answer %s is %.300q, without the guard %.300q", id, got[id], answer)
		}
	}
	if stopped != 1 { // the call whose arguments do not fit the schema
		t.Errorf("%d answers are the guard's", stopped)
	}
}

// lacking are the frames of a that b lacks.
func lacking(a, b []string) (out []string) {
	left := slices.Clone(b)
	for _, f := range a {
		if i := slices.Index(left, f); i >= 0 {
			left = slices.Delete(left, i, i+1)
		} else {
			out = append(out, f)
		}
	}
	return out
}

// passed holds what was said on the client's side of the guard against what was said on the server's: but for the one call that is
// stopped, and its answer, both are the same, byte for byte.
func passed(t *testing.T, clientIn, serverIn, clientOut, serverOut []string) {
	t.Helper()
	asked, told := lacking(clientIn, serverIn), lacking(clientOut, serverOut)
	if len(asked) != 1 || !strings.Contains(asked[0], `{"message":7}`) || len(told) != 1 || !strings.Contains(told[0], "traffic/invalid-arguments") {
		t.Errorf("only the client wrote %.600q, and only it read %.600q", asked, told)
	}
	if asked, told := lacking(serverIn, clientIn), lacking(serverOut, clientOut); len(asked)+len(told) > 0 {
		t.Errorf("only the server read %.600q, and only it wrote %.600q", asked, told)
	}
}

// besides does one thing beside others, which are done one after the other: what tells the time says another one then.
func besides(one func(), others []func()) {
	var wait sync.WaitGroup
	wait.Go(one)
	for _, f := range others {
		f()
	}
	wait.Wait()
}

// Real servers under the official client: every tool, every notification, and the requests of the servers pass the guard as they are.
func TestOfficialServersAndClientsSpeakThroughTheGuardAsWithoutIt(t *testing.T) {
	t.Parallel()
	modules, node := official(t)
	for _, kind := range []string{"everything", "filesystem", "memory"} {
		server := npmServer(t, "server-"+kind)
		t.Run(kind+" on stdio", func(t *testing.T) {
			t.Parallel()
			runs := make([]stage, 3)
			if kind == "memory" { // which says the same each time
				runs = runs[:2]
			}
			walks := make([]func(), len(runs))
			for i := range runs {
				work := t.TempDir()
				s := set(t, modules, node, work)
				runs[i] = s
				command := s.node + " " + server
				if kind == "filesystem" {
					command += " " + work
					if err := os.WriteFile(filepath.Join(work, "dot.png"), []byte("dot"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				start := s.script(t, "client", s.piped("client", command))
				if i == 0 {
					inner := s.script(t, "server", s.piped("server", command))
					start = s.script(t, "client", s.piped("client", "mcpassay guard run -- "+inner))
				}
				walks[i] = func() { s.walk(t, kind, append([]string{"--"}, strings.Fields(start)...)...) }
			}
			besides(walks[0], walks[1:])
			if t.Failed() {
				return
			}
			g := runs[0]
			passed(t, g.lines(t, "client.in"), g.lines(t, "server.in"), g.lines(t, "client.out"), g.lines(t, "server.out"))
			plain := func(i int) (out []string) { // each run has a folder of its own
				for _, line := range runs[i].lines(t, "client.out") {
					out = append(out, strings.NewReplacer(runs[i].work, "WORK", runs[i].dir, "HOME").Replace(line))
				}
				return out
			}
			alike(t, plain(0), plain(1), plain(len(runs)-1))
		})
	}
	t.Run("everything over HTTP", func(t *testing.T) {
		t.Parallel()
		s := set(t, modules, node, t.TempDir())
		origin := everythingHTTP(t, s, npmServer(t, "server-everything"))
		behind := record(t, origin)
		before := record(t, guardedHTTP(t, s.dir, behind.URL+"/mcp"))
		direct, again := record(t, origin), record(t, origin)
		walk := func(r *recorder) func() { return func() { s.walk(t, "everything", "--url", r.URL+"/mcp") } }
		besides(walk(before), []func(){walk(direct), walk(again)})
		if t.Failed() {
			return
		}
		stopped := 0
		for key, at := range before.all() {
			beyond := behind.all()[key]
			if beyond == nil {
				if stopped++; !strings.Contains(at.asked.String(), `{"message":7}`) || !strings.Contains(at.answer.String(), "traffic/invalid-arguments") {
					t.Errorf("stopped: %.300q: %.300q", at.asked.String(), at.answer.String())
				}
				continue
			}
			if at.verb != beyond.verb || at.status != beyond.status || at.kind != beyond.kind || !bytes.Equal(at.asked.Bytes(), beyond.asked.Bytes()) || !bytes.Equal(at.answer.Bytes(), beyond.answer.Bytes()) {
				t.Errorf("%s %d %s %.300q %.300q\nbeyond the guard\n%s %d %s %.300q %.300q", at.verb, at.status, at.kind, at.asked.String(), at.answer.String(),
					beyond.verb, beyond.status, beyond.kind, beyond.asked.String(), beyond.answer.String())
			}
		}
		if stopped != 1 || len(behind.all()) != len(before.all())-1 {
			t.Errorf("%d requests of %d, %d stopped", len(behind.all()), len(before.all()), stopped)
		}
		alike(t, before.frames(), direct.frames(), again.frames())
	})
}

// What the Inspector prints is the same through the guard.
func TestTheInspectorPrintsTheSameThroughTheGuard(t *testing.T) {
	t.Parallel()
	modules, node := official(t)
	s := set(t, modules, node, t.TempDir())
	run := func(t *testing.T, args ...string) string {
		t.Helper()
		cmd := exec.Command(node, append([]string{inspector(modules), "--cli"}, args...)...)
		cmd.Env, cmd.Dir = s.env, s.dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
		return string(out)
	}
	for kind, ask := range map[string][]string{
		"everything": {"--method", "tools/call", "--tool-name", "get-structured-content", "--tool-arg", "location=Chicago"},
		"memory":     {"--method", "tools/list"},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			plain := s.script(t, kind, "exec "+node+" "+npmServer(t, "server-"+kind)+"\n")
			guarded := s.script(t, kind+"-guarded", "exec mcpassay guard run -- "+plain+"\n")
			if want, got := run(t, append(strings.Fields(plain), ask...)...), run(t, append(strings.Fields(guarded), ask...)...); got != want || !strings.Contains(got, "{") {
				t.Errorf("%s\nwithout the guard\n%s", got, want)
			}
		})
	}
	t.Run("over HTTP", func(t *testing.T) {
		t.Parallel()
		origin := everythingHTTP(t, s, npmServer(t, "server-everything"))
		ask := []string{"--transport", "http", "--method", "tools/list"}
		want, got := run(t, append([]string{origin + "/mcp"}, ask...)...), run(t, append([]string{guardedHTTP(t, s.dir, origin+"/mcp") + "/mcp"}, ask...)...)
		if got != want || !strings.Contains(got, "get-sum") {
			t.Errorf("%s\nwithout the guard\n%s", got, want)
		}
	})
}

// everythingHTTP starts that server over HTTP.
func everythingHTTP(t *testing.T, s stage, script string) (origin string) {
	t.Helper()
	port := free(t)
	cmd := exec.Command(s.node, script, "streamableHttp")
	cmd.Env, cmd.Dir = append(slices.Clip(s.env), "PORT="+port), s.dir
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for lines := bufio.NewScanner(errs); lines.Scan(); {
		if strings.Contains(lines.Text(), "listening") {
			go func() { _, _ = io.Copy(io.Discard, errs) }()
			return "http://127.0.0.1:" + port
		}
	}
	t.Fatal("the server does not listen")
	return ""
}

// guardedHTTP starts a guard before a server with a URL.
func guardedHTTP(t *testing.T, home, upstream string, flags ...string) (origin string) {
	t.Helper()
	origin, _ = guardOverHTTP(t, home, upstream, flags...)
	return origin
}

// guardOverHTTP starts a guard before a server with a URL; interrupt ends it, and gives its exit code and what it printed.
func guardOverHTTP(t *testing.T, home, upstream string, flags ...string) (origin string, interrupt func() (int, string)) {
	t.Helper()
	cmd := exec.Command("mcpassay", append([]string{"guard", "run", "--listen", "127.0.0.1:0", "--upstream", upstream}, flags...)...)
	cmd.Env, cmd.Dir = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="), t.TempDir()
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	var printed bytes.Buffer
	said := bufio.NewReader(errs)
	for {
		line, err := said.ReadString('\n')
		printed.WriteString(line)
		if m := regexp.MustCompile(`(http://\S+)/mcp stands before`).FindStringSubmatch(line); m != nil {
			origin = m[1]
			break
		}
		if err != nil {
			t.Fatalf("the guard does not listen: %s", printed.String())
		}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(&printed, said)
		_ = cmd.Wait()
	}()
	return origin, func() (int, string) {
		t.Helper()
		_ = cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(30 * time.Second):
			t.Fatal("an interrupt does not end the guard")
		}
		return cmd.ProcessState.ExitCode(), printed.String()
	}
}

// recorder is a proxy that takes down what passes it.
type recorder struct {
	*httptest.Server
	mu   sync.Mutex
	seen map[string]*recorded
}

// exchange is one request and its answer.
type recorded struct {
	verb, kind    string
	status        int
	asked, answer bytes.Buffer
}

// mark is the field that tells which request on one side of the guard is which on the other.
const mark = "X-Recorded"

func record(t *testing.T, origin string) *recorder {
	t.Helper()
	to, err := url.Parse(origin)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{seen: map[string]*recorded{}}
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1,
		Transport:     &http.Transport{DisableCompression: true},
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }, // whose client is gone
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(to)
			r.mu.Lock()
			defer r.mu.Unlock()
			key := p.In.Header.Get(mark)
			if key == "" {
				key = strconv.Itoa(len(r.seen) + 1)
				p.Out.Header.Set(mark, key)
			}
			e := &recorded{verb: p.In.Method}
			r.seen[key] = e
			if p.Out.Body != nil {
				p.Out.Body = &taped{p.Out.Body, r, &e.asked}
			}
		},
		ModifyResponse: func(resp *http.Response) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			e := r.seen[resp.Request.Header.Get(mark)]
			e.status, e.kind = resp.StatusCode, resp.Header.Get("Content-Type")
			resp.Body = &taped{resp.Body, r, &e.answer}
			return nil
		},
	}
	r.Server = httptest.NewServer(proxy)
	t.Cleanup(func() { r.CloseClientConnections(); r.Close() })
	return r
}

// taped is a body that is taken down as it is read.
type taped struct {
	io.ReadCloser
	r  *recorder
	to *bytes.Buffer
}

func (b *taped) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.r.mu.Lock()
	defer b.r.mu.Unlock()
	b.to.Write(p[:n])
	return n, err
}

func (r *recorder) all() map[string]*recorded { return r.seen }

// frames are the messages that the client read.
func (r *recorder) frames() (out []string) {
	for _, e := range r.seen {
		if !strings.HasPrefix(e.kind, "text/event-stream") {
			if e.status == 200 && e.answer.Len() > 0 && e.verb == "POST" {
				out = append(out, e.answer.String())
			}
			continue
		}
		for line := range strings.Lines(e.answer.String()) {
			if data, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "data: "); ok && data != "" {
				out = append(out, data)
			}
		}
	}
	return out
}
