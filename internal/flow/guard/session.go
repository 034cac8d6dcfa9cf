package guard

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Options are what a session judges by.
type Options struct {
	// Rules are those that judge, all of the catalog where there are none. Those on traffic judge messages; those on cards that are
	// about poisoning, hidden characters and secrets judge the lists in them, and what they find is noted.
	Rules []*rule.Rule
	// Limits bound what is read and kept, nil for the product's.
	Limits *limits.Set
	// Decide says what is done about a finding, nil for what its rule says.
	Decide func(f *finding.Finding) Action
	// Gate is what the server is held to, nil for nothing.
	Gate *Gate
	// Policy is what persons want of this server's calls, nil for nothing.
	Policy *Policy
	// Leave is what persons have allowed, nil for nothing.
	Leave Leave
	// Name is the server's, as persons know it.
	Name string
	// Key is part of the ids of the guard's own requests: a word that the server can not guess. Without one the guard asks nobody, and
	// no call waits: Result has no Freed and no Wait.
	Key string
	// Now is a clock that never goes back, from any start; nil is one that stands.
	Now func() time.Duration
}

// Session judges the frames of one session. It is a function of the frames that came so far, of its clock and of what is allowed.
type Session struct {
	mu      sync.Mutex
	lim     limits.Set
	decide  func(f *finding.Finding) Action
	gate    *Gate
	reader  traffic.Reader
	watcher *engine.Watcher
	cards   []*rule.Rule
	titles  map[string]string // of the rules, for who is refused
	memory  traffic.Memory
	// asked are the requests of each side that are not answered yet.
	asked [2]open
	found []finding.Finding
	whys  []why
	whole part // of the frame at hand, where it is no batch
	hold
}

// NewSession begins a session.
func NewSession(o Options) *Session {
	s := &Session{lim: limits.Default, decide: o.Decide, gate: o.Gate, titles: map[string]string{}}
	s.hold = hold{policy: o.Policy, leave: o.Leave, name: o.Name, secret: o.Key, now: o.Now}
	if s.now == nil {
		s.now = func() time.Duration { return 0 }
	}
	if o.Limits != nil {
		s.lim = *o.Limits
	}
	rules := o.Rules
	if rules == nil {
		rules = catalog.All()
	}
	for _, r := range rules {
		if r.Traffic != nil {
			s.titles[r.ID] = r.Title
		} else if slices.ContainsFunc(r.Tags, func(tag string) bool { return tag == rule.Poisoning || tag == rule.Unicode || tag == rule.Secret }) &&
			(r.Card != nil || r.Surface != nil || r.Cards != nil) && !slices.Contains(r.Tags, rule.Block) { // what blocks, a rule on traffic says
			s.cards = append(s.cards, r)
		}
	}
	if s.decide == nil {
		s.decide = ActionOf
	}
	s.watcher = engine.Watch(rules, &s.lim)
	return s
}

// ActionOf is what the rule of a finding says is done about it.
func ActionOf(f *finding.Finding) Action {
	switch rule.Action(f.Action) {
	case rule.ActNote:
		return Note
	case rule.ActRedact:
		return Redact
	case rule.ActAsk:
		return Ask
	case rule.ActBlock:
		return Block
	}
	return Pass
}

// Frame judges one frame.
func (s *Session) Frame(from Side, raw []byte) Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.one(from, raw)
}

// one judges a frame, and what waited for it.
func (s *Session) one(from Side, raw []byte) Result {
	r := s.frame(from, raw)
	if len(s.waiting) > 0 || len(s.freed) > 0 {
		s.settle(&r)
	}
	return r
}

// Exchange is one request over HTTP that belongs to no session, and its answer: other exchanges may use the same ids.
type Exchange struct{ asked [2]open }

// Apart judges a frame of an exchange as Frame does one of the session.
func (s *Session) Apart(x *Exchange, from Side, raw []byte) Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, x.asked = x.asked, s.asked
	defer func() { s.asked, x.asked = x.asked, s.asked }()
	return s.one(from, raw)
}

