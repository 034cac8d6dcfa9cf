package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
)

// Bundle is the file of com.example/bundle.
const Bundle = "PK\x03\x04 a bundle of nothing"

// BundleSHA256 is its digest, as records have it.
func BundleSHA256() string {
	sum := sha256.Sum256([]byte(Bundle))
	return hex.EncodeToString(sum[:])
}

// packages answers as the registries of packages do.
func (s *Server) packages(w http.ResponseWriter, r *http.Request) {
	switch path := strings.TrimPrefix(r.URL.EscapedPath(), "/"); {
	case path == "mcpb/bundle.mcpb":
		w.Write([]byte(Bundle))
	default:
		http.NotFound(w, r)
	}
}
