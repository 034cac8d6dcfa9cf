package launch

import "strings"

// fetches looks for code that is downloaded and run, command by command, in the order of the script.
type fetches struct {
	r     *reader
	x     *lexer
	lines []Line
	from  []string          // by command: the program that fetches in it, ""
	last  []int             // by command: the last one up to it that fetches, -1
	files map[string]string // base name of a downloaded file -> the program that fetched it
	name  string            // the PowerShell variable that the command's output goes to
}

func newFetches(r *reader, x *lexer) *fetches { return &fetches{r: r, x: x} }

// assignment takes "$x = …" off a PowerShell command, so that the rest is read as the command it is.
func (f *fetches) assignment(c *simple) {
	f.name = ""
	if f.x.d == power && len(c.words) > 2 && strings.HasPrefix(c.words[0].text, "$") && c.words[1].text == "=" {
		f.name = c.words[0].text
		c.words = c.words[2:]
	}
}

// look judges command i, whose line is the last of f.lines.
func (f *fetches) look(i int) {
	c, l := f.x.cmds[i], &f.lines[i]
	from := f.source(c, l)
	last := -1
	if i > 0 {
		last = f.last[i-1]
	}
	if from != "" {
		last = i
	}
	f.from, f.last = append(f.from, from), append(f.last, last)
	if how := f.how(c, l); how != "" {
		l.fetch(Fetch{How: how, Arg: l.prog.arg})
	}
	f.remember(c, l, from)
}

// within gives the program that fetches in cmds[lo:hi], "" if none.
func (f *fetches) within(lo, hi int) string {
	if hi = min(hi, len(f.last)); hi > lo {
		if k := f.last[hi-1]; k >= lo {
			return f.from[k]
		}
	}
	return ""
}

// fetched gives the program whose output w holds, by substitution or through a variable.
func (f *fetches) fetched(w word) string {
	if from := f.within(w.lo, w.hi); from != "" || w.hi == foreign {
		return from
	}
	return f.r.tainted[variable(w.text)]
}

// variable is the name in $NAME, ${NAME} or "$NAME", "" for anything else.
func variable(s string) string {
	s, ok := strings.CutPrefix(s, "$")
	if !ok {
		return ""
	}
	if t, ok := strings.CutPrefix(s, "{"); ok {
		s = strings.TrimSuffix(t, "}")
	}
	if !IsName(s) {
		return ""
	}
	return s
}

// how names the way in which the command runs what was fetched, "" if it does not.
func (f *fetches) how(c *simple, l *Line) string {
	if from := f.fetched(l.prog); from != "" && len(c.words) > 0 {
		return "$(" + from + ")"
	}
	code := codeOf(l.Program, l.rest)
	runs := code.runs
	if !runs {
		if from, ok := f.files[fileName(l.prog.text)]; ok && from != "" {
			return from + " -o, then run"
		}
		return ""
	}
	if from := f.within(c.pipe, c.stage); from != "" && code.stdin {
		return from + " | " + l.Program
	}
	if from := f.within(c.lo, c.hi); from != "" && code.stdin {
		return from + " | " + l.Program
	}
	for _, w := range code.words {
		from := f.fetched(w)
		switch {
		case from == "" && isExpression(l.Program):
			if from = downloads(w.text); from == "" {
				continue
			}
			return l.Program + " (" + from + ")"
		case from == "":
			if file := f.files[fileName(w.text)]; file != "" && !code.inline {
				return file + " -o, then " + l.Program
			}
		case w.proc:
			return l.Program + " <(" + from + ")"
		case isExpression(l.Program):
			return l.Program + " (" + from + ")"
		case code.inline:
			return l.Program + " -c $(" + from + ")"
		}
	}
	for _, rd := range c.redirs {
		from := f.fetched(rd.to)
		switch {
		case code.stdin && isSocket(rd.to.text):
			return l.Program + " < /dev/tcp"
		case from == "" || !code.stdin:
		case rd.op == "<" && rd.to.proc:
			return l.Program + " < <(" + from + ")"
		case rd.op == "<<<":
			return l.Program + " <<< $(" + from + ")"
		}
	}
	return ""
}

