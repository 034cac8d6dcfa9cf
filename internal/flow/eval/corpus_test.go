package eval

import (
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestTheEmbeddedCorpusHoldsEveryClassAndOnlyThose(t *testing.T) {
	c, err := Embedded(limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	label := map[string]Label{}
	for _, k := range Classes() {
		if label[k.Name] != 0 || k.Title == "" || k.Label != Hostile && k.Label != Benign {
			t.Errorf("class %+v", k)
		}
		label[k.Name] = k.Label
	}
	cases, labels, tools := map[string]int{}, map[Label]int{}, map[string]string{}
	for _, one := range c.Cases {
		if label[one.Class] != one.Label {
			t.Errorf("%s is %s, of class %q, which is %s", one.ID, one.Label, one.Class, label[one.Class])
		}
		if one.any {
			t.Errorf("%s counts what any rule says", one.ID)
		}
		cases[one.Class]++
		labels[one.Label]++
		// The same text twice would count twice.
		text := string(one.node.Raw())
		if other, ok := tools[text]; ok {
			t.Errorf("%s is %s again", one.ID, other)
		}
		tools[text] = one.ID
	}
	for name := range label {
		if cases[name] < 3 {
			t.Errorf("%d cases of %s: one more or less would decide", cases[name], name)
		}
	}
	if labels[Hostile] < 100 || labels[Benign] < 80 {
		t.Errorf("%d hostile and %d benign cases", labels[Hostile], labels[Benign])
	}
}
