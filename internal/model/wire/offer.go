package wire

// Offer is what our own server offers, as plain data. How a client is told is Offered.
type Offer struct {
	Name, Title, Version, Description, Website string
	Instructions                               string
	// TTL is for how many milliseconds a client may keep the lists (2026-07-28).
	TTL       int
	Tools     []OfferedTool
	Resources []OfferedResource
	Templates []OfferedResource
	// Fixtures announces what the official conformance suite tries beside.
	Fixtures bool
}

// OfferedTool is one tool. Input and Output are JSON Schemas of objects.
type OfferedTool struct {
	Name, Title, Description string
	Input, Output            []byte
	// ReadOnly says that it changes nothing, OpenWorld that it asks others.
	ReadOnly, OpenWorld bool
}

// OfferedResource is one resource. URI is a template (RFC 6570) where it stands among templates.
type OfferedResource struct {
	URI, Name, Title, Description, Type string
}

// Offered are the results that every client gets alike: each is one JSON object in one line.
type Offered struct {
	// Initialize is the answer to initialize, by the revision that it agrees on.
	Initialize map[string][]byte
	Discover   []byte
	// Server is our name and version, as the modern era repeats it in every result.
	Server         []byte
	Legacy, Modern OfferedLists
}

// OfferedLists are the lists of one era.
type OfferedLists struct {
	Tools, Resources, Templates []byte
}
