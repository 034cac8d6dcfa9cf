package poison

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/card"
)

// parameters judges what a tool asks for: who calls it, and what was said before.
func (j *judge) parameters() {
	if j.card == nil {
		return
	}
	for p := range j.card.Parameters() {
		if j.caller(p.Key()) && !j.about(p.Key()) {
			j.said = said{Node: p, Role: card.Keying, Text: p.Key()}
			j.layer = true
			j.note(callerParameter, warns, -1, -1)
			j.layer = false
		}
	}
	j.open()
}

// caller says whether a parameter's name asks about the caller.
func (j *judge) caller(name string) bool {
	n := strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(lower(name))
	switch n {
	case "llmname", "llmmodelname", "llmmodel", "callingmodel", "callermodel", "modelidentity", "assistantmodel", "assistantname", "yourmodel", "agentmodel", "agentmodelname",
		"chathistory", "conversationhistory", "fullconversation", "entireconversation", "messagehistory", "chattranscript", "conversationtranscript", "systemprompt",
		"chainofthought", "thoughtprocess", "previousmessages", "priormessages", "allmessages", "usermessages", "fullcontext", "contextwindow", "systeminstructions", "hiddeninstructions",
		"originalprompt", "userprompthistory", "fullprompt", "toollist", "availabletools", "toolcallhistory", "conversationlog", "llmidentity", "modelcalling", "callingllm", "clientmodel", "llmversion":
		return true
	}
	return false
}

// about says whether the tool's own work is with models or conversations.
func (j *judge) about(param string) bool {
	about := j.purpose & (conversation | modelNoun | role)
	for part := range parts(j.name) {
		switch lower(part) {
		case "chat", "prompt", "prompts", "conversation", "assistant", "agent", "agents", "llm", "model", "models", "completion", "ask", "generate", "reason", "think", "session", "message", "messages", "transcript", "summarize", "eval", "memory":
			return true
		}
	}
	_ = param
	return about != 0
}

// open judges a tool that says what it does, and does what attacks do. Points: a name or a phrase of an attack two, each
// shared word one, of which at most two count.
func (j *judge) open() {
	if j.card == nil {
		return
	}
	strongName, strong, weak := 0, 0, 0
	v := words()
	for part := range parts(j.name) {
		if e := v.find(hash(lower(part)), part); e != nil {
			if e.is&attack != 0 {
				strongName++
			} else if e.is&weakAttack != 0 {
				weak++
			}
		}
	}
	d := j.card.Description.Text()
	first := d
	const looked = 400
	if len(first) > looked {
		first = first[:looked]
	}
	for part := range parts(first) {
		if e := v.find(hash(lower(part)), part); e != nil {
			if e.is&attack != 0 {
				strong++
			} else if e.is&weakAttack != 0 {
				weak++
			}
		}
	}
	if j.defends || strongName+strong == 0 {
		return
	}
	points := 2*strongName + 2*min(strong, 2) + min(weak, 2)
	if points < 4 {
		return
	}
	j.said = said{Node: j.card.NameNode, Role: card.Naming, Text: j.name}
	if !j.card.NameNode.Valid() {
		return
	}
	j.layer = true
	j.note(offensiveTool, warns, -1, -1)
	j.layer = false
}
