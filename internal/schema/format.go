package schema

import (
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// format says whether a text has a format. known is false for a format that is not checked: an assertion nobody
// checks is an annotation.
func format(name, s string, lim limits.Set) (yes, known bool) {
	switch name {
	case "date-time":
		date, clock, ok := cutAt(s, 10)
		return ok && isDate(date) && (clock[0]|0x20) == 't' && isTime(clock[1:]), true
	case "date":
		return isDate(s), true
	case "time":
		return isTime(s), true
	case "duration":
		return isDuration(s), true
	case "email":
		return isEmail(s), true
	case "hostname":
		return isHostname(s), true
	case "ipv4":
		a, err := netip.ParseAddr(s)
		return err == nil && a.Is4(), true
	case "ipv6":
		a, err := netip.ParseAddr(s)
		return err == nil && a.Is6() && a.Zone() == "", true
	case "uri", "uri-reference":
		if !isURIText(s) {
			return false, true
		}
		u, err := url.Parse(s)
		return err == nil && (name == "uri-reference" || u.IsAbs()), true
	case "uuid":
		return isUUID(s), true
	case "json-pointer":
		return isPointer(s), true
	case "relative-json-pointer":
		rest := strings.TrimLeft(s, "0123456789")
		n := len(s) - len(rest)
		return n > 0 && (n == 1 || s[0] != '0') && (rest == "#" || isPointer(rest)), true
	case "regex":
		p := readPattern(s, lim.PatternDepth, noForm, nil)
		return p.bad == "" && p.loose == "", !p.deep
	}
	return false, false
}

// cutAt cuts a text in two, the second part not empty.
func cutAt(s string, n int) (before, after string, ok bool) {
	if len(s) <= n {
		return "", "", false
	}
	return s[:n], s[n:], true
}

// digitsAt says whether the text has the shape: a digit where the shape has a 0, else the same character.
func digitsAt(s, shape string) bool {
	if len(s) != len(shape) {
		return false
	}
	for i := range len(s) {
		if shape[i] == '0' && s[i]-'0' > 9 || shape[i] != '0' && s[i] != shape[i] {
			return false
		}
	}
	return true
}

func isDate(s string) bool {
	if !digitsAt(s, "0000-00-00") {
		return false
	}
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// isTime is a full-time of RFC 3339: a leap second only where it is 23:59 in UTC.
func isTime(s string) bool {
	clock, rest, ok := cutAt(s, len("00:00:00"))
	if !ok || !digitsAt(clock, "00:00:00") {
		return false
	}
	two := func(s string) int { return int(s[0]-'0')*10 + int(s[1]-'0') }
	hour, minute, second := two(clock), two(clock[3:]), two(clock[6:])
	if hour > 23 || minute > 59 || second > 60 {
		return false
	}
	if part, ok := strings.CutPrefix(rest, "."); ok {
		rest = strings.TrimLeft(part, "0123456789")
		if rest == part {
			return false
		}
	}
	offset := 0
	switch {
	case rest == "Z" || rest == "z":
	case len(rest) > 0 && (rest[0] == '+' || rest[0] == '-') && digitsAt(rest[1:], "00:00"):
		hours, minutes := two(rest[1:]), two(rest[4:])
		if hours > 23 || minutes > 59 {
			return false
		}
		if offset = hours*60 + minutes; rest[0] == '+' {
			offset = -offset
		}
	default:
		return false
	}
	const day = 24 * 60
	return second < 60 || (hour*60+minute+offset+2*day)%day == day-1
}

// isDuration is a duration of RFC 3339, appendix A.
func isDuration(s string) bool {
	s, ok := strings.CutPrefix(s, "P")
	if !ok || s == "" {
		return false
	}
	date, clock, timed := strings.Cut(s, "T")
	if timed && clock == "" {
		return false
	}
	if weeks, ok := strings.CutSuffix(date, "W"); ok {
		return !timed && weeks != "" && strings.Trim(weeks, "0123456789") == ""
	}
	return units(date, "YMD") && units(clock, "HMS")
}

// units says whether the text is numbers with these units after them, in order and none left out between two.
func units(s, all string) bool {
	last := -1
	for s != "" {
		rest := strings.TrimLeft(s, "0123456789")
		if rest == s || rest == "" {
			return false
		}
		at := strings.IndexByte(all, rest[0])
		if at < 0 || last >= 0 && at != last+1 {
			return false
		}
		last, s = at, rest[1:]
	}
	return true
}

func isHostname(s string) bool {
	const longest, longestLabel = 253, 63 // RFC 1123, section 2.1
	if s == "" || len(s) > longest {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > longestLabel || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if len(label) >= 4 && label[2:4] == "--" && !strings.EqualFold(label[:2], "xn") {
			return false // RFC 5891, section 4.2.3.1
		}
		for _, c := range []byte(label) {
			if c != '-' && !isAlnum(c) {
				return false
			}
		}
	}
	return true
}

func isAlnum(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }

// isEmail is a Mailbox of RFC 5321, section 4.1.2.
func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 {
		return false
	}
	local, domain := s[:at], s[at+1:]
	if quoted, ok := strings.CutPrefix(local, `"`); ok {
		inner, ok := strings.CutSuffix(quoted, `"`)
		if !ok {
			return false
		}
		for i := 0; i < len(inner); i++ {
			switch c := inner[i]; {
			case c == '\\':
				i++
				if i == len(inner) {
					return false
				}
			case c == '"', c < ' ', c >= utf8.RuneSelf:
				return false
			}
		}
	} else {
		for atom := range strings.SplitSeq(local, ".") {
			if atom == "" {
				return false
			}
			for _, c := range []byte(atom) {
				if !isAlnum(c) && strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) < 0 {
					return false
				}
			}
		}
	}
	if literal, ok := strings.CutPrefix(domain, "["); ok {
		address, ok := strings.CutSuffix(literal, "]")
		v6, is6 := strings.CutPrefix(address, "IPv6:")
		a, err := netip.ParseAddr(v6)
		return ok && err == nil && a.Is6() == is6 && a.Zone() == ""
	}
	return isHostname(domain)
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f') {
			return false
		}
	}
	return true
}

// isURIText says whether the text holds only what RFC 3986 lets stand in a URI, which url.Parse does not ask.
func isURIText(s string) bool {
	if before, rest, ok := strings.Cut(s, "//"); ok && (before == "" || strings.IndexByte(before, ':') == len(before)-1) {
		if end := strings.IndexAny(rest, "/?#"); end >= 0 {
			rest = rest[:end]
		}
		if strings.Count(rest, "@") > 1 {
			return false
		}
	}
	open := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '%':
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return false
			}
		case c == '[' || c == ']':
			open++
		case !isAlnum(c) && strings.IndexByte("-._~:/?#@!$&'()*+,;=", c) < 0:
			return false
		}
	}
	return open == 0 || open == 2 && strings.Contains(s, "//")
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

func isPointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if s[i] == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return false
		}
	}
	return true
}
