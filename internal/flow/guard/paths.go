package guard

import (
	"fmt"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/model/project"
)

// whole is a folder of a policy as paths are compared with it: absolute, clean, with slashes. dir is the folder of the policy.
func whole(folder, dir, home string) (string, error) {
	place, rest, ok := project.Root(folder)
	if !ok {
		return "", fmt.Errorf("%q is no whole path", folder)
	}
	switch place {
	case "${" + project.ProjectPlace + "}":
		place = dir
	case "${" + project.HomePlace + "}":
		place = home
	}
	if place == "" {
		return "", fmt.Errorf("%q can not be told: there is no such folder on this machine", folder)
	}
	return path.Clean(slashes(place) + "/" + rest), nil
}

// slashes writes a path of either system in one way. The letter of a drive is a capital.
func slashes(p string) string {
	if drive(p) {
		p = strings.ToUpper(p[:1]) + strings.ReplaceAll(p[1:], `\`, "/")
	}
	return p
}

// drive says whether a path begins with the letter of a drive.
func drive(p string) bool { return len(p) > 1 && p[1] == ':' && p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z' }

// decodings is how often percent signs are read: who decodes twice has been seen, three times not.
const decodings = 4

// pathOutside says why a path does not lie within the folders, "" where it does, however it is read: as it stands, with its percent
// signs decoded, with the slashes of Windows. No file is looked at, so that a link within a folder is followed wherever it leads.
func pathOutside(v string, folders []string, places Places) string {
	const unclear = "can be read in more than one way"
	if len(v) > 5 && strings.EqualFold(v[:5], "file:") {
		v = strings.TrimPrefix(v[5:], "//")
		if len(v) >= 9 && strings.EqualFold(v[:9], "localhost") {
			v = v[9:]
		}
		if !strings.HasPrefix(v, "/") {
			return "names a file of another machine"
		}
		if i := strings.IndexAny(v, "?#"); i >= 0 {
			return unclear
		}
		if drive(v[1:]) { // file:///C:/
			v = v[1:]
		}
	}
	for range decodings {
		if why := lexical(v, folders, places); why != "" {
			return why
		}
		next, err := url.PathUnescape(v)
		if err != nil || next == v {
			if err != nil && strings.Contains(v, "%") && escaped(v) {
				return unclear
			}
			return ""
		}
		v = next
	}
	return unclear
}

// escaped says whether a text that does not decode as a whole holds an escape of a dot or a slash all the same.
func escaped(v string) bool {
	v = strings.ToLower(v)
	for _, e := range []string{"%2e", "%2f", "%5c", "%25", "%u"} {
		if strings.Contains(v, e) {
			return true
		}
	}
	return false
}

// lexical judges one reading of a path, with both kinds of slashes.
func lexical(v string, folders []string, places Places) string {
	switch {
	case v == "":
		return "is an empty path"
	case strings.TrimSpace(v) != v: // some servers cut blanks off
		return "begins or ends with a blank"
	case strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "holds control characters"
	case !utf8.ValidString(v): // long forms of a dot and a slash among it
		return "is no text in UTF-8"
	case strings.Contains(v, "://"):
		return "is an address and no path"
	case v[0] == '$' || variable(v):
		return "begins with a variable"
	case strings.HasPrefix(v, `\\`) || strings.HasPrefix(v, "//"):
		return "names a device or a share"
	case drive(v) && len(v) > 2 && v[2] != '\\' && v[2] != '/' || drive(v) && len(v) == 2:
		return "hangs on the folder of a drive"
	}
	full := v
	switch {
	case v == "~" || strings.HasPrefix(v, "~/") || strings.HasPrefix(v, `~\`):
		if places.Home == "" {
			return "begins with a home folder that is not known"
		}
		full = slashes(places.Home) + "/" + v[1:]
	case v[0] == '~':
		return "begins with another's home folder"
	case v[0] == '/' || drive(v):
		full = slashes(v)
	case v[0] == '\\':
		return "hangs on a drive"
	case places.Cwd == "":
		return "hangs on a folder that is not known"
	default:
		full = slashes(places.Cwd) + "/" + v
	}
	readings := []string{full}
	if strings.Contains(full, `\`) {
		readings = append(readings, strings.ReplaceAll(full, `\`, "/"))
	}
	for _, one := range readings {
		for part := range strings.SplitSeq(one, "/") {
			if odd(part) {
				return "holds a step that systems read in different ways"
			}
		}
		if !below(path.Clean(one), folders) {
			return "leads out of the folders that the policy allows"
		}
	}
	return ""
}

// variable says whether a path holds a variable of Windows: %NAME%.
func variable(v string) bool {
	i := strings.IndexByte(v, '%')
	if i < 0 {
		return false
	}
	name, _, ok := strings.Cut(v[i+1:], "%")
	return ok && name != "" && strings.Trim(strings.ToUpper(name), "ABCDEFGHIJKLMNOPQRSTUVWXYZ_()0123456789") == "" && !hex(name)
}

// hex says whether what follows a percent sign is an escape, and no name.
func hex(s string) bool {
	return len(s) >= 2 && strings.Trim(strings.ToLower(s[:2]), "0123456789abcdef") == ""
}

// odd says whether a step is one that Windows takes for "." or "..": blanks and dots at its end are cut there.
func odd(part string) bool {
	return part != "" && part != "." && part != ".." && strings.Trim(part, ". ") == ""
}

// below says whether a clean path is one of the folders or lies in one. Windows knows no case.
func below(p string, folders []string) bool {
	for _, f := range folders {
		if drive(f) && drive(p) {
			p, f = strings.ToLower(p), strings.ToLower(f)
		}
		if p == f || strings.HasPrefix(p, strings.TrimSuffix(f, "/")+"/") {
			return true
		}
	}
	return false
}
