package source

import (
	"slices"
	"strings"
)

// Value is a value that is to be written. The zero Value is none.
type Value struct {
	Kind Kind
	// Text is a string's text, or a number or boolean as it is written.
	Text string
	// Members are those of an object, in the order in which they are written; Items those of an array.
	Members []Member
	Items   []Value
}

// Member is one member of an object that is to be written.
type Member struct {
	Name  string
	Value Value
}

// StringValue is a string.
func StringValue(s string) Value { return Value{Kind: String, Text: s} }

// ListValue is an array of strings.
func ListValue(items []string) Value {
	v := Value{Kind: Array}
	for _, s := range items {
		v.Items = append(v.Items, StringValue(s))
	}
	return v
}

// With is an object with one more member.
func (v Value) With(name string, m Value) Value {
	return Value{Kind: Object, Members: append(slices.Clip(v.Members), Member{name, m})}
}

// Get is the member of that name, the zero Value for none.
func (v Value) Get(name string) Value {
	for _, m := range v.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return Value{}
}

// Means says whether the node holds just this value: the order of members does not matter.
func (v Value) Means(n Node) bool {
	if v.Kind != n.Kind() {
		return false
	}
	switch v.Kind {
	case Object:
		if n.Len() != len(v.Members) {
			return false
		}
		return !slices.ContainsFunc(v.Members, func(m Member) bool { return !m.Value.Means(n.Get(m.Name)) })
	case Array:
		if n.Len() != len(v.Items) {
			return false
		}
		for i, item := range v.Items {
			if !item.Means(n.At(i)) {
				return false
			}
		}
		return true
	case String:
		return n.Text() == v.Text
	}
	return n.scalar() == v.Text
}

// ValueOf is the value that a node holds, the last of members of one name.
func ValueOf(n Node) Value {
	v := Value{Kind: n.Kind()}
	switch v.Kind {
	case Object:
		for c := range n.Children() {
			if !c.Overridden() {
				v.Members = append(v.Members, Member{c.Key(), ValueOf(c)})
			}
		}
	case Array:
		for c := range n.Children() {
			v.Items = append(v.Items, ValueOf(c))
		}
	case String:
		v.Text = n.Text()
	case Null:
		v.Text = "null"
	default:
		v.Text = n.scalar()
	}
	return v
}

// style is how the values around are written.
type style struct {
	format Format
	// line is the line break, unit one step of indentation.
	line, unit string
	// lines puts the members of an object on lines of their own, items those of an array.
	lines, items bool
	// colon stands between name and value, comma between what is on one line, pad inside of braces on one line.
	colon, comma, pad string
}

// inline writes a value between brackets: all of JSON, and what TOML and YAML have in common with it.
func (s style) inline(b *strings.Builder, d *Doc, v Value, indent string) {
	open, shut, many, count := "{", "}", s.lines, len(v.Members)
	switch v.Kind {
	case Object:
	case Array:
		open, shut, many, count = "[", "]", s.items, len(v.Items)
	case String:
		b.WriteString(Quote(v.Text))
		return
	default:
		b.WriteString(v.Text)
		return
	}
	if s.format == TOML && v.Kind == Object { // TOML 1.0 has no line breaks in braces
		s.lines, s.items, many = false, false, false
	}
	b.WriteString(open)
	inner := indent + s.unit
	for i := range count {
		switch {
		case i > 0 && many:
			b.WriteString("," + s.line + inner)
		case i > 0:
			b.WriteString(s.comma)
		case many:
			b.WriteString(s.line + inner)
		case v.Kind == Object:
			b.WriteString(s.pad)
		}
		if v.Kind == Array {
			s.inline(b, d, v.Items[i], inner)
			continue
		}
		s.member(b, d, v.Members[i], inner)
	}
	switch {
	case count > 0 && many:
		b.WriteString(s.line + indent)
	case count > 0 && v.Kind == Object:
		b.WriteString(s.pad)
	}
	b.WriteString(shut)
}

// member writes name and value between brackets.
func (s style) member(b *strings.Builder, d *Doc, m Member, indent string) {
	switch s.format {
	case JSON:
		b.WriteString(Quote(m.Name) + s.colon)
	case TOML:
		b.WriteString(d.name(m.Name) + " = ")
	default:
		b.WriteString(d.name(m.Name) + ": ")
	}
	s.inline(b, d, m.Value, indent)
}

func (s style) text(d *Doc, v Value, indent string) string {
	var b strings.Builder
	s.inline(&b, d, v, indent)
	return b.String()
}

// block writes the members of an object or the items of an array as lines of YAML. The first line has no indentation,
// the last no line break.
func (s style) block(b *strings.Builder, d *Doc, v Value, indent string) {
	for i := range max(len(v.Members), len(v.Items)) {
		if i > 0 {
			b.WriteString(s.line + indent)
		}
		if v.Kind == Array {
			b.WriteString("- ")
			s.blockValue(b, d, v.Items[i], indent+"  ", true)
			continue
		}
		b.WriteString(d.name(v.Members[i].Name) + ":")
		s.blockValue(b, d, v.Members[i].Value, indent+s.unit, false)
	}
}

// blockValue writes a value behind a dash or a colon.
func (s style) blockValue(b *strings.Builder, d *Doc, v Value, indent string, dash bool) {
	space := " "
	if dash {
		space = ""
	}
	switch {
	case v.Kind == String:
		b.WriteString(space + plainOrQuoted(d, v.Text))
	case v.Kind == Object && len(v.Members) > 0, v.Kind == Array && len(v.Items) > 0:
		if !dash {
			b.WriteString(s.line + indent)
		}
		s.block(b, d, v, indent)
	default:
		b.WriteString(space + s.text(d, v, ""))
	}
}

// plainOrQuoted writes a word of YAML without quotes where it is surely read as that.
func plainOrQuoted(d *Doc, s string) string {
	if strings.Trim(s, "/.") == s && bare(strings.NewReplacer("/", "", ".", "").Replace(s)) {
		if word := d.name(strings.NewReplacer("/", "_", ".", "_").Replace(s)); word[0] != '"' {
			return s
		}
	}
	return Quote(s)
}

// String is the value as JSON without white space.
func (v Value) String() string {
	return style{colon: ":", comma: ","}.text(nil, v, "")
}
