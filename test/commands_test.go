package test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
)

// literal sets a variable to a Go string literal, for names that no line of a script can hold: literal NAME 'a\nb'
func literal(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: literal NAME LITERAL")
	}
	ts.Setenv(args[0], unquote(ts, args[1]))
}

var placeholder = regexp.MustCompile(`@[A-Z]+@`)

// fill copies a file with the value of the variable NAME in place of every @NAME@: fill FROM TO
func fill(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: fill FROM TO")
	}
	text := placeholder.ReplaceAllStringFunc(ts.ReadFile(args[0]), func(name string) string {
		v := ts.Getenv(strings.Trim(name, "@"))
		if v == "" {
			ts.Fatalf("%s is not set", name)
		}
		return v
	})
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[1])), 0o755))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
}

// servers writes a config of N servers under the wrong root key, in one line: servers FILE N
func servers(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: servers FILE N")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	var b strings.Builder
	b.WriteString(`{"servers":{`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"server-%d":{"command":"npx","args":["-y","@example/server-%d@1.4.2"],"env":{"LOG_LEVEL":"info"}}`, i, i)
	}
	b.WriteString("}}")
	path := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	ts.Check(os.WriteFile(path, []byte(b.String()), 0o644))
}

// sparse makes a file of N bytes that takes no room: sparse FILE N
func sparse(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: sparse FILE BYTES")
	}
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	path := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	ts.Check(os.WriteFile(path, nil, 0o644))
	ts.Check(os.Truncate(path, n))
}

// tame holds text against what may drive a terminal, a log or a reader: everything but letters, marks, numbers,
// punctuation, symbols, the space and the line feed. It says so in words of Unicode that the product does not use, so
// that the two can differ. tame stdout, tame stderr, tame FILE...
func tame(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || neg {
		ts.Fatalf("usage: tame stdout|stderr|FILE...")
	}
	for _, name := range args {
		text := ts.ReadFile(name)
		for i, r := range text {
			_, size := utf8.DecodeRuneInString(text[i:])
			if r == '\n' || r == ' ' || r == utf8.RuneError && size > 1 || unicode.IsGraphic(r) && !invisible(r) {
				continue
			}
			ts.Fatalf("%s holds %U at byte %d: %q", name, r, i, text[max(0, i-40):min(len(text), i+40)])
		}
	}
}

// invisible are the characters that count as graphic and show nothing: fillers, joiners, variation selectors.
func invisible(r rune) bool {
	switch {
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r >= 0x180B && r <= 0x180F, r == 0x3164, r == 0xFFA0,
		r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return unicode.Is(unicode.Zs, r) && r != ' ' && r != 0xA0 && r != 0x3000
}

// jsonAt compares one value of a JSON document, found by its pointer: a string by its text, the others by their
// compact JSON; len counts elements. json FILE POINTER [VALUE], json FILE POINTER len N
func jsonAt(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 4 || len(args) == 4 && args[2] != "len" {
		ts.Fatalf("usage: [!] json FILE POINTER [VALUE | len N]")
	}
	v, ok := pointed(ts, args[0], args[1])
	got := shownJSON(v)
	switch {
	case len(args) == 4:
		n := 0
		switch v := v.(type) {
		case []interface{}:
			n = len(v)
		case map[string]interface{}:
			n = len(v)
		}
		got, args[2] = strconv.Itoa(n), args[3]
	case len(args) == 2:
		if ok == neg {
			ts.Fatalf("%s: present: %v", args[1], ok)
		}
		return
	}
	if (ok && got == args[2]) == neg {
		ts.Fatalf("%s is %s (present: %v), compared with %s", args[1], got, ok, args[2])
	}
}

func pointed(ts *testscript.TestScript, file, pointer string) (v interface{}, ok bool) {
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(file)))
	d.UseNumber()
	ts.Check(d.Decode(&v))
	if pointer == "" {
		return v, true
	}
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch c := v.(type) {
		case map[string]interface{}:
			v, ok = c[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
		case []interface{}:
			i, err := strconv.Atoi(step)
			if ok = err == nil && i < len(c); ok {
				v = c[i]
			}
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	return v, true
}

// jsonlines holds every line of a file to be one JSON object: jsonlines stdout|FILE
func jsonlines(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: jsonlines FILE")
	}
	n := 0
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var v map[string]interface{}
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			ts.Fatalf("%v: %q", err, line)
		}
		n++
	}
	if n == 0 {
		ts.Fatalf("no line")
	}
}

func shownJSON(v interface{}) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// paste runs the command at a pointer of a report as a person would who pasted it into a shell; stdout and stderr
// are those of the command. paste CODE FILE POINTER
//
// Without a pointer it runs every command that a report offers, and each must be one that mcpassay accepts: paste FILE
func paste(ts *testscript.TestScript, neg bool, args []string) {
	switch {
	case len(args) == 3 && !neg:
		v, ok := pointed(ts, args[1], args[2])
		line, isText := v.(string)
		if !ok || !isText || line == "" {
			ts.Fatalf("%s holds no command", args[2])
		}
		code(ts, false, append([]string{args[0]}, shell(ts, line)...))
	case len(args) == 1 && !neg:
		v, _ := pointed(ts, args[0], "")
		lines := commands(v)
		if len(lines) == 0 {
			ts.Fatalf("the report offers no command")
		}
		for _, line := range lines {
			if strings.ContainsAny(line, "\n\r") {
				ts.Fatalf("more than one line: %q", line)
			}
			argv := shell(ts, line)
			_ = ts.Exec(argv[0], argv[1:]...) // its exit code is that of what it found
			if s := ts.ReadFile("stderr"); strings.Contains(s, "error:") || strings.Contains(s, "not found") {
				ts.Fatalf("the command does not work:\n%s", s)
			}
		}
	default:
		ts.Fatalf("usage: paste CODE FILE POINTER, or paste FILE")
	}
}

// shell is how a pasted line is run. The $'...' that stands for control characters is POSIX since 2024, and dash does
// not know it: there the line is run too, as it must do no harm, and then again in bash, where it must work.
func shell(ts *testscript.TestScript, line string) []string {
	ts.Logf("[paste] %s", line)
	if strings.Contains(line, "$'") {
		if _, err := exec.LookPath("bash"); err == nil {
			_ = ts.Exec("sh", "-c", line)
			return []string{"bash", "-c", line}
		}
	}
	return []string{"sh", "-c", line}
}

// commands are the command lines anywhere in a report.
func commands(v interface{}) (lines []string) {
	switch v := v.(type) {
	case []interface{}:
		for _, one := range v {
			lines = append(lines, commands(one)...)
		}
	case map[string]interface{}:
		for key, one := range v {
			if s, ok := one.(string); ok && (key == "hint" || key == "command") && strings.HasPrefix(s, "mcpassay ") {
				lines = append(lines, s)
			}
			lines = append(lines, commands(one)...)
		}
	}
	return lines
}

// traced looks into the trace of strace for what a static verb never does: a second execve, a socket, a name that is
// resolved, a new process. Threads of the same process are fine. traced TRACE [TEXT], ! traced TRACE
func traced(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: [!] traced TRACE")
	}
	var found []string
	programs := 0
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		_, call, _ := strings.Cut(strings.TrimSpace(line), " ")
		call = strings.TrimSpace(call)
		name, _, _ := strings.Cut(call, "(")
		switch {
		case name == "execve" || name == "execveat":
			if programs++; programs > 1 {
				found = append(found, "another program: "+call)
			}
		case name == "clone" || name == "clone3":
			if !strings.Contains(call, "CLONE_THREAD") {
				found = append(found, "a process: "+call)
			}
		case name == "fork" || name == "vfork":
			found = append(found, "a process: "+call)
		case slices.Contains([]string{"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "recvfrom", "recvmsg"}, name):
			found = append(found, "the network: "+call)
		}
	}
	switch {
	case programs == 0:
		ts.Fatalf("the trace is empty")
	case neg && len(found) > 0:
		ts.Fatalf("%s", strings.Join(found, "\n"))
	case !neg && (len(found) == 0 || len(args) > 1 && !strings.Contains(strings.Join(found, "\n"), args[1])):
		ts.Fatalf("the trace shows nothing of it")
	}
}

// interrupt runs a command that reads standard input, interrupts it while it waits for more, and compares its exit
// code: interrupt 130 mcpassay lint -
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || neg {
		ts.Fatalf("usage: interrupt CODE COMMAND ARGS")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var out strings.Builder
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), append(os.Environ(), "HOME="+ts.Getenv("HOME"), "PATH="+ts.Getenv("PATH"))
	cmd.Stdout, cmd.Stderr = &out, &out
	in, err := cmd.StdinPipe()
	ts.Check(err)
	if cmd.Path, err = lookPath(ts, args[1]); err != nil {
		ts.Fatalf("%v", err)
	}
	cmd.Err = nil
	ts.Check(cmd.Start())
	// More than any pipe holds: once it is written, the command has begun to read and is past its start.
	_, err = io.WriteString(in, strings.Repeat(" ", 4<<20))
	ts.Check(err)
	ts.Check(cmd.Process.Signal(os.Interrupt))
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		_ = cmd.Process.Kill()
		ts.Fatalf("it did not end: %s", &out)
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit code %d, want %d: %s", got, want, &out)
	}
}

// lookPath finds a program on the script's own PATH.
func lookPath(ts *testscript.TestScript, name string) (string, error) {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if path := filepath.Join(dir, name); isProgram(path) {
			return path, nil
		}
	}
	return exec.LookPath(name)
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// trustFile writes a trust file of names and files of public keys: trustfile FILE NAME KEY…
func trustFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || len(args)%2 == 0 {
		ts.Fatalf("usage: trustfile FILE NAME KEY...")
	}
	var b strings.Builder
	b.WriteString("version: \"1\"\nsigners:\n")
	for i := 1; i < len(args); i += 2 {
		key := strings.ReplaceAll(strings.TrimSpace(ts.ReadFile(args[i+1])), "\n", "\n      ")
		fmt.Fprintf(&b, "  - name: %s\n    key: |\n      %s\n", args[i], key)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o600))
}
