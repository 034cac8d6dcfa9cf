package test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// storeSays is what a server says, with one thing in each place that a rival's lock was measured to leave out.
type storeSays struct{ hello, tools, prompts, resources, templates string }

// store is an honest one.
func store() storeSays {
	return storeSays{
		hello: `{"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "prompts": {}, "resources": {}}, "serverInfo": {"name": "store", "title": "Store", "version": "1.4.0"}, "instructions": "Ask for a size first."}`,
		tools: `[{"name": "order", "title": "Order", "description": "Orders a pair of shoes.", "icons": [{"src": "https://store.example/order.png"}], "_meta": {"store.example/shelf": "a"},
 "annotations": {"title": "Order shoes", "readOnlyHint": false, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false},
 "inputSchema": {"type": "object", "additionalProperties": false, "required": ["size"], "properties": {
  "size": {"type": "integer", "minimum": 20, "maximum": 50, "description": "In European sizes."},
  "colour": {"type": "string", "enum": ["red", "blue"], "default": "red"},
  "note": {"type": "string", "maxLength": 64, "pattern": "^[a-z ]+$"},
  "ship": {"anyOf": [{"type": "string"}]}}},
 "outputSchema": {"type": "object", "properties": {"id": {"type": "string"}}}},
 {"name": "find", "description": "Finds shoes by their colour.", "inputSchema": {"type": "object", "properties": {"colour": {"type": "string"}}}}]`,
		prompts:   `[{"name": "greet", "description": "Greets a customer.", "arguments": [{"name": "who", "description": "The customer's name."}]}]`,
		resources: `[{"uri": "store://stock", "name": "stock", "description": "What is on the shelves.", "mimeType": "text/plain", "size": 120}]`,
		templates: `[{"uriTemplate": "store://shelf/{id}", "name": "shelf", "description": "One shelf."}]`,
	}
}

// with is the surface with texts replaced, each of which must stand in it once.
func (s storeSays) with(t *testing.T, pairs ...string) storeSays {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		n := 0
		for _, part := range []*string{&s.hello, &s.tools, &s.prompts, &s.resources, &s.templates} {
			n += strings.Count(*part, pairs[i])
			*part = strings.Replace(*part, pairs[i], pairs[i+1], 1)
		}
		if n != 1 {
			t.Fatalf("%q stands there %d times", pairs[i], n)
		}
	}
	return s
}

// saved is the surface as scan --save writes it.
func (s storeSays) saved() []byte {
	w := &wire.Surface{Label: "store", Transport: wire.Stdio, Hello: []byte(s.hello),
		Protocol: wire.Protocol{Requested: "2025-11-25", Negotiated: "2025-11-25", Era: wire.EraLegacy, Eras: []string{wire.EraLegacy}}}
	for k, items := range map[wire.ListKind]string{wire.Tools: s.tools, wire.Prompts: s.prompts, wire.Resources: s.resources, wire.Templates: s.templates} {
		w.Pages[k] = [][]byte{fmt.Appendf(nil, `{%q: %s}`, k, items)}
	}
	return w.Encode()
}

