package test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The chaos of a thousand sessions: servers that flood, stall, write what is no message and die; clients that write nonsense, read late
// and go away; guards that are killed. No session hangs, no process and no descriptor is left, and no frame is lost or moved that was not
// refused with an error.
//
// A hundred are run where nobody waits for CI.
func TestAThousandSessionsOfChaos(t *testing.T) {
	sessions := uint64(100)
	if os.Getenv("MCPASSAY_CI") != "" {
		sessions = 1000
	}
	guard, server := chaotic(t)
	home := t.TempDir() // one: all guards keep what they saw first in one place
	before := descriptors(t, os.Getpid())
	seeds := make(chan uint64)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for seed := range seeds {
				if err := chaos(guard, server, home, t.TempDir(), seed); err != nil {
					t.Errorf("session %d: %v", seed, err)
				}
			}
		})
	}
	for seed := range sessions {
		if t.Failed() {
			break
		}
		seeds <- seed
	}
	close(seeds)
	wg.Wait()
	if after := descriptors(t, os.Getpid()); after > before+2 {
		t.Errorf("%d descriptors were open, %d are", before, after)
	}
	for range 100 {
		if left := running(t, server); len(left) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("processes that live on: %v", running(t, server))
}

// chaotic builds the guard and a server of chaos.
func chaotic(t *testing.T) (guard, server string) {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir, "./chaos", "../cmd/mcpassay").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "mcpassay"), filepath.Join(dir, "chaos")
}

