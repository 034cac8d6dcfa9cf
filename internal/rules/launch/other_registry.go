package launch

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// OtherRegistry is launch/other-registry.
var OtherRegistry = &rule.Rule{
	ID:       "launch/other-registry",
	Title:    "packages from another registry",
	Trigger:  "A package runner is told to take its packages from a registry that the launch line names.",
	Message:  `Server "{name}" takes its packages from the place that {flag} names`,
	Severity: finding.Info,
	Tags:     []string{rule.Launch, rule.Supply},
	OWASP:    "MCP04",
	CWE:      []int{829, 427},
	Since:    "0.1.0",
	Server:   otherRegistry,
}

func otherRegistry(p *rule.Pass, s *client.Server) {
	if s.Hidden {
		return
	}
	for i, a := range s.Args {
		if !strings.HasPrefix(a.Value, "-") {
			continue
		}
		flag, value, joined := strings.Cut(a.Value, "=")
		if !joined && i+1 < len(s.Args) {
			value = s.Args[i+1].Value
		}
		switch {
		case unchecked(a.Value, flag):
			if ofRunner(s, i+1, "npm", "pypi") {
				p.ReportAs(`Server "{name}" takes packages without a check of who serves them ({flag})`, rule.At(a.Node), rule.Args{"name": s.Name, "flag": flag},
					rule.WithSeverity(finding.Warning), rule.WithKind(flag))
			}
		case named(flag) != "" && strings.Contains(value, "://") && ofRunner(s, i+1, named(flag)):
			opts := []rule.Option{rule.WithKind(flag)}
			if strings.HasPrefix(strings.ToLower(value), "http://") {
				opts = append(opts, rule.WithSeverity(finding.Warning))
			}
			p.Report(rule.At(a.Node), rule.Args{"name": s.Name, "flag": flag}, opts...)
		}
	}
}

// unchecked says that a flag switches the check of the place's certificate off.
func unchecked(word, flag string) bool {
	switch flag {
	case "--trusted-host", "--allow-insecure-host", "--no-strict-ssl":
		return true
	}
	return word == "--strict-ssl=false"
}

// named is the ecosystem whose runners are pointed elsewhere by the flag.
func named(flag string) string {
	switch flag {
	case "--registry":
		return "npm"
	case "--index-url", "-i", "--default-index", "--index", "--extra-index-url", "--find-links", "-f":
		return "pypi"
	case "--source", "--add-source":
		return "nuget"
	}
	if strings.HasPrefix(flag, "--@") && strings.HasSuffix(flag, ":registry") {
		return "npm"
	}
	return ""
}

// ofRunner says that a word belongs to the package runner, not to the program that it runs.
func ofRunner(s *client.Server, arg int, ecosystems ...string) bool {
	for _, l := range s.Launches() {
		if l.Package != nil && l.Main() && !l.Script && arg < len(l.Argv)-len(l.Rest) && slices.Contains(ecosystems, l.Package.Ecosystem) {
			return true
		}
	}
	return false
}