// locked is the lock of a server that says this, approved by Ada.
func (s storeSays) locked(t *testing.T, names ...string) *lock.Lock {
	t.Helper()
	doc, err := source.Parse("store.json", s.saved(), source.JSON, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	l := &lock.Lock{}
	for _, name := range names {
		one, err := lock.Capture(name, card.Read(doc).Servers[0])
		if err != nil {
			t.Fatal(err)
		}
		one.Launch = lock.Launch{Transport: "stdio", Command: "npx", Args: []string{"-y", "@example/" + name + "@1.4.0"}}
		l.Put(one)
		l.Approvals = append(l.Approvals, lock.Approval{Server: name, Launch: one.LaunchDigest(), Surface: one.SurfaceDigest(), By: "Ada", At: "2026-11-30T12:00:00Z"})
	}
	return l
}

// TestTheDriftFacts holds what two other tools were measured to report of each change (mcp-warden 1.1 and MCP Tool Card Linter
// 1.0) against what the binary reports: every part of it, with class, direction, severity and exit code.
func TestTheDriftFacts(t *testing.T) {
	t.Parallel()
	s := store()
	noun := func(with string) string { return strings.Replace(s.tools, "Finds shoes by their colour.", with, 1) }
	for what, c := range map[string]struct {
		now  storeSays
		want []string // severity, item, class, direction
	}{
		"nothing": {s, nil},

		// mcp-warden: low; and a change of the schema hides one of the text.
		"a description with an order in it": {s.with(t, "Orders a pair of shoes.", "Orders a pair of shoes."+pull), []string{"error tool order text"}},
		"a description in other words":      {s.with(t, "Orders a pair of shoes.", "Orders one pair of shoes."), []string{"info tool order text"}},
		"a description and a bound":         {s.with(t, "Orders a pair of shoes.", "Orders a pair of shoes."+pull, `"maxLength": 64`, `"maxLength": 65`), []string{"error tool order text", "error tool order schema wider"}},
		"other words and a bound":           {s.with(t, "Orders a pair of shoes.", "Orders one pair of shoes.", `"maxLength": 64`, `"maxLength": 65`), []string{"info tool order text", "error tool order schema wider"}},
		"the description of a parameter":    {s.with(t, "In European sizes.", "In European sizes."+pull), []string{"error tool order text"}},
		// mcp-warden: nothing before its fourth schema, and the title not even then.
		"a title and a hint":    {s.with(t, `"title": "Order"`, `"title": "Buy"`, `"destructiveHint": false`, `"destructiveHint": true`), []string{"error tool order capability wider", "info tool order text"}},
		"a title with an order": {s.with(t, `"title": "Order"`, `"title": "Order.`+strings.ReplaceAll(pull, `"`, `\"`)+`"`), []string{"error tool order text"}},
		"a hint that is gone":   {s.with(t, `"destructiveHint": false, `, ``), []string{"error tool order capability wider"}},
		"a tool that now reads": {s.with(t, `"readOnlyHint": false`, `"readOnlyHint": true`), []string{"error tool order capability narrower"}},
		"an open world":         {s.with(t, `"openWorldHint": false`, `"openWorldHint": true`), []string{"error tool order capability wider"}},
		// mcp-warden: nothing.
		"instructions":                {s.with(t, "Ask for a size first.", "Ask for a size first."+pull), []string{"error instructions text"}},
		"instructions in other words": {s.with(t, "Ask for a size first.", "First ask for a size."), []string{"info instructions text"}},
		"instructions that are new":   {s.with(t, `, "instructions": "Ask for a size first."`, ``), []string{"info instructions text"}},
		"a release":                   {s.with(t, `"version": "1.4.0"`, `"version": "1.4.1"`), []string{"error server identity"}},
		"another server":              {s.with(t, `"name": "store"`, `"name": "stare"`), []string{"error server identity"}},
		"the title of the server":     {s.with(t, `"title": "Store"`, `"title": "Shop"`), []string{"error server identity"}},
		"an icon":                     {s.with(t, "https://store.example/order.png", "https://evil.example/order.png"), []string{"error tool order identity"}},
		"a private member":            {s.with(t, `"store.example/shelf": "a"`, `"store.example/shelf": "b"`), []string{"error tool order schema"}},
		"a capability":                {s.with(t, `"prompts": {}, "resources": {}}, "serverInfo"`, `"prompts": {}, "resources": {}, "logging": {}}, "serverInfo"`), []string{"error capabilities capability wider"}},
		"the size of a resource":      {s.with(t, `"size": 120`, `"size": 121`), []string{"error resource store://stock schema"}},
		"the type of a resource":      {s.with(t, "text/plain", "text/html"), []string{"error resource store://stock schema"}},
		"the text of a resource":      {s.with(t, "What is on the shelves.", "All that is on the shelves."), []string{"info resource store://stock text"}},
		"a template":                  {s.with(t, `{"uriTemplate": "store://shelf/{id}"`, `{"uriTemplate": "file:///{path}", "name": "any"}, {"uriTemplate": "store://shelf/{id}"`), []string{"error template file:///{path} added wider"}},
		"the place of a template":     {s.with(t, "store://shelf/{id}", "file:///{id}"), []string{"error template file:///{id} renamed"}},
		"the argument of a prompt":    {s.with(t, `{"name": "who", "desc`, `{"name": "secrets"}, {"name": "who", "desc`), []string{"info prompt greet text", "error prompt greet schema", "error prompt greet schema wider"}},
		"an order in a prompt":        {s.with(t, "Greets a customer.", "Greets a customer."+pull), []string{"error prompt greet text"}},
		"a prompt more":               {s.with(t, `[{"name": "greet"`, `[{"name": "bye", "description": "Ends."}, {"name": "greet"`), []string{"error prompt bye added wider"}},
		"no prompt":                   {func() storeSays { o := s; o.prompts = "[]"; return o }(), []string{"error prompt greet removed narrower"}},
		"no resource":                 {func() storeSays { o := s; o.resources = "[]"; return o }(), []string{"error resource store://stock removed narrower"}},
		// mcp-warden: low, as if it were tighter.
		"another pattern":              {s.with(t, "^[a-z ]+$", "^.*$"), []string{"error tool order schema"}},
		"a pattern less":               {s.with(t, `, "pattern": "^[a-z ]+$"`, ``), []string{"error tool order schema wider"}},
		"a choice of others":           {s.with(t, `["red", "blue"]`, `["green"]`), []string{"error tool order schema wider"}},
		"a choice less":                {s.with(t, `["red", "blue"]`, `["red"]`), []string{"error tool order schema narrower"}},
		"no choice any more":           {s.with(t, `"enum": ["red", "blue"], `, ``), []string{"error tool order schema wider"}},
		"more properties, a bound":     {s.with(t, `"additionalProperties": false, `, ``, `"maxLength": 64, `, ``), []string{"error tool order schema wider"}},
		"a wider bound, a tighter":     {s.with(t, `"minimum": 20`, `"minimum": 30`, `"maximum": 50`, `"maximum": 60`), []string{"error tool order schema wider", "error tool order schema narrower"}},
		"another type":                 {s.with(t, `"size": {"type": "integer"`, `"size": {"type": "string"`), []string{"error tool order schema wider"}},
		"a parameter more":             {s.with(t, `"note": {`, `"conversation": {"type": "string"}, "note": {`), []string{"error tool order schema wider"}},
		"a parameter that is required": {s.with(t, `["size"]`, `["size", "note"]`), []string{"error tool order schema narrower"}},
		// mcp-warden: cosmetic and low.
		"a default":           {s.with(t, `"default": "red"`, `"default": "blue"`), []string{"error tool order schema"}},
		"a default like text": {s.with(t, `"default": "red"`, `"default": {"description": "blue"}`), []string{"error tool order schema"}},
		"a choice of schemas": {s.with(t, `{"anyOf": [{"type": "string"}]}`, `{"anyOf": [{"type": "string"}, {"type": "object"}]}`), []string{"error tool order schema wider"}},
		"a constant":          {s.with(t, `"colour": {"type": "string"}}}}]`, `"colour": {"type": "string", "const": "red"}}}}]`), []string{"error tool find schema narrower"}},
		"what it gives":       {s.with(t, `"id": {"type": "string"}`, `"id": {"type": "integer"}`), []string{"error tool order schema wider"}},
		// mcp-warden: high once, and what the tool can do is not said.
		"a shell tool more": {s.with(t, `{"name": "find"`, `{"name": "run_shell", "description": "Runs a command.", "inputSchema": {"type": "object", "properties": {"command": {"type": "string"}}}}, {"name": "find"`), []string{"error tool run_shell added wider"}},

		// MCP Tool Card Linter: no finding, exit 0; an added tool is info and included by default.
		"a tool less": {func() storeSays {
			o := s
			o.tools = s.tools[:strings.Index(s.tools, `{"name": "find"`)-3] + "]"
			return o
		}(), []string{"error tool find removed narrower"}},
		"no tools":     {func() storeSays { o := s; o.tools = "[]"; return o }(), []string{"error tool order removed narrower", "error tool find removed narrower"}},
		"a look-alike": {s.with(t, `{"name": "find"`, `{"name": "fіnd"`), []string{"error tool fіnd renamed"}},
		"the same letters in another form": {func() storeSays {
			o := s
			o.prompts = strings.Replace(s.prompts, `"greet"`, "\"gre\u0300t\"", 1)
			return o
		}(), []string{"error prompt gre\u0300t renamed"}},
		"one tool twice": {s.with(t, `{"name": "find"`, `{"name": "find", "description": "Finds all.", "inputSchema": {"type": "object"}}, {"name": "find"`), []string{"error tool find text", "error tool find schema", "error tool find added wider"}},
		"tools in another order": {func() storeSays {
			o := s
			i := strings.Index(s.tools, `{"name": "find"`)
			o.tools = "[" + strings.TrimSuffix(s.tools[i:], "]") + "," + strings.TrimRight(strings.TrimSpace(s.tools[1:i]), ", \n") + "]"
			return o
		}(), []string{"info tools reordered"}},
		"hidden letters": {func() storeSays {
			o := s
			o.tools = noun("Finds shoes by their colour.\u200b\u200c\U000E0061")
			return o
		}(), []string{"error tool find text"}},
		"a credential": {func() storeSays {
			o := s
			o.tools = noun("Finds shoes by their colour. ghp_" + "x7Kq2Lm9Rt4Vw8Zb3Nc6Yd1Fg5Hj0PsAeUoQ")
			return o
		}(), []string{"error tool find text"}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := checkout(t, map[string]string{"mcpassay.lock": string(s.locked(t, "store").Encode()), "now.json": string(c.now.saved())})
			for _, strict := range []bool{false, true} {
				args := []string{"verify", "--surface", "now.json", "--json", "--today", "2026-12-01"}
				want := slices.Clone(c.want)
				mild := slices.ContainsFunc(want, func(s string) bool { return strings.HasPrefix(s, "info") })
				if strict && !mild {
					continue // the same again
				}
				if strict {
					args = append(args, "--profile", "strict")
					for i := range want {
						want[i] = strings.Replace(want[i], "info ", "error ", 1)
					}
				}
				code := 0
				if slices.ContainsFunc(want, func(s string) bool { return strings.HasPrefix(s, "error") }) {
					code = 1
				}
				var m struct {
					OK    bool
					Drift []struct {
						Severity, Item, Class, Direction string
						Before, After                    []string
						Pointers                         struct{ Added, Removed, Changed []string }
					}
					Findings   []struct{ Rule, Severity string }
					Incomplete []any
				}
				if err := json.Unmarshal([]byte(must(t, code, dir, args...)), &m); err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, d := range m.Drift {
					got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", d.Severity, d.Item, d.Class, d.Direction)))
					if d.Class != "reordered" && (len(d.Before)+len(d.After) == 0 || len(d.Pointers.Added)+len(d.Pointers.Removed)+len(d.Pointers.Changed) == 0) {
						t.Errorf("%s shows neither lines nor places", d.Item)
					}
				}
				if !slices.Equal(got, want) || m.OK != (code == 0) || len(m.Findings) != len(want) || len(m.Incomplete) > 0 {
					t.Errorf("strict %v: %q, want %q; %+v", strict, got, want, m.Findings)
				}
			}
		})
	}
}