func (s *Session) frame(from Side, raw []byte) (r Result) {
	defer func() {
		if e := recover(); e != nil { // nothing of ours may let a frame through, or end the session
			r = s.refused(from, raw, traffic.Failed, "the inspection failed")
		}
	}()
	if len(bytes.TrimSpace(raw)) == 0 {
		return Result{Forward: raw}
	}
	s.found = s.found[:0]
	if len(raw) > s.lim.GuardedFrame {
		return s.refused(from, raw, traffic.TooLarge, strconv.Itoa(len(raw))+" bytes, and no more than "+strconv.Itoa(s.lim.GuardedFrame)+" are read")
	}
	f := wire.ParseFrame(raw, s.lim)
	if event, why := flawed(&f); event != traffic.None {
		return s.refused(from, raw, event, why)
	}
	doc := f.Node.Doc()
	if at, why := doc.Ambiguous(); why != "" {
		return s.refused(from, raw, traffic.Malformed, why+", at byte "+strconv.Itoa(at.Start))
	}
	if f.Kind == wire.Batch && f.Node.Len() > s.lim.GuardedBatch {
		return s.refused(from, raw, traffic.TooLarge, "a batch of more than "+strconv.Itoa(s.lim.GuardedBatch)+" messages")
	}
	if r, own := s.own(from, &f, raw); own {
		return r
	}
	if from == Client && f.Method == "initialize" {
		s.elicits = forms(f.Node.Get("params").Get("capabilities").Get("elicitation"))
	}
	var parts []*part
	s.whole = part{}
	whole := &s.whole
	action := Pass
	for one := range f.Parts() {
		if event, why := flawed(one); event != traffic.None {
			return s.refused(from, raw, event, why)
		}
		p := whole
		if f.Kind == wire.Batch {
			p = new(part)
			parts = append(parts, p)
		}
		s.part(p, from, one)
		action = max(action, p.action)
	}
	for _, p := range parts {
		if p.await && p.action < Block { // a part of a batch can not wait
			p.action, p.refusal = Block, refusal{unapproved, "a tool is called before the server has shown its tools", "ask for tools/list first"}
			action = Block
		}
	}
	if action == Ask && (f.Kind == wire.Batch || !s.leaveable(from, &f)) {
		action = s.unaskable(whole, parts)
	}
	r.Action, r.Findings = action, s.settled()
	if action >= Redact && s.lenient(&r, raw) {
		i := 0
		for one := range f.Parts() { // what goes on is answered
			p := whole
			if f.Kind == wire.Batch {
				p = parts[i]
				i++
			}
			if one.Kind == wire.Request && p.action >= Ask {
				s.asked[from].put(key(one), p.was, s.lim.GuardedRequests)
			}
		}
		return r
	}
	switch {
	case action == Ask:
		s.ask(&r, raw, whole, &f)
	case whole.await && action < Ask:
		s.await(&r, raw, whole, &f)
	case action < Redact:
		r.Forward = raw
	case f.Kind != wire.Batch:
		s.single(&r, from, raw, whole)
	default:
		s.batch(&r, from, raw, f.Node, parts)
	}
	if r.Forward == nil && r.Reply == nil && r.Action < Block && !whole.await {
		return s.refused(from, raw, traffic.Failed, "what was to be forwarded could not be made")
	}
	return r
}

// Event is what is said of something that the relay met, detail being its own words for it.
func (s *Session) Event(from Side, e traffic.Event, detail string) (Action, []finding.Finding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found = s.found[:0]
	s.judge(s.reader.Event(e, detail, from == Server))
	action := Pass
	for i := range s.found {
		action = max(action, s.done(&s.found[i], ""))
	}
	return action, s.settled()
}

