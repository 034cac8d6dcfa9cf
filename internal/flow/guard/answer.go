package guard

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Blocked is the code of the errors that stand for what was blocked: one of those that JSON-RPC leaves to implementations.
const Blocked = -32099

// refusal is why a message is blocked.
type refusal struct{ rule, reason, hint string }

// error is the error that who waits for an answer gets. It says the rule, what it is about and what to do, and nothing of what was
// blocked.
func (r refusal) error(id string) []byte {
	if id == "" {
		id = "null"
	}
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32099,"message":`)
	b.WriteString(source.Quote("mcpassay blocked this message: " + r.reason + " (" + r.rule + "). What to do: " + r.hint))
	b.WriteString(`,"data":{"rule":` + source.Quote(r.rule) + `,"reason":` + source.Quote(r.reason) + `,"hint":` + source.Quote(r.hint) + `}}}`)
	return []byte(b.String())
}

// refusal is the error for what a rule or a gate blocks.
func (s *Session) refusal(id string, r refusal) []byte {
	r.reason = cmp.Or(r.reason, s.titles[r.rule], "it could not be judged")
	r.hint = cmp.Or(r.hint, "mcpassay explain "+r.rule)
	return r.error(id)
}

// single makes what becomes of a frame of one message that does not pass as it is.
func (s *Session) single(r *Result, from Side, raw []byte, p *part) {
	if p.action == Redact {
		if out, ok := redacted(raw, 0, p.edits); ok && s.readable(out) {
			r.Forward = out
		}
		return
	}
	switch p.message {
	case wire.Response: // who asked waits for it
		r.Forward = s.refusal(p.id, p.refusal)
	case wire.Request:
		r.Reply = s.refusal(p.id, p.refusal)
	}
}

// batch makes what becomes of a batch of which a message does not pass as it is: the others do, byte for byte.
func (s *Session) batch(r *Result, from Side, raw []byte, list source.Node, parts []*part) {
	var on, back [][]byte
	i := 0
	for n := range list.Children() {
		p := parts[i]
		i++
		text := n.Raw()
		switch {
		case p.action == Redact:
			out, ok := redacted(text, n.Span().Start, p.edits)
			if !ok || !s.readable(out) {
				*r = s.refused(from, raw, traffic.Failed, "what was to be forwarded could not be made")
				return
			}
			on = append(on, out)
		case p.action < Redact:
			on = append(on, text)
		case p.message == wire.Response:
			on = append(on, s.refusal(p.id, p.refusal))
		case p.message == wire.Request:
			back = append(back, s.refusal(p.id, p.refusal))
		}
	}
	r.Forward, r.Reply = array(on), array(back)
}

func array(parts [][]byte) []byte {
	if len(parts) == 0 {
		return nil
	}
	return append(append([]byte("["), bytes.Join(parts, []byte(","))...), ']')
}

// redacted makes edits on the part of a frame that begins at start.
func redacted(raw []byte, start int, edits []finding.Edit) ([]byte, bool) {
	moved := make([]finding.Edit, 0, len(edits))
	for _, e := range edits {
		e.Offset -= start
		moved = append(moved, e)
	}
	out, err := source.Apply(raw, apart(moved))
	return out, err == nil
}

// apart leaves out the edits that lie within others: two rules may take out one stretch.
func apart(edits []finding.Edit) []finding.Edit {
	var out []finding.Edit
	for i, e := range edits {
		within := false
		for k, o := range edits {
			if k == i || e == o && k > i {
				continue
			}
			within = within || o.Offset <= e.Offset && e.Offset+e.Length <= o.Offset+o.Length
		}
		if !within {
			out = append(out, e)
		}
	}
	return out
}

// readable says whether bytes of ours are a frame still.
func (s *Session) readable(out []byte) bool {
	f := wire.ParseFrame(out, s.lim)
	event, _ := flawed(&f)
	return event == traffic.None
}

// refused is what becomes of a frame that can not be judged. Who waits for it, as far as its id can be made out, gets an error.
func (s *Session) refused(from Side, raw []byte, e traffic.Event, detail string) Result {
	r := Result{Findings: s.told(from, e, detail)}
	if from == Server && e == traffic.Malformed && banner(raw) {
		// What a server prints beside its messages is no message to anybody, and no client takes it for one.
		for i := range r.Findings {
			r.Findings[i].Action = "note"
		}
		r.Action, r.Forward = Note, raw
		return r
	}
	r.Action = Block
	rule := "traffic/" + string(e)
	if len(r.Findings) > 0 {
		rule = r.Findings[0].Rule
	}
	ids, request, answer := idsOf(raw, s.lim.GuardedBatch)
	if from == Server && len(ids) == 0 && answer && !request { // an answer to nobody: where one alone waits, it is that one's
		if id, ok := s.asked[Client].only(); ok {
			ids = append(ids, id)
		}
	}
	switch {
	case from == Client && len(ids) == 0:
		r.Reply = s.refusal("", refusal{rule: rule})
	case from == Client || request:
		r.Reply = s.refusals(ids, rule)
	default:
		r.Forward = s.refusals(ids, rule)
		for _, id := range ids {
			s.asked[Client].take(canonical(id))
		}
	}
	s.lenient(&r, raw)
	return r
}

// told is what the rules say of an event. It fails in no way: a rule that panics here says nothing.
func (s *Session) told(from Side, e traffic.Event, detail string) (found []finding.Finding) {
	defer func() {
		if recover() != nil {
			found = nil
		}
	}()
	s.found = s.found[:0]
	s.judge(s.reader.Event(e, detail, from == Server))
	return s.settled()
}

func (s *Session) refusals(ids []string, rule string) []byte {
	if len(ids) == 1 {
		return s.refusal(ids[0], refusal{rule: rule})
	}
	var all [][]byte
	for _, id := range ids {
		all = append(all, s.refusal(id, refusal{rule: rule}))
	}
	return array(all)
}

// banner says whether a line begins as no message does.
func banner(raw []byte) bool {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	return len(raw) > 0 && raw[0] != '{' && raw[0] != '[' && raw[0] < 0x80
}
