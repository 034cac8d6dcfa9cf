package rule

import (
	"fmt"
	"testing"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
)

func gathered1(t *testing.T, r *Rule, names ...string) (f finding.Finding) {
	t.Helper()
	p := &Pass{Rule: r, Scene: &Scene{}, Limits: &limits.Default, Emit: func(got finding.Finding) { f = got }}
	var g Gather
	for i, n := range names {
		at := Where(finding.Location{Path: "x", Offset: i})
		g.Add(&client.Server{Name: fmt.Sprint("s", i), Number: int32(i + 1)}, n, at)
	}
	g.Report(p, r.Message, nil)
	return f
}

func TestAMessageListsFewNamesAndCountsAll(t *testing.T) {
	r := &Rule{ID: "x/y", Message: "{count}: {names}", One: "one: {names}"}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"a"}, "one: a"},
		{[]string{"a", "a"}, "one: a"},
		{[]string{"a", "b", "a"}, "2: a, b"},
		{[]string{"a", "b", "c", "d", "e", "f", "g"}, "7: a, b, c, d, e and 2 more"},
	} {
		if f := gathered1(t, r, c.names...); f.Message != c.want || len(f.Related) != len(c.names)-1 {
			t.Errorf("%v: %q with %d places beside it, want %q", c.names, f.Message, len(f.Related), c.want)
		}
	}
}

func TestAFindingShowsSoManyPlacesAndNoMore(t *testing.T) {
	names := make([]string, 10*limits.Default.RelatedPlaces)
	for i := range names {
		names[i] = fmt.Sprint("n", i)
	}
	f := gathered1(t, &Rule{ID: "x/y", Message: "{count}"}, names...)
	if len(f.Related) != limits.Default.RelatedPlaces || f.Message != fmt.Sprint(len(names)) {
		t.Errorf("%s with %d places beside it", f.Message, len(f.Related))
	}
}

func TestAFindingIsAServersOnlyWhenEveryPlaceIs(t *testing.T) {
	r := &Rule{ID: "x/y", Message: "{names}"}
	if f := gathered1(t, r, "a"); f.Server != "s0" || f.Subject != "s1" {
		t.Errorf("one server: %+v", f)
	}
	if f := gathered1(t, r, "a", "b"); f.Server != "" || f.Subject != "" {
		t.Errorf("two servers: %+v", f)
	}
}
