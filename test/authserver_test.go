package test

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// authServer is a protected MCP server at /mcp and its authorization server at /as, real HTTP on loopback. It is strict:
// what a client leaves out or gets wrong fails. Each switch makes it lie in one way.
type authServer struct {
	*httptest.Server
	t *testing.T

	// The documents and the answers may be changed before they are sent.
	challenge func(base string) string
	resource  func(doc map[string]any)
	metadata  func(doc map[string]any)
	token     func(answer map[string]any)
	register  func(answer map[string]any)
	callback  func(q url.Values)
	// apart is the origin of the authorization server where it is another one.
	apart string
	// replace answers a path instead of the server, where it says true.
	replace func(w http.ResponseWriter, r *http.Request) bool

	mu      sync.Mutex
	clients map[string][]string // redirect URIs by client
	codes   map[string]url.Values
	access  map[string]bool
	refresh map[string]bool
	asked   []string   // paths, in order
	lastAsk url.Values // of the authorization endpoint
	n       int
}

const authScope = "tools.read"

func newAuthServer(t *testing.T) *authServer { return authServerOn(t, httptest.NewServer) }

func authServerOn(t *testing.T, listen func(http.Handler) *httptest.Server) *authServer {
	s := &authServer{t: t, clients: map[string][]string{"known": {"https://client.example/callback"}}, codes: map[string]url.Values{},
		access: map[string]bool{}, refresh: map[string]bool{}}
	s.challenge = func(base string) string {
		return `Bearer realm="x", resource_metadata="` + base + `/.well-known/oauth-protected-resource/mcp", scope="` + authScope + `"`
	}
	s.mu.Lock()
	s.Server = listen(http.HandlerFunc(s.serve))
	s.mu.Unlock()
	t.Cleanup(s.Close)
	return s
}

func (s *authServer) endpoint() string { return s.URL + "/mcp" }
func (s *authServer) issuer() string   { return cmp.Or(s.apart, s.URL) + "/as" }

func (s *authServer) paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func (s *authServer) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.URL.Path)
	if s.replace != nil && s.replace(w, r) {
		return
	}
	switch r.URL.Path {
	case "/mcp":
		s.mcp(w, r)
	case "/.well-known/oauth-protected-resource/mcp":
		s.json(w, 200, map[string]any{"resource": s.endpoint(), "authorization_servers": []string{s.issuer()}, "scopes_supported": []string{"tools.all"},
			"bearer_methods_supported": []string{"header"}}, s.resource)
	case "/.well-known/oauth-authorization-server/as":
		s.json(w, 200, map[string]any{"issuer": s.issuer(), "authorization_endpoint": s.issuer() + "/authorize", "token_endpoint": s.issuer() + "/token",
			"registration_endpoint": s.issuer() + "/register", "response_types_supported": []string{"code"}, "grant_types_supported": []string{"authorization_code", "refresh_token"},
			"code_challenge_methods_supported": []string{"plain", "S256"}, "authorization_response_iss_parameter_supported": true,
			"token_endpoint_auth_methods_supported": []string{"none"}, "client_id_metadata_document_supported": true, "scopes_supported": []string{authScope, "offline_access"}}, s.metadata)
	case "/as/authorize":
		s.authorize(w, r)
	case "/as/token":
		s.grant(w, r)
	case "/as/register":
		var ask struct {
			Redirects []string `json:"redirect_uris"`
			Method    string   `json:"token_endpoint_auth_method"`
		}
		if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || len(ask.Redirects) != 1 || ask.Method != "none" {
			s.json(w, 400, map[string]any{"error": "invalid_client_metadata"}, nil)
			return
		}
		id := s.name("client")
		s.clients[id] = ask.Redirects
		s.json(w, 201, map[string]any{"client_id": id, "redirect_uris": ask.Redirects, "token_endpoint_auth_method": "none"}, s.register)
	default:
		http.NotFound(w, r)
	}
}

