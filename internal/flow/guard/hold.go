package guard

import (
	"cmp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// The rules by which calls wait, or are stopped while they do.
const (
	needsLeave = "traffic/tool-needs-leave"
	unapproved = "traffic/unapproved-tool"
)

// hold is what a session keeps of calls that wait.
type hold struct {
	policy *Policy
	leave  Leave
	name   string
	secret string
	now    func() time.Duration

	waiting []waiter
	bytes   int
	freed   []Freed
	numbers int // of the guard's own requests
	// elicits says that the client asks persons when it is asked to (until 2025-11-25, where it says so once).
	elicits bool
	// listing is the id of the guard's own question for the tools, "" for none; pages are those that it has asked for. listed says
	// that a list has come since a call began to wait for one, unlistable that the server gives none.
	listing            string
	pages              int
	listed, unlistable bool
	// offers are calls that a client was told to send again with a person's answer, by the state that comes with it, and granted
	// those that were allowed and for which the server itself wants input (both 2026-07-28). The oldest are forgotten.
	offers  []offer
	granted []string
}

// waiter is a call that waits.
type waiter struct {
	id, key string
	raw     []byte
	was     request
	// question is the id of the request that asks a person, "" where the call waits for the list of tools.
	question string
	because  refusal
	until    time.Duration
}

type offer struct{ state, call string }

// allowable says whether a person can allow what a rule finds: not what says that a frame could not be judged, or is another than what
// was approved.
func allowable(rule string) bool {
	switch traffic.Event(strings.TrimPrefix(rule, "traffic/")) {
	case traffic.Malformed, traffic.TooLarge, traffic.Truncated, traffic.Failed, traffic.NotStarted, traffic.OtherLaunch, traffic.PinsTampered, traffic.Confined,
		traffic.NotConfined, traffic.UnapprovedTool, traffic.InvalidArguments, traffic.ToolDenied, traffic.OutOfBounds, traffic.TooManyCalls:
		return false
	}
	r, ok := catalog.ByID(rule)
	return ok && r.Traffic != nil
}

// Allowable says whether `guard allow` may let through what a rule finds.
func Allowable(rule string) bool { return rule != needsLeave && allowable(rule) }

// done is what is done about a finding, in the end.
func (s *Session) done(f *finding.Finding, tool string) Action {
	a := s.decide(f)
	if s.policy != nil {
		if now, ok := s.policy.actions[f.Rule]; ok {
			a = ActionOf(&finding.Finding{Action: string(now)})
		}
	}
	if a >= Ask && s.leave != nil && allowable(f.Rule) && s.leave.Allows(f.Rule, tool) {
		a = Note
	}
	f.Action = a.String()
	return a
}

// lenient makes of a result what it is where nothing is enforced.
func (s *Session) lenient(r *Result, raw []byte) bool {
	if s.leave == nil {
		return false
	}
	mode := s.leave.Mode()
	if mode == Enforcing {
		return false
	}
	r.Would, r.Action, r.Mode, r.Forward, r.Reply = r.Action, Note, mode, raw, nil
	return true
}

// leaveable says whether a person can be asked about a request of the client.
func (s *Session) leaveable(from Side, f *wire.Frame) bool {
	if from != Client || f.Kind != wire.Request || s.secret == "" {
		return false
	}
	if modern(f) {
		caps := f.Node.Get("params").Get("_meta").Get(wire.MetaCapabilities)
		return forms(caps.Get("elicitation")) && f.Method == "tools/call"
	}
	return s.elicits
}

// modern says whether a request speaks of itself, as those of 2026-07-28 do.
func modern(f *wire.Frame) bool {
	return f.Node.Get("params").Get("_meta").Get(wire.MetaVersion).Valid()
}

// forms says whether a client's capability is to show a form: it is without a word until 2025-06-18, and since then what is shown
// stands in it.
func forms(elicitation source.Node) bool {
	return elicitation.Kind() == source.Object && (elicitation.Empty() || elicitation.Get("form").Valid())
}

// unaskable stops what a person would have to be asked about, where nobody can be.
func (s *Session) unaskable(whole *part, parts []*part) Action {
	if len(parts) == 0 {
		parts = []*part{whole}
	}
	for _, p := range parts {
		if p.action == Ask {
			p.action, p.refusal = Block, s.unasked(p.because, p.was.tool)
		}
	}
	return Block
}

// unasked is the refusal of a call about which nobody was asked.
func (s *Session) unasked(because refusal, tool string) refusal {
	because.reason = cmp.Or(because.reason, s.titles[because.rule]) + "; this client asks nobody"
	because.hint = s.allow(because.rule, tool)
	return because
}

// allow is the command by which a person lets a call through.
func (s *Session) allow(rule, tool string) string {
	words := []string{"mcpassay", "guard", "allow", cmp.Or(s.name, "SERVER")}
	switch {
	case rule != needsLeave:
		words = append(words, "--rule", rule)
	case len(tool) > s.lim.ShownRunes:
		words = append(words, "--tool", "TOOL")
	default:
		words = append(words, "--tool", tool)
	}
	return launch.Join(words, runtime.GOOS)
}

// nextID is an id of the guard's own, as it is written.
func (s *Session) nextID() string {
	s.numbers++
	return s.prefix() + strconv.Itoa(s.numbers) + `"`
}

func (s *Session) prefix() string { return `"mcpassay-` + s.secret + `-` }

// ask keeps a call until a person has said what is to become of it.
func (s *Session) ask(r *Result, raw []byte, p *part, f *wire.Frame) {
	p.because.reason = cmp.Or(p.because.reason, s.titles[p.because.rule])
	if modern(f) {
		s.offer(r, raw, p, f)
		return
	}
	h := waiter{id: p.id, key: key(f), was: p.was, because: p.because, question: s.nextID(), until: s.now() + s.lim.GuardAsk}
	if !s.keep(r, raw, h) {
		return
	}
	r.Action = Ask
	r.Reply = []byte(`{"jsonrpc":"2.0","id":` + h.question + `,"method":"elicitation/create","params":` + s.question(p, f) + `}`)
}

// question is what a person is asked, as the parameters of elicitation/create: whether, and nothing else.
func (s *Session) question(p *part, f *wire.Frame) string {
	args := text.Line(secret.Mask(string(f.Node.Get("params").Get("arguments").Raw())), s.lim.GuardedShown)
	of := text.Line(cmp.Or(s.name, "a server"), s.lim.ShownRunes)
	ask := "mcpassay holds a call of " + text.Line(cmp.Or(p.was.tool, f.Method), s.lim.ShownRunes) + " of " + of + ": " + p.because.reason + " (" + p.because.rule + ")."
	if args != "" {
		ask += " Its arguments: " + args + "."
	}
	return `{"message":` + source.Quote(ask+" Accept to let it go on.") + `,"requestedSchema":{"type":"object","properties":{}}}`
}

// keep adds a call to those that wait, or refuses it.
func (s *Session) keep(r *Result, raw []byte, h waiter) bool {
	if len(s.waiting) >= s.lim.GuardedHeld || s.bytes+len(raw) > s.lim.GuardedHeldBytes {
		r.Action = Block
		r.Reply = s.refusal(h.id, refusal{cmp.Or(h.because.rule, unapproved), "too many calls wait already", "wait for those, and send it again"})
		return false
	}
	h.raw = append([]byte(nil), raw...)
	s.bytes += len(raw)
	s.waiting = append(s.waiting, h)
	return true
}

// drop takes a call out of those that wait.
func (s *Session) drop(i int) waiter {
	h := s.waiting[i]
	s.bytes -= len(h.raw)
	s.waiting = slices.Delete(s.waiting, i, i+1)
	return h
}

// free lets a call go on, refuse answers it.
func (s *Session) free(h waiter) {
	s.asked[Client].put(h.key, h.was, s.lim.GuardedRequests)
	s.freed = append(s.freed, Freed{To: Server, ID: h.id, Raw: h.raw})
}

func (s *Session) refuse(h waiter, why refusal) {
	s.freed = append(s.freed, Freed{To: Client, ID: h.id, Raw: s.refusal(h.id, why)})
}

// recall tells the client that a question of the guard needs no answer any more.
func (s *Session) recall(h waiter) {
	if h.question != "" {
		s.freed = append(s.freed, Freed{To: Client, ID: h.id, Raw: []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + h.question + `}}`)})
	}
}

