// Package clientpage makes docs/clients.md of the client table.
package clientpage

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/client"
)

// Write writes the page for rows.
func Write(w io.Writer, rows []*client.Client) error {
	p := page{bufio.NewWriter(w)}
	p.line("# Clients")
	p.line("")
	p.line("<!-- Generated from internal/model/client/clients.json by go generate ./internal/model/client. Do not edit. -->")
	p.line("")
	p.line("What mcpassay knows of each program that reads MCP server configs. Every row has a date, a confidence and")
	p.line("its sources; the severity of a finding falls with the confidence. `high` comes from the client's source or")
	p.line("documents, `medium` from the tables of other tools, `low` from a single one of them. `mcpassay clients` prints")
	p.line("the same table.")
	p.line("")
	p.line("A file without an anchor is relative to a project. `{a,b}` is either, `*` any part of one name, `**` any number")
	p.line("of folders. The anchors:")
	p.line("")
	p.line("| anchor | Linux | macOS | Windows |")
	p.line("|---|---|---|---|")
	p.line("| `~` | the home directory | the home directory | the user's profile |")
	p.line("| `<app>` | `$XDG_CONFIG_HOME` or `~/.config` | `~/Library/Application Support` | `%%APPDATA%%` |")
	p.line("| `<xdg>` | `$XDG_CONFIG_HOME` or `~/.config` | the same | the same |")
	p.line("| `$NAME`, `%%NAME%%` | the variable; while it is not set, the default of the note, or nothing | the same | the same |")
	p.line("")
	p.line("| id | client | root key | format | references | transports | confidence | as of |")
	p.line("|---|---|---|---|---|---|---|---|")
	for _, c := range rows {
		p.line("| [%s](#%s) | %s | %s | %s | %s | %s | %s | %s |", c.ID, c.ID, cell(c.Name), codes(c.RootKeys), c.Format,
			grammar(&c.Env), join(c.Transports), c.Confidence, c.AsOf)
	}
	for _, c := range rows {
		p.row(c)
	}
	return p.Flush()
}

type page struct{ *bufio.Writer }

func (p page) line(format string, args ...any) {
	fmt.Fprintf(p, format+"\n", args...)
}

func (p page) item(name, value string) {
	if value != "" {
		p.line("- %s: %s", name, value)
	}
}

func (p page) row(c *client.Client) {
	p.line("")
	p.line("## %s", c.ID)
	p.line("")
	status := ""
	if c.Status != "active" {
		status = ", " + c.Status
	}
	p.line("%s%s. Confidence %s, as of %s.", c.Name, status, c.Confidence, c.AsOf)
	p.line("")
	if len(c.Locations) > 0 {
		p.line("| file | systems | scope | read | root | note |")
		p.line("|---|---|---|---|---|---|")
		for i := range c.Locations {
			p.location(c, &c.Locations[i])
		}
		p.line("")
	}
	p.item("also called", codes(c.Aliases))
	p.item("servers stand as", map[client.Shape]string{client.ShapeMap: "a map of name to entry", client.ShapeList: "a list of entries with a name",
		client.ShapeTables: "an array of tables with a name"}[c.Shape])
	if c.Format == client.FormatJSON {
		p.item("comments in JSON", c.Comments)
	}
	if c.BOM != "unknown" {
		p.item("byte order mark", c.BOM)
	}
	p.references(&c.Env)
	p.remote(&c.Remote)
	if len(c.Command) > 1 || len(c.Command) == 1 && c.Command[0] != "string" {
		p.item("command is", strings.Join(c.Command, " or "))
	}
	p.item("fields", codes(c.Known))
	p.item("fields that hold a server back", safety(&c.Safety))
	var units []string
	for _, t := range c.Timeouts {
		units = append(units, fmt.Sprintf("%s in %s", code(t.Field), t.Unit))
	}
	p.item("timeouts", strings.Join(units, ", "))
	p.item("runs as a command", codes(c.Runs))
	p.item("limits", limits(&c.Limits))
	for _, b := range c.Breaks {
		by := ""
		if b.By != "" {
			by = " by " + b.By
		}
		p.item("a tool's card that it does not take", fmt.Sprintf("%s, refused%s: the %s is lost (confidence %s, as of %s; %s)",
			code(string(b.Shape)), by, b.Loses, b.Confidence, b.AsOf, cell(b.Source)))
	}
	if c.Switches {
		p.item("an entry with a switch alone", "changes one of another layer")
	}
	if c.UniqueNames {
		p.item("server names", "unique over all scopes")
	}
	p.item("starts `npx` on Windows without `cmd /c`", c.WindowsScripts)
	p.item("one bad entry breaks", map[string]string{"entry": "itself", "file": "its file", "client": "the client: it does not start, or loads nothing"}[c.BadEntry])
	p.item("precedence, strongest first", strings.Join(c.Precedence, ", "))
	p.item("signs of an installation", codes(c.Installed))
	for _, n := range c.Notes {
		p.item("note", cell(n))
	}
	p.item("sources", cell(strings.Join(c.Sources, "; ")))
}

