package clientpage

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/model/client"
)

func TestClientsPageIsFresh(t *testing.T) {
	var want bytes.Buffer
	if err := Write(&want, client.Table()); err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile("../../../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want.Bytes()) {
		t.Error("docs/clients.md is stale: run go generate ./internal/model/client")
	}
}

func TestClientsPageNamesEveryFile(t *testing.T) {
	var page bytes.Buffer
	if err := Write(&page, client.Table()); err != nil {
		t.Fatal(err)
	}
	for _, c := range client.Table() {
		_, section, ok := strings.Cut(page.String(), "\n## "+c.ID+"\n")
		if !ok {
			t.Errorf("%s has no section", c.ID)
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		for i := range c.Locations {
			if !strings.Contains(section, "| `"+c.Locations[i].Path+"` |") {
				t.Errorf("%s: the page lacks %s", c.ID, c.Locations[i].Path)
			}
		}
		for _, must := range append([]string{c.AsOf, "Confidence " + string(c.Confidence)}, c.Sources...) {
			if !strings.Contains(section, must) {
				t.Errorf("%s: the page lacks %q", c.ID, must)
			}
		}
	}
	for i, line := range strings.Split(page.String(), "\n") {
		if strings.HasPrefix(line, "|") && strings.Count(line, "|")-strings.Count(line, `\|`) != columns(page.String(), i) {
			t.Errorf("line %d has another number of columns than its table: %s", i+1, line)
		}
	}
}

// columns counts the bars of the header of the table that line i is in.
func columns(page string, i int) int {
	lines := strings.Split(page, "\n")
	for i > 0 && strings.HasPrefix(lines[i-1], "|") {
		i--
	}
	return strings.Count(lines[i], "|")
}
