// Package foreign reads what other tools wrote down of servers: mcp-warden's warden.lock (schemas 1 to 4), and the reports
// (1.0.0 and 1.1.0) and signed baselines of MCP Tool Card Linter. They hold digests, and no definition: what is made of them is
// an entry that says so (lock.Partial).
package foreign

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Import is one server of another tool's file.
type Import struct {
	*lock.Server
	// Lacks is what the file does not say, in words.
	Lacks []string
}

// Form says which form a document has, "" for none that is known.
func Form(doc *source.Doc) string {
	root := doc.Root()
	switch {
	case root.Get("schema_version").Kind() == source.Number && root.Get("server").Kind() == source.Object && root.Get("overall_digest").Valid():
		return Warden
	case root.Get("algorithm").Valid() && root.Get("payload").Get("report").Kind() == source.Object:
		return Baseline
	case root.Get("report_schema_version").Valid():
		return Report
	}
	return ""
}

// The forms.
const (
	Warden   = "warden.lock"
	Baseline = "baseline of MCP Tool Card Linter"
	Report   = "report of MCP Tool Card Linter"
)

// Options say what a file does not.
type Options struct {
	// Name is the server's, of a file that holds one without a name.
	Name string
	// Places are the folders that differ from machine to machine.
	Places lock.Places
	// Key, if it is not nil, must have signed a baseline.
	Key ed25519.PublicKey
}

// Read reads the servers of a document. What does not hold together is refused: an import is no way around a digest. An error
// is a *lock.Error where there is a line.
func Read(doc *source.Doc, opt Options) ([]Import, error) {
	switch Form(doc) {
	case Warden:
		one, err := warden(doc, opt)
		if err != nil {
			return nil, err
		}
		return []Import{one}, nil
	case Baseline:
		return baseline(doc, opt)
	case Report:
		return report(doc.Root())
	}
	if StackForm(doc) == StackLock {
		return readStackLock(doc, opt)
	}
	return nil, &lock.Error{Msg: "it is no warden.lock, and no baseline or report of MCP Tool Card Linter"}
}

func wrong(n source.Node, format string, args ...any) error {
	e := &lock.Error{Msg: fmt.Sprintf(format, args...), Node: n}
	if n.Valid() {
		e.Line = n.Doc().Locate(n.Span(), "").Line
	}
	return e
}

// without is the digest of an object without one of its members.
func without(n source.Node, member string) (string, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(n.Raw(), &members); err != nil {
		return "", err
	}
	delete(members, member)
	return digestOf(members)
}

func digestOf(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	form, err := canon.JSON(raw)
	return canon.Digest(form), err
}

// wardenParts are the members of warden's items that are digests, and of what.
var wardenParts = map[string]string{"description_hash": "description", "input_schema_hash": "inputSchema", "arguments_hash": "arguments",
	"annotations_hash": "annotations", "output_schema_hash": "outputSchema"}

func warden(doc *source.Doc, opt Options) (out Import, err error) {
	root := doc.Root()
	version, _ := root.Get("schema_version").Number()
	if !slices.Contains([]string{"1", "2", "3", "4"}, version) {
		return out, wrong(root.Get("schema_version"), "it has schema version %s, and 1 to 4 are known", version)
	}
	s := &lock.Server{Name: opt.Name, Partial: &lock.Partial{From: Warden + ", schema " + version, Items: []lock.PartialItem{}}}
	digests := map[string][]string{}
	for _, k := range []wire.ListKind{wire.Tools, wire.Prompts, wire.Resources} {
		s.Partial.Lists = append(s.Partial.Lists, k.String())
		digests[k.String()] = []string{}
		for n := range root.Get(k.String()).Children() {
			item := lock.PartialItem{List: k.String(), Name: n.Get("name").Text(), Digests: map[string]string{}}
			if k == wire.Resources {
				item.Name = n.Get("uri").Text()
			}
			want, err := without(n, "entry_digest")
			if is := n.Get("entry_digest"); err != nil || is.Text() != want {
				return out, wrong(n, "the entry_digest of %s is not that of what stands here: the file was changed", item.Name)
			}
			digests[k.String()] = append(digests[k.String()], want)
			for member, part := range wardenParts {
				if v := n.Get(member); v.Kind() == source.String {
					item.Digests[part] = v.Text()
				}
			}
			for member, part := range map[string]string{"name": "name", "mime_type": "mimeType"} {
				if v := n.Get(member); k == wire.Resources && v.Kind() == source.String {
					if item.Digests[part], err = digestOf(v.Text()); err != nil {
						return out, wrong(v, "%s has no canonical form", member)
					}
				}
			}
			s.Partial.Items = append(s.Partial.Items, item)
		}
	}
	command := root.Get("server").Get("command_digest").Text()
	overall, err := digestOf(map[string]any{"schema_version": json.Number(version), "server": map[string]string{"command_digest": command},
		"tools": digests["tools"], "resources": digests["resources"], "prompts": digests["prompts"]})
	if err != nil || root.Get("overall_digest").Text() != overall {
		return out, wrong(root.Get("overall_digest"), "the overall_digest is not that of what stands here: the file was changed")
	}
	s.Protocol.Revision = root.Get("pin").Get("mcp_protocol_version").Text()
	server := root.Get("server")
	var launched any
	switch url := server.Get("url").Text(); {
	case url != "":
		launched = map[string]string{"url": url}
		s.Launch, err = lock.LaunchOfURL(url, "", nil)
	case server.Get("command").Text() != "":
		argv := []string{server.Get("command").Text()}
		for a := range server.Get("args").Children() {
			argv = append(argv, a.Text())
		}
		launched = map[string]any{"command": argv[0], "args": argv[1:]}
		s.Launch, err = lock.LaunchOfCommand(argv, opt.Places.Project, nil, opt.Places)
	default:
		return out, wrong(server, "it names neither a command nor a url")
	}
	if err != nil {
		return out, err
	}
	if want, err := digestOf(launched); err != nil || want != command {
		return out, wrong(server, "the command_digest is not that of what stands here: the file was changed")
	}
	return Import{s, []string{"the definitions themselves, of which it holds digests", "instructions, identity, capabilities, titles and icons",
		"resource templates", "the names of variables and headers"}}, nil
}

