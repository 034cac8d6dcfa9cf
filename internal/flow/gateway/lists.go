package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/guard"
	"github.com/mcpassay/mcpassay/internal/flow/serve"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// listing is one list of a server as clients see it.
type listing struct {
	items [][]byte
	names map[string]string // the server's own, by those that had to be changed
}

func (l *listing) same(o *listing) bool {
	if l == nil || o == nil || len(l.items) != len(o.items) {
		return l == o
	}
	for i := range l.items {
		if !bytes.Equal(l.items[i], o.items[i]) {
			return false
		}
	}
	return true
}

// named are the members by which the items of lists are known.
var named = [...]string{wire.Tools: "name", wire.Prompts: "name", wire.Resources: "uri", wire.Templates: "uriTemplate"}

// add takes the items of a page.
func (s *server) add(l *listing, k wire.ListKind, page source.Node) error {
	for n := range page.Get(k.String()).Children() {
		doc, err := source.Parse("", bytes.Clone(n.Raw()), source.JSON, s.g.lim)
		if err != nil {
			return err
		}
		item := doc.Root()
		if of := named[k]; item.Get(of).Kind() != source.String {
			return fmt.Errorf("an item of it has no %s", of)
		}
		var edits []finding.Edit
		switch k {
		case wire.Tools, wire.Prompts:
			own := item.Get("name").Text()
			name := s.effective(own)
			if name != s.word+between+own {
				if other, taken := l.names[name]; taken && other != own {
					return fmt.Errorf("two names of it would both be called %s", name)
				}
				l.names[name] = own
			}
			edits = append(edits, item.Get("name").Replace(source.Quote(name)))
			if page := item.Get("_meta").Get("ui").Get("resourceUri"); page.Kind() == source.String { // MCP Apps
				edits = append(edits, page.Replace(source.Quote(s.uri(page.Text()))))
			}
		case wire.Resources:
			edits = append(edits, item.Get("uri").Replace(source.Quote(s.uri(item.Get("uri").Text()))))
		case wire.Templates:
			edits = append(edits, item.Get("uriTemplate").Replace(source.Quote(s.uri(item.Get("uriTemplate").Text()))))
		}
		out, err := source.Apply(doc.Raw, edits)
		if err != nil {
			return err
		}
		l.items = append(l.items, out)
	}
	return nil
}

// list asks for a list, to its end.
func (c *conn) list(ctx context.Context, k wire.ListKind) (*listing, error) {
	lim := c.s.g.lim
	l := &listing{names: map[string]string{}}
	members, pages := "", 0
	followed := map[string]bool{}
	for {
		all := members
		if c.modern {
			all = strings.TrimPrefix(all+","+c.meta(), ",")
		}
		one, cancel := context.WithTimeoutCause(ctx, lim.RequestTime, errors.New("no answer to "+k.Method()+" within "+lim.RequestTime.String()))
		result, err := c.request(one, k.Method(), all)
		cancel()
		if err != nil {
			refused := (*answerError)(nil)
			if k == wire.Templates && pages == 0 && errors.As(err, &refused) && refused.code == wire.CodeMethodNotFound { // one capability, two lists
				return l, nil
			}
			return nil, err
		}
		if result.Get(k.String()).Kind() != source.Array {
			return nil, errors.New("the result of " + k.Method() + " has no array of " + k.String())
		}
		if err := c.s.add(l, k, result); err != nil {
			return nil, errors.New(k.Method() + " can not be read: " + err.Error())
		}
		next := result.Get("nextCursor")
		pages++
		switch {
		case next.Kind() != source.String || followed[next.Text()]:
			return l, nil
		case pages >= lim.ListPages || len(l.items) >= lim.ListItems || len(next.Raw()) > lim.CursorBytes:
			return nil, fmt.Errorf("%s goes on after %d pages with %d items", k.Method(), pages, len(l.items))
		}
		followed[next.Text()] = true
		members = `"cursor":` + string(next.Raw())
	}
}

