package launch

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf16"
)

// command says what one simple command runs: it takes off the wrappers, then asks the runners.
func (r *reader) command(ws []word) Line {
	l := Line{ScriptArg: -1}
	for len(ws) > 0 {
		name := program(ws[0].text)
		l.Program, l.prog, l.rest = name, ws[0], ws[1:]
		if next := pythonModule(name, ws); next != nil {
			ws = next
			continue
		}
		next, done := r.unwrap(&l, name, ws)
		if done {
			return l
		}
		if len(next) == 0 {
			break
		}
		ws = next
	}
	if len(ws) > 0 {
		r.run(&l, l.Program, ws)
	}
	return l
}

// unwrap takes one wrapper off. It gives the command inside, or says that the wrapper's script was read.
func (r *reader) unwrap(l *Line, name string, ws []word) (next []word, done bool) {
	switch {
	case isShell(name):
		return nil, r.shell(l, name, ws)
	case name == "busybox" && len(ws) > 1 && isShell(ws[1].text):
		return ws[1:], false
	case name == "cmd":
		return r.cmdexe(l, ws)
	case isPower(name):
		return nil, r.powershell(l, name, ws)
	case name == "eval":
		r.joined(l, "eval", ws[1:], posix)
		return nil, len(ws) > 1
	}
	for i := range wrappers()[name] {
		if next, done = r.wrapper(l, name, &wrappers()[name][i], ws); done || len(next) > 0 {
			return next, done
		}
	}
	return nil, false
}

// wrapper tries one row of the table of wrappers.
func (r *reader) wrapper(l *Line, name string, w *wrapper, ws []word) (next []word, done bool) {
	var scripts []word
	see := func(f flag) {
		if f.kind == kindScript {
			scripts = append(scripts, f.value)
		}
	}
	i := w.flags.walk(ws, 1, see)
	how := name
	if w.sub != nil {
		n := match(w.sub, ws[i:])
		if n == 0 {
			return nil, false
		}
		how += " " + strings.Join(texts(nil, ws[i:i+n]), " ")
		i = w.flags.walk(ws, i+n, see)
	}
	if w.dash && (i == 0 || i > len(ws) || ws[i-1].text != "--") {
		k := slices.IndexFunc(ws[i:], func(w word) bool { return w.text == "--" })
		if k < 0 {
			return nil, false
		}
		i += k + 1
	}
	if w.slash {
		for i < len(ws) && (ws[i].text == "" || ws[i].text[0] == '/' || strings.Contains(ws[i].text, " ")) {
			i++
		}
	}
	i += w.skip
	from := i
	for w.env && i < len(ws) && strings.IndexByte(ws[i].text, '=') > 0 {
		i++
	}
	if i >= len(ws) && scripts == nil {
		return nil, false
	}
	for _, a := range ws[min(from, i):min(i, len(ws))] {
		l.assign(a)
	}
	if scripts != nil {
		for _, s := range scripts {
			l.nest(how, r.script(s.text, posix), s.arg)
		}
		return nil, true
	}
	l.Wrappers = append(l.Wrappers, how)
	return ws[i:], false
}

func isShell(name string) bool {
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish":
		return true
	}
	return false
}

func isPower(name string) bool { return name == "powershell" || name == "pwsh" }

// shell reads sh -c SCRIPT in every spelling of its flags: -lc, -l -c, -euo pipefail -c.
func (r *reader) shell(l *Line, name string, ws []word) bool {
	carries := false
	for i := 1; i < len(ws); i++ {
		t := ws[i].text
		if len(t) < 2 || t[0] != '-' && t[0] != '+' || t == "--" {
			if t == "--" {
				i++
			}
			if !carries || i >= len(ws) {
				return false
			}
			l.nest(name+" -c", r.script(ws[i].text, posix), ws[i].arg)
			return true
		}
		if script, ok := strings.CutPrefix(t, "--command="); ok {
			l.nest(name+" -c", r.script(script, posix), ws[i].arg)
			return true
		}
		long := t[1] == '-'
		carries = carries || !long && strings.IndexByte(t, 'c') > 0 || t == "--command"
		if !long && strings.ContainsAny(t, "oO") || t == "--rcfile" || t == "--init-file" {
			i++
		}
	}
	return false
}

// cmdexe reads cmd /c. Its words are read again by cmd.exe, so an operator in one of them is live.
func (r *reader) cmdexe(l *Line, ws []word) (next []word, done bool) {
	for i := 1; i < len(ws); i++ {
		w := ws[i]
		if strings.HasPrefix(w.text, "//") { // as written for a POSIX layer on Windows
			w = w.from(1)
		}
		if len(w.text) < len("/c") || w.text[0] != '/' {
			return nil, false
		}
		flag := w.text[1] | 0x20
		if flag != 'c' && flag != 'k' && flag != 'r' {
			continue
		}
		how, inner := "cmd /"+string(flag), ws[i+1:]
		if len(w.text) > len("/c") {
			inner = append([]word{w.from(len("/c"))}, inner...)
		}
		if len(inner) == 0 {
			return nil, false
		}
		live := func(w word) bool { return strings.ContainsAny(w.text, "&|<>^\"\n") }
		if slices.ContainsFunc(inner, live) || len(inner) == 1 && strings.ContainsAny(inner[0].text, " \t") {
			r.joined(l, how, inner, cmdexe)
			return nil, true
		}
		l.Wrappers = append(l.Wrappers, how)
		return inner, false
	}
	return nil, false
}

