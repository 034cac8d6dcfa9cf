package guard

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

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
}

// Session judges the frames of one session. It is a function of the frames that came so far: it asks nobody, and knows no time.
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
}

// NewSession begins a session.
func NewSession(o Options) *Session {
	s := &Session{lim: limits.Default, decide: o.Decide, gate: o.Gate, titles: map[string]string{}}
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

// ActionOf is what the rule of a finding says is done about it. What is to be asked and nobody can answer is blocked.
func ActionOf(f *finding.Finding) Action {
	switch rule.Action(f.Action) {
	case rule.ActNote:
		return Note
	case rule.ActRedact:
		return Redact
	case rule.ActAsk, rule.ActBlock:
		return Block
	}
	return Pass
}

// Frame judges one frame.
func (s *Session) Frame(from Side, raw []byte) Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frame(from, raw)
}

// Exchange is one request over HTTP that belongs to no session, and its answer: other exchanges may use the same ids.
type Exchange struct{ asked [2]open }

// Apart judges a frame of an exchange as Frame does one of the session.
func (s *Session) Apart(x *Exchange, from Side, raw []byte) Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, x.asked = x.asked, s.asked
	defer func() { s.asked, x.asked = x.asked, s.asked }()
	return s.frame(from, raw)
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
	var parts []*part
	whole := part{}
	action := Pass
	for one := range f.Parts() {
		if event, why := flawed(one); event != traffic.None {
			return s.refused(from, raw, event, why)
		}
		p := &whole
		if f.Kind == wire.Batch {
			p = new(part)
			parts = append(parts, p)
		}
		s.part(p, from, one)
		action = max(action, p.action)
	}
	r.Action, r.Findings = action, s.settled()
	switch {
	case action < Redact:
		r.Forward = raw
	case f.Kind != wire.Batch:
		s.single(&r, from, raw, &whole)
	default:
		s.batch(&r, from, raw, f.Node, parts)
	}
	if r.Forward == nil && r.Reply == nil && r.Action < Block {
		return s.refused(from, raw, traffic.Failed, "what was to be forwarded could not be made")
	}
	return r
}

// Event is what is said of something that the relay met, detail being its own words for it.
func (s *Session) Event(from Side, e traffic.Event, detail string) (Action, []finding.Finding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found = s.found[:0]
	action := s.judge(s.reader.Event(e, detail, from == Server))
	return action, s.settled()
}

// part is what becomes of one message of a frame.
type part struct {
	action  Action
	message wire.Kind
	id      string // as it is written
	refusal refusal
	edits   []finding.Edit
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

// numeric writes a number as an id in one way: 1, 1.0 and 1e0 are one id to most clients. ok is false for one that a double changes.
func numeric(id string) (string, bool) {
	if len(id) < 16 && id[0] != '0' && strings.Trim(id, "0123456789") == "" {
		return id, true
	}
	f, err := strconv.ParseFloat(id, 64)
	if err != nil || f > 1<<53 || f < -1<<53 {
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
		was = s.asked[1-from].take(key(f))
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
	p.action = s.judge(m)
	asked := was.method
	if was.mixed {
		asked = ""
	}
	s.held(p, from, f, asked)
	for i := before; i < len(s.found); i++ {
		switch one := &s.found[i]; s.decide(one) {
		case Redact:
			if one.Fix != nil {
				p.edits = append(p.edits, one.Fix.Edits...)
			}
		case Block:
			if p.refusal.rule == "" {
				p.refusal.rule = one.Rule
			}
		}
	}
	if p.action == Redact && len(p.edits) == 0 { // nothing is to be taken out
		p.action = Note
	}
	switch {
	case p.action == Block:
	case f.Kind == wire.Request:
		was.secrets = from == Client && slices.ContainsFunc(s.found[before:], func(f finding.Finding) bool { return f.Rule == "traffic/secret-path-in-argument" })
		s.asked[from].put(key(f), was, s.lim.GuardedRequests)
	case from == Server:
		s.learn(m, was)
	}
}

// held asks the gate.
func (s *Session) held(p *part, from Side, f *wire.Frame, method string) {
	if s.gate == nil {
		return
	}
	var all []Ruling
	switch {
	case from == Client && f.Kind == wire.Request:
		all = s.gate.Request(f.Method, f.Node.Get("params"))
	case from == Server && f.Kind == wire.Response:
		all = s.gate.Answer(method, f.Result())
	case from == Server && f.Kind == wire.Notification:
		s.gate.Changed(f.Method)
	}
	for _, r := range all {
		one := finding.Finding{Rule: r.Rule, Message: r.Reason, Action: r.Action.String(), Status: finding.Active, Location: finding.Location{Line: 1, Column: 1}}
		if of, ok := catalog.ByID(r.Rule); ok {
			one.Aliases, one.Severity, one.Confidence = of.Aliases, of.Severity, of.Confidence
		}
		s.found = append(s.found, one)
		if p.action = max(p.action, r.Action); r.Action == Block && p.refusal.rule == "" {
			p.refusal = refusal{r.Rule, r.Reason, r.Hint}
		}
	}
}

// canceled forgets a request that nobody waits for any more.
func (s *Session) canceled(from Side, id source.Node) {
	switch id.Kind() {
	case source.Number:
		text, _ := id.Number()
		if k, ok := numeric(text); ok {
			s.asked[from].take(k)
		}
	case source.String:
		s.asked[from].take(strconv.Quote(id.Text()))
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
func (s *Session) judge(m *traffic.Message) (action Action) {
	before := len(s.found)
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
	for i := before; i < len(s.found); i++ {
		action = max(action, s.decide(&s.found[i]))
	}
	return action
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
		return cmp.Or(cmp.Compare(s.decide(&b), s.decide(&a)), cmp.Compare(b.Severity, a.Severity))
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
