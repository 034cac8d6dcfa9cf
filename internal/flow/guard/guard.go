// Package guard stands between a client and a server: it moves their frames on as they are, and stops what the lock, the policy
// and the rules forbid. What is said of a frame is a Session's, which is a function of what came so far; a Relay moves the bytes.
package guard

import (
	"time"

	"github.com/mcpassay/mcpassay/internal/finding"
)

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

// The actions. A noted frame is forwarded as it came; of a redacted one parts are replaced; one that is asked about waits until a
// person has said so; a blocked one goes no further, and who sent it, or waits for it, gets an error.
const (
	Pass Action = iota
	Note
	Redact
	Ask
	Block
)

func (a Action) String() string { return [...]string{"pass", "note", "redact", "ask", "block"}[a] }

// Mode says why nothing is enforced.
type Mode string

// The modes. Enforcing is the usual one.
const (
	Enforcing Mode = ""
	AuditOnly Mode = "audit-only"
	Paused    Mode = "paused"
)

// Leave is what persons have allowed. It is asked only where something is to be stopped, redacted or asked about.
type Leave interface {
	// Mode says whether anything is enforced at this moment.
	Mode() Mode
	// Allows says whether a person has allowed what a rule finds in this server's frames, or, for traffic/tool-needs-leave, a tool.
	Allows(rule, tool string) bool
}

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
	// Mode says why nothing was enforced, and Would what would have been done.
	Mode  Mode
	Would Action
	// Freed are frames that go out now beside Forward and Reply, and after them, in this order: calls that waited, errors for those
	// that waited in vain, and what the guard itself asks.
	Freed []Freed
	// Wait says that a frame waits: Overdue is to be called when that time is over. 0 is for none.
	Wait time.Duration
}

// Freed is a frame of which another one, or the time, was the cause.
type Freed struct {
	To Side
	// ID is the id, as it is written, of the client's request that waited: over HTTP what goes to the client belongs to the answer
	// of that request, and so does what the server answers to what goes to it.
	ID  string
	Raw []byte
	// Action and Findings are of the call that waited, where it was judged only now.
	Action   Action
	Findings []finding.Finding
}

// Judge says what becomes of the frames of one session, in the order in which they come. Frames of the two sides may come at the
// same time. A frame is one line of stdio, one body or one event of HTTP; raw may be kept by nobody.
type Judge interface {
	Frame(from Side, raw []byte) Result
}

// Patient is a judge with which frames may wait.
type Patient interface {
	Judge
	// Overdue gives up what has waited too long; with gone also what waits for a client that says no more.
	Overdue(gone bool) Result
	// Held is how many frames wait.
	Held() int
}
