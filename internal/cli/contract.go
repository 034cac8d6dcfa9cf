package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/ledger"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/report"
	"github.com/mcpassay/mcpassay/internal/sign"
)

// contract is what others may build on, in one document. What a change of it asks for is held by a test against the contract
// of the last release: a report, lock, log or surface that lost something has another version; a rule that went or changed its
// severity is a major step of the catalog, a new rule or client a minor one, another text a patch.
type contract struct {
	// Contract is the version of this document.
	Contract int    `json:"contract"`
	Tool     string `json:"tool"`
	// Exit is the table of exit codes.
	Exit map[string]string `json:"exitCodes"`
	// Schemas are the versions of the documents that are written and read.
	Schemas struct {
		Report  int `json:"report"`
		Lock    int `json:"lock"`
		Log     int `json:"log"`
		Surface int `json:"surface"`
	} `json:"schemas"`
	// ReportMembers are the places in the report's JSON Schema at which a member is described: none goes without a new version.
	ReportMembers []string `json:"reportMembers"`
	Formats       []string `json:"formats"`
	Profiles      []string `json:"profiles"`
	Statement     struct {
		Payload   string `json:"payloadType"`
		Type      string `json:"type"`
		Predicate string `json:"predicateType"`
	} `json:"statement"`
	// Protocols are the revisions of MCP that are spoken, newest first.
	Protocols []string `json:"protocols"`
	Catalog   struct {
		Version string `json:"version"`
		// Digest is over the ids of the rules, sorted, each with a newline; Text over all that is said about them.
		Digest string `json:"digest"`
		Text   string `json:"textDigest"`
		// Rules are the severities by id.
		Rules   map[string]finding.Severity `json:"rules"`
		Clients []string                    `json:"clients"`
	} `json:"catalog"`
}

func currentContract() *contract {
	c := &contract{Contract: 1, Tool: Version, Exit: map[string]string{}, Formats: report.Formats(), Profiles: policy.ProfileNames(),
		Protocols: append([]string{wire.Modern}, wire.Legacy()...), ReportMembers: members(report.Schema())}
	for _, row := range exitTable {
		c.Exit[fmt.Sprint(row.code)] = row.text
	}
	c.Schemas.Report, c.Schemas.Lock, c.Schemas.Log, c.Schemas.Surface = report.SchemaVersion, lock.Version, ledger.Version, wire.SurfaceVersion
	c.Statement.Payload, c.Statement.Type, c.Statement.Predicate = sign.PayloadType, sign.StatementType, sign.PredicateType
	c.Catalog.Version, c.Catalog.Rules = catalog.Version, map[string]finding.Severity{}
	var text strings.Builder
	for _, r := range catalog.All() { // in the order of their ids
		c.Catalog.Rules[r.ID] = r.Severity
		text.WriteString(rulePageText(r))
	}
	ids := slices.Sorted(maps.Keys(c.Catalog.Rules))
	c.Catalog.Digest = canon.Digest([]byte(strings.Join(ids, "\n") + "\n"))
	c.Catalog.Text = canon.Digest([]byte(text.String()))
	for _, cl := range client.Table() {
		c.Catalog.Clients = append(c.Catalog.Clients, cl.ID)
	}
	slices.Sort(c.Catalog.Clients)
	return c
}

// members are the pointers of all that a JSON Schema describes as a member, sorted.
func members(schema []byte) (all []string) {
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, sub := range v {
				to := at + "/" + name
				if strings.HasSuffix(at, "/properties") {
					all = append(all, to)
				}
				walk(to, sub)
			}
		case []any:
			for i, sub := range v {
				walk(fmt.Sprintf("%s/%d", at, i), sub)
			}
		}
	}
	var root any
	if err := json.Unmarshal(schema, &root); err != nil {
		panic(err) // it is part of this program
	}
	walk("", root)
	slices.Sort(all)
	return all
}

func (a *app) contract() *cobra.Command {
	var format func() (bool, error)
	cmd := &cobra.Command{
		Use: "contract", Short: "Print what scripts may build on: exit codes, versions of documents, rules", GroupID: "more",
		Long: "Print what others may build on: exit codes, the versions of reports, locks, logs\n" +
			"and surfaces, the ids of the rules with a digest, the protocol revisions. A test\n" +
			"holds it against the last release: nothing of it changes without its version.",
		Example: "  mcpassay contract --format json", Args: noArgs("mcpassay contract takes no argument"),
		RunE: func(*cobra.Command, []string) error {
			asJSON, err := format()
			if err != nil {
				return err
			}
			c := currentContract()
			if asJSON {
				return a.printJSON(c)
			}
			_, err = fmt.Fprintf(a.io.Out, "mcpassay %s\nreport schema %d, lock %d, log %d, surface %d\nrules %s: %d, digest %s\nprotocols %s\nexit codes:\n%s",
				c.Tool, c.Schemas.Report, c.Schemas.Lock, c.Schemas.Log, c.Schemas.Surface,
				c.Catalog.Version, len(c.Catalog.Rules), c.Catalog.Digest, strings.Join(c.Protocols, ", "), exitText(a.io.Width))
			return err
		},
	}
	format = listFormat(cmd)
	return cmd
}

// contractPage is docs/contract.json.
func contractPage() string {
	text, err := json.MarshalIndent(currentContract(), "", "  ")
	if err != nil {
		panic(err) // it holds strings and numbers
	}
	return string(text) + "\n"
}
