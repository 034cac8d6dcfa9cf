package serve

import (
	"encoding/json"

	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// offers is what this server offers, as plain data. How a client is told is offered.
type offers struct {
	Name, Title, Version, Website string
	Instructions                  string
	// TTL is for how many milliseconds a client may keep the lists (2026-07-28).
	TTL       int
	Tools     []offeredTool
	Resources []offeredResource
	Templates []offeredResource
	// Fixtures announces what the official conformance suite tries beside.
	Fixtures bool
}

// offeredTool is one tool. Input and Output are JSON Schemas of objects.
type offeredTool struct {
	Name, Title, Description string
	Input, Output            []byte
	// ReadOnly says that it changes nothing, OpenWorld that it asks others.
	ReadOnly, OpenWorld bool
}

// offeredResource is one resource. URI is a template (RFC 6570) where it stands among templates.
type offeredResource struct {
	URI, Name, Title, Description, Type string
}

// offered are the results that every client gets alike: each is one JSON object in one line.
type offered struct {
	// Initialize is the answer to initialize, by the revision that it agrees on.
	Initialize map[string][]byte
	Discover   []byte
	// Server is our name and version, as the modern era repeats it in every result.
	Server         []byte
	Legacy, Modern offeredLists
}

// offeredLists are the lists of one era.
type offeredLists struct {
	Tools, Resources, Templates []byte
}

// What follows are shapes of the MCP specification's schema, with the members that we send, in the order in which the official
// SDK writes them.

type wireServer struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
	Website string `json:"websiteUrl,omitempty"`
}

type wireCapabilities struct {
	Completions *struct{} `json:"completions,omitempty"`
	Logging     *struct{} `json:"logging,omitempty"`
	Prompts     *struct{} `json:"prompts,omitempty"`
	Resources   struct {
		Subscribe bool `json:"subscribe,omitempty"`
	} `json:"resources"`
	Tools struct{} `json:"tools"`
}

type wireInitialize struct {
	Capabilities wireCapabilities `json:"capabilities"`
	Instructions string           `json:"instructions,omitempty"`
	Revision     string           `json:"protocolVersion"`
	Server       wireServer       `json:"serverInfo"`
}

// wireResult is what every result of the modern era that clients may keep begins with.
type wireResult struct {
	Type string `json:"resultType"`
	Meta struct {
		Server wireServer `json:"io.modelcontextprotocol/serverInfo"`
	} `json:"_meta"`
	TTL   int    `json:"ttlMs"`
	Scope string `json:"cacheScope"`
}

type wireDiscover struct {
	wireResult
	Revisions    []string         `json:"supportedVersions"`
	Capabilities wireCapabilities `json:"capabilities"`
	Instructions string           `json:"instructions,omitempty"`
}

type wireTool struct {
	Hints struct {
		Destructive bool   `json:"destructiveHint"`
		Idempotent  bool   `json:"idempotentHint"`
		OpenWorld   bool   `json:"openWorldHint"`
		ReadOnly    bool   `json:"readOnlyHint"`
		Title       string `json:"title,omitempty"`
	} `json:"annotations"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"inputSchema"`
	Name        string          `json:"name"`
	Output      json.RawMessage `json:"outputSchema,omitempty"`
	Title       string          `json:"title,omitempty"`
}

type wireResource struct {
	Description string `json:"description,omitempty"`
	Type        string `json:"mimeType,omitempty"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	URI         string `json:"uri,omitempty"`
	Template    string `json:"uriTemplate,omitempty"`
}

type wireTools struct {
	Tools []wireTool `json:"tools"`
}

type wireResources struct {
	Resources []wireResource `json:"resources"`
}

type wireTemplates struct {
	Templates []wireResource `json:"resourceTemplates"`
}

// shapes writes an offer as the protocol has it, once: every client gets these bytes.
func (o *offers) shapes() (*offered, error) {
	info := wireServer{o.Name, o.Title, o.Version, o.Website}
	var can wireCapabilities
	if o.Fixtures {
		can.Prompts, can.Completions, can.Logging, can.Resources.Subscribe = &struct{}{}, &struct{}{}, &struct{}{}, true
	}
	head := wireResult{Type: "complete", TTL: o.TTL, Scope: "public"}
	head.Meta.Server = info
	var first error
	encode := func(v any) []byte {
		raw, err := json.Marshal(v)
		if first == nil {
			first = err
		}
		return raw
	}
	out := &offered{Initialize: map[string][]byte{}, Server: encode(info)}
	for _, revision := range wire.Legacy() {
		out.Initialize[revision] = encode(wireInitialize{can, o.Instructions, revision, info})
	}
	out.Discover = encode(wireDiscover{head, wire.Revisions(), can, o.Instructions})

	tools := wireTools{make([]wireTool, len(o.Tools))}
	for i, t := range o.Tools {
		w := &tools.Tools[i]
		w.Name, w.Title, w.Description, w.Input, w.Output = t.Name, t.Title, t.Description, t.Input, t.Output
		w.Hints.Title, w.Hints.ReadOnly, w.Hints.Idempotent, w.Hints.OpenWorld = t.Title, t.ReadOnly, t.ReadOnly, t.OpenWorld
		w.Hints.Destructive = !t.ReadOnly // it may take the place of what a file held
	}
	resources := wireResources{make([]wireResource, len(o.Resources))}
	for i, r := range o.Resources {
		resources.Resources[i] = wireResource{Description: r.Description, Type: r.Type, Name: r.Name, Title: r.Title, URI: r.URI}
	}
	templates := wireTemplates{make([]wireResource, len(o.Templates))}
	for i, r := range o.Templates {
		templates.Templates[i] = wireResource{Description: r.Description, Type: r.Type, Name: r.Name, Title: r.Title, Template: r.URI}
	}
	out.Legacy = offeredLists{encode(tools), encode(resources), encode(templates)}
	out.Modern = offeredLists{encode(struct {
		wireResult
		wireTools
	}{head, tools}), encode(struct {
		wireResult
		wireResources
	}{head, resources}), encode(struct {
		wireResult
		wireTemplates
	}{head, templates})}
	return out, first
}
