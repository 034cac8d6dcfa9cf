package scope

// Kind is what a place holds.
type Kind string

// The kinds.
const (
	Servers      Kind = "mcp-servers"
	Settings     Kind = "settings"
	Instructions Kind = "instructions"
	Skills       Kind = "skills"
	Agents       Kind = "agents"
	Commands     Kind = "commands"
	Rules        Kind = "rules"
	Hooks        Kind = "hooks"
	Plugin       Kind = "plugin"
	Tasks        Kind = "tasks"
	Container    Kind = "dev-container"
)

// candidate is one place of a project: a file, or a folder whose files count.
type candidate struct {
	path   string
	kind   Kind
	folder bool
	// format is what a file is read as: json, jsonc, or "" for words.
	format string
}

// claudeCode are the places of a project that Claude Code reads (its documents of 2026-11).
var claudeCode = []candidate{
	{path: ".mcp.json", kind: Servers, format: "json"},
	{path: ".claude/settings.json", kind: Settings, format: "json"},
	{path: ".claude/settings.local.json", kind: Settings, format: "json"},
	{path: "CLAUDE.md", kind: Instructions},
	{path: "CLAUDE.local.md", kind: Instructions},
	{path: ".claude/CLAUDE.md", kind: Instructions},
	{path: ".claude/rules", kind: Rules, folder: true},
	{path: ".claude/agents", kind: Agents, folder: true},
	{path: ".claude/commands", kind: Commands, folder: true},
	{path: ".claude/skills", kind: Skills, folder: true},
	{path: ".claude/hooks", kind: Hooks, folder: true},
	{path: ".claude-plugin/plugin.json", kind: Plugin, format: "json"},
	{path: ".claude-plugin/marketplace.json", kind: Plugin, format: "json"},
}

// vscode are those that VS Code with Copilot reads (microsoft/vscode-docs, 2026-05-28 and later).
var vscode = []candidate{
	{path: ".vscode/mcp.json", kind: Servers, format: "jsonc"},
	{path: ".mcp.json", kind: Servers, format: "json"},
	{path: ".vscode/settings.json", kind: Settings, format: "jsonc"},
	{path: ".vscode/tasks.json", kind: Tasks, format: "jsonc"},
	{path: ".devcontainer/devcontainer.json", kind: Container, format: "jsonc"},
	{path: ".devcontainer.json", kind: Container, format: "jsonc"},
	{path: ".github/copilot-instructions.md", kind: Instructions},
	{path: "AGENTS.md", kind: Instructions},
	{path: "CLAUDE.md", kind: Instructions},
	{path: ".github/instructions", kind: Instructions, folder: true},
	{path: ".github/prompts", kind: Commands, folder: true},
	{path: ".github/agents", kind: Agents, folder: true},
	{path: ".github/chatmodes", kind: Agents, folder: true},
	{path: ".github/skills", kind: Skills, folder: true},
	{path: ".github/hooks", kind: Hooks, folder: true},
}

// unknown are the parts of what a client has in a project that no file of it says, by client.
var unknown = map[string][]Gap{
	"claude-code": {
		{"user-settings", "~/.claude and ~/.claude.json are of the user, not of the project"},
		{"managed-policy", "an administrator's settings may allow or forbid any of this"},
		{"approval", "which of these servers a person approved is kept outside of the project"},
		{"plugins", "what installed plugins bring is not looked at"},
		{"folders-above-and-below", "CLAUDE.md files above and below the root are read by the client too"},
		{"installed-code", "node_modules and the like in folders of the list are not listed"},
		{"activation", "nothing was started: whether a server runs is not known"},
	},
	"vscode": {
		{"user-settings", "the settings and servers of the user's profile are not of the project"},
		{"profiles", "which profile is used, and what it holds, is not known"},
		{"managed-policy", "an organisation's policy may allow or forbid any of this"},
		{"trust", "whether the workspace and its servers are trusted is kept outside of the project"},
		{"extensions", "servers that extensions bring are not looked at"},
		{"workspaces", "*.code-workspace files may hold settings and servers of their own"},
		{"installed-code", "node_modules and the like in folders of the list are not listed"},
		{"activation", "nothing was started: whether a server runs is not known"},
	},
}