// powershell reads -Command and -EncodedCommand; every flag may be shortened.
func (r *reader) powershell(l *Line, name string, ws []word) bool {
	for i := 1; i < len(ws); i++ {
		t := strings.ToLower(ws[i].text)
		if t == "-" {
			return false // the script comes from standard input
		}
		if t == "" || t[0] != '-' && t[0] != '/' {
			if name == "pwsh" { // its first positional is a file
				return false
			}
			return r.joined(l, name+" -command", ws[i:], power)
		}
		f := strings.TrimLeft(t, "-/")
		switch {
		case f != "" && strings.HasPrefix("command", f):
			if i+1 < len(ws) && ws[i+1].text == "-" {
				return false
			}
			return r.joined(l, name+" -command", ws[i+1:], power)
		case f == "ec" || f != "" && strings.HasPrefix("encodedcommand", f):
			if i+1 >= len(ws) {
				return false
			}
			l.nest(name+" -encodedcommand", r.script(decodeUTF16(ws[i+1].text), power), ws[i+1].arg)
			return true
		case f != "" && strings.HasPrefix("file", f):
			return false
		case !strings.HasPrefix(f, "no") && f != "sta" && f != "mta" && f != "l" && f != "login" && f != "i" && f != "interactive":
			i++ // -ExecutionPolicy, -WindowStyle and the others take a value
		}
	}
	return false
}

// decodeUTF16 reads the argument of -EncodedCommand, "" if it is none.
func decodeUTF16(s string) string {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return ""
	}
	u := make([]uint16, len(b)/2)
	for i := range u {
		u[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
	}
	return string(utf16.Decode(u))
}

// joined reads words that a shell joins to one script, and keeps where each stood. A single word is a
// script of its own, so nothing in it has a place.
func (r *reader) joined(l *Line, how string, ws []word, d dialect) bool {
	if len(ws) == 0 {
		return false
	}
	if len(ws) == 1 {
		l.nest(how, r.script(ws[0].text, d), ws[0].arg)
		return true
	}
	var b strings.Builder
	starts := make([]int, len(ws))
	for i, w := range ws {
		if i > 0 {
			b.WriteByte(' ')
		}
		// A spawner on Windows quotes what has blanks, and only that.
		quote := d == cmdexe && (w.text == "" || strings.ContainsAny(w.text, " \t"))
		if quote {
			b.WriteByte('"')
		}
		starts[i] = b.Len()
		b.WriteString(w.text)
		if quote {
			b.WriteByte('"')
		}
	}
	x := r.lexer(b.String(), d)
	if x == nil || !r.enter() {
		return false
	}
	defer r.leave()
	x.at = func(pos int) (int, int) {
		i, found := slices.BinarySearch(starts, pos)
		if !found {
			i = max(i-1, 0)
		}
		off := pos - starts[i]
		if ws[i].arg < 0 || ws[i].off < 0 || off < 0 || off > len(ws[i].text) {
			return ws[i].arg, -1
		}
		return ws[i].arg, ws[i].off + off
	}
	x.list(0)
	l.nest(how, r.lines(x), ws[0].arg)
	return true
}

// pythonModule gives the command that "python -m pip", pipx and uv stand for.
func pythonModule(name string, ws []word) []word {
	if canonical(name) != "python" {
		return nil
	}
	for i := 1; i+1 < len(ws) && strings.HasPrefix(ws[i].text, "-"); i++ {
		switch ws[i].text {
		case "-m":
			if m := ws[i+1].text; m == "pip" || m == "pipx" || m == "uv" {
				return ws[i+1:]
			}
			return nil
		case "-c":
			return nil
		case "-W", "-X":
			i++
		}
	}
	return nil
}

// canonical is a program's name without the version that Python's programs carry.
func canonical(name string) string {
	if strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pip") {
		name = strings.TrimRight(name, ".0123456789")
	}
	if name == "pythonw" || name == "py" {
		return "python"
	}
	return name
}

// interpreter is the Runner of a program that runs code given as a file, a module or text, or "".
func interpreter(name string) string {
	switch name = canonical(name); name {
	case "python", "php", "ruby", "perl", "java", "dotnet", "tsx", "ts-node", "bun", "deno", "node", "lua", "osascript",
		"rscript", "julia", "elixir", "groovy", "tclsh":
		return name
	case "nodejs":
		return "node"
	case "pwsh", "powershell":
		return "powershell"
	}
	if isShell(name) {
		return name
	}
	return ""
}

