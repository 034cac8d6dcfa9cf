package test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpassay/mcpassay/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"mcpassay": func() { os.Exit(cli.Main(os.Args[1:], cli.OS())) },
		"reacher":  reacher,
	})
}

// TestScripts runs the whole program as a person does. Each script has a home of its own and sees no variable of
// the machine.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "scripts",
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("USERPROFILE", home)
			e.Setenv("XDG_CONFIG_HOME", "")
			e.Setenv("XDG_STATE_HOME", "")
			e.Setenv("NO_COLOR", "1")
			// The work folder lies below the system's temporary folder, which may lie in a repository.
			e.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(e.WorkDir))
			e.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			e.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
			return os.MkdirAll(home, 0o755)
		},
		Condition: condition,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"bytes":     writeBytes,
			"code":      code,
			"fifo":      fifo,
			"fill":      fill,
			"interrupt": interrupt,
			"json":      jsonAt,
			"jsonlines": jsonlines,
			"literal":   literal,
			"paste":     paste,
			"servers":   servers,
			"socket":    socket,
			"registry":  startRegistry,
			"sparse":    sparse,
			"tame":      tame,
			"traced":    traced,
			"trustfile": trustFile,
			"mkdirp": func(ts *testscript.TestScript, neg bool, args []string) {
				for _, a := range args {
					ts.Check(os.MkdirAll(ts.MkAbs(a), 0o755))
				}
			},
		},
	})
}

// code runs a command and compares its exit code: code 2 mcpassay lint nowhere
func code(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || neg {
		ts.Fatalf("usage: code N COMMAND ARGS")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// unquote reads a Go string literal without its quotes, in which a quote may stand as it is.
func unquote(ts *testscript.TestScript, literal string) string {
	s, err := strconv.Unquote(`"` + strings.ReplaceAll(literal, `"`, `\"`) + `"`)
	ts.Check(err)
	return s
}

// writeBytes writes Go string literals, each N times over: bytes FILE N '\xff\xfe' N 'x'
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	if len(args)%2 != 1 {
		ts.Fatalf("usage: bytes FILE [N LITERAL]...")
	}
	var b strings.Builder
	for i := 1; i < len(args); i += 2 {
		n, err := strconv.Atoi(args[i])
		ts.Check(err)
		b.WriteString(strings.Repeat(unquote(ts, args[i+1]), n))
	}
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o755))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o644))
}

// condition answers [root], whether the user may read everything, and [missing:PROGRAM]: a script skips with the
// install command where a part is missing, and fails in CI, which installs every part.
func condition(name string) (bool, error) {
	if name == "root" {
		return os.Geteuid() == 0, nil
	}
	program, ok := strings.CutPrefix(name, "missing:")
	if !ok {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	if _, err := exec.LookPath(program); err == nil {
		return false, nil
	}
	if os.Getenv("MCPASSAY_CI") != "" {
		return false, fmt.Errorf("CI has no %s", program)
	}
	return true, nil
}
