package git

import (
	"iter"
	"strings"
)

type setting struct{ section, key, value string }

// configSettings yields the settings of a git config file that stand in sections without a subsection,
// section and key in lower case. It reads the little of the format (git-config, "Syntax") that the
// settings of a repository's format use: includes can not set them, and they need no escapes.
func configSettings(text string) iter.Seq[setting] {
	return func(yield func(setting) bool) {
		section := ""
		for line := range strings.SplitSeq(text, "\n") {
			line = strings.TrimSpace(line)
			if rest, ok := strings.CutPrefix(line, "["); ok {
				name, after, _ := strings.Cut(rest, "]")
				section = strings.ToLower(strings.TrimSpace(name))
				line = strings.TrimSpace(after)
			}
			if line == "" || line[0] == '#' || line[0] == ';' {
				continue
			}
			key, value, given := strings.Cut(line, "=")
			if !given {
				value = "true"
			}
			if i := strings.IndexAny(value, "#;"); i >= 0 {
				value = value[:i]
			}
			value = strings.ReplaceAll(strings.TrimSpace(value), `"`, "")
			if !yield(setting{section, strings.ToLower(strings.TrimSpace(key)), value}) {
				return
			}
		}
	}
}
