package probe

import (
	"context"
	"encoding/json"
	"io"
	"net/url"
	"strings"
	"sync"

	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// demoURL is the endpoint that is part of this program: nothing leaves the process when it is probed.
const demoURL = "fixture://mcp-endpoint-lint/demo"

// IsDemo says that a URL names that endpoint.
func IsDemo(rawURL string) bool {
	return strings.TrimSuffix(rawURL, "/") == "fixture://demo" || strings.TrimSuffix(rawURL, "/") == demoURL
}

// OnThisMachine says that a URL leads to this machine by its name or its address, or into this process.
func OnThisMachine(rawURL string) bool {
	u, err := url.Parse(rawURL)
	return err == nil && wire.Loopback(u)
}

// Demo probes the endpoint that has one fault for each check (mcp-endpoint-lint: the fixture, which scores a D). It is
// the same every time.
func Demo(ctx context.Context, o Options) []*wire.Surface {
	o.Nonce = "demo"
	all := Surfaces(ctx, Target{Label: demoURL, URL: demoURL, Door: &demo{}}, o)
	for _, s := range all {
		for i := range s.Trials {
			s.Trials[i].ElapsedMS = 0
		}
	}
	return all
}

// demo is the endpoint. Each of its faults is marked.
type demo struct {
	mu      sync.Mutex
	greeted map[string]bool // by revision
}

// demoTools are six tools with a fault each.
const demoTools = `{"tools":[
{"name":"find_order","inputSchema":{"type":"object","properties":{"id":{"type":"string","description":"The number on the invoice"}}}},
{"name":"list_orders","description":"Lists orders","inputSchema":{"type":"object"}},
{"name":"cancel_order","description":"Cancels an order that was not sent yet, and refunds it"},
{"name":"track_parcel","description":"Says where the parcel of an order is at the moment","inputSchema":{"type":"array","items":{"type":"string"}}},
{"name":"refund_order","description":"Refunds an order that came back, in part or whole","inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["order_id"]}},
{"name":"rate order","description":"Stores what the customer thinks of an order","inputSchema":{"type":"object","properties":{"stars":{"type":"integer"}}}}
]}`

// demoPage is what its framework answers when something breaks.
const demoPage = "<!DOCTYPE html>\n<html><head><title>500</title></head><body><h1>Internal Server Error</h1></body></html>\n"

func (d *demo) Send(_ context.Context, r *wire.HTTPRequest) (*wire.HTTPResponse, error) {
	u, err := url.Parse(r.URL)
	if err != nil {
		return nil, &wire.Failure{Cause: wire.CauseRefused, Detail: "no URL"}
	}
	switch {
	case u.Path != "/demo":
		return d.document(u.Path), nil
	case r.Verb != "POST":
		return answer405(), nil
	}
	return d.message(r.Body), nil
}

func respond(status int, media, body string) *wire.HTTPResponse {
	return &wire.HTTPResponse{Status: status, Header: wire.Header{"content-type": {media}}, Body: io.NopCloser(strings.NewReader(body)),
		Late: func() []wire.Fault { return nil }}
}

func answer405() *wire.HTTPResponse { return respond(405, "text/plain", "POST only\n") }

// document serves the discovery documents.
func (d *demo) document(path string) *wire.HTTPResponse {
	switch path {
	case "/.well-known/oauth-protected-resource": // fault: only here, where no client looks first
		return respond(200, wire.MediaJSON, `{"resource":"https://mcp-endpoint-lint.example/","authorization_servers":["https://login.example"]}`)
	case "/.well-known/mcp.json": // fault: no JSON
		return respond(200, wire.MediaJSON, `{"name": "demo", "tools": [,]}`)
	}
	return respond(404, "text/plain", "no such document\n")
}

// message answers a message.
func (d *demo) message(body []byte) *wire.HTTPResponse {
	var m struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  struct {
			Version string `json:"protocolVersion"`
			Name    string `json:"name"`
		} `json:"params"`
	}
	reply := func(what string) *wire.HTTPResponse {
		id := string(m.ID)
		if id == "" {
			id = "null"
		}
		return respond(200, wire.MediaJSON, `{"jsonrpc":"2.0","id":`+id+`,`+what+`}`)
	}
	refuse := func(code, why string) *wire.HTTPResponse {
		return reply(`"error":{"code":` + code + `,"message":` + quote(why) + `}`)
	}
	if json.Unmarshal(body, &m) != nil {
		return refuse("-32700", "Parse error")
	}
	switch m.Method {
	case "initialize":
		if d.seen(m.Params.Version) { // fault: the second one is refused
			return refuse("-32600", "Server already initialized")
		}
		// Fault: whatever is asked for, it agrees to.
		return reply(`"result":{"protocolVersion":` + quote(m.Params.Version) + `,"capabilities":{"tools":{}},"serverInfo":{"name":"demo","title":"An endpoint with a fault for each check","version":"1.0.0"}}`)
	case "notifications/initialized":
		return respond(202, "text/plain", "")
	case "ping": // fault: with or without "jsonrpc"
		return reply(`"result":{}`)
	case "tools/list":
		return reply(`"result":` + strings.ReplaceAll(demoTools, "\n", ""))
	case "tools/call":
		if m.Params.Name == "" {
			return refuse("-32602", "a tool needs a name")
		}
		return refuse("-32602", "Unknown tool: "+m.Params.Name)
	case "server/discover":
		return refuse("-32601", "Method not found")
	}
	return respond(500, "text/html", demoPage) // fault: a page where an error of JSON-RPC belongs
}

// seen says that a revision was asked for before.
func (d *demo) seen(version string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.greeted[version]
	if d.greeted == nil {
		d.greeted = map[string]bool{}
	}
	d.greeted[version] = true
	return before
}
