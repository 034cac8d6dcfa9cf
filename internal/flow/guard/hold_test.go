package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/lock"
)

const key0 = "WORDTHATNOSERVERKNOWS"

// asking is a session whose policy asks about "pay", with a clock that the test moves.
type asking struct {
	*Session
	now time.Duration
}

func newAsking(t *testing.T, o Options) *asking {
	t.Helper()
	a := &asking{}
	o.Policy = policyOf(t, "shop", &a.now, told(t, true, "servers: {shop: {tools: {pay: ask}}}"))
	o.Name, o.Key, o.Now = "shop", key0, func() time.Duration { return a.now }
	a.Session = NewSession(o)
	return a
}

func (a *asking) hello(capabilities string) {
	a.Frame(Client, []byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":{"name":"t","version":"1"}}}`))
	a.Frame(Server, []byte(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shop","version":"1"}}}`))
}

const elicits = `{"elicitation":{}}`

const pay = `{"jsonrpc":"2.0","id":"p","method":"tools/call","params":{"name":"pay","arguments":{"to":"bob\u202e","sum":12345678901234567890}}}`

// asked gives the id and the message of a question to a person.
func asked(t *testing.T, raw []byte) (id, message string) {
	t.Helper()
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Message         string
			RequestedSchema json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &m); err != nil || m.Method != "elicitation/create" || string(m.Params.RequestedSchema) != `{"type":"object","properties":{}}` {
		t.Fatalf("%s asks nobody: %v", raw, err)
	}
	return string(m.ID), m.Params.Message
}

func answer(id, action string) []byte {
	return []byte(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"` + action + `"}}`)
}

func TestAPersonIsAskedAndTheCallGoesOnOrNot(t *testing.T) {
	t.Parallel()
	for action, want := range map[string]Side{"accept": Server, "decline": Client, "cancel": Client, "": Client, "ACCEPT": Client} {
		a := newAsking(t, Options{})
		a.hello(elicits)
		r := a.Frame(Client, []byte(pay))
		if r.Action != Ask || r.Forward != nil || r.Wait != limits.Default.GuardAsk || a.Held() != 1 {
			t.Fatalf("%+v", r)
		}
		id, message := asked(t, r.Reply)
		if !strings.Contains(message, "pay of shop") || !strings.Contains(message, "12345678901234567890") || strings.Contains(message, "\u202e") || !strings.Contains(message, "guard.yaml:1") {
			t.Errorf("the person reads %q", message)
		}
		// All else goes on in the meantime, both ways.
		other := []byte(call("7", "look"))
		if r := a.Frame(Client, other); string(r.Forward) != string(other) {
			t.Errorf("another call: %+v", r)
		}
		if r := a.Frame(Server, []byte(result("7", "x"))); r.Action != Pass || len(r.Freed) != 0 {
			t.Errorf("another answer: %+v", r)
		}
		r = a.Frame(Client, answer(id, action))
		if r.Forward != nil || r.Reply != nil || len(r.Freed) != 1 || r.Freed[0].To != want || r.Freed[0].ID != `"p"` || a.Held() != 0 {
			t.Fatalf("%s: %+v", action, r)
		}
		if want == Server && string(r.Freed[0].Raw) != pay {
			t.Errorf("%s goes on", r.Freed[0].Raw)
		}
		if want == Client {
			if id, rule := errorOf(t, r.Freed[0].Raw); id != `"p"` || rule != needsLeave {
				t.Errorf("%s %s", id, rule)
			}
		}
		// A second answer is nobody's, and no server sees it.
		if r := a.Frame(Client, answer(id, "accept")); r.Forward != nil || len(r.Freed) != 0 {
			t.Errorf("a second answer: %+v", r)
		}
	}
}

func TestWhoCanNotBeAskedIsToldHowToAllowIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		capabilities, raw string
	}{
		"a client that asks nobody":         {`{}`, pay},
		"a client that shows addresses":     {`{"elicitation":{"url":{}}}`, pay},
		"a call that waits for no answer":   {elicits, strings.Replace(pay, `"id":"p",`, "", 1)},
		"a call in a batch":                 {elicits, "[" + pay + "," + call("2", "look") + "]"},
		"a modern client that asks nobody":  {elicits, modernCall("p", `{}`, "")},
		"a modern client of addresses only": {elicits, modernCall("p", `{"elicitation":{"url":{}}}`, "")},
	} {
		a := newAsking(t, Options{})
		a.hello(c.capabilities)
		r := a.Frame(Client, []byte(c.raw))
		if r.Action != Block || a.Held() != 0 || bytes.Contains(r.Forward, []byte("pay")) {
			t.Errorf("%s: %+v", name, r)
		}
		if !strings.Contains(name, "no answer") && !bytes.Contains(r.Reply, []byte("mcpassay guard allow shop --tool pay")) {
			t.Errorf("%s: %s", name, r.Reply)
		}
	}
}

func TestNobodyWaitsForEver(t *testing.T) {
	t.Parallel()
	a := newAsking(t, Options{})
	a.hello(elicits)
	id, _ := asked(t, a.Frame(Client, []byte(pay)).Reply)
	a.now += limits.Default.GuardAsk / 2
	if r := a.Overdue(false); len(r.Freed) != 0 || r.Wait != limits.Default.GuardAsk/2 {
		t.Errorf("too early: %+v", r)
	}
	a.now -= time.Hour // a clock that goes back
	if r := a.Overdue(false); len(r.Freed) != 0 {
		t.Errorf("a clock that goes back: %+v", r)
	}
	a.now += time.Hour + limits.Default.GuardAsk
	r := a.Overdue(false)
	if len(r.Freed) != 2 || r.Action != Block || r.Wait != 0 || !bytes.Contains(r.Freed[0].Raw, []byte(`"requestId":`+id)) {
		t.Fatalf("%+v", r)
	}
	if id, _ := errorOf(t, r.Freed[1].Raw); id != `"p"` {
		t.Errorf("the error has the id %s", id)
	}
	if r := a.Frame(Client, answer(id, "accept")); r.Forward != nil || len(r.Freed) != 0 {
		t.Errorf("an answer that comes too late: %+v", r)
	}
	// The client gives up by itself, or is gone.
	id, _ = asked(t, a.Frame(Client, []byte(pay)).Reply)
	r = a.Frame(Client, []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"p"}}`))
	if len(r.Freed) != 1 || !bytes.Contains(r.Freed[0].Raw, []byte(`"requestId":`+id)) || a.Held() != 0 {
		t.Errorf("%+v", r)
	}
	a.Frame(Client, []byte(pay))
	if r := a.Overdue(true); len(r.Freed) != 2 || a.Held() != 0 {
		t.Errorf("%+v", r)
	}
}

