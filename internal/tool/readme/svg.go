package readme

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/text"
)

// The picture's measures, in SVG user units. The advance is that of the common monospaced fonts at 13px; every
// run of text has its own x, so that columns stay in line where a font differs a little.
const (
	advance   = 7.83
	lineSpace = 19.0
	margin    = 20.0
	bar       = 34.0 // the window's title bar
)

// The colours of the program (internal/report) are classes: each has a tone for a light and one for a dark page, with
// a contrast of 4.5:1 and more. The picture has a background of its own, so that either is readable on any page.
const style = `<style>
.bg{fill:#ffffff;stroke:#d0d7de}.bar{fill:#f6f8fa}.dot{fill:#d0d7de}
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328;white-space:pre}
.c1{font-weight:700}.c2{fill:#59636e}.c31{fill:#c4122f}.c32{fill:#11722f}.c33{fill:#8a5a00}.c36{fill:#0b6a80}
@media (prefers-color-scheme:dark){
.bg{fill:#0d1117;stroke:#3d444d}.bar{fill:#161b22}.dot{fill:#3d444d}
text{fill:#e6edf3}.c2{fill:#9198a1}.c31{fill:#ff7b72}.c32{fill:#56d364}.c33{fill:#e3b341}.c36{fill:#56c8d8}
}
</style>`

// SVG draws what a terminal of that many columns shows for the output, with the colours that this program uses.
func SVG(output string, columns int) string {
	lines := strings.Split(strings.TrimRight(output, "\n"), "\n")
	width := 2*margin + advance*float64(columns)
	height := bar + lineSpace*float64(len(lines)) + 1.5*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" role="img" aria-labelledby="t">`+"\n",
		num(width), num(height), num(width), num(height))
	fmt.Fprintf(&b, "<title id=\"t\">Output of mcpassay demo on a terminal</title>\n%s\n", style)
	fmt.Fprintf(&b, `<rect class="bg" x=".5" y=".5" width="%s" height="%s" rx="8"/>`+"\n", num(width-1), num(height-1))
	fmt.Fprintf(&b, `<path class="bar" d="M1 %s V9 a8 8 0 0 1 8-8 H%s a8 8 0 0 1 8 8 V%s z"/>`+"\n", num(bar), num(width-9), num(bar))
	for i := range 3 {
		fmt.Fprintf(&b, `<circle class="dot" cx="%s" cy="%s" r="5.5"/>`+"\n", num(margin+18*float64(i)), num(bar/2))
	}
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		fmt.Fprintf(&b, `<text y="%s">`, num(bar+margin+lineSpace*float64(i)))
		for _, r := range runs(line) {
			fmt.Fprintf(&b, `<tspan x="%s"`, num(margin+advance*float64(r.column)))
			if r.code != "" {
				fmt.Fprintf(&b, ` class="c%s"`, r.code)
			}
			fmt.Fprintf(&b, ">%s</tspan>", escape.Replace(r.text))
		}
		b.WriteString("</text>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func num(f float64) string { return strconv.FormatFloat(f, 'f', -1, 32) }

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// part is a piece of a line in one colour.
type part struct {
	column     int
	code, text string
}

// runs splits a line at its colour codes and at wide gaps. Spaces at either end of a run are not drawn: renderers differ
// about them.
func runs(line string) []part {
	var all []part
	column, code := 0, ""
	for line != "" {
		if rest, ok := strings.CutPrefix(line, "\x1b["); ok {
			code, line, _ = strings.Cut(rest, "m")
			if code == "0" {
				code = ""
			}
			continue
		}
		piece := line
		if i := strings.Index(line, "\x1b["); i >= 0 {
			piece = line[:i]
		}
		line = line[len(piece):]
		for piece != "" {
			if spaces := len(piece) - len(strings.TrimLeft(piece, " ")); spaces > 0 {
				column, piece = column+spaces, piece[spaces:]
				continue
			}
			words, _, _ := strings.Cut(piece, "  ")
			all = append(all, part{column, code, words})
			column, piece = column+text.Width(words), piece[len(words):]
		}
	}
	return all
}
