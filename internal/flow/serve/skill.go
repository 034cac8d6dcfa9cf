package serve

import (
	"context"
	"encoding/json"
	"errors"
)

// Skill is one thing that a caller can ask for: a tool in MCP, a skill in A2A.
type Skill struct {
	// Name is what it is called by, Title and Description what a person and a model read.
	Name, Title, Description string
	// Input and Output are the JSON Schemas of the arguments and of the answer, objects both.
	Input, Output json.RawMessage
	// OpenWorld says that it may ask servers of others.
	OpenWorld bool
	// Writes says that it may change files of the user.
	Writes bool
	// Slow says that it takes more than a moment: on stdio it holds up no other answer.
	Slow bool
	// Local says that it looks at this machine: only whoever started the server may ask for it, over standard input.
	Local bool
	// Call answers. arguments is one JSON object, {} where the caller gave none. An error is said to the caller as it
	// stands, as a tool that failed and as a task that failed, so it holds nothing that is not his to know.
	Call func(ctx context.Context, caller Caller, arguments json.RawMessage) (Result, error)
}

// Result is the answer of a skill, in the two forms that the command line prints.
type Result struct {
	// JSON is one object in one line: the structured content of the MCP tool and the data part of the A2A artifact, byte for
	// byte.
	JSON json.RawMessage
	// Text is the same for people, and for models: the text report.
	Text string
	// said is both as the members of a tool's result, for an answer that many get.
	said []byte
}

// Caller is who asks, as far as a request tells. All of it but Address is a claim, and hostile.
type Caller struct {
	// Lane is the protocol that he asks in.
	Lane Lane
	// Address is where the connection came from, without the port. Empty on stdio.
	Address string
	// Agent is the User-Agent of the request, or on stdio the client's name and version.
	Agent string
	// Base is the origin under which he reached us. Empty on stdio.
	Base string
}

// Lane is a protocol that skills are offered in.
type Lane string

// The lanes.
const (
	MCP Lane = "mcp"
	A2A Lane = "a2a"
)

// Do calls the skill. A fault of ours ends the call and not the server.
func (k *Skill) Do(ctx context.Context, c Caller, arguments json.RawMessage) (r Result, err error) {
	defer func() {
		if recover() != nil {
			r, err = Result{}, errors.New("internal error in "+k.Name+": please report it, with what you sent")
		}
	}()
	return k.Call(ctx, c, arguments)
}

// Prepared is the result with what tools/call says of it, worked out once.
func (r Result) Prepared() Result {
	r.said = r.members()
	return r
}

// members are the members of a tool's result that both eras have.
func (r Result) members() []byte {
	if r.said != nil {
		return r.said
	}
	text := r.Text
	if text == "" {
		text = string(r.JSON)
	}
	said := append([]byte(`"content":[{"type":"text","text":`), quote(text)...)
	said = append(said, `}],"structuredContent":`...)
	said = append(said, r.JSON...)
	return append(said, '}')
}

// failed is the result of a tool that failed, in words that the model can act on (2025-11-25: SEP-1303).
func failed(err error) []byte {
	return append(append([]byte(`"content":[{"type":"text","text":`), quote(err.Error())...), `}],"isError":true}`...)
}

// quote is a string as JSON, in one line and with nothing in it that could drive a terminal or a page.
func quote(s string) []byte {
	raw, err := json.Marshal(s)
	if err != nil { // there is no string that can not be encoded
		return []byte(`""`)
	}
	return raw
}
