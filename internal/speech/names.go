package speech

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/source"
)

// parameters judges what a tool asks for: who calls it, and what was said before.
func (j *judge) parameters() {
	if j.card == nil {
		return
	}
	for p := range j.card.Parameters() {
		if (j.caller(p.Key()) || asksCaller(p.Get("description").Text())) && !j.about() && !j.disclosed(p) {
			j.said = said{Node: p, Role: card.Keying, Text: p.Key()}
			j.layer = true
			j.note(CallerParameter, Warns, -1, -1)
			j.layer = false
		}
	}
	j.open()
}

// disclosed says whether a parameter is optional and says what it is for: that is asked, and not taken.
func (j *judge) disclosed(p source.Node) bool {
	const explained = 60
	if len(p.Get("description").Text()) < explained {
		return false
	}
	if j.required == nil {
		j.required = map[string]bool{}
		for r := range j.card.Input.Get("required").Children() {
			j.required[r.Text()] = true
		}
	}
	return !j.required[p.Key()]
}

// asksCaller says whether a parameter's description asks which model it is that calls.
func asksCaller(d string) bool {
	const short = 160
	if len(d) > short || !strings.Contains(d, "odel") && !strings.Contains(d, "LLM") && !strings.Contains(d, "ssistant") && !strings.Contains(d, "gent") {
		return false
	}
	d = lower(d)
	for _, w := range [...]string{"makes this call", "making this call", "calling this tool", "calls this tool", "making the call", "makes the call", "that is calling", "which is calling", "that calls this", "invoking this tool", "invokes this tool", "you are running on", "that you are", "you run on", "powering this conversation", "of the calling model", "of the calling llm", "of the calling assistant", "using this tool"} {
		if strings.Contains(d, w) && (strings.Contains(d, "name") || strings.Contains(d, "version") || strings.Contains(d, "which") || strings.Contains(d, "identi")) {
			return true
		}
	}
	return false
}

// caller says whether a parameter's name asks about the caller.
func (j *judge) caller(name string) bool {
	var buf [32]byte
	n := 0
	for i := range len(name) {
		if kinds[name[i]] == kLetter && name[i] != '_' {
			if n == len(buf) {
				return false
			}
			buf[n] = small(name[i])
			n++
		}
	}
	switch string(buf[:n]) {
	case "llmname", "llmmodelname", "llmmodel", "callingmodel", "callermodel", "modelidentity", "assistantmodel", "assistantname", "yourmodel", "agentmodel", "agentmodelname",
		"chathistory", "conversationhistory", "fullconversation", "entireconversation", "messagehistory", "chattranscript", "conversationtranscript", "systemprompt",
		"chainofthought", "thoughtprocess", "previousmessages", "priormessages", "allmessages", "usermessages", "fullcontext", "contextwindow", "systeminstructions", "hiddeninstructions",
		"originalprompt", "userprompthistory", "fullprompt", "toollist", "availabletools", "toolcallhistory", "conversationlog", "llmidentity", "modelcalling", "callingllm", "clientmodel", "llmversion":
		return true
	}
	return false
}

// about says whether the tool's own work is with models or conversations.
func (j *judge) about() bool {
	about := j.purpose & (conversation | modelNoun | role)
	for part := range parts(j.name) {
		switch lower(part) {
		case "chat", "prompt", "prompts", "conversation", "assistant", "agent", "agents", "llm", "model", "models", "completion", "ask", "generate", "reason", "think", "session", "message", "messages", "transcript", "summarize", "eval", "memory":
			return true
		}
	}
	return about != 0
}

// defensive says whether a name begins with a verb of those who look at attacks and make none.
func defensive(name string) bool {
	for part := range parts(name) {
		switch lower(part) {
		case "get", "list", "check", "detect", "scan", "audit", "analyze", "analyse", "find", "search", "lookup", "validate", "verify", "report", "explain", "describe", "read", "query", "browser", "docs":
			return true
		}
		return false
	}
	return false
}

// looksBack says whether a name ends with what is only known about something.
func looksBack(name string) bool {
	last := ""
	for part := range parts(name) {
		if last == "" && (lower(part) == "train" || lower(part) == "teach" || lower(part) == "explain") {
			return true
		}
		last = part
	}
	switch lower(last) {
	case "training", "info", "check", "lookup", "report", "reports", "awareness", "filter", "guard", "alerts", "stats", "list", "database", "feed", "intel", "quiz", "hash", "family", "catalog", "wiki", "news":
		return true
	}
	return false
}

// loot says whether a text speaks of getting at what others have locked away.
func loot(s string) bool {
	verb, noun := false, false
	for part := range parts(s) {
		switch lower(part) {
		case "extract", "extracts", "decrypt", "decrypts", "dump", "dumps", "capture", "captures", "harvest", "harvests", "grab", "grabs", "steal", "steals", "crack", "cracks", "hook", "intercept", "intercepts":
			verb = true
		case "passwords", "password", "credentials", "credential", "cookies", "hashes", "keystrokes", "keychain":
			noun = noun || verb
		}
	}
	return noun
}

// technique says whether a part of a name is a word that only those use who attack.
func technique(part string) bool {
	return strings.Contains(" exfil exfiltrate exfiltration exfiltrator privesc cmdi keylogger keylog rootkit bootkit backdoor malware ransomware infostealer stealer timestomp dcsync kerberoast bruteforce hijack hijacker phish phishing recon botnet mimikatz cryptominer ", " "+part+" ")
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
		if e := v.known(part); e != nil {
			if technique(lower(part)) {
				strongName += 2
			} else if e.is&attack != 0 {
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
		if e := v.known(part); e != nil && e.is&(attack|weakAttack) != 0 {
			if len(part) > 4 && strings.Contains(lower(j.name), lower(part[:4])) && j.purpose&stealing == 0 {
				continue // the name again
			}
			if e.is&attack != 0 {
				strong++
			} else if e.is&weakAttack != 0 {
				weak++
			}
		}
	}
	for p := range j.card.Parameters() {
		for part := range parts(p.Key()) {
			if len(part) < len("hook") {
				continue
			}
			switch lower(part) {
			case "malicious", "technique", "victim", "exploit", "bypass", "shellcode", "backdoor", "exfil", "evasion":
				strong++
			case "payload", "target", "stealth", "persistence", "hook", "obfuscate":
				weak++
			}
		}
	}
	if weak+strong > 0 && (loot(j.name) || loot(first)) {
		strong++
	}
	if j.defends || strongName+strong == 0 || defensive(j.name) && strongName < 2 {
		return
	}
	if looksBack(j.name) && narrates(first) {
		return
	}
	points := 2*strongName + 2*min(strong, 2) + min(weak, 2)
	if j.purpose&stealing != 0 {
		points += 2
	}
	if points < 4 {
		return
	}
	j.said = said{Node: j.card.NameNode, Role: card.Naming, Text: j.name}
	if !j.card.NameNode.Valid() {
		return
	}
	j.layer = true
	j.note(OffensiveTool, Warns, -1, -1)
	j.layer = false
}
