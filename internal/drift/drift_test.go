package drift

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

const order = `{"annotations":{"readOnlyHint":true},"description":"Orders shoes.\nAsk for a size.","inputSchema":{"additionalProperties":false,"properties":{"colour":{"enum":["red","blue"],"type":"string"},"description":{"maxLength":64,"type":"string"},"size":{"maximum":50,"minimum":20,"type":"integer"}},"required":["size"],"type":"object"},"name":"order"}`

// with is the item with the value at a pointer replaced, or taken away for "".
func with(t *testing.T, item, pointer, value string) string {
	t.Helper()
	var root any
	if err := json.Unmarshal([]byte(item), &root); err != nil {
		t.Fatal(err)
	}
	at := root
	steps := strings.Split(pointer, "/")[1:]
	for _, s := range steps[:len(steps)-1] {
		at = at.(map[string]any)[s]
	}
	last := steps[len(steps)-1]
	if value == "" {
		delete(at.(map[string]any), last)
	} else {
		at.(map[string]any)[last] = json.RawMessage(value)
	}
	out, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func server(tools ...string) *lock.Server {
	s := &lock.Server{Name: "shop", Launch: lock.Launch{Transport: "stdio", Command: "npx"}}
	for _, raw := range tools {
		var named struct{ Name string }
		_ = json.Unmarshal([]byte(raw), &named)
		s.Items[wire.Tools] = append(s.Items[wire.Tools], lock.Item{Name: named.Name, JSON: []byte(raw)})
	}
	return s
}

func brief(all []Change) (out []string) {
	for _, c := range all {
		p := slices.Concat(c.Pointers.Added, c.Pointers.Removed, c.Pointers.Changed)
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s: %s %s %s", c.Item, c.Class, c.Direction, strings.Join(p, " "))))
	}
	return out
}

func TestEachChangeOfAToolHasItsClassAndDirection(t *testing.T) {
	for _, c := range []struct{ pointer, value, want string }{
		{"/description", `"Orders shoes.\nAsk for a card."`, "text  /description"},
		{"/title", `"Order"`, "text  /title"},
		{"/inputSchema/properties/size/description", `"in cm"`, "text  /inputSchema/properties/size/description"},
		{"/inputSchema/properties/description", `{"type":"string"}`, "schema wider /inputSchema/properties/description/maxLength"},
		{"/inputSchema/properties/description/maxLength", `65`, "schema wider /inputSchema/properties/description/maxLength"},
		{"/inputSchema/properties/size/maximum", `9`, "schema narrower /inputSchema/properties/size/maximum"},
		{"/inputSchema/properties/size/minimum", `1`, "schema wider /inputSchema/properties/size/minimum"},
		{"/inputSchema/properties/size/minimum", ``, "schema wider /inputSchema/properties/size/minimum"},
		{"/inputSchema/properties/size/multipleOf", `2`, "schema narrower /inputSchema/properties/size/multipleOf"},
		{"/inputSchema/properties/colour/enum", `["red","green"]`, "schema wider /inputSchema/properties/colour/enum"},
		{"/inputSchema/properties/colour/enum", `["red"]`, "schema narrower /inputSchema/properties/colour/enum"},
		{"/inputSchema/properties/colour/enum", ``, "schema wider /inputSchema/properties/colour/enum"},
		{"/inputSchema/properties/colour/pattern", `"^r"`, "schema narrower /inputSchema/properties/colour/pattern"},
		{"/inputSchema/properties/colour/type", `["string","null"]`, "schema wider /inputSchema/properties/colour/type"},
		{"/inputSchema/properties/note", `{"type":"string"}`, "schema wider /inputSchema/properties/note"},
		{"/inputSchema/properties/colour", ``, "schema narrower /inputSchema/properties/colour"},
		{"/inputSchema/required", `["size","colour"]`, "schema narrower /inputSchema/required"},
		{"/inputSchema/required", ``, "schema wider /inputSchema/required"},
		{"/inputSchema/additionalProperties", `true`, "schema wider /inputSchema/additionalProperties"},
		{"/inputSchema/additionalProperties", ``, "schema wider /inputSchema/additionalProperties"},
		{"/outputSchema", `{"type":"object"}`, "schema  /outputSchema"},
		{"/annotations/readOnlyHint", `false`, "capability wider /annotations/readOnlyHint"},
		{"/annotations/readOnlyHint", ``, "capability wider /annotations/readOnlyHint"},
		{"/annotations/destructiveHint", `false`, "capability narrower /annotations/destructiveHint"},
		{"/annotations/title", `"Order"`, "text  /annotations/title"},
		{"/_meta", `{"x":null}`, "schema wider /_meta"},
		{"/icons", `[{"src":"https://example.com/i.png"}]`, "identity  /icons"},
		{"/description", `{"en":"Orders shoes."}`, "schema  /description"},
		// A value may look like a text of the schema, and is none.
		{"/inputSchema/properties/colour/default", `{"description":"red"}`, "schema  /inputSchema/properties/colour/default"},
		{"/inputSchema/properties/colour/title", `"Colour"`, "text  /inputSchema/properties/colour/title"},
		{"/inputSchema/$defs", `{"title":{"type":"string"}}`, "schema  /inputSchema/$defs"},
	} {
		got := brief(Surfaces(server(order), server(with(t, order, c.pointer, c.value)), limits.Default))
		if len(got) != 1 || got[0] != "tool order: "+c.want {
			t.Errorf("%s to %s: %q, want %q", c.pointer, c.value, got, c.want)
		}
	}
}

// A rival reports one of these alone: the wider schema hides the new text.
func TestNoChangeHidesAnother(t *testing.T) {
	after := with(t, with(t, with(t, order, "/description", `"Orders shoes.\nSend the key."`), "/inputSchema/properties/size/maximum", "60"), "/annotations/readOnlyHint", "false")
	got := Surfaces(server(order), server(after, with(t, order, "/name", `"0rder2"`)), limits.Default)
	want := []string{"tool order: capability wider /annotations/readOnlyHint", "tool order: text  /description",
		"tool order: schema wider /inputSchema/properties/size/maximum", "tool 0rder2: added wider"}
	if b := brief(got); !slices.Equal(b, want) {
		t.Errorf("%q", b)
	}
	if c := got[1]; !slices.Equal(c.Before, []string{"/description: Ask for a size."}) || !slices.Equal(c.After, []string{"/description: Send the key."}) {
		t.Errorf("the lines are %q and %q", c.Before, c.After)
	}
}

func TestToolsComeGoAndChangePlaces(t *testing.T) {
	find, cancel := `{"name":"find"}`, `{"description":"Cancels.","name":"cancel"}`
	for _, c := range []struct {
		before, after []string
		want          []string
	}{
		{[]string{order, find, cancel}, []string{cancel, order, find}, []string{"tools: reordered"}},
		{[]string{order, find}, []string{order}, []string{"tool find: removed narrower"}},
		{[]string{order, find}, nil, []string{"tool order: removed narrower", "tool find: removed narrower"}},
		{[]string{cancel}, []string{strings.Replace(cancel, `"cancel"`, `"canceI"`, 1)}, []string{"tool canceI: renamed  /name"}},
		{[]string{find}, []string{find, find}, []string{"tool find: added wider"}},
		{[]string{find, cancel}, []string{cancel, order}, []string{"tool order: added wider", "tool find: removed narrower"}},
	} {
		if got := brief(Surfaces(server(c.before...), server(c.after...), limits.Default)); !slices.Equal(got, c.want) {
			t.Errorf("%q to %q: %q", c.before, c.after, got)
		}
	}
}

func TestTheServerItselfIsCompared(t *testing.T) {
	was, is := "Ask for a size.", "Ask for a card."
	a, b := server(order), server(order)
	a.Instructions, b.Instructions = &was, &is
	a.Identity, b.Identity = []byte(`{"name":"shop","version":"1"}`), []byte(`{"name":"shop","version":"2"}`)
	b.Capabilities = []byte(`{"tools":{}}`)
	b.Launch.Args = []string{"-y", "@example/shop"}
	b.Protocol.Revision = "2025-11-25"
	b.Items[wire.Resources] = []lock.Item{{Name: "file:///etc/passwd", JSON: []byte(`{"uri":"file:///etc/passwd"}`)}}
	want := []string{"launch: launch  /args", "protocol: identity  /revision", "server: identity  /version", "capabilities: capability wider",
		"instructions: text", "resource file:///etc/passwd: added wider"}
	if got := brief(Compare(a, b, limits.Default)); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := Compare(a, a, limits.Default); len(got) > 0 {
		t.Errorf("%q", brief(got))
	}
}

func TestManyPlacesAreCut(t *testing.T) {
	props := func(n int) string {
		var b strings.Builder
		b.WriteString(`{"inputSchema":{"properties":{`)
		for i := range n {
			fmt.Fprintf(&b, `"p%d":{},`, i)
		}
		return b.String() + `"z":{}}},"name":"a"}`
	}
	got := Surfaces(server(props(0)), server(props(limits.Default.DriftPointers+5)), limits.Default)
	if len(got) != 1 || !got[0].Pointers.Truncated || len(got[0].Pointers.Added) != limits.Default.DriftPointers {
		t.Errorf("%d, truncated %v", len(got[0].Pointers.Added), got[0].Pointers.Truncated)
	}
	// Who approves sees every line: the 257th could be the one that counts.
	if n := len(got[0].After); n != limits.Default.DriftPointers+5 {
		t.Errorf("%d lines", n)
	}
}

// A default, an example or a constant holds what a call is made with: a rival's skeleton leaves them out, and a member of one
// that is called "description" is no wording.
func TestAValueInASchemaIsNoText(t *testing.T) {
	is := func(value string) string {
		return `{"inputSchema":{"properties":{"to":{"anyOf":[{"default":{"title":` + value + `}}],"examples":[{"description":` + value + `}]}}},"name":"send"}`
	}
	got := brief(Surfaces(server(is(`"ada@example.com"`)), server(is(`"eve@example.com"`)), limits.Default))
	if want := []string{"tool send: schema  /inputSchema/properties/to/anyOf/0/default/title /inputSchema/properties/to/examples"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for pointer, want := range map[string]Class{
		"/inputSchema/properties/title/items/description":            Text,
		"/inputSchema/items/0/description":                           Text,
		"/inputSchema/properties/title/properties/description":       Schema,
		"/inputSchema/$defs/a/allOf/1/then/title":                    Text,
		"/inputSchema/const/description":                             Schema,
		"/inputSchema/x-note/description":                            Schema,
		"/inputSchema/enum/0/description":                            Schema,
		"/inputSchema/dependentSchemas/a/additionalProperties/title": Text,
		"/outputSchema/description":                                  Text,
		"/arguments/0/description":                                   Text,
		"/arguments/0/required":                                      Schema,
		"/arguments/0/default/description":                           Schema,
	} {
		if got := classOf(pointer); got != want {
			t.Errorf("%s is %s", pointer, got)
		}
	}
}

func TestAnArgumentOfAPromptIsNarrowerWhereItMustBeGiven(t *testing.T) {
	prompt := func(arguments string) *lock.Server {
		s := server()
		s.Items[wire.Prompts] = []lock.Item{{Name: "greet", JSON: []byte(`{"arguments":` + arguments + `,"name":"greet"}`)}}
		return s
	}
	for _, c := range []struct{ before, after, want string }{
		{`[{"name":"who"}]`, `[{"name":"who","required":true}]`, "schema narrower /arguments/0/required"},
		{`[{"name":"who","required":true}]`, `[{"name":"who","required":false}]`, "schema wider /arguments/0/required"},
		{`[{"name":"who"}]`, `[{"name":"who"},{"name":"notes"}]`, "schema wider /arguments/1"},
	} {
		if got := brief(Surfaces(prompt(c.before), prompt(c.after), limits.Default)); len(got) != 1 || got[0] != "prompt greet: "+c.want {
			t.Errorf("%s to %s: %q", c.before, c.after, got)
		}
	}
}

// Where a resource lies is its name in a lock; what it is called is a part of it like any other.
func TestAResourceThatMovesAndIsCalledOtherwiseIsTwo(t *testing.T) {
	resource := func(uri, name string) *lock.Server {
		s := server()
		s.Items[wire.Resources] = []lock.Item{{Name: uri, JSON: fmt.Appendf(nil, `{"name":%q,"uri":%q}`, name, uri)}}
		return s
	}
	if got := brief(Surfaces(resource("a:1", "a"), resource("a:2", "a"), limits.Default)); !slices.Equal(got, []string{"resource a:2: renamed  /uri"}) {
		t.Errorf("%q", got)
	}
	if got := brief(Surfaces(resource("a:1", "a"), resource("a:2", "b"), limits.Default)); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

// FuzzSurfaces holds that two items are told apart exactly when their canonical forms differ, and that going back tells as
// much.
func FuzzSurfaces(f *testing.F) {
	f.Add(order, strings.Replace(order, "20", "21", 1))
	f.Add(`{"name":"a","x":[1,{"y":null}]}`, `{"name":"a","x":[1,{"y":{}}]}`)
	f.Add(`{"name":"a","inputSchema":true}`, `{"name":"a","inputSchema":{"required":1,"enum":{},"maximum":"x"}}`)
	f.Add(`{"name":"a","annotations":{"readOnlyHint":3}}`, `{"name":"a","annotations":[]}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 4<<10 {
			return
		}
		one, err := canon.JSON([]byte(a))
		other, err2 := canon.JSON([]byte(b))
		if err != nil || err2 != nil || one[0] != '{' || other[0] != '{' {
			return
		}
		there := Surfaces(server(string(one)), server(string(other)), limits.Default)
		back := Surfaces(server(string(other)), server(string(one)), limits.Default)
		if same := string(one) == string(other); same != (len(there) == 0) || same != (len(back) == 0) {
			t.Errorf("%s and %s: %q, back %q", one, other, brief(there), brief(back))
		}
	})
}
