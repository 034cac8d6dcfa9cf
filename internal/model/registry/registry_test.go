package registry

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

const good = `{"server":{"$schema":"https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json","name":"com.example/a","description":"d","version":"1.0.0",
"repository":{"url":"https://x.example","source":"github","id":"7","subfolder":"s"},
"packages":[{"registryType":"NPM","identifier":"a","version":"1.0.0","fileSha256":"AB","runtimeHint":"npx","transport":{"type":"streamable-http","url":"http://localhost:{port}/mcp","headers":[{"name":"X-Key","isSecret":true,"isRequired":true}]},
"runtimeArguments":[{"type":"positional","value":"-y"}],"packageArguments":[{"type":"named","name":"--port","default":"80","valueHint":"port","isRepeated":true,"choices":["80","81"],"format":"number","placeholder":"80","variables":{"p":{"description":"P","isRequired":true}}}],
"environmentVariables":[{"name":"TOKEN","isSecret":true}]}],
"remotes":[{"type":"sse","url":"https://{host}/sse","variables":{"host":{"default":"h"}}}]},
"_meta":{"io.modelcontextprotocol.registry/official":{"status":" Deprecated ","statusMessage":"m","statusChangedAt":"2026-01-02T03:04:05Z","publishedAt":"2026-01-02T03:04:05.123456Z","updatedAt":"2026-01-02T03:04:05+01:00","isLatest":true}}}`

func TestARecordIsReadWhole(t *testing.T) {
	r, err := ReadRecord([]byte(good), limits.Default)
	if err != nil || len(r.Faults) > 0 {
		t.Fatalf("%v, %v", err, r)
	}
	p := r.Packages[0]
	arg := p.Args[0]
	if p.Type != "npm" || p.FileSHA256 != "ab" || p.Transport.Headers[0].Name != "X-Key" || !p.Transport.Headers[0].Secret || p.RuntimeArgs[0].Value != "-y" ||
		arg.Kind != "named" || arg.Name != "--port" || arg.Default != "80" || arg.Hint != "port" || !arg.Repeated || len(arg.Choices) != 2 || arg.Format != "number" ||
		arg.Variables[0].Name != "p" || !arg.Variables[0].Required || !p.Env[0].Secret {
		t.Errorf("%+v", p)
	}
	if r.Official.Status != Deprecated || r.Official.Message != "m" || !r.Official.Latest || r.Official.Published.Nanosecond() == 0 || r.Official.Updated.IsZero() || r.Repository.ID != "7" ||
		r.Remotes[0].Variables[0].Default != "h" {
		t.Errorf("%+v", r)
	}
}

func TestWhatIsNoRecordIsRefusedWithWords(t *testing.T) {
	for raw, words := range map[string]string{
		`{}`: "server is absent", `[]`: "no JSON object", `{"server":[]}`: "server is an array", `{"server":{}}`: "no name", `{"server":{"name":"a/bc"}}`: "no version",
		`{"server":{"name":null,"version":"1"}}`: "no name", `{"server":{"name":"a/bc","version":1}}`: "no version", ``: "no JSON", `{"server":{},}`: "strict",
		`{"server":` + strings.Repeat(`{"a":`, 40) + `1` + strings.Repeat(`}`, 41): "no JSON", "{\"server\":{\"name\":\"\xff\"}}": "UTF-8", "<html>": "web page",
	} {
		if _, err := ReadRecord([]byte(raw), limits.Default); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%.40s: %v, want %q", raw, err, words)
		}
	}
}

func TestOddRecordsAreKeptWithTheirFaults(t *testing.T) {
	for raw, pointer := range map[string]string{
		`{"server":{"name":"no name","version":"1"}}`:                                                          "/name",
		`{"server":{"name":"__proto__/x","version":"1"}}`:                                                      "/name",
		`{"server":{"name":"a/bc","version":"latest"}}`:                                                        "/version",
		`{"server":{"name":"a/bc","version":"1","name":"a/bc"}}`:                                               "/name",
		`{"server":{"name":"a/bc","version":"1","packages":{}}}`:                                               "/packages",
		`{"server":{"name":"a/bc","version":"1","remotes":["x"]}}`:                                             "/remotes/0",
		`{"server":{"name":"a/bc","version":"1","remotes":[{"headers":[{"choices":3}]}]}}`:                     "/remotes/0/headers/0/choices",
		`{"server":{"name":"a/bc","version":"1","remotes":[{"variables":{"v":1}}]}}`:                           "/remotes/0/variables/v",
		`{"server":{"name":"a/bc","version":"1","packages":[{"environmentVariables":[{"isSecret":"TRUE"}]}]}}`: "/packages/0/environmentVariables/0/isSecret",
	} {
		r, err := ReadRecord([]byte(raw), limits.Default)
		if err != nil || len(r.Faults) == 0 || r.Faults[0].Pointer != pointer {
			t.Errorf("%s: %v, %v", raw, r, err)
		}
		if strings.Contains(raw, "TRUE") && !r.Packages[0].Env[0].Secret {
			t.Error("a secret is taken lightly")
		}
	}
	many := `{"server":{"name":"a/bc","version":"1","remotes":[` + strings.Repeat("1,", 500) + `1]}}`
	if r, err := ReadRecord([]byte(many), limits.Default); err != nil || len(r.Faults) > limits.Default.ShownFaults+1 {
		t.Errorf("%d faults, %v", len(r.Faults), err)
	}
}

