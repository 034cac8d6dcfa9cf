package config

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// WindowsNpxNoWrapper is mcp-commands/windows-npx-no-wrapper.
var WindowsNpxNoWrapper = &rule.Rule{
	ID:       "mcp-commands/windows-npx-no-wrapper",
	Title:    "npx without cmd /c on Windows",
	Trigger:  "On Windows, the command of a server is npx itself, which is a script that only cmd can start.",
	Message:  `Server "{name}": npx requires "cmd /c" wrapper on Windows`,
	Severity: finding.Error,
	Tags:     []string{rule.Portability},
	Since:    "0.1.0",
	Fix:      finding.Safe, FixDescription: "Start it through cmd /c.",
	Needs:  []rule.Need{rule.NeedPlatform},
	Server: windowsNpxNoWrapper,
}

func windowsNpxNoWrapper(p *rule.Pass, s *client.Server) {
	if p.Facts.Platform() != "windows" || s.Disabled || s.Hidden || p.File.Client.WindowsScripts == "yes" {
		return
	}
	switch strings.ToLower(s.Command.Value) {
	case "npx", "npx.cmd":
	default:
		return
	}
	opts := []rule.Option{rule.WithBlast(finding.BlastEntry)}
	if p.File.Client.WindowsScripts == "likely" {
		opts = []rule.Option{rule.WithSeverity(finding.Warning)}
	}
	if edits := throughCmd(s); len(edits) > 0 {
		opts = append(opts, rule.WithFix(finding.Safe, "start it through cmd /c", edits...))
	}
	p.Report(rule.At(s.Command.Node), rule.Args{"name": s.Name}, opts...)
}

// throughCmd are the edits that put cmd /c in front of the command.
func throughCmd(s *client.Server) []finding.Edit {
	cmd, c, npx := source.Quote("cmd"), source.Quote("/c"), source.Quote("npx")
	entry := s.Command.Node.Parent()
	if s.Command.Node.Shared() {
		return nil
	}
	if s.ArrayCommand {
		return []finding.Edit{entry.Prepend(cmd, c)}
	}
	edits := []finding.Edit{s.Command.Node.Replace(cmd)}
	switch args := entry.Get("args"); {
	case !args.Valid():
		return append(edits, entry.Insert("args", "["+c+", "+npx+"]"))
	case args.Kind() == source.Array && !args.Shared():
		return append(edits, args.Prepend(c, npx))
	}
	return nil
}
