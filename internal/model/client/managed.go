package client

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/source"
)

// Managed is what an organisation lets Claude Code start: allowedMcpServers and deniedMcpServers of its managed-settings.json.
//
// Source: code.claude.com/docs/en/managed-mcp.
type Managed struct{ root source.Node }

// ManagedBy is the policy of a file of settings.
func ManagedBy(doc *source.Doc) Managed { return Managed{doc.Root()} }

// Standing is what a policy says of a server.
type Standing uint8

// What it says. Unclear is a policy of a shape that is not known: what it means is the client's to say.
const (
	Allowed Standing = iota
	Denied
	Unclear
)

// Of says whether a local server of that name and command may start. A denied entry goes before an allowed one; where any command is
// allowed by its words, a name alone allows no local server.
func (m Managed) Of(name string, argv []string) Standing {
	if m.root.Kind() != source.Object {
		return Unclear
	}
	denied, _, ok := m.matches("deniedMcpServers", name, argv)
	if !ok {
		return Unclear
	}
	if denied {
		return Denied
	}
	if !m.root.Get("allowedMcpServers").Valid() {
		return Allowed
	}
	allowed, commands, ok := m.matches("allowedMcpServers", name, argv)
	switch {
	case !ok:
		return Unclear
	case commands:
		allowed, _, _ = m.matches("allowedMcpServers", "", argv)
	}
	if allowed {
		return Allowed
	}
	return Denied
}

// matches says whether an entry of a list is that server, and whether any entry is about commands. ok is false for a shape that is
// not known.
func (m Managed) matches(list, name string, argv []string) (found, commands, ok bool) {
	n := m.root.Get(list)
	if n.Valid() && n.Kind() != source.Array {
		return false, false, false
	}
	for e := range n.Children() {
		byName, command := e.Get("serverName"), e.Get("serverCommand")
		switch {
		case byName.Kind() == source.String:
			found = found || name != "" && byName.Text() == name
		case command.Kind() == source.Array:
			var words []string
			for w := range command.Children() {
				if w.Kind() != source.String {
					return false, false, false
				}
				words = append(words, w.Text())
			}
			commands = true
			found = found || slices.Equal(words, argv)
		case e.Get("serverUrl").Kind() == source.String: // for remote ones
		default:
			return false, false, false
		}
	}
	return found, commands, true
}