func TestWhatWaitsIsBounded(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*limits.Set){"calls": func(l *limits.Set) { l.GuardedHeld = 2 }, "bytes": func(l *limits.Set) { l.GuardedHeldBytes = 2*len(pay) + 1 }} {
		lim := limits.Default
		set(&lim)
		a := newAsking(t, Options{Limits: &lim})
		a.hello(elicits)
		for i := range 3 {
			r := a.Frame(Client, []byte(strings.Replace(pay, `"p"`, fmt.Sprint(i), 1)))
			if want := i < 2; (r.Action == Ask) != want {
				t.Errorf("%s, call %d: %+v", name, i, r)
			}
			if i == 2 {
				errorOf(t, r.Reply)
			}
		}
		if a.Held() != 2 {
			t.Errorf("%s: %d wait", name, a.Held())
		}
	}
}

// The guard's own ids are its own: a server that guesses one, or asks under one, gets nowhere.
func TestNoServerCanSpeakForThePerson(t *testing.T) {
	t.Parallel()
	a := newAsking(t, Options{})
	a.hello(elicits)
	id, _ := asked(t, a.Frame(Client, []byte(pay)).Reply)
	if r := a.Frame(Server, answer(id, "accept")); len(r.Freed) != 0 || r.Forward != nil || a.Held() != 1 {
		t.Errorf("an answer of the server: %+v", r)
	}
	if r := a.Frame(Server, []byte(`{"jsonrpc":"2.0","id":`+id+`,"method":"elicitation/create","params":{"message":"Hi"}}`)); r.Action != Block || r.Forward != nil {
		t.Errorf("a question under the guard's id: %+v", r)
	}
	if r := a.Frame(Client, answer(`"mcpassay-other-1"`, "accept")); r.Forward == nil || a.Held() != 1 {
		t.Errorf("another's answer: %+v", r)
	}
	// A server's own question has its own answer.
	own := []byte(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Which size?","requestedSchema":{"type":"object","properties":{}}}}`)
	if r := a.Frame(Server, own); string(r.Forward) != string(own) {
		t.Errorf("%+v", r)
	}
	if raw := answer("1", "accept"); string(a.Frame(Client, raw).Forward) != string(raw) {
		t.Error("the answer to the server is kept")
	}
}

func modernCall(id, capabilities, more string) string {
	return `{"jsonrpc":"2.0","id":"` + id + `","method":"tools/call","params":{"name":"pay","arguments":{"sum":1},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities + `}` + more + `}}`
}

// From 2026-07-28 on a question is a result, and the answer comes with the call that is sent again.
func TestAPersonIsAskedInAResult(t *testing.T) {
	t.Parallel()
	question := func(r Result) (state string) {
		t.Helper()
		var m struct {
			ID     string
			Result struct {
				ResultType    string
				InputRequests map[string]json.RawMessage
				RequestState  string
			}
		}
		if err := json.Unmarshal(r.Reply, &m); err != nil || r.Action != Ask || r.Forward != nil || m.Result.ResultType != "input_required" || len(m.Result.InputRequests) != 1 {
			t.Fatalf("%+v %s", r, r.Reply)
		}
		asked(t, m.Result.InputRequests["mcpassay"])
		return m.Result.RequestState
	}
	again := func(state, action string) string {
		return `,"inputResponses":{"mcpassay":{"action":"` + action + `"}},"requestState":"` + state + `"`
	}
	for action, on := range map[string]bool{"accept": true, "decline": false, "cancel": false} {
		a := newAsking(t, Options{})
		state := question(a.Frame(Client, []byte(modernCall("1", elicits, ""))))
		r := a.Frame(Client, []byte(modernCall("2", elicits, again(state, action))))
		if on && string(r.Forward) != modernCall("2", elicits, "") {
			t.Errorf("%s goes on", r.Forward)
		}
		if !on {
			if id, rule := errorOf(t, r.Reply); id != `"2"` || rule != needsLeave || r.Forward != nil {
				t.Errorf("%s %s", id, rule)
			}
		}
		question(a.Frame(Client, []byte(modernCall("3", elicits, again(state, "accept"))))) // once is not for ever
	}
	a := newAsking(t, Options{})
	state := question(a.Frame(Client, []byte(modernCall("1", elicits, ""))))
	other := strings.Replace(modernCall("2", elicits, again(state, "accept")), `"sum":1`, `"sum":1000`, 1)
	question(a.Frame(Client, []byte(other)))
	question(a.Frame(Client, []byte(modernCall("3", elicits, again("mcpassay-x-1", "accept")))))
	// The server has a question of its own: nobody is asked the first one again.
	r := a.Frame(Client, []byte(modernCall("4", elicits, again(state, "accept"))))
	if r.Forward == nil {
		t.Fatalf("%+v", r)
	}
	a.Frame(Server, []byte(`{"jsonrpc":"2.0","id":"4","result":{"resultType":"input_required","inputRequests":{"size":{"method":"elicitation/create","params":{"message":"Which size?"}}},"requestState":"s1"}}`))
	next := modernCall("5", elicits, `,"inputResponses":{"size":{"action":"accept","content":{}}},"requestState":"s1"`)
	if r := a.Frame(Client, []byte(next)); string(r.Forward) != next {
		t.Errorf("%+v", r)
	}
	a.Frame(Server, []byte(`{"jsonrpc":"2.0","id":"5","result":{"resultType":"complete","content":[]}}`))
	question(a.Frame(Client, []byte(next)))
	if len(a.granted) != 0 {
		t.Errorf("%v is granted still", a.granted)
	}
}

func TestOffersAreForgottenOldestFirst(t *testing.T) {
	t.Parallel()
	lim := limits.Default
	lim.GuardedHeld = 2
	a := newAsking(t, Options{Limits: &lim})
	for i := range 5 {
		a.Frame(Client, []byte(modernCall(fmt.Sprint(i), elicits, "")))
	}
	if len(a.offers) != 2 {
		t.Errorf("%d are kept", len(a.offers))
	}
}

// The third step of a flow of private data to strangers waits for a person.
func TestAToxicFlowIsAskedAbout(t *testing.T) {
	t.Parallel()
	list := `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"read_file","description":"Reads a file from disk.","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Path of the file"}}}},{"name":"fetch_url","description":"Fetches a web page from the internet and returns its text.","inputSchema":{"type":"object","properties":{"url":{"type":"string","description":"URL of the page"}}}},{"name":"send_email","description":"Sends an email to a recipient.","inputSchema":{"type":"object","properties":{"to":{"type":"string","description":"Address of the recipient"},"body":{"type":"string","description":"Text of the mail"}}}}]}}`
	flow := func(a *asking) Result {
		a.Frame(Client, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		a.Frame(Server, []byte(list))
		for i, tool := range []string{"read_file", "fetch_url"} {
			a.Frame(Client, []byte(call(fmt.Sprint(i+2), tool)))
			a.Frame(Server, []byte(result(fmt.Sprint(i+2), "x")))
		}
		return a.Frame(Client, []byte(call("9", "send_email")))
	}
	a := newAsking(t, Options{})
	a.hello(elicits)
	r := flow(a)
	id, message := asked(t, r.Reply)
	if r.Action != Ask || !strings.Contains(message, "toxic-flow") {
		t.Errorf("%+v %s", r, message)
	}
	if r := a.Frame(Client, answer(id, "accept")); len(r.Freed) != 1 || string(r.Freed[0].Raw) != call("9", "send_email") {
		t.Errorf("%+v", r)
	}
	a = newAsking(t, Options{})
	a.hello(`{}`)
	if r := flow(a); r.Action != Block || !bytes.Contains(r.Reply, []byte("mcpassay guard allow shop --rule traffic/toxic-flow")) {
		t.Errorf("%s", r.Reply)
	}
	a = newAsking(t, Options{})
	a.policy = policyOf(t, "shop", nil, told(t, false, "rules: {toxic-flow: block}"))
	a.hello(elicits)
	if r := flow(a); r.Action != Block || r.Reply == nil {
		t.Errorf("%+v", r)
	}
}

// fixed is what persons have told a guard.
type fixed struct {
	mode    Mode
	allowed string
}

func (f fixed) Mode() Mode                    { return f.mode }
func (f fixed) Allows(rule, tool string) bool { return f.allowed == rule+" "+tool }

func TestWhatIsPausedOrAuditedGoesOnAndIsSaid(t *testing.T) {
	t.Parallel()
	injected := result("1", order)
	for _, mode := range []Mode{Paused, AuditOnly} {
		for name, c := range map[string]struct {
			from  Side
			raw   string
			would Action
		}{
			"a blocked result":     {Server, injected, Block},
			"a redacted one":       {Server, result("1", token), Redact},
			"a call to ask about":  {Client, pay, Ask},
			"what is no message":   {Client, `nonsense`, Block},
			"an ambiguous one":     {Server, `{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}`, Block},
			"a call of an unknown": {Client, call("4", "nobody"), Block},
			"one of a batch":       {Server, "[" + injected + "]", Block},
		} {
			gate := Locked(&lock.Server{Name: "shop", Items: [4][]lock.Item{{{Name: "pay", JSON: []byte(`{"name":"pay","inputSchema":{"type":"object"}}`)}}}}, limits.Default)
			a := newAsking(t, Options{Leave: fixed{mode: mode}, Gate: gate})
			a.hello(elicits)
			r := a.Frame(c.from, []byte(c.raw))
			if r.Action != Note || r.Would != c.would || r.Mode != mode || string(r.Forward) != c.raw || r.Reply != nil || len(r.Findings) == 0 {
				t.Errorf("%s, %s: %+v", mode, name, r)
			}
		}
	}
	// Nothing is held for a list either.
	a := newAsking(t, Options{Leave: fixed{mode: Paused}, Gate: FirstUse("shop", lock.Launch{}, nil, &pinned{}, limits.Default)})
	if r := a.Frame(Client, []byte(call("1", "look"))); string(r.Forward) != call("1", "look") || a.Held() != 0 {
		t.Errorf("%+v", r)
	}
}

func TestWhatIsAllowedGoesOn(t *testing.T) {
	t.Parallel()
	a := newAsking(t, Options{Leave: fixed{allowed: needsLeave + " pay"}})
	if r := a.Frame(Client, []byte(pay)); r.Action != Note || string(r.Forward) != pay || r.Mode != Enforcing {
		t.Errorf("%+v", r)
	}
	a = newAsking(t, Options{Leave: fixed{allowed: "traffic/injection-in-result look"}})
	a.Frame(Client, []byte(call("1", "look")))
	if r := a.Frame(Server, []byte(result("1", order))); r.Action != Note || string(r.Forward) != result("1", order) {
		t.Errorf("%+v", r)
	}
	for _, rule := range []string{"traffic/malformed-frame", "traffic/frame-too-large", "traffic/inspection-truncated", "traffic/inspection-failed", "traffic/unapproved-tool", "traffic/tool-denied", "drift/schema-changed", "mcp-schema/invalid-json", ""} {
		if Allowable(rule) {
			t.Errorf("%s can be allowed", rule)
		}
	}
}

func firstUse(t *testing.T, pins *pinned) *asking {
	return newAsking(t, Options{Gate: FirstUse("shop", lock.Launch{}, nil, pins, limits.Default)})
}

const listed = `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"look","inputSchema":{"type":"object"}}]%s}}`

// A call that is sent behind the question for the tools, before they have come, waits for them.
func TestACallBeforeTheListWaitsForIt(t *testing.T) {
	t.Parallel()
	a := firstUse(t, &pinned{})
	a.Frame(Client, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	for _, one := range []string{call("2", "look"), call("3", "hidden")} {
		if r := a.Frame(Client, []byte(one)); r.Forward != nil || r.Reply != nil || r.Wait != limits.Default.GuardList || r.Action != Note {
			t.Fatalf("%+v", r)
		}
	}
	if r := a.Frame(Server, []byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)); len(r.Freed) != 0 {
		t.Errorf("%+v", r)
	}
	list := fmt.Sprintf(listed, "1", "")
	r := a.Frame(Server, []byte(list))
	if string(r.Forward) != list || len(r.Freed) != 2 || r.Freed[0].To != Server || string(r.Freed[0].Raw) != call("2", "look") || r.Freed[1].To != Client || a.Held() != 0 {
		t.Fatalf("%+v", r)
	}
	if id, rule := errorOf(t, r.Freed[1].Raw); id != "3" || rule != unapproved {
		t.Errorf("%s %s", id, rule)
	}
	if r := a.Frame(Server, []byte(result("2", "x"))); r.Action != Pass {
		t.Errorf("%+v", r)
	}
}

// Where the client has not asked for the tools, the guard does, page by page, and no one else sees the answer.
func TestTheGuardAsksForTheToolsItself(t *testing.T) {
	t.Parallel()
	idOf := func(raw []byte) string {
		t.Helper()
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Cursor string }
		}
		if json.Unmarshal(raw, &m) != nil || m.Method != "tools/list" {
			t.Fatalf("%s", raw)
		}
		return string(m.ID)
	}
	a := firstUse(t, &pinned{})
	id := idOf(a.Frame(Client, []byte(call("2", "look"))).Forward)
	if r := a.Frame(Client, []byte(call("3", "look"))); r.Forward != nil {
		t.Errorf("it is asked for twice: %s", r.Forward)
	}
	r := a.Frame(Server, fmt.Appendf(nil, listed, id, `,"nextCursor":"c\"2"`))
	if r.Forward != nil || len(r.Freed) != 0 || !bytes.Contains(r.Reply, []byte(`"cursor":"c\"2"`)) {
		t.Fatalf("%+v %s", r, r.Reply)
	}
	r = a.Frame(Server, fmt.Appendf(nil, strings.Replace(listed, "look", "buy", 1), idOf(r.Reply), ""))
	if r.Forward != nil || r.Reply != nil || len(r.Freed) != 2 || r.Freed[0].To != Server || r.Freed[1].To != Server {
		t.Fatalf("%+v", r)
	}
	if r := a.Frame(Client, []byte(call("4", "buy"))); r.Action != Pass {
		t.Errorf("%+v", r)
	}
	// A modern request says the same of itself as the call.
	a = firstUse(t, &pinned{})
	r = a.Frame(Client, []byte(strings.Replace(modernCall("1", "{}", ""), "pay", "look", 1)))
	if !bytes.Contains(r.Forward, []byte(`"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"`)) {
		t.Errorf("%s", r.Forward)
	}
	// A list that is stopped, none, one without an end, and one that does not come.
	for name, come := range map[string]func(a *asking, id string) Result{
		"an error": func(a *asking, id string) Result {
			return a.Frame(Server, []byte(`{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32601,"message":"no"}}`))
		},
		"no list": func(a *asking, id string) Result {
			return a.Frame(Server, []byte(`{"jsonrpc":"2.0","id":`+id+`,"result":{}}`))
		},
		"a poisoned list": func(a *asking, id string) Result {
			return a.Frame(Server, []byte(`{"jsonrpc":"2.0","id":`+id+`,"result":{"tools":[{"name":"look","description":"`+order+`"}]}}`))
		},
		"what can't be kept": func(a *asking, id string) Result { return a.Frame(Server, fmt.Appendf(nil, listed, id, "")) },
		"silence":            func(a *asking, _ string) Result { a.now += limits.Default.GuardList; return a.Overdue(false) },
		"pages without end": func(a *asking, id string) (r Result) {
			for range limits.Default.GuardedPages + 1 {
				if r = a.Frame(Server, fmt.Appendf(nil, listed, id, `,"nextCursor":"x"`)); r.Reply == nil {
					return r
				}
				id = idOf(r.Reply)
			}
			return r
		},
	} {
		pins := &pinned{}
		if name == "what can't be kept" {
			pins.err = errors.New("the disk is full")
		}
		a := firstUse(t, pins)
		tool := "look"
		if strings.HasPrefix(name, "pages") {
			tool = "hidden"
		}
		r := come(a, idOf(a.Frame(Client, []byte(call("2", tool))).Forward))
		if r.Forward != nil || len(r.Freed) != 1 || r.Freed[0].To != Client || a.Held() != 0 {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		if id, rule := errorOf(t, r.Freed[0].Raw); id != "2" || rule != unapproved {
			t.Errorf("%s: %s %s", name, id, rule)
		}
	}
}

// A lock holds from the first frame on: nothing waits, and nothing is let through for want of a list.
func TestALockWaitsForNoList(t *testing.T) {
	t.Parallel()
	a := newAsking(t, Options{Gate: Locked(&lock.Server{Name: "shop", Items: [4][]lock.Item{{{Name: "look", JSON: []byte(`{"name":"look","inputSchema":{"type":"object"}}`)}}}}, limits.Default)})
	if r := a.Frame(Client, []byte(call("1", "look"))); r.Action != Pass {
		t.Errorf("%+v", r)
	}
	if r := a.Frame(Client, []byte(call("2", "hidden"))); r.Action != Block || r.Reply == nil {
		t.Errorf("%+v", r)
	}
	if r := a.Frame(Client, []byte(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"hidden"}}`)); r.Action != Block || r.Forward != nil {
		t.Errorf("a call that waits for no answer: %+v", r)
	}
}

