package config

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// UnknownTransport is mcp-schema/unknown-transport.
var UnknownTransport = &rule.Rule{
	ID:       "mcp-schema/unknown-transport",
	Title:    "a transport that the client does not know",
	Trigger:  "The type of an entry is no word of its client, or no string, or the entry has neither command nor address.",
	Message:  `Server "{name}" has unknown transport type "{type}"`,
	Severity: finding.Warning,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Safe, FixDescription: "Write the client's own word for the transport that another client's word means.",
	Fault:  "transport-word",
	Server: unknownTransport,
}

func unknownTransport(p *rule.Pass, s *client.Server) {
	f := s.File
	if s.Hidden || s.TypeKnown && readsType(s) || !s.TypeNode.Valid() && has(s) {
		return // as most entries are
	}
	opts := []rule.Option{rule.WithBlast(entryBlast(f))}
	if entryBlast(f) == finding.BlastClient {
		opts = append(opts, rule.WithSeverity(finding.Error))
	}
	switch {
	case !placed(f) && s.Type.Set() && s.Transport != client.Unknown:
		// A word of some client's.
	case readsType(s) && !s.Type.Set():
		p.Report(rule.At(s.TypeNode), rule.Args{"name": s.Name, "type": shown(s.TypeNode)}, opts...)
	case readsType(s) && !s.TypeKnown:
		if word := ownWord(f.Client, s.Transport); word != "" {
			opts = append(opts, rule.WithFix(finding.Safe, `write "`+word+`"`, rewrite(s.TypeNode, word)))
		}
		p.Report(rule.At(s.TypeNode), rule.Args{"name": s.Name, "type": s.Type.Value}, opts...)
	case s.TypeNode.Valid() && readsType(s), has(s), builtin(s), f.Client.Switches && switches(s):
	default:
		p.ReportAs(`Server "{name}" has no recognizable transport — expected "command", "url", or a valid "type"`,
			nameOf(s), rule.Args{"name": s.Name}, opts...)
	}
}

// has says that the entry has a command or an address, of whatever type: another rule judges that.
func has(s *client.Server) bool {
	if s.Command.Set() || s.URL.Set() {
		return true
	}
	_, command := commandField(s)
	_, url := urlField(s)
	return command.Valid() || url.Valid()
}

// builtin says that the entry is one that comes with the client.
func builtin(s *client.Server) bool {
	c := s.File.Client
	return s.Transport == client.Builtin && (c == client.Generic || slices.Contains(c.Transports, client.Builtin))
}

// switches says that the entry holds nothing but its on and off switches.
func switches(s *client.Server) bool {
	for n := range s.Node.Children() {
		if !slices.Contains(s.File.Client.Safety.On, n.Key()) && !slices.Contains(s.File.Client.Safety.Off, n.Key()) {
			return false
		}
	}
	return s.Node.Len() > 0
}

// shown is a value that should be a string, for a message. What is in an object is not printed.
func shown(n source.Node) string {
	switch n.Kind() {
	case source.Object, source.Array:
		return n.Kind().String()
	}
	return string(n.Raw())
}

// ownWord is the client's word for a transport.
func ownWord(c *client.Client, t client.Transport) string {
	if t == client.HTTP && c.Remote.Writes != "" {
		return c.Remote.Writes
	}
	for _, w := range c.Remote.Types {
		if w.Means == t {
			return w.Word
		}
	}
	return ""
}

// rewrite puts a word in the place of a string and keeps it without quotes where it had none.
func rewrite(n source.Node, word string) finding.Edit {
	if raw := n.Raw(); len(raw) > 0 && raw[0] != '"' && raw[0] != '\'' {
		return n.Replace(word)
	}
	return n.Replace(source.Quote(word))
}
