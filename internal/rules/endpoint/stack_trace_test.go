package endpoint

import (
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/model/wire"
)

func TestAStackTraceIsToldFromWhatMerelyNamesAPath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, leaked string }{
		{"Error: x\n    at parse (/srv/app/lib/json.js:92:19)\n    at node:internal/x:1:2", " with a path of its disk (under /srv)"},
		{"Error: x\n    at file:///home/ada/app/i.mjs:1:2", " with a path of its disk (under /home)"},
		{`Error: x at run (C:\Users\ada\app\i.js:1:2)`, ` with a path of its disk (under C:)`},
		{"Traceback (most recent call last):\n  File \"/opt/a/b.py\", line 8, in <module>\n  File \"/usr/lib/python3/json.py\", line 1", " with 2 paths of its disk (under /opt, /usr)"},
		{"goroutine 7 [running]:\nmain.main()\n\t/go/src/app/main.go:12 +0x1d", " with a path of its disk (under /go)"},
		{"at com.example.Shop.find(Shop.java:12)", ""},
		{"   at Shop.Find(String n) in C:\\build\\Shop.cs:line 8", ` with a path of its disk (under C:)`},
		{"thread 'main' panicked at src/main.rs:2:5", ""},
	} {
		paths, found := (&wire.Tried{Body: c.text, Status: 500}).Trace()
		if !found || leaked(paths) != c.leaked {
			t.Errorf("%q: %v, %q", c.text, paths, leaked(paths))
		}
		for _, p := range paths {
			if strings.Contains(leaked(paths), p) {
				t.Errorf("%q is shown whole", p)
			}
		}
	}
	for _, text := range []string{"Cannot POST /mcp/v1/x.json", "Tool not found at /tools/index.html", "Expected ',' at line 1:12", "see https://example.com/a/b.html:80:1"} {
		if _, found := (&wire.Tried{Body: text, Status: 400}).Trace(); found {
			t.Errorf("%q is taken for a stack trace", text)
		}
	}
}

func FuzzTrace(f *testing.F) {
	f.Add("Error\n    at parse (/srv/app/lib/json.js:92:19)")
	f.Add(`Traceback (most recent call last): File "/opt/a/b.py", line 8`)
	f.Fuzz(func(t *testing.T, text string) {
		paths, found := (&wire.Tried{Body: text, Status: 500}).Trace()
		if len(paths) > 0 && !found {
			t.Error("paths without a trace")
		}
		shown := leaked(paths)
		for _, p := range paths {
			if strings.Count(p, "/") > 2 && strings.Contains(shown, p) {
				t.Errorf("%q is shown whole in %q", p, shown)
			}
		}
	})
}
