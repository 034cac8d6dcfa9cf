package secret

import (
	"strings"
	"testing"
)

func TestSecretNames(t *testing.T) {
	for _, name := range []string{
		"API_KEY", "apiKey", "api-key", "APIKEY", "OPENAI_API_KEY", "exaApiKey", "X-Api-Key", "KEY", "key", "Ocp-Apim-Subscription-Key", "API_KEYS", "API_KEY_2",
		"TOKEN", "GITHUB_TOKEN", "accessToken", "access_token", "AUTHTOKEN", "refresh-token", "X-Auth-Token", "Private-Token", "GITHUB_PAT", "BEARER", "JWT", "api-key-value",
		"SECRET", "CLIENT_SECRET", "clientSecret", "SECRET_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY", "VAULT_SECRET_ID", "SIGNING_KEY", "COOKIE", "SESSION", "SESSION_COOKIE", "PRIVATE_KEY", "CREDENTIAL", "CREDENTIALS", "REDIS_AUTH", "Authorization", "Proxy-Authorization",
		"PASSWORD", "DB_PASSWORD", "DB_PASS", "PGPASSWORD", "MYSQL_PWD", "passwd", "passphrase", "PW",
	} {
		if !SecretName(name) {
			t.Errorf("%s is not taken for a secret's name", name)
		}
	}
	for _, name := range []string{
		"", "MONKEY_NAME", "MONKEY", "KEYBOARD_LAYOUT", "KEYBOARD", "TURKEY", "HOCKEY_TEAM", "AUTHOR", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_NAME", "TOKENIZERS_PARALLELISM", "TOKENIZER", "MAX_TOKENS", "maxTokens", "max-tokens", "DEFAULT_MINIMUM_TOKENS", "MAX_TOKEN",
		"AUTH_MODE", "AUTH_ENABLED", "AUTH0_DOMAIN", "AUTH_TYPE", "TOKEN_URL", "OAUTH_REDIRECT_URI", "OAUTH", "SECRET_NAME", "SESSION_DIR", "KEY_FILE", "PRIVATE_KEY_PATH", "TOKEN_FILE", "token-file", "TOKEN_PATH", "CLIENT_ID", "AUTH_CLIENT_ID", "SESSION_ID", "KEY_ID",
		"TOKEN_EXPIRY", "TOKEN_TTL", "SESSION_TIMEOUT", "API_KEY_HEADER", "bearer_token_env_var", "API_KEY_ENV", "AUTH_HOST", "AUTH_SERVER", "AUTH_PROVIDER", "AUTH_USER", "PASSWORD_FILE", "KEY_NAME", "TOKEN_TYPE", "SECRET_PATH",
		"PUBLIC_KEY", "STRIPE_PUBLISHABLE_KEY", "SORT_KEY", "PRIMARY_KEY", "PATH", "PATTERN", "COMPASS", "BYPASS", "author", "authority", "NODE_ENV", "HOME", "PASSENGER", "COMPANY", "KEYS", "keyword", "Content-Type", "Accept",
	} {
		if SecretName(name) {
			t.Errorf("%s is taken for a secret's name", name)
		}
	}
}

