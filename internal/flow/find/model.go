package find

import (
	"cmp"
	"errors"

	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/text"

	"github.com/mcpassay/mcpassay/internal/secret"
)

// Source is who was asked. Asked is RFC 3339; AgeSeconds is how old an answer is that was kept.
type Source struct {
	Registry   string `json:"registry"`
	Asked      string `json:"asked"`
	Kept       bool   `json:"kept"`
	AgeSeconds int64  `json:"ageSeconds"`
}

// Found is the answer to a search (seed mcpm-contracts, "MCP tool-result shapes", schema version 1, and more).
type Found struct {
	SchemaVersion int    `json:"schemaVersion"`
	Source        Source `json:"source"`
	Servers       []Row  `json:"servers"`
	// More says that there are others. Unread are entries that are no records.
	More   bool     `json:"more"`
	Unread []string `json:"unread"`
}

// Head is what a row and a description begin with.
type Head struct {
	Name           string         `json:"name"`
	Title          string         `json:"title"`
	Description    string         `json:"description"`
	Version        string         `json:"version"`
	Published      string         `json:"publishedAt"`
	RegistryStatus RegistryStatus `json:"registryStatus"`
	// Kinds are the types of its packages, and remote.
	Kinds []string `json:"kinds"`
}

// RegistryStatus is the registry's own word. Status and StatusMessage are null where it says nothing.
type RegistryStatus struct {
	Status        *string `json:"status"`
	StatusMessage *string `json:"statusMessage"`
	BlocksInstall bool    `json:"blocksInstall"`
}

// Row is one server of a search.
type Row struct {
	Head
	TrustScore  int        `json:"trustScore"`
	MaxPossible int        `json:"maxPossible"`
	Level       string     `json:"level"`
	Assessment  Assessment `json:"assessment"`
}

// Info describes one version of a server.
type Info struct {
	SchemaVersion int    `json:"schemaVersion"`
	Source        Source `json:"source"`
	Head
	TrustScore Score      `json:"trustScore"`
	Assessment Assessment `json:"assessment"`
	Repository string     `json:"repository"`
	Website    string     `json:"websiteUrl"`
	Packages   []Package  `json:"packages"`
	Remotes    []Remote   `json:"remotes"`
	Versions   []Version  `json:"versions"`
	// Faults are what is wrong with the record, Unread the versions that are no records.
	Faults []string `json:"faults"`
	Unread []string `json:"unread"`
}

// Version is one of the versions that the registry has.
type Version struct {
	Version   string `json:"version"`
	Status    string `json:"status"`
	Published string `json:"publishedAt"`
}

// Package is one way to get the server.
type Package struct {
	RegistryType         string  `json:"registryType"`
	Identifier           string  `json:"identifier"`
	Version              string  `json:"version"`
	RegistryBaseURL      string  `json:"registryBaseUrl,omitempty"`
	Transport            string  `json:"transport"`
	EnvironmentVariables []Input `json:"environmentVariables"`
	RuntimeArguments     []Input `json:"runtimeArguments"`
	PackageArguments     []Input `json:"packageArguments"`
}

// Remote is a server that runs elsewhere.
type Remote struct {
	Type      string  `json:"type"`
	URL       string  `json:"url"`
	Headers   []Input `json:"headers"`
	Variables []Input `json:"variables"`
}

// Input is what a user may have to give. Value is what the record gives already.
type Input struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Value       string `json:"value,omitempty"`
	Default     string `json:"default,omitempty"`
	Required    bool   `json:"isRequired"`
	Secret      bool   `json:"isSecret"`
}

// Pin is what the registry of a package says of its bytes.
type Pin struct {
	Package
	// Resolved is the version that the record means, Digests what its bytes are known by.
	Resolved string   `json:"resolved"`
	Digests  []string `json:"digests"`
	// Attested says that the registry holds attestations; nobody has verified them here.
	Attested   bool   `json:"attested"`
	Deprecated string `json:"deprecated"`
	Yanked     bool   `json:"yanked"`
	// InstallScripts are the names of those that run when it is installed.
	InstallScripts []string `json:"installScripts"`
	Published      string   `json:"publishedAt"`
	// Unenforceable says why nothing can hold the bytes to what is written here, Error why nothing is known.
	Unenforceable string `json:"unenforceable"`
	Error         string `json:"error"`
}

func (f *Finder) head(r *registry.Record) Head {
	h := Head{Name: f.words(r.Name), Title: f.words(r.Title), Description: f.words(r.Description), Version: f.words(r.Version), Published: when(r.Official.Published), Kinds: []string{}}
	if s := f.words(string(r.Official.Status)); s != "" {
		h.RegistryStatus.Status = &s
	}
	if s := text.Line(secret.Mask(r.Official.Message), f.Limits.StatusRunes); s != "" {
		h.RegistryStatus.StatusMessage = &s
	}
	h.RegistryStatus.BlocksInstall = r.Deleted()
	seen := map[string]bool{}
	add := func(kind string) {
		if !seen[kind] {
			seen[kind] = true
			h.Kinds = append(h.Kinds, kind)
		}
	}
	for _, p := range r.Packages {
		add(f.words(cmp.Or(p.Type, "unknown")))
	}
	if len(r.Remotes) > 0 {
		add("remote")
	}
	return h
}

func (f *Finder) pack(p registry.Package) Package {
	return Package{RegistryType: f.words(p.Type), Identifier: f.url(p.Identifier), Version: f.words(p.Version), RegistryBaseURL: f.url(p.BaseURL), Transport: f.words(p.Transport.Type),
		EnvironmentVariables: f.inputs(p.Env), RuntimeArguments: f.inputs(p.RuntimeArgs), PackageArguments: f.inputs(p.Args)}
}

func (f *Finder) inputs(all []registry.Input) []Input {
	out := []Input{}
	for _, in := range all {
		shown := func(v string) string {
			if v != "" && (in.Secret || len(secret.Value(in.Name, v)) > 0) {
				return "<secret>"
			}
			return f.words(v)
		}
		out = append(out, Input{Name: f.words(cmp.Or(in.Name, in.Hint)), Description: f.words(in.Description), Value: shown(in.Value), Default: shown(in.Default),
			Required: in.Required, Secret: in.Secret})
	}
	return out
}

func (f *Finder) pin(p registry.Package, pin *pkg.Pin, err error) Pin {
	out := Pin{Package: f.pack(p), Digests: []string{}, InstallScripts: []string{}}
	if err != nil {
		var un *pkg.Unenforceable
		if errors.As(err, &un) {
			out.Unenforceable = f.words(un.Error())
		} else {
			out.Error = f.words(err.Error())
		}
		return out
	}
	out.Resolved, out.Attested, out.Deprecated, out.Yanked, out.Published = f.words(pin.Version), pin.Attestations != "", f.words(pin.Deprecated), pin.Yanked, when(pin.Published)
	for _, d := range pin.Digests() {
		out.Digests = append(out.Digests, f.words(d))
	}
	for _, s := range pin.InstallScripts {
		out.InstallScripts = append(out.InstallScripts, f.words(s))
	}
	return out
}
