package report

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"sync"
	"text/template/parse"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/text"
)

// The page is one file: no script, no request, and a policy in its head that allows neither. html/template escapes every
// value for the place it stands in, and each goes through neutral before that, so whoever edits page.html can forget
// neither. No stranger's text is part of an attribute: what can be read is in the text of an element.

//go:embed page.html
var pageSource string

//go:embed page.css
var pageStyle string

// pageTemplate is page.html, read when the first page is written.
var pageTemplate = sync.OnceValue(func() *template.Template {
	t := template.Must(template.New("page").Funcs(template.FuncMap{
		neutralFunc: neutral, "count": text.Count, "position": position, "tally": tally, "lock": lockWord, "points": points, "tone": rowTone,
	}).Parse(pageSource))
	for _, one := range t.Templates() {
		neutralise(one.Tree, one.Tree.Root)
	}
	return t
})

func writeHTML(w *bufio.Writer, rep *Report, env Env) error {
	return pageTemplate().Execute(w, newPage(rep, env))
}

// security is the content security policy: nothing is loaded and nothing runs, and the style is the one that was sent.
func security() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'",
		base64.StdEncoding.EncodeToString(sum[:]))
}

const neutralFunc = "neutral"

// neutral makes a value part of a line (text.Line). A number is one, and so is our own style.
func neutral(v any) any {
	switch v := v.(type) {
	case int, template.CSS:
		return v
	}
	return plain(fmt.Sprint(v), limits.Default.ShownURLRunes)
}

// neutralise puts neutral behind every value that a template prints, as html/template does with its escapers.
func neutralise(tree *parse.Tree, node parse.Node) {
	branch := func(b *parse.BranchNode) {
		neutralise(tree, b.List)
		if b.ElseList != nil {
			neutralise(tree, b.ElseList)
		}
	}
	switch n := node.(type) {
	case *parse.ListNode:
		for _, child := range n.Nodes {
			neutralise(tree, child)
		}
	case *parse.ActionNode:
		if len(n.Pipe.Decl) == 0 {
			n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pos,
				Args: []parse.Node{parse.NewIdentifier(neutralFunc).SetTree(tree).SetPos(n.Pos)}})
		}
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	}
}
