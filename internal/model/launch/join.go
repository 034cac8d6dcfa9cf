package launch

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Join writes argv as one line to paste into a shell, whatever stands in it: one line, no character that
// drives a terminal, and no argument that a shell reads as anything but one argument. argv[0] is to be a
// program of ours: a shell's built-in of that name would run in its place, and on Windows the arguments
// of a batch file are read a second time by cmd.exe.
//
// goos "windows" gives what PowerShell reads back exactly. cmd.exe reads back the same for arguments of
// plain characters, spaces and operators; for others ("%", quotes, "$", control characters) it gets
// another text, but never a second command. Any other goos gives what POSIX shells and fish read back;
// control and invisible characters are written as $'…' (bash, zsh, ksh, POSIX 2024).
//
// No two "#" stand together, since build systems take "##vso[…]" and "##[…]" for commands of theirs anywhere in a line.
func Join(argv []string, goos string) string {
	var b strings.Builder
	for i, a := range argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case goos == "windows":
			joinWindows(&b, a, i == 0)
		default:
			joinPOSIX(&b, a, i == 0)
		}
	}
	return b.String()
}

func joinPOSIX(b *strings.Builder, a string, first bool) {
	switch {
	case barePOSIX(a, first):
		b.WriteString(a)
	case !shown(a):
		b.WriteString("$'")
		for i := 0; i < len(a); {
			r, n := utf8.DecodeRuneInString(a[i:])
			if plain(r, n) && r != '\'' && r != '\\' && r != '!' && !second(a, i) {
				b.WriteString(a[i : i+n])
			} else {
				for _, c := range []byte(a[i : i+n]) {
					b.WriteString(`\` + string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7}))
				}
			}
			i += n
		}
		b.WriteByte('\'')
	case a == "":
		b.WriteString("''")
	default:
		// Outside the quotes, quote and backslash mean the same to POSIX shells and to fish.
		open := false
		for i := 0; i < len(a); i++ {
			quote := a[i] != '\'' && a[i] != '\\'
			if quote != open {
				b.WriteByte('\'')
				open = quote
			}
			if !quote {
				b.WriteByte('\\')
			}
			if second(a, i) {
				b.WriteString("''")
			}
			b.WriteByte(a[i])
		}
		if open {
			b.WriteByte('\'')
		}
	}
}

// second says whether the byte at i is a "#" after another.
func second(a string, i int) bool { return i > 0 && a[i] == '#' && a[i-1] == '#' }

// barePOSIX says whether a needs no quotes in any shell. "=" is an assignment in the first word, and at
// the start of one a path search in zsh.
func barePOSIX(a string, first bool) bool {
	return a != "" && plainName(a, "_@+:,./=-") && a[0] != '=' && !(first && (strings.IndexByte(a, '=') >= 0 || isReserved(a)))
}

// joinWindows writes "…" with everything that PowerShell or cmd.exe reads inside quotes as $([char]N):
// PowerShell puts the character back, and cmd.exe sees neither a quote nor a percent sign.
func joinWindows(b *strings.Builder, a string, first bool) {
	if bareWindows(a) {
		b.WriteString(a)
		return
	}
	if first {
		b.WriteString("& ") // PowerShell's call operator; an error, not a command, for cmd.exe
	}
	b.WriteByte('"')
	tail := len(strings.TrimRight(a, `\`)) // a backslash before the closing quote hides it from the program
	for i := 0; i < len(a); {
		r, n := utf8.DecodeRuneInString(a[i:])
		switch {
		case strings.ContainsRune("\"%$`!“”„", r) || i >= tail || second(a, i) || !plain(r, n):
			if r > 0xFFFF {
				b.WriteString("$([char]::ConvertFromUtf32(" + strconv.Itoa(int(r)) + "))")
			} else {
				b.WriteString("$([char]" + strconv.Itoa(int(r)) + ")")
			}
		default:
			b.WriteString(a[i : i+n])
		}
		i += n
	}
	b.WriteByte('"')
}

// bareWindows says whether both shells of Windows pass a on as it is.
func bareWindows(a string) bool {
	name := strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-")
	if name != a { // PowerShell splits -a.b and -a:b
		return plainName(name, "-_") && letter(name[0])
	}
	return plainName(a, `_./\:-`) && (letter(a[0]) || a[0] == '/' || a[0] == '.' || a[0] == '\\')
}

// shown says whether every character of s can be shown as it is.
func shown(s string) bool {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !plain(r, n) {
			return false
		}
		i += n
	}
	return true
}

// plain says whether a character of n bytes is visible, or the space.
func plain(r rune, n int) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r < 0x7F
	}
	return (r != utf8.RuneError || n > 1) && unicode.IsPrint(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