// source names the program that fetches in the command, "" if none does.
func (f *fetches) source(c *simple, l *Line) string {
	if isFetcher(l.Program) {
		return l.Program
	}
	for _, rd := range c.redirs {
		if isSocket(rd.to.text) {
			return "/dev/tcp"
		}
	}
	if isDecoder(l.Program) {
		for _, w := range l.rest {
			switch w.text {
			case "-d", "-D", "--decode", "-decode", "-r":
				return l.Program
			}
		}
		if l.Program == "base64" && len(l.rest) > 0 && strings.HasPrefix(l.rest[0].text, "-d") {
			return l.Program
		}
	}
	for _, w := range c.words {
		if f.x.d == power {
			if from := downloads(w.text); from != "" {
				return from
			}
		}
		if v := variable(w.text); v != "" && f.r.tainted[v] != "" {
			return f.r.tainted[v]
		}
	}
	return ""
}

// remember notes the variables and files that the command filled from the network.
func (f *fetches) remember(c *simple, l *Line, from string) {
	taint := func(name, from string) {
		if from != "" && name != "" {
			if f.r.tainted == nil {
				f.r.tainted = map[string]string{}
			}
			f.r.tainted[name] = from
		}
	}
	for _, w := range c.assigns {
		name, _, _ := strings.Cut(w.text, "=")
		taint(name, f.within(w.lo, w.hi))
	}
	if f.name != "" {
		for _, w := range c.words {
			if from == "" {
				from = f.within(w.lo, w.hi)
			}
		}
		taint(strings.TrimPrefix(f.name, "$"), from)
	}
	if from == "" && (len(c.redirs) > 0 || l.Program == "tee") {
		from = f.within(c.pipe, c.stage)
	}
	if from == "" {
		return
	}
	for _, file := range outputs(l, c) {
		if f.files == nil {
			f.files = map[string]string{}
		}
		f.files[file] = from
	}
}

// isSocket says whether bash opens a connection for a file of that name.
func isSocket(name string) bool {
	return strings.HasPrefix(name, "/dev/tcp/") || strings.HasPrefix(name, "/dev/udp/")
}

// isFetcher says whether a program's output or file comes from the network.
func isFetcher(name string) bool {
	switch name {
	case "curl", "wget", "wget2", "aria2c", "axel", "fetch", "http", "https", "xh", "lwp-request", "lynx", "nc", "ncat",
		"iwr", "irm", "invoke-webrequest", "invoke-restmethod", "start-bitstransfer", "bitsadmin", "certutil":
		return true
	}
	return false
}

// isDecoder says whether a program can turn a harmless-looking text into a script.
func isDecoder(name string) bool { return name == "base64" || name == "xxd" || name == "openssl" }

// isExpression says whether a program runs its arguments as PowerShell code.
func isExpression(name string) bool { return name == "iex" || name == "invoke-expression" }

// downloads names the .NET call that fetches in a PowerShell word, "" if none does.
func downloads(s string) string {
	s = strings.ToLower(s)
	for _, call := range [...]string{"downloadstring", "downloaddata", "downloadfile", "openread", "getstringasync", "getbytearrayasync"} {
		if i := strings.Index(s, "."+call); i >= 0 {
			return call
		}
	}
	return ""
}

// code is where a command takes the code from that it runs.
type code struct {
	runs   bool   // it runs code at all
	stdin  bool   // from its standard input
	inline bool   // from words (-c CODE), not from the file that the first word names
	words  []word // the words that hold or name the code
}

// codeOf reads an interpreter's arguments.
func codeOf(name string, rest []word) code {
	switch {
	case isExpression(name):
		return code{runs: true, stdin: true, inline: true, words: rest}
	case name == "source" || name == ".":
		c := code{runs: len(rest) > 0, words: rest[:min(1, len(rest))]}
		c.stdin = c.runs && isStdin(rest[0].text)
		return c
	case name == "start-process" || name == "saps":
		return code{runs: len(rest) > 0, words: rest[:min(1, len(rest))]}
	case name == "cmd":
		return code{runs: true, stdin: len(rest) == 0}
	}
	canon := interpreter(name)
	if canon == "" || canon == "dotnet" || canon == "java" {
		return code{}
	}
	for i := 0; i < len(rest); i++ {
		w, t := rest[i], rest[i].text
		operand := rest[i+1 : min(i+2, len(rest))]
		switch {
		case isStdin(t) || isShell(name) && t == "-s":
			return code{runs: true, stdin: true}
		case canon == "powershell":
			if len(t) > 1 && strings.HasPrefix("-file", strings.ToLower(t)) {
				return code{runs: true, words: operand}
			}
		case t == "run" && (canon == "deno" || canon == "bun"):
		case w.proc || t == "" || t[0] != '-' && !(isShell(name) && t[0] == '+'):
			return code{runs: true, words: rest[i : i+1]}
		case takesCode(canon, t):
			return code{runs: true, inline: true, words: operand}
		case isShell(name) && (t == "-o" || t == "-O"), canon == "python" && (t == "-W" || t == "-X"):
			i++
		}
	}
	return code{runs: true, stdin: canon != "powershell" || len(rest) == 0}
}

