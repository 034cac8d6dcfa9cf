package wire

import (
	"encoding/json"
	"fmt"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Trial names one request that a probe makes to see how a server answers. Names are part of the transcript's format and
// never change their meaning.
type Trial string

// The trials of the handshake. Those of the legacy era begin with initialize, those of the modern one with discover.
const (
	Initialize            Trial = "initialize"
	Initialized           Trial = "initialized"            // the notification
	InitializeAgain       Trial = "initialize-again"       // the same bytes, without a session
	InitializeUnpublished Trial = "initialize-unpublished" // a revision that nobody published: 1999-01-01
	Discover              Trial = "discover"
	DiscoverAgain         Trial = "discover-again"
	DiscoverUnpublished   Trial = "discover-unpublished" // 1900-01-01 in header and body

	// Only when a person asks for more (--deep):

	InitializeVersion    Trial = "initialize-version"     // an older revision, one trial for each; Detail names it
	InitializeFixed      Trial = "initialize-fixed"       // with a session id of ours
	InitializeInSession  Trial = "initialize-in-session"  // once more, in the session
	VersionMismatch      Trial = "version-mismatch"       // header 2025-11-25, body 2026-07-28
	MethodMismatch       Trial = "method-mismatch"        // Mcp-Method names another method
	MethodHeaderMissing  Trial = "method-header-missing"  // no Mcp-Method
	NameMismatch         Trial = "name-mismatch"          // Mcp-Name names another tool than tools/call does
	MetaMissing          Trial = "meta-missing"           // no _meta
	CapabilitiesMissing  Trial = "capabilities-missing"   // no clientCapabilities in _meta
	PingRemoved          Trial = "ping-removed"           // ping in the modern era
	InitializeRemoved    Trial = "initialize-removed"     // initialize in the modern era's headers
	SessionIgnored       Trial = "session-ignored"        // a session id in the modern era
	Listen               Trial = "listen"                 // subscriptions/listen, for a moment
	ToolsAgain           Trial = "tools-again"            // tools/list once more
	VersionHeaderUnknown Trial = "version-header-unknown" // MCP-Protocol-Version: 1999-01-01 on a later request
	SessionMissing       Trial = "session-missing"        // ping without the session that initialize gave
	SessionBogus         Trial = "session-bogus"          // ping with a session id that was never given
	SessionEnded         Trial = "session-ended"          // ping in a session after DELETE
	SessionDelete        Trial = "session-delete"         // the DELETE
	StreamGet            Trial = "stream-get"             // GET for the server's own stream
)

// The trials of the lists.
const (
	ToolsList     Trial = "tools-list"
	CursorUnknown Trial = "bad-cursor" // deep: cursor "not-a-cursor"
)

// The five trials of error conformance.
const (
	UnknownMethod   Trial = "unknown-method"    // no/such
	UnknownTool     Trial = "unknown-tool"      // tools/call zz_nope
	CallWithoutName Trial = "call-without-name" // tools/call {}
	NotJSONBody     Trial = "not-json"          // {not json
	NoJSONRPC       Trial = "no-jsonrpc"        // {"id":1,"method":"ping"}

	// Deep:

	IDNull         Trial = "id-null"
	IDFraction     Trial = "id-fraction"
	IDObject       Trial = "id-object"
	BatchBody      Trial = "batch" // two pings
	BatchEmpty     Trial = "batch-empty"
	ParamsArray    Trial = "params-array"
	ParamsNull     Trial = "params-null"
	InvalidUTF8    Trial = "invalid-utf8"
	DeepBody       Trial = "deep-body"  // 5,000 arrays
	LargeBody      Trial = "large-body" // 5 MiB
	AcceptAny      Trial = "accept-any" // Accept: */*
	AcceptJSON     Trial = "accept-json"
	AcceptEvents   Trial = "accept-events"
	ContentType    Trial = "content-type" // text/plain
	VerbPut        Trial = "verb-put"
	VerbHead       Trial = "verb-head"
	VerbOptions    Trial = "verb-options"
	OriginEvil     Trial = "origin-evil" // Origin: http://evil.example
	HostEvil       Trial = "host-evil"
	HostOriginEvil Trial = "host-origin-evil"
	HostValid      Trial = "host-valid"   // Host and Origin of the server itself, after the three before
	JunkLine       Trial = "junk-line"    // stdio: a line that is no JSON, then ping
	InputClosed    Trial = "input-closed" // stdio: its input ends; ElapsedMS is how long it stayed
)

// The trials of discovery: one GET each. Detail is the path.
const (
	ResourceAtPath Trial = "resource-at-path" // RFC 9728, 3.1: /.well-known/oauth-protected-resource/PATH
	ResourceAtRoot Trial = "resource-at-root" // /.well-known/oauth-protected-resource
	AuthServer     Trial = "auth-server"      // /.well-known/oauth-authorization-server
	WellKnownMCP   Trial = "well-known-mcp"   // /.well-known/mcp
	WellKnownJSON  Trial = "well-known-mcp-json"
	RootJSON       Trial = "mcp-json"    // /mcp.json
	LLMsText       Trial = "llms-txt"    // /llms.txt
	RandomPath     Trial = "random-path" // a path that can not exist: what "missing" looks like here

	// Deep:

	ServerCard       Trial = "server-card"         // URL/server-card
	AICatalog        Trial = "ai-catalog"          // /.well-known/ai-catalog.json
	AuthServerAtPath Trial = "auth-server-at-path" // RFC 8414, 3.1
	OpenIDAtRoot     Trial = "openid-at-root"
	OpenIDAtPath     Trial = "openid-at-path"  // inserted
	OpenIDAppended   Trial = "openid-appended" // PATH/.well-known/openid-configuration
)

// Discovery says that a trial is the GET of a document.
func (t Trial) Discovery() bool {
	switch t {
	case ResourceAtPath, ResourceAtRoot, AuthServer, WellKnownMCP, WellKnownJSON, RootJSON, LLMsText, RandomPath,
		ServerCard, AICatalog, AuthServerAtPath, OpenIDAtRoot, OpenIDAtPath, OpenIDAppended:
		return true
	}
	return false
}

// Tried is one request of a probe and what came of it, as the transcript keeps it.
type Tried struct {
	Trial Trial `json:"trial"`
	// Detail tells trials of one name apart: a revision, a path.
	Detail string `json:"detail,omitempty"`
	// Verb is the HTTP method, "" on stdio. Sent is the message or body that was sent, cut to the limit; SentHeader what the
	// trial is about, in lower case. Credentials and sessions are not kept.
	Verb       string `json:"verb,omitempty"`
	Sent       string `json:"sent,omitempty"`
	SentHeader Header `json:"sentHeader,omitempty"`
	// Status and Header (KeptHeaders) are the HTTP answer's. 0 and nil where none came, and on stdio.
	Status int    `json:"status,omitempty"`
	Header Header `json:"header,omitempty"`
	// Session says that the answer gave a session id.
	Session bool `json:"session,omitempty"`
	// Tries is how often it was sent, where that was more than once: a server that is busy is asked again. The rest is of
	// the last time.
	Tries int `json:"tries,omitempty"`
	// Reply is the JSON-RPC response; nil for none. Of an answer in an array it is the first one, and of tools-list it is
	// left out where the result is a page of the surface. Body is the text of an answer that holds none: cut to the limit,
	// but for a discovery document; on a stream of news it is the first message that came.
	Reply json.RawMessage `json:"reply,omitempty"`
	Body  string          `json:"body,omitempty"`
	// Cause and Failure say why nothing came ("timeout", "ended" …), else "".
	Cause   Cause  `json:"cause,omitempty"`
	Failure string `json:"failure,omitempty"`
	// ElapsedMS is the time to the answer in milliseconds.
	ElapsedMS int64  `json:"elapsedMs"`
	Faults    Faults `json:"faults,omitempty"`
}

// Code is the error code of the reply; ok is false for a result, and where there is no reply.
func (t *Tried) Code() (code int, ok bool) {
	var reply struct {
		Error *struct {
			Code json.Number `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(t.Reply, &reply) != nil || reply.Error == nil {
		return 0, false
	}
	n, err := reply.Error.Code.Int64()
	return int(n), err == nil
}

// Answered says that a JSON-RPC response came: an error or a result.
func (t *Tried) Answered() bool { return len(t.Reply) > 0 }

// ReadTrials reads the trials of a saved surface.
func ReadTrials(n source.Node, lim limits.Set) ([]Tried, error) {
	if !n.Valid() {
		return nil, nil
	}
	var all []Tried
	if err := json.Unmarshal(n.Raw(), &all); err != nil || n.Kind() != source.Array {
		return nil, fmt.Errorf("trials is not what a probe writes")
	}
	if len(all) > lim.Trials {
		return nil, fmt.Errorf("it has %d trials", len(all))
	}
	return all, nil
}
