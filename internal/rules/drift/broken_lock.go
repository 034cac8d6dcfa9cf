package drift

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// BrokenLock is drift/broken-lock.
var BrokenLock = &rule.Rule{
	ID:       "drift/broken-lock",
	Title:    "a lock that can not be relied on",
	Trigger:  "mcpassay.lock is not what mcpassay writes: edited, merged by hand, cut off, of a later version, or with a digest that is not that of what stands there.",
	Message:  "The lock can not be relied on: {why}",
	Severity: finding.Error,
	Tags:     []string{rule.Drift},
	OWASP:    "MCP03",
	CWE:      []int{353, 354},
	Since:    "0.1.0",
	Lock:     brokenLock,
}

func brokenLock(p *rule.Pass, l *rule.Locked) {
	if l.File.Err == nil {
		return
	}
	var opts []rule.Option
	if hint := l.File.Err.Hint; hint != "" {
		opts = append(opts, rule.WithFix(finding.Manual, hint))
	}
	p.Report(rule.Where(l.File.Fault()), rule.Args{"why": l.File.Err.Msg}, opts...)
}
