package a2a

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"

	"github.com/mcpassay/mcpassay/internal/flow/serve"
	"github.com/mcpassay/mcpassay/internal/source"
)

// part is a part of a message or an artifact. Kind is of 0.3, Media of 1.0.
type part struct {
	Kind  string          `json:"kind,omitempty"`
	Text  string          `json:"text,omitempty"`
	Data  json.RawMessage `json:"data,omitempty"`
	Media string          `json:"mediaType,omitempty"`
}

// parts are a text and, where there is any, data.
func (speaks dialect) parts(body string, data []byte) []part {
	list := []part{{Text: body}}
	if data != nil {
		list = append(list, part{Data: data})
	}
	for i := range list {
		switch p := &list[i]; {
		case speaks == v10 && p.Data != nil:
			p.Media = mediaJSON
		case speaks == v10:
			p.Media = mediaText
		case p.Data != nil:
			p.Kind = "data"
		default:
			p.Kind = "text"
		}
	}
	return list
}

// The types of parts.
const (
	mediaJSON = "application/json"
	mediaText = "text/plain"
)

// spelling is what the dialects write differently.
type spelling struct{ task, message, agent, completed, failed string }

var spellings = map[dialect]spelling{
	v03: {"task", "message", "agent", "completed", "failed"},
	v10: {"", "", "ROLE_AGENT", "TASK_STATE_COMPLETED", "TASK_STATE_FAILED"},
}

type message struct {
	Kind      string `json:"kind,omitempty"`
	MessageID string `json:"messageId"`
	ContextID string `json:"contextId"`
	TaskID    string `json:"taskId"`
	Role      string `json:"role"`
	Parts     []part `json:"parts"`
}

type artifact struct {
	ArtifactID  string `json:"artifactId"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Parts       []part `json:"parts"`
}

type status struct {
	State   string   `json:"state"`
	Message *message `json:"message,omitempty"`
}

type task struct {
	Kind      string     `json:"kind,omitempty"`
	ID        string     `json:"id"`
	ContextID string     `json:"contextId"`
	Status    status     `json:"status"`
	Artifacts []artifact `json:"artifacts,omitempty"`
}

// send has a skill answer a message. Whatever comes of it is a task that has ended: a message that is not understood fails
// it, with what would be.
func (q *question) send(ctx context.Context) (any, *fault) {
	m, f := q.message()
	if f != nil {
		return nil, f
	}
	c, why := q.understand(m)
	if why != "" {
		return q.failed(m, q.help(why), encode(q.bodies(why))), nil
	}
	caller := serve.Caller{Lane: serve.A2A, Address: q.asked.From, Agent: q.asked.Header.Get("user-agent"), Base: q.asked.Base}
	answer, err := c.skill.Do(ctx, caller, c.arguments)
	q.all.o.Saw(caller, c.skill.Name)
	switch {
	case err != nil:
		return q.failed(m, err.Error(), nil), nil
	case !json.Valid(answer.JSON):
		return q.failed(m, "the skill "+c.skill.Name+" gave no JSON: that is our fault, please report it", nil), nil
	}
	t := q.begun(m)
	t.Status.State = spellings[q.speaks].completed
	t.Artifacts = []artifact{{c.skill.Name, c.skill.Name, c.skill.Title, q.speaks.parts(cmp.Or(answer.Text, string(answer.JSON)), answer.JSON)}}
	return q.speaks.wrapped(t), nil
}

// begun is a task of the context that the message names, or of a new one.
func (q *question) begun(m source.Node) *task {
	t := &task{Kind: spellings[q.speaks].task, ID: rand.Text(), ContextID: m.Get("contextId").Text()}
	if t.ContextID == "" {
		t.ContextID = rand.Text()
	}
	return t
}

// failed is a task that has failed, with what an agent says to it.
func (q *question) failed(m source.Node, body string, data []byte) any {
	t, words := q.begun(m), spellings[q.speaks]
	t.Status = status{words.failed, &message{words.message, rand.Text(), t.ContextID, t.ID, words.agent, q.speaks.parts(body, data)}}
	return q.speaks.wrapped(t)
}

// wrapped is a task as the result of a method: 1.0 names what it is.
func (speaks dialect) wrapped(t *task) any {
	if speaks == v10 {
		return map[string]*task{"task": t}
	}
	return t
}

// help says in words what to send.
func (q *question) help(why string) string {
	var b strings.Builder
	b.WriteString(why + ". Send one of these as the text of the message")
	b.WriteString(" (with {} a skill runs on the built-in fixture, and nothing goes out), or the URL of an endpoint alone:")
	for _, s := range q.agent.skills {
		b.WriteString("\n" + ready(s) + "  " + s.Title)
	}
	b.WriteString("\nWhole requests: " + examplePath)
	return b.String()
}

// bodies are the same as data.
func (q *question) bodies(why string) any {
	type choice struct {
		Skill string          `json:"skill"`
		Title string          `json:"title"`
		Body  json.RawMessage `json:"body"`
	}
	var list []choice
	for _, s := range q.agent.skills {
		list = append(list, choice{s.Name, s.Title, body(s)})
	}
	return struct {
		Error  string   `json:"error"`
		Skills []choice `json:"skills"`
	}{why, list}
}
