package grade

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/score"
	"github.com/mcpassay/mcpassay/internal/source"
)

func read1(t testing.TB, text string) []*card.Server {
	t.Helper()
	doc, err := source.Parse("saved.json", []byte(text), source.JSON, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	f := card.Read(doc)
	if f == nil {
		t.Fatalf("no surface: %s", text)
	}
	return f.Servers
}

// surface is a saved surface of a server that began, with these trials and members.
func surface(trials string, members ...string) string {
	return `{"surfaceVersion":1,"label":"x","transport":"http","endpoint":"http://localhost:1/mcp",` + strings.Join(append(members, ""), ",") +
		`"protocol":{"requested":"2025-11-25","negotiated":"2025-11-25","era":"legacy","eras":["legacy"]},` +
		`"hello":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}},"trials":[` + trials + `]}`
}

func TestASurfaceOfAScanHasNoScore(t *testing.T) {
	if c := Of(read1(t, `{"surfaceVersion":1,"label":"x","transport":"stdio","tools":[{"tools":[]}]}`), nil); c != nil {
		t.Errorf("%+v", c)
	}
}

func TestTheLettersBeginWhereTheySay(t *testing.T) {
	for total, want := range map[int]string{100: "A", 90: "A", 89: "B", 75: "B", 74: "C", 60: "C", 59: "D", 40: "D", 39: "F", 0: "F"} {
		if got := letter(total); got != want {
			t.Errorf("%d is %s", total, got)
		}
	}
	for grade, want := range map[string]string{"A": "ABCDF", "C": "CDF", "F": "F", "": ""} {
		got := ""
		for _, least := range Grades() {
			if AtLeast(&score.Card{Grade: grade}, least) {
				got += least
			}
		}
		if got != want {
			t.Errorf("%q is at least %q", grade, got)
		}
	}
}

// What a busy server did not answer counts for nothing, and does not stand for a right answer.
func TestWhatCouldNotBeCheckedIsLeftOutOfTheScore(t *testing.T) {
	const initialize = `{"trial":"initialize","status":200,"header":{"content-type":["application/json"]},"elapsedMs":1,"reply":{"jsonrpc":"2.0","id":1,"result":{}}}`
	c := Of(read1(t, surface(initialize+`,{"trial":"unknown-method","status":429,"elapsedMs":1},
		{"trial":"unknown-tool","status":200,"elapsedMs":1,"reply":{"jsonrpc":"2.0","id":1,"error":{"code":-32000}}}`)), nil)
	if e := c.Lanes[0].Sections.Errors; e.Score != 15 || !e.Applies { // three fifths of the one that was answered
		t.Errorf("%+v", e)
	}
	c = Of(read1(t, surface(initialize+`,{"trial":"unknown-method","cause":"unreachable","elapsedMs":1}`)), nil)
	if e := c.Lanes[0].Sections.Errors; e.Applies || e.Score != 0 {
		t.Errorf("%+v", e)
	}
	if d := c.Lanes[0].Sections.Discovery; d.Applies {
		t.Errorf("%+v", d)
	}
}

// A finding shows the first places of a fault alone; of the others it has the count.
func TestAFaultOfManyToolsCostsAllOfThem(t *testing.T) {
	var tools []string
	for i := range 50 {
		tools = append(tools, fmt.Sprintf(`{"name":"t%d"}`, i))
	}
	servers := read1(t, surface("", `"tools":[{"tools":[`+strings.Join(tools, ",")+`]}]`))
	first := servers[0].Cards[0].Node.Span()
	f := finding.Finding{Rule: "card/missing-description", Count: 50, Location: finding.Location{Offset: first.Start}}
	if c := Of(servers, []finding.Finding{f}); c.Lanes[0].Sections.Tools.Score != 18 {
		t.Errorf("%+v", c.Lanes[0].Sections.Tools)
	}
	f.Count = 25
	if c := Of(servers, []finding.Finding{f}); c.Lanes[0].Sections.Tools.Score != 24 {
		t.Errorf("%+v", c.Lanes[0].Sections.Tools)
	}
}

// Whatever a saved surface holds, its score is one, and no section gives more than it has.
func FuzzGrade(f *testing.F) {
	f.Add(surface(`{"trial":"unknown-method","status":500,"body":"<html>","elapsedMs":1},{"trial":"not-json","cause":"ended","elapsedMs":0}`))
	f.Add(surface(`{"trial":"resource-at-root","status":200,"body":"{}"},{"trial":"resource-at-path","detail":"/x","status":404}`, `"incomplete":[{"part":"tools","cause":"unauthorized"}]`))
	f.Add(`{"servers":[` + surface("") + "," + strings.Replace(surface(`{"trial":"host-evil","status":200,"reply":{"result":1}}`), `"era":"legacy"`, `"era":"modern"`, 1) + `]}`)
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := source.Parse("saved.json", []byte(text), source.JSON, limits.Default)
		if err != nil {
			return
		}
		file := card.Read(doc)
		if file == nil {
			return
		}
		c := Of(file.Servers, []finding.Finding{{Rule: "card/missing-name", Count: 3}})
		if c == nil {
			return
		}
		if c.Total < 0 || c.Total > 100 || c.Gated && c.Grade != "" || c.Requests < 0 {
			t.Errorf("%+v", c)
		}
		for i := range c.Lanes {
			for _, s := range c.Lanes[i].Sections.All() {
				if s.Score < 0 || s.Score > s.Max || s.Rows == nil {
					t.Errorf("%s: %+v", s.Name, s.Section)
				}
			}
		}
		one, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if two, _ := json.Marshal(Of(file.Servers, []finding.Finding{{Rule: "card/missing-name", Count: 3}})); string(one) != string(two) {
			t.Error("two scores of one surface")
		}
	})
}

// A fault that a hundred thousand tools share is counted in one pass over them: a server must not make us count for minutes.
func TestAFaultOfManyToolsIsCountedOnce(t *testing.T) {
	const many = 200_000
	doc, err := source.Parse("tools.json", []byte("["+strings.Repeat("{},", many-1)+"{}]"), source.JSON, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	var tools []*card.Card
	for n := range doc.Root().Children() {
		tools = append(tools, &card.Card{Node: n})
	}
	counted := make(chan int, 1)
	go func() {
		counted <- len(about(&finding.Finding{Location: finding.Location{Offset: 1}, Count: many}, tools))
	}()
	select {
	case n := <-counted:
		if n != many {
			t.Errorf("%d tools", n)
		}
	case <-time.After(5 * time.Second):
		t.Error("counting takes a time that grows with the square of the tools")
	}
	if hit := about(&finding.Finding{Location: finding.Location{Offset: 4}, Count: 3}, tools[:10]); !slices.Equal(hit, []int{1, 2, 3}) {
		t.Errorf("%v", hit)
	}
}
