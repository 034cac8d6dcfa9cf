package files

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func TestStateDirIsWhereEachSystemKeepsState(t *testing.T) {
	for _, c := range []struct {
		goos, home, want string
		env              map[string]string
	}{
		{goos: "linux", home: "/home/u", want: "/home/u/.local/state/mcpassay"},
		{goos: "linux", home: "/home/u", env: map[string]string{"XDG_STATE_HOME": "/var/u"}, want: "/var/u/mcpassay"},
		{goos: "linux", home: "/home/u", env: map[string]string{"XDG_STATE_HOME": "state"}, want: "/home/u/.local/state/mcpassay"},
		{goos: "linux", env: map[string]string{"XDG_STATE_HOME": "/var/u"}, want: "/var/u/mcpassay"},
		{goos: "linux", want: ""},
		{goos: "freebsd", home: "/home/u", want: "/home/u/.local/state/mcpassay"},
		{goos: "darwin", home: "/Users/u", env: map[string]string{"XDG_STATE_HOME": "/x"}, want: "/Users/u/Library/Application Support/mcpassay"},
		{goos: "darwin", want: ""},
		{goos: "windows", home: `C:\Users\u`, env: map[string]string{"LOCALAPPDATA": `C:\Users\u\AppData\Local`}, want: `C:\Users\u\AppData\Local\mcpassay`},
		{goos: "windows", env: map[string]string{"LOCALAPPDATA": `D:\`}, want: `D:\mcpassay`},
		{goos: "windows", home: `C:\Users\u`, want: ""},
	} {
		if got := StateDir(c.goos, func(k string) string { return c.env[k] }, c.home); got != c.want {
			t.Errorf("StateDir(%s, %v, %q) = %q, want %q", c.goos, c.env, c.home, got, c.want)
		}
	}
}

func TestWindowsDevicesAreKnownByTheirNames(t *testing.T) {
	for path, want := range map[string]bool{
		`C:\p\NUL`: true, `con`: true, `C:/p/aux.json`: true, `COM1`: true, `lpt9.txt`: true, `COM¹`: true,
		`C:NUL`: true, `prn `: true, `nul:stream`: true, `CONIN$`: true,
		`\\.\pipe\x`: true, `//./PhysicalDrive0`: true, `\\?\GLOBALROOT\Device\x`: true,
		`\\host\pipe\x`: true, `\\host\mailslot\x`: true, `\\?\UNC\host\PIPE\x`: true,
		`C:\p\mcp.json`: false, `console.json`: false, `COM0`: false, `COM10`: false, `COM`: false, `nully`: false,
		`\\host\share\mcp.json`: false, `\\?\C:\mcp.json`: false, `C:\con\mcp.json`: false, ``: false, `C:`: false,
	} {
		if got := windowsDevice(path); got != want {
			t.Errorf("windowsDevice(%q) = %v", path, got)
		}
	}
}

func TestAWindowsShareIsKnownInAllItsSpellings(t *testing.T) {
	for path, want := range map[string]string{
		`\\Host\Share\a.js`: `host\share`, `//host/share/a.js`: `host\share`, `\\?\UNC\host\share\a`: `host\share`,
		`\\?\unc\host\share`: `host\share`, `\\host`: `host\`, `\/host\share/a`: `host\share`,
		`C:\a.js`: "", `\a.js`: "", `a\b`: "", `\\?\C:\a`: "", `\\.\pipe\x`: "", ``: "",
	} {
		if got := share(path); got != want {
			t.Errorf("share(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestAWindowsPathListIsSplitOutsideQuotes(t *testing.T) {
	got := splitWindowsPath(`C:\a;"C:\with;semicolon";;D:\b c;"E:\open`)
	if want := []string{`C:\a`, `C:\with;semicolon`, `D:\b c`, `E:\open`}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLookPathFindsWhatAShellWouldRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file has no permission to be run here")
	}
	dir := t.TempDir()
	program := func(path string, mode os.FileMode) {
		if err := os.Chmod(put(t, filepath.Join(dir, path), ""), mode); err != nil {
			t.Fatal(err)
		}
	}
	program("bin/npx", 0o755)
	program("bin/data", 0o644)
	program("bin/tool.d/tool", 0o755)
	program("project/local", 0o755)
	program("project/sub/run.sh", 0o755)
	if err := os.Mkdir(filepath.Join(dir, "bin", "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, "npx", filepath.Join(dir, "bin", "linked"))
	link(t, "gone", filepath.Join(dir, "bin", "dangling"))
	bin, cwd := filepath.Join(dir, "bin"), filepath.Join(dir, "project")
	for _, c := range []struct {
		name, path string
		want       bool
	}{
		{"npx", bin, true}, {"npx", "/nowhere:" + bin, true}, {"npx", "/nowhere", false}, {"npx", "", false},
		{"linked", bin, true}, {"dangling", bin, false}, {"data", bin, false}, {"folder", bin, false},
		{bin + "/npx", "", true}, {bin + "/none", bin, false},
		{"./sub/run.sh", "", true}, {"sub/run.sh", bin, true}, {"run.sh", bin, false},
		{"local", bin, false}, {"local", bin + ":", true}, {"local", ".:" + bin, true}, {"npx", "../bin", true},
		{"", bin, false}, {"npx\x00", bin, false},
	} {
		if got := LookPath(c.name, c.path, "", cwd, "linux"); got != c.want {
			t.Errorf("LookPath(%q, PATH=%q) = %v", c.name, c.path, got)
		}
	}
}

func TestLookPathOnWindowsTriesTheExtensions(t *testing.T) {
	dir := t.TempDir()
	for _, p := range []string{"bin/npx.cmd", "bin/npx", "bin/node.exe", "bin/plain", "bin/a.b.exe", "project/here.bat", "bin/tool.ps1"} {
		put(t, filepath.Join(dir, p), "")
	}
	bin, cwd := filepath.Join(dir, "bin"), filepath.Join(dir, "project")
	for _, c := range []struct {
		name, path, ext string
		want            bool
	}{
		{"npx", bin, "", true}, {"npx.cmd", bin, "", true}, {"node", bin, "", true}, {"node", bin, ".CMD", false},
		{"plain", bin, "", false}, {"a.b", bin, "", true}, {"tool", bin, "", false}, {"tool", bin, ".EXE;.PS1", true},
		{"here", bin, "", true}, {`.\here`, "", "", runtime.GOOS == "windows"}, {"npx", `C:\none;"` + bin + `"`, "", true},
		{"npx", "", "", false}, {`\\host\share\run.exe`, "", "", true}, {"", bin, "", false},
	} {
		if got := LookPath(c.name, c.path, c.ext, cwd, "windows"); got != c.want {
			t.Errorf("LookPath(%q, PATH=%q, PATHEXT=%q) = %v", c.name, c.path, c.ext, got)
		}
	}
}
