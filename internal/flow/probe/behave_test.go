package probe

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/model/score"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// rowNamed is a row of a card's first lane.
func rowNamed(c *score.Card, check string) score.Row {
	for _, s := range c.Lanes[0].Sections.All() {
		for _, r := range s.Rows {
			if r.Check == check {
				return r
			}
		}
	}
	return score.Row{Verdict: "no such row"}
}

func TestAServerThatDoesAllAsItShouldGetsAllPoints(t *testing.T) {
	for _, deep := range []bool{false, true} {
		for name, p := range map[string]*peer{
			"legacy": {legacy: true}, "legacy in sessions": {legacy: true, sessions: true}, "legacy over event streams": {legacy: true, sse: true},
			"modern": {modern: true}, "both": {modern: true, legacy: true},
		} {
			o := options()
			o.Deep = deep
			g := grades(t, probed(t, p.serve(t), o))
			if g.card.Total != 100 || g.card.Gated || len(g.incomplete) > 0 {
				t.Errorf("%s: %d %s, %v\n%s", name, g.card.Total, g.card.Grade, g.incomplete, rowsOf(g.card))
			}
			if wire.EraModern == g.card.Lanes[0].Era != p.modern {
				t.Errorf("%s: the %s era", name, g.card.Lanes[0].Era)
			}
		}
	}
}

