package endpoint

import (
	"encoding/json"
	"iter"
	"slices"
	"strconv"

	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// faults are those of the kinds that were noted while a server was asked, with their places. What is no fault is none:
// a person may have edited a saved surface.
func faults(s *card.Server, kinds ...wire.FaultKind) iter.Seq2[wire.Fault, source.Node] {
	return func(yield func(wire.Fault, source.Node) bool) {
		for n := range s.Faults.Children() {
			var f wire.Fault
			if json.Unmarshal(n.Raw(), &f) == nil && slices.Contains(kinds, f.Kind) && !yield(f, n) {
				return
			}
		}
	}
}

// report makes a finding of each fault of the kinds with the rule's message, which may name {during}, {detail}, {status},
// {target} and {times}.
func report(kinds ...wire.FaultKind) func(*rule.Pass, *card.Server) {
	return func(p *rule.Pass, s *card.Server) {
		for f, at := range faults(s, kinds...) {
			p.Report(rule.At(at), args(f), rule.WithKind(string(f.Kind)+" "+f.During))
		}
	}
}

func args(f wire.Fault) rule.Args {
	during := f.During
	if during == "" {
		during = "the connection"
	}
	return rule.Args{"during": during, "detail": f.Detail, "target": f.Target, "status": strconv.Itoa(f.Status), "times": times(f.Count)}
}

func times(n int) string {
	if n > 1 {
		return strconv.Itoa(n) + " times"
	}
	return "once"
}
