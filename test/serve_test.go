package test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpassay/mcpassay/internal/report"
	"github.com/mcpassay/mcpassay/internal/text"
)

// process is this program as a process of its own, in a folder without a project.
func process(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &exec.Cmd{Path: exe, Args: append([]string{"mcpassay"}, args...), Dir: dir,
		Env: append(os.Environ(), "HOME="+dir, "USERPROFILE="+dir, "XDG_CONFIG_HOME=", "APPDATA="+dir, "NO_COLOR=1")}
}

// shownBy is what a verb prints to standard output, whatever its exit code.
func shownBy(t *testing.T, dir, input string, args ...string) []byte {
	t.Helper()
	cmd := process(t, dir, args...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out
}

// served sends messages to `mcpassay serve` and gives the responses by their id.
func served(t *testing.T, dir string, messages ...string) map[string]json.RawMessage {
	t.Helper()
	return servedWith(t, dir, nil, messages...)
}

// servedWith is served by a server with flags.
func servedWith(t *testing.T, dir string, flags []string, messages ...string) map[string]json.RawMessage {
	t.Helper()
	all := map[string]json.RawMessage{}
	for line := range strings.Lines(string(shownBy(t, dir, strings.Join(messages, "\n")+"\n", append([]string{"serve"}, flags...)...))) {
		var m struct {
			ID     json.RawMessage
			Result json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		all[string(m.ID)] = m.Result
	}
	return all
}

func toolCall(id int, tool string, arguments any) string {
	raw, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, raw)
}

// Every tool answers with what the command line prints for the same job, as JSON and as text, and with what its own schema
// says that it answers.
func TestToolsAnswerWhatTheCommandLinePrints(t *testing.T) {
	dir := t.TempDir()
	config := `{"mcpServers": {"a": {"command": "npx", "args": ["-y", "left-pad"], "env": {"API_KEY": "sk-proj-` + strings.Repeat("Ab1", 16) + `"}}, "b": {"url": "http://mcp.vendor.com"}}}`
	tools := `{"tools": [{"name": "add", "description": "Adds two numbers.", "inputSchema": {"type": "object", "required": ["a"]}}, {"name": "Add"}]}`
	if err := os.WriteFile(filepath.Join(dir, "tools.json"), []byte(tools), 0o600); err != nil {
		t.Fatal(err)
	}
	type none struct{}
	cases := []struct {
		tool      string
		arguments any
		input     string
		verb      []string
		// list says that the command line prints a list: in the answer it stands under rules.
		list bool
	}{
		{"list_rules", none{}, "", []string{"rules"}, true},
		{"list_rules", map[string]any{"names": []string{"launch/*", "http-no-tls"}}, "", []string{"rules", "launch/*", "http-no-tls"}, true},
		{"explain_rule", map[string]string{"rule": "http-no-tls"}, "", []string{"explain", "http-no-tls"}, true},
		{"lint_config", map[string]string{"config": config}, config, []string{"lint", "-", "--env", "none"}, false},
		{"lint_config", map[string]string{"config": config, "client": "cursor"}, config, []string{"lint", "-", "--client", "cursor", "--env", "none"}, false},
		{"lint_config", map[string]string{"config": "{"}, "{", []string{"lint", "-", "--env", "none"}, false},
		{"scan_tools", map[string]string{"tools": tools}, "", []string{"scan", "--replay", "tools.json", "--env", "none"}, false},
		{"score_card", none{}, "", []string{"probe", "fixture://demo", "--deep=false", "--env", "none"}, false},
		{"example", none{}, "", []string{"probe", "fixture://demo", "--deep=false", "--env", "none"}, false},
		{"score_card", map[string]string{"url": "fixture://mcp-endpoint-lint/demo"}, "", []string{"probe", "fixture://demo", "--deep=false", "--env", "none"}, false},
		{"handshake_report", none{}, "", []string{"probe", "fixture://demo", "--deep=false", "--env", "none", "--section", "handshake"}, false},
		{"tools_list_report", none{}, "", []string{"probe", "fixture://demo", "--deep=false", "--env", "none", "--section", "tools"}, false},
		{"error_conformance", none{}, "", []string{"probe", "fixture://demo", "--deep=false", "--env", "none", "--section", "errors"}, false},
		{"discovery_report", none{}, "", []string{"probe", "fixture://demo", "--deep=false", "--env", "none", "--section", "discovery"}, false},
		{"doctor", none{}, "", []string{"doctor"}, false},
		{"mcpassay_doctor", none{}, "", []string{"doctor"}, false},
		{"whoami", none{}, "", nil, false},
	}
	messages := []string{`{"jsonrpc":"2.0","id":"tools","method":"tools/list"}`}
	for i, c := range cases {
		messages = append(messages, toolCall(i, c.tool, c.arguments))
	}
	answers := served(t, dir, messages...)
	outputs := outputSchemas(t, answers[`"tools"`])
	called := map[string]bool{}
	for i, c := range cases {
		called[c.tool] = true
		var r struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
			IsError           bool
		}
		if err := json.Unmarshal(answers[fmt.Sprint(i)], &r); err != nil || r.IsError || len(r.Content) != 1 {
			t.Errorf("%s %v: %v, %s", c.tool, c.arguments, err, answers[fmt.Sprint(i)])
			continue
		}
		var v any
		if err := json.Unmarshal(r.StructuredContent, &v); err != nil {
			t.Fatal(err)
		}
		if err := outputs[c.tool].Validate(v); err != nil {
			t.Errorf("%s %v does not keep to its own schema: %v", c.tool, c.arguments, err)
		}
		if c.verb == nil {
			continue
		}
		want := shownBy(t, dir, c.input, append(c.verb, "--format", "json")...)
		if c.list {
			want = []byte(`{"rules":` + string(want) + `}`)
		} else if err := report.Validate(r.StructuredContent); err != nil {
			t.Errorf("%s %v is no valid report: %v", c.tool, c.arguments, err)
		}
		if a, b := comparable(t, r.StructuredContent), comparable(t, want); a != b {
			t.Errorf("%s %v says\n%s\nand the command line\n%s", c.tool, c.arguments, a, b)
		}
		text := string(shownBy(t, dir, c.input, c.verb...))
		if said := r.Content[0].Text; said != text && !strings.HasSuffix(said, "\n\n"+text) {
			t.Errorf("%s %v says\n%s\nand the command line\n%s", c.tool, c.arguments, said, text)
		}
	}
	for name := range outputs {
		if !called[name] && !slices.Contains(packageTools, name) {
			t.Errorf("no case calls %s", name)
		}
	}
}

