package test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// many is guard serve over a config, with the ends of its client.
type many struct {
	t   *testing.T
	cmd *exec.Cmd
	in  *os.File
	out *bufio.Reader
	// seen counts what came that is no answer, by its method.
	seen map[string]int
}

type launched struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

func serveMany(t *testing.T, dir string, config map[string]launched, flags ...string) *many {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"mcpServers": config})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "servers.json"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	m := &many{t: t, seen: map[string]int{}}
	m.cmd = exec.Command("mcpassay", append([]string{"guard", "serve", "--config", "servers.json", "--allow-exec"}, flags...)...)
	m.cmd.Dir, m.cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME=", "MEMORY="+filepath.Join(dir, "memory.json"))
	stdin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	m.cmd.Stdin, m.in = stdin, in
	stdout, err := m.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stdin.Close()
	t.Cleanup(func() { in.Close(); _ = m.cmd.Process.Kill(); _ = m.cmd.Wait() })
	m.out = bufio.NewReaderSize(stdout, 1<<20)
	m.ask("0", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true},"sampling":{}},"clientInfo":{"name":"t","version":"1"}}`)
	m.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return m
}

func (m *many) say(line string) {
	m.t.Helper()
	if _, err := fmt.Fprintln(m.in, line); err != nil {
		m.t.Fatal(err)
	}
}

// ask makes a request and gives its result. What servers ask meanwhile is answered, as a client does.
func (m *many) ask(id, method, params string) string {
	m.t.Helper()
	m.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	for {
		line := read(m.t, m.out)
		var f struct {
			ID     json.RawMessage
			Method string
			Result json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			m.t.Fatalf("%v: %s", err, line)
		}
		m.seen[f.Method]++
		switch f.Method {
		case "roots/list":
			m.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"roots":[]}}`, f.ID))
		case "sampling/createMessage":
			m.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"role":"assistant","content":{"type":"text","text":"forty-two"},"model":"m"}}`, f.ID))
		case "":
			if string(f.ID) != id || f.Result == nil {
				m.t.Fatalf("%s %s is answered with %s", method, params, line)
			}
			return string(f.Result)
		}
	}
}

// children are the processes that the guard has started.
func (m *many) children() (pids []int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", m.cmd.Process.Pid))
	var raw []byte
	for _, task := range tasks { // any thread may have started one
		one, _ := os.ReadFile(task)
		raw = append(raw, one...)
	}
	for _, word := range strings.Fields(string(raw)) {
		var pid int
		if _, err := fmt.Sscan(word, &pid); err != nil {
			m.t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

func TestRealServersBehindOneEntry(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "note.txt"), []byte("A note."), 0o600); err != nil {
		t.Fatal(err)
	}
	m := serveMany(t, dir, map[string]launched{
		"everything": {Command: "node", Args: []string{npmServer(t, "server-everything")}},
		"filesystem": {Command: "node", Args: []string{npmServer(t, "server-filesystem"), dir}},
		"memory":     {Command: "node", Args: []string{npmServer(t, "server-memory")}, Env: map[string]string{"MEMORY_FILE_PATH": "${MEMORY}"}},
	})
	if n := len(m.children()); n != 0 {
		t.Errorf("a handshake started %d servers", n)
	}
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal([]byte(m.ask("1", "tools/list", `{}`)), &list); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, tool := range list.Tools {
		server, _, _ := strings.Cut(tool.Name, "__")
		count[server]++
	}
	if count["everything"] < 10 || count["filesystem"] < 10 || count["memory"] != 9 || len(m.children()) != 3 {
		t.Errorf("%v tools of %d processes", count, len(m.children()))
	}
	for _, c := range []struct{ method, params, want string }{
		{"tools/call", `{"name":"everything__echo","arguments":{"message":"a, b"}}`, "Echo: a, b"},
		{"tools/call", `{"name":"everything__trigger-long-running-operation","arguments":{"duration":1,"steps":2},"_meta":{"progressToken":"p"}}`, "completed"},
		{"tools/call", `{"name":"everything__trigger-sampling-request","arguments":{"prompt":"What is it?","maxTokens":9}}`, "forty-two"},
		{"tools/call", fmt.Sprintf(`{"name":"filesystem__read_text_file","arguments":{"path":%q}}`, filepath.Join(dir, "note.txt")), "A note."},
		{"tools/call", `{"name":"memory__create_entities","arguments":{"entities":[{"name":"Ada","entityType":"person","observations":["counts"]}]}}`, "Ada"},
		{"prompts/get", `{"name":"everything__simple-prompt"}`, "prompt"},
		{"resources/read", `{"uri":"everything+demo://resource/dynamic/text/1"}`, `"everything+demo://resource/dynamic/text/1"`},
		{"resources/templates/list", `{}`, `"everything+demo://resource/dynamic/text/{resourceId}"`},
	} {
		if got := m.ask("2", c.method, c.params); !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %s", c.method, c.params, got)
		}
	}
	if m.seen["notifications/progress"] != 2 || m.seen["sampling/createMessage"] != 1 {
		t.Errorf("what came beside answers: %v", m.seen)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "memory.json")); err != nil || !strings.Contains(string(raw), "Ada") {
		t.Errorf("a variable of the entry did not get its value: %v", err)
	}

	// One is killed in the middle, and is there again; the others are the same processes.
	before := m.children()
	if err := syscall.Kill(before[len(before)-1], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	gone(t, "the server", before[len(before)-1])
	for i, call := range []string{`{"name":"everything__echo","arguments":{"message":"a"}}`, `{"name":"filesystem__list_allowed_directories","arguments":{}}`, `{"name":"memory__read_graph","arguments":{}}`} {
		m.ask(fmt.Sprint(10+i), "tools/call", call)
	}
	after := m.children()
	same := 0
	for _, pid := range after {
		for _, old := range before {
			if pid == old {
				same++
			}
		}
	}
	if len(after) != 3 || same != 2 {
		t.Errorf("%d processes, %d of them as before", len(after), same)
	}

	// All end with the guard, however that ends.
	if err := m.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for _, pid := range after {
		gone(t, "a server", pid)
	}
}

// A server that is of no use takes no more than its part of one guard: twenty that a lock holds are offered, none of them runs, and the
// memory is that of one program.
func TestTwentyServersThatNobodyCallsAreOneProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const script = `while read -r l; do id=$(expr "$l" : '.*"id":\([0-9]*\)'); case $l in *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}';; *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"add","inputSchema":{"type":"object"}}]}}';; *'"tools/call"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"seven"}]}}';; *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no"}}';; esac; done`
	config := map[string]launched{}
	for i := range 20 {
		config[fmt.Sprintf("s%d", i)] = launched{Command: "sh", Args: []string{"-c", script, fmt.Sprint(i)}}
	}
	first := serveMany(t, dir, config)
	first.ask("1", "tools/list", `{}`)
	if n := len(first.children()); n != 20 {
		t.Fatalf("%d processes", n)
	}
	memory := func(m *many) int { return resident(t, m.cmd.Process.Pid) }
	running := memory(first)
	first.in.Close()
	_ = first.cmd.Wait()

	pin := exec.Command("mcpassay", "pin", "--executor", "host", "--config", "servers.json", "--allow-exec")
	pin.Dir, pin.Env = dir, append(os.Environ(), "HOME="+dir)
	if out, err := pin.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	m := serveMany(t, dir, config)
	if got := m.ask("1", "tools/list", `{}`); strings.Count(got, "__add") != 20 || len(m.children()) != 0 {
		t.Errorf("%d processes for %s", len(m.children()), got)
	}
	idle := memory(m)
	m.ask("2", "tools/call", `{"name":"s7__add","arguments":{}}`)
	if n := len(m.children()); n != 1 {
		t.Errorf("%d processes for one call", n)
	}
	t.Logf("KiB of RssAnon: 20 running %d, 20 offered %d", running, idle)
	const most = 12 << 10 // KiB, what one guarded server may take
	if running > 4*most || idle > 2*most {
		t.Errorf("KiB of RssAnon: 20 running %d, 20 offered %d", running, idle)
	}
}