func TestOpaqueValuesUnderASecretsName(t *testing.T) {
	for _, c := range []struct {
		key, value   string
		medium, spec bool
	}{
		{"REF_API_KEY", "ref-{x:20}", false, true},
		{"HYPERBROWSER_API_KEY", "fc_t{a:27}", false, true},
		{"DEEPL_API_KEY", uuid + ":fx", false, false},
		{"API_KEY", "{x:32}", false, true},
		{"API_KEY", "{w:21}", false, true},
		{"API_KEY", "{w:20}", true, false},
		{"API_KEY", uuid, false, true},
		{"AWS_SECRET_ACCESS_KEY", "{+:40}", false, true},
		{"SESSION_COOKIE", "{_:44}", false, true},
		{"SIGNING_KEY", "{+:43}=", false, true},
		{"API_KEY", "abcdef1234567890abcdef1234567890", true, true},
		{"API_KEY", "abcdefghijklmnopqrstuvwxyz", true, true},
		{"API_KEY", "kjhgfdsaqwertyuioplkjhgfd", true, true},
		{"DB_PASSWORD", "Summer2024!", true, false},
		{"DB_PASS", "hunter22", true, false},
		{"PASSWORD", "Tr0ub4dor&3", true, false},
		{"SECRET", "s3cr3t-v4lue", true, false},
		{"JWT_SECRET", "{w:12}!{w:12}", false, false},
		{"GMAIL_APP_PASSWORD", "abwd qkrj zxmv plot", true, false},
	} {
		v := fake(c.value)
		hits := Value(c.key, v)
		if len(hits) != 1 || hits[0].Kind != NameGated || hits[0].Start != 0 || hits[0].End != len(v) || hits[0].Medium != c.medium || hits[0].Spec != c.spec {
			t.Errorf("%s=%s: got %+v, want medium %v, spec %v", c.key, c.value, hits, c.medium, c.spec)
		}
	}
}

// False positives of other tools on real configs (config-lint facts 6.20; doctor facts 4).
func TestHarmlessValuesAreNoSecrets(t *testing.T) {
	for _, c := range []struct{ key, value string }{
		{"MAX_TOKENS", "4096"}, {"AUTHOR", "Jane Doe"}, {"GIT_AUTHOR_EMAIL", "jane@example.test"}, {"AUTH_MODE", "oauth2"}, {"AUTH0_DOMAIN", "dev-abc123xyz456def.us.auth0.com"}, {"TOKEN_URL", "https://login.test/oauth/token"},
		{"OAUTH_REDIRECT_URI", "http://localhost:3000/callback"}, {"SECRET_NAME", "prod/db/credentials-v2-20250618"}, {"TOKENIZERS_PARALLELISM", "false"}, {"AUTH_ENABLED", "true"}, {"MONKEY_NAME", "{w:32}"}, {"KEYBOARD_LAYOUT", "us-international-with-deadkeys"},
		{"SESSION_DIR", "/home/u/.local/state/{x:32}"}, {"CLIENT_ID", uuid}, {"AZURE_CLIENT_ID", uuid}, {"AZURE_TENANT_ID", uuid}, {"GIT_COMMIT", "{x:40}"}, {"BUILD_ID", "{x:32}"}, {"IMAGE", "ghcr.io/o/i@sha256:{x:64}"}, {"VERSION", "1.2.3-rc.1+build.20250618"},
		{"KEY", "true"}, {"API_KEY", "false"}, {"SESSION", "0"}, {"TOKEN", "3600"}, {"AUTH", "oauth2"}, {"AUTH", "basic"}, {"KEY", "ctrl+shift+p"}, {"AUTH", "user@example.test"}, {"PRIVATE_KEY", "/run/secrets/key"}, {"PRIVATE_KEY", "./certs/server.key"}, {"PRIVATE_KEY", `C:\Users\me\key.pem`}, {"GOOGLE_APPLICATION_CREDENTIALS", "/home/u/project-123abc456def.json"},
		{"PRIVATE_KEY", "~/.ssh/id_ed25519"}, {"CREDENTIALS", "credentials.json"}, {"YOUTUBE_TOKEN_PATH", "token.json"}, {"KEY", "us-east-1-prod-cluster"}, {"AUTH", "https://auth.test/realms/main"}, {"TOKEN", "gpt-4o-mini-2024-07-18"}, {"SESSION", "claude-sonnet-4-20250514"},
		{"KEY", "@modelcontextprotocol/server-github"}, {"KEY", "@scope/long-package-name@1.2.3"}, {"TOKEN", "localhost:8080"}, {"KEY", "sha256:{x:64}"}, {"KEY", "30m"}, {"POSTGRES_PASSWORD", "postgres"}, {"MYSQL_PASS", "test"}, {"API_KEY", ""}, {"API_KEY", "  "}, {"API_KEY", "a value with words in it"},
		{"PKG", "@upstash/context7-mcp@1.0.14"}, {"LANG", "en_US.UTF-8"}, {"PATH", "/usr/local/bin:/usr/bin:/opt/{x:32}/bin"}, {"keyDetails", "PKIX_ECDSA_P256_SHA_256"}, {"NODE_OPTIONS", "--max-old-space-size=4096"}, {"AUTH_STRATEGY_KEY", "connectSessionCookieName"},
		{"URL", "https://mcp.example.test/mcp"}, {"BASE_URL", "https://api.cloud.test/client/v4/accounts/{x:32}/ai"}, {"RAW", "https://raw.githubusercontent.com/o/r/{x:40}/f.json"},
	} {
		if hits := Value(c.key, fake(c.value)); len(hits) != 0 {
			t.Errorf("%s=%s: got %+v", c.key, c.value, hits)
		}
	}
}

