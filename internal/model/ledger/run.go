package ledger

// The kinds of records that people ask for.
const (
	// RunKind is one run of a verb: its event is a Run.
	RunKind = "run"
	// ApprovalKind is one approval: its event is {approval, envelope} as a lock holds them. RevokedKind is one that was taken back.
	ApprovalKind = "approval"
	RevokedKind  = "revoked"
)

// Run is what a log keeps of one run: names and numbers, and neither what was found in words nor a credential. It has no
// member that a stranger could fill at will.
type Run struct {
	Verb string `json:"verb"`
	// Version is the program's, Catalog that of its rules.
	Version string `json:"version"`
	Catalog string `json:"catalog"`
	// Actor is who ran it, in the words of who ran it.
	Actor string `json:"actor"`
	// Targets are paths, names of servers, and URLs without user, query and fragment; More counts those that are not listed.
	Targets []string `json:"targets"`
	More    int      `json:"targetsLeftOut,omitempty"`
	// Exit is the exit code.
	Exit int `json:"exit"`
	// Counts is missing where the run ended before it had judged anything.
	Counts *Counts `json:"counts,omitempty"`
	// Policy says what the counts were made under.
	Policy *Policy `json:"policy,omitempty"`
	// Started is RFC 3339, UTC; Milliseconds how long the run took.
	Started      string `json:"started"`
	Milliseconds int64  `json:"ms"`
}

// Counts are the numbers of a report's summary.
type Counts struct {
	Error      int `json:"error"`
	Warning    int `json:"warning"`
	Info       int `json:"info"`
	Suppressed int `json:"suppressed"`
	Skipped    int `json:"skipped"`
	Incomplete int `json:"incomplete"`
}

// Policy names what shaped the findings.
type Policy struct {
	Profile string `json:"profile"`
	Source  string `json:"source"`
}