// comparable is a document in one spelling, without what differs from run to run.
func comparable(t *testing.T, doc []byte) string {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatalf("%v in %.300s", err, doc)
	}
	if run, ok := v["run"].(map[string]any); ok {
		delete(run, "id")
		delete(run, "startedAt")
	}
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func outputSchemas(t *testing.T, list json.RawMessage) map[string]*jsonschema.Schema {
	t.Helper()
	var l struct {
		Tools []struct {
			Name         string
			OutputSchema any
		}
	}
	if err := json.Unmarshal(list, &l); err != nil || len(l.Tools) != 21 {
		t.Fatalf("%d tools, %v", len(l.Tools), err)
	}
	all := map[string]*jsonschema.Schema{}
	for _, k := range l.Tools {
		c := jsonschema.NewCompiler()
		if err := c.AddResource("mem:///"+k.Name, k.OutputSchema); err != nil {
			t.Fatal(err)
		}
		s, err := c.Compile("mem:///" + k.Name)
		if err != nil {
			t.Fatal(err)
		}
		all[k.Name] = s
	}
	return all
}

// listening starts `mcpassay serve --http` on a free port and gives the address of its endpoint; interrupt ends it.
func listening(t *testing.T, env []string, args ...string) (endpoint string, interrupt func() int) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no interrupt for one process")
	}
	cmd := process(t, t.TempDir(), append([]string{"serve"}, args...)...)
	cmd.Env = append(cmd.Env, env...)
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(errs).ReadString('\n')
	m := regexp.MustCompile(`^MCP at (http://\S+/mcp),`).FindStringSubmatch(line)
	if err != nil || m == nil {
		t.Fatalf("%q, %v", line, err)
	}
	return m[1], func() int {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { _, _ = io.Copy(io.Discard, errs); done <- cmd.Wait() }()
		select {
		case <-done:
			return cmd.ProcessState.ExitCode()
		case <-time.After(10 * time.Second):
			t.Error("an interrupt does not end it")
			return -1
		}
	}
}

