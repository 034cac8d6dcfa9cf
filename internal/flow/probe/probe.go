// Package probe tries how a server behaves: what it makes of a handshake, of what it does not know, of what is no message
// at all, and which documents it offers before one dials. It sends a fixed table of requests (table.go), few by default,
// and takes down what came of each beside the tools that the server lists. Nothing is judged here: the transcript is a
// surface like a scan's, which rules and package grade read, live or saved, with the same outcome.
//
// It never calls a tool that the server has.
package probe

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/mcpassay/mcpassay/internal/flow/talk"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Target is what is probed: a URL through a door, or a program that Start starts.
type Target struct {
	Label string
	URL   string
	Door  talk.Door
	Start func(context.Context) (talk.Lines, error)
}

// EraBoth asks for a lane in each era, in which the server is tried by itself.
const EraBoth = "both"

// Options is how to probe.
type Options struct {
	// Era is wire.EraModern or wire.EraLegacy for that one, EraBoth for each that the server has, "" for the newest that it
	// claims.
	Era string
	// Deep sends the rest of the table.
	Deep bool
	// Section is the one part of the score card whose requests are sent, "" for all. Discovery alone sends none to the endpoint.
	Section string
	// Client and ClientVersion are what we call ourselves.
	Client, ClientVersion string
	// Secrets are what the server was given (wire.Spellings): no answer is kept with them.
	Secrets [][]byte
	Limits  limits.Set
	// Nonce ends the path that can not exist, so that no server knows it beforehand.
	Nonce string
}

// Surfaces probes a server and gives what it showed, a surface for each era in which it was tried, newest first. There is
// always one; what it lacks is among its gaps.
func Surfaces(ctx context.Context, t Target, o Options) []*wire.Surface {
	ctx, cancel := context.WithTimeoutCause(ctx, o.Limits.RunTime,
		&wire.Failure{Cause: wire.CauseTimeout, Detail: "the probe took more than " + o.Limits.RunTime.String() + " in all"})
	defer cancel()
	p := &probe{ctx: ctx, target: t, o: o, lim: o.Limits}
	if t.Start != nil {
		return p.stdio()
	}
	return p.http()
}

type probe struct {
	ctx    context.Context
	target Target
	o      Options
	lim    limits.Set
	url    *url.URL
	// endpoint is the URL for people.
	endpoint string
}

// talking are the options of package talk.
func (p *probe) talking() talk.Options {
	return talk.Options{Client: p.o.Client, ClientVersion: p.o.ClientVersion, Secrets: p.o.Secrets, Limits: p.lim}
}

// lane is one era's conversation, and what was seen in it.
type lane struct {
	*probe
	era, transport string
	via            talk.Rawer
	s              *wire.Surface

	session, version string
	sessions         []string // that initialize gave
	hello            source.Node
	first            *ask // the initialize that began it
	claims           []string

	mu    sync.Mutex
	sent  int // requests
	most  int
	id    int
	bytes int // of the pages and replies that are kept
	nodes int
}

func (p *probe) lane(era, transport string, via talk.Rawer) *lane {
	l := &lane{probe: p, era: era, transport: transport, via: via, most: p.lim.ProbeRequests, id: 1}
	if p.o.Deep {
		l.most = p.lim.ProbeDeepRequests
	}
	requested := wire.LegacyBest
	if era == wire.EraModern {
		requested, l.version = wire.Modern, wire.Modern
	}
	l.s = &wire.Surface{Label: p.target.Label, Transport: transport, Endpoint: p.endpoint, Section: p.o.Section, Protocol: wire.Protocol{Requested: requested}, Trials: []wire.Tried{}}
	return l
}

// http probes a URL.
func (p *probe) http() []*wire.Surface {
	var err error
	if p.url, err = url.Parse(p.target.URL); err != nil {
		l := p.lane(wire.EraLegacy, wire.HTTP, nil)
		return l.end(&wire.Failure{Cause: wire.CauseRefused, Detail: "the URL can not be read"})
	}
	p.endpoint = secret.MaskURL(wire.ShownURL(p.url))
	via := talk.RawHTTP(p.target.Door, p.talking())
	modern := p.lane(wire.EraModern, wire.HTTP, via)
	legacy := p.lane(wire.EraLegacy, wire.HTTP, via)
	if p.o.Section == discovery {
		legacy.discovery()
		return []*wire.Surface{legacy.s}
	}
	var lost *wire.Failure
	if p.o.Era != wire.EraLegacy {
		lost = modern.discover()
		if lost != nil && final(lost.Cause) {
			return modern.end(lost)
		}
		if p.o.Era == wire.EraModern || lost == nil && p.o.Era != EraBoth {
			modern.run(lost)
			return []*wire.Surface{modern.s}
		}
		if lost != nil {
			legacy.takeOver(modern)
		}
	}
	both := lost == nil && p.o.Era == EraBoth
	if both {
		modern.run(nil)
	}
	failure := legacy.initialize()
	if failure != nil && legacy.old(failure) {
		failure = legacy.sse()
	}
	defer func() { legacy.via.Close() }()
	if both && failure != nil { // a server of one era alone
		return []*wire.Surface{modern.s}
	}
	legacy.run(failure)
	if both {
		return lanes(modern, legacy)
	}
	return []*wire.Surface{legacy.s}
}

