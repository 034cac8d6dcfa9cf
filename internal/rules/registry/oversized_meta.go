package registry

import (
	"strconv"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// OversizedMeta is registry/oversized-meta.
var OversizedMeta = &rule.Rule{
	ID:       "registry/oversized-meta",
	Title:    "more of the publisher's own than the registry takes",
	Trigger:  "What the publisher adds in _meta is larger than the registry takes.",
	Message:  "{field} has {bytes} bytes, and {most} are the most",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Shorten it.",
	Manifest: oversizedMeta,
}

func oversizedMeta(p *rule.Pass, f *manifest.File) {
	n := f.Root().Get("_meta").Get(manifest.PublisherMeta)
	if size := compact(n.Raw()); size > p.Limits.ManifestMeta {
		p.Report(rule.Key(n), rule.Args{"field": manifest.PublisherMeta, "bytes": strconv.Itoa(size), "most": strconv.Itoa(p.Limits.ManifestMeta)})
	}
}

// compact is the size of JSON without the space between its parts.
func compact(raw []byte) (size int) {
	inside := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inside && c == '\\':
			size++
			i++
		case c == '"':
			inside = !inside
		case !inside && (c == ' ' || c == '\t' || c == '\r' || c == '\n'):
			continue
		}
		size++
	}
	return size
}
