package find

import (
	"context"
	"fmt"
	"testing"

	"github.com/mcpassay/mcpassay/internal/model/registry"
)

func BenchmarkSearchOfAHundredRecords(b *testing.B) {
	s := &shelf{}
	for i := range 100 {
		s.all = append(s.all, record(fmt.Sprintf(`,"description":"Reads the files of folder %d, and writes them.","packages":[{"registryType":"npm","identifier":"a","environmentVariables":[{"name":"TOKEN","description":"The token of the service, from its settings page."}]}]`, i), `"status":"active"`))
	}
	f := finder(s)
	registry.Newest(s.all)
	for b.Loop() {
		if found, err := f.Search(context.Background(), "any", 100, false); err != nil || len(found.Servers) != 100 {
			b.Fatal(err)
		}
	}
}
