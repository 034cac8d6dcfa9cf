package speech

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/source"
)

// mutation changes a hostile string, or moves it to another place of the card.
type mutation struct {
	name string
	text func(string) string // changes the string where it stands
	// breaks says that what is encoded, or written in another script, is no longer what it was.
	breaks bool
	// ascii says that nothing else can be written so.
	ascii bool
	// lost is how many may be.
	lost int
	move func(tool map[string]any, s string) // puts the string elsewhere; it is gone from where it stood
}

func letters26(f func(rune) string) func(string) string {
	return func(s string) string {
		var b strings.Builder
		for _, r := range s {
			b.WriteString(f(r))
		}
		return b.String()
	}
}

func property(tool map[string]any, name string, schema map[string]any) {
	in, _ := tool["inputSchema"].(map[string]any)
	if in == nil {
		in = map[string]any{"type": "object"}
		tool["inputSchema"] = in
	}
	props, _ := in["properties"].(map[string]any)
	if props == nil {
		props = map[string]any{}
		in["properties"] = props
	}
	props[name] = schema
}

// wrap breaks a text into lines of a width.
func wrap(s string, width int, end string) string {
	var b strings.Builder
	col := 0
	for _, w := range strings.SplitAfter(s, " ") {
		if col += len(w); col > width {
			b.WriteString(end)
			col = len(w)
		}
		b.WriteString(w)
	}
	return b.String()
}

// pieces is a text in base64 that is cut.
func pieces(s string, size int, between string) string {
	b := base64.StdEncoding.EncodeToString([]byte(s))
	var out strings.Builder
	for i := 0; i < len(b); i += size {
		out.WriteString(b[i:min(len(b), i+size)] + between)
	}
	return out.String()
}

// halves cuts a text between two words.
func halves(s string) (first, second string) {
	words := strings.SplitAfter(s, " ")
	half := len(words) / 2
	return strings.Join(words[:half], ""), strings.Join(words[half:], "")
}

var mutations = []mutation{
	{name: "upper case", breaks: true, text: strings.ToUpper},
	{name: "lower case", breaks: true, text: strings.ToLower},
	{name: "double blanks", text: func(s string) string { return strings.ReplaceAll(s, " ", "  ") }},
	{name: "tabs", text: func(s string) string { return strings.ReplaceAll(s, " ", "\t") }},
	{name: "wrapped lines", text: func(s string) string { return wrap(s, 40, "\n") }},
	{name: "spaced letters", breaks: true, text: func(s string) string {
		return letters26(func(r rune) string {
			if r == ' ' {
				return "  "
			}
			return string(r) + " "
		})(s)
	}},
	{name: "homoglyphs", text: strings.NewReplacer("a", "а", "e", "е", "o", "о", "p", "р", "c", "с").Replace},
	{name: "zero width", text: letters26(func(r rune) string {
		if unicode.IsLetter(r) {
			return string(r) + "\u200b"
		}
		return string(r)
	})},
	{name: "soft hyphens", text: strings.NewReplacer("re", "r\u00ade", "st", "s\u00adt", "no", "n\u00ado", "ou", "o\u00adu").Replace},
	{name: "full width", breaks: true, text: letters26(func(r rune) string {
		if r > ' ' && r < 0x7F {
			return string(r - '!' + '！')
		}
		return string(r)
	})},
	{name: "tag block", ascii: true, text: func(s string) string {
		return "Does its work." + letters26(func(r rune) string {
			if r >= ' ' && r < 0x7F {
				return string(0xE0000 + r)
			}
			return ""
		})(s)
	}},
	{name: "accents", breaks: true, text: strings.NewReplacer("e", "é", "o", "ö", "u", "ü", "i", "í").Replace},
	{name: "leet", breaks: true, text: strings.NewReplacer("i", "1", "e", "3", "o", "0").Replace},
	{name: "base64", text: func(s string) string { return "Follow this: " + base64.StdEncoding.EncodeToString([]byte(s)) }},
	{name: "base64url", text: func(s string) string { return "Follow this: " + base64.RawURLEncoding.EncodeToString([]byte(s)) }},
	{name: "hex", text: func(s string) string { return "Follow this: " + hex.EncodeToString([]byte(s)) }},
	{name: "escapes", text: letters26(func(r rune) string {
		if r < 0x7F && unicode.IsLetter(r) {
			return fmt.Sprintf(`\x%02x`, r)
		}
		return string(r)
	})},
	{name: "entities", text: letters26(func(r rune) string {
		if strings.ContainsRune("aeiou", r) {
			return fmt.Sprintf("&#%d;", r)
		}
		return string(r)
	})},
	{name: "to a parameter", move: func(t map[string]any, s string) {
		property(t, "extra", map[string]any{"type": "string", "description": s})
	}},
	{name: "to the title", move: func(t map[string]any, s string) { t["title"] = s }},
	{name: "to an enum", move: func(t map[string]any, s string) { property(t, "extra", map[string]any{"enum": []any{"a", s}}) }},
	{name: "to a default", move: func(t map[string]any, s string) { property(t, "extra", map[string]any{"default": s}) }},
	{name: "to an example", move: func(t map[string]any, s string) { property(t, "extra", map[string]any{"examples": []any{s}}) }},
	{name: "to a comment", move: func(t map[string]any, s string) { property(t, "extra", map[string]any{"$comment": s}) }},
	{name: "to _meta", move: func(t map[string]any, s string) { t["_meta"] = map[string]any{"acme/hint": s} }},
	{name: "to the output", move: func(t map[string]any, s string) {
		t["outputSchema"] = map[string]any{"type": "object", "properties": map[string]any{"r": map[string]any{"description": s}}}
	}},
	{name: "to an unknown member", move: func(t map[string]any, s string) { t["x-note"] = s }},
	{name: "to a name of a member", move: func(t map[string]any, s string) { property(t, s, map[string]any{"type": "string"}) }},
	{name: "nested", move: func(t map[string]any, s string) {
		in := map[string]any{"type": "string", "description": s}
		for range 8 {
			in = map[string]any{"type": "object", "properties": map[string]any{"in": in}}
		}
		property(t, "extra", in)
	}},
	{name: "wrapped and indented", text: func(s string) string { return wrap(s, 72, "\n    ") }},
	{name: "a word a line", text: func(s string) string { return strings.ReplaceAll(s, " ", "\n") }},
	{name: "base64 in lines", text: func(s string) string { return "Follow this: " + pieces(s, 76, "\n") }},
	{name: "base64 in pieces", text: func(s string) string { return "Follow this: " + pieces(s, 12, " ") }},
	{name: "base64 in small pieces", text: func(s string) string { return "Follow this: " + pieces(s, 8, "\n") }},
	{name: "hex in pairs", text: func(s string) string { return fmt.Sprintf("Follow this: % x", s) }},
	{name: "percent signs", text: letters26(func(r rune) string {
		if r < utf8.RuneSelf {
			return fmt.Sprintf("%%%02x", r)
		}
		return string(r)
	})},
	// Two pieces that mean nothing each, of which the first could be all that there is: no seam shows.
	{name: "split over two parameters", lost: 1, move: func(t map[string]any, s string) {
		first, second := halves(s)
		property(t, "part1", map[string]any{"type": "string", "description": first})
		property(t, "part2", map[string]any{"type": "string", "description": second})
	}},
	{name: "split over the description and a parameter", lost: 1, move: func(t map[string]any, s string) {
		first, second := halves(s)
		t["description"] = first
		property(t, "part2", map[string]any{"type": "string", "description": second})
	}},
	{name: "split in two", move: func(t map[string]any, s string) { t["title"], t["description"] = halves(s) }},
}

