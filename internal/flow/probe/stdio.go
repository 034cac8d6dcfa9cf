package probe

import (
	"github.com/mcpassay/mcpassay/internal/flow/talk"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// stdio probes a program. Each era gets a process of its own (a server may refuse one handshake after it has seen the
// other), but for a server that refuses server/discover: that has begun nothing yet.
func (p *probe) stdio() (all []*wire.Surface) {
	legacy := p.lane(wire.EraLegacy, wire.Stdio, nil)
	if p.o.Era != wire.EraLegacy {
		modern := p.lane(wire.EraModern, wire.Stdio, nil)
		lost := modern.start()
		if lost == nil {
			lost = modern.discover()
		}
		if lost == nil || p.o.Era == wire.EraModern {
			all = append(all, modern.local(lost))
			if lost == nil && p.o.Era != EraBoth || p.o.Era == wire.EraModern {
				return all
			}
		} else {
			legacy.takeOver(modern)
			if lost.Cause == wire.CauseError { // it answered, and lives
				legacy.via = modern.via
			} else if modern.via != nil {
				modern.via.Close()
			}
		}
	}
	failure := legacy.greetLocal()
	if len(all) > 0 && failure != nil {
		legacy.shut()
		return all
	}
	s := legacy.local(failure)
	if len(all) > 0 {
		eras := []string{wire.EraModern, wire.EraLegacy}
		all[0].Protocol.Eras, s.Protocol.Eras, s.Protocol.Supported = eras, eras, all[0].Protocol.Supported
	}
	return append(all, s)
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
func (l *lane) local(failure *wire.Failure) *wire.Surface {
	defer l.shut()
	l.s.Protocol.Supported = l.claims
	if failure != nil {
		l.s.Gap(wire.PartHandshake, failure, l.lim)
		return l.s
	}
	l.s.Hello = l.hello.Raw()
	l.s.Protocol.Negotiated, l.s.Protocol.Era, l.s.Protocol.Eras = l.version, l.era, []string{l.era}
	more := l.page(&l.sendAll(l.asks(wire.ToolsList, wire.UnknownMethod, wire.UnknownTool, wire.CallWithoutName))[0])
	l.pages(more)
	l.again()
	if l.o.Deep {
		l.deep()
	}
	alive := l.junk(wire.NotJSONBody)
	if !alive { // another process for the next line
		l.shut()
		if l.start() == nil && l.revive() == nil {
			alive = true
		}
	}
	if alive {
		alive = l.junk(wire.NoJSONRPC)
	} else {
		l.gap(wire.PartErrors, &wire.Failure{Cause: wire.CauseEnded, Detail: "the server ended, and could not be started again"})
	}
	if alive {
		l.closed()
		l.via = nil
	}
	if l.era == wire.EraLegacy {
		l.shut()
		if f := l.start(); f == nil {
			l.send(l.asks(wire.InitializeUnpublished)[0])
		} else {
			l.gap(wire.PartErrors, f)
		}
	}
	return l.s
}

// junk sends a line that a server should refuse with a request right behind it, and says whether it lived on.
func (l *lane) junk(t wire.Trial) bool {
	a := l.send(l.asks(t)[0])
	if t == wire.NotJSONBody && a.ex != nil {
		l.s.Trials = append(l.s.Trials, wire.Tried{Trial: wire.JunkLine, ElapsedMS: a.tried.ElapsedMS, Cause: a.tried.Cause, Failure: a.tried.Failure})
	}
	return a.failure == nil
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