// part is what becomes of one message of a frame.
type part struct {
	action  Action
	message wire.Kind
	id      string // as it is written
	refusal refusal
	edits   []finding.Edit
	// await says that the server has to list its tools before it can be judged; was is the request that it is.
	await bool
	was   request
	// because is why a person is to be asked.
	because refusal
}

// flawed says why a frame is none that can be judged.
func flawed(f *wire.Frame) (traffic.Event, string) {
	if f.Kind == wire.Invalid && len(f.Flaws) == 0 {
		return traffic.Malformed, "no message"
	}
	for _, flaw := range f.Flaws {
		if f.Kind == wire.Response && f.ID == "" && f.Node.Get("error").Kind() == source.Object && len(f.Flaws) == 1 {
			break // official servers answer so where they do not know to what, and nobody waits for it
		}
		switch flaw.Kind {
		case wire.TooDeep, wire.TooLarge:
			return traffic.TooLarge, "it nests too deep, or holds too many values"
		case wire.BadEnvelope, wire.BadText:
			return traffic.Malformed, flaw.Detail
		default:
			return traffic.Malformed, "it is no JSON"
		}
	}
	if m := f.Node.Alias(); m.Valid() {
		return traffic.Malformed, "two members differ in case alone"
	}
	if respelled(f) {
		return traffic.Malformed, "a member of the protocol is written in another case"
	}
	if m := f.Node.Get("params").Alias(); m.Valid() && f.Method != "tools/call" {
		return traffic.Malformed, "two parameters differ in case alone"
	}
	if id := f.Node.Get("id"); id.Kind() == source.Number {
		if _, ok := numeric(f.ID); !ok {
			return traffic.Malformed, "the id is a number that a double does not hold"
		}
	}
	return traffic.None, ""
}

// The members by which a message is judged. Decoders of some languages take them in any case, and in letters that only fold to these.
var (
	envelope = []string{"jsonrpc", "id", "method", "params", "result", "error"}
	inParams = map[string][]string{"tools/call": {"name", "arguments"}, "prompts/get": {"name", "arguments"}, "resources/read": {"uri"}}
	inResult = []string{"tools", "prompts", "resources", "resourceTemplates", "nextCursor", "protocolVersion", "capabilities", "serverInfo", "instructions",
		"content", "structuredContent", "contents", "messages"}
)

// respelled says whether a message has one of these as some readers alone take it.
func respelled(f *wire.Frame) bool {
	return folded(f.Node, envelope) || folded(f.Node.Get("params"), inParams[f.Method]) || folded(f.Node.Get("result"), inResult)
}

func folded(n source.Node, names []string) bool {
	if n.Kind() != source.Object || len(names) == 0 {
		return false
	}
	for c := range n.Children() {
		for _, name := range names {
			if key := c.Key(); key != name && strings.EqualFold(key, name) {
				return true
			}
		}
	}
	return false
}

// numeric writes a number as an id in one way: 1, 1.0 and 1e0 are one id to most clients. ok is false for one that a double changes.
func numeric(id string) (string, bool) {
	if len(id) < 16 && id[0] != '0' && strings.Trim(id, "0123456789") == "" {
		return id, true
	}
	f, err := strconv.ParseFloat(id, 64)
	if err != nil || f >= 1<<53 || f <= -1<<53 {
		return "", false
	}
	return strconv.FormatFloat(f, 'f', -1, 64), true
}

// key is an id as it is looked up: a string's is in quotes.
func key(f *wire.Frame) string {
	if n := f.Node.Get("id"); n.Kind() == source.Number {
		k, _ := numeric(f.ID)
		return k
	} else if n.Kind() == source.String {
		return strconv.Quote(n.Text())
	}
	return ""
}

