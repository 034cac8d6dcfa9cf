package registry

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Bundle is the file of com.example/bundle.
const Bundle = "PK\x03\x04 a bundle of nothing"

// BundleSHA256 is its digest, as records have it.
func BundleSHA256() string { return sha(Bundle) }

func sha(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func sri(s string) string {
	sum := sha512.Sum512([]byte(s))
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Manifest is what the tag 1.0.0 of the image example/box stands for.
const Manifest = `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[]}`

// ManifestDigest is its digest.
func ManifestDigest() string { return "sha256:" + sha(Manifest) }

// Token is what an honest registry of images gives to anybody, and what the private scope of the npm registry wants.
const Token = "0123456789abcdef0123"

// packages answers as the registries of packages do: npm below /npm, PyPI below /pypi/simple, images below /v2, NuGet below
// /nuget, crates below /cargo, bundles below /mcpb, what is known of vulnerabilities below /osv. What is wrong with a package is in its name.
func (s *Server) packages(w http.ResponseWriter, r *http.Request) {
	base := "http://" + r.Host
	path, _ := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), "/"))
	kind, rest, _ := strings.Cut(path, "/")
	switch kind {
	case "npm":
		s.npm(w, r, base, rest)
	case "pypi":
		if file, ok := strings.CutPrefix(rest, "provenance/"); ok {
			if s.Attest == nil {
				put(w, J{"version": 1, "attestation_bundles": []J{}})
				return
			}
			w.Write(s.Attest("pypi", "example-notes", "0.3.0", file, sha(file), s.workflow("pypi")))
			return
		}
		s.pypi(w, base+"/pypi", strings.Trim(strings.TrimPrefix(rest, "simple/"), "/"))
	case "v2":
		image(w, r, base, rest)
	case "osv":
		osv(w, r, rest)
	case "osv-500":
		problem(w, 500, "not now")
	case "osv-web-page":
		fmt.Fprint(w, "<!doctype html><title>Sign in</title>")
	case "token":
		put(w, J{"token": Token})
	case "nuget":
		nuget(w, base+"/nuget", rest)
	case "cargo":
		if rest != "ex/am/example-crate" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `{"name":"example-crate","vers":"0.9.0","cksum":"%s","yanked":false}`+"\n", sha("0.9.0"))
		fmt.Fprintf(w, `{"name":"example-crate","vers":"1.0.0","cksum":"%s","yanked":false}`+"\n", sha("1.0.0"))
		fmt.Fprintf(w, `{"name":"example-crate","vers":"1.1.0","cksum":"%s","yanked":true}`+"\n", sha("1.1.0"))
	case "mcpb":
		switch rest {
		case "bundle.mcpb":
			w.Write([]byte(Bundle))
		case "moved.mcpb":
			http.Redirect(w, r, "/mcpb/bundle.mcpb", http.StatusFound)
		case "round.mcpb":
			http.Redirect(w, r, "/mcpb/round.mcpb", http.StatusFound)
		case "slow.mcpb":
			for range 100 {
				if _, err := w.Write([]byte{0}); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				time.Sleep(50 * time.Millisecond)
			}
		case "metadata.mcpb":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	default:
		http.NotFound(w, r)
	}
}

// attested is how the names of those npm packages begin that somebody signed.
const attested = "@example/files"

// tarball is what a version of a package is in: its name is what is in it.
func tarball(name, version string) string {
	return strings.NewReplacer("@", "", "/", "-").Replace(name) + "-" + version + ".tgz"
}

func put(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}

func (s *Server) npm(w http.ResponseWriter, r *http.Request, base, path string) {
	if s.is("npm") == "down" {
		problem(w, 500, "down")
		return
	}
	if about, ok := strings.CutPrefix(path, "-/npm/v1/attestations/"); ok {
		if s.is("npm") == "attestations down" {
			problem(w, 500, "down")
			return
		}
		if !strings.HasPrefix(about, attested) || s.is("npm") == "unattested" {
			problem(w, 404, "none")
			return
		}
		if at := strings.LastIndex(about, "@"); s.Attest != nil && s.is("npm") != "badly attested" {
			sum := sha512.Sum512([]byte(tarball(about[:at], about[at+1:])))
			w.Write(s.Attest("npm", about[:at], about[at+1:], about[:at], hex.EncodeToString(sum[:]), s.workflow("npm")))
			return
		}
		put(w, J{"attestations": []J{{"predicateType": "https://slsa.dev/provenance/v1", "bundle": J{}}}})
		return
	}
	if name, ok := strings.CutPrefix(path, "-/"); ok { // a tarball
		if strings.HasPrefix(name, "drift") {
			name = "something else"
		}
		w.Write([]byte(name))
		return
	}
	parts := strings.Split(path, "/")
	name := parts[0]
	if strings.HasPrefix(name, "@") && len(parts) > 1 {
		name, parts = name+"/"+parts[1], parts[1:]
	}
	if strings.HasPrefix(name, "@private/") && r.Header.Get("Authorization") != "Bearer "+Token || name == "nobody" {
		problem(w, 404, "not found")
		return
	}
	version := func(v string) J {
		file := tarball(name, v)
		doc := J{"name": name, "version": v, "scripts": J{"test": "true"}, "engines": J{"node": ">=20"}, "dist": J{"integrity": sri(file), "shasum": strings.Repeat("0", 40), "tarball": base + "/npm/-/" + file}}
		dist := doc["dist"].(J)
		switch s.is("npm") {
		case "bytes":
			dist["integrity"] = sri("something else")
		case "format":
			sum := sha256.Sum256([]byte(file))
			dist["integrity"] = "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
		case "sha1":
			delete(dist, "integrity")
		}
		switch name {
		case "scripts":
			doc["scripts"] = J{"postinstall": "node setup.js"}
		case "withdrawn":
			doc["deprecated"] = "use another \x1b[2J" + Secret
		case "sha1-only":
			delete(dist, "integrity")
		case "odd":
			dist["integrity"] = "sha512-short"
		case "impostor":
			doc["name"] = "another"
		}
		if strings.HasPrefix(name, attested) {
			dist["attestations"] = J{"url": base + "/npm/-/attestations", "provenance": J{"predicateType": "https://slsa.dev/provenance/v1"}}
		}
		return doc
	}
	all := []string{"1.0.0", "1.2.0", "1.10.0", "2.0.0-rc.1"}
	if len(parts) > 1 {
		for _, v := range all {
			if v == parts[1] {
				put(w, version(v))
				return
			}
		}
		problem(w, 404, "version not found")
		return
	}
	versions := J{}
	for _, v := range all {
		versions[v] = version(v)
	}
	put(w, J{"name": name, "dist-tags": J{"latest": "1.10.0", "next": "2.0.0-rc.1"}, "versions": versions})
}

