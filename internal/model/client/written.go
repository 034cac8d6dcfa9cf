package client

import "strings"

// unknown stands for text that is not written out. It is in no URL: control characters are refused.
const unknown = "\x00"

// written puts unknown in the place of all that a client, a shell or a person fills in: references in the grammar of
// any client, and what stands in <…>, {…} or `…`.
func written(s string) string {
	refs := Refs(s)
	if len(refs) == 0 {
		return withoutBlanks(s)
	}
	var b strings.Builder
	at := 0
	for _, r := range refs {
		b.WriteString(withoutBlanks(s[at:r.Start]))
		b.WriteString(unknown)
		at = r.End
	}
	b.WriteString(withoutBlanks(s[at:]))
	return b.String()
}

// withoutBlanks does so for what a person fills in, as on a form. What is opened and never closed is text.
func withoutBlanks(s string) string {
	for _, pair := range [...]string{"{}", "<>", "``"} {
		var b strings.Builder
		for {
			before, rest, ok := strings.Cut(s, pair[:1])
			_, after, closed := strings.Cut(rest, pair[1:])
			if !ok || !closed {
				break
			}
			b.WriteString(before + unknown)
			s = after
		}
		s = b.String() + s
	}
	return s
}

// named writes every reference to the environment as ${NAME}, one to an answer of the user as ${?}, and a path below
// the project as a relative one: the spelling of no client.
func named(s string) string {
	return strings.TrimPrefix(replaced(s, func(r Ref) string {
		switch {
		case r.Form == "${input:id}" || r.Form == "${{ inputs.VAR }}":
			return asked
		case !r.Variable() && r.Form != "${{ secrets.VAR }}":
			return s[r.Start:r.End]
		}
		switch r.Name {
		case "workspaceFolder", "workspaceRoot", "workspacePath", "CLAUDE_PROJECT_DIR", "PWD":
			return "."
		}
		return "${" + r.Name + "}"
	}), "./")
}

const asked = "${?}"

// sameText compares two strings by what the clients make of them.
func sameText(a, b string) bool {
	if a == b {
		return true
	}
	x, y := named(a), named(b)
	if strings.Contains(x, asked) || strings.Contains(y, asked) {
		// What a client asks its user for stands for any variable.
		blank := func(Ref) string { return asked }
		x, y = replaced(x, blank), replaced(y, blank)
	}
	return x == y
}

// replaced puts text in the place of every reference.
func replaced(s string, text func(Ref) string) string {
	var b strings.Builder
	at := 0
	for _, r := range Refs(s) {
		b.WriteString(s[at:r.Start])
		b.WriteString(text(r))
		at = r.End
	}
	return b.String() + s[at:]
}
