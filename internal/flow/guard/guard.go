// Package guard stands between a client and a server: it moves their frames on as they are, and stops what the lock, the policy
// and the rules forbid. What is said of a frame is a Session's, which is a function of what came so far; a Relay moves the bytes.
package guard

import "github.com/mcpassay/mcpassay/internal/finding"

// Side is who sent a frame.
type Side uint8

// The sides.
const (
	Client Side = iota
	Server
)

func (s Side) String() string { return [...]string{"client", "server"}[s] }

// Action is what is done with a frame, the mildest first.
type Action uint8

// The actions. A noted frame is forwarded as it came; of a redacted one parts are replaced; a blocked one goes no further, and who
// sent it, or waits for it, gets an error.
const (
	Pass Action = iota
	Note
	Redact
	Block
)

func (a Action) String() string { return [...]string{"pass", "note", "redact", "block"}[a] }

// Result is what becomes of one frame.
type Result struct {
	Action Action
	// Forward is what the other side gets, without a line end: the very bytes that came where nothing was changed in them; nil
	// for nothing.
	Forward []byte
	// Reply is what goes back to who sent the frame, without a line end; nil for nothing.
	Reply []byte
	// Findings are why, the gravest first. Their texts are made safe already.
	Findings []finding.Finding
}

// Judge says what becomes of the frames of one session, in the order in which they come. Frames of the two sides may come at the
// same time. A frame is one line of stdio, one body or one event of HTTP; raw may be kept by nobody.
type Judge interface {
	Frame(from Side, raw []byte) Result
}
