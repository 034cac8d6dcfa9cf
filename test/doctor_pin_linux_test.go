package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/cli"
)

// touching is an entry that leaves a file behind when it is started.
func touching(mark string) string {
	return fmt.Sprintf(`{"command": "sh", "args": ["-c", "touch %s; exec mcpassay serve"]}`, mark)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A config that was found is never started: doctor --pin --yes in CI would be remote code execution by config file
// (acceptance 31 of mcp-warden's doctor).
func TestDoctorPinStartsOnlyWhatAPersonNamed(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "started")
	m := newStation(t, map[string]string{".mcp.json": servers1("mcpServers", `"found\u001b[2J": `+touching(mark)),
		"named.json": servers1("mcpServers", `"local": `+serveEntry(t))})
	code, stdout, stderr := m.shell(t, "mcpassay doctor --config named.json --pin --yes --executor host --select 'doctor/*'")
	if code != 2 || exists(mark) || !strings.Contains(stderr, "not pinned: .mcp.json: found\uFFFD[2J: its file was found, not named") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	if !strings.Contains(stderr, "local: pinned in mcpassay.lock") || !strings.Contains(stderr, "mcpassay approve local") {
		t.Errorf("the named one: %s", stderr)
	}
	if l := lockOf(t, m.dir); strings.Contains(l, `"found\u001b`) || strings.Contains(l, mark) || !strings.Contains(l, `"approvals": []`) {
		t.Errorf("the lock holds\n%.300s", l)
	}
	// Named alone, there is nothing to refuse; the next run reports what is unapproved (acceptance 35).
	next := m.doctor(t, "--config", "named.json", "--no-discover")
	if next.Exit != 1 || len(next.Findings) != 1 || next.Findings[0].Rule != "doctor/lock-unapproved" {
		t.Errorf("exit %d, %v", next.Exit, next.found())
	}
	if code, _, _ := m.shell(t, "mcpassay doctor --pin --yes"); code != 2 || exists(mark) {
		t.Errorf("no file is named: exit %d", code)
	}
}

func TestDoctorPinWritesOverNothing(t *testing.T) {
	m := newStation(t, map[string]string{"named.json": servers1("mcpServers", `"local": `+serveEntry(t))})
	pin := "mcpassay doctor --config named.json --no-discover --pin --yes --json --select 'doctor/*'"
	code, stdout, stderr := m.shell(t, pin)
	var c checkup
	if err := json.Unmarshal([]byte(stdout), &c); err != nil || code != 1 {
		t.Fatalf("exit %d, %v\n%s%s", code, err, stdout, stderr)
	}
	listed(t, "the report is of the machine as it is by now", c.locks(), " local unapproved mcpassay.lock")
	listed(t, "next", c.offered("approve"), "mcpassay approve local")
	before := lockOf(t, m.dir)
	for _, config := range []string{ // the same, unapproved; another of that name
		servers1("mcpServers", `"local": `+serveEntry(t)),
		servers1("mcpServers", `"local": {"command": "sh", "args": ["-c", "exec mcpassay serve"]}`),
	} {
		m.write(t, map[string]string{"named.json": config})
		if code, _, stderr := m.shell(t, pin); code != 2 || !strings.Contains(stderr, "local is in the lock already") || lockOf(t, m.dir) != before {
			t.Errorf("exit %d\n%s", code, stderr)
		}
	}
	// Approved, there is nothing left to pin.
	m.write(t, map[string]string{"named.json": servers1("mcpServers", `"local": `+serveEntry(t))})
	m.shell(t, "mcpassay approve")
	if code, _, stderr := m.shell(t, pin); code != 0 || stderr != "" {
		t.Errorf("exit %d\n%s", code, stderr)
	}
}

// A server that can not be captured is told, and the others are pinned (acceptance 36).
func TestDoctorPinGoesOnBehindAFailure(t *testing.T) {
	m := newStation(t, map[string]string{"named.json": servers1("mcpServers", `"broken": {"command": "sh", "args": ["-c", "exit 1"]}`, `"local": `+serveEntry(t),
		`"secret": {"command": "sh", "args": ["--token", "`+"gh"+"p_"+strings.Repeat("aB3", 12)+`"]}`)})
	code, stdout, stderr := m.shell(t, "mcpassay doctor --config named.json --no-discover --pin --yes --json --select 'doctor/*'")
	if code != 2 || !strings.Contains(stderr, "pin failed: broken") || !strings.Contains(stderr, "not pinned: named.json: secret") || strings.Contains(stderr+stdout, "aB3aB3") {
		t.Errorf("exit %d\n%s", code, stderr)
	}
	if l := lockOf(t, m.dir); !strings.Contains(l, `"local": {`) || strings.Contains(l, `"broken"`) || strings.Contains(l, `"secret"`) {
		t.Errorf("%.300s", l)
	}
	if !strings.Contains(stdout, `"cause":"refused"`) && !strings.Contains(stdout, `"cause": "refused"`) {
		t.Error("the report does not say what was refused")
	}
}

