// Package traffic is what passes between a client and a server, as rules look at it: one message at a time, with the texts that
// somebody reads, what it answers, and what the session knows so far.
//
// Shapes: MCP specification, revisions 2024-11-05 to 2026-07-28; JSON-RPC 2.0.
package traffic

import (
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Carrier is what a text comes in: what it may ask of its reader hangs on that.
type Carrier uint8

// The carriers.
const (
	Argument     Carrier = iota // what a client hands to a server: arguments of a call, answers to its requests
	Result                      // of a tool: content, structuredContent, links
	Resource                    // what a server read for the user
	Prompt                      // a template that the user chose
	Instructions                // what a server says to every model, and of itself
	Request                     // what a server asks of the model or of the user: sampling, elicitation
	Notice                      // errors, progress, log messages
)

func (c Carrier) String() string {
	return [...]string{"an argument", "a result", "a resource", "a prompt", "the instructions", "a request", "a notice"}[c]
}

// Text is one string that somebody reads. With Key it is the name of a member, and Node that member's value.
type Text struct {
	Carrier Carrier
	Node    source.Node
	Key     bool
	Text    string
}

// Event is what became of a frame that is no message, or what the relay itself has to say.
type Event string

// The events. Frames that can not be judged, and what a relay meets.
const (
	None Event = ""
	// Malformed is a frame that is no JSON-RPC message, or one that parsers read in different ways.
	Malformed Event = "malformed-frame"
	// TooLarge is a frame beyond the size, the depth or the number of values that are read.
	TooLarge Event = "frame-too-large"
	// Truncated is a frame of which a part was not looked at.
	Truncated Event = "inspection-truncated"
	// Failed is a frame whose inspection failed.
	Failed Event = "inspection-failed"
	// NotStarted is a server that could not be started.
	NotStarted Event = "spawn-failure"
	// OtherLaunch is a server that is started otherwise than it was when the guard was set before it.
	OtherLaunch Event = "launch-changed"
	// PinsTampered are pins that fail their check.
	PinsTampered Event = "pins-tampered"
	// Confined is a server that runs in its bounds.
	Confined Event = "confined"
	// NotConfined is a server that was to run in bounds and can not, or whose bounds are not those that were agreed on.
	NotConfined Event = "not-confined"
	// UnapprovedTool is a call of a tool, or a use of a prompt, that was not approved or seen first.
	UnapprovedTool Event = "unapproved-tool"
	// InvalidArguments are arguments that do not fit the schema that was.
	InvalidArguments Event = "invalid-arguments"
	// NeedsLeave is a call for which the policy wants a person's leave, ToolDenied one that it denies, OutOfBounds one whose
	// arguments it denies, and TooManyCalls one beyond its rate.
	NeedsLeave   Event = "tool-needs-leave"
	ToolDenied   Event = "tool-denied"
	OutOfBounds  Event = "argument-out-of-bounds"
	TooManyCalls Event = "too-many-calls"
)

// Message is one message, or an event.
type Message struct {
	// Number counts the messages of a reader: what is kept of one is known by it.
	Number int
	// FromServer says who sent it.
	FromServer bool
	Kind       wire.Kind
	// Node is the message's object.
	Node source.Node
	// Method is that of a request or a notification; of a response the one of what it answers, as far as that is known: from the
	// request, else from the shape of the result. "" is not known.
	Method string
	// Tool is the name of the tool that is called, or whose result it is.
	Tool string
	// Texts are all strings that somebody reads, in the order of the document.
	Texts []Text
	// Unread are the parts that no inspector covers.
	Unread []source.Node
	// Cards are the lists and the instructions in the message, nil for none.
	Cards *card.File
	// Memory is what came before.
	Memory *Memory

	Event  Event
	Detail string
}

// Has says whether there is a text of a carrier.
func (m *Message) Has(c Carrier) bool {
	for i := range m.Texts {
		if m.Texts[i].Carrier == c {
			return true
		}
	}
	return false
}

// Tool is what a session knows of one tool.
type Tool struct {
	// Holds, Brings and Leaks are the parts that the tool may play in a flow of private data to strangers (model/card: flow).
	Holds, Brings, Leaks card.Sign
}

// Memory is what a session knows. Who judges the messages keeps it.
type Memory struct {
	Tools map[string]Tool
	// Private and Untrusted name the tools that brought private data and what strangers wrote before the model, "" for none.
	Private, Untrusted string
}

// Path is what stands for the frame at hand where a file would be named.
const Path = "frame"
