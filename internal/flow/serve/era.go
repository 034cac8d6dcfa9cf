package serve

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// era is how one message wants to be treated. revision is "" for a message of the legacy era that does not say.
type era struct {
	revision string
	modern   bool
}

// eraOf tells the era of a message. header is nil on stdio, where the message alone says it. The era is right even where
// there is a fault: it decides the status of the answer (2026-07-28, basic/versioning and basic/transports).
func eraOf(m *message, header wire.Header, lim limits.Set) (era, *fault) {
	meta := m.params.Get("_meta").Get(wire.MetaVersion)
	said, inHeader := "", false
	if header != nil {
		said, inHeader = one(header, "mcp-protocol-version")
		if said == "\x00" {
			return era{modern: true}, faulty(wire.CodeHeaderMismatch, "MCP-Protocol-Version was sent more than once")
		}
	}
	version, ok := meta.Str()
	switch {
	case meta.Valid() && !ok:
		return era{modern: true}, faulty(wire.CodeInvalidParams, "_meta."+wire.MetaVersion+" is no string")
	case !meta.Valid() && !inHeader:
		if m.method == "server/discover" {
			return era{modern: true}, missingMeta(wire.MetaVersion)
		}
		return era{}, nil
	case !meta.Valid():
		e := era{revision: said, modern: said >= wire.Modern}
		if !slices.Contains(wire.Revisions(), said) {
			return e, unsupported(said, lim)
		}
		if e.modern && m.kind == wire.Request {
			return e, missingMeta(wire.MetaVersion)
		}
		return e, nil
	}
	e := era{revision: version, modern: version >= wire.Modern}
	switch {
	case header != nil && !inHeader:
		return era{modern: true}, faulty(wire.CodeHeaderMismatch, "the header MCP-Protocol-Version is missing: _meta says "+shown(version, lim))
	case header != nil && said != version:
		return era{modern: true}, faulty(wire.CodeHeaderMismatch, "the header MCP-Protocol-Version says "+shown(said, lim)+" and _meta "+shown(version, lim))
	case !slices.Contains(wire.Revisions(), version):
		return era{revision: version, modern: true}, unsupported(version, lim)
	case !e.modern:
		return e, nil
	case m.params.Get("_meta").Get(wire.MetaCapabilities).Kind() != source.Object:
		return e, missingMeta(wire.MetaCapabilities)
	}
	if client := m.params.Get("_meta").Get(wire.MetaClient); client.Valid() && client.Kind() != source.Object {
		return e, faulty(wire.CodeInvalidParams, "_meta."+wire.MetaClient+" is no object")
	}
	if header != nil && m.kind == wire.Request {
		return e, mirrored(m, header, lim)
	}
	return e, nil
}

func missingMeta(name string) *fault {
	return faulty(wire.CodeInvalidParams, "params._meta lacks "+name)
}

// unsupported is the error for a revision that nobody published, with those that we speak.
func unsupported(version string, lim limits.Set) *fault {
	f := faulty(wire.CodeUnsupportedVersion, "unsupported protocol version")
	f.data = `{"supported":["` + strings.Join(wire.Revisions(), `","`) + `"],"requested":` + string(quote(shown(version, lim))) + `}`
	return f
}

// mirrored holds the header fields that repeat parts of the body against it.
func mirrored(m *message, header wire.Header, lim limits.Set) *fault {
	method, ok := one(header, "mcp-method")
	if !ok || method != m.method {
		return faulty(wire.CodeHeaderMismatch, "the header Mcp-Method is missing, or names another method than the body: "+shown(m.method, lim))
	}
	member := wire.NamedBy(m.method)
	if member == "" {
		return nil
	}
	name, ok := m.params.Get(member).Str()
	if !ok { // that is the method's to refuse
		return nil
	}
	if said, ok := one(header, "mcp-name"); !ok || wire.FieldText(said) != name {
		return faulty(wire.CodeHeaderMismatch, "the header Mcp-Name is missing, or differs from params."+member)
	}
	return nil
}

// one is the value of a field that must not be repeated; "\x00" where it is, with different values.
func one(h wire.Header, name string) (string, bool) {
	values := h[name]
	if len(values) == 0 {
		return "", false
	}
	for _, v := range values[1:] {
		if v != values[0] {
			return "\x00", true
		}
	}
	return values[0], true
}
