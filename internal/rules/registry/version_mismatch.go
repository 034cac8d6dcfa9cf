package registry

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// VersionMismatch is registry/version-mismatch.
var VersionMismatch = &rule.Rule{
	ID:       "registry/version-mismatch",
	Title:    "another version than the package has",
	Trigger:  "A package of server.json is made beside it, and has another version there.",
	Message:  "{package} is version {says} here, and {has} in {file}",
	Severity: finding.Error,
	Tags:     []string{rule.Supply},
	Needs:    []rule.Need{rule.NeedDisk},
	OWASP:    "MCP04",
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Give both the same version before you publish.",
	Manifest: versionMismatch,
}

func versionMismatch(p *rule.Pass, f *manifest.File) {
	for _, one := range f.Packages() {
		made := f.Made(one)
		if made == nil || made.Version.Kind() != source.String {
			continue
		}
		id, has := f.Get(one, "identifier").Text(), made.Version.Text()
		if says := f.Get(one, "version"); says.Kind() == source.String && !same(f.Type(one), says.Text(), has) {
			p.Report(rule.At(says), rule.Args{"says": says.Text(), "package": id, "file": made.Version.Doc().Path, "has": has}, rule.Also(rule.At(made.Version), "the version of "+id))
		}
	}
}

// same says whether two versions are one: 1.0 and 1.0.0 are, to PyPI.
func same(kind, a, b string) bool {
	return a == b || kind == string(pkg.PyPI) && pkg.IsVersion(pkg.PyPI, a) && pkg.IsVersion(pkg.PyPI, b) && pkg.Compare(pkg.PyPI, a, b) == 0
}
