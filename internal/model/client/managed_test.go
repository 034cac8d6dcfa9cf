package client

import (
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// What an organisation's settings say of a server, by its name and by its words; what they mean in a shape that is not known is the
// client's to say.
func TestAnOrganisationSaysWhatClaudeCodeMayStart(t *testing.T) {
	t.Parallel()
	argv := []string{"/opt/mcpassay", "guard", "run", "--", "npx", "x"}
	const command = `{"serverCommand":["/opt/mcpassay","guard","run","--","npx","x"]}`
	for raw, want := range map[string]Standing{
		`{}`:                          Allowed,
		`{"permissions":{}}`:          Allowed,
		`{"allowedMcpServers":[]}`:    Denied,
		`{"deniedMcpServers":[]}`:     Allowed,
		`{"allowedMcpServers":null}`:  Unclear,
		`{"allowedMcpServers":"all"}`: Unclear,
		`{"deniedMcpServers":{}}`:     Unclear,
		`[]`:                          Unclear,
		`{"allowedMcpServers":[{"serverName":"gh"}]}`:                                                        Allowed,
		`{"allowedMcpServers":[{"serverName":"GH"}]}`:                                                        Denied,
		`{"deniedMcpServers":[{"serverName":"gh"}]}`:                                                         Denied,
		`{"allowedMcpServers":[{"serverName":"gh"}],"deniedMcpServers":[{"serverName":"gh"}]}`:               Denied,
		`{"allowedMcpServers":[` + command + `]}`:                                                            Allowed,
		`{"deniedMcpServers":[` + command + `]}`:                                                             Denied,
		`{"allowedMcpServers":[{"serverCommand":["npx","x"]}]}`:                                              Denied,
		`{"allowedMcpServers":[{"serverName":"gh"},{"serverCommand":["npx","x"]}]}`:                          Denied,
		`{"allowedMcpServers":[{"serverName":"gh"},` + command + `]}`:                                        Allowed,
		`{"allowedMcpServers":[{"serverUrl":"https://*.example.com/*"}]}`:                                    Denied,
		`{"allowedMcpServers":[{"serverUrl":"https://*.example.com/*"},{"serverName":"gh"}]}`:                Allowed,
		`{"allowedMcpServers":[{"serverCommand":["npx",1]}]}`:                                                Unclear,
		`{"allowedMcpServers":[{"serverHash":"x"}]}`:                                                         Unclear,
		`{"allowedMcpServers":["gh"]}`:                                                                       Unclear,
		`{"allowedMcpServers":[{"serverName":"gh"}],"deniedMcpServers":[{"serverPath":"/opt/*"}]}`:           Unclear,
		`{"deniedMcpServers":[{"serverName":"gh"}],"allowedMcpServers":[{"serverCommand":["npx",{"a":1}]}]}`: Denied,
	} {
		doc, err := source.Parse("managed-settings.json", []byte(raw), source.JSON, limits.Default)
		if err != nil {
			t.Fatal(err)
		}
		if got := ManagedBy(doc).Of("gh", argv); got != want {
			t.Errorf("%s: %d, want %d", raw, got, want)
		}
	}
}
