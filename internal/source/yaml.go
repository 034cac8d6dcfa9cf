package source

import "github.com/mcpassay/mcpassay/internal/limits"

func (d *Doc) parseYAML(lim limits.Set) error {
	return &SyntaxError{Msg: "not built yet"}
}
