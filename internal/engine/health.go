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