func TestACursorThatIsTooLongIsNone(t *testing.T) {
	if _, err := ReadPage([]byte(`{"servers":[],"metadata":{"nextCursor":"`+strings.Repeat("a", limits.Default.CursorBytes+1)+`"}}`), limits.Default); err == nil {
		t.Error("it was taken")
	}
	if p, err := ReadPage([]byte(`{"servers":null}`), limits.Default); err != nil || len(p.Records) != 0 {
		t.Error(err)
	}
}

func TestEveryErrorHasWordsOfItsOwnAndNamesItsSubject(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range []Kind{NotFound, Deleted, RateLimited, Unreachable, Malformed, BadCursor, Refused, TooShort, Mismatch, NotCached} {
		e := &Error{Kind: k, Name: "com.example/a", Version: "1.0.0", Detail: "because"}
		if s := e.Error(); seen[s] || strings.HasPrefix(s, string(k)) || s != strings.ToLower(s[:1])+s[1:] {
			t.Errorf("%s: %s", k, s)
		} else {
			seen[s] = true
		}
	}
	if s := (&Error{Kind: NotFound, Name: "com.example/a", Version: "1.0.0"}).Error(); s != "there is no com.example/a 1.0.0 in the registry" {
		t.Error(s)
	}
}

// The records of the public registry that lie beside the repository are read without a fault.
func TestPublicRecordsHaveNoFaults(t *testing.T) {
	dir := os.Getenv("MCPASSAY_SHARED")
	if dir == "" {
		dir = "../../../../shared"
	}
	read := 0
	for _, name := range []string{"search-filesystem.json", "sample-versions-list.json", "sample-version-deleted-include_deleted.json", "sample-version-deprecated.json", "sample-version-detail.json"} {
		raw, err := os.ReadFile(filepath.Join(dir, "corpus", "registry", name))
		if err != nil {
			t.Skipf("%s is not here: it lies beside the repository, or in the folder that MCPASSAY_SHARED names", name)
		}
		var all []*Record
		if strings.Contains(name, "list") || strings.Contains(name, "search") {
			p, err := ReadPage(raw, limits.Default)
			if err != nil || len(p.Bad) > 0 {
				t.Fatalf("%s: %v, %v", name, p, err)
			}
			all = p.Records
		} else {
			r, err := ReadRecord(raw, limits.Default)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all = append(all, r)
		}
		for _, r := range all {
			read++
			if len(r.Faults) > 0 || r.Official.Status == "" || len(r.Packages)+len(r.Remotes) == 0 {
				t.Errorf("%s: %s: %v", name, r.Name, r.Faults)
			}
		}
	}
	if read < 10 {
		t.Errorf("only %d records", read)
	}
}

// Whatever the public files are (records, manifests, answers, problems, attestations, schemas), each reader reads them or says in
// words why not.
func TestEveryPublicFileIsReadOrRefusedWithWords(t *testing.T) {
	dir := os.Getenv("MCPASSAY_SHARED")
	if dir == "" {
		dir = "../../../../shared"
	}
	files, err := filepath.Glob(filepath.Join(dir, "corpus", "registry", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("the public files are not here: they lie beside the repository, or in the folder that MCPASSAY_SHARED names")
	}
	pages, records, manifests, refused := 0, 0, 0, 0
	said := func(name string, err error) {
		if refused++; err.Error() == "" || len(err.Error()) > limits.Default.ShownRunes*4 {
			t.Errorf("%s: refused with %q", name, err)
		}
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		Problem(raw, limits.Default)
		if p, err := ReadPage(raw, limits.Default); err != nil {
			said(name, err)
		} else {
			pages++
			records += len(p.Records)
		}
		if _, err := ReadRecord(raw, limits.Default); err != nil {
			said(name, err)
		} else {
			records++
		}
		doc, err := source.Parse(name, raw, source.JSON, limits.Default)
		if err != nil {
			said(name, err)
			continue
		}
		all := []source.Node{doc.Root()}
		if all[0].Kind() == source.Array {
			all = slices.Collect(doc.Root().Children())
		}
		for _, n := range all {
			if _, err := FromManifest(n, limits.Default); err != nil {
				said(name, err)
			} else {
				manifests++
			}
		}
	}
	t.Logf("%d files: %d pages, %d records, %d manifests, %d refused", len(files), pages, records, manifests, refused)
	if pages < 2 || records < 10 || manifests < 9 {
		t.Errorf("only %d pages, %d records and %d manifests", pages, records, manifests)
	}
}

func FuzzReadPage(f *testing.F) {
	f.Add([]byte(`{"servers":[` + good + `],"metadata":{"nextCursor":"x"}}`))
	f.Add([]byte(`{"servers":[{"server":{"name":5}},null,{"server":{"name":"a/bc","version":"latest","packages":[{}]},"_meta":[]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := ReadPage(raw, limits.Default)
		if err != nil {
			return
		}
		var std struct {
			Servers []json.RawMessage `json:"servers"`
		}
		if json.Unmarshal(raw, &std) == nil && !strings.Contains(strings.ToLower(string(raw)), `servers"`+`:null`) && strings.Count(strings.ToLower(string(raw)), "servers") == 1 &&
			len(std.Servers) != len(p.Records)+len(p.Bad) {
			t.Fatalf("%d entries, %d records and %d that are none", len(std.Servers), len(p.Records), len(p.Bad))
		}
		for _, r := range p.Records {
			if r.Name == "" || r.Version == "" || !utf8.ValidString(r.Name+r.Description+r.Official.Message) {
				t.Fatalf("%+v", r)
			}
		}
		Pick(p.Records, "^1.0.0")
	})
}
