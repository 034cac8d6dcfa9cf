package source

import "github.com/mcpassay/mcpassay/internal/limits"

func (d *Doc) parseTOML(lim limits.Set) error {
	return &SyntaxError{Msg: "not built yet"}
}
