package speech

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/text"
)

// signs judges what is not seen.
func (j *judge) signs() {
	g := &j.folded.Signs
	raw := func(i Idea, level int, k text.Sign) {
		e := j.whole(i, level)
		e.Start, e.End = g.First[k], g.First[k]+1
		j.add(e)
	}
	switch {
	case g.Count[text.TagBlock] > 0:
		raw(HiddenUnicode, Blocks, text.TagBlock)
	case g.Count[text.Selectors] > 0:
		raw(HiddenUnicode, Blocks, text.Selectors)
	case g.Count[text.ZeroWidth] > 0:
		level := Errors
		if n := g.Count[text.ZeroWidth]; n == 1 && edge(j.said.Text, g.First[text.ZeroWidth]) {
			level = Warns // left over from a copy
		} else if n >= 8 {
			level = Blocks
		}
		raw(HiddenUnicode, level, text.ZeroWidth)
	}
	if g.Count[text.BidiOverride] > 0 {
		raw(DeceptiveUnicode, Blocks, text.BidiOverride)
	} else if g.Count[text.BidiMark] > 0 {
		raw(DeceptiveUnicode, Errors, text.BidiMark)
	}
	if n := g.Count[text.MixedScript]; n > 0 {
		level := Errors
		if n > 1 {
			level = Blocks
		}
		raw(DeceptiveUnicode, level, text.MixedScript)
	}
	if g.Count[text.Escape] > 0 {
		raw(EscapeSequence, Errors, text.Escape)
	}
	if g.Count[text.Padding] > 0 {
		raw(HiddenUnicode, Errors, text.Padding)
	}
}

// edge says whether the character at i stands beside a blank or an end.
func edge(s string, i int) bool {
	rest := strings.TrimLeft(s[i:], "\u200b\ufeff\u00ad\u2060\u200d\u200c")
	return i == 0 || kinds[s[i-1]] == kBlank || kinds[s[i-1]] == kLine || rest == "" || kinds[rest[0]] == kBlank || kinds[rest[0]] == kLine
}
