package wire

import "context"

// Asked is one HTTP request that a stranger made of our own server, read whole and within its limits.
type Asked struct {
	// Verb is the method in upper case. Path is decoded and begins with a slash; Query is raw.
	Verb, Path, Query string
	Header            Header
	// Body is nil for none. Cut says that it was over its limit, and is not there.
	Body []byte
	Cut  bool
	// Base is the origin under which the caller reached us ("http://127.0.0.1:8080"), for links in what we publish.
	Base string
	// From is the caller's address without the port.
	From string
}

// Answer is what goes back. Names of header fields are in lower case; the length is the door's business.
type Answer struct {
	Status int
	Header [][2]string
	// Body is written one part after the other, so that what many callers get is not copied for each.
	Body [][]byte
	// Follow writes what comes behind Body, as it comes: each piece is on its way when write returns. It ends when ctx does. Where it
	// gives an error the connection is broken off, so that the caller sees that this is not the whole of it. nil for an answer that
	// is whole.
	Follow func(ctx context.Context, write func(piece []byte) error) error
}

// Handler answers one request. It never panics on a stranger's bytes, and never answers 5xx for them.
type Handler func(ctx context.Context, r *Asked) *Answer

// JSON is an answer of that type.
func JSON(status int, body ...[]byte) *Answer {
	return &Answer{Status: status, Header: [][2]string{{"content-type", MediaJSON}}, Body: body}
}
