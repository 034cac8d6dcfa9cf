package engine

// Health is the model that `mcpm doctor` answers agents with (mcpm-contracts, "Doctor evidence", schema version 1): doctor's
// reports hold its members beside their own. OK says that there are no issues, and certifies nothing.
type Health struct {
	// Clients are all that are known, with a config or without.
	Clients     []ClientHealth `json:"clients"`
	Runtimes    []Runtime      `json:"runtimes"`
	CrossClient *CrossClient   `json:"crossClient"`
	Secrets     []HeldSecret   `json:"secrets"`
	Issues      []Issue        `json:"issues"`
	OK          bool           `json:"ok"`
}

// ClientHealth is what became of one client's configs. Malformed says that one of them could not be read.
type ClientHealth struct {
	ID           string `json:"id"`
	Label        string `json:"label"`
	Exists       bool   `json:"exists"`
	Malformed    bool   `json:"malformed"`
	ServerCount  int    `json:"serverCount"`
	GuardedCount int    `json:"guardedCount"`
}

// Guarded is an entry that starts its server through our guard.
type Guarded struct {
	Client string `json:"client"`
	Path   string `json:"path"`
	Server string `json:"server"`
	// HeldTo is what the guard holds it to: lock; first-use, what it showed first; or nothing, where it only watches (audit-only).
	HeldTo string `json:"heldTo"`
	// Standing is what the approvals of its entry in the lock come to, "" where no lock holds it.
	Standing string `json:"standing,omitempty"`
	// Policy is the file of rules for its calls that its command names, else the user's own; "" for none. What
	// the project's adds where the server is started is not known.
	Policy string `json:"policy,omitempty"`
	// Confined says that its entry in the lock, or its command, bounds what it reaches.
	Confined bool `json:"confined"`
	// Blocked is how much was stopped since the day of Since (RFC 3339, "" where no event of it is kept), Last when it was last.
	Blocked int    `json:"blocked"`
	Since   string `json:"since,omitempty"`
	Last    string `json:"last,omitempty"`
}

// Events are what the guard's log holds of one server.
type Events struct {
	Blocked     int
	Since, Last string
}

// Runtime is a program that starts servers, and whether it is on PATH.
type Runtime struct {
	Name      string `json:"name"`
	Available bool   `json:"available"`
}

// CrossClient compares the clients whose configs were read, two at least.
type CrossClient struct {
	Consistent  bool          `json:"consistent"`
	ClientCount int           `json:"clientCount"`
	ServerCount int           `json:"serverCount"`
	Drift       []ServerDrift `json:"drift"`
}

// ServerDrift is a server that not all of them have, or not as the same one: its kind is conflict, absent or unreadable.
// Fields are those that differ, Malformed the clients whose entry says neither a command nor an address.
type ServerDrift struct {
	Name      string   `json:"name"`
	Kind      string   `json:"kind"`
	Present   []string `json:"present"`
	Absent    []string `json:"absent"`
	Fields    []string `json:"fields,omitempty"`
	Malformed []string `json:"malformed,omitempty"`
}

// HeldSecret is a credential in a config: in the variable or header Key, of the kind Label.
type HeldSecret struct {
	Client string `json:"client"`
	Server string `json:"server"`
	Field  string `json:"field"` // env or header
	Key    string `json:"key"`
	Label  string `json:"label"`
}

// Issue is malformed-config, missing-runtime, or not-checked for what lies outside of every config.
type Issue struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}