// An answer without an id is the answer to the one request that waits.
func TestAMalformedAnswerLeavesNobodyHanging(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asked  []string
		answer string
		id     string
	}{
		"one waits":               {[]string{call("7", "a")}, `{"jsonrpc":"2.0","result":{"content":[]}}`, "7"},
		"one by a text":           {[]string{call(`"a\u0022b"`, "a")}, `{"jsonrpc":"2.0","result":{"content":[}`, `"a\"b"`},
		"one that has an error":   {[]string{call("7", "a")}, `{"jsonrpc":"2.0","error":"no"}`, "7"},
		"two wait":                {[]string{call("7", "a"), call("8", "a")}, `{"jsonrpc":"2.0","result":{}}`, ""},
		"nobody waits":            {nil, `{"jsonrpc":"2.0","result":{}}`, ""},
		"it is no answer":         {[]string{call("7", "a")}, `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":}}`, ""},
		"it is a line of a log":   {[]string{call("7", "a")}, `[INFO] the "result" is 7`, ""},
		"it is an object of logs": {[]string{call("7", "a")}, `{"level":"info","msg":"ready"}`, ""},
	} {
		s := NewSession(Options{})
		for _, a := range c.asked {
			s.Frame(Client, []byte(a))
		}
		r := s.Frame(Server, []byte(c.answer))
		if r.Action != Block || len(r.Findings) != 1 || r.Findings[0].Rule != "traffic/malformed-frame" {
			t.Errorf("%s: %s %s", name, r.Action, said(r))
		}
		if c.id == "" {
			if r.Forward != nil || r.Reply != nil {
				t.Errorf("%s: %s", name, r.Forward)
			}
			continue
		}
		if id, _ := errorOf(t, r.Forward); id != c.id {
			t.Errorf("%s: the error has the id %s", name, id)
		}
	}
}

