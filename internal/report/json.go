package report

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/text"
)

// encode gives v as compact JSON that is safe to look at: names and paths keep their value, but every
// character that could drive a terminal is \u-escaped, and so is the second # of "##", with which build
// systems start a command anywhere in a line (Azure Pipelines ##vso[…], GitHub ##[…]).
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return escapeUnsafe(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// escapeUnsafe works on compact JSON, where such characters stand in strings only.
func escapeUnsafe(doc []byte) []byte {
	var out []byte
	kept := 0
	for i := 0; i < len(doc); {
		if c := doc[i]; c >= ' ' && c < 0x7F && c != '#' { // nearly all of it
			i++
			continue
		}
		r, n := rune(doc[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(doc[i:])
		}
		if (text.Unsafe(r) && r != text.Replacement) || (r == '#' && i > 0 && doc[i-1] == '#') {
			out = append(out, doc[kept:i]...)
			out = appendEscape(out, r)
			kept = i + n
		}
		i += n
	}
	if out == nil {
		return doc
	}
	return append(out, doc[kept:]...)
}

func appendEscape(b []byte, r rune) []byte {
	const lowest = 0x10000 // the first character that JSON writes as a surrogate pair
	if r >= lowest {
		b = appendEscape(b, 0xD800+(r-lowest)>>10)
		r = 0xDC00 + (r-lowest)&0x3FF
	}
	b = append(b, `\u`...)
	h := strconv.FormatInt(int64(r), 16)
	for range 4 - len(h) {
		b = append(b, '0')
	}
	return append(b, h...)
}

// writeJSON writes the document with one line for each field and for each element of an array: as small as
// compact JSON, and still something to read, grep and diff.
func writeJSON(w io.Writer, rep *Report) error {
	return WriteValue(w, rep)
}

// WriteValue writes a document of another verb's own as writeJSON writes a report.
func WriteValue(w io.Writer, v any) error {
	doc, err := encode(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(breakLines(doc), '\n'))
	return err
}

// breakLines puts a line break at the commas of the outer object and of the arrays right under it.
func breakLines(doc []byte) []byte {
	out := make([]byte, 0, len(doc)+len(doc)/8) // and room for the line breaks
	depth, inArray := 0, false
	for i := 0; i < len(doc); i++ {
		c := doc[i]
		outer := depth == 1 || depth == 2 && inArray
		switch {
		case c == '"':
			end := stringEnd(doc, i)
			out = append(out, doc[i:end]...)
			i = end - 1
		case c == ',' && outer:
			out = append(out, c, '\n')
		case c == '{' || c == '[':
			depth++
			if depth == 2 {
				inArray = c == '['
			}
			out = append(out, c)
			if depth == 1 || depth == 2 && inArray && doc[i+1] != ']' {
				out = append(out, '\n')
			}
		case c == '}' || c == ']':
			if depth == 1 || outer && doc[i-1] != '[' {
				out = append(out, '\n')
			}
			depth--
			out = append(out, c)
		default:
			out = append(out, c)
		}
	}
	return out
}

// stringEnd is the offset behind the string that begins at i.
func stringEnd(doc []byte, i int) int {
	for i++; ; i++ {
		i += bytes.IndexByte(doc[i:], '"')
		slashes := 0
		for doc[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
}

// record is one line of the jsonl format: the thing stands under the name of its kind.
type record struct {
	Kind          string              `json:"kind"`
	SchemaVersion int                 `json:"schemaVersion,omitempty"`
	Tool          *Tool               `json:"tool,omitempty"`
	Run           *Run                `json:"run,omitempty"`
	Policy        *Policy             `json:"policy,omitempty"`
	Subject       *finding.Subject    `json:"subject,omitempty"`
	Finding       *finding.Finding    `json:"finding,omitempty"`
	Skipped       *finding.Skip       `json:"skipped,omitempty"`
	Incomplete    *finding.Incomplete `json:"incomplete,omitempty"`
	Drift         *drift.Change       `json:"drift,omitempty"`
	Compared      *finding.Comparison `json:"comparison,omitempty"`
	Posture       *engine.Posture     `json:"posture,omitempty"`
	Health        *engine.Health      `json:"health,omitempty"`
	Guarded       *engine.Guarded     `json:"guarded,omitempty"`
	Trust         *trust.Model        `json:"trust,omitempty"`
	Exit          *int                `json:"exit,omitempty"`
	Summary       *Summary            `json:"summary,omitempty"`
}

// writeJSONL writes one object a line: the run first, then subjects, findings, skipped, incomplete, and the
// summary last, so that a cut stream shows.
func writeJSONL(w io.Writer, rep *Report) error {
	var failed error
	line := func(r record) {
		if failed != nil {
			return
		}
		doc, err := encode(r)
		if err == nil {
			_, err = w.Write(append(doc, '\n'))
		}
		failed = err
	}
	line(record{Kind: "run", SchemaVersion: rep.SchemaVersion, Tool: &rep.Tool, Run: &rep.Run, Policy: &rep.Policy})
	for i := range rep.Subjects {
		line(record{Kind: "subject", Subject: &rep.Subjects[i]})
	}
	for i := range rep.Findings {
		line(record{Kind: "finding", Finding: &rep.Findings[i]})
	}
	for i := range rep.Skipped {
		line(record{Kind: "skipped", Skipped: &rep.Skipped[i]})
	}
	for i := range rep.Incomplete {
		line(record{Kind: "incomplete", Incomplete: &rep.Incomplete[i]})
	}
	for i := range rep.Drift {
		line(record{Kind: "drift", Drift: &rep.Drift[i]})
	}
	if rep.Compared != nil {
		line(record{Kind: "comparison", Compared: rep.Compared})
	}
	if rep.Posture != nil {
		line(record{Kind: "posture", Posture: rep.Posture})
	}
	if rep.Health != nil {
		line(record{Kind: "health", Health: rep.Health})
	}
	for i := range rep.Guards {
		line(record{Kind: "guarded", Guarded: &rep.Guards[i]})
	}
	if rep.Trust != nil {
		line(record{Kind: "trust", Trust: rep.Trust})
	}
	line(record{Kind: "summary", Exit: &rep.Exit, Summary: &rep.Summary})
	return failed
}