func TestEachWrongAnswerIsARowThatSaysWhatAClientSees(t *testing.T) {
	text := func(status int, media, body string) func(http.ResponseWriter, msg) {
		return func(w http.ResponseWriter, m msg) {
			w.Header().Set("Content-Type", media)
			w.WriteHeader(status)
			io.WriteString(w, strings.ReplaceAll(body, "ID", m.id()))
		}
	}
	code := func(n int) func(http.ResponseWriter, msg) {
		return text(200, wire.MediaJSON, `{"jsonrpc":"2.0","id":ID,"error":{"code":`+strconv.Itoa(n)+`,"message":"no"}}`)
	}
	result := text(200, wire.MediaJSON, `{"jsonrpc":"2.0","id":ID,"result":{}}`)
	page := text(500, "text/html", "<!doctype html><p>oops")
	is := func(method string) func(msg) bool { return func(m msg) bool { return !m.bad && m.Method == method } }
	unknown, badJSON := is("no/such"), func(m msg) bool { return m.bad }
	nameless := func(m msg) bool { return m.Method == "tools/call" && m.Params.Name == nil }
	named := func(m msg) bool { return m.Method == "tools/call" && m.Params.Name != nil }
	noVersion := func(m msg) bool { return !m.bad && m.JSONRPC == "" && m.Method != "" }
	asks := func(version string) func(msg) bool {
		return func(m msg) bool {
			return m.Params.Version == version || m.Params.Meta["io.modelcontextprotocol/protocolVersion"] == version
		}
	}
	greeting := func(version, rest string) func(http.ResponseWriter, msg) {
		return text(200, wire.MediaJSON, `{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"`+version+`","capabilities":{"tools":{}}`+rest+`}}`)
	}
	for _, c := range []struct {
		why     string
		modern  bool
		when    func(msg) bool
		say     func(http.ResponseWriter, msg)
		row     string
		verdict string
		lost    float64
	}{
		{"another error", false, unknown, code(-32000), "unknown-method", "partial", 2},
		{"plain text", false, unknown, text(400, "text/plain", "unknown"), "unknown-method", "partial", 4},
		{"a page", false, unknown, page, "unknown-method", "html", 5},
		{"a page with 404", false, unknown, text(404, "text/html", "<html>not here"), "unknown-method", "html", 5},
		{"a broken server", false, unknown, text(500, "text/plain", "oops"), "unknown-method", "wrong", 5},
		{"the right error of a broken server", false, unknown, text(500, wire.MediaJSON, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no"}}`), "unknown-method", "wrong", 5},
		{"nothing", false, unknown, text(202, "text/plain", ""), "unknown-method", "silent", 5},
		{"a result", false, unknown, result, "unknown-method", "wrong", 5},
		{"200 where 404 belongs", true, unknown, code(-32601), "unknown-method", "partial", 2},
		{"a result that says that it failed", false, named, text(200, wire.MediaJSON, `{"jsonrpc":"2.0","id":ID,"result":{"isError":true,"content":[]}}`), "unknown-tool", "ok", 0},
		{"another spelling of no such tool", false, named, code(-32601), "unknown-tool", "ok", 0},
		{"a call that works", false, named, text(200, wire.MediaJSON, `{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`), "unknown-tool", "wrong", 5},
		{"a dump of the validator", false, nameless, code(-32603), "call-without-name", "partial", 2},
		{"a header that does not match", true, nameless, code(-32020), "call-without-name", "ok", 0},
		{"the request's error", false, badJSON, code(-32600), "not-json", "partial", 2},
		{"it takes anything", false, noVersion, result, "no-jsonrpc", "wrong", 5},

		{"agrees to anything", false, asks(never), greeting(never, `,"serverInfo":{"name":"l","version":"1"}`), "initialize-unpublished", "wrong", 7.5},
		{"refuses it", false, asks(never), code(-32602), "initialize-unpublished", "ok", 0},
		{"fails of it", false, asks(never), page, "initialize-unpublished", "wrong", 7.5},
		{"no introduction", false, asks(wire.LegacyBest), greeting(wire.LegacyBest, ""), "introduction", "wrong", 2.5},
		{"a type of its own", false, asks(wire.LegacyBest), func(w http.ResponseWriter, m msg) {
			text(200, "text/plain", `{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"l","version":"1"}}}`)(w, m)
		}, "content-type", "wrong", 2.5},
		{"in text", true, asks(neverYet), text(400, "text/plain", "unsupported"), "discover-unpublished", "wrong", 6},
		{"without the list", true, asks(neverYet), text(400, wire.MediaJSON, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32022,"message":"no"}}`), "discover-unpublished", "partial", 3},
		{"agrees to it", true, asks(neverYet), text(200, wire.MediaJSON, `{"jsonrpc":"2.0","id":ID,"result":{"supportedVersions":["1900-01-01"]}}`), "discover-unpublished", "wrong", 6},
		{"no hints", true, asks(wire.Modern), func(w http.ResponseWriter, m msg) {
			p := &peer{modern: true}
			status, answer := p.answer(m)
			if m.Method == "server/discover" {
				answer = strings.Replace(answer, hints, "", 1)
			}
			text(status, wire.MediaJSON, answer)(w, m)
		}, "cache-hints", "wrong", 1},
	} {
		t.Run(c.why, func(t *testing.T) {
			p := &peer{modern: c.modern, legacy: !c.modern}
			p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
				if r.Method != "POST" || !c.when(m) {
					return false
				}
				c.say(w, m)
				return true
			}
			g := grades(t, probed(t, p.serve(t), options()))
			r := rowNamed(g.card, c.row)
			if r.Verdict != c.verdict || r.Effect == "" || (c.lost > 0) != (r.Fix != "") {
				t.Errorf("%+v", r)
			}
			if want := int(100 - c.lost + 0.5); g.card.Total != want {
				t.Errorf("%d points, not %d\n%s", g.card.Total, want, rowsOf(g.card))
			}
		})
	}
}

func TestAnInitializeThatIsAnsweredOnceIsAFault(t *testing.T) {
	n := 0
	p := &peer{legacy: true}
	p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
		if m.Params.Version != wire.LegacyBest {
			return false
		}
		if n++; n == 1 {
			return false
		}
		w.Header().Set("Content-Type", wire.MediaJSON)
		io.WriteString(w, m.err(-32600, ""))
		return true
	}
	if r := rowNamed(grades(t, probed(t, p.serve(t), options())).card, "initialize-again"); r.Verdict != "wrong" || r.Code != -32600 {
		t.Errorf("%+v", r)
	}
}

func TestDocumentsAreToldApart(t *testing.T) {
	const root, path = "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"
	for _, c := range []struct {
		why            string
		docs           map[string]string
		before         func(w http.ResponseWriter, r *http.Request, m msg) bool
		check, verdict string
		score          float64
	}{
		{"nothing at all", nil, nil, "llms-txt", "missing", 15},
		{"both forms", map[string]string{root: `{}`, path: `{}`}, nil, "resource-at-path", "served", 15},
		{"the root alone", map[string]string{root: `{}`}, nil, "resource-at-root", "served", 11},
		{"no JSON", map[string]string{"/mcp.json": `{"a":`}, nil, "mcp-json", "invalid", 13},
		{"JSON that is no object", map[string]string{"/mcp.json": `[]`}, nil, "mcp-json", "invalid", 13},
		{"text", map[string]string{"/llms.txt": "# a server\n"}, nil, "llms-txt", "served", 15},
		{"a server that breaks", nil, func(w http.ResponseWriter, r *http.Request, m msg) bool {
			if r.URL.Path == "/.well-known/oauth-authorization-server" {
				w.WriteHeader(502)
			}
			return r.URL.Path == "/.well-known/oauth-authorization-server"
		}, "auth-server", "wrong", 13},
		{"a page for every path", nil, func(w http.ResponseWriter, r *http.Request, m msg) bool {
			if r.URL.Path != "/mcp" {
				w.Header().Set("Content-Type", "text/html")
				io.WriteString(w, "<!doctype html><title>Home</title>")
			}
			return r.URL.Path != "/mcp"
		}, "mcp-json", "soft-404", 10},
		{"an object for every path", nil, func(w http.ResponseWriter, r *http.Request, m msg) bool {
			if r.URL.Path != "/mcp" {
				w.Header().Set("Content-Type", wire.MediaJSON)
				io.WriteString(w, `{"error":"no"}`)
			}
			return r.URL.Path != "/mcp"
		}, "well-known-mcp", "soft-404", 10},
		{"behind a login", nil, func(w http.ResponseWriter, r *http.Request, m msg) bool {
			if r.URL.Path != "/mcp" {
				w.WriteHeader(403)
			}
			return r.URL.Path != "/mcp"
		}, "resource-at-path", "gated", 15},
		{"elsewhere", nil, func(w http.ResponseWriter, r *http.Request, m msg) bool {
			if r.URL.Path != "/mcp" {
				http.Redirect(w, r, "https://login.example/", http.StatusFound)
			}
			return r.URL.Path != "/mcp"
		}, "resource-at-path", "missing", 15},
	} {
		p := &peer{legacy: true, docs: c.docs, before: c.before}
		g := grades(t, probed(t, p.serve(t), options()))
		if r := rowNamed(g.card, c.check); r.Verdict != c.verdict || r.Effect == "" {
			t.Errorf("%s: %+v", c.why, r)
		}
		if s := g.card.Lanes[0].Sections.Discovery.Score; s != c.score {
			t.Errorf("%s: %v points, not %v", c.why, s, c.score)
		}
	}
}

// A server that wants credentials has no grade; that it does not say how to get them costs points that are shown.
func TestAGatedEndpointHasNoGrade(t *testing.T) {
	for _, way := range []bool{false, true} {
		p := &peer{}
		p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
			if r.URL.Path != "/mcp" {
				return false
			}
			if way {
				w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://x.example/"`)
			}
			w.WriteHeader(401)
			return true
		}
		g := grades(t, probed(t, p.serve(t), options()))
		want := map[bool]float64{false: 7, true: 15}[way]
		if !g.card.Gated || g.card.Grade != "" || len(g.incomplete) == 0 || g.card.Lanes[0].Sections.Discovery.Score != want {
			t.Errorf("%+v %v", g.card, g.incomplete)
		}
		if n := p.requests(); n > 10 {
			t.Errorf("%d requests at a closed door", n)
		}
	}
}

