package wire

import "github.com/mcpassay/mcpassay/internal/limits"

// FaultKind names one way in which a server breaks its protocol or surprises its client. A fault is an observation: rules
// make findings of it.
type FaultKind string

// The faults.
const (
	// NotJSON is a line or body that is no JSON: a banner or a log line on stdout. Detail quotes it.
	NotJSON FaultKind = "not-json"
	// BadEnvelope is JSON that is no JSON-RPC 2.0 message, or half of one. Detail says why.
	BadEnvelope FaultKind = "bad-envelope"
	// BadText is a message with bytes that are no UTF-8, with half of a surrogate pair, or behind a byte order mark.
	BadText FaultKind = "bad-text"
	// TooDeep is a message that nests deeper than the limit.
	TooDeep FaultKind = "too-deep"
	// TooLarge is a message or body over its limit.
	TooLarge FaultKind = "too-large"
	// HTML is a web page where JSON-RPC belongs. Status is that of its answer.
	HTML FaultKind = "html"
	// WrongID is a response to a request that was never made. Detail is its id.
	WrongID FaultKind = "wrong-id"
	// DuplicateID is a second response to one request. Detail is its id.
	DuplicateID FaultKind = "duplicate-id"
	// BatchSent is a batch of messages; only 2025-03-26 speaks of those.
	BatchSent FaultKind = "batch"
	// ServerRequest is a request of the server where it must not make one: before the handshake is done, or from 2026-07-28
	// on at all. Detail is its method.
	ServerRequest FaultKind = "server-request"
	// RequestFlood is more requests of the server than are answered.
	RequestFlood FaultKind = "request-flood"
	// Flood is more frames before an answer than are read.
	Flood FaultKind = "flood"
	// RepeatedCursor is a page that names a cursor which was followed before. Detail is the cursor.
	RepeatedCursor FaultKind = "repeated-cursor"
	// BadCursor is a nextCursor that is no string, or too long a one.
	BadCursor FaultKind = "bad-cursor"
	// BadResult is a result without what it must hold. Detail says what.
	BadResult FaultKind = "bad-result"
	// UnannouncedList is a notification that a list changed whose capability was not announced.
	UnannouncedList FaultKind = "unannounced-list"
	// RefusedList is a list that was announced and is refused. Detail is the error.
	RefusedList FaultKind = "refused-list"
	// UnstableOrder is a list that holds the same items in another order when it is asked for again (2026-07-28: SHOULD be
	// deterministic).
	UnstableOrder FaultKind = "unstable-order"
	// MissingResultType is a result of 2026-07-28 without a resultType; the next two are its other required members.
	MissingResultType FaultKind = "missing-result-type"
	MissingTTL        FaultKind = "missing-ttl"
	MissingCacheScope FaultKind = "missing-cache-scope"
	// MixedCacheScope is a list whose pages differ in cacheScope.
	MixedCacheScope FaultKind = "mixed-cache-scope"
	// UnknownVersion is a handshake that ends with a version that is none of the protocol's. Detail is that version.
	UnknownVersion FaultKind = "unknown-version"
	// SessionDemanded is a server that refuses a handshake for want of a session id.
	SessionDemanded FaultKind = "session-demanded"
	// BadSession is a session id that holds more than visible ASCII (2025-03-26: MUST), or is too long.
	BadSession FaultKind = "bad-session"
	// SessionFixed is an initialize whose answer takes the session id that the client made up.
	SessionFixed FaultKind = "session-fixed"
	// WeakSession is a session id that can be guessed. Detail says why, without the id.
	WeakSession FaultKind = "weak-session"
	// SessionLost is a session that the server forgot while it was in use.
	SessionLost FaultKind = "session-lost"
	// Redirect is an answer that sends the client elsewhere; it is not followed. Status and Target say how and where.
	Redirect FaultKind = "redirect"
	// Compressed is a body that is compressed although none may be. Detail is the encoding.
	Compressed FaultKind = "compressed"
	// BadContentType is an answer of a type other than application/json or text/event-stream. Detail is the type.
	BadContentType FaultKind = "bad-content-type"
	// NoReply is an answer that ends without the response to its request. Status is that of the answer.
	NoReply FaultKind = "no-reply"
	// NotificationAnswered is an answer to a notification other than 202 without a body.
	NotificationAnswered FaultKind = "notification-answered"
	// ForeignEndpoint is an endpoint event (2024-11-05) that leads to another origin. Target is where.
	ForeignEndpoint FaultKind = "foreign-endpoint"
	// AddressesChanged is a name that resolved to other public addresses than before. Detail lists both.
	AddressesChanged FaultKind = "addresses-changed"
	// CertificateChanged is a server that showed another certificate than before. Detail has both fingerprints.
	CertificateChanged FaultKind = "certificate-changed"
	// OtherTransport is a server that speaks another transport than its config says. Detail is what the config says, as
	// wire.HTTP or wire.SSE; the surface has the other.
	OtherTransport FaultKind = "other-transport"
	// CredentialEchoed is an answer that holds the credential it was asked with. The credential is masked in what is kept.
	CredentialEchoed FaultKind = "credential-echoed"
)