// downloadedCode names the form when the code that an interpreter is given downloads code and runs it:
// python -c "exec(urlopen('https://…').read())".
func downloadedCode(name string, rest []word) string {
	c := codeOf(name, rest)
	if !c.inline || isExpression(name) {
		return ""
	}
	for _, w := range c.words {
		t := strings.ToLower(w.text)
		if (strings.Contains(t, "http://") || strings.Contains(t, "https://")) &&
			(strings.Contains(t, "exec(") || strings.Contains(t, "eval(") || strings.Contains(t, "eval ") || strings.Contains(t, "(eval)")) {
			return name + " -c exec(download)"
		}
	}
	return ""
}

func isStdin(s string) bool {
	return s == "-" || s == "/dev/stdin" || s == "/dev/fd/0" || s == "/proc/self/fd/0"
}

// takesCode says whether a flag of an interpreter is followed by code or a module, so that stdin is data.
func takesCode(name, flag string) bool {
	switch name {
	case "python":
		return flag == "-c" || flag == "-m"
	case "node", "bun", "deno", "tsx", "ts-node":
		switch flag {
		case "-e", "-p", "-pe", "--eval", "--print":
			return true
		}
		return strings.HasPrefix(flag, "--eval=")
	case "perl", "ruby":
		return len(flag) > 1 && flag[1] != '-' && strings.ContainsAny(flag, "enp")
	case "php":
		return flag == "-r" || flag == "-B" || flag == "-R" || flag == "-f"
	case "lua", "osascript", "rscript", "julia", "elixir", "groovy":
		return flag == "-e" || flag == "-E"
	}
	return false
}

// fileName is the base name that a downloaded file is known by.
func fileName(s string) string {
	s = strings.TrimRight(s, `/\`)
	return s[strings.LastIndexAny(s, `/\`)+1:]
}

// outputs gives the names of the files that a fetching command writes.
func outputs(l *Line, c *simple) []string {
	var out []string
	add := func(s string) {
		if s = fileName(s); s != "" && s != "-" {
			out = append(out, s)
		}
	}
	// These write a file named after the URL unless told otherwise.
	names := l.Program == "wget" || l.Program == "wget2" || l.Program == "aria2c" || l.Program == "axel"
	remote, url := names, ""
	for i, w := range l.rest {
		t := w.text
		lower := strings.ToLower(t)
		next := ""
		if i+1 < len(l.rest) {
			next = l.rest[i+1].text
		}
		switch name, value, joined := strings.Cut(t, "="); {
		case joined && (name == "--output" || name == "--output-document" || name == "--out"):
			add(value)
			remote = false
		case lower == "-outfile" || lower == "-destination" || t == "--output" || t == "--output-document" || t == "--out",
			cluster(t, 'O') && names, cluster(t, 'o') && (!names || l.Program == "aria2c"):
			add(next)
			remote = false
		case t == "--remote-name" || cluster(t, 'O') && l.Program == "curl":
			remote = true
		case remoteURL(t):
			url = t
		}
	}
	switch {
	case remote && url != "":
		url, _, _ = strings.Cut(url, "?")
		add(url)
	case (l.Program == "certutil" || l.Program == "bitsadmin") && len(l.rest) > 0:
		add(l.rest[len(l.rest)-1].text)
	}
	for _, w := range c.words {
		if _, args, ok := strings.Cut(strings.ToLower(w.text), ".downloadfile("); ok {
			_, file, _ := strings.Cut(args, ",")
			add(strings.Trim(file, ` "')`))
		}
	}
	for _, w := range l.rest {
		if l.Program == "tee" && !strings.HasPrefix(w.text, "-") {
			add(w.text)
		}
	}
	for _, rd := range c.redirs {
		if rd.op == ">" || rd.op == ">>" || rd.op == ">|" {
			add(rd.to.text)
		}
	}
	return out
}

// cluster says whether t is joined short flags that end in c, as in curl -fsSLo FILE.
func cluster(t string, c byte) bool {
	return len(t) > 1 && t[0] == '-' && t[1] != '-' && t[len(t)-1] == c
}
