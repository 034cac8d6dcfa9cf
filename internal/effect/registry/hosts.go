package registry

// The addresses that are used where a record, a setting of the user or a flag names no other. npm and the Go proxy have
// none here: npm's address is what the user's npm says it is.
const (
	// Official is the MCP registry.
	Official = "https://registry.modelcontextprotocol.io"
)
