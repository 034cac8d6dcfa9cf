package report

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
)

// The JUnit shapes that CI systems agree on. encoding/xml turns characters that XML 1.0 forbids into U+FFFD.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Suites []*junitSuite `xml:"testsuite"`
	}
	junitCounts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCounts
		Properties *junitProperties `xml:"properties"`
		Cases      []*junitCase     `xml:"testcase"`
	}
	junitProperties struct {
		Property []junitProperty `xml:"property"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string       `xml:"classname,attr"`
		Name    string       `xml:"name,attr"`
		File    string       `xml:"file,attr,omitempty"`
		Line    int          `xml:"line,attr,omitempty"`
		Failure *junitDetail `xml:"failure"`
		Error   *junitDetail `xml:"error"`
		Skipped *junitDetail `xml:"skipped"`
		Out     string       `xml:"system-out,omitempty"`
	}
	junitDetail struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// writeJUnit writes a suite for each file and a case for each rule and server in it. A case fails when one
// of its findings fails the run, and only then; what could not be checked is an error; a file without
// findings is one case that passed.
func writeJUnit(w *bufio.Writer, rep *Report) error {
	doc := &junitSuites{Name: toolName + " " + plain(rep.Run.Verb, 0)}
	byPath := map[string]*junitSuite{}
	suite := func(path string) *junitSuite {
		s := byPath[path]
		if s == nil {
			s = &junitSuite{Name: plain(path, 0)}
			byPath[path] = s
			doc.Suites = append(doc.Suites, s)
		}
		return s
	}
	rep.junitFindings(suite)
	for _, x := range rep.notChecked() {
		name, text := "could not be checked", plain(x.detail, 0)
		if x.skipped {
			name = "skipped"
		}
		if x.hint != "" {
			text += "\nhint: " + plain(x.hint, 0)
		}
		s := suite(x.path)
		s.Cases = append(s.Cases, &junitCase{Class: s.Name, Name: name, File: s.Name,
			Error: &junitDetail{Message: plain(cmp.Or(x.detail, x.why), 0), Type: plain(x.why, 0), Text: strings.TrimPrefix(text, "\n")}})
	}
	for i := range rep.Subjects {
		if s := &rep.Subjects[i]; s.Parent == "" && s.Path != "" && byPath[s.Path] == nil {
			f := suite(s.Path)
			f.Cases = append(f.Cases, &junitCase{Class: f.Name, Name: "no findings", File: f.Name})
		}
	}
	slices.SortStableFunc(doc.Suites, func(a, b *junitSuite) int { return cmp.Compare(a.Name, b.Name) })
	for _, s := range doc.Suites {
		for _, c := range s.Cases {
			s.add(c)
			doc.add(c)
		}
	}
	if p := rep.shaped(); p != "" && len(doc.Suites) > 0 { // a property of all suites is in no schema
		doc.Suites[0].Properties = &junitProperties{[]junitProperty{{"policy", plain(p, 0)}}}
	}
	w.WriteString(xml.Header)
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(doc); err != nil {
		return err
	}
	return w.WriteByte('\n')
}

// junitFindings makes the cases of the findings, which are ordered by file.
func (rep *Report) junitFindings(suite func(path string) *junitSuite) {
	names := rep.names()
	type key struct{ path, server, rule string }
	groups := map[key][]*finding.Finding{}
	var keys []key
	for i := range rep.Findings {
		f := &rep.Findings[i]
		k := key{f.Location.Path, cmp.Or(names[f.Subject].label(), f.Server), f.Rule}
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], f)
	}
	for _, k := range keys {
		s := suite(k.path)
		c := &junitCase{Class: s.Name, Name: plain(k.rule, 0), File: s.Name, Line: groups[k][0].Location.Line}
		if k.server != "" {
			c.Name += " [" + plain(k.server, 0) + "]"
		}
		var failing, other []string
		message, silenced := "", ""
		for _, f := range groups[k] {
			at := plain(f.Location.Path, 0)
			if p := position(f.Location); p != "" {
				at += ":" + p
			}
			line := at + ": " + f.Severity.String() + ": " + plain(f.Message, 0)
			switch {
			case rep.fails(f):
				if len(failing) == 0 {
					message = plain(f.Message, 0)
				}
				failing = append(failing, line)
			case f.Status == finding.Suppressed && f.Suppression != nil:
				silenced = "suppressed: " + reason(f.Suppression)
				other = append(other, line+" ("+silenced+")")
			default:
				other = append(other, line)
			}
		}
		c.Out = strings.Join(other, "\n")
		switch {
		case len(failing) > 0:
			if n := len(failing); n > 1 {
				message = strconv.Itoa(n) + " findings, the first: " + message
			}
			c.Failure = &junitDetail{Message: message, Type: plain(k.rule, 0), Text: strings.Join(failing, "\n")}
		case silenced != "":
			c.Skipped = &junitDetail{Message: silenced}
		}
		s.Cases = append(s.Cases, c)
	}
}

func (n *junitCounts) add(c *junitCase) {
	n.Tests++
	switch {
	case c.Failure != nil:
		n.Failures++
	case c.Error != nil:
		n.Errors++
	case c.Skipped != nil:
		n.Skipped++
	}
}