// The relay moves what waited, in whole lines, and does not close the server's input before.
func TestTheRelayMovesWhatWaited(t *testing.T) {
	t.Parallel()
	a := firstUse(t, &pinned{})
	serverIn, toServer := io.Pipe()
	fromServer, serverOut := io.Pipe()
	var down bytes.Buffer
	go func() { // it answers each request once it has read it, and ends with its input
		d := json.NewDecoder(serverIn)
		for {
			var m struct {
				ID     json.RawMessage
				Method string
			}
			if d.Decode(&m) != nil {
				_ = serverOut.Close()
				return
			}
			if m.Method == "tools/list" {
				fmt.Fprintf(serverOut, listed+"\n", m.ID, "")
			} else {
				fmt.Fprintf(serverOut, "%s\n", result(string(m.ID), "called"))
			}
		}
	}()
	r := Relay{Judge: a.Session, Limits: limits.Default}
	err := r.Run(Ends{ClientIn: strings.NewReader(call("2", "look") + "\n" + call("3", "hidden") + "\n" + call("4", "look")), ClientOut: &down, ServerIn: toServer, ServerOut: fromServer})
	if err != nil {
		t.Fatal(err)
	}
	out := down.String()
	if strings.Count(out, "\n") != 3 || !strings.Contains(out, result("2", "called")) || !strings.Contains(out, result("4", "called")) || !strings.Contains(out, `"id":3,"error"`) {
		t.Errorf("the client read\n%s", out)
	}
}