// said is a finding of the guard's own about a call that waited.
func (s *Session) said(rule, tool string, a Action, message string) []finding.Finding {
	f := finding.Finding{Rule: rule, Message: message, Tool: tool, Action: a.String(), Status: finding.Active, Location: finding.Location{Path: traffic.Path, Line: 1, Column: 1}}
	if of, ok := catalog.ByID(rule); ok {
		f.Aliases, f.Severity, f.Confidence = of.Aliases, of.Severity, of.Confidence
	}
	return []finding.Finding{f}
}

// own deals with frames that are about the guard's own requests: the other side never sees one.
func (s *Session) own(from Side, f *wire.Frame, raw []byte) (Result, bool) {
	if s.secret == "" || len(f.ID) == 0 || f.ID[0] != '"' || !strings.HasPrefix(f.ID, s.prefix()) {
		return Result{}, false
	}
	switch {
	case f.Kind != wire.Response:
		return s.refused(from, raw, traffic.Malformed, "the id is one of the guard's"), true
	case from == Client:
		for i := range s.waiting {
			if s.waiting[i].question == f.ID {
				return s.answered(s.drop(i), f.Result().Get("action").Text()), true
			}
		}
	case f.ID == s.listing:
		return s.ownList(f), true
	}
	return Result{}, true // nobody waits for it any more
}