func TestAServerWithoutToolsIsGradedByTheRest(t *testing.T) {
	p := &peer{legacy: true}
	p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
		answer := ""
		switch {
		case m.Method == "initialize" && m.Params.Version == wire.LegacyBest:
			answer = m.result(`{"protocolVersion":"2025-11-25","capabilities":{"prompts":{}},"serverInfo":{"name":"l","version":"1"}}`)
		case strings.HasPrefix(m.Method, "tools/"):
			answer = m.err(wire.CodeMethodNotFound, "")
		default:
			return false
		}
		w.Header().Set("Content-Type", wire.MediaJSON)
		io.WriteString(w, answer)
		return true
	}
	g := grades(t, probed(t, p.serve(t), options()))
	if g.card.Total != 100 || g.card.Lanes[0].Sections.Tools.Applies || len(g.incomplete) > 0 {
		t.Errorf("%+v %v\n%s", g.card, g.incomplete, rowsOf(g.card))
	}
}

func TestFaultsOfToolsCostTheToolsThatHaveThem(t *testing.T) {
	for tools, want := range map[string]float64{
		goodTool: 30,
		goodTool + `,{"name":"b","description":"Takes a book from the shelf and lends it"}`:                             15,
		goodTool + `,{"name":"take_book","inputSchema":{"type":"object"}}`:                                              24,
		goodTool + `,{"name":"SHELVE_BOOK","description":"Puts a book back somewhere","inputSchema":{"type":"object"}}`: 24,
		goodTool + `,{"name":"take_book","description":"Takes a book","inputSchema":{"type":"object"}}`:                 28.5,
		goodTool + `,` + goodTool: 15,
	} {
		g := grades(t, probed(t, (&peer{legacy: true, tools: tools}).serve(t), options()))
		if s := g.card.Lanes[0].Sections.Tools.Score; s != want {
			t.Errorf("%s\n%v points, not %v\n%s", tools, s, want, rowsOf(g.card))
		}
	}
	var many []string
	for i := range 60 { // more than a finding shows places of
		many = append(many, fmt.Sprintf(`{"name":"lend_book_%d","inputSchema":{"type":"object"}}`, i))
	}
	g := grades(t, probed(t, (&peer{legacy: true, tools: strings.Join(many, ",")}).serve(t), options()))
	if s := g.card.Lanes[0].Sections.Tools.Score; s != 18 {
		t.Errorf("60 tools without a description get %v", s)
	}
}

