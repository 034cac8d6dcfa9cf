package wire

import (
	"encoding/base64"
	"io"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Header is the header of an HTTP message: lower-case names, values in order.
type Header map[string][]string

// Get is the first value, "" for none.
func (h Header) Get(name string) string {
	if v := h[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// NamedBy is the parameter that the field Mcp-Name repeats for a method (2026-07-28, basic/transports), "" for none.
func NamedBy(method string) string {
	switch method {
	case "tools/call", "prompts/get":
		return "name"
	case "resources/read":
		return "uri"
	}
	return ""
}

// FieldText reads the form in which a header field of MCP carries what is not ASCII: =?base64?…?=.
func FieldText(value string) string {
	inner, ok := strings.CutPrefix(value, "=?base64?")
	if inner, closed := strings.CutSuffix(inner, "?="); ok && closed {
		if raw, err := base64.StdEncoding.DecodeString(inner); err == nil {
			return string(raw)
		}
	}
	return value
}

// MediaType is the type of a body, in lower case and without parameters.
func (h Header) MediaType() string {
	media, _, _ := strings.Cut(h.Get("content-type"), ";")
	return strings.ToLower(strings.TrimSpace(media))
}

// The types of a body that answers a request.
const (
	MediaJSON   = "application/json"
	MediaEvents = "text/event-stream"
)

// Body says how much of an answer is read.
type Body uint8

// The bodies. Each has its limit; that of an answer with an error status is ErrorBodyBytes for all of them.
const (
	Page Body = iota
	Handshake
	// Document is one of authorisation (metadata, a registration, a token) or of discovery.
	Document
	// Stream is an event stream that lasts: it may be silent, and neither IdleTime nor RequestTime end it. The caller's
	// context does.
	Stream
	// Artifact is a file of a package: large, and as long in coming.
	Artifact
	// Relayed is what goes on to somebody else: a frame that the guard judges, or an event stream of any length. It may be silent as
	// a Stream may, and whoever waits for it ends it.
	Relayed
)

// HTTPRequest is a request that a flow makes. Credentials are not part of it: the door adds them.
type HTTPRequest struct {
	Verb, URL string
	// Host is what the Host field says, "" for the URL's own. The connection goes to the URL's host all the same.
	Host   string
	Header [][2]string
	Body   []byte
	Want   Body
}

// HTTPResponse is its answer. Body is within its limit and its time, decoded, and must be closed; its errors are a
// *Failure.
type HTTPResponse struct {
	Status int
	Header Header
	Body   io.ReadCloser
	// Faults are what the door noticed up to here.
	Faults []Fault
	// Late are what it noticed while the body was read; ask after that.
	Late func() []Fault
	// Certificate is the SHA-256 of the server's own certificate, "sha256:…", "" without TLS.
	Certificate string
}

// Exchange is one request and what came of it.
type Exchange struct {
	// Method is what was asked for over JSON-RPC, Verb the HTTP method, "" on stdio.
	Method, Verb string
	// Request is the message that was sent, nil for none.
	Request []byte
	// Status and Header are the HTTP answer's, as far as KeptHeaders goes.
	Status int
	Header Header
	// Frames is all that came meanwhile, in order, and Reply the response among them, nil for none. Only the reply keeps
	// its tree.
	Frames []*Frame
	Reply  *Frame
	// Text is the body of an HTTP answer that holds no response.
	Text []byte
	// Session is the id that the answer gives to a new session, "" for none.
	Session string
	// Changed are the lists that the server said meanwhile have changed.
	Changed []ListKind
	// InSession says that the request named a session.
	InSession   bool
	Certificate string
	Elapsed     time.Duration
	Faults      Faults
}

// KeptHeaders are the fields of an answer's header that a transcript keeps.
func KeptHeaders() []string {
	return []string{"access-control-allow-origin", "allow", "cache-control", "content-encoding", "content-type", "location",
		"mcp-protocol-version", "retry-after", "www-authenticate", "x-accel-buffering"}
}

// Origin is the scheme, host and port of an http or https URL, in one spelling ("https://example.com:443"). ok is false
// for anything else.
func Origin(u *url.URL) (origin string, ok bool) {
	port := u.Port()
	switch scheme := strings.ToLower(u.Scheme); {
	case scheme != "http" && scheme != "https", u.Hostname() == "":
		return "", false
	case port == "" && scheme == "http":
		port = "80"
	case port == "":
		port = "443"
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if a, err := netip.ParseAddr(host); err == nil {
		host = a.String()
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return strings.ToLower(u.Scheme) + "://" + host + ":" + port, true
}

// Loopback says that a URL's host is this machine, by its name or its address.
func Loopback(u *url.URL) bool {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	a, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && a.Unmap().IsLoopback()
}

// ShownURL is a URL for people: without user, password, query and fragment, which hold credentials.
func ShownURL(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath, Opaque: u.Opaque}
	return shown.String()
}
