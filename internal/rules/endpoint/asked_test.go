package endpoint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// A trial without a row would be judged as one that nothing is due to, and shown by its name.
func TestEveryTrialHasWordsAndAKind(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../model/wire/trial.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if of, ok := spec.Type.(*ast.Ident); !ok || of.Name != "Trial" {
			return true
		}
		for _, v := range spec.Values {
			name, err := strconv.Unquote(v.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			n++
			row, ok := asked[wire.Trial(name)]
			if !ok || row.words == "" {
				t.Errorf("%s has no words", name)
			}
			if (row.kind == document) != wire.Trial(name).Discovery() {
				t.Errorf("%s is of kind %d", name, row.kind)
			}
		}
		return true
	})
	if n < 60 || n != len(asked) {
		t.Errorf("%d trials, and %d rows", n, len(asked))
	}
}
