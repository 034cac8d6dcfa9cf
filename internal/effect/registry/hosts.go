package registry

// The addresses that are used where a record, a setting of the user or a flag names no other. npm and the Go proxy have
// none here: npm's address is what the user's npm says it is.
const (
	// Official is the MCP registry.
	Official = "https://registry.modelcontextprotocol.io"
	// pypiIndex is the simple index of PyPI.
	pypiIndex = "https://pypi.org/simple"
	// nugetIndex is the service index of NuGet.
	nugetIndex = "https://api.nuget.org/v3/index.json"
	// cargoIndex is the sparse index of crates.io, cratesFiles where its files are.
	cargoIndex  = "https://index.crates.io"
	cratesFiles = "https://static.crates.io/crates"
	// OSV is the database of known vulnerabilities.
	OSV = "https://api.osv.dev"
	// dockerHub is the host that answers for images without a host, and for those that name Docker's.
	dockerHub = "registry-1.docker.io"
)

// spoken are the addresses under which records name a registry, and where its API is.
var spoken = map[string]string{
	"https://pypi.org":         pypiIndex,
	"https://pypi.python.org":  pypiIndex,
	"https://crates.io":        cargoIndex,
	"https://nuget.org":        nugetIndex,
	"https://www.nuget.org":    nugetIndex,
	"https://api.nuget.org":    nugetIndex,
	"https://api.nuget.org/v3": nugetIndex,
}
