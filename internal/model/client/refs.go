package client

import (
	"slices"
	"strings"
	"sync"

	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Ref is one reference in a value: bytes Start to End of its text.
type Ref struct {
	// Form is the spelling, "" for one that is no client's (an unknown prefix, $env:X).
	Form Form
	// Name is the variable, the input's id, the path: what the spelling names.
	Name string
	// Default says that a text stands behind :-, and is used where the variable is not set.
	Default bool
	// Nested says that the default holds a reference of its own.
	Nested     bool
	Start, End int
}

// Variable says that the reference names a variable of the environment.
func (r Ref) Variable() bool {
	switch r.Form {
	case "${VAR}", "${VAR:-default}", "$VAR", "%VAR%", "${env:VAR}", "{env:VAR}":
		return true
	}
	return false
}

// Refs finds the references of a value, in the spelling of any client, in order. It does not look inside of one. A
// dollar sign in a price, a pattern or a JSON path is none: $5, $1, $.x, ^a$, 100%.
func Refs(v string) []Ref { return appendRefs(nil, v) }

func appendRefs(out []Ref, v string) []Ref {
	at := 0
	for ; at < len(v) && v[at] != '$' && v[at] != '{' && v[at] != '%'; at++ {
	}
	if at == len(v) {
		return out
	}
	// Most values are, or end in, one ${NAME} or ${env:NAME}.
	if last := len(v) - 1; strings.HasPrefix(v[at:], "${") && v[last] == '}' && at+2 < last {
		if body := v[at+2 : last]; launch.IsName(strings.TrimPrefix(body, "env:")) {
			r := braced(body)
			r.Start, r.End = at, len(v)
			return append(out, r)
		}
	}
	ends := ends{closing(v), strings.LastIndexByte(v, ')'), strings.LastIndex(v, "}}")}
	for i := 0; i < len(v); {
		r, end := refAt(v, i, ends)
		if end == 0 {
			i++
			continue
		}
		r.Start, r.End = i, end
		out = append(out, r)
		i = end
	}
	return out
}

// ends are where references end. Behind the last closer of a kind none is looked for, so that a text of nothing but
// openers takes one pass.
type ends struct {
	brace               map[int]int // of the "${" at the key
	lastParen, lastTwin int         // ")" and "}}"
}

// refAt reads the reference at v[i]; end is 0 for none.
func refAt(v string, i int, ends ends) (r Ref, end int) {
	switch rest := v[i:]; {
	case strings.HasPrefix(rest, "${"):
		if end, ok := ends.brace[i]; ok {
			return braced(v[i+2 : end]), end + 1
		}
	case strings.HasPrefix(rest, "$("):
		if i < ends.lastParen {
			n := strings.IndexByte(rest, ')')
			return Ref{Form: "$(command)"}, i + n + 1
		}
	case rest[0] == '$':
		if n := name(rest[1:]); n > 1 && startsWord(v, i) && endsWord(rest[1+n:]) {
			return Ref{Form: "$VAR", Name: rest[1 : 1+n]}, i + 1 + n
		}
	case rest[0] == '%':
		// Two hex digits behind a percent sign are a byte of a URL.
		if n := name(rest[1:]); n > len("XX") && len(rest) > n+1 && rest[n+1] == '%' {
			return Ref{Form: "%VAR%", Name: rest[1 : 1+n]}, i + n + 2
		}
	case strings.HasPrefix(rest, "{{"):
		if i < ends.lastTwin {
			n := strings.Index(rest, "}}")
			return Ref{Form: "{{VAR}}", Name: strings.TrimSpace(rest[2:n])}, i + n + 2
		}
	case strings.HasPrefix(rest, "{env:"), strings.HasPrefix(rest, "{file:"):
		if n := strings.IndexAny(rest[1:], "{}\"\n"); n > 0 && rest[1+n] == '}' {
			kind, what, _ := strings.Cut(rest[1:1+n], ":")
			form := Form("{file:path}")
			if kind == "env" {
				form = "{env:VAR}"
			}
			return Ref{Form: form, Name: what}, i + n + 2
		}
	}
	return Ref{}, 0
}

// closing pairs each "${" with its brace, in one pass.
func closing(v string) map[int]int {
	if !strings.Contains(v, "${") {
		return nil
	}
	out := map[int]int{}
	var open []int
	for i := 0; i < len(v); i++ {
		switch {
		case strings.HasPrefix(v[i:], "${"):
			open = append(open, i)
			i++
		case v[i] == '{' && len(open) > 0:
			open = append(open, -1)
		case v[i] == '}' && len(open) > 0:
			if at := open[len(open)-1]; at >= 0 {
				out[at] = i
			}
			open = open[:len(open)-1]
		}
	}
	return out
}

// braced reads what stands in ${ }.
func braced(body string) Ref {
	if inner, ok := strings.CutPrefix(body, "{"); ok { // ${{ secrets.X }}
		inner = strings.TrimSpace(strings.TrimSuffix(inner, "}"))
		form := Form("${{ secrets.VAR }}")
		n, ok := strings.CutPrefix(inner, "secrets.")
		if !ok {
			form = "${{ inputs.VAR }}"
			n, ok = strings.CutPrefix(inner, "inputs.")
		}
		if ok && launch.IsName(n) {
			return Ref{Form: form, Name: n}
		}
		return Ref{Name: inner}
	}
	if kind, what, ok := strings.Cut(body, ":"); ok && launch.IsName(kind) && !strings.HasPrefix(what, "-") {
		switch kind {
		case "env":
			n, _, def := strings.Cut(what, ":-")
			if launch.IsName(n) {
				return Ref{Form: "${env:VAR}", Name: n, Default: def}
			}
		case "input":
			return Ref{Form: "${input:id}", Name: what}
		case "config":
			return Ref{Form: "${config:key}", Name: what}
		case "command":
			return Ref{Form: "${command:id}", Name: what}
		case "file":
			return Ref{Form: "${file:path}", Name: what}
		}
		return Ref{Name: kind}
	}
	n, behind, def := strings.Cut(body, ":-")
	switch {
	case !launch.IsName(n):
		return Ref{Name: body}
	case def:
		return Ref{Form: "${VAR:-default}", Name: n, Default: true, Nested: strings.Contains(behind, "${")}
	}
	return Ref{Form: "${VAR}", Name: n}
}

// name is how long the name of a variable at the start of s is, in the capitals that a name without braces must have.
func name(s string) int {
	n := 0
	for n < len(s) && (s[n] == '_' || s[n] >= 'A' && s[n] <= 'Z' || n > 0 && s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return n
}

// startsWord and endsWord hold a bare $NAME against what may stand beside it, so that a password such as pa$WORD is none.
func startsWord(v string, i int) bool {
	return i == 0 || strings.IndexByte(" \t\n/\\:=,;@\"'(", v[i-1]) >= 0
}
func endsWord(rest string) bool {
	return rest == "" || strings.IndexByte(" \t\n/\\:=,;@\"')&?.", rest[0]) >= 0
}

// Use is a reference in a value of an entry.
type Use struct {
	Ref
	// Field is the field as Strings names it, Value the string that holds it; Key is the variable or the header.
	Field string
	Value Pair
	// Shell says that a shell reads the text: the reference is the shell's and no client's.
	Shell bool
}

// Refs are the references in every value that a client may expand, in the order of Strings. They are found once and
// kept until Forget.
func (s *Server) Refs() []Use {
	if d := s.shared(); !d.refsDone {
		d.refsDone, d.refs = true, s.findRefs()
	}
	return s.derived.refs
}

func (s *Server) findRefs() []Use {
	out := s.derived.refs[:0]
	args, before, owns := 0, -1, ""
	for field, p := range s.Strings() {
		if field == "args" {
			args++
		}
		s.derived.found = appendRefs(s.derived.found[:0], p.Value)
		for _, r := range s.derived.found {
			u := Use{Ref: r, Field: field, Value: p}
			switch field {
			case "run":
				u.Shell = true
			case "args":
				if before < 0 {
					before, owns = s.script()
				}
				u.Shell = args > before && (r.Form == "%VAR%") == (owns == "%")
			}
			out = append(out, u)
		}
	}
	return out
}

// script is how many arguments come before those that a shell reads (behind `sh -c`, `cmd /c`, also further in, as in
// `docker run image sh -c`), and what the references of that shell begin with.
func (s *Server) script() (before int, owns string) {
	words := s.Argv()
	for i, w := range words {
		owns, announces := "$", func(f string) bool { return f == "-c" || f == "-command" }
		switch stem(w) {
		case "sh", "bash", "zsh", "dash", "ash", "ksh", "fish":
			announces = func(f string) bool { return f[0] == '-' && f[1:] == strings.Trim(f, "-") && f[len(f)-1] == 'c' }
		case "cmd":
			owns, announces = "%", func(f string) bool { return f == "/c" || f == "/k" }
		case "powershell", "pwsh":
		default:
			continue
		}
		for j, f := range words[i+1:] {
			f = strings.ToLower(f)
			if f == "" || f[0] != '-' && f[0] != '/' {
				break // a script in a file
			}
			if announces(f) {
				return i + 1 + j, owns
			}
		}
	}
	return len(s.Args), "$"
}

// Reading is what a client makes of a reference.
type Reading uint8

// The readings.
const (
	// Unjudged is what the client's grammar does not settle.
	Unjudged Reading = iota
	Right
	// Own is a name that the client fills in itself, such as ${workspaceFolder}.
	Own
	// Wrong is a spelling that the client leaves as it is.
	Wrong
	// Misplaced is a spelling that the client knows and does not read in this field.
	Misplaced
	// Foreign is a name that another client fills in.
	Foreign
)

// Reads says what the file's client makes of a reference in a field.
func (f *File) Reads(r Ref, field string) Reading {
	e := &f.Client.Env
	forms, _ := f.Forms()
	known := slices.Contains(forms, r.Form) || slices.Contains(e.Forms, r.Form)
	switch {
	case slices.Contains(e.Builtins, r.Name) && (r.Form == "${VAR}" || r.Form == ""):
		return Own
	case r.Form == "", (field == "cwd" || field == "envFile") && !slices.Contains(e.Fields, field):
		return Unjudged
	case e.Expands == "unknown" && len(forms) == 0:
		return Unjudged
	case r.Form == "${VAR}" && builtins()[r.Name]:
		return Foreign
	case known && len(e.Fields) > 0 && !slices.Contains(e.Fields, field):
		return Misplaced
	case known && r.Nested && len(e.Nests) > 0 && !slices.Contains(e.Nests, field):
		return Misplaced
	case known:
		return Right
	case r.Form == "$(command)", r.Form == "{{VAR}}": // a program's or a template's own
		return Unjudged
	}
	return Wrong
}

// builtins are the names that some client knows.
var builtins = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, c := range Table() {
		for _, b := range c.Env.Builtins {
			m[b] = true
		}
	}
	return m
})

