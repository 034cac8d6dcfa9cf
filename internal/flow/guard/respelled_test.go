package guard

import (
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Decoders of Go's standard library, and of others, take a member in any case, and ſ for s: they would call another tool, with other
// arguments, than was judged.
func TestAMemberThatOnlySomeReadersTakeIsRefused(t *testing.T) {
	t.Parallel()
	many := ""
	for i := range 40 {
		many += `"x` + strings.Repeat("y", i) + `":0,`
	}
	for _, raw := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"safe","Name":"evil","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"safe","Arguments":{"path":"/etc/passwd"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"safe","argument\u017f":{"path":"/etc/passwd"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + many + `"name":"safe","arguments":{},"ARGUMENTS":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","Params":{"name":"evil"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","param\u017f":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///a","URI":"file:///b"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"Name":"p"}}`,
	} {
		if r := NewSession(Options{}).Frame(Client, []byte(raw)); r.Action != Block || r.Forward != nil || r.Reply == nil {
			t.Errorf("%s: %v, forwarded %q", raw, r.Action, r.Forward)
		}
	}
	for _, raw := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"Tools":[{"name":"a","description":"Adds."}]}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"content":[],"Content":[]}}`,
		`{"jsonrpc":"2.0","id":1,"result":{},"Result":{}}`,
	} {
		s := NewSession(Options{})
		s.Frame(Client, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if r := s.Frame(Server, []byte(raw)); r.Action != Block {
			t.Errorf("%s: %v", raw, r.Action)
		}
	}
	for _, raw := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"safe","arguments":{"Name":"Ada","Arguments":"x"},"_meta":{"Name":1}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"example/own","params":{"Name":"Ada"}}`,
	} {
		if r := NewSession(Options{}).Frame(Client, []byte(raw)); r.Forward == nil {
			t.Errorf("%s: %v", raw, r.Findings)
		}
	}
}

// With arguments that are no object there is no argument of the name that a policy bounds, and some servers read a text as JSON.
func TestBoundsHoldWhereArgumentsAreNoObject(t *testing.T) {
	t.Parallel()
	p := policyOf(t, "x", nil, told(t, true, "servers:\n  x:\n    tools:\n      read: {paths: {path: [/docs]}}\n"))
	for args, blocked := range map[string]bool{`"{\"path\":\"/etc/passwd\"}"`: true, `["/etc/passwd"]`: true, `1`: true, `{}`: false, `null`: false, `{"path":"/docs/a"}`: false} {
		doc, err := source.Parse("", []byte(args), source.JSON, limits.Default)
		if err != nil {
			t.Fatal(err)
		}
		all := p.call("read", doc.Root(), false)
		if (len(all) == 1 && all[0].Action == Block && all[0].Rule == "traffic/argument-out-of-bounds") != blocked {
			t.Errorf("%s: %v", args, all)
		}
	}
}