func TestAWebPageThatCanReachAServerOfThisMachineCapsTheGrade(t *testing.T) {
	strict := func(host, origin bool) *peer {
		p := &peer{legacy: true}
		p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
			refuse := host && r.Host == evilHost || origin && r.Header.Get(hOrigin) == evilOrigin
			if refuse {
				w.WriteHeader(403)
			}
			return refuse
		}
		return p
	}
	for _, c := range []struct {
		host, origin bool
		capped, why  string
	}{{false, false, "B", "Host"}, {true, false, "B", "Origin"}, {false, true, "B", "Host"}, {true, true, "A", ""}} {
		o := options()
		o.Deep = true
		card := grades(t, probed(t, strict(c.host, c.origin).serve(t), o)).card
		if card.Total != 100 || card.Grade != c.capped || !strings.Contains(card.Capped, c.why) || (card.Capped == "") != (c.why == "") {
			t.Errorf("%+v: %d %s %q", c, card.Total, card.Grade, card.Capped)
		}
	}
	p := &peer{legacy: true}
	p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
		if m.bad {
			w.WriteHeader(400)
			io.WriteString(w, "SyntaxError\n    at JSON.parse (<anonymous>)\n    at parse (/srv/app/node_modules/body-parser/index.js:92:19)\n")
		}
		return m.bad
	}
	if card := grades(t, probed(t, p.serve(t), options())).card; card.Total < 90 || card.Grade != "B" || !strings.Contains(card.Capped, "stack") {
		t.Errorf("%d %s %q", card.Total, card.Grade, card.Capped)
	}
}

// The lane of an era that a server's own list disowns does not lower its grade.
func TestTheHeadlineIsTheWorseLaneThatTheServerClaims(t *testing.T) {
	for supported, want := range map[string]int{`["2026-07-28"]`: 100, `["2026-07-28","2025-11-25"]`: 92} {
		p := &peer{modern: true, legacy: true, supported: supported}
		p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
			if m.Params.Version == never {
				w.WriteHeader(500)
			}
			return m.Params.Version == never
		}
		o := options()
		o.Era = EraBoth
		g := grades(t, probed(t, p.serve(t), o))
		if len(g.card.Lanes) != 2 || g.card.Total != want && g.card.Total != want+1 {
			t.Errorf("%s: %d of %d lanes\n%s", supported, g.card.Total, len(g.card.Lanes), rowsOf(g.card))
		}
	}
}