// Forms gives the spellings that the file's client reads in a file of this format, and the one to write.
func (f *File) Forms() (forms []Form, write Form) {
	format := FormatJSON
	switch f.Doc.Format {
	case source.TOML:
		format = FormatTOML
	case source.YAML:
		format = FormatYAML
	}
	return f.Client.Env.For(format)
}

// Reference writes a reference to a variable as the file's client reads it in a field, in front of the text next.
// ok is false where the client has no spelling that is safe to write, or does not read the field.
func (f *File) Reference(field, name, next string) (text string, ok bool) {
	forms, write := f.Forms()
	if fields := f.Client.Env.Fields; write == "" || len(fields) > 0 && !slices.Contains(fields, field) {
		return "", false
	}
	if write == "$VAR" && next != "" && slices.Contains(forms, "${VAR}") {
		write = "${VAR}"
	}
	return strings.Replace(string(write), "VAR", name, 1), true
}

// Respell is the splice that makes a reference to a variable one that the file's client reads. kept is false when its
// default is lost.
func (f *File) Respell(u Use) (to Splice, kept, ok bool) {
	text, ok := f.Reference(u.Field, u.Name, u.Value.Value[u.End:])
	if !ok || !u.Variable() || u.Value.Node.Shared() {
		return Splice{}, false, false
	}
	forms, _ := f.Forms()
	written := u.Value.Value[u.Start:u.End]
	if def := strings.Index(written, ":-"); u.Default && slices.Contains(forms, "${VAR:-default}") && !strings.Contains(written[def:], "$") {
		return Splice{u.Start, u.Start + def, "${" + u.Name}, true, true
	}
	return Splice{u.Start, u.End, text}, !u.Default, true
}
