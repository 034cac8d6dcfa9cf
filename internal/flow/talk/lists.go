package talk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// announced says that the server announces a list. What stands there must be an object, but a client that only looks
// whether anything does asks for the list, and what it is shown is to be judged.
func (l *lane) announced(k wire.ListKind) bool {
	c := l.hello.Get("capabilities").Get(k.Capability())
	yes, isBool := c.Bool()
	return c.Valid() && c.Kind() != source.Null && (yes || !isBool)
}

// lists asks for all that is announced. Of a server that announces no list at all it asks for the tools: clients that do
// not look would get them, so they must not hide there. A refusal is no fault then.
func (t *talk) lists(l *lane) {
	if l.hello.Get("capabilities").Kind() != source.Object {
		t.surface.Gap(wire.PartHandshake, &wire.Failure{Cause: wire.CauseAnswer, Detail: "the server announces no capabilities: nothing was asked for"}, t.lim)
	}
	for _, k := range wire.Lists() {
		if l.announced(k) {
			if kind := l.hello.Get("capabilities").Get(k.Capability()).Kind(); kind != source.Object && k != wire.Templates {
				l.faults.Add("", t.lim, wire.Fault{Kind: wire.BadResult, Detail: "the capability " + k.Capability() + " is " + kind.String()})
			}
			var why *wire.Failure
			if t.surface.Pages[k], why = t.list(l, k); why != nil {
				t.surface.Gap(k.String(), why, t.lim)
			}
		}
	}
	if !slices.ContainsFunc(wire.Lists(), l.announced) {
		before := slices.Clone(l.faults)
		if pages, why := t.list(l, wire.Tools); why != nil || len(pages) == 0 {
			l.faults = before
		} else {
			t.surface.Pages[wire.Tools] = pages
			l.faults.Add("", t.lim, wire.Fault{Kind: wire.UnannouncedList, Detail: wire.Tools.String()})
		}
	}
}

// unannounced notes news of lists that are not announced.
func (t *talk) unannounced(l *lane) {
	for _, k := range l.changed {
		if !l.announced(k) {
			l.faults.Add("", t.lim, wire.Fault{Kind: wire.UnannouncedList, Detail: k.String()})
		}
	}
}

// list asks for the pages of one list, to its end. why says what is missing.
func (t *talk) list(l *lane, k wire.ListKind) (pages [][]byte, why *wire.Failure) {
	method, items := k.Method(), 0
	cursor := source.Node{}
	followed := map[string]bool{}
	var scope *string
	fault := func(kind wire.FaultKind, detail string) {
		l.faults.Add(method, t.lim, wire.Fault{Kind: kind, Detail: detail})
	}
	for {
		members := ""
		if cursor.Valid() {
			members = `"cursor":` + string(cursor.Raw())
		}
		ex, failure := t.ask(l, method, members)
		if failure != nil {
			return pages, failure
		}
		if e, ok := ex.Reply.Error(); ok {
			why := rpcFailure(ex, e)
			fault(wire.RefusedList, why.Detail)
			// The capability covers two lists, and templates are the one that servers leave out.
			if k == wire.Templates && e.Code == wire.CodeMethodNotFound && pages == nil {
				return nil, nil
			}
			return pages, why
		}
		result := ex.Reply.Result()
		list := result.Get(k.String())
		if list.Kind() != source.Array {
			fault(wire.BadResult, k.String()+" is "+list.Kind().String())
			return pages, &wire.Failure{Cause: wire.CauseAnswer, Detail: fmt.Sprintf("the result of %s has no array of %s", method, k), Status: ex.Status}
		}
		if l.era == wire.EraModern {
			l.faults.Add(method, t.lim, wire.CheckResult(result)...)
			if s := result.Get("cacheScope").Text(); scope == nil {
				scope = &s
			} else if *scope != s {
				fault(wire.MixedCacheScope, *scope+", then "+s)
			}
			if kind := result.Get("resultType"); kind.Valid() && kind.Text() != "complete" {
				fault(wire.BadResult, "resultType is "+string(kind.Raw()))
				return pages, &wire.Failure{Cause: wire.CauseAnswer, Detail: method + " answers with resultType " + string(kind.Raw()), Status: ex.Status}
			}
		}
		page := bytes.Clone(result.Raw()) // the frame around it can go
		if !t.room(page) {
			return pages, &wire.Failure{Cause: wire.CauseTruncated, Detail: fmt.Sprintf("%s holds more than %d bytes or %d values", method, t.lim.SurfaceBytes, t.lim.SurfaceValues)}
		}
		next := result.Get("nextCursor")
		if followed[next.Text()] && next.Kind() == source.String {
			// Every page that the server named was read. Where it sends one again for want of a next, it is one page.
			fault(wire.RepeatedCursor, next.Text())
			if !slices.ContainsFunc(pages, func(p []byte) bool { return bytes.Equal(p, page) }) {
				pages = append(pages, page)
			}
			return pages, nil
		}
		pages = append(pages, page)
		items += list.Len()
		switch {
		case !next.Valid():
			return pages, nil
		case next.Kind() == source.Null: // no further page, said in a way that the schema does not have
			fault(wire.BadCursor, "null")
			return pages, nil
		case next.Kind() != source.String || len(next.Raw()) > t.lim.CursorBytes:
			fault(wire.BadCursor, wire.Excerpt(next.Raw(), t.lim))
			return pages, &wire.Failure{Cause: wire.CauseTruncated, Detail: method + " names a next page with a cursor that can not be sent"}
		case len(pages) >= t.lim.ListPages || items >= t.lim.ListItems:
			return pages, &wire.Failure{Cause: wire.CauseTruncated,
				Detail: fmt.Sprintf("%s goes on after %d pages with %d items", method, len(pages), items)}
		}
		cursor = next
		followed[next.Text()] = true
	}
}

