package launch

import (
	"strings"
	"testing"
)

func TestPathsOfOneMachineAreFoundInOtherText(t *testing.T) {
	for _, c := range []struct{ value, want string }{
		{"/Users/ann/x.js", "/Users/ann/x.js"},
		{"/Users/ann/Library/Application Support/x.js", "/Users/ann/Library/Application Support/x.js"},
		{"--root=/home/ann/data", "/home/ann/data"},
		{"cd /home/ann/src && node x.js", "/home/ann/src"},
		{"/usr/bin:/Users/ann/bin:/bin", "/Users/ann/bin"},
		{"file:///Users/ann/x.js", "/Users/ann/x.js"},
		{"file:///C:/Users/ann/x.js", "C:/Users/ann/x.js"},
		{`C:\Users\ann\My Files\x.js`, `C:\Users\ann\My Files\x.js`},
		{`cmd /c D:\tools\x.bat -v`, `D:\tools\x.bat`},
		{`C:\a;D:\b`, `C:\a`},
		{"/mnt/c/Users/ann/x.js", "/mnt/c/Users/ann/x.js"},
		{"/Volumes/Data/x", "/Volumes/Data/x"},
		{`C:\Program Files\nodejs\node.exe`, ""},
		{`C:\Windows\System32\cmd.exe`, ""},
		{"https://example.com/home/ann/x", ""},
		{"https://example.com/C:/x/y", ""},
		{"s3:/x/y", ""},
		{"/home/node/app/x.js", ""},
		{"/home/${USER}/x.js", ""},
		{"/Users/<name>/x.js", ""},
		{"/Users/YOUR_NAME/x.js", ""},
		{"C:/path/to/x.js", ""},
		{"${HOME}/x.js", ""},
		{"/usr/local/bin/x", ""},
		{"/home", ""},
		{"/home/", ""},
		{"a:b", ""},
		{`/" x`, ""},
		{"C:", ""},
	} {
		start, end, ok := personal(c.value)
		if got := c.value[start:end]; got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, want %q", c.value, got, c.want)
		}
	}
}

func FuzzPersonal(f *testing.F) {
	for _, s := range []string{"/Users/ann/x", `"/home/x" C:\y`, "D:/a:/b", "/:/x", `C:\`, "  /home/a b/c -d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		start, end, ok := personal(s)
		if ok && (start < 0 || end > len(s) || start >= end || strings.ContainsAny(s[start:end], `"`)) {
			t.Errorf("%q: %d to %d", s, start, end)
		}
		placeholder(strings.ToLower(s))
		wholeDisk(s)
	})
}
