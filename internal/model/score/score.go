// Package score is the shape of a score card: what a probe thinks of an endpoint, as reports print it (product.md, Report:
// scoreCard). The numbers are worked out elsewhere; this is data.
package score

// Card is the score of one endpoint.
type Card struct {
	// Target is the endpoint, without credentials and query.
	Target string `json:"target"`
	// Total is 0 to 100, that of the worse lane which the server claims. It is 0 and says nothing where Gated is set.
	Total int `json:"total"`
	// Grade is A to F, "" where Gated is set or nothing could be graded.
	Grade string `json:"grade"`
	// Gated says that the endpoint wants credentials which it was not given: it has no grade, and is no F.
	Gated bool `json:"gated"`
	// Capped is why the grade is lower than the total alone says, "" for no reason. It never changes the total.
	Capped string `json:"capped,omitempty"`
	// Requests is how many requests were sent.
	Requests int    `json:"requests"`
	Lanes    []Lane `json:"lanes"`
}

// Lane is the score in one era.
type Lane struct {
	Era string `json:"era"`
	// Revision is what was negotiated.
	Revision string `json:"revision,omitempty"`
	Total    int    `json:"total"`
	Grade    string `json:"grade"`
	// Sections by name: handshake, tools, errors, discovery.
	Sections Sections `json:"sections"`
}

// Sections are the four, in the order in which they are shown.
type Sections struct {
	Handshake Section `json:"handshake"`
	Tools     Section `json:"tools"`
	Errors    Section `json:"errors"`
	Discovery Section `json:"discovery"`
}

// Named is a section with its name.
type Named struct {
	Name string
	*Section
}

// All are the sections, in the order in which they are shown.
func (s *Sections) All() []Named {
	return []Named{{"handshake", &s.Handshake}, {"tools", &s.Tools}, {"errors", &s.Errors}, {"discovery", &s.Discovery}}
}

// Cost is how many points a row lost.
func (r *Row) Cost() float64 { return r.Max - r.Points }

// Section is one part of the score.
type Section struct {
	Score float64 `json:"score"`
	Max   float64 `json:"max"`
	// Applies is false where the server does not offer what the section is about: the others make up the total.
	Applies bool  `json:"applies"`
	Rows    []Row `json:"rows"`
}

// Row is one check and what came of it.
type Row struct {
	// Check names it ("unknown-method"); Expected says in a few words what a client needs.
	Check    string `json:"check"`
	Expected string `json:"expected"`
	// HTTPStatus and Code are side by side as they came; 0 for none.
	HTTPStatus int `json:"httpStatus,omitempty"`
	Code       int `json:"code,omitempty"`
	// Verdict is one word: ok, partial, wrong, html, silent, died, served, missing, gated, soft-404, invalid, skipped.
	Verdict string `json:"verdict"`
	// Effect is what a client will see, or does with the document; Fix what to change, "" where nothing is.
	Effect string `json:"effect"`
	Fix    string `json:"fix,omitempty"`
	// Points of Max. A row that costs nothing has neither.
	Points float64 `json:"points,omitempty"`
	Max    float64 `json:"max,omitempty"`
}
