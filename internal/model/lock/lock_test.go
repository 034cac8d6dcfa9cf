package lock

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// surface is what a server answered, as scan saves it.
func surface(t testing.TB, hello string, tools ...string) *card.Server {
	t.Helper()
	s := &wire.Surface{Label: "shop", Transport: wire.Stdio, Hello: []byte(hello),
		Protocol: wire.Protocol{Requested: "2025-11-25", Negotiated: "2025-11-25", Era: wire.EraLegacy, Eras: []string{wire.EraLegacy}}}
	s.Pages[wire.Tools] = [][]byte{[]byte(`{"tools":[` + strings.Join(tools, ",") + `]}`)}
	doc, err := source.Parse("surface.json", s.Encode(), source.JSON, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	return card.Read(doc).Servers[0]
}

const (
	hello = `{"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"version": "1.0.0", "name": "shop"}, "instructions": "Ask for a size."}`
	order = `{"name": "order", "description": "Orders shoes.", "inputSchema": {"type": "object", "properties": {"size": {"type": "integer", "maximum": 9007199254740993}}}}`
	find  = `{"inputSchema": {"type": "object"}, "name": "find", "description": "Finds sh\u006fes."}`
)

func shop(t testing.TB) *Lock {
	t.Helper()
	s, err := Capture("shop", surface(t, hello, order, find))
	if err != nil {
		t.Fatal(err)
	}
	s.Launch = Launch{Transport: "stdio", Command: "npx", Args: []string{"-y", "@example/shop@1.0.0", "${project}/data"}, Env: []string{"SHOP_TOKEN"}}
	l := &Lock{}
	l.Put(s)
	l.Approvals = []Approval{{Server: "shop", Launch: s.LaunchDigest(), Surface: s.SurfaceDigest(), By: "Ada", At: "2026-12-01T00:00:00Z"}}
	return l
}

func TestALockReadsBackAsItWasWritten(t *testing.T) {
	l := shop(t)
	again, err := Read("mcpassay.lock", l.Encode(), limits.Default)
	if err != nil {
		t.Fatalf("%v\n%s", err, l.Encode())
	}
	s := again.Get("shop")
	if !bytes.Equal(again.Encode(), l.Encode()) || len(s.Items[wire.Tools]) != 2 || *s.Instructions != "Ask for a size." || len(again.Approved(s)) != 1 {
		t.Errorf("%s", again.Encode())
	}
	if got := string(s.Items[wire.Tools][0].JSON); !strings.Contains(got, "9007199254740993") || !strings.HasPrefix(got, `{"description"`) {
		t.Errorf("the item is %s", got)
	}
	for line := range strings.Lines(string(l.Encode())) {
		if strings.Count(line, `"inputSchema"`) > 1 {
			t.Errorf("two items in a line: %s", line)
		}
	}
}

func TestTheSurfaceDoesNotHangOnSpellingOrderOrLaunch(t *testing.T) {
	a := shop(t).Get("shop")
	b, err := Capture("shop", surface(t, hello, `{"description":"Finds shoes.","name":"find","inputSchema":{"type":"object"}}`, order))
	if err != nil {
		t.Fatal(err)
	}
	if a.SurfaceDigest() != b.SurfaceDigest() || a.LaunchDigest() == b.LaunchDigest() {
		t.Error("the digests hang on what they must not hang on")
	}
	for name, other := range map[string]*card.Server{
		"instructions": surface(t, strings.Replace(hello, "a size", "a colour", 1), order, find),
		"identity":     surface(t, strings.Replace(hello, "1.0.0", "1.0.1", 1), order, find),
		"capability":   surface(t, strings.Replace(hello, `"tools": {}`, `"tools": {}, "prompts": {}`, 1), order, find),
		"large number": surface(t, hello, strings.Replace(order, "0993", "0992", 1), find),
		"a tool more":  surface(t, hello, order, find, find),
		"a tool less":  surface(t, hello, order),
		"title":        surface(t, hello, strings.Replace(order, `"name"`, `"title": "Order", "name"`, 1), find),
	} {
		if s, err := Capture("shop", other); err != nil || s.SurfaceDigest() == a.SurfaceDigest() {
			t.Errorf("%s: %v, and the digest is the same", name, err)
		}
	}
}

func TestAPartOfASurfaceIsNeverCaptured(t *testing.T) {
	for what, s := range map[string]*card.Server{
		"a member twice":  surface(t, hello, `{"name": "a", "name": "b", "inputSchema": {"type": "object"}}`),
		"half a letter":   surface(t, hello, `{"name": "a", "description": "\ud800", "inputSchema": {"type": "object"}}`),
		"too large":       surface(t, hello, `{"name": "a", "inputSchema": {"type": "object", "maximum": 1e999}}`),
		"an item of null": surface(t, hello, order, "null"),
	} {
		if _, err := Capture("shop", s); err == nil {
			t.Errorf("%s was captured", what)
		}
	}
	gone := surface(t, hello, order)
	doc, err := source.Parse("s.json", bytes.Replace(gone.Node.Doc().Raw, []byte(`"incomplete": []`), []byte(`"incomplete": [{"part": "prompts", "cause": "timeout", "detail": "no answer"}]`), 1), source.JSON, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Capture("shop", card.Read(doc).Servers[0]); err == nil || !strings.Contains(err.Error(), "prompts could not be read: no answer") {
		t.Errorf("a gap: %v", err)
	}
}

func TestALockThatSomebodyEditedIsRefused(t *testing.T) {
	good := string(shop(t).Encode())
	for what, c := range map[string][3]string{
		"a launch":         {`@1.0.0`, `@1.0.1`, "launchDigest"},
		"a description":    {"Orders shoes.", "Orders boots.", "surfaceDigest"},
		"a space":          {`"lockVersion": 1`, `"lockVersion":  1`, "line 2"},
		"an unknown field": {`"lockVersion": 1`, `"lockVersion": 1, "x": 1`, "line 2"},
		"a later version":  {`"lockVersion": 1`, `"lockVersion": 2`, "later mcpassay"},
		"another order":    {`{"description":"Finds shoes.","inputSchema"`, `{"inputSchema":{"type":"object"},"description":"Finds shoes.","in"`, "canonical"},
		"a merge":          {`  "servers"`, "<<<<<<< mine\n  \"servers\"", "line 3"},
		"half of it":       {`"approvals": [`, "", "line"},
		"a byte mark":      {"{\n  \"lock", "\ufeff{\n  \"lock", "line"},
		"a second version": {`"lockVersion": 1`, `"lockVersion": 2, "lockVersion": 1`, "line 2"},
	} {
		bad := strings.Replace(good, c[0], c[1], 1)
		if bad == good {
			t.Fatalf("%s: nothing to replace in\n%s", what, good)
		}
		var e *Error
		if _, err := Read("mcpassay.lock", []byte(bad), limits.Default); !errors.As(err, &e) || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestALockThatWasCutOffIsRefused(t *testing.T) {
	good := packaged(t).Encode()
	for n := range good {
		if _, err := Read("mcpassay.lock", good[:n], limits.Default); err == nil {
			t.Errorf("its first %d bytes are a lock", n)
		}
	}
}

// What is wrong with a lock is said the same way each time: two faults never take turns.
func TestTheFaultOfALockIsTheSameEachTime(t *testing.T) {
	bad := bytes.ReplaceAll(shop(t).Encode(), []byte("Digest\": \"sha256:"), []byte("Digest\": \"sha256:0"))
	first := ""
	for range 50 {
		_, err := Read("mcpassay.lock", bad, limits.Default)
		if err == nil {
			t.Fatal("it is a lock")
		}
		if first = cmp.Or(first, err.Error()); err.Error() != first {
			t.Fatalf("%s, then %s", first, err)
		}
	}
}

func TestAnyChangedByteIsSeen(t *testing.T) {
	l := packaged(t)
	good := l.Encode()
	held := fmt.Sprint(l.Approved(l.Get("shop")))
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		bad := bytes.Clone(good)
		at := r.IntN(len(bad))
		bad[at] ^= byte(1 + r.IntN(255))
		read, err := Read("mcpassay.lock", bad, limits.Default)
		if err != nil {
			continue
		}
		// What stands in an approval or a name is for signatures to hold: but it is not what it was.
		s := read.Get("shop")
		if s != nil && fmt.Sprint(read.Approved(s)) == held && bytes.Equal(read.Encode(), good) {
			t.Errorf("byte %d of %q was changed unseen", at, good[max(0, at-20):at+20])
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(shop(f).Encode())
	f.Add(packaged(f).Encode())
	f.Add([]byte("{\n  \"lockVersion\": 1,\n  \"servers\": {},\n  \"replaced\": {},\n  \"approvals\": [],\n  \"signatures\": []\n}\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		l, err := Read("mcpassay.lock", raw, limits.Default)
		if err == nil && !bytes.Equal(l.Encode(), raw) {
			t.Errorf("%q was read as %q", raw, l.Encode())
		}
	})
}
