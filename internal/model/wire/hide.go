package wire

import (
	"bytes"
	"encoding/json"
	"strings"
)

// shortest is the length from which on a secret is looked for in answers: a shorter one stands in too much by chance.
const shortest = 8

// hidden is what stands where a secret stood, byte for byte.
const hidden = '*'

// Spellings are the ways in which secrets are looked for: as they are, and as a JSON string holds them. What looks like a
// secret that was hidden is none, and hiding it would never end.
func Spellings(secrets ...string) (all [][]byte) {
	for _, s := range secrets {
		if len(s) < shortest || strings.Trim(s, string(hidden)) == "" {
			continue
		}
		all = append(all, []byte(s))
		if inJSON, err := json.Marshal(s); err == nil && len(inJSON) != len(s)+len(`""`) {
			all = append(all, inJSON[1:len(inJSON)-1])
		}
	}
	return all
}

// Hide overwrites secrets, as Spellings gives them, in text. It works in place, and the length stays.
func Hide(text []byte, secrets [][]byte) (found bool) {
	for _, secret := range secrets {
		for i := bytes.Index(text, secret); i >= 0; i = bytes.Index(text, secret) {
			found = true
			overwrite(text[i : i+len(secret)])
		}
	}
	return found
}

func overwrite(text []byte) {
	for i := range text {
		text[i] = hidden
	}
}

// Hide overwrites secrets in the words of the surface's faults and gaps: an error of ours may name what it was about, and
// a server may say what it was given. The answers themselves are the server's.
func (s *Surface) Hide(secrets [][]byte) {
	if len(secrets) == 0 {
		return
	}
	for i := range s.Faults {
		hideIn(&s.Faults[i].Detail, secrets)
		hideIn(&s.Faults[i].Target, secrets)
	}
	for i := range s.Gaps {
		hideIn(&s.Gaps[i].Detail, secrets)
	}
}

// hideIn hides also the start of a secret whose end an excerpt has cut off.
func hideIn(words *string, secrets [][]byte) {
	text := []byte(*words)
	Hide(text, secrets)
	if whole, cut := bytes.CutSuffix(text, []byte(ellipsis)); cut {
		for _, secret := range secrets {
			for n := min(len(secret)-1, len(whole)); n > 0; n-- {
				if bytes.HasSuffix(whole, secret[:n]) {
					overwrite(whole[len(whole)-n:])
					break
				}
			}
		}
	}
	*words = string(text)
}
