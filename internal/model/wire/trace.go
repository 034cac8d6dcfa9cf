package wire

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// traces are lines of a stack trace as runtimes print them.
var traces = sync.OnceValue(func() *regexp.Regexp {
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

// Trace says whether an answer sends out lines of a stack trace, as its text or in its error, which tell strangers what a
// program is made of; paths are the absolute ones in them. It looks at as much of an answer as a trial keeps of a body. A
// document that is there may speak of one.
func (t *Tried) Trace() (paths []string, found bool) {
	if t.Trial.Discovery() && t.Status < 400 {
		return nil, false
	}
	said := t.Body
	var reply struct {
		Error struct {
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"error"`
	}
	if json.Unmarshal(t.Reply, &reply) == nil {
		said += "\n" + reply.Error.Message + "\n" + strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`).Replace(string(reply.Error.Data))
	}
	said = said[:min(len(said), limits.Default.TrialBody)]
	for _, sign := range []string{"at ", "line ", "Traceback", "goroutine "} {
		found = found || strings.Contains(said, sign)
	}
	if found = found && traces().MatchString(said); found {
		for _, m := range diskPaths().FindAllStringSubmatch(said, -1) {
			paths = append(paths, m[1])
		}
	}
	return paths, found
}

// Page says that an answer is a web page.
func (t *Tried) Page() bool {
	return !t.Answered() && (LooksLikeHTML([]byte(t.Body)) || t.Body != "" && t.Header.MediaType() == "text/html")
}