// A guard of a long session keeps nothing of it: neither memory nor descriptors.
func TestALongSessionLeavesNothingInTheGuard(t *testing.T) {
	guard, server := chaotic(t)
	dir := t.TempDir()
	cmd := exec.Command(guard, "guard", "run", "--", server)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME=", "CHAOS_SEED=4", "CHAOS_REPORT="+filepath.Join(dir, "report"))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewReader(out)
	h := heard{answers: map[int]int{}, refused: map[int]bool{}}
	ask := func(id int, method, params string) {
		t.Helper()
		if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params); err != nil {
			t.Fatal(err)
		}
		for h.answers[id] == 0 {
			h.line([]byte(read(t, lines)))
			if h.wrong != "" {
				t.Fatal(h.wrong)
			}
		}
		delete(h.answers, id)
		delete(h.refused, id)
	}
	ask(1, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"long","version":"1"}}`)
	ask(2, "tools/list", `{}`)
	state := func() (kib, open int) { return resident(t, cmd.Process.Pid), descriptors(t, cmd.Process.Pid) }
	var kib, open int
	const calls = 2000
	for id := 3; id < 3+calls; id++ {
		if id == calls/4 {
			kib, open = state()
		}
		ask(id, "tools/call", fmt.Sprintf(`{"name":"echo","arguments":{"n":%d,"text":"where is it?"}}`, id))
	}
	if k, o := state(); k > kib+4<<10 || k > 32<<10 || o != open {
		t.Errorf("after a quarter of %d calls %d KiB and %d descriptors, at the end %d and %d", calls, kib, open, k, o)
	} else {
		t.Logf("%d frames: %d KiB, %d descriptors; after a quarter %d KiB", len(h.seqs), k, o, kib)
	}
}

func descriptors(t *testing.T, pid int) int {
	t.Helper()
	all, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// running are the processes whose command line names a program.
func running(t *testing.T, program string) (pids []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if raw, err := os.ReadFile(p); err == nil && bytes.Contains(raw, []byte(program)) {
			pids = append(pids, filepath.Base(filepath.Dir(p)))
		}
	}
	return pids
}

// How a session ends.
const (
	inPeace = iota
	serverDies
	guardIsKilled
	clientGoes
)

// heard is what a client got.
type heard struct {
	answers map[int]int // by the id of the request, how many came
	refused map[int]bool
	seqs    []int
	wrong   string
}

func (h *heard) line(line []byte) {
	var m struct {
		ID     *int
		Method string
		Result struct {
			Meta struct{ Seq int } `json:"_meta"`
		}
		Params struct {
			Meta struct{ Seq int } `json:"_meta"`
		}
		Error *struct{ Code int }
	}
	if line[0] != '{' {
		if !bytes.HasPrefix(line, []byte("listening")) {
			h.wrong = fmt.Sprintf("the line %.80q", line)
		}
		return
	}
	if err := json.Unmarshal(line, &m); err != nil {
		h.wrong = fmt.Sprintf("%v in %.80q", err, line)
		return
	}
	if m.Error != nil {
		if m.Error.Code != -32099 {
			h.wrong = fmt.Sprintf("the error %s", line)
		}
		if m.ID != nil {
			h.answers[*m.ID]++
			h.refused[*m.ID] = true
		}
		return
	}
	if m.ID != nil && m.Method == "" {
		h.answers[*m.ID]++
	}
	if seq := m.Result.Meta.Seq + m.Params.Meta.Seq; seq > 0 {
		h.seqs = append(h.seqs, seq)
	} else {
		h.wrong = fmt.Sprintf("a frame without a number: %.80q", line)
	}
}

// chaos runs one session and says what was wrong with it.
func chaos(guard, server, home, dir string, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 2))
	end := inPeace
	if r.IntN(2) == 0 {
		end = r.IntN(4)
	}
	report := filepath.Join(dir, "report")
	cmd := exec.Command(guard, "guard", "run", "--", server)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+home, "XDG_STATE_HOME=", "CHAOS_SEED="+strconv.FormatUint(seed, 10), "CHAOS_REPORT="+report)
	if end == serverDies {
		cmd.Env = append(cmd.Env, "CHAOS_DIES=1")
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	hang := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Signal(syscall.SIGQUIT) })
	defer hang.Stop()

	h := heard{answers: map[int]int{}, refused: map[int]bool{}}
	late, most := r.IntN(8) == 0, 0
	if end == clientGoes {
		most = r.IntN(40)
	}
	asked := make(chan struct{}, 1<<10) // one for each answer that is not a flood's
	done := make(chan struct{})
	go func() {
		defer close(done)
		lines := bufio.NewReaderSize(out, 1<<16)
		for n := 0; ; n++ {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			if h.line(bytes.TrimSuffix(line, []byte("\n"))); late && n%32 == 0 {
				time.Sleep(5 * time.Millisecond)
			}
			if end == clientGoes && n >= most {
				out.Close()
				return
			}
			select {
			case asked <- struct{}{}:
			default:
			}
		}
	}()
	sent, nonsense := requests(r, in, asked, func() {
		if end == guardIsKilled {
			_ = cmd.Process.Kill()
		}
	})
	in.Close()
	<-done
	werr := cmd.Wait()
	if !hang.Stop() {
		return errors.New("it hangs")
	}
	return settled(end, report, &h, sent, nonsense, werr)
}

// requests writes a session's requests and gives how many, and which of them are no message. The list of tools is waited for.
func requests(r *rand.Rand, in io.Writer, answered <-chan struct{}, half func()) (sent int, nonsense map[int]bool) {
	nonsense = map[int]bool{}
	write := func(format string, args ...any) { _, _ = fmt.Fprintf(in, format+"\n", args...) }
	write(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"chaos","version":"1"}}}`)
	write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	write(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	for range 2 {
		select {
		case <-answered:
		case <-time.After(20 * time.Second):
		}
	}
	total := 4 + r.IntN(24)
	for id := 3; id < 3+total; id++ {
		if id == 3+total/2 {
			half()
		}
		text := strings.Repeat("where is it? ", 1+r.IntN(30))
		switch r.IntN(16) {
		case 0:
			nonsense[id] = true
			write(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","method":"tools/call","params":{"name":"echo","arguments":{"n":%d,"text":"%s"}}}`, id, id, text)
		case 1:
			nonsense[id] = true
			write(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"n":%d,"text":"%s"`, id, id, text)
		case 2:
			time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
			fallthrough
		default:
			write(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"n":%d,"text":"%s"}}}`, id, id, text)
		}
	}
	return 2 + total, nonsense
}

// settled holds what a client got to what the server wrote down.
func settled(end int, report string, h *heard, sent int, nonsense map[int]bool, werr error) error {
	if h.wrong != "" {
		return errors.New("the client got " + h.wrong)
	}
	raw, err := os.ReadFile(report)
	if err != nil && end != guardIsKilled && end != clientGoes {
		return err
	}
	bad := map[int]bool{}
	var got []int
	last, code := 0, -1
	for line := range strings.Lines(string(raw)) {
		var word string
		var n int
		if _, err := fmt.Sscan(line, &word, &n); err != nil {
			return fmt.Errorf("the report says %q", line)
		}
		switch word {
		case "got":
			got = append(got, n)
		case "bad":
			bad[n] = true
			last = n
		case "sent":
			last = n
		case "exit":
			code = n
		}
	}
	// What the server got: each request in its place, but those that are no message.
	next := 3
	for _, n := range got {
		for nonsense[next] {
			next++
		}
		if n != next {
			return fmt.Errorf("the server got request %d where %d was next", n, next)
		}
		next++
	}
	// What the client got: each frame in its place, but those that are no message.
	seq := 1
	for _, n := range h.seqs {
		for bad[seq] && seq != n {
			seq++
		}
		if n != seq {
			return fmt.Errorf("the client got frame %d where %d was next", n, seq)
		}
		seq++
	}
	for bad[seq] {
		seq++
	}
	if end == guardIsKilled || end == clientGoes {
		return nil // what was under way is lost, and nothing else
	}
	if seq <= last {
		return fmt.Errorf("of %d frames the client got %d", last, seq-1)
	}
	for id := range nonsense {
		if code != 7 && !h.refused[id] { // who writes to a server that died may hear nothing
			return fmt.Errorf("request %d is no message, and nobody says so", id)
		}
	}
	for id, n := range h.answers {
		if n != 1 {
			return fmt.Errorf("request %d has %d answers", id, n)
		}
	}
	var exit *exec.ExitError
	if code < 0 || code > 0 && (!errors.As(werr, &exit) || exit.ExitCode() != code) || code == 0 && werr != nil {
		return fmt.Errorf("the server ended with %d, the guard with %v", code, werr)
	}
	if code != 7 && len(h.answers) != sent {
		return fmt.Errorf("%d requests, %d answers", sent, len(h.answers))
	}
	return nil
}
