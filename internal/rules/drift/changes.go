package drift

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// changes reports every change that is of the rule's class, each at the place that was approved.
func changes(is func(*drift.Change) bool) func(*rule.Pass, *rule.Locked) {
	return func(p *rule.Pass, l *rule.Locked) {
		for i := range l.Changes {
			c := &l.Changes[i]
			if !is(c) {
				continue
			}
			at := rule.At(c.At)
			if c.Old == nil && c.At.IsMember() {
				at = rule.Key(c.At)
			}
			tool := ""
			if _, name, ok := strings.Cut(c.Item, " "); ok {
				tool = name
			}
			severity := p.Rule.Severity
			if said, err := finding.ParseSeverity(c.Severity); err == nil {
				severity = said
			}
			p.Report(at, words(c, p.Limits.ShownNames), rule.ForLocked(l.File, c.Server, tool), rule.WithSeverity(severity),
				rule.WithKind(c.Item+" "+string(c.Class)+" "+c.Direction))
		}
	}
}

func of(class drift.Class) func(*rule.Pass, *rule.Locked) {
	return changes(func(c *drift.Change) bool { return c.Class == class })
}

// words are the placeholders of a message.
func words(c *drift.Change, most int) rule.Args {
	all := slices.Concat(c.Pointers.Changed, c.Pointers.Added, c.Pointers.Removed)
	for i := range all {
		all[i] = strings.TrimPrefix(all[i], "/")
	}
	where := ""
	if len(all) > 0 && all[0] != "" {
		where = ": " + rule.List(all, most)
	}
	direction := ""
	if c.Direction != "" {
		direction = " and is " + c.Direction + " than before"
	}
	old := ""
	if c.Old != nil {
		old = c.Old.Name
	}
	return rule.Args{"server": c.Server, "item": c.Item, "where": where, "direction": direction, "old": old, "cues": strings.Join(c.Cues, ", ")}
}
