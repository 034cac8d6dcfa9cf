package sandbox

import (
	"os"
	"testing"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// BenchmarkStart is from the plan of a tiny server to its end, under each backend and without one.
func BenchmarkStart(b *testing.B) {
	for _, backend := range []Backend{"plain", Host, Landlock, Bubblewrap} {
		b.Run(string(backend), func(b *testing.B) {
			s := Spec{Executor: backend, Argv: []string{"/bin/true"}, Parent: os.Environ(), Limits: limits.Default}
			if err := usable(b.Context(), backend, s); err != nil {
				b.Skip(err)
			}
			for b.Loop() {
				p := &Plan{Command: proc.Command{Argv: s.Argv, Env: []string{}}, Cleanup: func() error { return nil }}
				if backend != "plain" {
					var err error
					if p, err = New(b.Context(), s); err != nil {
						b.Fatal(err)
					}
				}
				exit, stderr, err := proc.Run(b.Context(), p.Command, s.Limits)
				if err != nil || exit.Code != 0 {
					b.Fatalf("%+v %v %s", exit, err, stderr)
				}
				if err := p.Cleanup(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
