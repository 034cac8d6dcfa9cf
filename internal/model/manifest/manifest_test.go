package manifest

import (
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

const good = `{"$schema":"https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json","name":"com.example/notes","title":"Notes",
"description":"Search notes","version":"1.2.0","websiteUrl":"https://example.com","repository":{"url":"https://github.com/example/notes","source":"github","id":"7","subfolder":"a/b"},
"icons":[{"src":"https://example.com/i.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"}],
"packages":[{"registryType":"npm","identifier":"@example/notes","version":"1.2.0","runtimeHint":"npx","transport":{"type":"streamable-http","url":"http://localhost:{PORT}/mcp","headers":[{"name":"X-Key","isSecret":true}]},
"runtimeArguments":[{"type":"positional","value":"-y"}],"packageArguments":[{"type":"named","name":"--port","default":"80","format":"number","choices":["80"],"isRepeated":false,"variables":{"p":{"description":"P","placeholder":"1"}}},{"type":"positional","valueHint":"dir"}],
"environmentVariables":[{"name":"PORT","isRequired":true}]}],
"remotes":[{"type":"sse","url":"https://{host}/sse","variables":{"host":{"default":"h"}}}],"_meta":{"io.modelcontextprotocol.registry/publisher-provided":{"a":1}}}`

func open(t testing.TB, raw string) *File {
	t.Helper()
	doc, err := source.Parse(FileName, []byte(raw), source.JSON, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	return Open(FileName, "/p/server.json", doc)
}

func TestAGoodManifestHasNoFaults(t *testing.T) {
	f := open(t, good)
	if f == nil || f.Revision != Current || len(f.Faults()) > 0 {
		t.Fatalf("%+v", f.Faults())
	}
}

func TestARevisionIsReadByItsNames(t *testing.T) {
	for date, raw := range map[string]string{
		"2025-07-09": `"status":"active","packages":[{"registry_type":"npm","identifier":"a","version":"1","transport":{"type":"stdio"},"environment_variables":[{"name":"A","is_secret":true}]}]`,
		"2025-09-16": `"status":"active","packages":[{"registryType":"npm","identifier":"a","version":"1","transport":{"type":"stdio"},"environmentVariables":[{"name":"A","isSecret":true}]}]`,
	} {
		f := open(t, `{"$schema":"https://static.modelcontextprotocol.io/schemas/`+date+`/server.schema.json","name":"com.example/a","description":"d","version":"1",`+raw+`}`)
		if len(f.Faults()) > 0 {
			t.Errorf("%s: %+v", date, f.Faults())
		}
		p := f.Packages()[0]
		secret, _ := f.Get(f.Items(p, "environmentVariables")[0], "isSecret").Bool()
		if f.Type(p) != "npm" || !secret {
			t.Errorf("%s: %s %v", date, f.Type(p), secret)
		}
		root, err := f.Modern(limits.Default)
		if err != nil || root.Get("packages").At(0).Get("registryType").Text() != "npm" {
			t.Errorf("%s: %v", date, err)
		}
		if n := f.Find("/packages/0/environmentVariables/0/isSecret"); n.Kind() != source.Bool {
			t.Errorf("%s: %s", date, n.Pointer())
		}
		next := open(t, strings.Replace(string(f.Doc.Raw), date, "2025-12-11", 1))
		if len(next.Faults()) == 0 {
			t.Errorf("%s: as one of today it has no faults", date)
		}
	}
}

func TestWhatIsNoManifestIsNone(t *testing.T) {
	for _, raw := range []string{`{}`, `[]`, `{"mcpServers":{}}`, `{"name":"a","version":"1"}`, `{"port":80,"name":"x","description":"y"}`} {
		if open(t, raw) != nil {
			t.Errorf("%s is taken for one", raw)
		}
	}
	if open(t, `{"name":"a","version":"1","description":"d"}`) == nil {
		t.Error("one without $schema is none")
	}
}

func TestRangesAreKnown(t *testing.T) {
	for _, v := range []string{"^1.2.3", "~1", ">=1.0.0", "<2", "=1.0.0", "1.2.x", "1.*", "1.2.3 - 2.0.0", "1.2 || 1.3", ">=1,<2", "*", "~=1.4", "==1.0", "v1.x"} {
		if !LooksRange(v) {
			t.Errorf("%s is no range", v)
		}
	}
	for _, v := range []string{"1.2.3", "1.2.3-alpha.x", "2025.12.1", "1", "v2.0.0", "1.0.0+build.5", "snapshot", "1.2.3-rc1", ""} {
		if LooksRange(v) {
			t.Errorf("%s is a range", v)
		}
	}
}

func TestAMarkIsAWholeWord(t *testing.T) {
	for raw, want := range map[string]bool{
		"mcp-name: com.example/a": true, "x\nmcp-name: com.example/a\ny": true, "<!-- mcp-name: com.example/a -->": true, "<!-- mcp-name: com.example/a-->": true,
		"mcp-name: com.example/a-pro": false, "mcp-name: com.example/ab": false, "mcp-name:com.example/a": false, "": false,
		"mcp-name: com.example/ab mcp-name: com.example/a": true, "mcp-name: com.example/a.": false,
	} {
		if Proves([]byte(raw), "com.example/a") != want {
			t.Errorf("%q: not %v", raw, want)
		}
	}
	for raw, want := range map[string]string{
		`LABEL io.modelcontextprotocol.server.name="com.example/a"`:             "com.example/a",
		"LABEL a=b \\\n      io.modelcontextprotocol.server.name=com.example/a": "com.example/a",
		`# LABEL io.modelcontextprotocol.server.name="com.example/a"`:           "",
		`LABEL io.modelcontextprotocol.server.name com.example/a`:               "com.example/a",
	} {
		if got, _ := Labelled([]byte(raw)); got != want {
			t.Errorf("%q: %q", raw, got)
		}
	}
}

func TestImagesAreCut(t *testing.T) {
	for ref, want := range map[string][3]string{
		"notes": {"docker.io", "", ""}, "example/notes:1": {"docker.io", "1", ""}, "ghcr.io/e/n:1.0": {"ghcr.io", "1.0", ""}, "localhost:5000/n": {"localhost:5000", "", ""},
		"ghcr.io/e/n@sha256:ab": {"ghcr.io", "", "pinned"}, "index.docker.io/e/n:2": {"docker.io", "2", ""}, "GHCR.io/e/n:1": {"ghcr.io", "1", ""},
	} {
		host, tag, pinned := Image(ref)
		if host != want[0] || tag != want[1] || pinned != (want[2] != "") {
			t.Errorf("%s: %s %s %v", ref, host, tag, pinned)
		}
	}
	if k := KindOf("oci"); !k.Takes("europe-docker.pkg.dev") || k.Takes(".pkg.dev") || k.Takes("evilpkg.dev") || k.Takes("ghcr.io.example.com") {
		t.Error("the hosts of images")
	}
}

func FuzzManifest(f *testing.F) {
	f.Add(good)
	f.Add(strings.Replace(good, "2025-12-11", "2025-07-09", 1))
	f.Add(`{"name":{},"version":[],"description":"d","packages":[{"transport":[]}],"remotes":{"a":1}}`)
	f.Add(`{"name":"a","version":"1","description":"d","":{"":[]}}`)
	f.Fuzz(func(t *testing.T, raw string) {
		doc, err := source.Parse(FileName, []byte(raw), source.JSON, limits.Default)
		if err != nil {
			return
		}
		m := Open(FileName, "/p/server.json", doc)
		if m == nil {
			return
		}
		for _, fault := range m.Faults() {
			if !fault.Node.Valid() {
				t.Fatalf("a fault without a place: %+v", fault)
			}
		}
		root, err := m.Modern(limits.Default)
		if err != nil {
			t.Fatalf("renaming makes no document of it: %v", err)
		}
		if m.Judged() >= camel && root.Doc() != m.Doc {
			t.Fatal("a manifest of today is renamed")
		}
	})
}

// Of bytes that are no JSON only the beginning tells whether they were meant as a manifest.
func TestWhetherBytesWereMeantAsAManifestIsToldByTheirHead(t *testing.T) {
	lim := limits.Default
	lim.ManifestHead = 64
	word := "modelcontextprotocol"
	for pad, want := range map[int]bool{0: true, 64 - len(word): true, 65 - len(word): false, 1000: false} {
		raw := []byte(strings.Repeat(" ", pad) + word + "{")
		if MayBe("a/server.json", raw, lim) != want || MayBe("a/other.json", raw, lim) {
			t.Errorf("%d bytes before the word", pad)
		}
	}
}
