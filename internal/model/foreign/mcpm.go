package foreign

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/source"
)

// The forms of mcpm (github.com/getmcpm/cli), both YAML.
const (
	Stack     = "mcpm.yaml"
	StackLock = "mcpm-lock.yaml"
)

// StackForm says which of mcpm's files a document of YAML is, "" for neither.
func StackForm(doc *source.Doc) string {
	root := doc.Root()
	switch {
	case root.Get("lockfileVersion").Valid():
		return StackLock
	case root.Get("version").Text() == "1" && root.Get("servers").Kind() == source.Object && !root.Get("install").Valid():
		return Stack
	}
	return ""
}

// Project is an mcpm.yaml as a project file says it.
type Project struct {
	Servers []project.Server
	Install project.Install
	// Armed says that there is a policy.
	Armed bool
	// Lacks are settings that a project file does not have, in words.
	Lacks []string
}

// ReadStack reads an mcpm.yaml (version "1"). Its servers are read by the reader of project files, which knows all of their
// keys; an unknown one is an error.
func ReadStack(doc *source.Doc) (p Project, err error) {
	root := doc.Root()
	if root.Get("version").Text() != "1" {
		return p, wrong(root.Get("version"), "its version is not \"1\"")
	}
	var faults []project.Fault
	p.Servers, p.Install, faults = project.Read(root)
	if len(faults) > 0 {
		line, _ := doc.Position(faults[0].At.Start)
		return p, &lock.Error{Msg: faults[0].Msg + ": " + faults[0].Hint, Line: line}
	}
	for c := range root.Children() {
		if k := c.Key(); !slices.Contains([]string{"version", "servers", "policy"}, k) {
			return p, wrong(c, "it has a key that no mcpm.yaml has")
		}
	}
	for c := range root.Get("policy").Children() {
		p.Armed = true
		number := func() (n int, err error) {
			if n, err = strconv.Atoi(source.ValueOf(c).Text); err != nil || n < 0 {
				return 0, wrong(c, "%s is no whole number", c.Key())
			}
			return n, nil
		}
		yes, isBool := c.Bool()
		switch c.Key() {
		case "minTrustScore":
			if p.Install.MinTrust, err = number(); err == nil && p.Install.MinTrust > 100 {
				err = wrong(c, "minTrustScore is more than 100 per cent")
			}
		case "minReleaseAgeHours":
			n := 0
			if n, err = number(); err == nil && n > 0 {
				if p.Install.MinReleaseAge, err = project.Duration(strconv.Itoa(n) + "h"); err != nil {
					err = wrong(c, "%s", err)
				}
			}
		case "blockInstallScripts":
			p.Install.BlockInstallScripts = yes
		case "allowUrlServers":
			p.Install.URLServers = yes
		default:
			if !isBool || yes {
				p.Lacks = append(p.Lacks, "policy."+c.Key())
			}
			continue
		}
		if err != nil {
			return p, err
		}
		if strings.HasPrefix(c.Key(), "block") || strings.HasPrefix(c.Key(), "allow") {
			if !isBool {
				return p, wrong(c, "%s is neither true nor false", c.Key())
			}
		}
	}
	return p, nil
}