func (s *authServer) name(kind string) string {
	s.n++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", s.t.Name(), kind, s.n))
	return kind + "-" + base64.RawURLEncoding.EncodeToString(sum[:12])
}

func (s *authServer) json(w http.ResponseWriter, status int, doc map[string]any, change func(map[string]any)) {
	if change != nil {
		change(doc)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(doc); err != nil {
		s.t.Error(err)
	}
}

// authorize is where the person's browser comes; the person says yes at once.
func (s *authServer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	s.lastAsk = q
	redirects := s.clients[q.Get("client_id")]
	if strings.HasPrefix(q.Get("client_id"), "https://") { // a document about the client, which this server has read
		redirects = []string{q.Get("redirect_uri")}
	}
	if q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43 ||
		q.Get("resource") != s.endpoint() || q.Get("state") == "" || !slices.Contains(redirects, q.Get("redirect_uri")) {
		http.Error(w, "bad request: "+r.URL.RawQuery, http.StatusBadRequest)
		return
	}
	code := s.name("code")
	s.codes[code] = q
	back := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {s.issuer()}}
	if s.callback != nil {
		s.callback(back)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

// grant is the token endpoint.
func (s *authServer) grant(w http.ResponseWriter, r *http.Request) {
	refuse := func(why string) {
		s.json(w, 400, map[string]any{"error": "invalid_grant", "error_description": why}, s.token)
	}
	if err := r.ParseForm(); err != nil {
		refuse(err.Error())
		return
	}
	f := r.PostForm
	switch {
	case f.Get("resource") != s.endpoint():
		refuse("the resource is " + f.Get("resource"))
		return
	case f.Get("grant_type") == "authorization_code":
		ask, ok := s.codes[f.Get("code")]
		delete(s.codes, f.Get("code"))
		sum := sha256.Sum256([]byte(f.Get("code_verifier")))
		if !ok || ask.Get("client_id") != f.Get("client_id") || ask.Get("redirect_uri") != f.Get("redirect_uri") ||
			ask.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) {
			refuse("the code " + f.Get("code") + " is not good")
			return
		}
	case f.Get("grant_type") == "refresh_token":
		if !s.refresh[f.Get("refresh_token")] || f.Get("client_id") == "" {
			refuse("the refresh token " + f.Get("refresh_token") + " is not good")
			return
		}
		delete(s.refresh, f.Get("refresh_token")) // good once, and then there is another
	default:
		refuse("grant type " + f.Get("grant_type"))
		return
	}
	access, refresh := s.name("access"), s.name("refresh")
	s.access[access], s.refresh[refresh] = true, true
	s.json(w, 200, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 3600, "refresh_token": refresh, "scope": authScope}, s.token)
}

// mcp is the protected server: one tool, legacy era.
func (s *authServer) mcp(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !s.access[token] {
		if c := s.challenge(s.URL); c != "" {
			w.Header().Set("WWW-Authenticate", c)
		}
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var ask struct {
		ID     any    `json:"id"`
		Method string `json:"method"`
	}
	if r.Method != http.MethodPost || json.Unmarshal(body, &ask) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": ask.ID}
	switch ask.Method {
	case "initialize":
		answer["result"] = map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]any{"name": "protected", "version": "1.0.0"}}
	case "tools/list":
		answer["result"] = map[string]any{"tools": []any{map[string]any{"name": "read_balance", "description": "Reads the balance of one account of the user.",
			"inputSchema": map[string]any{"type": "object", "properties": map[string]any{}}, "annotations": map[string]any{"readOnlyHint": true}}}}
	case "notifications/initialized":
		w.WriteHeader(http.StatusAccepted)
		return
	default:
		answer["error"] = map[string]any{"code": -32601, "message": "no such method"}
	}
	s.json(w, 200, answer, nil)
}

// secrets are all that no output may show.
func (s *authServer) secrets() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Concat(slices.Collect(maps.Keys(s.access)), slices.Collect(maps.Keys(s.refresh)), slices.Collect(maps.Keys(s.codes)))
}
