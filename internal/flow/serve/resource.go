package serve

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Resource is something to read. URI is its address, or where Template is set what every address of the kind begins with.
type Resource struct {
	URI, Template                  string
	Name, Title, Description, Type string
	// Read gives the text; rest is what stands behind URI. ok is false where there is nothing of that address.
	Read func(rest string, c Caller) (content string, ok bool)
}

const (
	rulesURI     = "mcpassay://rules"
	schemaURI    = "mcpassay://report/schema"
	shapesURI    = "mcpassay://transport"
	wellKnownURI = "mcpassay://well-known/mcp.json"
	changesURI   = "mcpassay://changes"
)

// shapes is every request that a Streamable HTTP endpoint should answer, and how, as data. A test sends each to this server.
//
//go:embed transport.json
var shapes string

// Resources are all that can be read. schema is the JSON Schema of reports.
func Resources(version string, schema []byte) []Resource {
	return []Resource{
		{URI: rulesURI, Name: "rules", Title: "The rules", Description: "Every rule's id and title, one a line.", Type: "text/plain",
			Read: whole(func(Caller) string { return ruleIndex() })},
		{URI: rulesURI + "/", Template: rulesURI + "/{category}/{rule}", Name: "rule", Title: "The page of a rule", Type: "text/markdown",
			Description: "What a rule finds, why, and how to fix it.", Read: func(id string, _ Caller) (string, bool) { page := catalog.Page(id); return page, page != "" }},
		{URI: schemaURI, Name: "report-schema", Title: "The JSON Schema of reports", Description: "What structuredContent of every check conforms to.",
			Type: "application/schema+json", Read: whole(func(Caller) string { return string(schema) })},
		{URI: shapesURI, Name: "transport", Title: "Every request shape that an endpoint should answer", Type: wire.MediaJSON,
			Description: "Requests over Streamable HTTP in both eras, right and wrong ones, and the answer that each should get.", Read: whole(func(Caller) string { return shapes })},
		{URI: wellKnownURI, Name: "well-known", Title: "A worked /.well-known/mcp.json", Description: "The discovery document of this server, as an example.", Type: wire.MediaJSON,
			Read: whole(func(c Caller) string { return wellKnown(version, cmp.Or(c.Base, exampleBase)) })},
		{URI: changesURI, Template: changesURI + "{?since}", Name: "changes", Title: "What changed since your cursor", Type: wire.MediaJSON,
			Description: "The rules that are newer than the version since, and the cursor to ask with next time.", Read: func(rest string, _ Caller) (string, bool) {
				query, ok := strings.CutPrefix(rest, "?")
				if !ok && rest != "" {
					return "", false
				}
				return changes(query)
			}},
	}
}

// exampleBase stands in documents where nobody asked over HTTP.
const exampleBase = "https://mcp.example.com"

// whole is a resource with one address.
func whole(content func(Caller) string) func(string, Caller) (string, bool) {
	return func(rest string, c Caller) (string, bool) {
		if rest != "" {
			return "", false
		}
		return content(c), true
	}
}

// read gives the content of an address, if it is one of the resource's.
func (r *Resource) read(uri string, c Caller) (string, bool) {
	rest, ok := strings.CutPrefix(uri, r.URI)
	if !ok {
		return "", false
	}
	return r.Read(rest, c)
}

func ruleIndex() string {
	var b strings.Builder
	for _, r := range catalog.All() {
		b.WriteString(r.ID + "  " + r.Title + "\n")
	}
	return b.String()
}

// changes are the rules that came after the version in a query, as the catalog knows it.
func changes(query string) (string, bool) {
	q, err := url.ParseQuery(query)
	if err != nil {
		return "", false
	}
	since, ok := versionOf(cmp.Or(q.Get("since"), "0"))
	if !ok {
		return "", false
	}
	type change struct {
		Rule  string `json:"rule"`
		Since string `json:"since"`
		Title string `json:"title"`
	}
	doc := struct {
		Cursor string   `json:"cursor"`
		Since  string   `json:"since"`
		Rules  []change `json:"rules"`
	}{catalog.Version, cmp.Or(q.Get("since"), "0"), []change{}}
	for _, r := range catalog.All() {
		if at, ok := versionOf(r.Since); ok && newer(at, since) {
			doc.Rules = append(doc.Rules, change{r.ID, r.Since, r.Title})
		}
	}
	raw, err := json.Marshal(doc)
	return string(raw), err == nil
}

// versionOf reads X.Y.Z, X.Y or X.
func versionOf(s string) (v [3]int, ok bool) {
	for i, part := range strings.SplitN(s, ".", len(v)) {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return v, false
		}
		v[i] = int(n)
	}
	return v, true
}

func newer(a, b [3]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] > b[i]
		}
	}
	return false
}

// offer is what a server says of itself.
func offer(version, instructions string, skills []Skill, resources []Resource, lim limits.Set) *offers {
	o := &offers{Name: "mcpassay", Title: "mcpassay", Version: version, Website: website, Instructions: instructions,
		TTL: int(lim.ServeTTL.Milliseconds())}
	for _, k := range skills {
		o.Tools = append(o.Tools, offeredTool{Name: k.Name, Title: k.Title, Description: k.Description, Input: k.Input, Output: k.Output,
			ReadOnly: !k.Writes, OpenWorld: k.OpenWorld})
	}
	for _, r := range resources {
		if r.Template != "" {
			o.Templates = append(o.Templates, offeredResource{URI: r.Template, Name: r.Name, Title: r.Title, Description: r.Description, Type: r.Type})
		}
		if !strings.HasSuffix(r.URI, "/") {
			o.Resources = append(o.Resources, offeredResource{URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, Type: r.Type})
		}
	}
	return o
}

const (
	about   = "Checks MCP servers: endpoints, tools and client configs."
	website = "https://github.com/mcpassay/mcpassay"
)
