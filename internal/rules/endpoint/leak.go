package endpoint

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// traced is what a text gives away of the program that wrote it.
type traced struct {
	found bool
	paths []string // absolute ones, as they stand there
}

// frames are lines of a stack trace as runtimes print them. A body is kept to its first kilobytes, so that they may look
// at all of it.
var frames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`\bat (?:[^\n<(]{1,200} \()?(?:file://|node:|/|[A-Za-z]:\\)[^\n<)]{1,300}:\d+:\d+`, // JavaScript
		`Traceback \(most recent call last\)`, `File "[^"\n]{1,300}", line \d+`,            // Python
		`\bgoroutine \d+ \[`, // Go
		`\bat [\w.$/]{1,200}\([\w$]{1,100}\.(?:java|kt|scala):\d+\)`, // the JVM
		`\bat [^\n<]{1,200} in [^\n<]{1,300}:line \d+`,               // .NET
		`thread '[^'\n]{1,100}' panicked at`,                         // Rust
	}, "|"))
})

// diskPaths are absolute paths of a file with a suffix: an address or a route has none, as a rule.
var diskPaths = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[\s("'=;]|file://)((?:/[\w.@+-]+){2,12}\.\w{1,8}|[A-Za-z]:(?:\\[\w.@+ -]+){2,12})\b`)
})

// trace looks for a stack trace in the first bytes of what came: in the text of an answer, or in its error's.
func (t *trial) trace(max int) (found traced) {
	said := t.Body
	if t.kind() == document && t.Status < 400 {
		return found // a document may tell of traces
	}
	if e := t.at.Get("reply").Get("error"); e.Valid() {
		said += "\n" + e.Get("message").Text() + "\n" + texts(value(e.Get("data")))
	}
	if len(said) > max {
		said = said[:max]
	}
	if !strings.Contains(said, "at ") && !strings.Contains(said, "goroutine") && !strings.Contains(said, "line ") && !strings.Contains(said, "Traceback") {
		return found
	}
	if found.found = frames().MatchString(said); found.found {
		for _, m := range diskPaths().FindAllStringSubmatch(said, -1) {
			found.paths = append(found.paths, m[1])
		}
	}
	return found
}

// texts are the strings in a value, each on a line of its own.
func texts(v any) string {
	switch v := v.(type) {
	case string:
		return v + "\n"
	case []any:
		var b strings.Builder
		for _, e := range v {
			b.WriteString(texts(e))
		}
		return b.String()
	case map[string]any:
		var b strings.Builder
		for _, k := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(texts(v[k]))
		}
		return b.String()
	}
	return ""
}

// leaked says how many paths there are and where they begin. It shows no path whole: the report must not be the leak.
func leaked(paths []string) string {
	slices.Sort(paths)
	paths = slices.Compact(paths)
	var roots []string
	for _, p := range paths {
		root := p
		if i := strings.IndexAny(p[1:], `/\`); i >= 0 {
			root = p[:i+1]
		}
		if !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	switch {
	case len(paths) == 0:
		return ""
	case len(paths) == 1:
		return " with a path of its disk (under " + roots[0] + ")"
	}
	return fmt.Sprintf(" with %d paths of its disk (under %s)", len(paths), strings.Join(roots, ", "))
}
