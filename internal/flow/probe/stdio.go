package probe

import (
	"github.com/mcpassay/mcpassay/internal/flow/talk"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// stdio probes a program. Each era gets a process of its own (a server may refuse one handshake after it has seen the
// other), but for a server that refuses server/discover: that has begun nothing yet.
func (p *probe) stdio() []*wire.Surface {
	modern, legacy := p.lane(wire.EraModern, wire.Stdio, nil), p.lane(wire.EraLegacy, wire.Stdio, nil)
	both := false
	if p.o.Era != wire.EraLegacy {
		lost := modern.start()
		if lost == nil {
			lost = modern.discover()
		}
		if lost == nil || p.o.Era == wire.EraModern {
			modern.local(lost)
			if both = lost == nil && p.o.Era == EraBoth; !both {
				return []*wire.Surface{modern.s}
			}
		} else {
			legacy.takeOver(modern)
			if lost.Cause == wire.CauseError { // it answered, and lives
				legacy.via = modern.via
			} else {
				modern.shut()
			}
		}
	}
	failure := legacy.greetLocal()
	if both && failure != nil { // a server of one era alone
		legacy.shut()
		return []*wire.Surface{modern.s}
	}
	legacy.local(failure)
	if both {
		return lanes(modern, legacy)
	}
	return []*wire.Surface{legacy.s}
}

// start starts a process.
func (l *lane) start() *wire.Failure {
	via, failure := talk.RawStdio(l.ctx, l.target.Start, l.talking())
	if failure == nil {
		l.via = via
	}
	return failure
}

func (l *lane) shut() {
	if l.via != nil {
		l.via.Close()
		l.via = nil
	}
}

// greetLocal shakes hands in the process that there is, or where that one minds, in another.
func (l *lane) greetLocal() *wire.Failure {
	if l.via != nil {
		trials := l.s.Trials
		if l.initialize() == nil {
			return nil
		}
		l.s.Trials, l.s.Faults = trials, nil
		l.shut()
	}
	if failure := l.start(); failure != nil {
		return failure
	}
	return l.initialize()
}

// local tries the rest of the table on a program. Lines that are no message come last: a server may die of them.
func (l *lane) local(failure *wire.Failure) {
	defer l.shut()
	l.s.Protocol.Supported = l.claims
	if failure != nil {
		l.s.Gap(wire.PartHandshake, failure, l.lim)
		return
	}
	l.s.Hello = l.hello.Raw()
	l.s.Protocol.Negotiated, l.s.Protocol.Era, l.s.Protocol.Eras = l.version, l.era, []string{l.era}
	more := l.page(&l.sendAll(l.asks(wire.ToolsList, wire.UnknownMethod, wire.UnknownTool, wire.CallWithoutName))[0])
	l.pages(more)
	l.sendAll(l.asks(wire.InitializeAgain, wire.DiscoverAgain, wire.DiscoverUnpublished))
	asks := l.asks(wire.NotJSONBody, wire.NoJSONRPC)
	if l.o.Deep {
		asks = append(asks, l.rest()...)
	}
	for _, a := range asks {
		if !l.survives(a) {
			return
		}
	}
	l.closed()
	if l.era == wire.EraLegacy { // a process that has begun would answer for the session that it has
		if f := l.start(); f != nil {
			l.gap(wire.PartErrors, f)
			return
		}
		l.send(l.asks(wire.InitializeUnpublished)[0])
	}
}

// survives sends a line that a server may die of, and where it does, goes on in another process. It is false where there is
// none.
func (l *lane) survives(a ask) bool {
	out := l.send(a)
	if a.trial == wire.NotJSONBody && out.ex != nil {
		l.s.Trials = append(l.s.Trials, wire.Tried{Trial: wire.JunkLine, ElapsedMS: out.tried.ElapsedMS, Cause: out.tried.Cause, Failure: out.tried.Failure})
	}
	if out.failure == nil || out.failure.Cause == wire.CauseTimeout && a.raw.Behind == nil { // silent, and perhaps alive
		return true
	}
	l.shut()
	failure := l.start()
	if failure == nil {
		failure = l.revive()
	}
	if failure != nil {
		l.gap(wire.PartErrors, &wire.Failure{Cause: failure.Cause, Detail: "after " + string(a.trial) + " the server could not be started again: " + failure.Detail})
	}
	return failure == nil
}

// revive begins in a new process as in the one that died. It is no trial: what it answers is known.
func (l *lane) revive() *wire.Failure {
	trials, faults, hello := l.s.Trials, l.s.Faults, l.hello
	defer func() { l.s.Trials, l.s.Faults, l.hello = trials, faults, hello }()
	if l.era == wire.EraModern {
		return nil
	}
	l.version = ""
	return l.initialize()
}
