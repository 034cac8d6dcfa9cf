package probe

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/flow/talk"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// The header fields of the protocol, and what a browser on another site would send.
const (
	hVersion = "MCP-Protocol-Version"
	hSession = "Mcp-Session-Id"
	hMethod  = "Mcp-Method"
	hName    = "Mcp-Name"
	hOrigin  = "Origin"
	hAccept  = "Accept"
	hType    = "Content-Type"

	evilHost   = "evil.example"
	evilOrigin = "http://evil.example"
	anyType    = wire.MediaJSON + ", " + wire.MediaEvents
	never      = "1999-01-01"                           // a revision that nobody published
	neverYet   = "1900-01-01"                           // the same in the modern era
	bogus      = "00000000-0000-4000-8000-000000000000" // a session that nobody was given
	chosen     = "mcpassay-chose-this-session"
	nobody     = "zz_nope" // a tool that no server has
)

// change is what a trial changes about a message that is right.
type change func(*talk.Raw)

// with sets a field of the header.
func with(name, value string) change {
	return func(r *talk.Raw) {
		without(name)(r)
		r.HTTP.Header = append(r.HTTP.Header, [2]string{name, value})
	}
}

// without drops a field.
func without(name string) change {
	return func(r *talk.Raw) {
		r.HTTP.Header = slices.DeleteFunc(slices.Clone(r.HTTP.Header), func(h [2]string) bool { return strings.EqualFold(h[0], name) })
	}
}

// body replaces the message, whose id is then that one, "" for none.
func body(text, id string) change {
	return func(r *talk.Raw) { r.HTTP.Body, r.ID = []byte(text), id }
}

// nextID is an id that the lane has not used.
func (l *lane) nextID() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.id++
	return strconv.Itoa(l.id)
}

// meta is the _meta that every request of the modern era has.
func (l *lane) meta(version string) string {
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":` + quote(version) + `,"io.modelcontextprotocol/clientInfo":` + l.client() +
		`,"io.modelcontextprotocol/clientCapabilities":{}}`
}

func (p *probe) client() string {
	return `{"name":` + quote(p.o.Client) + `,"version":` + quote(p.o.ClientVersion) + "}"
}

// message is a request of the lane's era as a client sends it, changed as a trial wants it. members are those of its
// params, as JSON.
func (l *lane) message(method, members string, changes ...change) talk.Raw {
	if l.era == wire.EraModern {
		members = strings.TrimPrefix(members+","+l.meta(l.version), ",")
	}
	return l.bare(method, members, changes...)
}

// bare is the same without what the era adds to the params.
func (l *lane) bare(method, members string, changes ...change) talk.Raw {
	id := l.nextID()
	if members != "" {
		members = `,"params":{` + members + "}"
	}
	r := talk.Raw{Method: method, Version: l.version, Modern: l.era == wire.EraModern, ID: id}
	r.HTTP = wire.HTTPRequest{Verb: "POST", URL: l.target.URL, Want: wire.Page, Body: []byte(`{"jsonrpc":"2.0","id":` + id + `,"method":` + quote(method) + members + "}"),
		Header: [][2]string{{hType, wire.MediaJSON}, {hAccept, anyType}}}
	if l.version >= wire.V20250618 {
		r.HTTP.Header = append(r.HTTP.Header, [2]string{hVersion, l.version})
	}
	if r.Modern {
		r.HTTP.Header = append(r.HTTP.Header, [2]string{hMethod, method})
	}
	if l.session != "" {
		r.HTTP.Header = append(r.HTTP.Header, [2]string{hSession, l.session})
	}
	for _, c := range changes {
		c(&r)
	}
	if l.transport == wire.Stdio {
		r.HTTP.Verb, r.HTTP.Header = "", nil
	}
	return r
}

// greeting is the first request of the era: initialize without a session, or server/discover. version is what it asks for.
func (l *lane) greeting(version string, changes ...change) talk.Raw {
	if l.era == wire.EraModern {
		changes = append([]change{with(hVersion, version)}, changes...)
		r := l.bare("server/discover", l.meta(version), changes...)
		r.HTTP.Want = wire.Handshake
		return r
	}
	changes = append([]change{without(hVersion), without(hSession)}, changes...)
	r := l.bare("initialize", `"protocolVersion":`+quote(version)+`,"capabilities":{},"clientInfo":`+l.client(), changes...)
	r.HTTP.Want, r.Version = wire.Handshake, ""
	return r
}

// greet is the greeting that asks for the lane's own revision.
func (l *lane) greet(changes ...change) talk.Raw {
	if l.era == wire.EraModern {
		return l.greeting(wire.Modern, changes...)
	}
	return l.greeting(wire.LegacyBest, changes...)
}

// ping is a request that every server of the legacy era answers.
func (l *lane) ping(changes ...change) talk.Raw { return l.message("ping", "", changes...) }

// light is a request that costs a server of either era little.
func (l *lane) light(changes ...change) talk.Raw {
	if l.era == wire.EraModern {
		return l.greet(changes...)
	}
	return l.ping(changes...)
}

// verb is a request with another verb than POST.
func (l *lane) verb(verb string, changes ...change) talk.Raw {
	r := l.message("", "", changes...)
	r.HTTP.Verb, r.HTTP.Body, r.Expect, r.ID = verb, nil, talk.Text, ""
	for _, name := range []string{hType, hMethod} {
		without(name)(&r)
	}
	return r
}

// get is a GET of a document beside the endpoint.
func (l *lane) get(at string) talk.Raw {
	return talk.Raw{Method: "GET", Expect: talk.Text, HTTP: wire.HTTPRequest{Verb: "GET", URL: at, Want: wire.Document,
		Header: [][2]string{{hAccept, wire.MediaJSON + ", text/plain;q=0.5"}}}}
}

// call is tools/call of a tool, "" to name none.
func (l *lane) call(tool string, changes ...change) talk.Raw {
	members := ""
	if tool != "" {
		members = `"name":` + quote(tool) + `,"arguments":{}`
		if l.era == wire.EraModern {
			changes = append([]change{with(hName, tool)}, changes...)
		}
	} else if l.era == wire.EraLegacy {
		return l.message("tools/call", "", append([]change{emptyParams}, changes...)...)
	}
	return l.message("tools/call", members, changes...)
}

// emptyParams puts params without members into a message that has none.
func emptyParams(r *talk.Raw) {
	r.HTTP.Body = append(bytes.TrimSuffix(r.HTTP.Body, []byte("}")), `,"params":{}}`...)
}

// behind is the request that is sent behind a line which a stdio server should refuse.
func (l *lane) behind() *talk.Call {
	if l.era == wire.EraModern {
		return &talk.Call{Method: "server/discover", Params: []byte("{" + l.meta(l.version) + "}"), Version: l.version, Modern: true}
	}
	return &talk.Call{Method: "ping", Version: l.version}
}

// inserted is a well-known path in front of the endpoint's own (RFC 9728, section 3.1; RFC 8414, section 3.1).
func (p *probe) inserted(name string) string { return p.at("/.well-known/" + name + p.path()) }

func quote(s string) string {
	text, _ := json.Marshal(s) // a string has a form
	return string(text)
}
