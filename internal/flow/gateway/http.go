package gateway

import (
	"bytes"
	"context"
	"sync"

	"github.com/mcpassay/mcpassay/internal/flow/serve"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Admit refuses a request by its header; nil lets it in.
func (g *Gateway) Admit(r *wire.Asked) *wire.Answer { return g.opt.Front.Admit(r, false) }

// Handle answers a request that was let in. It is a wire.Handler. All callers share the servers; none is told or asked anything but
// the answer, and a caller that goes takes back what it asked.
func (g *Gateway) Handle(ctx context.Context, r *wire.Asked) *wire.Answer {
	if r.Path != path {
		return wire.JSON(404, []byte(`{"error":"there is nothing here: the endpoint is `+path+`"}`))
	}
	if refused := serve.Acceptable(r); refused != nil {
		return refused
	}
	messages, batch := serve.Read(r.Body, r.Header, g.lim)
	if batch {
		if refused := serve.Batchable(r.Header.Get("mcp-protocol-version")); refused != nil {
			return wire.JSON(400, refused)
		}
		all := severally(messages, g.lim, func(m *serve.Message, answer func([]byte)) {
			if _, raw, _ := g.over(ctx, m); raw != nil {
				answer(raw)
			}
		})
		if all == nil {
			return &wire.Answer{Status: 202}
		}
		return wire.JSON(200, all)
	}
	m := &messages[0]
	notices, raw, code := g.over(ctx, m)
	if raw == nil {
		return &wire.Answer{Status: 202}
	}
	return serve.Framed(r, code, m.Modern, notices, raw)
}

// over asks for one caller over HTTP, and waits. raw is nil where there is no answer.
func (g *Gateway) over(ctx context.Context, m *serve.Message) (notices [][]byte, raw []byte, code int) {
	if m.Kind == wire.Notification || m.Kind == wire.Response {
		return nil, m.Refusal, m.Code
	}
	type answer struct {
		raw  []byte
		code int
	}
	got := make(chan answer, 1)
	a := &ask{g: g, m: m, reply: func(raw []byte, code int) { got <- answer{raw, code} }, forget: func() {}, over: func() {}}
	g.take(a)
	select {
	case x := <-got:
		return a.notices, x.raw, x.code
	case <-ctx.Done():
	case <-g.ctx.Done():
	}
	a.cancel(m.Params.Get("reason"))
	return nil, serve.Failure(m.ID, wire.CodeInternal, "mcpassay: nobody waits any more", ""), wire.CodeInternal
}

// severally has the messages of a batch answered and gives the array of the answers, nil for none.
func severally(messages []serve.Message, lim limits.Set, one func(m *serve.Message, answer func([]byte))) []byte {
	var mu sync.Mutex
	var wait sync.WaitGroup
	all := make([][]byte, len(messages))
	for i := range messages {
		m := &messages[i]
		if m.Refusal == nil && m.Node.Valid() { // alone, so that its places are those of its own bytes
			part, _ := serve.Read(bytes.Clone(m.Node.Raw()), nil, lim)
			m = &part[0]
		}
		if m.Kind == wire.Request && m.Method == "initialize" { // 2025-03-26, lifecycle: MUST NOT be part of a batch
			m.Refusal, m.Code = serve.Failure(m.ID, wire.CodeInvalidRequest, "initialize stands in no batch", ""), wire.CodeInvalidRequest
		}
		wants := m.Kind != wire.Notification && m.Kind != wire.Response
		if wants {
			wait.Add(1)
		}
		var once sync.Once
		one(m, func(raw []byte) { // nil for one that was taken back
			once.Do(func() {
				mu.Lock()
				all[i] = raw
				mu.Unlock()
				if wants {
					wait.Done()
				}
			})
		})
	}
	wait.Wait()
	var there [][]byte
	for _, raw := range all {
		if raw != nil {
			there = append(there, raw)
		}
	}
	if there == nil {
		return nil
	}
	return append(append([]byte{'['}, bytes.Join(there, []byte{','})...), ']')
}