// part judges one message of a frame.
func (s *Session) part(p *part, from Side, f *wire.Frame) {
	p.message, p.id = f.Kind, f.ID
	var was request
	switch f.Kind {
	case wire.Request:
		tool := ""
		if from == Client && f.Method == "tools/call" {
			tool = strings.Clone(f.Node.Get("params").Get("name").Text())
		}
		was = request{method: strings.Clone(f.Method), tool: tool}
	case wire.Response:
		if was = s.asked[1-from].take(key(f)); was.granted != "" && f.Result().Get("resultType").Text() == "input_required" {
			if s.granted = append(s.granted, was.granted); len(s.granted) > s.lim.GuardedHeld {
				s.granted = s.granted[1:]
			}
		}
	case wire.Notification:
		if f.Method == "notifications/cancelled" {
			s.canceled(from, f.Node.Get("params").Get("requestId"))
		}
	}
	m := s.reader.Read(f, from == Server, was.method, was.tool)
	m.Memory = &s.memory
	if from == Server && f.Kind == wire.Response {
		m.Cards = s.lists(f)
	}
	before := len(s.found)
	if was.mixed { // which of two requests is answered is not known
		was.method = ""
	}
	s.judge(m)
	if m.Cards != nil && !s.room(m.Cards) {
		s.judge(s.reader.Event(traffic.Truncated, "a list of more tools than a session remembers", true))
	}
	s.held(p, from, f, was, before)
	for i := before; i < len(s.found); i++ {
		one := &s.found[i]
		if one.Tool == "" {
			one.Tool = was.tool
		}
		action := s.done(one, was.tool)
		switch action {
		case Redact:
			if one.Fix != nil {
				p.edits = append(p.edits, one.Fix.Edits...)
			} else {
				action = Note // nothing is to be taken out
			}
		case Ask:
			if p.because.rule == "" {
				p.because = s.whyOf(i)
			}
		case Block:
			if p.refusal.rule == "" {
				p.refusal = s.whyOf(i)
			}
		}
		p.action = max(p.action, action)
	}
	switch {
	case p.action == Block:
	case f.Kind == wire.Request:
		was.secrets = from == Client && slices.ContainsFunc(s.found[before:], func(f finding.Finding) bool { return f.Rule == "traffic/secret-path-in-argument" })
		if p.was = was; p.action < Ask && !p.await {
			s.asked[from].put(key(f), was, s.lim.GuardedRequests)
		}
	case from == Server:
		s.learn(m, was)
	}
	if from == Server && f.Kind == wire.Response && was.method == wire.Tools.Method() && len(s.waiting) > 0 {
		s.listed = true
	}
}

// held asks the gate and the policy. What they say of a finding is kept beside it. What the rules, whose findings begin at before, have
// stopped already is not shown to a gate that keeps what it sees.
func (s *Session) held(p *part, from Side, f *wire.Frame, was request, before int) {
	s.whys = s.whys[:0]
	if s.gate == nil && s.policy == nil {
		return
	}
	var all []Ruling
	worst := Pass
	for i := before; i < len(s.found); i++ {
		worst = max(worst, s.done(&s.found[i], was.tool))
	}
	switch {
	case s.gate == nil, worst >= Ask && from == Server:
	case from == Client && f.Kind != wire.Response:
		all = s.gate.Request(f.Method, f.Node.Get("params"))
	case from == Server && f.Kind == wire.Response:
		all = s.gate.Answer(was.method, f.Result())
	case from == Server && f.Kind == wire.Notification:
		s.gate.Changed(f.Method)
	}
	for i := range all {
		if r := &all[i]; r.Await && f.Kind != wire.Request { // nobody can be told later
			r.Action, r.Hint = Block, "ask for tools/list first"
		} else if r.Await {
			p.await = true
		}
	}
	if s.policy != nil && from == Client && f.Method == "tools/call" && !p.await { // else it is judged once more
		params := f.Node.Get("params")
		ready := worst < Block && !slices.ContainsFunc(all, func(r Ruling) bool { return r.Action == Block })
		all = append(all, s.policy.call(params.Get("name").Text(), params.Get("arguments"), ready)...)
	}
	for _, r := range all {
		one := finding.Finding{Rule: r.Rule, Message: r.Reason, Action: r.Action.String(), Status: finding.Active, Location: finding.Location{Line: 1, Column: 1}}
		if of, ok := catalog.ByID(r.Rule); ok {
			one.Aliases, one.Severity, one.Confidence = of.Aliases, of.Severity, of.Confidence
		}
		s.whys = append(s.whys, why{len(s.found), refusal{r.Rule, r.Reason, r.Hint}})
		s.found = append(s.found, one)
	}
}

