package endpoint

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/wire"
)

type fault = func(w http.ResponseWriter, r *http.Request, m *asked) bool

// when answers the requests that is says.
func when(is func(r *http.Request, m *asked) bool, do func(w http.ResponseWriter, r *http.Request, m *asked)) fault {
	return func(w http.ResponseWriter, r *http.Request, m *asked) bool {
		if !is(r, m) {
			return false
		}
		do(w, r, m)
		return true
	}
}

func method(name string) func(*http.Request, *asked) bool {
	return func(r *http.Request, m *asked) bool {
		return m.Method == name && m.RPC == "2.0" && r.Host != "evil.example" && r.Header.Get("Origin") == ""
	}
}

func text(status int, media, body string) func(http.ResponseWriter, *http.Request, *asked) {
	return func(w http.ResponseWriter, _ *http.Request, _ *asked) {
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func result(body string) func(http.ResponseWriter, *http.Request, *asked) {
	return func(w http.ResponseWriter, _ *http.Request, m *asked) { give(w, m.ID, body) }
}

func code(status, code int) func(http.ResponseWriter, *http.Request, *asked) {
	return func(w http.ResponseWriter, _ *http.Request, m *asked) { refuse(w, status, code, m.ID) }
}

// document is a server with other documents than an honest one.
func documents(change map[string]string) map[string]string {
	docs := goodDocs()
	for path, body := range change {
		if docs[path] = body; body == "" {
			delete(docs, path)
		}
	}
	return docs
}

// shop is a server with one fault: the row of docs/endpoint-rules.md that it is for ("" for none), and the rule that must
// fire, alone.
type shop struct {
	row, rule string
	server    func() *honest
	program   func() *program
	hasty     bool   // it is silent somewhere
	with      string // a rule that fires beside it, since one fault needs the other
}

var faulty = []shop{
	{row: "R1", rule: "endpoint/ignored-version", server: func() *honest {
		return &honest{fault: when(func(_ *http.Request, m *asked) bool { return m.param("protocolVersion") == wire.V20250618 }, result(`{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":`+serverInfo+`}`))}
	}},
	{row: "R2", rule: "endpoint/unpublished-version", server: func() *honest {
		return &honest{fault: when(func(_ *http.Request, m *asked) bool { return m.param("protocolVersion") == "1999-01-01" }, result(`{"protocolVersion":"1999-01-01","capabilities":{"tools":{}},"serverInfo":`+serverInfo+`}`))}
	}},
	{row: "R3", rule: "endpoint/wrong-version-error", server: func() *honest {
		return &honest{modern: true, fault: when(func(r *http.Request, _ *asked) bool { return r.Header.Get("MCP-Protocol-Version") == "1900-01-01" }, text(400, "text/plain", "Unsupported protocol version"))}
	}},
	{row: "R4", rule: "endpoint/incomplete-discover", server: func() *honest {
		return &honest{modern: true, tools: " ", fault: when(func(r *http.Request, m *asked) bool {
			version, _ := m.claims()
			return method("server/discover")(r, m) && version == wire.Modern && r.Header.Get("MCP-Protocol-Version") == version && string(m.ID) != "null" && m.ID[0] != '{' && strings.Contains(r.Header.Get("Content-Type"), "json")
		}, result(`{"supportedVersions":["2026-07-28"],`+cached+`}`))}
	}},
	{row: "R5", rule: "endpoint/header-mismatch", server: func() *honest {
		return &honest{modern: true, fault: func(_ http.ResponseWriter, r *http.Request, m *asked) bool {
			if m.Method == "tools/list" { // it does not look at Mcp-Method
				r.Header.Set("Mcp-Method", m.Method)
			}
			return false
		}}
	}},
	{row: "R6", rule: "endpoint/missing-meta", server: func() *honest {
		return &honest{modern: true, fault: when(func(r *http.Request, m *asked) bool {
			_, capable := m.claims()
			return method("tools/list")(r, m) && !capable
		}, result(`{"tools":[`+goodTool+`],`+cached+`}`))}
	}},
	{row: "R7", rule: "endpoint/removed-method", server: func() *honest {
		return &honest{modern: true, fault: when(func(r *http.Request, m *asked) bool {
			return method("ping")(r, m) && r.Header.Get("Mcp-Method") == "ping"
		}, result(`{`+modernMeta+`}`))}
	}},
	{row: "R8", rule: "endpoint/wrong-error-code", server: func() *honest { return &honest{fault: when(method("no/such"), code(200, -32603))} }},
	{row: "R9", rule: "endpoint/bad-message", server: func() *honest {
		return &honest{fault: when(method("notifications/initialized"), text(200, "application/json", `{"ok":true}`))}
	}},
	{row: "R10", rule: "endpoint/bad-message", server: func() *honest {
		return &honest{fault: when(func(r *http.Request, m *asked) bool { return method("tools/list")(r, m) && m.param("cursor") == "" }, func(w http.ResponseWriter, r *http.Request, m *asked) {
			text(200, "text/x-json", fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`, m.ID, goodTool))(w, r, m)
		})}
	}},
	{row: "R11", rule: "endpoint/wrong-get", server: func() *honest {
		return &honest{fault: when(func(r *http.Request, _ *asked) bool { return r.Method == "GET" && r.URL.Path == "/mcp" }, text(404, "text/html", "<!DOCTYPE html><pre>Cannot GET /mcp</pre>"))}
	}},
	{row: "R12", rule: "endpoint/ignored-version-header", server: func() *honest {
		return &honest{fault: func(_ http.ResponseWriter, r *http.Request, _ *asked) bool {
			r.Header.Del("MCP-Protocol-Version")
			return false
		}}
	}},
	{row: "R13", rule: "endpoint/weak-session", server: func() *honest {
		s, n := &honest{}, 0
		s.fault = when(func(r *http.Request, m *asked) bool {
			return method("initialize")(r, m) && strings.Contains(r.Header.Get("Content-Type"), "json") && strings.Contains(r.Header.Get("Accept"), "json")
		},
			func(w http.ResponseWriter, _ *http.Request, m *asked) {
				s.mu.Lock()
				n++
				id := fmt.Sprint("session-", n)
				s.mu.Unlock()
				s.open(w, id)
				s.greet(w, m)
			})
		return s
	}},
	{row: "R13", rule: "endpoint/bad-message", server: func() *honest {
		s := &honest{}
		s.fault = func(w http.ResponseWriter, r *http.Request, m *asked) bool { // ids with spaces, which it can do without
			if method("initialize")(r, m) && strings.Contains(r.Header.Get("Content-Type"), "json") && strings.Contains(r.Header.Get("Accept"), "json") {
				w.Header().Set("Mcp-Session-Id", "the session "+rand.Text())
				s.greet(w, m)
				return true
			}
			if r.Header.Get("Mcp-Session-Id") == "" {
				s.mu.Lock()
				s.sessions["none"] = true
				s.mu.Unlock()
				r.Header.Set("Mcp-Session-Id", "none")
			}
			return false
		}
		return s
	}},
	{row: "R14", rule: "endpoint/dead-session", server: func() *honest {
		s := &honest{}
		s.fault = when(func(r *http.Request, m *asked) bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return method("ping")(r, m) && r.Header.Get("Mcp-Session-Id") != "" && !s.sessions[r.Header.Get("Mcp-Session-Id")]
		}, code(400, -32000))
		return s
	}},
	{row: "R15", rule: "endpoint/missing-session", server: func() *honest {
		return &honest{fault: when(func(r *http.Request, m *asked) bool {
			return method("ping")(r, m) && r.Header.Get("Mcp-Session-Id") == ""
		}, code(404, -32001))}
	}},
	{row: "R16", rule: "endpoint/modern-session", server: func() *honest {
		return &honest{modern: true, fault: when(func(r *http.Request, m *asked) bool { return r.Header.Get("Mcp-Session-Id") != "" }, code(404, -32001))}
	}},
	{row: "R17", rule: "endpoint/foreign-origin", server: func() *honest {
		return &honest{fault: func(_ http.ResponseWriter, r *http.Request, _ *asked) bool { r.Header.Del("Origin"); return false }}
	}},
	{row: "R18", rule: "endpoint/foreign-host", server: func() *honest {
		s := &honest{}
		s.fault = func(_ http.ResponseWriter, r *http.Request, _ *asked) bool {
			r.Host = strings.TrimPrefix(s.origin, "http://")
			return false
		}
		return s
	}},
	{row: "R19", rule: "endpoint/batch-body", server: func() *honest { return &honest{fault: takesBatches} }},
	{row: "R20", rule: "endpoint/wrong-error-code", server: func() *honest {
		return &honest{fault: when(func(_ *http.Request, m *asked) bool { return string(m.raw) == "{not json" }, code(400, -32603))}
	}},
	{row: "R20", rule: "endpoint/plain-error", server: func() *honest {
		return &honest{fault: when(func(_ *http.Request, m *asked) bool { return string(m.raw) == "{not json" }, text(400, "text/plain", "malformed payload"))}
	}},
	{row: "R21", rule: "endpoint/wrong-error-code", server: func() *honest {
		return &honest{fault: when(func(_ *http.Request, m *asked) bool { return m.param("name") == "zz_nope" }, result(`{"content":[]}`))}
	}},
	{row: "R22", rule: "endpoint/ignored-cursor", server: func() *honest {
		return &honest{fault: when(func(_ *http.Request, m *asked) bool { return m.param("cursor") != "" }, result(`{"tools":[`+goodTool+`]}`))}
	}},
	{row: "R23", rule: "card/missing-input-schema", server: func() *honest {
		return &honest{tools: `{"name":"find_order","description":"Finds an order of the shop by its number."}`}
	}},
	{row: "R24", rule: "card/invalid-name", server: func() *honest { return &honest{tools: strings.Replace(goodTool, "find_order", "find order", 1)} }},
	{row: "R25", rule: "endpoint/unstable-order", server: func() *honest {
		s, n := &honest{modern: true}, 0
		s.fault = func(_ http.ResponseWriter, r *http.Request, m *asked) bool {
			if method("tools/list")(r, m) {
				two := []string{goodTool, strings.Replace(goodTool, "find_order", "find_parcel", 1)}
				if n++; n > 1 {
					slices.Reverse(two)
				}
				s.tools = strings.Join(two, ",")
			}
			return false
		}
		return s
	}},
	{row: "R26", rule: "endpoint/unacknowledged-subscription", server: func() *honest {
		return &honest{modern: true, fault: when(method("subscriptions/listen"), text(200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n"))}
	}},
	{row: "R27", rule: "endpoint/hidden-authorization", server: func() *honest {
		return &honest{docs: map[string]string{}, fault: when(func(r *http.Request, _ *asked) bool { return r.URL.Path == "/mcp" }, code(401, -32001))}
	}},
	{row: "R28", rule: "endpoint/invalid-resource-metadata", server: func() *honest {
		return &honest{docs: documents(map[string]string{"/.well-known/oauth-protected-resource/mcp": `{"resource":"ORIGIN/other","authorization_servers":["ORIGIN"]}`})}
	}},
	{row: "R29", rule: "endpoint/stdout-noise", program: func() *program {
		return &program{line: func(line string) (string, bool, bool) {
			if strings.Contains(line, "notifications/initialized") {
				return "Shop is running", false, true
			}
			return "", false, false
		}}
	}},
	{row: "R30", rule: "endpoint/fatal-message", program: func() *program {
		return &program{line: func(line string) (string, bool, bool) { return "", line == "{not json", line == "{not json" }}
	}},
	{row: "R31", rule: "endpoint/lingering-process", program: func() *program { return &program{stays: true} }},
	{row: "R32", rule: "card/invalid-icon", server: func() *honest {
		return &honest{tools: strings.Replace(goodTool, `"title"`, `"icons":[{"src":"http://shop.example.com/i.png"}],"title"`, 1)}
	}},

	{rule: "endpoint/server-error", server: func() *honest { return &honest{fault: when(method("no/such"), text(500, "text/plain", "failed"))} }},
	{rule: "endpoint/web-page", server: func() *honest {
		return &honest{fault: when(method("no/such"), text(404, "text/html", "<!DOCTYPE html><pre>Cannot POST /mcp</pre>"))}
	}},
	{rule: "endpoint/stack-trace", server: func() *honest {
		return &honest{fault: when(func(_ *http.Request, m *asked) bool { return string(m.raw) == "{not json" },
			text(400, "text/html", "<!DOCTYPE html><pre>SyntaxError: x<br> &nbsp; &nbsp;at parse (/srv/shop/node_modules/body-parser/lib/json.js:92:19)</pre>"))}
	}},
	{rule: "endpoint/no-answer", hasty: true, server: func() *honest {
		return &honest{fault: when(method("no/such"), func(_ http.ResponseWriter, r *http.Request, _ *asked) { <-r.Context().Done() })}
	}},
	{rule: "endpoint/no-answer", server: func() *honest { return &honest{fault: when(method("no/such"), text(202, "text/plain", ""))} }},
	{rule: "endpoint/plain-error", server: func() *honest {
		return &honest{fault: when(method("no/such"), text(200, "text/plain", "unknown method"))}
	}},
	{rule: "endpoint/altered-id", server: func() *honest {
		return &honest{fault: func(_ http.ResponseWriter, _ *http.Request, m *asked) bool {
			if string(m.ID) == "1.5" {
				m.ID = []byte("1")
			}
			return false
		}}
	}},
	{rule: "endpoint/accepted-junk", server: func() *honest {
		return &honest{fault: when(func(_ *http.Request, m *asked) bool { return string(m.ID) == "null" }, func(w http.ResponseWriter, _ *http.Request, _ *asked) { w.WriteHeader(202) })}
	}},
	{rule: "endpoint/changing-handshake", server: func() *honest {
		n := 0
		return &honest{fault: when(func(r *http.Request, m *asked) bool {
			if method("initialize")(r, m) && m.param("protocolVersion") == wire.LegacyBest && strings.Contains(r.Header.Get("Accept"), ", ") {
				n++
			}
			return n == 2
		}, func(w http.ResponseWriter, _ *http.Request, m *asked) { n++; refuse(w, 400, -32600, m.ID) })}
	}},
	{rule: "endpoint/chosen-session", server: func() *honest {
		s := &honest{}
		s.fault = when(func(r *http.Request, m *asked) bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			id := r.Header.Get("Mcp-Session-Id")
			return method("initialize")(r, m) && id != "" && !s.sessions[id]
		},
			func(w http.ResponseWriter, r *http.Request, m *asked) {
				w.Header().Set("Mcp-Session-Id", r.Header.Get("Mcp-Session-Id"))
				s.greet(w, m)
			})
		return s
	}},
	{rule: "endpoint/refused-host", server: func() *honest {
		return &honest{fault: when(func(r *http.Request, _ *asked) bool { return r.Header.Get("Origin") != "" }, text(403, "text/plain", "no browsers here"))}
	}},
	{rule: "endpoint/open-cors", with: "endpoint/foreign-origin", server: func() *honest {
		return &honest{fault: func(w http.ResponseWriter, r *http.Request, _ *asked) bool {
			w.Header().Set("Access-Control-Allow-Origin", "*")
			r.Header.Del("Origin")
			return false
		}}
	}},
	{rule: "endpoint/ignored-content-type", server: func() *honest {
		return &honest{fault: func(_ http.ResponseWriter, r *http.Request, _ *asked) bool {
			r.Header.Set("Content-Type", "application/json")
			return false
		}}
	}},
	{rule: "endpoint/refused-accept", server: func() *honest {
		return &honest{fault: when(func(r *http.Request, _ *asked) bool { return r.Header.Get("Accept") == "*/*" }, text(406, "text/plain", "not acceptable"))}
	}},
	{rule: "endpoint/soft-404", server: func() *honest {
		return &honest{docs: map[string]string{}, fault: when(func(r *http.Request, _ *asked) bool { return r.Method == "GET" && r.URL.Path != "/mcp" }, text(200, "text/html", "<!DOCTYPE html><title>Shop</title>"))}
	}},
	{rule: "endpoint/invalid-document", server: func() *honest { return &honest{docs: documents(map[string]string{"/mcp.json": "{"})} }},
	{rule: "endpoint/root-metadata-only", server: func() *honest {
		return &honest{docs: documents(map[string]string{"/.well-known/oauth-protected-resource/mcp": ""})}
	}},
	{rule: "endpoint/issuer-mismatch", server: func() *honest {
		return &honest{docs: documents(map[string]string{"/.well-known/oauth-authorization-server": `{"issuer":"https://login.example.net/t"}`, "/.well-known/oauth-authorization-server/mcp": ""})}
	}},
	{rule: "endpoint/invalid-server-card", server: func() *honest {
		return &honest{docs: documents(map[string]string{"/mcp/server-card": `{"name":"shop"}`})}
	}},
}
