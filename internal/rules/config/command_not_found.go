package config

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// CommandNotFound is mcp-commands/command-not-found.
var CommandNotFound = &rule.Rule{
	ID:       "mcp-commands/command-not-found",
	Title:    "the command's file does not exist",
	Trigger:  "The command of a server in a project's file is a relative path that does not exist.",
	Message:  `Server "{name}": command "{command}" not found`,
	Severity: finding.Warning,
	Tags:     []string{rule.Launch},
	OWASP:    "MCP05",
	Since:    "0.1.0",
	Needs:    []rule.Need{rule.NeedDisk, rule.NeedPlatform},
	Server:   commandNotFound,
}

func commandNotFound(p *rule.Pass, s *client.Server) {
	command, platform := s.Command.Value, p.Facts.Platform()
	dir := folder(p, s)
	if dir == "" || s.Disabled || s.Hidden || !relative(command, platform) || strings.ContainsAny(command, "${%<* ") {
		return
	}
	name := below(dir, command, platform)
	names := []string{name}
	if platform == "windows" { // which finds ./server.exe for ./server
		names = append(names, name+".exe", name+".cmd", name+".bat")
	}
	if missing(p, names...) {
		p.Report(rule.At(s.Command.Node), rule.Args{"name": s.Name, "command": secret.Mask(command)}, rule.WithBlast(finding.BlastEntry))
	}
}
