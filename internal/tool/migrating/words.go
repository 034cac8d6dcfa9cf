package migrating

// A Document describes another program, in parts of which mcpassay does the same.
type Document string

// The five documents, by the name of the program that each describes.
const (
	Ctxlint  Document = "ctxlint"              // the MCP Server Configuration Linting Specification
	Warden   Document = "mcp-warden"           // DOCTOR.md
	Cards    Document = "mcp-tool-card-linter" // its README
	Mcpm     Document = "mcpm"                 // CONTRACTS.md
	Endpoint Document = "mcp-endpoint-lint"    // its server card
)

// Documents is all of them, in the order of docs/migrating.md.
func Documents() []Document { return []Document{Ctxlint, Warden, Cards, Mcpm, Endpoint} }

// Kind is what a word is.
type Kind string

// The kinds. A Decision is a word by which a program says what came of a check.
const (
	Command  Kind = "command or flag"
	Tool     Kind = "tool for agents"
	Decision Kind = "decision"
)

// Word is what one document calls something, and what mcpassay calls it.
type Word struct {
	Kind Kind
	// Theirs is the word, without Markdown: a command line with its flags, a tool, a decision.
	Theirs string
	// Ours is Markdown, "" where there is no such thing. Between backticks stand command lines that begin with mcpassay, ids of
	// rules, tools of mcpassay serve and words of reports: a test looks for each of them in the program.
	Ours string
	// Why says what differs; it must say something where Ours is "".
	Why string
}

// Words are the words of a document.
func Words(d Document) []Word { return words[d] }

var words = map[Document][]Word{
	Ctxlint: {
		{Command, "ctxlint --mcp-only", "`mcpassay lint`", ""},
		{Command, "ctxlint --mcp-global", "`mcpassay lint --global`", "`doctor` reads all of the machine"},
		{Command, "ctxlint --strict", "`mcpassay lint --fail-on warning`", ""},
		{Command, "ctxlint --checks C", "`mcpassay lint --select RULES`", "rules, not categories alone"},
		{Command, "ctxlint --ignore C", "`mcpassay lint --ignore RULES`", "rules, not categories alone"},
		{Command, "ctxlint --fix-dry-run", "`mcpassay lint --diff`", ""},
		{Command, "ctxlint --fix", "`mcpassay lint --fix`", "`--fix=unsafe` for what needs your knowledge"},
		{Command, "ctxlint --format F", "`mcpassay lint --format sarif`", ""},
	},
	Warden: {
		{Command, "mcp-warden doctor", "`mcpassay doctor`", ""},
		{Command, "mcp-warden doctor --json", "`mcpassay doctor --format jsonl`", "`--json` is one document"},
		{Command, "mcp-warden doctor --sarif F", "`mcpassay doctor --output F.sarif`", ""},
		{Command, "mcp-warden doctor --config F", "`mcpassay doctor --config FILE`", ""},
		{Command, "mcp-warden doctor --no-discover", "`mcpassay doctor --no-discover`", ""},
		{Command, "mcp-warden doctor --pin", "`mcpassay doctor --pin`", "into `mcpassay.lock`, in a sandbox"},
		{Command, "mcp-warden doctor --yes", "`mcpassay doctor --yes`", ""},
		{Command, "mcp-warden doctor --home H", "", "it is the home folder of who runs it: set the variable `HOME`"},
		{Command, "mcp-warden doctor --platform P", "`mcpassay lint --platform P`", "`doctor` is about this machine"},
		{Command, "mcp-warden auth audit F", "`mcpassay lint FILE`", ""},
		{Command, "mcp-warden pin ARGV", "`mcpassay pin -- COMMAND`", ""},
		{Command, "mcp-warden pin --lock F", "`mcpassay pin --lock FILE`", ""},
		{Command, "mcp-warden pin --approve", "`mcpassay approve`", "a step of its own, after `pin`: it shows what is approved"},
		{Command, "mcp-warden pin --approver A", "`mcpassay approve --by NAME`", ""},
		{Command, "mcp-warden lock rotate --approver A", "`mcpassay approve --by NAME`", "`mcpassay lock rotate` signs anew what is approved"},
		{Command, "mcp-warden check", "`mcpassay verify --live`", ""},
		{Command, "mcp-warden check --verify", "`mcpassay verify --trust FILE`", "keys and Sigstore bundles of those that the file names"},
		{Decision, "pin.approved: true", "`approved`", "and expired, revoked and changed ones are told apart"},
		{Decision, "pin.approved: false", "`unapproved`", ""},
	},
	Endpoint: {
		{Tool, "score_card", "`score_card`", ""},
		{Tool, "handshake_report", "`handshake_report`", ""},
		{Tool, "tools_list_report", "`tools_list_report`", ""},
		{Tool, "error_conformance", "`error_conformance`", ""},
		{Tool, "discovery_report", "`discovery_report`", ""},
		{Tool, "whoami", "`whoami`", ""},
		{Tool, "example", "`example`", ""},
		{Command, "POST /mcp/lint", "`mcpassay serve --http ADDRESS`", "the same tools on the command line: `mcpassay probe URL`"},
		{Command, "POST /a2a/lint, /a2a/discovery, /a2a/score", "`mcpassay serve --http ADDRESS`", "[the same three agents](a2a.md)"},
		{Command, "fixture://mcp-endpoint-lint/demo", "`mcpassay probe fixture://mcp-endpoint-lint/demo`", "`fixture://demo` is the same"},
		{Decision, "served", "`served`", ""},
		{Decision, "missing", "`missing`", ""},
		{Decision, "gated", "`gated`", ""},
		{Decision, "soft-404", "`soft-404`", ""},
		{Decision, "invalid JSON", "`invalid`", "a document that is JSON and says nothing useful is `invalid` too"},
	},
	Cards: cards,
	Mcpm:  mcpm,
}
