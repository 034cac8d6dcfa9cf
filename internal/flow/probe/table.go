package probe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/flow/talk"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// row is one row of the table of requests: docs/probe.md prints it, and what is sent comes from nowhere else.
type row struct {
	trial wire.Trial
	// part is the section of the score card that it belongs to; era the one it is sent in, "" for both.
	part, era string
	// deep rows are sent only when a person asks for more. local rows are of stdio alone, remote ones not on stdio.
	deep, local, remote bool
	// sends says what is sent.
	sends string
	// shown are the header fields that it is about.
	shown []string
	// make gives the requests, one as a rule; nil where a step of its own sends it.
	make func(l *lane) []ask
}

const (
	handshake = "handshake"
	tools     = "tools"
	errs      = "errors"
	discovery = "discovery"
	legacy    = wire.EraLegacy
	modern    = wire.EraModern
)

// one makes a row's request from one message.
func one(f func(l *lane) talk.Raw) func(*lane) []ask {
	return func(l *lane) []ask { return []ask{{raw: f(l)}} }
}

// doc makes the GET of a document; path "" means that there is none at this endpoint.
func doc(path func(p *probe) string) func(*lane) []ask {
	return func(l *lane) []ask {
		at := path(l.probe)
		if at == "" {
			return nil
		}
		return []ask{{raw: l.get(at), detail: secret.MaskURL(strings.TrimPrefix(at, l.origin()))}}
	}
}

func wellKnown(name string) func(*lane) []ask {
	return doc(func(p *probe) string { return p.at("/.well-known/" + name) })
}

func insertedAt(name string) func(*lane) []ask {
	return doc(func(p *probe) string {
		if p.path() == "" {
			return ""
		}
		return p.inserted(name)
	})
}

