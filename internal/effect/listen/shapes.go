package listen

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Shapes writes what an offer is in the protocol, by the types of the official SDK, once: every client gets these bytes. Of
// the SDK no more than its types is used. Its server takes 4.7 ms and 1.4 MB for an answer of 100 KB, ends on a line that is no
// JSON, and answers legacy errors without a JSON-RPC body.
func Shapes(o *wire.Offer) (*wire.Offered, error) {
	info := &mcp.Implementation{Name: o.Name, Title: o.Title, Version: o.Version, WebsiteURL: o.Website}
	can := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}}
	if o.Fixtures {
		can.Prompts, can.Completions, can.Resources.Subscribe = &mcp.PromptCapabilities{}, &mcp.CompletionCapabilities{}, true
		//lint:ignore SA1019 the revisions before 2026-07-28 have it, and the suite asks for it
		can.Logging = &mcp.LoggingCapabilities{}
	}
	meta := mcp.Meta{mcp.MetaKeyServerInfo: info}
	keep := mcp.Cacheable{TTLMs: o.TTL, CacheScope: "public"}
	var first error
	encode := func(v any) []byte {
		raw, err := json.Marshal(v)
		if first == nil {
			first = err
		}
		return raw
	}
	out := &wire.Offered{Initialize: map[string][]byte{}, Server: encode(info)}
	for _, revision := range wire.Legacy() {
		out.Initialize[revision] = encode(&mcp.InitializeResult{ProtocolVersion: revision, Capabilities: can, ServerInfo: info, Instructions: o.Instructions})
	}
	discover := &mcp.DiscoverResult{Meta: meta, Cacheable: keep, SupportedVersions: wire.Revisions(), Capabilities: can, Instructions: o.Instructions}
	discover.ResultType = complete
	out.Discover = encode(discover)

	tools := &mcp.ListToolsResult{Meta: meta, Cacheable: keep, Tools: []*mcp.Tool{}}
	tools.ResultType = complete
	for _, t := range o.Tools {
		no := false
		tools.Tools = append(tools.Tools, &mcp.Tool{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: json.RawMessage(t.Input),
			OutputSchema: orNone(t.Output), Annotations: &mcp.ToolAnnotations{Title: t.Title, ReadOnlyHint: t.ReadOnly, IdempotentHint: t.ReadOnly,
				DestructiveHint: &no, OpenWorldHint: &t.OpenWorld}})
	}
	resources := &mcp.ListResourcesResult{Meta: meta, Cacheable: keep, Resources: []*mcp.Resource{}}
	resources.ResultType = complete
	for _, r := range o.Resources {
		resources.Resources = append(resources.Resources, &mcp.Resource{URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.Type})
	}
	templates := &mcp.ListResourceTemplatesResult{Meta: meta, Cacheable: keep, ResourceTemplates: []*mcp.ResourceTemplate{}}
	templates.ResultType = complete
	for _, r := range o.Templates {
		templates.ResourceTemplates = append(templates.ResourceTemplates,
			&mcp.ResourceTemplate{URITemplate: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.Type})
	}
	out.Modern = wire.OfferedLists{Tools: encode(tools), Resources: encode(resources), Templates: encode(templates)}
	out.Legacy = wire.OfferedLists{Tools: encode(map[string]any{"tools": tools.Tools}), Resources: encode(map[string]any{"resources": resources.Resources}),
		Templates: encode(map[string]any{"resourceTemplates": templates.ResourceTemplates})}
	return out, first
}

// orNone leaves a schema out that there is not.
func orNone(schema []byte) any {
	if schema == nil {
		return nil
	}
	return json.RawMessage(schema)
}

// complete is the type of a result that wants nothing more of the client.
const complete = "complete"