func (p page) location(c *client.Client, l *client.Location) {
	systems := "all"
	if len(l.OS) > 0 {
		systems = strings.NewReplacer("darwin", "macOS", "linux", "Linux", "windows", "Windows").Replace(strings.Join(l.OS, ", "))
	}
	var roots []string
	for _, r := range c.Roots(l) {
		at := r.At
		if at == "/" {
			at = "(the document)"
		}
		roots = append(roots, code(at))
	}
	notes := []string{l.Note}
	if l.Fallback != "" {
		notes = append(notes, "default "+code(l.Fallback))
	}
	if f := c.FormatOf(l); f != c.Format {
		notes = append(notes, "format "+f)
	}
	if l.Mixed {
		notes = append(notes, "holds other settings too")
	}
	notes = slices.DeleteFunc(notes, func(s string) bool { return s == "" })
	p.line("| %s | %s | %s | %s | %s | %s |", code(l.Path), systems, l.Scope, l.Reads, strings.Join(roots, " "), cell(strings.Join(notes, "; ")))
}

func (p page) references(e *client.EnvRefs) {
	text := grammar(e)
	if len(e.Fields) > 0 {
		text += " in " + strings.Join(e.Fields, ", ")
	}
	for _, f := range e.Formats {
		text += fmt.Sprintf("; in %s files %s", f.Format, codes(f.Forms))
	}
	if e.Expands == "yes" {
		if e.Write != "" {
			text += "; fixes write " + code(string(e.Write))
		}
		if e.Unset != "unknown" {
			text += "; unset: " + e.Unset
		}
	}
	if len(e.Instead) > 0 {
		text += "; by name through " + codes(e.Instead)
	}
	if e.Note != "" {
		text += "; " + e.Note
	}
	p.item("references", fmt.Sprintf("%s (confidence %s)", text, e.Confidence))
	p.item("names in `${}` that are no variables", codes(e.Builtins))
}

func (p page) remote(r *client.RemoteEntry) {
	if len(r.URLKeys) == 0 && len(r.Types) == 0 {
		return
	}
	var parts, keys, words []string
	for _, k := range r.URLKeys {
		text := code(k.Key)
		if k.Means != "" {
			text += " = " + string(k.Means)
		}
		keys = append(keys, text)
	}
	for _, t := range r.Types {
		words = append(words, code(t.Word)+" = "+string(t.Means))
	}
	if len(keys) > 0 {
		parts = append(parts, "URL in "+strings.Join(keys, ", "))
	}
	switch {
	case r.TypeKey == "":
		parts = append(parts, "the transport is inferred")
	default:
		parts = append(parts, code(r.TypeKey)+": "+strings.Join(words, ", "))
	}
	if r.TypeRequired != "" {
		parts = append(parts, "required: "+r.TypeRequired)
	}
	if len(r.URLKeys) > 0 && r.TypeKey != "" {
		parts = append(parts, "a URL without it is "+string(r.URLWithoutType))
	}
	if len(r.Schemes) > 0 {
		parts = append(parts, "also the schemes "+codes(r.Schemes))
	}
	p.item("remote entry", strings.Join(parts, "; "))
}

func grammar(e *client.EnvRefs) string {
	switch {
	case e.Expands == "no":
		return "none"
	case e.Expands == "unknown" && len(e.Forms) == 0:
		return "not known"
	case e.Expands == "unknown":
		return codes(e.Forms) + " (not confirmed)"
	}
	return codes(e.Forms)
}

func safety(s *client.Safety) string {
	var parts []string
	for _, g := range [...]struct {
		what   string
		fields []string
	}{{"off when true", s.Off}, {"off when false", s.On}, {"approve without asking", s.Approve}, {"allow only", s.Allow}, {"deny", s.Deny}} {
		if len(g.fields) > 0 {
			parts = append(parts, g.what+" "+codes(g.fields))
		}
	}
	return strings.Join(parts, "; ")
}

func limits(l *client.Limits) string {
	var parts []string
	name := func(what string, n client.NameLimit) {
		if n == (client.NameLimit{}) {
			return
		}
		text := what
		if n.Format != "" {
			text += " " + code(n.Format)
		}
		if n.Plugin != "" {
			text += ", from a plugin " + code(n.Plugin)
		}
		if n.Max > 0 {
			text += fmt.Sprintf(", at most %d characters", n.Max)
		}
		if n.Pattern != "" {
			text += ", " + code(n.Pattern)
		}
		parts = append(parts, text)
	}
	name("server names", l.ServerName)
	name("tool names", l.ToolName)
	if l.Tools > 0 {
		parts = append(parts, fmt.Sprintf("%d tools in all", l.Tools))
	}
	if l.Description > 0 {
		parts = append(parts, fmt.Sprintf("descriptions of tools are cut at %d characters", l.Description))
	}
	return strings.Join(parts, "; ")
}

func join[T ~string](list []T) string {
	var b strings.Builder
	for i, s := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(s))
	}
	return b.String()
}

func codes[T ~string](list []T) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = code(string(s))
	}
	return strings.Join(quoted, " ")
}

// code is s as Markdown code, also inside a table.
func code(s string) string { return "`" + cell(s) + "`" }

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
