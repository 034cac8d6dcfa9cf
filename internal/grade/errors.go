package grade

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/mcpassay/mcpassay/internal/model/score"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// The verdicts of rows.
const (
	ok      = "ok"
	partial = "partial"
	wrong   = "wrong"
	html    = "html"
	silent  = "silent"
	died    = "died"
	served  = "served"
	missing = "missing"
	gated   = "gated"
	soft404 = "soft-404"
	invalid = "invalid"
	skipped = "skipped"
)

// mistake is one of the five things that every client sends by accident one day.
type mistake struct {
	trial    wire.Trial
	expected string
	codes    []int
	// right is what a client sees of the right answer, fix how to give it.
	right, fix string
	// lines says that on stdio silence is nearly as good: the specification names no answer to a line that is no message.
	lines bool
}

var mistakes = []mistake{
	{wire.UnknownMethod, "error -32601", []int{wire.CodeMethodNotFound}, "a client learns that the method does not exist, and does without",
		"answer error -32601 (from 2026-07-28 on with HTTP 404)", false},
	{wire.UnknownTool, "error -32602 or -32601, or a result with isError", []int{codeParams, wire.CodeMethodNotFound}, "the model learns that there is no such tool",
		"answer error -32602, or a result with isError", false},
	{wire.CallWithoutName, "error -32602", []int{codeParams}, "a client learns that its parameters are wrong", "answer error -32602", false},
	{wire.NotJSONBody, "error -32700 with id null", []int{codeParse}, "a client learns that its message was damaged", "answer error -32700 with id null", true},
	{wire.NoJSONRPC, "error -32600", []int{codeRequest}, "a client learns that its message is no request", "answer error -32600", true},
}

// The codes of JSON-RPC 2.0, section 5.1, and HeaderMismatch of 2026-07-28.
const (
	codeParse   = -32700
	codeRequest = -32600
	codeParams  = -32602
	codeHeader  = -32020
)

// What an answer is worth, of five points.
const (
	full      = 5
	quiet     = 4 // no word to a line that is no message, and alive
	otherCode = 3
	plainText = 1
	nothing   = 0
)

func (l *lane) errors() score.Section {
	var rows []score.Row
	for _, m := range mistakes {
		rows = append(rows, l.mistake(m))
	}
	if !l.began() {
		return score.Section{Max: maxErrors, Applies: true, Rows: rows}
	}
	return section(maxErrors, rows)
}

func (l *lane) mistake(m mistake) score.Row {
	t := l.one(m.trial)
	if m.trial == wire.UnknownMethod && l.modern && !l.stdio {
		m.expected = "HTTP 404, " + m.expected
	}
	r := row(string(m.trial), m.expected, t)
	if t == nil || unchecked(t) {
		return r
	}
	r.Max = full
	give := func(points float64, verdict, effect string) score.Row {
		r.Points = points
		if points == full {
			return say(r, verdict, effect, "")
		}
		return say(r, verdict, effect, m.fix)
	}
	code, isError := t.Code()
	codes := m.codes
	if l.modern && m.trial == wire.CallWithoutName { // the header Mcp-Name is missing too
		codes = append(slices.Clip(codes), codeHeader)
	}
	if m.trial == wire.CallWithoutName && !l.offersTools() {
		codes = append(slices.Clip(codes), wire.CodeMethodNotFound)
	}
	failedCall, _ := result(t).Get("isError").Bool()
	switch {
	case t.Cause == wire.CauseEnded:
		return give(nothing, died, "the server ends: every client of it loses its session")
	case t.Status >= 500 && !t.Page():
		return give(nothing, wrong, "a client reports a server that is down (HTTP "+strconv.Itoa(t.Status)+"), and tries again")
	case isError && slices.Contains(codes, code) && m.trial == wire.UnknownMethod && l.modern && !l.stdio && t.Status != 404:
		return give(otherCode, partial, "a client behind a proxy takes HTTP "+strconv.Itoa(t.Status)+" for a success")
	case isError && slices.Contains(codes, code):
		return give(full, ok, m.right)
	case isError:
		return give(otherCode, partial, "a client reports another cause: error "+strconv.Itoa(code))
	case t.Answered() && m.trial == wire.UnknownTool && failedCall:
		return give(full, ok, m.right)
	case t.Answered():
		return give(nothing, wrong, "it is carried out as if nothing were wrong")
	case t.Page():
		return give(nothing, html, "a client shows a web page, or fails on its first character (HTTP "+strconv.Itoa(t.Status)+")")
	case t.Status >= 400:
		return give(plainText, partial, "a client has HTTP "+strconv.Itoa(t.Status)+" to go by, and no error of JSON-RPC")
	case l.stdio && m.lines && t.Cause == "":
		return give(quiet, silent, "no word, and the server lives on: a client waits for its answer in vain")
	case t.Status >= 300:
		return give(nothing, wrong, "it leads elsewhere (HTTP "+strconv.Itoa(t.Status)+"), where no client follows with a message")
	}
	return give(nothing, silent, "no answer: a client waits until it gives up")
}

// offersTools says that the server has tools, by its own word or by its list.
func (l *lane) offersTools() bool {
	return l.Capabilities.Get(wire.Tools.Capability()).Kind() == source.Object || l.Node.Get(wire.Tools.String()).Len() > 0
}

// compact is a value without the white space between its parts.
func compact(n source.Node) []byte {
	var b bytes.Buffer
	if json.Compact(&b, n.Raw()) != nil {
		return n.Raw()
	}
	return b.Bytes()
}
