package config

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// ForeignField is config/foreign-field.
var ForeignField = &rule.Rule{
	ID:       "config/foreign-field",
	Title:    "fields that the client does not know",
	Trigger:  "Entries have fields that their client does not document.",
	Message:  "{client} does not know these fields: {names}",
	One:      `{client} does not know the field "{names}"`,
	Severity: finding.Info,
	Tags:     []string{rule.Schema, rule.Portability, rule.Hygiene},
	Since:    "0.1.0",
	Fix:      finding.Safe, FixDescription: "Remove the transport's name where the client has no field for it and infers the same.",
	File: foreignField,
}

func foreignField(p *rule.Pass) {
	f := p.File
	if !placed(f) || f.Client.Confidence == client.Low || len(f.Client.Known) == 0 {
		return
	}
	strict := f.Client.BadEntry == "client" // a build that checks strictly does not start
	var g rule.Gather
	var words []finding.Edit
	for _, s := range f.Servers {
		if s.Hidden {
			continue
		}
		for _, n := range s.Foreign {
			field := n.Key()
			if pseudoComment(field) || carries(field) || field == "description" || field == "name" || f.Knows(field) || heldBack(s, n) || idle(n) && !strict {
				continue
			}
			g.Add(s, field, rule.Key(n))
			if e, ok := needless(s, n); ok {
				words = append(words, e)
			}
		}
	}
	var opts []rule.Option
	if strict {
		opts = append(opts, rule.WithSeverity(finding.Warning), rule.WithConfidence(finding.Medium), rule.WithBlast(finding.BlastClient))
		if len(words) > 0 {
			opts = append(opts, rule.WithFix(finding.Safe, "remove the transport's name", words...))
		}
	}
	g.Report(p, p.Rule.Message, rule.Args{"client": f.Client.Name}, opts...)
}

// idle says that a field has the value that it has when it is not there, as editors write it: nobody relies on it.
func idle(n source.Node) bool {
	on, isBool := n.Bool()
	return isBool && on == (n.Key() == "enabled") || n.Kind() == source.Null || (n.Kind() == source.Array || n.Kind() == source.Object) && n.Len() == 0
}

// carries says that a field holds the launch or the address in some client: config/other-client-shape and the rules of
// the specification judge it.
func carries(field string) bool {
	switch field {
	case "command", "cmd", "args", "env", "environment", "envs", "url", "httpUrl", "serverUrl", "uri", "headers", "http_headers",
		"requestOptions", "bearer_token":
		return true
	}
	return false
}

// needless is the removal of a word for the transport that the client takes from the other fields.
func needless(s *client.Server, n source.Node) (finding.Edit, bool) {
	if s.File.Client.Remote.TypeKey != "" || n.Kind() != source.String || n.Shared() || !hasWord("type transport transportType", n.Key()) {
		return finding.Edit{}, false
	}
	means, _ := s.File.Means(strings.ToLower(n.Text()))
	same := means == client.Stdio && s.Command.Set() && !s.URL.Set() || means == client.HTTP && s.URL.Set() && !s.Command.Set()
	return n.Remove(), same
}
