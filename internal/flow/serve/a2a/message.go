package a2a

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/flow/serve"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// call is what a message asks for.
type call struct {
	skill     serve.Skill
	arguments []byte // one JSON object
}

// message is the message of the params, checked: who wrote it, and that all its parts can be read here.
func (q *question) message() (source.Node, *fault) {
	m := q.params.Get("message")
	if m.Kind() != source.Object {
		return m, badParams("message must be an object")
	}
	if id, ok := m.Get("messageId").Str(); !ok || id == "" {
		return m, badParams("message.messageId must be a string of your making")
	}
	if role := m.Get("role").Text(); role != "user" && role != "ROLE_USER" {
		return m, badParams(`message.role must be "user", or "ROLE_USER" for A2A 1.0`)
	}
	for _, name := range []string{"contextId", "taskId"} {
		if n := m.Get(name); n.Valid() && n.Kind() != source.String && n.Kind() != source.Null {
			return m, badParams("message." + name + " must be a string")
		}
	}
	if id := m.Get("taskId").Text(); id != "" {
		return m, taskNotFound(text.Safe(id, q.all.o.Limits.ShownRunes))
	}
	configuration := q.params.Get("configuration")
	for _, name := range []string{"pushNotificationConfig", "taskPushNotificationConfig"} {
		if n := configuration.Get(name); n.Valid() && n.Kind() != source.Null {
			return m, noPush()
		}
	}
	parts, most := m.Get("parts"), q.all.o.Limits.A2AParts
	if parts.Kind() != source.Array || parts.Empty() || parts.Len() > most {
		return m, badParams(fmt.Sprintf("message.parts must be an array of 1 to %d parts", most))
	}
	for part := range parts.Children() {
		switch body := part.Get("text"); {
		case part.Kind() != source.Object:
			return m, badParams("each of message.parts must be an object")
		case body.Kind() == source.String, part.Get("data").Valid():
		case body.Valid():
			return m, badParams("the text of a part must be a string")
		case part.Get("raw").Valid(), part.Get("url").Valid(), part.Get("file").Valid():
			return m, wrongContent("a part is a file; send text or data")
		default:
			return m, badParams("each of message.parts must have text or data")
		}
	}
	return m, nil
}

// understand finds what a message asks for: the first of its parts that names a skill, or is a URL. Where there is none,
// why says what is wrong with the first part.
func (q *question) understand(m source.Node) (c call, why string) {
	for part := range m.Get("parts").Children() {
		var w string
		if body, ok := part.Get("text").Str(); ok {
			c, w = q.read(strings.TrimSpace(body))
		} else {
			c, w = q.invocation(part.Get("data"))
		}
		if w == "" {
			return c, ""
		}
		if why == "" {
			why = w
		}
	}
	return c, why
}

// read reads a text: an invocation as JSON, the name of a skill, or the URL of an endpoint.
func (q *question) read(body string) (call, string) {
	if strings.HasPrefix(body, "{") {
		doc, err := source.Parse("", []byte(body), source.JSON, q.all.o.Limits)
		if err != nil || !doc.Strict || doc.BadText.Len() > 0 {
			return call{}, "the text begins like JSON and is none"
		}
		return q.invocation(doc.Root())
	}
	if c, ok := q.named(body); ok {
		return c, ""
	}
	u, err := url.Parse(body)
	if err == nil && u.Host != "" && slices.Contains([]string{"https", "http", "fixture"}, u.Scheme) && !strings.ContainsAny(body, " \t\r\n") {
		c, _ := q.named(q.agent.main)
		c.arguments = encode(map[string]string{q.agent.target: body})
		return c, ""
	}
	return call{}, "the text is no skill of this agent and no URL"
}

// invocation reads {"skill": "…", "arguments": {…}}. A member beside those two would be lost, and with it what the caller
// meant: it is refused.
func (q *question) invocation(n source.Node) (call, string) {
	lim := q.all.o.Limits
	if n.Kind() != source.Object {
		return call{}, "the data is " + n.Kind().String() + ", not an object"
	}
	if n.Repeats() {
		return call{}, "a member is named twice"
	}
	name, ok := n.Get("skill").Str()
	if !ok {
		return call{}, `"skill" must be the name of a skill`
	}
	for member := range n.Children() {
		if key := member.Key(); key != "skill" && key != "arguments" {
			return call{}, strconv.Quote(text.Safe(key, lim.ShownRunes)) + ` is not known here: it may belong in "arguments"`
		}
	}
	c, ok := q.named(name)
	if !ok {
		return call{}, strconv.Quote(text.Safe(name, lim.ShownRunes)) + q.elsewhere(name)
	}
	switch arguments := n.Get("arguments"); arguments.Kind() {
	case source.Invalid, source.Null:
	case source.Object:
		c.arguments = arguments.Raw()
	default:
		return call{}, `"arguments" is ` + arguments.Kind().String() + ", not an object"
	}
	return c, ""
}

// named is the call of a skill of this agent with no arguments.
func (q *question) named(name string) (call, bool) {
	for _, s := range q.agent.skills {
		if s.Name == name {
			return call{s, []byte("{}")}, true
		}
	}
	return call{}, false
}

// elsewhere says which agent has a skill that this one lacks.
func (q *question) elsewhere(name string) string {
	for i := range q.all.list {
		for _, s := range q.all.list[i].skills {
			if s.Name == name {
				return fmt.Sprintf(" is a skill of the agent at %s", q.all.list[i].path())
			}
		}
	}
	return " is no skill of this agent"
}