// TestTheBaselineEvents holds the other events that MCP Tool Card Linter was measured on: what is bound to a machine there, and
// the approvals themselves.
func TestTheBaselineEvents(t *testing.T) {
	t.Parallel()
	s := store()
	moved := map[string]string{"mcpassay.lock": string(s.locked(t, "store").Encode()), "now.json": string(s.saved())}
	for range 2 { // its baselines are bound to a folder: critical for every tool in a second one
		dir := checkout(t, moved)
		must(t, 0, dir, "verify", "--surface", "now.json")
		sub := filepath.Join(dir, "deep", "er")
		if err := os.MkdirAll(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		must(t, 0, sub, "verify", "--surface", "../../now.json")
		must(t, 2, dir, "verify", "--surface", "now.json", "--server", "another") // a label that nobody pinned
	}
	// Approved and unsigned: enough for who names no trust, and for nobody else.
	dir := checkout(t, moved)
	must(t, 0, dir, "keygen", "--private-key", "ada.key", "--public-key", "ada.pub")
	must(t, 0, dir, "keygen", "--private-key", "eve.key", "--public-key", "eve.pub")
	trust(t, dir, "trust.yaml", "ada", "ada.pub")
	must(t, 1, dir, "verify", "--trust", "trust.yaml")
	must(t, 0, dir, "approve", "store", "--by", "Ada", "--sign", "ada.key", "--publisher", "example-org")
	must(t, 0, dir, "verify", "--trust", "trust.yaml", "--surface", "now.json", "--expect-publisher", "example-org")
	must(t, 1, dir, "verify", "--trust", "trust.yaml", "--expect-publisher", "other-org")
	// Another key, and an approval and its signature carried over to another server.
	trust(t, dir, "eve.yaml", "ada", "eve.pub")
	must(t, 1, dir, "verify", "--trust", "eve.yaml")
	two := s.locked(t, "store", "twin")
	signed := lock.Open("mcpassay.lock", "", []byte(lockOf(t, dir)), limits.Default)
	two.Approvals = nil
	for _, name := range []string{"store", "twin"} {
		a := signed.Approvals[0]
		a.Server = name
		two.Approvals = append(two.Approvals, a)
		sig := signed.Signatures[0]
		sig.Server = name
		two.Signatures = append(two.Signatures, sig)
	}
	if err := os.WriteFile(filepath.Join(dir, "mcpassay.lock"), two.Encode(), 0o644); err != nil {
		t.Fatal(err)
	}
	if printed := must(t, 1, dir, "verify", "--trust", "trust.yaml"); strings.Contains(printed, "store needs") || !strings.Contains(printed, "twin") {
		t.Errorf("%s", printed)
	}
	// An empty variable of a pipeline takes no demand away.
	must(t, 2, dir, "verify", "--trust", "")
	must(t, 2, dir, "verify", "--surface", "now.json", "--surface", "now.json")
}