// lockedList is a list as the lock holds it, judged as an answer of the server would be.
func (s *server) lockedList(k wire.ListKind) (*listing, error) {
	var b bytes.Buffer
	b.WriteString(`{"` + k.String() + `":[`)
	for i := range s.Locked.Items[k] {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(s.Locked.Items[k][i].JSON)
	}
	b.WriteString("]}")
	result, err := s.recite(k.Method(), "{}", b.String())
	if err != nil {
		return nil, err
	}
	l := &listing{names: map[string]string{}}
	return l, s.add(l, k, result)
}

// recite has a result judged that a lock holds, as if it had been asked for and answered.
func (s *server) recite(method, params, result string) (source.Node, error) {
	id := strconv.FormatInt(s.last.Add(1), 10)
	asked := []byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`)
	res := s.Judge.Frame(guard.Client, asked)
	s.saw(guard.Client, len(asked), res)
	if out := res.Forward; out != nil {
		answer := []byte(`{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`)
		res = s.Judge.Frame(guard.Server, answer)
		s.saw(guard.Server, len(answer), res)
	} else {
		res.Forward = res.Reply
	}
	f := wire.ParseFrame(res.Forward, s.g.lim)
	if e, failed := f.Error(); failed || !f.Result().Valid() {
		return source.Node{}, &blockedError{e.Message}
	}
	return f.Result(), nil
}

// says are the instructions that a lock holds, as the guard lets them through.
func (s *server) says() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.said != nil {
		return *s.said
	}
	s.said = new(string)
	if l := s.Locked; s.Refused == "" && l != nil && l.Instructions != nil && l.Protocol.Era != "" {
		hello := `{"protocolVersion":` + source.Quote(l.Protocol.Revision) + `,"capabilities":` + orEmpty(l.Capabilities) + `,"serverInfo":` + orEmpty(l.Identity) +
			`,"instructions":` + source.Quote(*l.Instructions) + `}`
		if result, err := s.recite("initialize", `{"protocolVersion":`+source.Quote(l.Protocol.Revision)+`,"capabilities":{},"clientInfo":{"name":"mcpassay","version":"1"}}`, hello); err == nil {
			*s.said = result.Get("instructions").Text()
		} else {
			s.g.log(s.Name, "its instructions are withheld: "+err.Error())
		}
	}
	return *s.said
}

func orEmpty(raw []byte) string {
	if raw == nil {
		return "{}"
	}
	return string(raw)
}

// keep takes a list in place of what was known, and tells the client where that is not what it was given.
func (s *server) keep(k wire.ListKind, l *listing) {
	s.mu.Lock()
	was, missed := s.lists[k], s.missed[k]
	s.lists[k], s.missed[k] = l, false
	for name, own := range l.names {
		s.names[name] = own
	}
	s.mu.Unlock()
	if missed || was != nil && !was.same(l) {
		s.g.changed(k)
	}
}

// forget makes that a list is asked for again.
func (s *server) forget(k wire.ListKind) {
	s.mu.Lock()
	s.lists[k] = nil
	s.mu.Unlock()
}

// known is a list that need not be asked for; nil for one that does.
func (s *server) known(k wire.ListKind) *listing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lists[k]
}

// list is one list of the server: what is known of it, what a lock holds, or what it answers.
func (s *server) list(ctx context.Context, k wire.ListKind) (*listing, error) {
	if l := s.known(k); l != nil {
		return l, nil
	}
	if s.Refused != "" {
		return &listing{}, nil // that was said when we began
	}
	type answer struct {
		l   *listing
		err error
	}
	got := make(chan answer, 1)
	take := func(l *listing, err error) {
		if err == nil {
			s.keep(k, l)
		}
		got <- answer{l, err}
	}
	ok := s.submit(job{
		start: s.Locked == nil,
		gone:  func() bool { return ctx.Err() != nil },
		do: func(c *conn) {
			switch l := s.known(k); {
			case l != nil: // another one asked meanwhile
				got <- answer{l, nil}
			case c == nil:
				take(s.lockedList(k))
			case c.withheld != nil && k == wire.Tools:
				got <- answer{nil, c.withheld}
			case !c.can(k.Capability()):
				take(&listing{}, nil)
			default:
				take(c.list(s.g.ctx, k))
			}
		},
		fail: func(err error) { got <- answer{nil, err} },
	})
	if !ok {
		return nil, down("too much is asked of %s at once", s.Name)
	}
	select {
	case a := <-got:
		return a.l, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// list answers with one list of all servers. A server whose part can not be had is left out, and told of in the log; where it is
// had later, the client is told that the list changed.
func (g *Gateway) list(a *ask, k wire.ListKind) {
	ctx, cancel := context.WithTimeoutCause(g.ctx, g.lim.GatewayListTime, errors.New("it takes longer than "+g.lim.GatewayListTime.String()))
	defer cancel()
	parts := make([]*listing, len(g.servers))
	var wg sync.WaitGroup
	for i, s := range g.servers {
		if parts[i] = s.known(k); parts[i] != nil {
			continue
		}
		wg.Go(func() {
			select {
			case g.starts <- struct{}{}:
				defer func() { <-g.starts }()
			case <-ctx.Done():
			}
			l, err := s.list(ctx, k)
			if err != nil {
				s.mu.Lock()
				s.missed[k] = true
				s.mu.Unlock()
				g.log(s.Name, "its "+k.String()+" are not offered: "+err.Error())
				return
			}
			parts[i] = l
		})
	}
	wg.Wait()
	var items [][]byte
	for _, l := range parts {
		if l != nil {
			items = append(items, l.items...)
		}
	}
	g.page(a, k, items)
}

// page answers with the page of a list that a cursor asks for. A cursor is the number of the first item and a digest of them all: one
// of a list that has changed since is refused, since pages of two lists are none.
func (g *Gateway) page(a *ask, k wire.ListKind, items [][]byte) {
	sum, from := digest(string(bytes.Join(items, []byte{','}))), 0
	if cursor := a.m.Params.Get("cursor"); cursor.Valid() {
		number, of, _ := strings.Cut(cursor.Text(), "-")
		n, err := strconv.Atoi(number)
		if err != nil || of != sum || n < 0 || n > len(items) {
			a.refuse(wire.CodeInvalidParams, "the cursor is none of this list, or the list has changed: begin again")
			return
		}
		from = n
	}
	size, to := 0, from
	for to < len(items) && to-from < g.lim.GatewayPage && (to == from || size+len(items[to]) <= g.lim.GatewayPageBytes) {
		size += len(items[to])
		to++
	}
	var b bytes.Buffer
	b.Grow(size + 64)
	b.WriteString(`{`)
	if a.m.Modern {
		b.WriteString(g.head() + kept)
	}
	b.WriteString(`"` + k.String() + `":[`)
	b.Write(bytes.Join(items[from:to], []byte{','}))
	b.WriteByte(']')
	if to < len(items) {
		b.WriteString(`,"nextCursor":"` + strconv.Itoa(to) + "-" + sum + `"`)
	}
	b.WriteByte('}')
	a.result(b.String())
}

// Surface says whether an entry of a lock holds what its server exposes, so that it can be offered.
func Surface(l *lock.Server) bool { return l != nil && !l.Unpinned && l.Partial == nil }

// head is what every result of ours begins with in the era without a handshake, kept that nobody may keep it.
func (g *Gateway) head() string {
	return `"resultType":"complete","_meta":{"` + wire.MetaServer + `":` + g.self() + `},`
}

const kept = `"ttlMs":0,"cacheScope":"private",`

func (g *Gateway) self() string {
	return `{"name":"mcpassay","title":"mcpassay guard","version":` + source.Quote(g.opt.Version) + `}`
}

// path is where we answer over HTTP.
const path = serve.PathMCP
