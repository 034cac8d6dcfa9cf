package serve_test

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// The client of the official SDK, which knows nothing of us, gets along with the server in every revision.
func TestTheClientOfTheOfficialSDKGetsAlong(t *testing.T) {
	t.Parallel()
	origin := usual().open(t)
	for _, revision := range wire.Revisions() {
		for _, transport := range []string{"http", "stdio"} {
			t.Run(transport+" "+revision, func(t *testing.T) {
				var way mcp.Transport = &mcp.StreamableClientTransport{Endpoint: origin + "/mcp", MaxRetries: -1}
				if transport == "stdio" {
					in, feed := io.Pipe()
					back, out := io.Pipe()
					go func() {
						_ = usual().server(t, true).Lines(context.Background(), in, out)
						_ = out.Close()
					}()
					way = &mcp.IOTransport{Reader: back, Writer: feed}
				}
				ctx := t.Context()
				c := mcp.NewClient(&mcp.Implementation{Name: "outsider", Version: "1"}, nil)
				session, err := c.Connect(ctx, way, &mcp.ClientSessionOptions{ProtocolVersion: revision})
				if err != nil {
					t.Fatal(err)
				}
				defer session.Close()
				tools, err := session.ListTools(ctx, nil)
				if err != nil {
					t.Fatal(err)
				}
				local := slices.ContainsFunc(tools.Tools, func(k *mcp.Tool) bool { return k.Name == "doctor" })
				if len(tools.Tools) < 11 || local != (transport == "stdio") {
					t.Errorf("%d tools, doctor %v", len(tools.Tools), local)
				}
				for _, k := range tools.Tools {
					if k.Title == "" || k.Description == "" || k.InputSchema == nil || k.OutputSchema == nil || k.Annotations == nil || !k.Annotations.ReadOnlyHint || k.Annotations.OpenWorldHint == nil {
						t.Errorf("%s lacks a part", k.Name)
					}
				}
				r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "explain_rule", Arguments: map[string]any{"rule": "x"}})
				if err != nil || r.IsError {
					t.Fatalf("%+v, %v", r, err)
				}
				if raw, _ := json.Marshal(r.StructuredContent); string(raw) != `{"said":"explain x"}` || r.Content[0].(*mcp.TextContent).Text != "explain x" {
					t.Errorf("%s, %v", raw, r.Content)
				}
				if r, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "explain_rule", Arguments: map[string]any{"rule": "no/such"}}); err != nil || !r.IsError {
					t.Errorf("%+v, %v", r, err)
				}
				if _, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "zz_nope"}); err == nil {
					t.Error("an unknown tool was called")
				}
				resources, err := session.ListResources(ctx, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range resources.Resources {
					content, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: x.URI})
					if err != nil || content.Contents[0].Text == "" || content.Contents[0].MIMEType != x.MIMEType {
						t.Errorf("%s: %v", x.URI, err)
					}
				}
				if templates, err := session.ListResourceTemplates(ctx, nil); err != nil || len(templates.ResourceTemplates) != 2 {
					t.Errorf("%v, %v", templates, err)
				}
				page, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "mcpassay://rules/mcp-security/http-no-tls"})
				if err != nil || !strings.HasPrefix(page.Contents[0].Text, "# mcp-security/http-no-tls") {
					t.Errorf("%v, %v", page, err)
				}
				if _, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "mcpassay://rules/no/such"}); err == nil {
					t.Error("a page of no rule was read")
				}
			})
		}
	}
}
