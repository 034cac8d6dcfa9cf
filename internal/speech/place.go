package speech

import (
	"strings"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/model/card"
)

// place judges what a string is where it stands: a pipe into a shell as a default, a sentence as a key, turns of a
// conversation in a description.
func (j *judge) place(s *scanned) {
	j.injected(s.text)
	if at := turns(s.text); at >= 0 && (j.card == nil || j.card.Kind != card.Prompt) && !j.about() {
		j.note(HiddenInstruction, Errors, at, at+1)
	}
	if j.said.Role != card.Keying {
		return
	}
	if lookalike(j.said.Text) {
		j.note(DeceptiveUnicode, Errors, -1, -1)
	}
	if s.words < sentenceWords {
		return
	}
	for i := range s.sentences {
		one := &s.sentences[i]
		if one.is&(obliging|trigger) == 0 || one.is&(addressee|person|toolNoun|overriding) == 0 {
			continue
		}
		for _, h := range s.hits[one.first:one.last] {
			if h.is&base != 0 && h.is&(acquiring|moving|embedding|running|overriding|wiping) != 0 {
				j.note(HiddenInstruction, Errors, -1, -1)
				j.note(MisplacedText, Errors, -1, -1)
				return
			}
		}
	}
}

// injected judges a text that a shell would run, and that is no prose. An example of a tool that runs commands may be one.
func (j *judge) injected(t string) {
	if len(t) > quotation {
		return
	}
	t = strings.TrimLeft(single(t), " ")
	if j.said.Role != card.Defaulting && !program(t) || !pipeline(t) {
		return
	}
	if j.said.Role == card.Exemplifying && j.card != nil && j.card.Kind == card.Tool && j.card.Does().Has(card.Runs) {
		return
	}
	j.note(CommandInjection, Errors, -1, -1)
	if !j.said.Role.Prose() {
		j.note(MisplacedText, Errors, -1, -1)
	}
}

// program says whether a text begins with the name of a program, or with a substitution: no prose does.
func program(t string) bool {
	if strings.HasPrefix(t, "$(") || strings.HasPrefix(t, "`$(") {
		return true
	}
	first, rest, _ := strings.Cut(t, " ")
	e := words().find(hash(first), first)
	return e != nil && e.is&command != 0 && rest != "" && !capital(rest[0])
}

// lookalike says whether a name has Greek letters among Latin ones: prose has words like that, names that code uses have not.
func lookalike(name string) bool {
	latin, greek := false, false
	for _, r := range name {
		switch {
		case r < utf8.RuneSelf:
			latin = latin || kinds[byte(r)] == kLetter && r != '_'
		case r >= 0x370 && r < 0x400:
			greek = true
		}
	}
	return latin && greek
}

// sentenceWords is from how many words on a key reads as a sentence.
const sentenceWords = 6

// pipeline says whether a text is a command line that hands what it loads to an interpreter, in whatever language its
// surroundings are.
func pipeline(t string) bool {
	if len(t) > quotation {
		return false
	}
	t = lower(t)
	load := false
	for _, w := range [...]string{"curl ", "wget ", "base64 ", "fetch ", "iwr ", "invoke-webrequest", "downloadstring", "/dev/tcp/", "nc -", "ncat ", "certutil", "bitsadmin"} {
		load = load || strings.Contains(t, w)
	}
	if !load {
		return strings.Contains(t, "rm -rf ") && strings.ContainsAny(t, "~/*") || strings.Contains(t, "powershell") && strings.Contains(t, " -e")
	}
	if strings.Contains(t, "/dev/tcp/") || strings.Contains(t, " -e /bin") {
		return true
	}
	for at := strings.IndexAny(t, "|;&"); at >= 0; {
		rest := strings.TrimLeft(t[at:], "|;& ")
		rest = strings.TrimPrefix(rest, "sudo ")
		for _, w := range [...]string{"sh", "bash", "zsh", "python", "python3", "perl", "node", "ruby", "iex", "powershell", "cmd", "source", "chmod", "./"} {
			if next, ok := strings.CutPrefix(rest, w); ok && (w == "./" || next == "" || kinds[next[0]] != kLetter && kinds[next[0]] != kDigit) {
				return true
			}
		}
		next := strings.IndexAny(rest, "|;&")
		if next < 0 {
			break
		}
		t, at = rest, next
	}
	return strings.Contains(t, "$(") && (strings.Contains(t, "bash") || strings.Contains(t, " -c") || strings.Contains(t, "eval"))
}

// turns finds a conversation that is made up: lines that begin with who speaks, a person's and a model's. -1: none.
func turns(t string) int {
	person, model, first := 0, 0, -1
	if strings.Count(t, ":") < 2 || strings.IndexByte(t, '\n') < 0 {
		return -1
	}
	from := 0
	for line := range strings.SplitSeq(t, "\n") {
		who, said, ok := strings.Cut(line, ":")
		if ok && len(who) < 16 && len(strings.TrimSpace(said)) > 3 {
			switch lower(strings.Trim(who, " *#-<>[]")) {
			case "human", "user", "h", "operator", "customer":
				person++
				if first < 0 {
					first = from
				}
			case "assistant", "ai", "model", "claude", "gpt", "chatgpt", "agent", "bot", "system", "a":
				model++
			}
		}
		from += len(line) + 1
	}
	if person == 0 || model == 0 {
		return -1
	}
	for _, w := range [...]string{"example", "e.g", "sample", "dialog", "scenario", "format", "transcript", "usage"} {
		if strings.Contains(lower(t[:first]), w) {
			return -1
		}
	}
	return first
}
