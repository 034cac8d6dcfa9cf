// Package a2a offers the skills of `mcpassay serve` as three agents of the Agent2Agent protocol: each has its card, and
// answers a message with a task that is already completed, so that there is nothing to poll and nothing is kept.
//
// It speaks JSON-RPC in both dialects that clients have: 0.3 (message/send, role "user", parts with a kind) and 1.0
// (SendMessage, ROLE_USER, TASK_STATE_COMPLETED). The header A2A-Version names the dialect, and where there is none the
// spelling of the method does: the answer is in the dialect of the question.
//
// It opens nothing: a request is data, and so is its answer. The skills do the work.
//
// Sources: the A2A specification 1.0 (sections 3.3 errors, 3.6 versions, 4.4 cards, 9 JSON-RPC) and 0.3.
package a2a

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/flow/serve"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Prefix is the path below which all of it lies.
const Prefix = "/a2a/"

// cardPath is where a card lies below its agent (A2A 1.0, section 8.2).
const cardPath = "/.well-known/agent-card.json"

// examplePath holds a body ready to send for each skill of each agent.
const examplePath = Prefix + "example.json"

// Options are what the agents are made of.
type Options struct {
	// Skills is the table that the MCP tools are made of too. What no agent names is not offered.
	Skills []serve.Skill
	// Version is that of the program.
	Version string
	// Bearer says that callers need a token, so that the cards say it.
	Bearer bool
	// Saw is told who called which skill, as the other lane tells it.
	Saw func(c serve.Caller, skill string)
	// Limits bound what a caller may send.
	Limits limits.Set
}

// Agents are the three agents.
type Agents struct {
	o    Options
	list []agent
}

type agent struct {
	name, description string
	skills            []serve.Skill
	// main is the skill for a message that is only a URL, target the argument that takes it.
	main, target string
}

func (a *agent) path() string { return Prefix + a.name }

// shared are skills of every agent: a caller with nothing at hand begins with them.
var shared = []string{"whoami", "example"}

// offered is who offers what. The first skill is the main one.
var offered = []struct {
	name, description, target string
	skills                    []string
}{
	{
		"lint", "Asks an MCP endpoint what a client asks: the handshake, tools/list, and five requests that must fail. Says what it gets wrong and how to fix it.",
		"url", []string{"handshake_report", "tools_list_report", "error_conformance"},
	},
	{
		"discovery", "Fetches the documents that an MCP client reads before it connects, and says what each one answered. Sends no request to the MCP endpoint itself.",
		"host", []string{"discovery_report"},
	},
	{
		"score", "Grades an MCP endpoint: handshake, tools, errors and discovery in one score out of 100, a letter, and every finding with what to fix.",
		"url", []string{"score_card"},
	},
}

// New makes the agents. A skill of theirs that the table lacks is an error.
func New(o Options) (*Agents, error) {
	all := &Agents{o: o}
	for _, x := range offered {
		a := agent{name: x.name, description: x.description, main: x.skills[0], target: x.target}
		for _, name := range slices.Concat(x.skills, shared) {
			i := slices.IndexFunc(o.Skills, func(s serve.Skill) bool { return s.Name == name && !s.Local })
			if i < 0 {
				return nil, fmt.Errorf("agent %s offers %s, which is no skill", x.name, name)
			}
			a.skills = append(a.skills, o.Skills[i])
		}
		all.list = append(all.list, a)
	}
	return all, nil
}

// Offered says who offers what, for those who read of it in the other lane.
func (all *Agents) Offered() (list []serve.Agent) {
	for i, x := range offered {
		list = append(list, serve.Agent{Path: all.list[i].path(), Description: x.description, Skills: x.skills, Card: cardPath, Bodies: examplePath})
	}
	return list
}

// Handle answers one request below Prefix. It is a wire.Handler.
func (all *Agents) Handle(ctx context.Context, r *wire.Asked) *wire.Answer {
	path := strings.TrimSuffix(r.Path, "/")
	if path == examplePath {
		return all.published(r, func(base string) any { return all.examples(base) })
	}
	for i := range all.list {
		a := &all.list[i]
		switch path {
		case a.path():
			if r.Verb != "POST" {
				return refuse(statusNotAllowed, "POST", "send a JSON-RPC request by POST; the agent's card is at "+path+cardPath+" and bodies ready to send are at "+examplePath)
			}
			return all.ask(ctx, a, r)
		case a.path() + cardPath:
			return all.published(r, func(base string) any { return all.card(a, base) })
		}
	}
	return refuse(statusNotFound, "", "no agent is here: there are "+all.paths()+", each with a card at "+cardPath+", and "+examplePath)
}

// The HTTP statuses that differ from 200. Errors of JSON-RPC are 200: A2A clients read no body of another status.
const (
	statusBadRequest = 400
	statusNotFound   = 404
	statusNotAllowed = 405
	statusTooLarge   = 413
	statusOK         = 200
)

func (all *Agents) paths() string {
	var list []string
	for i := range all.list {
		list = append(list, all.list[i].path())
	}
	return strings.Join(list, ", ")
}

// published answers a GET with a document whose links begin with the origin that the caller used.
func (all *Agents) published(r *wire.Asked, make func(base string) any) *wire.Answer {
	if r.Verb != "GET" && r.Verb != "HEAD" {
		return refuse(statusNotAllowed, "GET, HEAD", "this is a document: get it by GET")
	}
	base, ok := origin(r.Base)
	if !ok {
		return refuse(statusBadRequest, "", "the Host header names no host")
	}
	answer := reply(statusOK, make(base))
	answer.Header = append(answer.Header, [2]string{"cache-control", "no-cache"}) // its links hang on the Host header
	return answer
}

// origin is a scheme and a host, and nothing else that a Host header could bring into a link.
func origin(base string) (string, bool) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.Trim(u.Host, hostBytes) != "" {
		return "", false
	}
	clean := url.URL{Scheme: u.Scheme, Host: u.Host}
	return clean.String(), clean.String() == base
}

// hostBytes are what the name or address of a host, and its port, are made of.
const hostBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]"

func refuse(status int, allow, message string) *wire.Answer {
	answer := reply(status, map[string]string{"error": message})
	if allow != "" {
		answer.Header = append(answer.Header, [2]string{"allow", allow})
	}
	return answer
}

func reply(status int, value any) *wire.Answer {
	return wire.JSON(status, encode(value))
}

// encode is JSON as it is meant: an answer of a skill goes through it unchanged but for blanks.
func encode(value any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