// answered is what a person's answer comes to.
func (s *Session) answered(h waiter, action string) Result {
	if action == "accept" {
		s.free(h)
		return Result{Action: Note, Findings: s.said(h.because.rule, h.was.tool, Note, "a person let the call go on")}
	}
	s.refuse(h, s.declined(h.because, action))
	return Result{Action: Block, Findings: s.said(h.because.rule, h.was.tool, Block, "a person did not let the call go on")}
}

// declined is the refusal of a call that a person was asked about.
func (s *Session) declined(because refusal, action string) refusal {
	switch action {
	case "decline":
		because.reason += "; a person declined it"
	case "cancel":
		because.reason += "; a person gave no answer"
	default:
		because.reason += "; the client could not ask"
	}
	because.hint = "ask the person who uses this client"
	return because
}

// offer answers a call with the request to send it again with a person's answer (2026-07-28, multi round-trip requests), or deals with
// one that has it.
func (s *Session) offer(r *Result, raw []byte, p *part, f *wire.Frame) {
	const name = "mcpassay"
	params := f.Node.Get("params")
	args, _ := form(params.Get("arguments"))
	call := canon.Fingerprint(p.was.tool, string(args))
	state := params.Get("requestState").Text()
	if i := slices.Index(s.granted, call); i >= 0 && (state != "" || params.Get("inputResponses").Valid()) { // the server's own rounds
		s.granted = slices.Delete(s.granted, i, i+1)
		p.was.granted = call
		s.asked[Client].put(key(f), p.was, s.lim.GuardedRequests)
		r.Action, r.Forward = Note, raw
		return
	}
	at := slices.IndexFunc(s.offers, func(o offer) bool { return o.state == state && o.call == call })
	if at < 0 {
		s.numbers++
		o := offer{"mcpassay-" + s.secret + "-" + strconv.Itoa(s.numbers), call}
		if s.offers = append(s.offers, o); len(s.offers) > s.lim.GuardedHeld {
			s.offers = s.offers[1:]
		}
		r.Action = Ask
		r.Reply = []byte(`{"jsonrpc":"2.0","id":` + p.id + `,"result":{"resultType":"input_required","inputRequests":{"` + name +
			`":{"method":"elicitation/create","params":` + s.question(p, f) + `}},"requestState":"` + o.state + `"}}`)
		return
	}
	s.offers = slices.Delete(s.offers, at, at+1)
	if action := params.Get("inputResponses").Get(name).Get("action").Text(); action != "accept" {
		r.Action, r.Reply = Block, s.refusal(p.id, s.declined(p.because, action))
		return
	}
	out, ok := without(raw, "requestState")
	if ok {
		out, ok = without(out, "inputResponses")
	}
	if !ok || !s.readable(out) {
		r.Action, r.Reply = Block, s.refusal(p.id, refusal{rule: "traffic/inspection-failed"})
		return
	}
	p.was.granted = call
	s.asked[Client].put(key(f), p.was, s.lim.GuardedRequests)
	r.Action, r.Forward = Note, out
}

// without takes a parameter out of a request.
func without(raw []byte, param string) ([]byte, bool) {
	n, ok := value(string(raw))
	if !ok {
		return nil, false
	}
	n = n.Get("params").Get(param)
	if !n.Valid() {
		return raw, true
	}
	out, err := source.Apply(raw, []finding.Edit{n.Remove()})
	return out, err == nil
}