func TestSecretsInsideValuesAreSpannedAlone(t *testing.T) {
	for _, c := range []struct {
		key, value string
		kind       Kind
	}{
		{"DATABASE_URL", "postgresql://app:[[{w:16}]]@db.test/app", UserInfo},
		{"DATABASE_URL", "Server=db;User Id=app;Password=[[{w:16}!]];Encrypt=true", NameGated},
		{"PG", "host=db user=app password=[[{w:16}]] dbname=x", NameGated},
		{"OPENAPI_MCP_HEADERS", `{"Authorization":"Bearer [[ntn_{w:46}]]","Notion-Version":"2022-06-28"}`, "notion"},
		{"OPENAPI_MCP_HEADERS", `{"Authorization":"Bearer [[{w:40}]]"}`, Bearer},
		{"CONFIG", `{"a":{"b":[{"apiKey":"[[{w:24}]]"}]}}`, JSONField},
		{"ENDPOINT", "https://x.test/mcp?api_key=[[{w:24}]]&v=1", URLQuery},
		{"OPENAI_BASE_URL", "https://[[sk-ant-api03-{_:40}]]@x.test/", "anthropic"},
		{"AUTH_VALUE", "Bearer [[{w:32}]]", Bearer},
		{"SITE_COOKIE", "sid=[[{w:32}]]; theme=dark", Cookie},
		{"NOTE", "key is [[AKIA{A:16}]]", "aws-access-key"},
		{"API_KEY", `"[[{x:32}]]"`, NameGated},
		{"API_KEY", " [[{x:32}]]\n", NameGated},
	} {
		check(t, c.key+"="+c.value, c.value, c.kind, func(s string) []Hit { return Value(c.key, s) })
	}
}

// check expands a template whose secret stands in [[ ]] and demands exactly that hit.
func check(t *testing.T, name, tpl string, kind Kind, find func(string) []Hit) {
	t.Helper()
	text, start, end := marked(tpl)
	hits := find(text)
	if start < 0 {
		if len(hits) != 0 {
			t.Errorf("%s: got %+v, want none", name, hits)
		}
		return
	}
	if len(hits) != 1 || hits[0].Kind != kind || hits[0].Start != start || hits[0].End != end {
		t.Errorf("%s: got %+v, want %s at [%d,%d)", name, hits, kind, start, end)
	}
}

// marked expands a template and returns the span of the [[secret]] in it, or -1.
func marked(tpl string) (text string, start, end int) {
	text = fake(tpl)
	start = strings.Index(text, "[[")
	if start < 0 {
		return text, -1, -1
	}
	text = strings.Replace(text, "[[", "", 1)
	end = strings.Index(text, "]]")
	return strings.Replace(text, "]]", "", 1), start, end
}

func TestLengthClasses(t *testing.T) {
	for n, want := range map[int]string{1: "1-7", 7: "1-7", 8: "8-19", 19: "8-19", 20: "20-39", 40: "40-79", 80: "80-159", 160: "160+", 4000: "160+"} {
		if got := lengthClass(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
	v := fake("ghp_{w:36}")
	if hits := Value("X", v); hits[0].LengthClass != "40-79" || strings.Contains(hits[0].Title, v) {
		t.Errorf("got %+v", hits)
	}
}