func baseline(doc *source.Doc, opt Options) ([]Import, error) {
	root := doc.Root()
	payload := root.Get("payload")
	if v := root.Get("schema_version"); v.Text() != "1.0.0" || root.Get("algorithm").Text() != "Ed25519" {
		return nil, wrong(v, "it is a baseline of another version than 1.0.0")
	}
	form, err := canon.JSON(payload.Raw())
	if err != nil {
		return nil, wrong(payload, "it has no canonical form: %s", err)
	}
	want, err := canon.JSON(payload.Get("report").Raw())
	if err != nil || payload.Get("report_digest").Text() != canon.Digest(want) {
		return nil, wrong(payload.Get("report_digest"), "the report_digest is not that of the report: the file was changed")
	}
	if opt.Key != nil {
		sig, err := base64.RawURLEncoding.Strict().DecodeString(root.Get("signature").Text())
		sum := sha256.Sum256(opt.Key)
		if err != nil || root.Get("key_id").Text() != "sha256:"+hex.EncodeToString(sum[:]) ||
			!ed25519.Verify(opt.Key, append([]byte("MCP-Tool-Card-Linter baseline v1\x00"), form...), sig) {
			return nil, wrong(root.Get("signature"), "that key did not sign it")
		}
	}
	return report(payload.Get("report"))
}

// report reads the tools of a report, by server.
func report(root source.Node) ([]Import, error) {
	version := root.Get("report_schema_version")
	if !slices.Contains([]string{"1.0.0", "1.1.0"}, version.Text()) {
		return nil, wrong(version, "it is a report of schema %s, and 1.0.0 and 1.1.0 are known", version.Text())
	}
	var all []Import
	at := map[string]int{}
	for n := range root.Get("sources").Children() {
		name := n.Get("server_name").Text()
		if _, twice := at[name]; twice {
			return nil, wrong(n, "the server %s stands here twice", name)
		}
		if n.Get("errors").Len() > 0 || string(n.Get("truncated").Raw()) == "true" {
			return nil, wrong(n, "the report of %s is of a part of it: there were errors, or tools were left out", name)
		}
		s := &lock.Server{Name: name, Partial: &lock.Partial{From: Report + ", schema " + version.Text(), Lists: []string{wire.Tools.String()}, Items: []lock.PartialItem{}}}
		lacks := []string{"the definitions themselves, of which it holds digests", "prompts, resources, instructions, identity and capabilities"}
		url := n.Get("metadata").Get("url").Text()
		launch, err := lock.LaunchOfURL(url, "", nil)
		if url != "" && err == nil && !strings.Contains(url, "REDACTED") {
			s.Launch = launch
		} else {
			lacks = append(lacks, "how it is started")
		}
		at[name] = len(all)
		all = append(all, Import{s, lacks})
	}
	seen := map[string]bool{}
	for n := range root.Get("tools").Children() {
		server, tool := n.Get("server_name").Text(), n.Get("tool_name").Text()
		i, ok := at[server]
		key, _ := json.Marshal([]string{server, tool})
		switch {
		case !ok:
			return nil, wrong(n, "the tool %s is of %s, which is none of the sources", tool, server)
		case seen[string(key)]:
			return nil, wrong(n, "the tool %s of %s stands here twice", tool, server)
		}
		seen[string(key)] = true
		all[i].Partial.Items = append(all[i].Partial.Items, lock.PartialItem{List: wire.Tools.String(), Name: tool,
			Digests: map[string]string{"": n.Get("card_fingerprint").Text()}})
	}
	if len(all) == 0 {
		return nil, errors.New("it lists no server")
	}
	return all, nil
}