// Without a terminal there is nobody to ask (acceptance 32), and flags about starting mean nothing without --pin.
func TestDoctorPinWithoutATerminalWantsYes(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "started")
	m := newStation(t, map[string]string{"named.json": servers1("mcpServers", `"local": `+touching(mark))})
	for _, line := range []string{"mcpassay doctor --config named.json --pin", "echo y | mcpassay doctor --config named.json --pin", "mcpassay doctor --pin --yes",
		"mcpassay doctor --config named.json --yes", "mcpassay doctor --config named.json --executor host"} {
		if code, stdout, stderr := m.shell(t, line); code != 2 || stdout != "" || !strings.Contains(stderr, "hint: ") || exists(mark) {
			t.Errorf("%s: exit %d\n%s%s", line, code, stdout, stderr)
		}
	}
	if exists(filepath.Join(m.dir, "mcpassay.lock")) {
		t.Error("there is a lock")
	}
}

// at runs the program with a person at a terminal, who types an answer.
func (m station) at(answer string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	env := map[string]string{"HOME": m.home, "USER": "ada", "NO_COLOR": "1", "PATH": os.Getenv("PATH"), "SECRET_WORD": "hunter2hunter2"}
	code = cli.Main(args, cli.IO{In: strings.NewReader(answer), Out: &out, Err: &errs, Cwd: m.dir, Home: m.home, Platform: "linux", Now: time.Now,
		Getenv: func(name string) string { return env[name] },
		Environ: func() (all []string) {
			for k, v := range env {
				all = append(all, k+"="+v)
			}
			return all
		},
		InTerminal: true, ErrTerminal: true})
	return code, out.String(), errs.String()
}

// At a terminal it shows once exactly what it would start: unmasked, quoted, no character that drives the terminal; the answer is no
// unless it is yes (acceptance 33).
func TestDoctorPinShowsWhatItStartsAndTakesNoForAnAnswer(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "started")
	token := "gh" + "p_" + strings.Repeat("aB3", 12)
	m := newStation(t, map[string]string{"named.json": fmt.Sprintf(`{"mcpServers": {"lo\u001b]0;x\u0007cal": {"command": "sh",
		"args": ["-c", "touch %s; : $(id) \u001b[2J\u202e", "--password", "${SECRET_WORD}"], "env": {"NODE_OPTIONS": "--require ./hook.js", "KEY": %q}},
		"shop": {"type": "http", "url": "https://mcp.example.com/a?b=c d"}}}`, mark, token)})
	for _, answer := range []string{"", "\n", "n\n", "no\n", "yess\n", strings.Repeat("y", 1<<20)} {
		code, stdout, stderr := m.at(answer, "doctor", "--config", "named.json", "--no-discover", "--pin", "--select", "doctor/*")
		if code != 2 || exists(mark) || exists(filepath.Join(m.dir, "mcpassay.lock")) || !strings.Contains(stderr, "you did not agree, and nothing was started") {
			t.Fatalf("%.10q: exit %d\n%s%s", answer, code, stdout, stderr)
		}
		if strings.Count(stderr, "Start them? [y/N] ") != 1 || strings.ContainsAny(stderr, "\x1b\x07\u202e") {
			t.Errorf("%.10q: %q", answer, stderr)
		}
		for _, want := range []string{"\n    sh -c $'touch " + mark + "; : $(id) \\033[2J\\342\\200\\256' --password hunter2hunter2\n",
			"\n    with 'NODE_OPTIONS=--require ./hook.js'\n", "\n    'https://mcp.example.com/a?b=c d'\n"} {
			if !strings.Contains(stderr, want) {
				t.Errorf("%q is not shown in\n%s", want, stderr)
			}
		}
		if strings.Contains(stderr, token) || strings.Contains(stdout, "hunter2") {
			t.Error("a secret that is no part of what is started is shown")
		}
	}
	s := &shop{tools: []string{buy}}
	m.write(t, map[string]string{"named.json": servers1("mcpServers", `"shop": `+remote(s.open(t)))})
	for _, answer := range []string{"Yes\n"} {
		code, stdout, stderr := m.at(answer, "doctor", "--config", "named.json", "--no-discover", "--pin", "--select", "doctor/*", near[0], near[1])
		if code != 1 || !strings.Contains(stderr, "shop: pinned in mcpassay.lock: 1 tool") || !strings.Contains(stdout, "http, unapproved") {
			t.Errorf("%q: exit %d\n%s%s", answer, code, stdout, stderr)
		}
	}
}
