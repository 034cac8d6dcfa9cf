package engine

import (
	"fmt"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Watcher runs the rules on traffic over one message after the other. What it needs is made once a session.
type Watcher struct {
	scene  rule.Scene
	passes []rule.Pass
	found  []finding.Finding
}

// Watch makes a watcher of those of the rules that look at traffic.
func Watch(rules []*rule.Rule, lim *limits.Set) *Watcher {
	w := new(Watcher)
	for _, r := range rules {
		if r.Traffic != nil {
			w.passes = append(w.passes, rule.Pass{Rule: r, Scene: &w.scene, Limits: lim, Emit: w.emit})
		}
	}
	return w
}

func (w *Watcher) emit(f finding.Finding) { w.found = append(w.found, f) }

// Message is what the rules find in a message, in their order; the slice lasts until the next one. A rule that panics is an error
// that names it, and what the others found is not to be relied on.
func (w *Watcher) Message(m *traffic.Message) (found []finding.Finding, err error) {
	at := 0
	defer func() {
		if e := recover(); e != nil {
			found, err = nil, fmt.Errorf("rule %s failed: %v", w.passes[at].Rule.ID, e)
		}
	}()
	w.found = w.found[:0]
	w.scene.Message = m // what the rules share outlasts the message: they tell messages apart by their numbers
	for at = range w.passes {
		w.passes[at].Rule.Traffic(&w.passes[at], m)
	}
	return w.found, nil
}
