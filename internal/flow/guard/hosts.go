package guard

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/project"
)

// hostOutside says why a text is no URL of one of the hosts, "" where it is one. It takes URLs that every reader reads alike and no
// other: readers differ about backslashes, blanks, user names and escapes in the part that names the host.
func hostOutside(v string, hosts []string) string {
	const other = "is no plain URL with a host"
	scheme, rest, ok := strings.Cut(v, "://")
	switch strings.ToLower(scheme) {
	case "http", "https", "ws", "wss":
	default:
		return other
	}
	if !ok || strings.ContainsAny(v, "\\") || strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return other
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	host, port, ok := authority(rest)
	if !ok {
		return other
	}
	for _, h := range hosts {
		name, want, ok := authority(h)
		if ok && (want == "" || want == port) && project.Glob(name, host) {
			return ""
		}
	}
	return "names a host that the policy does not allow"
}

// authority parts a host from its port. A name is in small letters and has no dot at its end.
func authority(s string) (host, port string, ok bool) {
	s = strings.ToLower(s)
	if inner, v6 := strings.CutPrefix(s, "["); v6 {
		host, port, ok = strings.Cut(inner, "]")
		if !ok || host == "" || strings.Trim(host, "0123456789abcdef:.") != "" || port != "" && port[0] != ':' {
			return "", "", false
		}
		host, port = "["+host+"]", strings.TrimPrefix(port, ":")
	} else {
		host, port, _ = strings.Cut(s, ":")
		host = strings.TrimSuffix(host, ".")
	}
	if host == "" || host[0] != '[' && strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-_*") != "" || strings.Trim(port, "0123456789") != "" {
		return "", "", false
	}
	return host, port, true
}
