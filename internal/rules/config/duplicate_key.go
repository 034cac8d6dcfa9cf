package config

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// DuplicateKey is config/duplicate-key.
var DuplicateKey = &rule.Rule{
	ID:       "config/duplicate-key",
	Title:    "a name twice in one object",
	Trigger:  "An object, other than a map of servers, has two members of one name: clients take the last and say nothing.",
	Message:  `"{key}" stands here twice: clients read the last one only`,
	Severity: finding.Warning,
	Tags:     []string{rule.Schema},
	CWE:      []int{694},
	Since:    "0.1.0",
	Fix:      finding.Safe, FixDescription: "Remove the one that is never read, when both are equal; with --fix=unsafe also when they differ.",
	Fault: "duplicate-name",
	File:  duplicateKey,
}

func duplicateKey(p *rule.Pass) {
	f := p.File
	var servers []source.Node
	if f.Doc.Format == source.TOML {
		return // there it is no valid file: mcp-schema/invalid-json
	}
	var held []int // where the maps with servers start
	for _, m := range f.Maps {
		servers = append(servers, m.Node)
		if !m.Node.Empty() {
			held = append(held, m.Node.Span().Start)
		}
	}
	slices.Sort(held)
	look := func(n source.Node) {
		if n.Kind() == source.Object && !slices.Contains(servers, n) {
			again(n, func(last, earlier source.Node) { repeated(p, held, last, earlier) })
		}
	}
	if !f.Mixed() {
		for n := range f.Doc.Nodes() {
			look(n)
		}
		return
	}
	// Other settings are not ours: the way to the servers, and what is in them.
	for _, m := range f.Maps {
		for n := m.Node; n.IsMember(); n = n.Parent() {
			if last := n.Parent().Get(n.Key()); last != n {
				repeated(p, held, last, n)
			}
		}
		for n := range m.Node.Children() {
			inside(n, look)
		}
	}
}

func inside(n source.Node, look func(source.Node)) {
	look(n)
	for c := range n.Children() {
		inside(c, look)
	}
}

// repeated reports a member that an earlier one of its name, which nobody reads, stands beside.
func repeated(p *rule.Pass, held []int, last, earlier source.Node) {
	if last.Doc().Format == source.YAML {
		p.ReportAs(`"{key}" stands here twice: clients refuse the whole file`, rule.Key(last), rule.Args{"key": last.Key()},
			rule.Also(rule.Key(earlier), "the first one"), rule.WithSeverity(finding.Error), rule.WithBlast(finding.BlastFile))
		return
	}
	opts := []rule.Option{rule.Also(rule.Key(earlier), "this one is never read")}
	safety := finding.Unsafe
	if source.Equal(last, earlier) {
		opts, safety = append(opts, rule.WithSeverity(finding.Info)), finding.Safe
	} else if serversLost(held, earlier) {
		opts = append(opts, rule.WithSeverity(finding.Error), rule.WithBlast(finding.BlastServer))
	}
	opts = append(opts, rule.WithFix(safety, "remove the one that is never read", earlier.Remove()))
	p.Report(rule.Key(last), rule.Args{"key": last.Key()}, opts...)
}

// serversLost says that a later value takes the place of one that holds servers, whose maps start at held, in order.
func serversLost(held []int, earlier source.Node) bool {
	if earlier.Kind() != source.Object {
		return false
	}
	i, _ := slices.BinarySearch(held, earlier.Span().Start)
	return i < len(held) && held[i] < earlier.Span().End
}

// few is up to how many members comparing each with each is quicker than a map.
const few = 16

// again calls report for each name that stands in the object again, with its later member and the one before.
func again(n source.Node, report func(later, earlier source.Node)) {
	if !n.Repeats() {
		return
	}
	if n.Len() <= few {
		var keys [few]string
		var members [few]source.Node
		i := 0
		for c := range n.Children() {
			keys[i], members[i] = c.Key(), c
			for j := i - 1; j >= 0; j-- {
				if keys[j] == keys[i] {
					report(c, members[j])
					break
				}
			}
			i++
		}
		return
	}
	first := make(map[string]source.Node, n.Len())
	for c := range n.Children() {
		key := c.Key()
		if earlier, ok := first[key]; ok {
			report(c, earlier)
		}
		first[key] = c
	}
}