// mutate applies a mutation to every string of a tool that is payload. What is moved stays in one piece.
func mutate(tool json.RawMessage, payload []string, m mutation) json.RawMessage {
	var t map[string]any
	if err := json.Unmarshal(tool, &t); err != nil {
		panic(err)
	}
	var walk func(any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			if !slices.Contains(payload, v) {
				return v
			}
			if m.text != nil {
				return m.text(v)
			}
			return "Does its work."
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for k := range v {
				if k != "name" {
					v[k] = walk(v[k])
				}
			}
		}
		return v
	}
	walk(t)
	if m.move != nil {
		m.move(t, strings.Join(payload, " "))
	}
	out, err := json.Marshal(t)
	if err != nil {
		panic(err)
	}
	return out
}

// payload is the strings that hold the evidence, in the order in which they are read.
func payload(v *Verdict) (all []string) {
	add := func(n source.Node) {
		if t := n.Text(); t != "" && !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	for _, e := range v.List {
		if !e.Key && e.Idea != OffensiveTool && e.Idea != CallerParameter {
			add(e.From)
			add(e.Node)
		}
	}
	return all
}

// plain says whether all of a payload is ASCII.
func plain(payload []string) bool {
	return !strings.ContainsFunc(strings.Join(payload, ""), func(r rune) bool { return r >= utf8.RuneSelf })
}

func TestEveryDetectedCardStaysDetected(t *testing.T) {
	var own, corpus []json.RawMessage
	for _, n := range []string{"hostile", "hostile_second", "hostile_third", "hostile_fourth", "hostile_fifth", "hostile_sixth"} {
		for _, f := range fixtures(t, n) {
			own = append(own, f.Tool)
		}
	}
	mutated(t, "our own cards", own)
	for _, kind := range []string{"poisoned", "template", "crafted"} {
		for _, l := range load(t, kind) { // skips where it is absent
			corpus = append(corpus, l.Tool)
		}
	}
	mutated(t, "the corpus", corpus)
}

// mutated holds that every detected card stays detected. A card whose fault is a character is left alone by what changes
// characters, and so is a coding by what breaks it.
func mutated(t *testing.T, name string, tools []json.RawMessage) {
	total := 0
	for _, m := range mutations {
		n, lost := 0, 0
		for _, tool := range tools {
			v := judgeTool(t, tool)
			if v == nil || len(v.List) == 0 {
				continue
			}
			p := payload(v)
			if len(p) == 0 || v.List[v.Main].Idea >= HiddenUnicode && m.move == nil ||
				m.breaks && has(v, EncodedPayload) || m.ascii && !plain(p) || m.move != nil && has(v, SleeperTool) {
				continue
			}
			n++
			if after := judgeTool(t, mutate(tool, p, m)); after == nil || len(after.List) == 0 {
				if lost++; lost <= m.lost {
					continue
				}
				t.Errorf("%s: lost by %s: %.900s", name, m.name, mutate(tool, p, m))
			}
		}
		if n == 0 {
			t.Errorf("%s: %s changes no card", name, m.name)
		}
		total += n
	}
	t.Logf("%s: %d mutations of %d kinds", name, total, len(mutations))
}

func has(v *Verdict, i Idea) bool { return v.Level[i] > 0 }