// readStackLock reads an mcpm-lock.yaml (lockfileVersion 1). What it says of a package (its version, its integrity, who signed it
// where that was verified) becomes the baseline that verify holds the registry to; it holds no arguments and no surface.
func readStackLock(doc *source.Doc, opt Options) (all []Import, err error) {
	root := doc.Root()
	if v := root.Get("lockfileVersion"); source.ValueOf(v).Text != "1" {
		return nil, wrong(v, "it is of a version that is not known")
	}
	if root.Get("servers").Kind() != source.Object {
		return nil, wrong(root, "it has no servers")
	}
	for n := range root.Get("servers").Children() {
		name := n.Key()
		if n.Overridden() {
			return nil, wrong(n, "a server stands in it twice")
		}
		if why, hint := project.BadName(name); why != "" {
			return nil, wrong(n, "the name of a server %s: %s", why, hint)
		}
		one := Import{Server: &lock.Server{Name: name, Unpinned: true}, Lacks: []string{"arguments of the package", "what the server exposes"}}
		if u := n.Get("url").Text(); u != "" {
			one.Lacks = one.Lacks[1:]
			if one.Launch, err = lock.LaunchOfURL(u, string(client.HTTP), nil); err != nil {
				return nil, wrong(n, "%s", err)
			}
		} else if err = stackPackage(n, one.Server, opt.Places); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// stackPackage reads what a lock of mcpm says of a package. One of before packageVersion says it in its snapshots alone, which
// must then agree.
func stackPackage(n source.Node, s *lock.Server, places lock.Places) error {
	integrity, proved := n.Get("npmIntegrity"), n.Get("provenance")
	version := n.Get("packageVersion").Text()
	for _, v := range []string{integrity.Get("npmVersion").Text(), proved.Get("npmVersion").Text()} {
		if v != "" && version != "" && v != version {
			return wrong(n, "it says two versions of one package, %q and %q", version, v)
		}
		version = cmp.Or(version, v)
	}
	p := &lock.Package{Type: pkg.Type(n.Get("registryType").Text()), Identifier: n.Get("identifier").Text(), Version: version}
	record := n.Get("version").Text()
	if p.Identifier == "" || p.Type == "" || record == "" {
		return wrong(n, "it names no package")
	}
	var argv []string
	switch p.Type {
	case pkg.NPM:
		argv = []string{"npx", "-y", p.Identifier + "@" + version}
	case pkg.PyPI:
		argv = []string{"uvx", p.Identifier + "===" + version}
	case pkg.OCI:
		image, tag, _ := strings.Cut(p.Identifier, "@")
		if p.Version = cmp.Or(version, tag); p.Version == "" {
			if i := strings.LastIndex(image, ":"); i > strings.LastIndex(image, "/") {
				p.Version = image[i+1:]
			}
		}
		argv = []string{"docker", "run", "--rm", "-i", p.Identifier}
	default:
		return wrong(n, "it is a package of the type %q, which mcpm never locked", string(p.Type))
	}
	if p.Version == "" || registry.LooksLatest(p.Version) || registry.LooksLatest(record) {
		return wrong(n, "it says no version of the package: lock it again with mcpassay lock")
	}
	if sri := integrity.Get("integrity").Text(); sri != "" {
		hashes, err := pkg.ParseSRI(sri)
		if err != nil {
			return wrong(integrity, "its integrity can not be read: %s", err)
		}
		p.Files = lock.PackageOf(&pkg.Pin{Type: p.Type, Version: p.Version, Files: []pkg.File{{Name: p.Identifier, Hashes: hashes}}}, p.Identifier, "", lock.Provenance{}).Files
	}
	v := proved.Get("verification")
	switch {
	case v.Get("outcome").Text() == "verified":
		p.Provenance = lock.Provenance{Status: lock.Verified, Issuer: v.Get("signerIssuer").Text(), Signer: v.Get("signerSan").Text()}
		if p.Provenance.Signer == "" || p.Provenance.Issuer == "" {
			return wrong(v, "its provenance is verified, and names nobody")
		}
	case proved.Valid() && proved.Get("status").Text() == "unsigned":
		p.Provenance.Status = lock.Unsigned
	case proved.Valid():
		p.Provenance = lock.Provenance{Status: lock.CouldNotVerify, Reason: "mcpm did not verify it"}
	}
	l, err := lock.LaunchOfCommand(argv, places.Project, nil, places)
	if err != nil {
		return wrong(n, "%s", err)
	}
	s.Launch, s.Package, s.Record = l, p, &lock.Record{Name: s.Name, Version: record}
	return nil
}
