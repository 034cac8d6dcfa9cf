package test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/schema"
	"github.com/mcpassay/mcpassay/internal/source"
)

// wholeManifest has every member that the current schema knows.
const wholeManifest = `{"$schema":"https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json","name":"com.example/notes","title":"Notes",
"description":"Search notes","version":"1.2.0","websiteUrl":"https://example.com","repository":{"url":"https://github.com/example/notes","source":"github","id":"7","subfolder":"a/b"},
"icons":[{"src":"https://example.com/i.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"}],
"packages":[{"registryType":"npm","identifier":"@example/notes","version":"1.2.0","runtimeHint":"npx","transport":{"type":"streamable-http","url":"http://localhost:{PORT}/mcp","headers":[{"name":"X-Key","isSecret":true}]},
"runtimeArguments":[{"type":"positional","value":"-y"}],"packageArguments":[{"type":"named","name":"--port","default":"80","format":"number","choices":["80"],"isRepeated":false,"variables":{"p":{"description":"P","placeholder":"1"}}},{"type":"positional","valueHint":"dir"}],
"environmentVariables":[{"name":"PORT","isRequired":true}]}],
"remotes":[{"type":"sse","url":"https://{host}/sse","variables":{"host":{"default":"h"}}}],"_meta":{"io.modelcontextprotocol.registry/publisher-provided":{"a":1}}}`

// Every value of a good manifest is taken out, replaced and stretched in turn: what the published schema says of the result, our
// table says too, and it says nothing that the schema does not.
func TestTheTableSaysWhatThePublishedSchemaSays(t *testing.T) {
	raw, err := os.ReadFile(shared(t, "corpus/registry/2025-12-11.json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := source.Parse("schema", raw, source.JSON, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	published := schema.New(doc.Root(), schema.Options{Limits: limits.Default, Default: schema.Draft7})
	cases := 0
	for _, one := range mutants(t, wholeManifest) {
		doc, err := source.Parse(manifest.FileName, []byte(one), source.JSON, limits.Default)
		if err != nil {
			t.Fatal(err)
		}
		f := manifest.Open(manifest.FileName, "/p/server.json", doc)
		if f == nil {
			t.Fatalf("no manifest: %s", one)
		}
		cases++
		ours := true
		for _, fault := range f.Faults() {
			ours = ours && fault.Kind == manifest.Stray
		}
		if theirs := published.Validate(f.Root()).Verdict == schema.Valid; ours != theirs {
			t.Errorf("ours %v, the schema's %v: %s\n%+v", ours, theirs, one, f.Faults())
		}
	}
	if cases < 300 {
		t.Errorf("only %d cases", cases)
	}
}

// mutants are a document with one value changed each.
func mutants(t testing.TB, raw string) (all []string) {
	var root any
	if err := json.Unmarshal([]byte(raw), &root); err != nil {
		t.Fatal(err)
	}
	emit := func() {
		out, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(out))
	}
	emit()
	others := []any{nil, true, 7.0, "", "x", "latest", "stdio", "positional", "named", strings.Repeat("é", 100), strings.Repeat("é", 101), strings.Repeat("a", 256), []any{}, []any{1.0}, map[string]any{}, map[string]any{"type": "stdio"}, map[string]any{"type": "sse"}}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				had := v[k]
				if k == "$schema" {
					continue
				}
				delete(v, k)
				emit()
				for _, o := range others {
					v[k] = o
					emit()
				}
				v[k] = had
				walk(had)
			}
			v["extra"] = "x"
			emit()
			delete(v, "extra")
		case []any:
			for i := range v {
				had := v[i]
				for _, o := range others {
					v[i] = o
					emit()
				}
				v[i] = had
				walk(had)
			}
		}
	}
	walk(root)
	return all
}
