package launch

import "strings"

// kind is what a flag's value means.
type kind uint8

const (
	kindNone    kind = iota // the flag takes no value, or is not known
	kindValue               // it takes a value that says nothing here
	kindPackage             // the value is the package that is run
	kindWith                // the value is a further package
	kindVersion             // the value is the package's version
	kindScript              // the value is a shell script
)

// flag is one flag as it stands on a line. Its value is empty where it takes none.
type flag struct {
	name  string
	kind  kind
	value word
	at    word // the word that it stands in
}

// flags is the syntax of a program's flags.
type flags struct {
	kinds map[string]kind
	// short flags may be joined and carry their value: -it, -eNAME=x
	joined bool
	// single-dash long flags, as Go's flag package reads them
	single bool
}

// syntax makes the flags of a list like "-p=package --package=package --registry", in which a flag
// without "=meaning" takes a value of no interest.
func syntax(list string) flags {
	meaning := map[string]kind{"package": kindPackage, "with": kindWith, "version": kindVersion, "script": kindScript}
	f := flags{kinds: map[string]kind{}}
	for _, s := range strings.Fields(list) {
		name, m, _ := strings.Cut(s, "=")
		if f.kinds[name] = meaning[m]; m == "" {
			f.kinds[name] = kindValue
		}
	}
	return f
}

func (f flags) clustered() flags  { f.joined = true; return f }
func (f flags) singleDash() flags { f.single = true; return f }

// walk reads flags from ws[i] on, reports each, and gives the index of the first word that is none; "--"
// ends them. A flag that the table does not know takes no value unless it is written --flag=value.
func (f flags) walk(ws []word, i int, see func(flag)) int {
	for i < len(ws) {
		w := ws[i]
		t := w.text
		if t == "--" {
			return i + 1
		}
		if len(t) < 2 || t[0] != '-' {
			return i
		}
		i++
		name, value := t, word{arg: -1, off: -1, q: -1}
		k := strings.IndexByte(t, '=')
		switch {
		case f.joined && t[1] != '-':
			i = f.cluster(ws, i, w, see)
			continue
		case k > 0:
			name, value = t[:k], w.from(k+1)
		}
		if f.single && name[1] != '-' {
			name = "-" + name
		}
		kind := f.kinds[name]
		if k < 0 && kind != kindNone {
			if i == len(ws) {
				return i
			}
			value = ws[i]
			i++
		}
		if see != nil {
			see(flag{name, kind, value, w})
		}
	}
	return i
}

// cluster reads joined short flags: the first that takes a value takes the rest of the word, or the next one.
func (f flags) cluster(ws []word, i int, w word, see func(flag)) int {
	for k := 1; k < len(w.text); k++ {
		name := "-" + w.text[k:k+1]
		kind := f.kinds[name]
		value := word{arg: -1, off: -1, q: -1}
		if rest := w.from(k + 1); kind != kindNone {
			switch {
			case rest.text != "":
				if rest.text[0] == '=' {
					rest = rest.from(1)
				}
				value = rest
			case i < len(ws):
				value = ws[i]
				i++
			default:
				return i
			}
			k = len(w.text)
		} else if strings.HasPrefix(rest.text, "=") { // -i=false
			value = rest.from(1)
			k = len(w.text)
		}
		if see != nil {
			see(flag{name, kind, value, w})
		}
	}
	return i
}