func post(t *testing.T, endpoint, body string, fields ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequest("POST", endpoint, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("content-type", "application/json")
	r.Header.Set("accept", "application/json, text/event-stream")
	for i := 0; i+1 < len(fields); i += 2 {
		r.Header.Set(fields[i], fields[i+1])
	}
	resp, err := (&http.Client{Timeout: 20 * time.Second}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

// The requests that the document of the endpoint lint publishes, sent to our host as they stand.
func TestThePublishedRequestsWorkWithoutAHandshake(t *testing.T) {
	t.Parallel()
	endpoint, interrupt := listening(t, nil, "--http", "127.0.0.1:0")
	for tool, want := range map[string]string{"score_card": `"scoreCard":{"target":"fixture://mcp-endpoint-lint/demo"`, "whoami": `"class":"Go program"`} {
		for _, path := range []string{"", "/lint"} {
			status, body := post(t, endpoint+path, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":{}}}`)
			if status != 200 || !strings.Contains(body, want) || !strings.HasPrefix(body, `{"jsonrpc":"2.0","id":1,"result":{"content":`) {
				t.Errorf("%s: %d %.400s", tool, status, body)
			}
		}
	}
	// A stranger's URL leads nowhere but to public hosts.
	for _, target := range []string{endpoint, "https://127.0.0.1/mcp", "http://mcp.vendor.com/mcp", "https://intranet/mcp", "https://0x7f.1/", "https://a.trycloudflare.com/mcp", "file:///etc/passwd"} {
		_, body := post(t, endpoint, toolCall(1, "score_card", map[string]string{"url": target}))
		if !strings.Contains(body, `"isError":true`) || !strings.Contains(body, "not asked: ") {
			t.Errorf("%s was asked: %.300s", target, body)
		}
	}
	if code := interrupt(); code != 0 {
		t.Errorf("an interrupt ends it with %d", code)
	}
}

func TestAnOpenAddressNeedsItsToken(t *testing.T) {
	t.Parallel()
	token := strings.Repeat("t0ken", 5)
	endpoint, interrupt := listening(t, []string{"MCP_TEST_TOKEN=" + token}, "--http", "127.0.0.1:0", "--token-env", "MCP_TEST_TOKEN")
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, given := range []string{"", "Bearer ", "Bearer " + token + "x", "Bearer " + token[1:], "Basic " + token, token} {
		if status, body := post(t, endpoint, ping, "authorization", given); status != 401 || !strings.Contains(body, `"error"`) {
			t.Errorf("%q: %d %s", given, status, body)
		}
	}
	if status, _ := post(t, endpoint, ping, "authorization", "Bearer "+token); status != 200 {
		t.Errorf("the token is refused: %d", status)
	}
	if code := interrupt(); code != 0 {
		t.Errorf("an interrupt ends it with %d", code)
	}
}

// A caller who was allowed private networks by the operator reaches a server of this machine, and never this server itself.
func TestAnotherServerOfThisMachineIsGradedWhereTheOperatorAllowsIt(t *testing.T) {
	t.Parallel()
	other, endOther := listening(t, nil, "--http", "127.0.0.1:0")
	endpoint, end := listening(t, nil, "--http", "127.0.0.1:0", "--allow-private-network")
	_, body := post(t, endpoint, toolCall(1, "score_card", map[string]string{"url": other}))
	if !strings.Contains(body, `"total":100,"grade":"A"`) {
		t.Errorf("%.600s", body)
	}
	_, body = post(t, endpoint, toolCall(1, "discovery_report", map[string]string{"host": other}))
	if !strings.Contains(body, `"verdict":"served"`) || strings.Contains(body, `"check":"initialize"`) {
		t.Errorf("%.600s", body)
	}
	for _, own := range []string{endpoint, strings.Replace(endpoint, "127.0.0.1", "localhost", 1), strings.Replace(endpoint, "127.0.0.1", "[::1]", 1)} {
		if _, body = post(t, endpoint, toolCall(1, "score_card", map[string]string{"url": own})); !strings.Contains(body, "does not probe itself") {
			t.Errorf("%s: %.300s", own, body)
		}
	}
	for _, alias := range []string{"127.1:", "0x7f000001:", "[::ffff:127.0.0.1]:", "127.0.0.1:0"} {
		own := strings.Replace(endpoint, "127.0.0.1:", alias, 1)
		if _, body = post(t, endpoint, toolCall(1, "score_card", map[string]string{"url": own})); !strings.Contains(body, "leads to this program itself") {
			t.Errorf("%s: %.300s", own, body)
		}
	}
	endOther()
	end()
}

// bytes of a stranger that are no text stay out of what is printed.
func TestWhatACallerSendsDrivesNoTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := shownBy(t, dir, `{"jsonrpc":"2.0","id":1,"method":"no/\u001b[31msuch\u202e"}`+"\n"+toolCall(2, "explain_rule", map[string]string{"rule": "\x1b[2J\u202e"})+"\n", "serve")
	for line := range bytes.Lines(out) {
		var m struct {
			Error  struct{ Message string }
			Result struct{ Content []struct{ Text string } }
		}
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		for _, c := range m.Result.Content {
			m.Error.Message += c.Text
		}
		shown := strings.ReplaceAll(m.Error.Message, string(text.Replacement), "")
		if m.Error.Message == "" || strings.ContainsFunc(shown, text.Unsafe) {
			t.Errorf("%q", line)
		}
	}
}
