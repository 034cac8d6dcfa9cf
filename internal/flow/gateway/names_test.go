package gateway_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/flow/gateway"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
)

func TestNamesAreOneServersAlone(t *testing.T) {
	t.Parallel()
	make := func(names ...string) error {
		o := gateway.Options{Entry: "mcpassay", Clients: client.Table(), Limits: limits.Default, Jitter: func() float64 { return 0.5 }}
		for _, n := range names {
			o.Servers = append(o.Servers, gateway.Server{Name: n, Refused: "a test"})
		}
		g, err := gateway.New(t.Context(), o)
		if err == nil {
			g.Close()
		}
		return err
	}
	if err := make("com.example/files", "files"); err == nil || err.Error() != "com.example/files and files would both be called files" {
		t.Error(err)
	}
	if err := make("My Server", "my_server"); err == nil {
		t.Error("two names became one")
	}
	if err := make("a", "b", "ä", "日本"); err != nil {
		t.Error(err)
	}
	var many []string
	for i := range limits.Default.GatewayServers + 1 {
		many = append(many, fmt.Sprintf("s%d", i))
	}
	if err := make(many...); err == nil || !strings.Contains(err.Error(), "64 is the most") {
		t.Error(err)
	}
	if err := make(many[1:]...); err != nil {
		t.Error(err)
	}
	_, err := gateway.New(t.Context(), gateway.Options{Entry: strings.Repeat("x", 30), Clients: client.Table(), Limits: limits.Default})
	if err == nil || !strings.Contains(err.Error(), "is too long a name") {
		t.Error(err)
	}
}

// Names that a server may have are names that every client takes, and no two servers share one.
func FuzzNames(f *testing.F) {
	for _, name := range []string{"files", "com.example/files", "9lives", "___", "A B", "x--y", strings.Repeat("n", 80), "日本", "a/"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		most := limits.Default.GatewayWord
		w := gateway.Word(name, most)
		if len(w) == 0 || len(w) > most || w[0] < 'a' || w[0] > 'z' || strings.Contains(w, "--") || strings.HasSuffix(w, "-") ||
			strings.Trim(w, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			t.Errorf("%q is called %q", name, w)
		}
		if again := gateway.Word(w, most); again != w {
			t.Errorf("%q is called %q, and that %q", name, w, again)
		}
	})
}

func TestRoomIsWhatTheStrictestClientLeaves(t *testing.T) {
	t.Parallel()
	room := gateway.Room(client.Table(), "mcpassay")
	for _, c := range client.Table() {
		l := c.Limits.ToolName
		shown := strings.NewReplacer("{server}", "mcpassay", "{tool}", strings.Repeat("t", room)).Replace(l.Format)
		if l.Max > 0 && len(shown) > l.Max {
			t.Errorf("%s sees a name of %d characters, and %d is the most", c.ID, len(shown), l.Max)
		}
	}
	if none := gateway.Room(nil, "mcpassay"); room >= none {
		t.Errorf("%d of %d", room, none)
	}
	long := strings.Repeat("long-name-", 10)
	f := &fake{tools: `{"name":"` + long + `a","inputSchema":{"type":"object"}},{"name":"` + long + `b","inputSchema":{"type":"object"}}`}
	s := serveThem(t, []gateway.Server{member("files", f)})
	s.begin()
	s.say(request("1", "tools/list", `{}`))
	line, _ := s.until("1")
	var list struct {
		Result struct{ Tools []struct{ Name string } }
	}
	_ = json.Unmarshal([]byte(line), &list)
	if len(list.Result.Tools) != 2 || len(list.Result.Tools[0].Name) != room || list.Result.Tools[0].Name == list.Result.Tools[1].Name {
		t.Fatalf("%+v", list)
	}
	s.say(callOf("2", list.Result.Tools[1].Name))
	s.until("2")
	contains(t, string(f.saw("tools/call")[0].Params), long+`b`)
}
