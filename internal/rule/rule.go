// Package rule says what a rule is, what it may ask, and how it reports. Rules are pure functions of the data that
// a Pass gives them; whatever lies outside the file is a Fact, and a rule that asks one says so in Needs.
package rule

import (
	"time"

	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Need is something outside of the judged file that a rule looks at.
type Need string

// The needs.
const (
	NeedGit      Need = "git"      // whether the file is tracked
	NeedEnv      Need = "env"      // which environment variables are set
	NeedDisk     Need = "disk"     // which files exist
	NeedPlatform Need = "platform" // the operating system
	NeedRegistry Need = "registry" // what registries and databases say
)

// The tags, a small fixed set (product.md). A finding of a rule tagged Block always blocks.
const (
	Schema      = "schema"
	Portability = "portability"
	Secret      = "secret"
	Launch      = "launch"
	Auth        = "auth"
	Behaviour   = "behaviour"
	Poisoning   = "poisoning"
	Unicode     = "unicode"
	Protocol    = "protocol"
	Discovery   = "discovery"
	Drift       = "drift"
	Supply      = "supply-chain"
	Traffic     = "traffic"
	Hygiene     = "hygiene"
	Block       = "block"
)

// Rule is one check: its facts, and the functions that look. A rule may look at a file and at each of its servers.
type Rule struct {
	// ID is "category/fault-name", never reused.
	ID string
	// Title names the fault in a few words.
	Title string
	// Trigger says in one sentence when the rule fires.
	Trigger string
	// Message is what a finding says, with {placeholders}; One is what it says instead when Each gathered one name.
	Message    string
	One        string
	Severity   finding.Severity
	Confidence finding.Confidence
	Tags       []string
	// Aliases are ids of other documents that name this rule.
	Aliases []string
	// OWASP is an entry of the OWASP MCP Top 10 ("MCP04"), CWE its weaknesses.
	OWASP string
	CWE   []int
	// Clients are the clients it concerns; empty means all.
	Clients []string
	// Since is the version that brought the rule.
	Since string
	// Experimental rules may change their meaning.
	Experimental bool
	// Fix is the safest class of fix that the rule offers, "" for none.
	Fix            finding.Safety
	FixDescription string
	Needs          []Need
	// Fault is shared by rules that see one fault: at the same span the rule of the configuration specification
	// wins and the others are listed in the finding's related rules.
	Fault string
	// Once names a set of rules that say one thing of a card: of their findings on a card the gravest is listed, and has
	// the others beside it. What it finds of one kind (WithKind) in several cards of a server is one finding.
	Once string
	// Advice findings are shown by doctor and do not count there (product.md).
	Advice bool
	// Unparsed says that the finding is about the file as a whole and is made for files without a tree too.
	Unparsed bool

	// File looks at a file, Server at each of its servers, Project at the files of a project together. Each looks at
	// every server too and gathers what they share into one finding a file, with the rule's message.
	File    func(*Pass)
	Server  func(*Pass, *client.Server)
	Each    func(*Pass, *client.Server, *Gather)
	Project func(*Pass, *Group)
	// Card looks at each tool, prompt, resource and template, Surface at each server with all its cards, and Cards at the
	// servers of one document together.
	Card    func(*Pass, *card.Card)
	Surface func(*Pass, *card.Server)
	Cards   func(*Pass, *card.File)
	// Lock looks at a lock and at what was found to differ from it.
	Lock func(*Pass, *Locked)
	// Manifest looks at a server.json and at what lies beside it.
	Manifest func(*Pass, *manifest.File)
	// Machine looks at all files of one machine together, and at its locks.
	Machine func(*Pass, *Machine)
	// Trust looks at what is known of one server beyond its config.
	Trust func(*Pass, *trust.Server)
	// Traffic looks at each message between a client and a server, and Action says what is done with one in which it finds
	// something, unless a policy says otherwise.
	Traffic func(*Pass, *traffic.Message)
	Action  Action
}

// Action is what is done with a message in which a rule found something.
type Action string

// The actions: it is forwarded as it is, without what was found, once a person agreed, or not at all.
const (
	ActNote   Action = "note"
	ActRedact Action = "redact"
	ActAsk    Action = "ask"
	ActBlock  Action = "block"
)

// Locked is a lock, and what is held against it.
type Locked struct {
	File *lock.File
	// Today decides what has expired.
	Today time.Time
	// Changes are what is another than the lock says, each with the severity that it has. Declared are servers that a file
	// names and the lock does not hold as they are named.
	Changes  []drift.Change
	Declared []Declared
	// Untrusted are the servers of the lock whose approvals are not those that the consumer demands, and why.
	Untrusted []Declared
	// Gates are what registries say of the packages and records of the lock that it does not say.
	Gates []Gate
}

// Gate is one thing that a registry says of a server of a lock: in a word for programs, which flow/locking has, and in words.
type Gate struct {
	Server, Reason, Detail string
	// Severity is that of this one, 0 for the rule's.
	Severity finding.Severity
}

// Declared is a server that something names: where, and why the lock does not cover it.
type Declared struct {
	Name, Why string
	Node      source.Node
}

// Group is the files that cross-file rules compare: those of one project with the user's, or the user's alone.
type Group struct {
	// Root is the project's folder, "" for the user's files alone.
	Root    string
	Project []*client.File
	User    []*client.File
}

// Tri is an answer that may be unknown. Unknown is never guessed.
type Tri uint8

// The answers.
const (
	Unknown Tri = iota
	No
	Yes
)

// Of makes an answer of a known truth.
func Of(b bool) Tri {
	if b {
		return Yes
	}
	return No
}

// Facts are the inputs beside the files. A report names them.
type Facts interface {
	// Platform is linux, darwin or windows.
	Platform() string
	// Home is the user's home folder, "" when it is not an input of this run.
	Home() string
	// Exists says whether an absolute path exists.
	Exists(path string) Tri
	// Tracked says whether git tracks the file; why explains Unknown.
	Tracked(f *client.File) (answer Tri, why string)
	// Env says whether a variable is set.
	Env(name string) Tri
	// OnPath says whether a command is found on PATH.
	OnPath(command string) Tri
}