// A client that is gone while a person was asked leaves nothing open, and one whose time is over is told.
func TestTheRelayGivesUpWhatNobodyAnswers(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	lim := limits.Default
	lim.GuardAsk = 20 * time.Millisecond
	p := policyOf(t, "shop", nil, told(t, true, "servers: {shop: {tools: {pay: ask}}}"))
	s := NewSession(Options{Policy: p, Name: "shop", Key: key0, Limits: &lim, Now: func() time.Duration { return time.Since(begun) }})
	clientIn, fromClient := io.Pipe()
	serverIn, toServer := io.Pipe()
	fromServer, serverOut := io.Pipe()
	clientOut, toClient := io.Pipe()
	go func() {
		_, _ = io.Copy(io.Discard, serverIn)
		_ = serverOut.Close()
	}()
	r := Relay{Judge: s, Limits: lim}
	ended := make(chan error, 1)
	go func() {
		ended <- r.Run(Ends{ClientIn: clientIn, ClientOut: toClient, ServerIn: toServer, ServerOut: fromServer})
		_ = toClient.Close()
	}()
	go fmt.Fprintf(fromClient, "%s\n%s\n", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"elicitation":{}}}}`, pay)
	d := json.NewDecoder(clientOut)
	for _, want := range []string{"elicitation/create", "notifications/cancelled", ""} {
		var m struct {
			ID     json.RawMessage
			Method string
			Error  json.RawMessage
		}
		if err := d.Decode(&m); err != nil || m.Method != want || want == "" && (string(m.ID) != `"p"` || m.Error == nil) {
			t.Fatalf("%+v %v, want %q", m, err, want)
		}
	}
	go fmt.Fprintf(fromClient, "%s\n", pay)
	var m json.RawMessage
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	go func() { _ = fromClient.Close() }()
	if rest, err := io.ReadAll(io.MultiReader(d.Buffered(), clientOut)); err != nil || !bytes.Contains(rest, []byte(`"id":"p","error"`)) {
		t.Errorf("%s %v", rest, err)
	}
	if err := <-ended; err != nil || s.Held() != 0 {
		t.Error(err)
	}
}
