package guard

import (
	"strings"
	"sync"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Gated is a judge that asks a gate and nothing else.
type Gated struct {
	Gate   *Gate
	Limits limits.Set

	mu    sync.Mutex
	asked map[string]string
}

// Frame judges one frame.
func (g *Gated) Frame(from Side, raw []byte) Result {
	f := wire.ParseFrame(raw, g.Limits)
	var all []Ruling
	id := f.ID
	switch {
	case from == Client && f.Kind == wire.Request:
		method := f.Method
		g.mu.Lock()
		if g.asked == nil {
			g.asked = map[string]string{}
		}
		g.asked[strings.Clone(id)] = strings.Clone(method)
		g.mu.Unlock()
		all = g.Gate.Request(method, f.Node.Get("params"))
	case from == Server && f.Kind == wire.Response:
		g.mu.Lock()
		method := g.asked[id]
		delete(g.asked, id)
		g.mu.Unlock()
		all = g.Gate.Answer(method, f.Result())
	}
	res := Result{Forward: raw}
	for _, r := range all {
		if res.Action = max(res.Action, r.Action); r.Action == Block {
			answer := refuse([]byte(id), r.Rule, r.Reason, r.Hint)
			if from == Client {
				return Result{Action: Block, Reply: answer}
			}
			return Result{Action: Block, Forward: answer}
		}
	}
	return res
}