// Fault is one observation. Strings are a stranger's words, cut to the limit and otherwise as they came: who prints them
// neutralises and masks them.
type Fault struct {
	Kind FaultKind `json:"kind"`
	// During is the method of the request at hand, "" outside of one.
	During string `json:"during,omitempty"`
	Detail string `json:"detail,omitempty"`
	// Status is the HTTP status, where it matters.
	Status int `json:"status,omitempty"`
	// Target is the absolute URL that a redirect or an endpoint names, without its query.
	Target string `json:"target,omitempty"`
	// Count is how often it was seen, where that was more than once; the first stands for all.
	Count int `json:"count,omitempty"`
}

// Faults is a list in which faults of one kind during one method are one.
type Faults []Fault

// Add notes faults.
func (l *Faults) Add(during string, lim limits.Set, faults ...Fault) {
next:
	for _, f := range faults {
		if f.During == "" {
			f.During = during
		}
		f.Detail, f.Target = Excerpt([]byte(f.Detail), lim), Excerpt([]byte(f.Target), lim)
		for i := range *l {
			if at := &(*l)[i]; at.Kind == f.Kind && at.During == f.During && at.Status == f.Status {
				at.Count = max(at.Count, 1) + max(f.Count, 1)
				continue next
			}
		}
		*l = append(*l, f)
	}
}

// Has says whether a kind was seen.
func (l Faults) Has(kind FaultKind) bool {
	for _, f := range l {
		if f.Kind == kind {
			return true
		}
	}
	return false
}

// Cause is one word for why something could not be had.
type Cause string

// The causes.
const (
	CauseTimeout     Cause = "timeout"
	CauseRefused     Cause = "refused"      // our policy forbids the address or the URL
	CauseUnresolved  Cause = "unresolved"   // the name has no address
	CauseUnreachable Cause = "unreachable"  // no connection
	CauseTLS         Cause = "tls"          // the certificate or the handshake
	CauseBroken      Cause = "broken"       // the connection ended within an answer
	CauseEnded       Cause = "ended"        // the server's process ended, or closed its output
	CauseTooLarge    Cause = "too-large"    // over a limit
	CauseEncoded     Cause = "encoded"      // compressed in a way that is not read
	CauseRedirect    Cause = "redirect"     // leads elsewhere
	CauseAuth        Cause = "unauthorized" // 401 or 403
	CauseStatus      Cause = "status"       // another HTTP status without a JSON-RPC answer
	CauseAnswer      Cause = "answer"       // something that is no JSON-RPC answer
	CauseError       Cause = "error"        // a JSON-RPC error
	CauseVersion     Cause = "version"      // no common revision
	CauseTruncated   Cause = "truncated"    // more pages or items than are read
	CauseCanceled    Cause = "canceled"     // the caller gave up
)

// Failure is why something could not be had. It never holds a credential, and no text of an answer but what Detail quotes.
type Failure struct {
	Cause  Cause
	Detail string
	// Status is the HTTP status, 0 for none.
	Status int
	// Target is where a redirect leads, without its query.
	Target string
}

func (f *Failure) Error() string {
	if f.Detail == "" {
		return string(f.Cause)
	}
	return f.Detail
}
