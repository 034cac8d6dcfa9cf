package config

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// NameLimit is config/name-limit.
var NameLimit = &rule.Rule{
	ID:       "config/name-limit",
	Title:    "a name that the client can not use",
	Trigger:  "A server's name breaks its client's rule for names, or leaves too little room for the names of its tools.",
	Message:  `The name "{name}" leaves {room} characters for the names of its tools: {client} shows a model "{format}", at most {max} long`,
	Severity: finding.Warning,
	Tags:     []string{rule.Schema, rule.Portability},
	Since:    "0.1.0",
	Server:   nameLimit,
}

func nameLimit(p *rule.Pass, s *client.Server) {
	f := p.File
	limit, c := &f.Client.Limits, f.Client
	if s.Hidden || !placed(f) || s.Name == "" {
		return
	}
	if want := limit.ServerName.Pattern; want != "" {
		if !limit.ServerName.Allows(s.Name) {
			p.ReportAs(`The name "{name}" is none that {client} can use: it must match {pattern}`, nameOf(s),
				rule.Args{"name": s.Name, "client": c.Name, "pattern": want}, byTable(p, client.Medium)...)
			return
		}
	}
	format := limit.ToolName.Format
	if f.Scope == client.ScopePlugin && limit.ToolName.Plugin != "" {
		format = strings.ReplaceAll(limit.ToolName.Plugin, "{plugin}", f.Doc.Root().Get("name").Text())
	}
	if limit.ToolName.Max == 0 || !strings.Contains(format, "{server}") {
		return
	}
	room := limit.ToolName.Max - utf8.RuneCountInString(s.Name) - utf8.RuneCountInString(format) + len("{server}")
	if strings.Contains(format, "{tool}") {
		room += len("{tool}")
	}
	if room < p.Limits.ToolNameRoom {
		p.Report(nameOf(s), rule.Args{"name": s.Name, "client": c.Name, "room": strconv.Itoa(max(room, 0)), "max": strconv.Itoa(limit.ToolName.Max),
			"format": strings.NewReplacer("{server}", secret.Mask(s.Name), "{tool}", "…").Replace(format)}, byTable(p, client.Medium)...)
	}
}