// why is what a gate or a policy says of the finding at an index.
type why struct {
	at int
	refusal
}

// whyOf is the refusal for the finding at an index.
func (s *Session) whyOf(i int) refusal {
	for _, w := range s.whys {
		if w.at == i {
			return w.refusal
		}
	}
	return refusal{rule: s.found[i].Rule}
}

// canceled forgets a request that nobody waits for any more.
func (s *Session) canceled(from Side, id source.Node) {
	switch id.Kind() {
	case source.Number:
		text, _ := id.Number()
		if k, ok := numeric(text); ok {
			s.cancel(from, k)
		}
	case source.String:
		s.cancel(from, strconv.Quote(id.Text()))
	}
}

func (s *Session) cancel(from Side, key string) {
	s.asked[from].take(key)
	for i := range s.waiting {
		if from == Client && s.waiting[i].key == key {
			s.recall(s.drop(i))
			return
		}
	}
}

// lists are the cards in a response, nil for none.
func (s *Session) lists(f *wire.Frame) *card.File {
	result := f.Node.Get("result")
	for _, key := range [...]string{"tools", "prompts", "resources", "resourceTemplates", "protocolVersion", "supportedVersions", "instructions", "serverInfo"} {
		if result.Get(key).Valid() {
			return card.ReadAt(f.Node)
		}
	}
	return nil
}

// judge runs the rules over a message. What they find is added to found.
func (s *Session) judge(m *traffic.Message) {
	found, err := s.watcher.Message(m)
	if err != nil {
		failed := s.reader.Event(traffic.Failed, err.Error(), m.FromServer)
		if found, err = s.watcher.Message(failed); err != nil || len(found) == 0 {
			panic(fmt.Sprint("no rule says that the inspection failed: ", err))
		}
	}
	s.found = append(s.found, found...)
	if m.Cards != nil && len(s.cards) > 0 {
		s.onCards(m)
	}
}

// onCards runs the rules on cards over the lists in a message. What they find is noted.
func (s *Session) onCards(m *traffic.Message) {
	found, failed := engine.Judge(engine.Input{Cards: []*card.File{m.Cards}, Rules: s.cards, Limits: s.lim})
	if len(failed) > 0 {
		panic(failed[0].Detail)
	}
	for _, f := range found {
		if f.Severity >= finding.Warning && f.Status == finding.Active {
			f.Action = string(rule.ActNote)
			f.Fix = nil
			s.found = append(s.found, f)
		}
	}
}

// settled are the findings of a frame, the gravest action first, as they may be kept: without a stranger's bytes, which are used
// again.
func (s *Session) settled() []finding.Finding {
	if len(s.found) == 0 {
		return nil
	}
	all := slices.Clone(s.found)
	slices.SortStableFunc(all, func(a, b finding.Finding) int {
		return cmp.Or(cmp.Compare(ActionOf(&b), ActionOf(&a)), cmp.Compare(b.Severity, a.Severity))
	})
	if len(all) > s.lim.GuardedFindings {
		all = all[:s.lim.GuardedFindings]
	}
	for i := range all {
		f := &all[i]
		f.Location.Path = traffic.Path
		f.Tool, f.Server, f.Kind, f.Shape = strings.Clone(f.Tool), strings.Clone(f.Server), strings.Clone(f.Kind), strings.Clone(f.Shape)
	}
	return all
}
