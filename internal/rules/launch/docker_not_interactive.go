package launch

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// DockerNotInteractive is launch/docker-not-interactive.
var DockerNotInteractive = &rule.Rule{
	ID:       "launch/docker-not-interactive",
	Title:    "a container that can not hear its client",
	Trigger:  "A stdio server runs in a container without -i, or with -d or -t.",
	Message:  `Server "{name}" {why}`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema, rule.Portability},
	Since:    "0.1.0",
	Fix:      finding.Safe, FixDescription: "Give the container its standard input (-i), or take the terminal away (-t).",
	Server: dockerNotInteractive,
}

func dockerNotInteractive(p *rule.Pass, s *client.Server) {
	if s.Hidden || s.Transport != client.Stdio {
		return
	}
	for _, l := range s.Launches() {
		d := l.Docker
		if d == nil || !l.Main() || !launch.IsEngine(l.Program) || !strings.HasSuffix(l.Runner, " run") {
			continue
		}
		args := rule.Args{"name": s.Name}
		report := func(kind, why string, arg int, opts ...rule.Option) {
			args["why"] = why
			p.Report(rule.At(l.Word(arg).Node), args, append(opts, rule.WithKind(kind), rule.WithBlast(finding.BlastEntry))...)
		}
		if d.Detach {
			report("detach", "starts its container in the background (-d): the client talks to nobody", d.DetachArg)
		}
		if d.TTY {
			report("tty", "asks for a terminal (-t), which a client does not have", d.TTYArg, withoutTTY(l.Word(d.TTYArg))...)
		}
		if !d.Interactive {
			report("interactive", "starts its container without -i: it never hears the client", runWord(s), withInput(s)...)
		}
	}
}

// runWord is the index of the word "run", -1 when it stands in a script.
func runWord(s *client.Server) int {
	return slices.IndexFunc(s.Argv(), func(w string) bool { return w == "run" })
}

// withInput puts -i behind the word "run".
func withInput(s *client.Server) []rule.Option {
	run := runWord(s)
	next := s.Word(run + 1)
	if run < 1 || !next.Set() || next.Node.Shared() {
		return nil
	}
	if raw := next.Node.Doc().Raw; next.Node.Doc().Format == source.YAML && raw[next.Node.Parent().Span().Start] != '[' {
		return nil // a block list has its own lines
	}
	return []rule.Option{rule.WithFix(finding.Safe, "add -i", finding.Edit{Offset: next.Node.Span().Start, Text: `"-i", `})}
}

// withoutTTY takes -t out of a word that holds little else.
func withoutTTY(w client.Str) []rule.Option {
	switch {
	case w.Node.Shared() || !w.Set() || w.Node.IsMember():
	case w.Value == "-it" || w.Value == "-ti":
		return []rule.Option{rule.WithFix(finding.Safe, "take -t away", w.Node.Replace(`"-i"`))}
	case w.Value == "-t" || w.Value == "--tty":
		return []rule.Option{rule.WithFix(finding.Safe, "take -t away", w.Node.Remove())}
	}
	return nil
}
