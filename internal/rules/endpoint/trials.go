package endpoint

import (
	"encoding/json"
	"iter"
	"slices"
	"strconv"

	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// trial is one request of a probe and what came of it, with its place in the document.
type trial struct {
	wire.Tried
	at source.Node
	in *probed
}

// probed is what a probe tried on a server, decoded once for all rules.
type probed struct {
	server   *card.Server
	trials   []trial
	revision string
	modern   bool
	legacy   bool // the server answers in the legacy era, whichever lane this is
	stdio    bool
}

type probedKey struct{}

// probe reads the trials of a server. What is none is left out: a person may have edited a saved surface.
func probe(s *card.Server) *probed {
	return s.Noted(probedKey{}, func() any {
		p := &probed{server: s, revision: s.Revision, stdio: s.Transport == wire.Stdio}
		if s.Trials.Kind() != source.Array {
			return p
		}
		p.modern = s.Protocol.Get("era").Text() == wire.EraModern || p.revision >= wire.Modern
		p.legacy = !p.modern
		for era := range s.Protocol.Get("eras").Children() {
			p.legacy = p.legacy || era.Text() == wire.EraLegacy
		}
		for v := range s.Protocol.Get("supportedVersions").Children() { // where one lane alone was tried
			p.legacy = p.legacy || slices.Contains(wire.Legacy(), v.Text())
		}
		for n := range s.Trials.Children() {
			t := trial{at: n, in: p}
			if json.Unmarshal(n.Raw(), &t.Tried) == nil && t.Trial != "" {
				p.trials = append(p.trials, t)
			}
		}
		return p
	}).(*probed)
}

// since says that a part of the protocol which came with a revision concerns this lane. Unlike card.Server.Since it is
// not said of a lane without a revision: nobody knows what such a server should have done.
func (p *probed) since(revision string) bool { return p.revision >= revision }

// of are the trials of some names, in the order of the names.
func (p *probed) of(names ...wire.Trial) iter.Seq[*trial] {
	return func(yield func(*trial) bool) {
		for _, name := range names {
			for i := range p.trials {
				if p.trials[i].Trial == name && !yield(&p.trials[i]) {
					return
				}
			}
		}
	}
}

// one is the first trial of a name, nil for none.
func (p *probed) one(name wire.Trial) *trial {
	for t := range p.of(name) {
		return t
	}
	return nil
}

// loopback says that the server was probed as one of this machine: no other is sent the trials of its Host.
func (p *probed) loopback() bool {
	return p.one(wire.HostEvil) != nil || p.one(wire.HostOriginEvil) != nil
}

// kind is what was sent in a trial, as far as what may answer it goes.
func (t *trial) kind() kind { return asked[t.Trial].kind }

// words are what was sent, for a message.
func (t *trial) words() string {
	name := t.Trial
	if name == wire.NotJSONBody && t.in != nil && t.in.stdio {
		name = wire.JunkLine // which is the same line, looked at from behind
	}
	if words := asked[name].words; words != "" {
		return words
	}
	return string(name)
}

// result is the result in the reply; not Valid for an error, and where there is no reply.
func (t *trial) result() source.Node { return t.at.Get("reply").Get("result") }

// accepted says that the request was carried out.
func (t *trial) accepted() bool { return t.result().Valid() && t.Status < 400 && !t.toolError() }

// toolError says that the result is that of a tool which failed.
func (t *trial) toolError() bool { return truth(t.result().Get("isError")) }

// refused says that the request was not carried out, and that this is an answer.
func (t *trial) refused() bool {
	if t.broken() {
		return false
	}
	_, isError := t.Code()
	return isError || t.toolError() || t.Status >= 400
}

// broken says that no answer came which a client could use: rules of their own say so, and no other looks at the trial.
func (t *trial) broken() bool {
	return t.died() || t.silent() || t.Status >= 500 || t.Cause != "" && t.Status == 0
}

// died says that the process ended.
func (t *trial) died() bool { return t.Cause == wire.CauseEnded }

// silent says that an answer was due and none came.
func (t *trial) silent() bool {
	if t.Answered() || t.Body != "" || t.Status >= 300 || t.kind() == other || t.kind() == document {
		return false
	}
	switch {
	case t.in.stdio && t.kind() == junk && t.Trial != wire.JunkLine: // which may be passed over
		return false
	case t.Trial == wire.Discover && !t.in.modern: // an older server may wait for initialize first
		return false
	}
	return t.Cause == wire.CauseTimeout || t.Cause == wire.CauseBroken ||
		(t.Cause == "" || t.Cause == wire.CauseAnswer) && t.Status >= 200 && t.kind() == request
}

// got is the answer in a few words: its error code, its status, or that it was accepted.
func (t *trial) got() string {
	code, isError := t.Code()
	switch {
	case isError && t.Status >= 400:
		return "HTTP " + strconv.Itoa(t.Status) + " and error " + strconv.Itoa(code)
	case isError:
		return "error " + strconv.Itoa(code)
	case t.toolError():
		return "a result with isError"
	case t.Answered():
		return "a result"
	case t.Status == 0:
		return "nothing"
	}
	return "HTTP " + strconv.Itoa(t.Status) + " and no JSON-RPC"
}

// answer is got, with its HTTP status in any case.
func (t *trial) answer() string {
	if t.Status == 0 || t.Status >= 400 {
		return t.got()
	}
	return "HTTP " + strconv.Itoa(t.Status) + " and " + t.got()
}

// status is the answer where its status alone matters.
func (t *trial) status() string {
	if t.accepted() {
		return "a result"
	}
	return "HTTP " + strconv.Itoa(t.Status)
}

// every is each trial in the order in which it was sent.
func (p *probed) every() iter.Seq[*trial] {
	return func(yield func(*trial) bool) {
		for i := range p.trials {
			if !yield(&p.trials[i]) {
				return
			}
		}
	}
}

// sessions says that the server keeps sessions.
func (p *probed) sessions() bool {
	t := p.one(wire.Initialize)
	return t != nil && t.Session
}

// read says that the trial is part of reading the surface, whose faults are noted there (endpoint/bad-message).
func (t *trial) read() bool { return t.Trial == wire.Initialize || t.Trial == wire.Discover }

// gated says that the server does not talk to us: what else is wrong can not be seen.
func (t *trial) gated() bool {
	return t.Status == 401 || t.Status == 403 || t.Status == 429 || t.Status == busy
}

// busy is the status that says nothing but to ask again later: that is no fault, and not checked.
const busy = 503

const notImplemented = 501

// badStatus says that HTTP was spoken, and another status came.
func (t *trial) badStatus(want int) bool { return t.Status != 0 && t.Status != want }

// revision is what an initialize asked for.
func (t *trial) revision() string {
	var sent struct {
		Params struct {
			Version string `json:"protocolVersion"`
		} `json:"params"`
	}
	if json.Unmarshal([]byte(t.Sent), &sent) == nil && sent.Params.Version != "" {
		return sent.Params.Version
	}
	return t.Detail
}

// truth is a boolean that says true.
func truth(n source.Node) bool {
	v, _ := n.Bool()
	return v
}

// value is a node as encoding/json reads it: values that mean the same are equal.
func value(n source.Node) (v any) {
	if n.Valid() {
		_ = json.Unmarshal(n.Raw(), &v)
	}
	return v
}

// compact is a value as JSON.
func compact(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}
