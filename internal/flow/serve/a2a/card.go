package a2a

import (
	"encoding/json"

	"github.com/mcpassay/mcpassay/internal/flow/serve"
)

// card is an agent's card: the members that 1.0 requires (A2A 1.0, section 4.4.1), and those that 0.3 clients read.
type card struct {
	Name                 string          `json:"name"`
	Description          string          `json:"description"`
	Version              string          `json:"version"`
	SupportedInterfaces  []iface         `json:"supportedInterfaces"`
	ProtocolVersion      string          `json:"protocolVersion"`
	URL                  string          `json:"url"`
	PreferredTransport   string          `json:"preferredTransport"`
	Capabilities         capabilities    `json:"capabilities"`
	DefaultInputModes    []string        `json:"defaultInputModes"`
	DefaultOutputModes   []string        `json:"defaultOutputModes"`
	Skills               []skill         `json:"skills"`
	SecuritySchemes      json.RawMessage `json:"securitySchemes,omitempty"`
	Security             json.RawMessage `json:"security,omitempty"`
	SecurityRequirements json.RawMessage `json:"securityRequirements,omitempty"`
}

type iface struct {
	URL     string  `json:"url"`
	Binding string  `json:"protocolBinding"`
	Version dialect `json:"protocolVersion"`
}

// capabilities are all absent, and say so.
type capabilities struct {
	Streaming         bool `json:"streaming"`
	PushNotifications bool `json:"pushNotifications"`
	ExtendedAgentCard bool `json:"extendedAgentCard"`
}

type skill struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Examples    []string `json:"examples"`
}

// binding is the one way in which the agents are spoken to.
const binding = "JSONRPC"

// The bearer token in the words of both versions: they put other members into one object.
const (
	bearerSchemes      = `{"bearer":{"type":"http","scheme":"bearer","httpAuthSecurityScheme":{"scheme":"Bearer"}}}`
	bearerSecurity     = `[{"bearer":[]}]`
	bearerRequirements = `[{"schemes":{"bearer":{"list":[]}}}]`
)

func (all *Agents) card(a *agent, base string) card {
	at := base + a.path()
	c := card{
		Name: "mcpassay " + a.name, Description: a.description, Version: all.o.Version,
		SupportedInterfaces: []iface{{at, binding, v10}, {at, binding, v03}},
		ProtocolVersion:     string(v03) + ".0", URL: at, PreferredTransport: binding,
		DefaultInputModes:  []string{mediaJSON, mediaText},
		DefaultOutputModes: []string{mediaJSON, mediaText},
	}
	for _, s := range a.skills {
		c.Skills = append(c.Skills, skill{s.Name, s.Title, s.Description, []string{"mcp", a.name}, []string{ready(s)}})
	}
	if all.o.Bearer {
		c.SecuritySchemes, c.Security, c.SecurityRequirements = []byte(bearerSchemes), []byte(bearerSecurity), []byte(bearerRequirements)
	}
	return c
}

// ready is the text of a message that calls a skill.
func ready(s serve.Skill) string { return string(encode(invocation{s.Name, []byte("{}")})) }

type invocation struct {
	Skill     string          `json:"skill"`
	Arguments json.RawMessage `json:"arguments"`
}

// body is a whole request that calls a skill. It is of 0.3, which needs no header.
func body(s serve.Skill) json.RawMessage {
	return encode(struct {
		Version string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{"2.0", 1, "message/send", map[string]any{"message": map[string]any{
		"kind": "message", "role": "user", "messageId": "1", "parts": v03.parts(ready(s), nil),
	}}})
}

// examples is the document with a body for each skill of each agent, and the schemas of what may go in and comes out.
func (all *Agents) examples(base string) any {
	type example struct {
		Skill       string          `json:"skill"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		Input       json.RawMessage `json:"inputSchema"`
		Output      json.RawMessage `json:"outputSchema,omitempty"`
		Body        json.RawMessage `json:"body"`
	}
	type listed struct {
		Name   string    `json:"name"`
		URL    string    `json:"url"`
		Card   string    `json:"card"`
		Skills []example `json:"skills"`
	}
	out := struct {
		Note   string   `json:"note"`
		Agents []listed `json:"agents"`
	}{Note: "POST a body to its agent's url, with content-type application/json. The text of its message is the call: put arguments into it as inputSchema has them. {} runs a skill on the built-in fixture: nothing goes out."}
	for i := range all.list {
		a := &all.list[i]
		l := listed{Name: a.name, URL: base + a.path(), Card: base + a.path() + cardPath}
		for _, s := range a.skills {
			l.Skills = append(l.Skills, example{s.Name, s.Title, s.Description, s.Input, s.Output, body(s)})
		}
		out.Agents = append(out.Agents, l)
	}
	return out
}