// lanes are the surfaces of a server that has both eras.
func lanes(modern, legacy *lane) []*wire.Surface {
	all := []*wire.Surface{modern.s, legacy.s}
	for _, s := range all {
		s.Protocol.Eras, s.Protocol.Supported = []string{wire.EraModern, wire.EraLegacy}, modern.claims
	}
	return all
}

// final says that another era would fail in the same way.
func final(c wire.Cause) bool {
	return slices.Contains([]wire.Cause{wire.CauseRefused, wire.CauseUnresolved, wire.CauseUnreachable, wire.CauseTLS, wire.CauseCanceled}, c)
}

// takeOver keeps what was tried in the lane of an era that the server does not have.
func (l *lane) takeOver(o *lane) {
	l.s.Trials, l.sent, l.claims = o.s.Trials, o.sent, o.claims
	for _, f := range o.s.Faults {
		if grave(f.Kind) {
			l.s.Faults.Add("", l.lim, f)
		}
	}
}

// end is the outcome of a lane that did not begin.
func (l *lane) end(why *wire.Failure) []*wire.Surface {
	l.s.Gap(wire.PartHandshake, why, l.lim)
	return []*wire.Surface{l.s}
}

// run tries the rest of the table once the lane has begun, or has not.
func (l *lane) run(failure *wire.Failure) {
	l.s.Protocol.Supported = l.claims
	if failure != nil {
		l.s.Gap(wire.PartHandshake, failure, l.lim)
		if l.transport == wire.Stdio || final(failure.Cause) || l.ctx.Err() != nil {
			return
		}
		l.discovery()
		return
	}
	l.s.Hello = l.hello.Raw()
	l.s.Protocol.Negotiated, l.s.Protocol.Era, l.s.Protocol.Eras = l.version, l.era, []string{l.era}
	more := l.errors()
	l.again()
	l.discovery()
	l.pages(more)
	if l.o.Deep {
		l.sendAll(l.rest())
	}
	l.leave()
	if why := wire.WeakSessionID(l.sessions...); why != "" {
		for i := range l.s.Trials {
			if t := &l.s.Trials[i]; t.Trial == wire.Initialize {
				t.Faults.Add("initialize", l.lim, wire.Fault{Kind: wire.WeakSession, Detail: why})
				break
			}
		}
	}
}

// old says that an answer to initialize leaves it open that the server has the transport of 2024-11-05.
func (l *lane) old(f *wire.Failure) bool {
	last := &l.s.Trials[len(l.s.Trials)-1]
	return !last.Answered() && (f.Status == 400 || f.Status == 404 || f.Status == 405)
}

// sse begins again over the transport of 2024-11-05. Where there is no such stream, the answer that was had tells more.
func (l *lane) sse() *wire.Failure {
	before := &l.s.Trials[len(l.s.Trials)-1]
	first := failureOf(before)
	if !l.take(1) {
		return first
	}
	via, failure := talk.RawSSE(l.ctx, l.target.Door, l.target.URL, l.talking())
	if failure != nil {
		l.s.Trials = append(l.s.Trials, wire.Tried{Trial: wire.StreamGet, Verb: "GET", Status: failure.Status, Cause: failure.Cause, Failure: wire.Excerpt([]byte(failure.Detail), l.lim)})
		if failure.Cause == wire.CauseRefused && failure.Target != "" {
			l.s.Faults.Add("", l.lim, wire.Fault{Kind: wire.ForeignEndpoint, Target: failure.Target})
		}
		return first
	}
	l.s.Trials = append(l.s.Trials, wire.Tried{Trial: wire.StreamGet, Verb: "GET", Status: 200, Header: wire.Header{"content-type": {wire.MediaEvents}}})
	l.via, l.transport, l.s.Transport = via, wire.SSE, wire.SSE
	l.s.Faults = nil // what the other transport's handshake met is no fault of a server that does not have it
	return l.initialize()
}

// announced says that the server announces a list.
func (l *lane) announced(k wire.ListKind) bool {
	c := l.hello.Get("capabilities").Get(k.Capability())
	yes, isBool := c.Bool()
	return c.Valid() && c.Kind() != source.Null && (yes || !isBool)
}

// grave says that a fault is the server's whatever it was asked: what it does to the client, not to the protocol.
func grave(k wire.FaultKind) bool {
	return slices.Contains([]wire.FaultKind{wire.CredentialEchoed, wire.CertificateChanged, wire.AddressesChanged, wire.ForeignEndpoint}, k)
}

// origin is the URL's, as a browser writes it.
func (p *probe) origin() string { return p.url.Scheme + "://" + p.url.Host }

// at is a URL of the same origin with another path.
func (p *probe) at(path string) string {
	u := url.URL{Scheme: p.url.Scheme, Host: p.url.Host, Path: path}
	return u.String()
}

// path is the endpoint's, without the slash at its end, "" for the root.
func (p *probe) path() string { return strings.TrimSuffix(p.url.Path, "/") }