// await keeps a call until the server has shown its tools. Where the client has not asked for them the guard does.
func (s *Session) await(r *Result, raw []byte, p *part, f *wire.Frame) {
	if s.leave != nil && s.leave.Mode() != Enforcing {
		s.asked[Client].put(key(f), p.was, s.lim.GuardedRequests)
		r.Forward, r.Mode, r.Would = raw, s.leave.Mode(), Block
		return
	}
	asks := s.listing == "" && !s.asked[Client].has(wire.Tools.Method())
	if s.unlistable || s.secret == "" { // who gave no key asks for nothing of ours, and frees nothing
		r.Action = Block
		r.Reply = s.refusal(p.id, refusal{unapproved, "the server has not shown its tools", "ask for tools/list first"})
		return
	}
	if !s.keep(r, raw, waiter{id: p.id, key: key(f), was: p.was, until: s.now() + s.lim.GuardList}) || !asks {
		return
	}
	meta := ""
	if n := f.Node.Get("params").Get("_meta"); modern(f) {
		meta = string(n.Raw())
	}
	s.pages = 0
	r.Forward = s.list(meta, "")
}

// list is the guard's own question for the tools. meta is what a request says of itself, "" for nothing.
func (s *Session) list(meta, cursor string) []byte {
	s.listing = s.nextID()
	s.pages++
	var params []string
	if meta != "" {
		params = append(params, `"_meta":`+meta)
	}
	if cursor != "" {
		params = append(params, `"cursor":`+cursor)
	}
	k, _ := value(s.listing)
	s.asked[Client].put(strconv.Quote(k.Text()), request{method: wire.Tools.Method(), meta: meta}, s.lim.GuardedRequests)
	return []byte(`{"jsonrpc":"2.0","id":` + s.listing + `,"method":"tools/list","params":{` + strings.Join(params, ",") + `}}`)
}

// ownList judges what came for the guard's own question. Nobody else sees it.
func (s *Session) ownList(f *wire.Frame) (r Result) {
	k, _ := value(s.listing)
	meta := s.asked[Client].by[strconv.Quote(k.Text())].meta
	s.listing = ""
	var p part
	s.part(&p, Server, f)
	r.Action, r.Findings = min(p.action, Note), s.settled()
	next := f.Result().Get("nextCursor")
	switch {
	case p.action >= Ask || f.Node.Get("error").Valid() || next.Kind() == source.String && s.pages >= s.lim.GuardedPages:
		s.unlistable = true // what is stopped is no list
		r.Action = max(p.action, Note)
	case next.Kind() == source.String:
		s.listed = false
		r.Reply = s.list(meta, string(next.Raw()))
	default:
		s.unlistable = !f.Result().Get("tools").Valid()
	}
	return r
}

// settle adds to a result what has come of the calls that wait.
func (s *Session) settle(r *Result) {
	if s.listed {
		s.listed = false
		var again []waiter
		for i := 0; i < len(s.waiting); {
			if s.waiting[i].question != "" || s.listing != "" {
				i++
				continue
			}
			again = append(again, s.drop(i))
		}
		for _, h := range again { // they are judged anew, now that there is something to hold them against
			one := s.frame(Client, h.raw)
			free := Freed{To: Server, ID: h.id, Raw: slices.Clone(one.Forward), Action: one.Action, Findings: one.Findings}
			if one.Forward == nil {
				free.To, free.Raw = Client, one.Reply
			}
			if free.Raw != nil {
				s.freed = append(s.freed, free)
			}
		}
	}
	r.Freed, s.freed = append(r.Freed, s.freed...), nil
	r.Wait = s.nearest()
}

// nearest is how long the call waits on that is given up first, 0 where none waits.
func (s *Session) nearest() (wait time.Duration) {
	for i := range s.waiting {
		if left := max(s.waiting[i].until-s.now(), 1); wait == 0 || left < wait {
			wait = left
		}
	}
	return wait
}

// Held is how many calls wait.
func (s *Session) Held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting)
}

// Overdue gives up the calls that have waited too long; with gone also those about which a client that says no more was asked.
func (s *Session) Overdue(gone bool) (r Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for i := 0; i < len(s.waiting); {
		h := &s.waiting[i]
		if h.until > now && !(gone && h.question != "") {
			i++
			continue
		}
		one := s.drop(i)
		why := one.because
		if one.question != "" {
			why.reason, why.hint = why.reason+"; nobody answered in time", s.allow(why.rule, one.was.tool)
		} else {
			why = refusal{unapproved, "the server did not show its tools in time", "ask for tools/list first"}
		}
		s.recall(one)
		s.refuse(one, why)
		r.Action = Block
		r.Findings = append(r.Findings, s.said(why.rule, one.was.tool, Block, "a call waited in vain")...)
	}
	r.Freed, s.freed = s.freed, nil
	r.Wait = s.nearest()
	return r
}

// has says whether a request of a method has no answer yet.
func (o *open) has(method string) bool {
	for _, w := range o.by {
		if w.method == method {
			return true
		}
	}
	return false
}
