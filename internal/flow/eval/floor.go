package eval

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/source"
)

// floor are ten substrings that anybody would look for first. What they find for nothing is the least that rules must
// beat.
func floor() []string {
	return []string{"ignore previous", "ignore all", "<important>", "do not tell", "don't tell", "do not mention", "without telling",
		"system prompt", "id_rsa", "~/.ssh"}
}

// onFloor says whether a string or a name in the value holds one of the ten.
func onFloor(n source.Node) bool {
	if plain(n.Text()) {
		return true
	}
	for member := range n.Children() {
		if member.IsMember() && plain(member.Key()) || onFloor(member) {
			return true
		}
	}
	return false
}

func plain(s string) bool {
	s = strings.ToLower(s)
	for _, sub := range floor() {
		if strings.Contains(s, sub) {
			return true
		}
	}
	return false
}
