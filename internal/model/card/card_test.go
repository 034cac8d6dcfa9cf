package card

import (
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

func TestSoManyServersOfADocumentAreJudgedAndTheRestIsTold(t *testing.T) {
	text := `{"servers":[` + strings.Repeat(`{"tools":[]},`, limits.Default.SurfaceServers) + `{"tools":[]},7]}`
	doc, err := source.Parse("x.json", []byte(text), source.JSON, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	if f := Read(doc); len(f.Servers) != limits.Default.SurfaceServers || len(f.Unread) != 2 {
		t.Errorf("%d servers, %d unread", len(f.Servers), len(f.Unread))
	}
}
