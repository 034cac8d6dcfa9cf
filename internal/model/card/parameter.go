package card

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/source"
)

// ParameterKind is what a parameter stands for.
type ParameterKind uint8

// The kinds. Script is only what its tool runs: the name alone may mean a country's code.
const (
	Plain ParameterKind = iota
	TakesCommand
	TakesScript
	TakesQuery
	TakesPath
	TakesAddress
	TakesCallback
	TakesSecret
	TakesAmount
	TakesCurrency
	TakesRecipient
	TakesBody
	kinds
)

// Parameter is a property of an input schema.
type Parameter struct {
	Kind ParameterKind
	Node source.Node
	// Free says that it takes any text: no list of values and no pattern that leaves something out.
	Free bool
}

// parameter reads a property by its name and its type.
func parameter(n source.Node) Parameter {
	key := n.Key()
	var room [8]string
	words := AppendWords(room[:0], key)
	if len(words) == 0 {
		return Parameter{}
	}
	kind := kindOf(words, n)
	if kind == Plain {
		return Parameter{}
	}
	text, free := takes(n)
	if !text && kind != TakesAmount {
		return Parameter{}
	}
	return Parameter{Kind: kind, Node: n, Free: free}
}

// kindOf reads the name of a parameter: its last word says what it is, the one before of what kind.
func kindOf(words []string, n source.Node) ParameterKind {
	last, before := words[len(words)-1], ""
	if len(words) > 1 {
		before = words[len(words)-2]
	}
	switch last {
	case "command", "commands", "cmd", "cmds", "cmdline", "commandline", "shellcommand":
		return TakesCommand
	case "line", "string", "text":
		if before == "command" || before == "cmd" {
			return TakesCommand
		}
		if last == "text" && before == "" {
			return TakesBody
		}
	case "script", "scripts", "code", "snippet", "javascript", "python", "expression":
		switch {
		case last == "script" && (before == "shell" || before == "bash" || before == "powershell"):
			return TakesCommand
		case before == "" || before == "python" || before == "js" || before == "javascript" || before == "source" || before == "init":
			return TakesScript
		}
	case "sql":
		return TakesQuery
	case "query", "statement":
		if before == "sql" {
			return TakesQuery
		}
	case "path", "paths", "filepath", "filename", "file", "directory", "dir", "folder", "cwd":
		return TakesPath
	case "url", "urls", "uri", "uris", "link", "href", "webhookurl", "callbackurl", "endpoint":
		if before == "webhook" || before == "callback" || before == "postback" || strings.HasSuffix(last, "url") && last != "url" {
			return TakesCallback
		}
		if last == "endpoint" && before != "" && before != "api" { // of a database, of a cluster
			return Plain
		}
		return TakesAddress
	case "webhook", "callback":
		return TakesCallback
	case "amount":
		return TakesAmount
	case "currency":
		return TakesCurrency
	case "to", "recipient", "recipients", "receiver":
		return TakesRecipient
	case "body", "message", "content", "html", "subject":
		return TakesBody
	default:
		return secretKind(last, before, len(words), n)
	}
	return Plain
}

// bearing are the words before "key", "token" or "secret" that make it something to keep to oneself.
const bearing = " api access private secret auth bearer session refresh client oauth personal "

// secretKind knows the names of secrets. A token may count words, or lead to the next page: only a word before it, or what
// is said of it, makes it a secret.
func secretKind(last, before string, words int, n source.Node) ParameterKind {
	switch last {
	case "password", "passwd", "passphrase", "apikey", "credentials", "passcode":
		return TakesSecret
	case "secret":
		if words == 1 || strings.Contains(bearing, " "+before+" ") {
			return TakesSecret
		}
	case "key", "token":
		if before != "" && strings.Contains(bearing, " "+before+" ") {
			return TakesSecret
		}
		if last == "token" && words == 1 {
			said := strings.ToLower(n.Get("description").Text())
			for _, w := range []string{"api token", "access token", "auth", "bearer", "personal", "password", "credential", "secret", "login"} {
				if strings.Contains(said, w) {
					return TakesSecret
				}
			}
		}
	}
	return Plain
}

// takes says whether a property takes text, a list of texts included, and whether any.
func takes(n source.Node) (text, free bool) {
	if n.Kind() != source.Object {
		return n.Kind() == source.Bool, true // true is a schema that takes anything
	}
	parts := false
	for _, key := range [...]string{"anyOf", "oneOf", "allOf"} {
		for one := range n.Get(key).Children() {
			parts = true
			t, f := takes(one)
			text, free = text || t, free || t && f
		}
	}
	switch t := n.Get("type"); {
	case t.Kind() == source.String && t.Text() == "array":
		return takes(n.Get("items"))
	case t.Kind() == source.String:
		text = t.Text() == "string"
	case t.Kind() == source.Array:
		text = false
		for one := range t.Children() {
			text = text || one.Text() == "string" || one.Text() == "array"
		}
	case !parts:
		text = !n.Get("$ref").Valid()
	}
	bound := n.Get("enum").Valid() || n.Get("const").Valid() || !Permissive(n.Get("pattern"))
	return text, text && !bound && (free || !parts)
}

// Permissive says that a pattern, or none, takes nearly every text.
func Permissive(pattern source.Node) bool {
	if pattern.Kind() != source.String {
		return true
	}
	p := strings.Trim(pattern.Text(), "^$")
	p = strings.TrimPrefix(p, "(?s)")
	for strings.HasPrefix(p, "(") && strings.HasSuffix(p, ")") {
		p = strings.TrimPrefix(p[1:len(p)-1], "?:")
	}
	for _, tail := range []string{"*", "+", "*?", "+?"} {
		one, ok := strings.CutSuffix(p, tail)
		if !ok {
			continue
		}
		switch one {
		case ".", `[\s\S]`, `[\S\s]`, `[\w\W]`, `[\W\w]`, `[\d\D]`, `.|\n`, `(.|\n)`, `(?:.|\n)`, "[^]":
			return true
		}
		// [^\x00] leaves but one character out.
		if inside, ok := strings.CutPrefix(one, "[^"); ok && strings.HasSuffix(inside, "]") {
			inside = strings.TrimSuffix(inside, "]")
			return len(inside) > 0 && (len(inside) == 1 || inside[0] == '\\' && !strings.ContainsAny(inside[1:], `\-`) && inside[1] != 's' && inside[1] != 'w')
		}
	}
	return p == "" || p == "."
}
