package doctor

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// NoLock is doctor/no-lock.
var NoLock = &rule.Rule{
	ID:    "doctor/no-lock",
	Title: "a server that no lock covers",
	Trigger: "No mcpassay.lock on this machine holds a server that is started exactly as an enabled entry starts it: transport, command, " +
		"arguments, folder, URL, names of variables and headers, values of variables that load code.",
	Message:        "{count} servers are in no mcpassay.lock: {names}",
	One:            `Server "{names}" is in no mcpassay.lock`,
	Severity:       finding.Info,
	Tags:           []string{rule.Drift},
	Aliases:        []string{"WRD-DOCTOR-NO-LOCK"},
	OWASP:          "MCP03",
	CWE:            []int{353},
	Since:          "0.1.0",
	Fix:            finding.Manual,
	FixDescription: "Pin it with the command that doctor prints, look at what was pinned, then approve it.",
	Needs:          []rule.Need{rule.NeedDisk},
	Machine:        noLock,
}

func noLock(p *rule.Pass, m *rule.Machine) {
	var together rule.Gather
	for _, alike := range m.Alike(func(s *client.Server) bool { return m.Cover(s).Entry == nil }) {
		g := &together
		message, args := p.Rule.Message, rule.Args(nil)
		if len(m.Locks) > 0 { // where nobody has a lock at all, that is one thing to say
			g = new(rule.Gather)
		}
		for _, s := range alike {
			g.Add(s, s.Display(), rule.Key(s.Node))
		}
		if g == &together {
			continue
		}
		opts := []rule.Option{rule.ForServer(alike[0])}
		if h, e := m.Was(alike[0]); e != nil {
			message, args = `Server "{names}" is not started as {lock} says: look at both with mcpassay verify --config`, rule.Args{"lock": h.Path}
			opts = append(opts, rule.WithSeverity(finding.Warning), rule.WithKind("changed"))
		}
		g.Report(p, message, args, opts...)
	}
	together.Report(p, p.Rule.Message, nil, rule.AsAdvice())
}