// table is every request that a probe makes, in the order in which a lane sends them.
func table() []row {
	text := func(r talk.Raw) talk.Raw { r.Expect = talk.Text; return r }
	return []row{
		{trial: wire.Discover, part: handshake, sends: "`server/discover`, to learn which era the server speaks", make: one(func(l *lane) talk.Raw { return l.greet() })},
		{trial: wire.Initialize, part: handshake, era: legacy, sends: "`initialize`, asking for 2025-11-25", make: one(func(l *lane) talk.Raw { return l.greet() })},
		{trial: wire.Initialized, part: handshake, era: legacy, sends: "`notifications/initialized`"},
		{trial: wire.ToolsList, part: tools, sends: "`tools/list`; further pages with what the budget leaves, all of them with `--deep`", make: one(func(l *lane) talk.Raw { return l.message("tools/list", "") })},

		{trial: wire.UnknownMethod, part: errs, sends: "`no/such`, a method that does not exist", make: one(func(l *lane) talk.Raw { return l.message("no/such", "") })},
		{trial: wire.UnknownTool, part: errs, sends: "`tools/call` of `zz_nope`, a tool that does not exist", make: one(func(l *lane) talk.Raw { return l.call(nobody) })},
		{trial: wire.CallWithoutName, part: errs, sends: "`tools/call` without a name", make: one(func(l *lane) talk.Raw { return l.call("") })},
		{trial: wire.NotJSONBody, part: errs, sends: "`{not json`", make: one(func(l *lane) talk.Raw {
			r := l.light(body("{not json", ""))
			if r.HTTP.Verb == "" {
				r.Behind = l.behind()
			}
			return r
		})},
		{trial: wire.JunkLine, part: errs, local: true, sends: "a request right behind `{not json`: does the server live?"},
		{trial: wire.NoJSONRPC, part: errs, sends: "a request without `\"jsonrpc\": \"2.0\"`", make: one(func(l *lane) talk.Raw {
			r := l.ping(body(`{"id":1,"method":"ping"}`, "1"))
			if l.era == modern { // which has no ping
				r = l.message("tools/list", "")
				r.HTTP.Body = []byte(strings.Replace(string(r.HTTP.Body), `"jsonrpc":"2.0",`, "", 1))
			}
			if r.HTTP.Verb == "" {
				r.Behind = l.behind()
			}
			return r
		})},

		{trial: wire.InitializeAgain, part: handshake, era: legacy, sends: "the same `initialize` once more, byte for byte, without a session", make: func(l *lane) []ask {
			if l.transport == wire.SSE { // whose stream is the session
				return nil
			}
			return []ask{{raw: l.first.raw}}
		}},
		{trial: wire.InitializeUnpublished, part: handshake, era: legacy, sends: "`initialize`, asking for 1999-01-01", make: one(func(l *lane) talk.Raw { return l.greeting(never) })},
		{trial: wire.DiscoverAgain, part: handshake, era: modern, sends: "the same `server/discover` once more", make: one(func(l *lane) talk.Raw { return l.greet() })},
		{trial: wire.DiscoverUnpublished, part: handshake, era: modern, sends: "`server/discover`, asking for 1900-01-01 in header and body", shown: []string{hVersion}, make: one(func(l *lane) talk.Raw { return l.greeting(neverYet) })},

		{trial: wire.ResourceAtPath, part: discovery, sends: "GET /.well-known/oauth-protected-resource/PATH", remote: true, make: insertedAt("oauth-protected-resource")},
		{trial: wire.ResourceAtRoot, part: discovery, sends: "GET /.well-known/oauth-protected-resource", remote: true, make: wellKnown("oauth-protected-resource")},
		{trial: wire.AuthServer, part: discovery, sends: "GET /.well-known/oauth-authorization-server", remote: true, make: wellKnown("oauth-authorization-server")},
		{trial: wire.WellKnownMCP, part: discovery, sends: "GET /.well-known/mcp", remote: true, make: wellKnown("mcp")},
		{trial: wire.WellKnownJSON, part: discovery, sends: "GET /.well-known/mcp.json", remote: true, make: wellKnown("mcp.json")},
		{trial: wire.RootJSON, part: discovery, sends: "GET /mcp.json", remote: true, make: doc(func(p *probe) string { return p.at("/mcp.json") })},
		{trial: wire.LLMsText, part: discovery, sends: "GET /llms.txt", remote: true, make: doc(func(p *probe) string { return p.at("/llms.txt") })},
		{trial: wire.RandomPath, part: discovery, sends: "GET of a path that can not exist, where any of the others is there", remote: true,
			make: doc(func(p *probe) string { return p.at("/.well-known/mcpassay-" + p.o.Nonce) })},

		{trial: wire.ServerCard, part: discovery, deep: true, remote: true, sends: "GET URL/server-card", make: doc(func(p *probe) string { return p.at(p.path() + "/server-card") })},
		{trial: wire.AICatalog, part: discovery, deep: true, remote: true, sends: "GET /.well-known/ai-catalog.json", make: wellKnown("ai-catalog.json")},
		{trial: wire.AuthServerAtPath, part: discovery, deep: true, remote: true, sends: "GET /.well-known/oauth-authorization-server/PATH", make: insertedAt("oauth-authorization-server")},
		{trial: wire.OpenIDAtRoot, part: discovery, deep: true, remote: true, sends: "GET /.well-known/openid-configuration", make: wellKnown("openid-configuration")},
		{trial: wire.OpenIDAtPath, part: discovery, deep: true, remote: true, sends: "GET /.well-known/openid-configuration/PATH", make: insertedAt("openid-configuration")},
		{trial: wire.OpenIDAppended, part: discovery, deep: true, remote: true, sends: "GET PATH/.well-known/openid-configuration", make: doc(func(p *probe) string {
			if p.path() == "" {
				return ""
			}
			return p.at(p.path() + "/.well-known/openid-configuration")
		})},

		{trial: wire.InitializeVersion, part: handshake, era: legacy, deep: true, remote: true, sends: "`initialize`, asking for each older revision", make: func(l *lane) (all []ask) {
			for _, v := range wire.Legacy()[1:] {
				all = append(all, ask{detail: v, raw: l.greeting(v)})
			}
			return all
		}},
		{trial: wire.InitializeFixed, part: handshake, era: legacy, deep: true, remote: true, sends: "`initialize` with a session id of ours", make: one(func(l *lane) talk.Raw { return l.greet(with(hSession, chosen)) })},
		{trial: wire.InitializeInSession, part: handshake, era: legacy, deep: true, remote: true, sends: "`initialize` once more in the session", make: inSession(func(l *lane) talk.Raw {
			return l.greet(with(hSession, l.session))
		})},
		{trial: wire.VersionMismatch, part: handshake, era: modern, deep: true, remote: true, sends: "2025-11-25 in the header and 2026-07-28 in the body", shown: []string{hVersion},
			make: one(func(l *lane) talk.Raw { return l.greet(with(hVersion, wire.LegacyBest)) })},
		{trial: wire.MethodMismatch, part: handshake, era: modern, deep: true, remote: true, sends: "`tools/list` under the header of `prompts/list`", shown: []string{hMethod},
			make: one(func(l *lane) talk.Raw { return l.message("tools/list", "", with(hMethod, "prompts/list")) })},
		{trial: wire.MethodHeaderMissing, part: handshake, era: modern, deep: true, remote: true, sends: "`tools/list` without Mcp-Method",
			make: one(func(l *lane) talk.Raw { return l.message("tools/list", "", without(hMethod)) })},
		{trial: wire.NameMismatch, part: handshake, era: modern, deep: true, remote: true, sends: "`tools/call` of `zz_nope` under the header of another name", shown: []string{hName},
			make: one(func(l *lane) talk.Raw { return l.call(nobody, with(hName, "zz_other")) })},
		{trial: wire.MetaMissing, part: handshake, era: modern, deep: true, sends: "`tools/list` without _meta", make: one(func(l *lane) talk.Raw { return l.bare("tools/list", "", emptyParams) })},
		{trial: wire.CapabilitiesMissing, part: handshake, era: modern, deep: true, sends: "`tools/list` whose _meta has no clientCapabilities", make: one(func(l *lane) talk.Raw {
			return l.bare("tools/list", `"_meta":{"io.modelcontextprotocol/protocolVersion":`+quote(wire.Modern)+`,"io.modelcontextprotocol/clientInfo":`+l.client()+"}")
		})},
		{trial: wire.PingRemoved, part: handshake, era: modern, deep: true, sends: "`ping`, which the modern era does not have", make: one(func(l *lane) talk.Raw { return l.ping() })},
		{trial: wire.InitializeRemoved, part: handshake, era: modern, deep: true, remote: true, sends: "`initialize` in the modern era's headers", make: one(func(l *lane) talk.Raw {
			return l.message("initialize", `"protocolVersion":`+quote(wire.Modern)+`,"capabilities":{},"clientInfo":`+l.client())
		})},
		{trial: wire.SessionIgnored, part: handshake, era: modern, deep: true, remote: true, sends: "`tools/list` with a session id", make: one(func(l *lane) talk.Raw { return l.message("tools/list", "", with(hSession, bogus)) })},
		{trial: wire.Listen, part: handshake, era: modern, deep: true, remote: true, sends: "`subscriptions/listen`, until its first message", make: one(func(l *lane) talk.Raw {
			r := l.message("subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
			r.Expect, r.HTTP.Want = talk.First, wire.Stream
			return r
		})},
		{trial: wire.ToolsAgain, part: tools, deep: true, sends: "`tools/list` once more", make: one(func(l *lane) talk.Raw { return l.message("tools/list", "") })},
		{trial: wire.CursorUnknown, part: tools, deep: true, sends: "`tools/list` with a cursor that was never given", make: one(func(l *lane) talk.Raw { return l.message("tools/list", `"cursor":"not-a-cursor"`) })},
		{trial: wire.VersionHeaderUnknown, part: handshake, era: legacy, deep: true, remote: true, sends: "`ping` under MCP-Protocol-Version: 1999-01-01", shown: []string{hVersion},
			make: one(func(l *lane) talk.Raw { return l.ping(with(hVersion, never)) })},
		{trial: wire.SessionMissing, part: handshake, era: legacy, deep: true, remote: true, sends: "`ping` without the session", make: inSession(func(l *lane) talk.Raw { return l.ping(without(hSession)) })},
		{trial: wire.SessionBogus, part: handshake, era: legacy, deep: true, remote: true, sends: "`ping` with a session id that was never given", make: inSession(func(l *lane) talk.Raw { return l.ping(with(hSession, bogus)) })},
		{trial: wire.StreamGet, part: handshake, deep: true, remote: true, sends: "GET of the endpoint, for the server's own stream", make: one(func(l *lane) talk.Raw { return l.verb("GET", with(hAccept, wire.MediaEvents)) })},

		{trial: wire.IDNull, part: errs, deep: true, sends: "a request whose id is null", make: one(func(l *lane) talk.Raw { return l.light(id("null")) })},
		{trial: wire.IDFraction, part: errs, deep: true, sends: "a request whose id is 1.5", make: one(func(l *lane) talk.Raw { return l.light(id("1.5")) })},
		{trial: wire.IDObject, part: errs, deep: true, sends: "a request whose id is an object", make: one(func(l *lane) talk.Raw { return l.light(id(`{"a":1}`)) })},
		{trial: wire.BatchBody, part: errs, era: legacy, deep: true, sends: "two pings in an array", make: one(func(l *lane) talk.Raw {
			return l.ping(body(`[{"jsonrpc":"2.0","id":901,"method":"ping"},{"jsonrpc":"2.0","id":902,"method":"ping"}]`, "901"))
		})},
		{trial: wire.BatchEmpty, part: errs, deep: true, sends: "an empty array", make: one(func(l *lane) talk.Raw { return l.light(body("[]", "")) })},
		{trial: wire.ParamsArray, part: errs, deep: true, sends: "`tools/call` whose params are an array", make: one(func(l *lane) talk.Raw { return l.params("[1]") })},
		{trial: wire.ParamsNull, part: errs, deep: true, sends: "`tools/call` whose params are null", make: one(func(l *lane) talk.Raw { return l.params("null") })},
		{trial: wire.InvalidUTF8, part: errs, deep: true, sends: "a method whose bytes are no UTF-8", make: one(func(l *lane) talk.Raw {
			return l.light(body("{\"jsonrpc\":\"2.0\",\"id\":903,\"method\":\"\xff\xfe\"}", "903"))
		})},
		{trial: wire.DeepBody, part: errs, deep: true, sends: "a request that nests 5,000 arrays", make: one(func(l *lane) talk.Raw {
			n := l.lim.ProbeNesting
			return l.light(body(`{"jsonrpc":"2.0","id":904,"method":"ping","params":{"a":`+strings.Repeat("[", n)+strings.Repeat("]", n)+"}}", "904"))
		})},
		{trial: wire.LargeBody, part: errs, deep: true, remote: true, sends: "a request of 5 MiB", make: one(func(l *lane) talk.Raw {
			return l.light(body(`{"jsonrpc":"2.0","id":905,"method":"ping","params":{"a":"`+strings.Repeat("x", l.lim.ProbeLarge)+`"}}`, "905"))
		})},
		{trial: wire.AcceptAny, part: errs, deep: true, remote: true, sends: "Accept: */*", shown: []string{hAccept}, make: one(func(l *lane) talk.Raw { return l.greet(with(hAccept, "*/*")) })},
		{trial: wire.AcceptJSON, part: errs, deep: true, remote: true, sends: "Accept: application/json alone", shown: []string{hAccept}, make: one(func(l *lane) talk.Raw { return l.greet(with(hAccept, wire.MediaJSON)) })},
		{trial: wire.AcceptEvents, part: errs, deep: true, remote: true, sends: "Accept: text/event-stream alone", shown: []string{hAccept}, make: one(func(l *lane) talk.Raw { return l.greet(with(hAccept, wire.MediaEvents)) })},
		{trial: wire.ContentType, part: errs, deep: true, remote: true, sends: "Content-Type: text/plain", shown: []string{hType}, make: one(func(l *lane) talk.Raw { return l.greet(with(hType, "text/plain")) })},
		{trial: wire.VerbPut, part: errs, deep: true, remote: true, sends: "PUT", make: one(func(l *lane) talk.Raw { return l.verb("PUT") })},
		{trial: wire.VerbHead, part: errs, deep: true, remote: true, sends: "HEAD", make: one(func(l *lane) talk.Raw { return l.verb("HEAD") })},
		{trial: wire.VerbOptions, part: errs, deep: true, remote: true, sends: "OPTIONS", make: one(func(l *lane) talk.Raw { return text(l.verb("OPTIONS")) })},
		{trial: wire.OriginEvil, part: handshake, deep: true, remote: true, sends: "the greeting from Origin http://evil.example", shown: []string{hOrigin}, make: one(func(l *lane) talk.Raw { return l.greet(with(hOrigin, evilOrigin)) })},
		{trial: wire.HostEvil, part: handshake, deep: true, remote: true, sends: "the greeting to Host evil.example, on a loopback address alone like the next two", make: onLoopback(func(l *lane) talk.Raw { return l.greet(toHost(evilHost)) })},
		{trial: wire.HostOriginEvil, part: handshake, deep: true, remote: true, sends: "the greeting to that Host from that Origin", shown: []string{hOrigin}, make: onLoopback(func(l *lane) talk.Raw { return l.greet(toHost(evilHost), with(hOrigin, evilOrigin)) })},
		{trial: wire.HostValid, part: handshake, deep: true, remote: true, sends: "the greeting with the server's own Host and Origin", shown: []string{hOrigin}, make: onLoopback(func(l *lane) talk.Raw {
			return l.greet(toHost(l.url.Host), with(hOrigin, l.origin()))
		})},

		{trial: wire.SessionDelete, part: handshake, era: legacy, remote: true, sends: "DELETE of the session, with what the budget leaves", make: inSession(func(l *lane) talk.Raw { return l.verb("DELETE") })},
		{trial: wire.SessionEnded, part: handshake, era: legacy, deep: true, remote: true, sends: "`ping` in the session that was deleted", make: inSession(func(l *lane) talk.Raw { return l.ping() })},
		{trial: wire.InputClosed, part: handshake, local: true, sends: "the end of the input: how long does the server stay?"},
	}
}

// inSession makes a request only where the server gave a session.
func inSession(f func(l *lane) talk.Raw) func(*lane) []ask {
	return func(l *lane) []ask {
		if l.session == "" {
			return nil
		}
		return []ask{{raw: f(l)}}
	}
}

// onLoopback makes a request only where the server is on this machine: only there a Host of another name is an attack.
func onLoopback(f func(l *lane) talk.Raw) func(*lane) []ask {
	return func(l *lane) []ask {
		if !wire.Loopback(l.url) {
			return nil
		}
		return []ask{{raw: f(l)}}
	}
}

// toHost sets the Host field.
func toHost(name string) change { return func(r *talk.Raw) { r.HTTP.Host = name } }

// id replaces the id of a message.
func id(text string) change {
	return func(r *talk.Raw) {
		r.HTTP.Body = []byte(strings.Replace(string(r.HTTP.Body), `"id":`+r.ID, `"id":`+text, 1))
		r.ID, r.AnyID = text, true
	}
}

// params is tools/call with params that are no object.
func (l *lane) params(text string) talk.Raw {
	id := l.nextID()
	return l.message("tools/call", "", body(`{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":`+text+"}", id))
}

// asks are the requests of some rows of the table, in its order, as far as they are for the lane.
func (l *lane) asks(trials ...wire.Trial) (all []ask) {
	for _, r := range table() {
		if slices.Contains(trials, r.trial) {
			all = append(all, l.of(r)...)
		}
	}
	return all
}

// of are the requests of a row, none where it is not for the lane.
func (l *lane) of(r row) []ask {
	stdio := l.transport == wire.Stdio
	if !l.wants(r.part) && !slices.Contains([]wire.Trial{wire.Discover, wire.Initialize, wire.SessionDelete}, r.trial) {
		return nil
	}
	if r.make == nil || r.era != "" && r.era != l.era || r.local && !stdio || r.remote && stdio {
		return nil
	}
	if r.remote && r.part != discovery && l.transport == wire.SSE { // whose header says nothing, and whose stream is the session
		return nil
	}
	made := r.make(l)
	for i := range made {
		made[i].trial, made[i].shown = r.trial, r.shown
		if stdio && r.part == errs && r.deep { // silence costs no time then
			made[i].raw.Behind = l.behind()
		}
	}
	return made
}

// Sections are the parts of the score card.
func Sections() []string { return []string{handshake, tools, errs, discovery} }

// Section is the part of the score card that a trial belongs to: handshake, for a name that is no trial.
func Section(t wire.Trial) string {
	for _, r := range table() {
		if r.trial == t {
			return r.part
		}
	}
	return handshake
}

// Table is the table of requests as docs/probe.md prints it.
func Table() string {
	var b strings.Builder
	b.WriteString("| trial | section | era | when | what is sent |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range table() {
		era, when := r.era, "always"
		if era == "" {
			era = "both"
		}
		if r.deep {
			when = "`--deep`"
		}
		if r.local {
			when += ", stdio"
		}
		if r.remote {
			when += ", HTTP"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", r.trial, r.part, era, when, r.sends)
	}
	return b.String()
}
