package speech

import "testing"

// TestLeaveOneSourceOut logs how much stays found when a rule counts for a card only if a card of another source triggers it
// too. The rules were written by somebody who had read the cards, so this flatters them: it shows which sources live from
// rules of their own.
func TestLeaveOneSourceOut(t *testing.T) {
	type judged struct {
		kind, source string
		v            *Verdict
	}
	var all []judged
	var by [Ideas]map[string]bool
	for i := range by {
		by[i] = map[string]bool{}
	}
	for _, kind := range []string{"poisoned", "template", "overt", "subtle"} {
		for _, l := range load(t, kind) {
			v := judgeTool(t, l.Tool)
			all = append(all, judged{kind, l.Source, v})
			if v == nil {
				continue
			}
			for _, e := range v.List {
				by[e.Idea][l.Source] = true
			}
		}
	}
	elsewhere := func(i Idea, source string) bool {
		n := len(by[i])
		if by[i][source] {
			n--
		}
		return n > 0
	}
	type counts struct{ n, found, warning, grave, block int }
	total := map[string]*counts{}
	for _, one := range all {
		for _, key := range []string{one.kind, one.kind + " of " + one.source} {
			if total[key] == nil {
				total[key] = new(counts)
			}
			c := total[key]
			if c.n++; one.v == nil || len(one.v.List) == 0 {
				continue
			}
			c.found++
			var strong uint32
			top := 0
			for _, e := range one.v.List {
				if !elsewhere(e.Idea, one.source) || e.Idea == OffensiveTool && one.kind != "overt" {
					continue
				}
				top = max(top, e.Level)
				if e.Level >= Errors {
					strong |= e.Idea.Family()
				}
			}
			if top >= Warns {
				c.warning++
			}
			if top >= Errors {
				c.grave++
			}
			if top == Blocks || strong&(strong-1) != 0 {
				c.block++
			}
		}
	}
	for key, c := range total {
		t.Logf("%s: %d cards, found %d; by rules that other sources trigger: warning %d, error %d, block %d", key, c.n, c.found, c.warning, c.grave, c.block)
	}
	if p := total["poisoned"]; float64(p.warning) < 0.85*float64(p.n) {
		t.Errorf("only %d of %d poisoned cards are found by rules that other sources trigger", p.warning, p.n)
	}
}
