package wire

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
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

// StackTrace says that a text holds lines of a stack trace, which tell strangers what a program is made of and where it is
// installed. It is for texts within the limit of a trial's body.
func StackTrace(s string) bool {
	for _, sign := range []string{"at ", "line ", "Traceback", "goroutine "} {
		if strings.Contains(s, sign) {
			return traces().MatchString(s)
		}
	}
	return false
}

// StackTrace says that an answer sends one out: as its text, or in its error. A document that is there may speak of one.
func (t *Tried) StackTrace() bool {
	if t.Trial.Discovery() && t.Status < 400 {
		return false
	}
	said := t.Body
	var reply struct {
		Error struct {
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"error"`
	}
	if json.Unmarshal(t.Reply, &reply) == nil {
		said += "\n" + reply.Error.Message + "\n" + strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(string(reply.Error.Data))
	}
	return StackTrace(said)
}
