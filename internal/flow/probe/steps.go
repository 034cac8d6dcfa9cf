package probe

import (
	"bytes"
	"slices"
	"time"

	"github.com/mcpassay/mcpassay/internal/flow/talk"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// discover asks which eras the server has. Its failure says why it has not the modern one.
func (l *lane) discover() *wire.Failure {
	a := l.send(l.asks(wire.Discover)[0])
	if why := a.why(); why != nil {
		if e, ok := a.ex.Reply.Error(); ok && e.Code == wire.CodeUnsupportedVersion {
			l.claims = versions(e.Data.Get("supported"), l.lim)
			why.Cause = wire.CauseVersion
		}
		return why
	}
	result := a.result()
	list := result.Get("supportedVersions")
	l.claims = versions(list, l.lim)
	switch {
	case result.Kind() != source.Object || list.Kind() != source.Array:
		return &wire.Failure{Cause: wire.CauseAnswer, Detail: "the result of server/discover lists no supportedVersions", Status: a.ex.Status}
	case !slices.Contains(l.claims, wire.Modern):
		return &wire.Failure{Cause: wire.CauseVersion, Detail: "the server supports " + wire.Excerpt(list.Raw(), l.lim), Status: a.ex.Status}
	}
	l.s.Faults.Add("server/discover", l.lim, wire.CheckResult(result)...)
	return l.begun(result)
}

func versions(list source.Node, lim limits.Set) (all []string) {
	for v := range list.Children() {
		if len(all) < lim.Capabilities && v.Kind() == source.String {
			all = append(all, wire.Excerpt([]byte(v.Text()), lim))
		}
	}
	return all
}

// begun keeps the answer to the greeting.
func (l *lane) begun(result source.Node) *wire.Failure {
	if len(result.Raw()) > l.lim.HandshakeBytes || !l.room(len(result.Raw()), wire.Weight(result.Raw())) {
		return &wire.Failure{Cause: wire.CauseTooLarge, Detail: "the answer to the handshake is larger than its limit"}
	}
	l.hello = result
	return nil
}

// initialize shakes hands as the legacy era has it, and says so.
func (l *lane) initialize() *wire.Failure {
	l.first = &l.asks(wire.Initialize)[0]
	a := l.send(*l.first)
	if a.ex == nil {
		return a.failure
	}
	if why := a.why(); why != nil {
		return why
	}
	result := a.result()
	version := result.Get("protocolVersion")
	switch {
	case result.Kind() != source.Object || version.Kind() != source.String:
		l.s.Faults.Add("initialize", l.lim, wire.Fault{Kind: wire.BadResult, Detail: "protocolVersion is missing"})
		return &wire.Failure{Cause: wire.CauseAnswer, Detail: "the result of initialize has no protocolVersion", Status: a.ex.Status}
	case !slices.Contains(wire.Legacy(), version.Text()):
		l.s.Faults.Add("initialize", l.lim, wire.Fault{Kind: wire.UnknownVersion, Detail: version.Text()})
		return &wire.Failure{Cause: wire.CauseVersion, Detail: "the server answers with version " + wire.Excerpt([]byte(version.Text()), l.lim), Status: a.ex.Status}
	}
	if f := l.begun(result); f != nil {
		return f
	}
	for _, name := range []string{"capabilities", "serverInfo"} {
		if result.Get(name).Kind() != source.Object {
			l.s.Faults.Add("initialize", l.lim, wire.Fault{Kind: wire.BadResult, Detail: name + " is missing"})
		}
	}
	l.version = version.Text()
	if talk.Sendable(a.ex.Session, l.lim) {
		l.session = a.ex.Session
	} else {
		l.s.Faults.Add("initialize", l.lim, wire.Fault{Kind: wire.BadSession})
	}
	note := ask{trial: wire.Initialized, raw: l.message("notifications/initialized", "", body(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""))}
	note.raw.Expect = talk.Nothing
	if a := l.send(note); a.failure != nil && a.ex != nil && a.ex.Status != 0 {
		l.s.Faults.Add("notifications/initialized", l.lim, wire.Fault{Kind: wire.NotificationAnswered, Detail: a.failure.Detail, Status: a.ex.Status})
	}
	return nil
}

// errors asks for the tools and makes the five mistakes, and gives the cursor of the list's next page.
func (l *lane) errors() (next source.Node) {
	answers := l.sendAll(l.asks(wire.ToolsList, wire.UnknownMethod, wire.UnknownTool, wire.CallWithoutName, wire.NotJSONBody, wire.NoJSONRPC))
	if !l.wants(tools) {
		return source.Node{}
	}
	return l.page(&answers[0])
}

// wants says that a section was asked for.
func (l *lane) wants(section string) bool { return l.o.Section == "" || l.o.Section == section }

// page takes a page of tools/list into the surface, and gives the cursor of the next one.
func (l *lane) page(a *answer) (next source.Node) {
	k := wire.Tools
	missing := func(f *wire.Failure) source.Node {
		if l.announced(k) || l.s.Pages[k] != nil || f.Cause == wire.CauseAuth || busy(f.Status) {
			l.gap(k.String(), f)
		}
		return source.Node{}
	}
	if why := a.why(); why != nil {
		if why.Cause == wire.CauseError && l.announced(k) {
			l.s.Faults.Add(k.Method(), l.lim, wire.Fault{Kind: wire.RefusedList, Detail: why.Detail})
		}
		return missing(why)
	}
	result := a.result()
	list := result.Get(k.String())
	if list.Kind() != source.Array {
		l.s.Faults.Add(k.Method(), l.lim, wire.Fault{Kind: wire.BadResult, Detail: k.String() + " is " + list.Kind().String()})
		return missing(&wire.Failure{Cause: wire.CauseAnswer, Detail: "the result of tools/list has no array of tools", Status: a.ex.Status})
	}
	if l.era == wire.EraModern {
		l.s.Faults.Add(k.Method(), l.lim, wire.CheckResult(result)...)
	}
	raw := bytes.Clone(result.Raw())
	if !l.room(len(raw), wire.Weight(raw)) {
		return missing(&wire.Failure{Cause: wire.CauseTruncated, Detail: "tools/list holds more than is read"})
	}
	if !l.announced(k) {
		if list.Len() == 0 {
			return source.Node{}
		}
		l.s.Faults.Add("", l.lim, wire.Fault{Kind: wire.UnannouncedList, Detail: k.String()})
	}
	l.s.Pages[k] = append(l.s.Pages[k], raw)
	return result.Get("nextCursor")
}

// pages reads on, as far as the budget goes.
func (l *lane) pages(cursor source.Node) {
	k, followed := wire.Tools, map[string]bool{}
	most := l.lim.ProbePages
	for n, items := 1, 0; cursor.Valid(); n++ {
		switch {
		case cursor.Kind() == source.Null:
			l.s.Faults.Add(k.Method(), l.lim, wire.Fault{Kind: wire.BadCursor, Detail: "null"})
			return
		case cursor.Kind() != source.String || len(cursor.Raw()) > l.lim.CursorBytes:
			l.s.Faults.Add(k.Method(), l.lim, wire.Fault{Kind: wire.BadCursor, Detail: wire.Excerpt(cursor.Raw(), l.lim)})
			l.gap(k.String(), &wire.Failure{Cause: wire.CauseTruncated, Detail: "tools/list names a next page with a cursor that can not be sent"})
			return
		case followed[cursor.Text()]:
			l.s.Faults.Add(k.Method(), l.lim, wire.Fault{Kind: wire.RepeatedCursor, Detail: cursor.Text()})
			return
		}
		followed[cursor.Text()] = true
		hint := ""
		if !l.o.Deep {
			hint = ": --deep reads them"
		}
		if n >= most || l.spare() == 0 || items >= l.lim.ProbeTools {
			l.gap(k.String(), &wire.Failure{Cause: wire.CauseTruncated, Detail: "tools/list has more pages than were asked for" + hint})
			return
		}
		a := l.send(ask{trial: wire.ToolsList, detail: "next page", raw: l.message(k.Method(), `"cursor":`+string(cursor.Raw()))})
		if a.ex == nil {
			return
		}
		items += a.result().Get(k.String()).Len()
		cursor = l.page(&a)
	}
}

// again greets once more, and asks for a revision that does not exist.
func (l *lane) again() {
	l.sendAll(l.asks(wire.InitializeAgain, wire.InitializeUnpublished, wire.DiscoverAgain, wire.DiscoverUnpublished))
}

// discovery gets the documents that a client looks for before it dials. What a missing document looks like matters only
// where one is there.
func (l *lane) discovery() {
	served := false
	for _, a := range l.sendAll(l.asks(wire.ResourceAtPath, wire.ResourceAtRoot, wire.AuthServer, wire.WellKnownMCP, wire.WellKnownJSON, wire.RootJSON, wire.LLMsText)) {
		served = served || a.tried.Status == 200
	}
	if served {
		l.sendAll(l.asks(wire.RandomPath))
	}
}

// rest are the deep rows of the table, but for that behind the end of the session.
func (l *lane) rest() (asks []ask) {
	for _, r := range table() {
		if r.deep && r.trial != wire.SessionEnded {
			asks = append(asks, l.of(r)...)
		}
	}
	return asks
}

// leave ends the session, and where there is time looks whether it has ended.
func (l *lane) leave() {
	asks := l.asks(wire.SessionDelete)
	if len(asks) == 0 || l.spare() == 0 {
		return
	}
	l.send(asks[0])
	if l.o.Deep {
		l.sendAll(l.asks(wire.SessionEnded))
	}
}

// closed ends the input of a local server and waits for its end.
func (l *lane) closed() {
	begun := time.Now()
	err := l.via.Close()
	t := wire.Tried{Trial: wire.InputClosed, ElapsedMS: time.Since(begun).Milliseconds()}
	if err != nil || time.Since(begun) >= l.lim.ChildGrace {
		t.Cause, t.Failure = wire.CauseTimeout, "it did not end by itself within "+l.lim.ChildGrace.String()
	}
	l.s.Trials, l.via = append(l.s.Trials, t), nil
}
