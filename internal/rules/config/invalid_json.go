package config

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
)

// InvalidJSON is mcp-schema/invalid-json.
var InvalidJSON = &rule.Rule{
	ID:       "mcp-schema/invalid-json",
	Title:    "the file can not be read",
	Trigger:  "The file is not valid JSON (or TOML, or YAML), or its root or its map of servers has the wrong type.",
	Message:  "MCP config is not valid JSON: {parseError}",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Unparsed: true,
	File:     invalidJSON,
}

func invalidJSON(p *rule.Pass) {
	f := p.File
	if f.Doc == nil {
		// A limit of ours is no fault of the file's: the report lists it as incomplete.
		if e := f.Err; e != nil && (e.Cause == "syntax" || e.Cause == "encoding") {
			at := finding.Location{Path: f.Path, Line: e.Line, Column: e.Column, EndLine: e.Line, EndColumn: e.Column, Offset: e.Offset}
			notValid(p, rule.Where(at), e.Format, secret.Mask(e.Msg))
		}
		return
	}
	if f.Client == client.Generic {
		return // a file of no client that we know may have any shape
	}
	d, root := f.Doc, f.Doc.Root()
	if len(d.Conflicts) > 0 {
		c := d.Conflicts[0]
		notValid(p, rule.In(root, c), d.Format, string(d.Raw[c.Start:c.End])+" is defined twice")
	}
	if root.Valid() && root.Kind() != source.Object && !empty(root) {
		notValid(p, rule.At(root), d.Format, "the root must be an object, not "+root.Kind().String())
	}
	want, article := source.Object, "an object"
	if f.Client.ShapeOf(f.Loc) != client.ShapeMap {
		want, article = source.Array, "a list"
	}
	for _, m := range f.Maps {
		if n := m.Node; m.Wanted && !n.Overridden() && n.Kind() != want && !empty(n) && !elsewhereNamed(f, n) {
			notValid(p, rule.At(n), d.Format, `"`+m.Key+`" must be `+article+", not "+n.Kind().String())
		}
	}
}

// elsewhereNamed says that the manifest of a plugin names the files that hold its servers.
func elsewhereNamed(f *client.File, n source.Node) bool {
	if f.Loc == nil || f.Loc.Scope != client.ScopePlugin || !f.Mixed() {
		return false
	}
	if n.Kind() == source.Array && n.Len() > 0 {
		for c := range n.Children() {
			if c.Kind() != source.String {
				return false
			}
		}
		return true
	}
	return n.Kind() == source.String
}

func notValid(p *rule.Pass, at rule.Place, format source.Format, why string) {
	message := strings.Replace(p.Rule.Message, "JSON", format.String(), 1)
	p.ReportAs(message, at, rule.Args{"parseError": why}, rule.WithBlast(fileBlast(p.File)))
}

// empty says that YAML has nothing there. In JSON a null is written by hand.
func empty(n source.Node) bool { return n.Kind() == source.Null && n.Doc().Format == source.YAML }