// run reads the command that is left when no wrapper is.
func (r *reader) run(l *Line, name string, ws []word) {
	if l.Runner = interpreter(name); l.Runner != "" {
		if how := downloadedCode(name, l.rest); how != "" {
			l.fetch(Fetch{How: how, Arg: l.rest[0].arg})
		}
	}
	fam := families()[canonical(name)]
	if fam == nil {
		return
	}
	at := fam.global.walk(ws, 1, nil)
	for i := range fam.runners {
		rn := &fam.runners[i]
		if rn.sub == nil {
			r.runner(l, rn, ws, 1)
			return
		}
		if n := match(rn.sub, ws[at:]); n > 0 {
			if rn.takes == takesImage {
				r.container(l, rn, name+" run", ws, at+n)
			} else {
				r.runner(l, rn, ws, at+n)
			}
			return
		}
	}
}

// match gives how many words of ws are one of the sub-commands, 0 if none.
func match(subs [][]string, ws []word) int {
	for _, sub := range subs {
		ok := len(ws) >= len(sub)
		for i := 0; ok && i < len(sub); i++ {
			ok = ws[i].text == sub[i]
		}
		if ok {
			return len(sub)
		}
	}
	return 0
}

// runner reads the words after a package runner.
func (r *reader) runner(l *Line, rn *runner, ws []word, at int) {
	l.Runner = rn.name
	var version string
	var scripts []word
	main := -1
	one := func(w word, primary bool) {
		p, ok := specOf(rn.eco, w)
		if !ok {
			return
		}
		if l.Packages == nil {
			l.Packages, r.packages = r.packages, nil
		}
		if primary && main < 0 {
			main = len(l.Packages)
		}
		l.Packages = append(l.Packages, p)
	}
	put := func(w word, primary bool) {
		if rn.eco != "pypi" || strings.IndexByte(w.text, ',') < 0 {
			one(w, primary)
			return
		}
		for _, w := range requirements(w) {
			one(w, primary)
		}
	}
	named := false
	see := func(f flag) {
		switch f.kind {
		case kindPackage:
			named = true
			put(f.value, true)
		case kindWith:
			put(f.value, false)
		case kindVersion:
			version = f.value.text
		case kindScript:
			scripts = append(scripts, f.value)
		}
	}
	rn.flags.walk(ws[:at], 1, see) // pnpm --package=x dlx bin
	i := rn.flags.walk(ws, at, see)
	switch rn.takes {
	case takesFirst:
		l.rest = ws[i:]
		if i < len(ws) && !named && scripts == nil {
			n := len(l.Packages)
			put(ws[i], true)
			if len(l.Packages) > n {
				l.rest = ws[i+1:]
			}
		}
	case takesEach:
		l.rest = nil
		for ; i < len(ws); i = rn.flags.walk(ws, i+1, see) {
			put(ws[i], true)
		}
	case takesCommand:
		l.rest = ws[i:]
		r.inside(l, rn, ws[i:], put)
	}
	for _, s := range scripts {
		runner := l.Runner
		l.nest(rn.name+" -c", r.script(s.text, posix), s.arg)
		l.Runner = runner
	}
	if main < 0 {
		return
	}
	if p := &l.Packages[main]; version != "" && p.Pin == None {
		p.Version, p.Pin = version, pinOf(p.Ecosystem, version)
	}
	l.Package = &l.Packages[main]
	r.bridged(l)
}

// inside reads the command that uv run starts. A script at a URL is fetched like a package.
func (r *reader) inside(l *Line, rn *runner, ws []word, put func(word, bool)) {
	if len(ws) == 0 || !r.enter() {
		return
	}
	defer r.leave()
	if isURL(ws[0].text) {
		put(ws[0], true)
		l.rest = ws[1:]
		return
	}
	n := r.command(ws)
	if n.Package == nil && n.Wrappers == nil && n.FetchRun == nil {
		l.rest = ws
		return
	}
	l.Wrappers = append(l.Wrappers, rn.name)
	l.adopt(&n)
	if n.Runner == "" {
		l.Runner = rn.name
	}
}

// adopt makes l run n, a command that l wraps.
func (l *Line) adopt(n *Line) {
	l.add(n)
	l.become(n)
	l.scripted(n)
}

// scripted takes over what n's script does.
func (l *Line) scripted(n *Line) {
	l.Script = l.Script || n.Script
	if l.ScriptArg < 0 {
		l.ScriptArg = n.ScriptArg
	}
	for _, f := range n.FetchRun {
		l.fetch(f)
	}
}

// requirements splits a list of requirements as uv's --with takes it: "a,b>=1,<2" is two.
func requirements(w word) []word {
	var out []word
	start, extras := 0, 0
	for i := 0; i+1 < len(w.text); i++ {
		switch c := w.text[i]; {
		case c == '[':
			extras++
		case c == ']':
			extras--
		case c == ',' && extras == 0 && letter(w.text[i+1]):
			part := w.from(start)
			part.text = part.text[:i-start]
			out = append(out, part)
			start = i + 1
		}
	}
	return append(out, w.from(start))
}
