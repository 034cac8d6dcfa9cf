package serve

import (
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// The official SDK is the oracle: what every client is told is, to the byte, what the SDK's types write.
func TestOffersAreWhatTheOfficialSDKWrites(t *testing.T) {
	t.Parallel()
	skills := Skills(nil, &Guard{Limits: limits.Default}, nil, limits.Default)
	for _, fixtures := range []bool{false, true} {
		o := offer("1.2.3", "Ask & <see>.", skills, Resources("1.2.3", []byte(`{}`)), limits.Default)
		o.Fixtures = fixtures
		if len(o.Tools) == 0 || len(o.Resources) == 0 || len(o.Templates) == 0 {
			t.Fatalf("an offer of %d tools, %d resources, %d templates proves little", len(o.Tools), len(o.Resources), len(o.Templates))
		}
		got, err := o.shapes()
		if err != nil {
			t.Fatal(err)
		}
		want := bySDK(t, o)
		for revision := range want.Initialize {
			if g, w := string(got.Initialize[revision]), string(want.Initialize[revision]); g != w {
				t.Errorf("%s:\n%s\nwant\n%s", revision, g, w)
			}
		}
		for name, pair := range map[string][2][]byte{"discover": {got.Discover, want.Discover}, "server": {got.Server, want.Server},
			"tools": {got.Legacy.Tools, want.Legacy.Tools}, "resources": {got.Legacy.Resources, want.Legacy.Resources}, "templates": {got.Legacy.Templates, want.Legacy.Templates},
			"modern tools": {got.Modern.Tools, want.Modern.Tools}, "modern resources": {got.Modern.Resources, want.Modern.Resources},
			"modern templates": {got.Modern.Templates, want.Modern.Templates}} {
			if string(pair[0]) != string(pair[1]) {
				t.Errorf("%s:\n%s\nwant\n%s", name, pair[0], pair[1])
			}
		}
	}
}

// bySDK writes an offer with the SDK's types.
func bySDK(t *testing.T, o *offers) *offered {
	t.Helper()
	info := &mcp.Implementation{Name: o.Name, Title: o.Title, Version: o.Version, WebsiteURL: o.Website}
	can := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}}
	if o.Fixtures {
		can.Prompts, can.Completions, can.Resources.Subscribe = &mcp.PromptCapabilities{}, &mcp.CompletionCapabilities{}, true
		//lint:ignore SA1019 the revisions before 2026-07-28 have it, and the suite asks for it
		can.Logging = &mcp.LoggingCapabilities{}
	}
	meta := mcp.Meta{mcp.MetaKeyServerInfo: info}
	keep := mcp.Cacheable{TTLMs: o.TTL, CacheScope: "public"}
	encode := func(v any) []byte {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	out := &offered{Initialize: map[string][]byte{}, Server: encode(info)}
	for _, revision := range wire.Legacy() {
		out.Initialize[revision] = encode(&mcp.InitializeResult{ProtocolVersion: revision, Capabilities: can, ServerInfo: info, Instructions: o.Instructions})
	}
	discover := &mcp.DiscoverResult{Meta: meta, Cacheable: keep, SupportedVersions: wire.Revisions(), Capabilities: can, Instructions: o.Instructions}
	discover.ResultType = "complete"
	out.Discover = encode(discover)
	tools := &mcp.ListToolsResult{Meta: meta, Cacheable: keep, Tools: []*mcp.Tool{}}
	tools.ResultType = "complete"
	for _, k := range o.Tools {
		writes := !k.ReadOnly
		tool := &mcp.Tool{Name: k.Name, Title: k.Title, Description: k.Description, InputSchema: json.RawMessage(k.Input),
			Annotations: &mcp.ToolAnnotations{Title: k.Title, ReadOnlyHint: k.ReadOnly, IdempotentHint: k.ReadOnly, DestructiveHint: &writes, OpenWorldHint: &k.OpenWorld}}
		if k.Output != nil {
			tool.OutputSchema = json.RawMessage(k.Output)
		}
		tools.Tools = append(tools.Tools, tool)
	}
	resources := &mcp.ListResourcesResult{Meta: meta, Cacheable: keep, Resources: []*mcp.Resource{}}
	resources.ResultType = "complete"
	for _, r := range o.Resources {
		resources.Resources = append(resources.Resources, &mcp.Resource{URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.Type})
	}
	templates := &mcp.ListResourceTemplatesResult{Meta: meta, Cacheable: keep, ResourceTemplates: []*mcp.ResourceTemplate{}}
	templates.ResultType = "complete"
	for _, r := range o.Templates {
		templates.ResourceTemplates = append(templates.ResourceTemplates,
			&mcp.ResourceTemplate{URITemplate: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.Type})
	}
	out.Modern = offeredLists{Tools: encode(tools), Resources: encode(resources), Templates: encode(templates)}
	out.Legacy = offeredLists{Tools: encode(map[string]any{"tools": tools.Tools}), Resources: encode(map[string]any{"resources": resources.Resources}),
		Templates: encode(map[string]any{"resourceTemplates": templates.ResourceTemplates})}
	return out
}