func (s *Server) pypi(w http.ResponseWriter, base, name string) {
	file := func(name string, more J) J {
		f := J{"filename": name, "url": "../../files/" + name + "#sha256=x", "hashes": J{"sha256": sha(name)}, "requires-python": ">=3.10", "upload-time": old, "yanked": false}
		for k, v := range more {
			f[k] = v
		}
		return f
	}
	doc := J{"meta": J{"api-version": "1.1"}, "name": name}
	switch name {
	case "example-notes":
		doc["name"] = "Example.Notes"
		doc["files"] = []J{file("example_notes-0.2.0-py3-none-any.whl", nil), file("example_notes-0.3.0-py3-none-any.whl", J{"provenance": base + "/provenance/example_notes-0.3.0-py3-none-any.whl"}),
			file("example-notes-0.3.0.tar.gz", J{"provenance": base + "/provenance/example-notes-0.3.0.tar.gz"}), file("example_notes-0.4.0-py3-none-any.whl", J{"yanked": "broken"}), file("example_notes-1.0rc1.tar.gz", nil),
			file("example_notes-0.3.0-py3.11.egg", nil), file("other-9.9.tar.gz", nil), file("example_notes-0.3.0+local-py3-none-any.whl", nil)}
		switch list := doc["files"].([]J); s.is("pypi") {
		case "new file":
			doc["files"] = append(list, file("example_notes-0.3.0-cp313-cp313-linux_x86_64.whl", J{"provenance": base + "/provenance/example_notes-0.3.0-cp313-cp313-linux_x86_64.whl"}))
		case "gone file":
			doc["files"] = append(list[:2:2], list[3:]...)
		case "bytes":
			list[1]["hashes"] = J{"sha256": sha("something else")}
		case "unattested":
			delete(list[1], "provenance")
		}
		doc["versions"] = []string{"0.2.0", "0.3.0", "0.4.0", "1.0rc1", "0.3.0+local"}
	case "md5-only":
		doc["files"] = []J{file("md5_only-1.0-py3-none-any.whl", J{"hashes": J{"md5": strings.Repeat("0", 32)}})}
	case "bad-digest":
		doc["files"] = []J{file("bad_digest-1.0-py3-none-any.whl", J{"hashes": J{"sha256": "xyz"}})}
	default:
		problem(w, 404, "")
		return
	}
	put(w, doc)
}

func image(w http.ResponseWriter, r *http.Request, base, path string) {
	if r.Header.Get("Authorization") != "Bearer "+Token {
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="%s/token",service="box",scope="repository:example/box:pull"`, base))
		if strings.HasPrefix(path, "basic/") {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		}
		problem(w, 401, "")
		return
	}
	switch path {
	case "example/box/manifests/1.0.0", "example/box/manifests/latest", "example/box/manifests/" + ManifestDigest():
		w.Header().Set("Content-Type", "application/vnd.oci.image.index.v1+json")
		w.Write([]byte(Manifest))
	case "example/liar/manifests/" + ManifestDigest():
		w.Write([]byte(Manifest + " "))
	default:
		problem(w, 404, "")
	}
}

func nuget(w http.ResponseWriter, base, path string) {
	switch path {
	case "index.json":
		put(w, J{"version": "3.0.0", "resources": []J{{"@id": base + "/flat/", "@type": "PackageBaseAddress/3.0.0"}, {"@id": base + "/reg/", "@type": "RegistrationsBaseUrl/3.6.0"}}})
	case "flat/example.old/index.json":
		put(w, J{"versions": []string{"0.9.0", "1.0.0", "2.0.0-beta"}})
	case "reg/example.old/1.0.0.json":
		put(w, J{"catalogEntry": base + "/catalog/1.json", "packageContent": base + "/flat/example.old/1.0.0/example.old.1.0.0.nupkg"})
	case "catalog/1.json":
		sum := sha512.Sum512([]byte("nupkg"))
		put(w, J{"id": "Example.Old", "version": "1.0.0", "packageHash": base64.StdEncoding.EncodeToString(sum[:]), "packageHashAlgorithm": "SHA512", "created": old, "listed": true})
	default:
		problem(w, 404, "")
	}
}
