package config

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// WrongType is config/wrong-type.
var WrongType = &rule.Rule{
	ID:       "config/wrong-type",
	Title:    "a field of the wrong type",
	Trigger:  "A field of an entry has a type that no client reads there: arguments in one string, variables in a list, a command with its arguments.",
	Message:  `"{field}" of {names} {verb} {actual}, and must be {wanted}`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Unsafe, FixDescription: "Split a command at its blanks into command and arguments.",
	File: wrongType,
}

// want is what clients agree that a field holds.
type want struct {
	kind  source.Kind
	words string
	// items says that what it holds must be strings, soft that the client can do without the field.
	items, soft bool
}

// wanted is the type of a field, for the fields that clients agree about.
func wanted(field string) (w want, ok bool) {
	switch field {
	case "args":
		return want{source.Array, "a list of strings", true, false}, true
	case "env", "environment", "envs", "headers", "http_headers", "env_http_headers":
		return want{source.Object, "an object of strings", true, false}, true
	case "cwd", "working_directory", "envFile", "bearer_token_env_var":
		return want{source.String, "a string", false, true}, true
	case "disabled", "enabled", "trust", "required":
		return want{source.Bool, "true or false", false, true}, true
	case "timeout", "connectionTimeout", "startup_timeout_sec", "startup_timeout_ms", "tool_timeout_sec", "startupTimeoutMs", "toolTimeoutMs":
		return want{source.Number, "a positive number", false, true}, true
	case "autoApprove", "alwaysAllow", "disabledTools", "disabled_tools", "excludeTools", "includeTools", "enabled_tools", "enabledTools",
		"allowedTools", "available_tools", "env_vars", "env_keys":
		return want{source.Array, "a list", false, true}, true
	}
	return want{}, false
}

// mistakes gathers faults of one kind, so that a file that some program wrote wrongly all over is one finding.
type mistakes struct{ rule.Gathers[mistake] }

type mistake struct {
	field, actual, words, verb string
	severity                   finding.Severity
}

func (m *mistakes) add(f *client.File, s *client.Server, at source.Node, what mistake) {
	if n := s.Node.Get(what.field); !f.Knows(what.field) || n != at && n != at.Parent() {
		return // not this client's, or replaced by a later member of its name
	}
	if what.actual == "" {
		what.actual = at.Kind().String()
	}
	m.Of(what).Add(s, `"`+s.Name+`"`, rule.At(at))
}

func wrongType(p *rule.Pass) {
	var found mistakes
	for _, s := range p.File.Servers {
		if s.Hidden {
			continue
		}
		command(p, s, &found)
		for n := range s.Node.Children() {
			field(p.File, s, n, &found)
		}
	}
	blast := entryBlast(p.File)
	for _, m := range found.Kinds {
		severity := m.severity
		if blast == finding.BlastClient { // a client that one bad entry keeps from starting takes nothing lightly
			severity = finding.Error
		}
		opts := []rule.Option{rule.WithSeverity(severity), rule.WithKind(m.field + m.actual + m.verb)}
		if severity == finding.Error {
			opts = append(opts, rule.WithBlast(blast))
		}
		found.Of(m).Report(p, p.Rule.Message, rule.Args{"field": m.field, "verb": m.verb, "actual": m.actual, "wanted": m.words}, opts...)
	}
}

// field judges one field of an entry.
func field(f *client.File, s *client.Server, n source.Node, found *mistakes) {
	w, ok := wanted(n.Key())
	if !ok || w.kind == n.Kind() && !w.items && w.kind != source.Number || n.Kind() == source.Null {
		return
	}
	m := mistake{field: n.Key(), verb: "is", words: w.words, severity: finding.Error}
	if v, isNumber := n.Number(); isNumber && w.kind == source.Number {
		if strings.HasPrefix(v, "-") {
			m.actual, m.severity = "negative", finding.Warning
			found.add(f, s, n, m)
		}
		return
	}
	if w.kind != n.Kind() {
		if w.soft || n.Kind() == source.Array && n.Len() == 0 { // an empty list for an empty object: many read it
			m.severity = finding.Warning
		}
		found.add(f, s, n, m)
		return
	}
	for c := range n.Children() {
		// Some clients make a text of a number.
		if k := c.Kind(); k != source.String && !(k == source.Null && c.Doc().Format == source.YAML) {
			m.verb, m.severity = "holds", finding.Warning
			found.add(f, s, c, m)
			return
		}
	}
}

// command judges the command: its shape, and whether it holds its arguments too.
func command(p *rule.Pass, s *client.Server, found *mistakes) {
	if s.Rare.Guard != nil {
		return // its command stands among the guard's arguments
	}
	n, shapes := s.Command.Node, p.File.Client.Command
	if n.Parent() != s.Node { // of a list, or of an object
		n = n.Parent()
	}
	switch {
	case s.Command.Value == "":
	case n.Kind() == source.Array && !slices.Contains(shapes, "array"), n.Kind() == source.Object && !slices.Contains(shapes, "object"):
		found.add(p.File, s, n, mistake{field: n.Key(), verb: "is", words: "a string", severity: finding.Error})
	case n.Kind() == source.String:
		if words := split(s.Command.Value); words != nil && slices.Contains(shapes, "string") {
			opts := []rule.Option{rule.WithBlast(entryBlast(p.File)), rule.ForServer(s)}
			if fix := withArgs(s, words); fix != nil {
				opts = append(opts, fix)
			}
			p.ReportAs(`Server "{name}" has its arguments in "{field}": clients look for a program of that whole name`,
				rule.At(n), rule.Args{"name": s.Name, "field": n.Key()}, opts...)
		}
	}
}

// split gives the words of a command that holds its arguments, nil for any other: a program's path may have blanks.
func split(command string) []string {
	if !strings.ContainsFunc(command, unicode.IsSpace) {
		return nil // as most have it
	}
	words := strings.Fields(command)
	if len(words) < 2 || strings.ContainsAny(words[0], `/\:$%{"'`) && !knownProgram(words[0]) {
		return nil
	}
	for _, w := range words[1:] {
		if w[0] == '-' || strings.ContainsAny(w, "./@=") || knownProgram(words[0]) {
			return words
		}
	}
	return nil
}

// knownProgram says that a word, by its last part, is a program that starts servers.
func knownProgram(word string) bool {
	name := strings.ToLower(word[strings.LastIndexAny(word, `/\`)+1:])
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".cmd")
	return hasWord("node npx npm bun bunx deno pnpm yarn python python3 py uv uvx pipx docker podman java dotnet php ruby go cargo "+
		"bash sh zsh cmd powershell pwsh env", name)
}

func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

// withArgs moves the words behind the first into the arguments.
func withArgs(s *client.Server, words []string) rule.Option {
	args := s.Node.Get("args")
	if strings.ContainsAny(s.Command.Value, "\"'`\\$|&;<>(") || s.Node.Shared() || args.Shared() || args.Valid() && args.Kind() != source.Array {
		return nil
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = source.Quote(w)
	}
	edits := []finding.Edit{s.Command.Node.Replace(quoted[0])}
	switch list := strings.Join(quoted[1:], ", "); {
	case args.Valid():
		edits = append(edits, args.Prepend(quoted[1:]...))
	case s.Command.Node.Doc().Format == source.JSON:
		edits[0].Text += `, "args": [` + list + "]"
	default:
		edits = append(edits, s.Node.Insert("args", "["+list+"]"))
	}
	return rule.WithFix(finding.Unsafe, "move the arguments to args", edits...)
}
