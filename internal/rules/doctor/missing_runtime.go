package doctor

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// MissingRuntime is doctor/missing-runtime.
var MissingRuntime = &rule.Rule{
	ID:       "doctor/missing-runtime",
	Title:    "the command is not installed",
	Trigger:  "The command of an enabled entry is a plain name that is not found on PATH.",
	Message:  `Server "{name}" can not start: {command} is not on PATH`,
	Severity: finding.Warning,
	Tags:     []string{rule.Hygiene},
	Since:    "0.1.0",
	Needs:    []rule.Need{rule.NeedEnv, rule.NeedDisk, rule.NeedPlatform},
	Server:   missingRuntime,
}

func missingRuntime(p *rule.Pass, s *client.Server) {
	off := s.Hidden || s.Disabled || s.Shadowed != nil || s.File.Dead()
	if off || s.Transport != client.Stdio || s.Command.Value == "" || setsPath(s) {
		return
	}
	word, at := s.Command.Value, rule.At(s.Command.Node)
	if bare(word) && p.Facts.OnPath(word) == rule.Yes {
		word, at = behind(s)
	}
	if bare(word) && p.Facts.OnPath(word) == rule.No {
		p.Report(at, rule.Args{"name": s.Name, "command": word}, rule.WithBlast(finding.BlastEntry))
	}
}

// behind is the program that a wrapper such as cmd /c or env runs, as it is written. What a script runs is not looked
// up: it may set a PATH of its own.
func behind(s *client.Server) (string, rule.Place) {
	for _, l := range s.Launches() {
		if !l.Main() || l.Script || len(l.Wrappers) == 0 || slices.ContainsFunc(l.Wrappers, elsewhere) {
			continue
		}
		for i, w := range l.Argv[1:] {
			if word := s.Word(i + 1); strings.EqualFold(w, l.Program) && word.Set() {
				return w, rule.At(word.Node)
			}
		}
	}
	return "", rule.Place{}
}

// elsewhere says that a wrapper runs its command in a container, on another machine, or with a PATH of its own.
func elsewhere(wrapper string) bool {
	name, _, _ := strings.Cut(wrapper, " ")
	return launch.IsEngine(name) || slices.Contains([]string{"kubectl", "wsl", "nvm", "fnm", "volta", "conda", "mamba",
		"micromamba", "poetry", "pdm", "pipenv", "hatch", "rye", "pixi", "bundle", "mise", "rtx", "asdf", "direnv", "flatpak-spawn", "uv"}, name)
}

// bare says that the word is looked up on PATH: no path, and nothing that somebody else fills in.
func bare(word string) bool {
	return word != "" && !strings.ContainsAny(word, "/\\$%{}~ \t")
}

// setsPath says that the entry brings a PATH of its own.
func setsPath(s *client.Server) bool {
	return slices.ContainsFunc(s.Env, func(e client.Pair) bool { return strings.EqualFold(e.Key, "PATH") })
}
