package serve

import (
	"encoding/json"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// cardSuffix is where a server card stands below its endpoint (SEP-2127, draft).
const cardSuffix = "/server-card"

const (
	cardType    = "application/mcp-server-card+json"
	catalogType = "application/ai-catalog+json"
	textType    = "text/plain; charset=utf-8"
)

// document answers for all that is not the endpoint: what clients read before they connect.
func (s *Server) document(r *wire.Asked) *wire.Answer {
	kind, content := s.content(r)
	a := &wire.Answer{Status: 200, Header: [][2]string{{"content-type", kind}, {"x-content-type-options", "nosniff"}}, Body: [][]byte{[]byte(content)}}
	switch {
	case content == "":
		a = wire.JSON(404, []byte(`{"error":"there is nothing here: the endpoint is `+pathMCP+`, and /llms.txt says what else there is"}`))
	case r.Verb != "GET" && r.Verb != "HEAD":
		a = wire.JSON(405, []byte(`{"error":"this is a document: GET it"}`))
		a.Header = append(a.Header, [2]string{"allow", "GET, HEAD"})
	}
	return a
}

func (s *Server) content(r *wire.Asked) (kind, content string) {
	switch r.Path {
	case "/.well-known/mcp", "/.well-known/mcp.json", "/mcp.json":
		return wire.MediaJSON, wellKnown(s.opt.Version, r.Base)
	case pathMCP + cardSuffix, pathLint + cardSuffix:
		return cardType, card(s.opt.Version, r.Base+strings.TrimSuffix(r.Path, cardSuffix))
	case "/.well-known/ai-catalog.json":
		return catalogType, aiCatalog(r.Base)
	case "/llms.txt", "/":
		return textType, s.llms(r.Base)
	case "/changes.json":
		content, _ = changes(r.Query)
		return wire.MediaJSON, content
	case "/mcp-transport.json":
		return wire.MediaJSON, shapes
	}
	return "", ""
}

// pretty is a document that people copy from.
func pretty(v any) string {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil { // they hold strings alone
		return ""
	}
	return string(raw) + "\n"
}

// wellKnown is /.well-known/mcp.json. No revision of the protocol has it: this is what clients that look for it read.
func wellKnown(version, base string) string {
	type server struct {
		Type string `json:"type"`
		URL  string `json:"url"`
	}
	return pretty(struct {
		Name             string            `json:"name"`
		Title            string            `json:"title"`
		Version          string            `json:"version"`
		Description      string            `json:"description"`
		Website          string            `json:"websiteUrl"`
		Transport        string            `json:"transport"`
		Endpoint         string            `json:"endpoint"`
		ProtocolVersions []string          `json:"protocolVersions"`
		ServerCard       string            `json:"serverCard"`
		Servers          map[string]server `json:"mcpServers"`
	}{"mcpassay", "mcpassay", version, about, website, "streamable-http", base + pathMCP, wire.Revisions(), base + pathMCP + cardSuffix,
		map[string]server{"mcpassay": {"http", base + pathMCP}}})
}

// card is a server card (experimental-ext-server-card, schema v1).
func card(version, endpoint string) string {
	type remote struct {
		Type     string   `json:"type"`
		URL      string   `json:"url"`
		Versions []string `json:"supportedProtocolVersions"`
	}
	return pretty(struct {
		Schema      string   `json:"$schema"`
		Name        string   `json:"name"`
		Title       string   `json:"title"`
		Version     string   `json:"version"`
		Description string   `json:"description"`
		Website     string   `json:"websiteUrl"`
		Remotes     []remote `json:"remotes"`
	}{"https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json", "io.github.mcpassay/mcpassay", "mcpassay", version, about, website,
		[]remote{{"streamable-http", endpoint, wire.Revisions()}}})
}

// aiCatalog is /.well-known/ai-catalog.json.
func aiCatalog(base string) string {
	type entry struct {
		Identifier  string `json:"identifier"`
		Name        string `json:"displayName"`
		Description string `json:"description"`
		Type        string `json:"type"`
		URL         string `json:"url"`
	}
	return pretty(struct {
		SpecVersion string  `json:"specVersion"`
		Entries     []entry `json:"entries"`
	}{"1.0", []entry{{"urn:air:io.github.mcpassay:mcpassay", "mcpassay", about, cardType, base + pathMCP + cardSuffix}}})
}

// llms is /llms.txt: what a model should know of this host.
func (s *Server) llms(base string) string {
	var b strings.Builder
	b.WriteString("# mcpassay\n\n> " + about + "\n\n" + instructions + "\n\n## Endpoint\n\n- [MCP, Streamable HTTP](" + base + pathMCP +
		"): stateless; tools/call needs no handshake\n- [Server card](" + base + pathMCP + cardSuffix + ")\n\n    curl -s " + base + pathMCP +
		" -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' " +
		`-d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":{}}}'` + "\n\n## Tools\n\n")
	for _, k := range s.opt.Skills {
		if !k.Local {
			b.WriteString("- " + k.Name + ": " + k.Description + "\n")
		}
	}
	if len(s.opt.Agents) > 0 {
		b.WriteString("\n## Agents\n\nThe checks of endpoints over A2A (Agent2Agent). [A body ready to send for each](" + base + s.opt.Agents[0].Bodies + ")\n\n")
	}
	for _, a := range s.opt.Agents {
		b.WriteString("- [" + base + a.Path + "](" + base + a.Path + a.Card + "): " + strings.Join(a.Skills, ", ") + ". " + a.Description + "\n")
	}
	return b.String()
}
