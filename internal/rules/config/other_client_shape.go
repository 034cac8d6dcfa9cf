package config

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// OtherClientShape is config/other-client-shape.
var OtherClientShape = &rule.Rule{
	ID:       "config/other-client-shape",
	Title:    "an entry in another client's shape",
	Trigger:  "An entry is written as another client reads it, and its own client refuses it or leaves a part of it out.",
	Message:  `Server "{name}" has "{field}", which {client} {does}`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema, rule.Portability},
	Since:    "0.1.0",
	Fix:      finding.Safe, FixDescription: "Write the client's own name for the field, the command as the one list that it reads, and its word for a local server.",
	Server: otherClientShape,
}

func otherClientShape(p *rule.Pass, s *client.Server) {
	f := p.File
	if s.Hidden || !placed(f) || f.Client == client.Generic || f.Client.Confidence == client.Low {
		return
	}
	oneList(p, s)
	withoutWord(p, s)
	for n := range s.Node.Children() {
		field := n.Key()
		does := ""
		switch {
		case slices.Contains(f.Client.Refuses, field):
			does = "refuses"
		case s.Command.Value != "" && s.URL.Value == "" && slices.Contains(f.Client.Only.Remote, field):
			does = "refuses beside a command"
		case s.URL.Value != "" && s.Command.Value == "" && slices.Contains(f.Client.Only.Stdio, field):
			does = "refuses beside an address"
		default:
			renamed(p, s, n, field)
			continue
		}
		p.Report(rule.Key(n), rule.Args{"name": s.Name, "field": field, "client": f.Client.Name, "does": does},
			rule.WithBlast(entryBlast(f)))
	}
}

// renamed reports variables and headers under another client's name: the server starts without them.
func renamed(p *rule.Pass, s *client.Server, n source.Node, field string) {
	own := ""
	switch field {
	case "env", "environment", "envs":
		own = ownName(s, "env")
	case "headers", "http_headers":
		own = ownName(s, "headers")
	}
	if own == "" || own == field || n.Len() == 0 || p.File.Knows(field) {
		return
	}
	args := rule.Args{"name": s.Name, "field": field, "client": p.File.Client.Name, "own": own}
	opts := append(byTable(p, client.High), rule.WithSeverity(finding.Warning))
	if !strings.Contains(own, "/") && !s.Node.Get(own).Valid() && !n.Shared() {
		opts = append(opts, rule.WithFix(finding.Safe, `rename it to "`+own+`"`, n.Rename(own)))
	}
	p.ReportAs(`Server "{name}" has "{field}", which {client} does not read: its name there is "{own}"`, rule.Key(n), args, opts...)
}

// ownName is the client's name for a field, "" when it has none.
func ownName(s *client.Server, field string) string {
	c := s.File.Client
	if own := c.Fields[field]; len(own) > 0 {
		return own[0]
	}
	if slices.Contains(c.Known, field) {
		return field
	}
	return ""
}

// oneList reports a command and its arguments for a client that reads them as one list.
func oneList(p *rule.Pass, s *client.Server) {
	f := p.File
	n := s.Node.Get("command")
	if n.Kind() != source.String || slices.Contains(f.Client.Command, "string") {
		return
	}
	opts := append(byTable(p, client.Medium), rule.WithBlast(entryBlast(f)))
	args := s.Node.Get("args")
	if f.Doc.Format == source.JSON && f.Doc.Strict && (args.Kind() == source.Array || !args.Valid()) && split(s.Command.Value) == nil {
		words := []string{string(n.Raw())}
		for c := range args.Children() {
			words = append(words, string(c.Raw()))
		}
		edits := []finding.Edit{n.Replace("[" + strings.Join(words, ", ") + "]")}
		if args.Valid() {
			edits = append(edits, args.Remove())
		}
		opts = append(opts, rule.WithFix(finding.Safe, "write command and arguments as one list", edits...))
	}
	p.ReportAs(`Server "{name}" has its command in a string, and {client} reads one list of command and arguments`, rule.At(n),
		rule.Args{"name": s.Name, "client": f.Client.Name}, opts...)
}

// withoutWord reports a local server without the word that the client demands of every entry.
func withoutWord(p *rule.Pass, s *client.Server) {
	c := p.File.Client
	key := c.Remote.TypeKey
	if c.Remote.TypeRequired != "always" || key == "" || s.Command.Value == "" || s.URL.Value != "" || s.Node.Get(key).Valid() {
		return
	}
	opts := append(byTable(p, client.Medium), rule.WithBlast(entryBlast(p.File)))
	if word := ownWord(c, client.Stdio); word != "" && !s.Node.Shared() {
		opts = append(opts, rule.WithFix(finding.Safe, `add "`+key+`": "`+word+`"`, s.Node.Insert(key, source.Quote(word))))
	}
	p.ReportAs(`Server "{name}" has no "{key}", which {client} demands of every entry`, nameOf(s),
		rule.Args{"name": s.Name, "key": key, "client": c.Name}, opts...)
}