// room takes space for a page in the surface.
func (t *talk) room(page []byte) bool {
	bytes, values := t.bytes+len(page), t.values+wire.Weight(page)
	if bytes > t.lim.SurfaceBytes || values > t.lim.SurfaceValues {
		return false
	}
	t.bytes, t.values = bytes, values
	return true
}

// ask makes a list request. It alone is repeated: where the server is busy or the connection broke, and once in a new
// session where the server forgot the old one.
func (t *talk) ask(l *lane, method, members string) (*wire.Exchange, *wire.Failure) {
	pause := t.lim.RetryWait
	for tries := 0; ; tries++ {
		ex, failure := l.do(t.ctx, l.call(method, members, wire.Page))
		if ex.Status == statusNotFound && ex.InSession && !l.recovered {
			l.recovered = true
			l.faults.Add(method, t.lim, wire.Fault{Kind: wire.SessionLost, Status: ex.Status})
			if failure := l.initialize(t.ctx); failure != nil {
				return ex, failure
			}
			continue
		}
		if tries == t.lim.ListRetries || !busy(ex.Status) && (failure == nil || failure.Cause != wire.CauseBroken) {
			return ex, failure
		}
		wait := RetryAfter(ex.Header)
		if wait > t.lim.RetryAfter {
			return ex, failure
		}
		if wait == 0 {
			wait = pause
		}
		pause *= 2
		if err := sleep(t.ctx, wait); err != nil {
			return ex, failureOf(t.ctx, err)
		}
	}
}

// busy says that an HTTP status may be another one later.
func busy(status int) bool { return slices.Contains([]int{429, 502, 503, 504}, status) }

// refresh waits for the server to say that a list changed, and asks for all of them once more.
func (t *talk) refresh(l *lane) {
	news := slices.ContainsFunc(wire.Lists(), func(k wire.ListKind) bool {
		says, _ := l.hello.Get("capabilities").Get(k.Capability()).Get("listChanged").Bool()
		return says
	})
	if len(l.changed) == 0 && !(news && t.listen(l)) { // without the capability there is nothing to wait for
		return
	}
	for _, k := range wire.Lists() {
		before := t.surface.Pages[k]
		if !l.announced(k) || before == nil {
			continue
		}
		now, why := t.list(l, k)
		if why != nil {
			why.Detail = k.String() + ": " + why.Detail
			t.surface.Gap(wire.PartRefresh, why, t.lim)
		}
		if now == nil || slices.EqualFunc(before, now, bytes.Equal) {
			continue
		}
		t.surface.Pages[k], t.surface.Earlier[k] = now, before
		if a, b := t.items(k, before), t.items(k, now); !slices.Equal(a, b) {
			slices.Sort(a)
			slices.Sort(b)
			if slices.Equal(a, b) {
				l.faults.Add(k.Method(), t.lim, wire.Fault{Kind: wire.UnstableOrder})
			}
		}
	}
}

// items are the items of a list as they are written.
func (t *talk) items(k wire.ListKind, pages [][]byte) (all []string) {
	lim := t.lim
	for _, p := range pages {
		if doc, err := source.Parse("", p, source.JSON, lim); err == nil {
			for item := range doc.Root().Get(k.String()).Children() {
				all = append(all, string(item.Raw()))
			}
		}
	}
	return all
}

// listen waits for news, and says whether there were any.
func (t *talk) listen(l *lane) bool {
	silence := errors.New("no news")
	ctx, cancel := context.WithTimeoutCause(t.ctx, t.o.Refresh, silence)
	defer cancel()
	call := l.call("", "", wire.Stream)
	if l.era == wire.EraModern {
		call = l.call("subscriptions/listen", `"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}`, wire.Stream)
	}
	ex, err := l.conn.Listen(ctx, call)
	l.note(ex, 0)
	if err == nil && t.ctx.Err() != nil {
		err = t.ctx.Err()
	}
	if err != nil {
		t.surface.Gap(wire.PartRefresh, failureOf(t.ctx, err), t.lim)
	}
	return len(l.changed) > 0
}
