package endpoint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// InvalidServerCard is endpoint/invalid-server-card.
var InvalidServerCard = &rule.Rule{
	ID:       "endpoint/invalid-server-card",
	Title:    "a server card that does not fit the server",
	Trigger:  "The server card or the AI catalog lacks what it must hold, or says something else than the server.",
	Message:  "{what} is not what a directory can list: {faults}",
	Severity: finding.Info,
	Tags:     []string{rule.Discovery},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Write the card from the same constants as serverInfo, and check it with the schema that it names.",
	Surface: invalidServerCard,
}

func invalidServerCard(p *rule.Pass, s *card.Server) {
	in := probe(s)
	for t, m := range in.documents(wire.ServerCard, wire.AICatalog) {
		what, faults := "The server card", in.cardFaults(m)
		if t.Trial == wire.AICatalog {
			what, faults = "The AI catalog", catalogFaults(m)
		}
		if len(faults) > 0 {
			p.Report(rule.At(t.at), rule.Args{"what": what, "faults": rule.List(faults, p.Limits.ShownNames)}, rule.WithKind(string(t.Trial)))
		}
	}
}

// cardFaults are what is wrong with a server card (experimental-ext-server-card, schema v1).
func (p *probed) cardFaults(m map[string]any) (faults []string) {
	for _, name := range []string{"$schema", "name", "version", "description"} {
		if word(m, name) == "" {
			faults = append(faults, "it has no "+name)
		}
	}
	if is, says := p.server.Info.Get("version").Text(), word(m, "version"); is != "" && says != "" && is != says {
		faults = append(faults, "it is of version "+says+", and the server of "+is)
	}
	is, says := p.server.Info.Get("name").Text(), word(m, "name")
	if _, last, ok := strings.Cut(says, "/"); is != "" && says != "" && says != is && !(ok && last == is) && word(m, "title") != is {
		faults = append(faults, "it is of "+says+", and the server calls itself "+is)
	}
	remotes, _ := m["remotes"].([]any)
	here := len(remotes) == 0
	for _, r := range remotes {
		remote, _ := r.(map[string]any)
		if u := word(remote, "url"); strings.Contains(u, "{") || covers(u, p.endpoint()) {
			here = true
		}
		if versions, ok := remote["supportedProtocolVersions"].([]any); ok && p.revision != "" && !slices.Contains(versions, any(p.revision)) {
			faults = append(faults, "it does not list "+p.revision+", which the server speaks")
		}
	}
	if !here {
		faults = append(faults, "none of its remotes is this endpoint")
	}
	return faults
}

// catalogFaults are what is wrong with a catalog.
func catalogFaults(m map[string]any) (faults []string) {
	entries, ok := m["entries"].([]any)
	if !ok {
		return []string{"it has no entries"}
	}
	for i, e := range entries {
		entry, _ := e.(map[string]any)
		_, hasData := entry["data"]
		number := "entry " + strconv.Itoa(i+1)
		switch {
		case word(entry, "type") == "":
			faults = append(faults, number+" has no type")
		case !strings.HasPrefix(word(entry, "identifier"), "urn:air:"):
			faults = append(faults, number+" has no identifier of the form urn:air:…")
		case (word(entry, "url") != "") == hasData:
			faults = append(faults, number+" needs either url or data")
		}
	}
	return faults
}
