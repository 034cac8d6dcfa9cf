package secret

import "testing"

// Shapes of what stands in real configs where a secret belongs (53 of 202 secret-named values there).
func TestPlaceholdersAreNoSecrets(t *testing.T) {
	for _, c := range []struct{ key, value string }{
		{"BRAVE_API_KEY", "YOUR_BRAVE_API_KEY"}, {"GITHUB_PERSONAL_ACCESS_TOKEN", "YOUR_GITHUB_TOKEN"}, {"GITHUB_PERSONAL_ACCESS_TOKEN", "<YOUR_TOKEN>"},
		{"GOOGLE_CLIENT_SECRET", "YOUR_GOOGLE_WORKSPACE_CLIENT_SECRET"}, {"MISTRAL_API_KEY", "your_mistral_api_key_here"}, {"API_KEY", "your-x"},
		{"ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY_HERE"}, {"ANTHROPIC_API_KEY", "YOUR_ANTHROPIC_API_KEY_HERE"}, {"PERPLEXITY_API_KEY", "PERPLEXITY_API_KEY_HERE"},
		{"OPENAI_API_KEY", "OPENAI_API_KEY"}, {"OPENAI_API_KEY", "openai-api-key"}, {"OPENAI_API_KEY", "openaiApiKey"}, {"openaiApiKey", "OPENAI_API_KEY"}, {"K", "PERPLEXITY_API_KEY"},
		{"TOKEN", "{token}"}, {"TOKEN", "<token>"}, {"TOKEN", "[TOKEN]"}, {"TOKEN", "[your token]"}, {"TOKEN", "__TOKEN__"}, {"TOKEN", "@@TOKEN@@"}, {"TOKEN", "(your token)"},
		{"SLACK_BOT_TOKEN", "xoxb-your-bot-token"}, {"SLACK_BOT_TOKEN", "xoxb-your-token-here"}, {"GITHUB_TOKEN", "ghp_your_token_here"}, {"GITHUB_TOKEN", "ghp_your-token"},
		{"GITHUB_TOKEN", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}, {"GITHUB_TOKEN", "ghp_xxxx"}, {"GITHUB_TOKEN", "ghp_..."}, {"OPENAI_API_KEY", "sk-..."}, {"OPENAI_API_KEY", "sk-…"},
		{"ANTHROPIC_API_KEY", "sk-ant-api03-your-key"}, {"ANTHROPIC_API_KEY", "sk-ant-api03-xxxxxxxx"}, {"OPENAI_API_KEY", "sk-your-openai-key"}, {"OPENAI_API_KEY", "sk-proj-your-key-here"},
		{"POSTHOG_API_KEY", "get-from-https://app.posthog.test/settings"}, {"X_API_KEY", "get-from-console"}, {"FIXER_BOT_TOKEN", "replace-with-token-if-needed"},
		{"API_KEY", "changeme"}, {"API_KEY", "change-me"}, {"DB_PASSWORD", "changeme123"}, {"API_KEY", "example"}, {"API_KEY", "example-key"}, {"API_KEY", "dummy"}, {"API_KEY", "dummy_token_value"},
		{"API_KEY", "test"}, {"API_KEY", "test-key"}, {"API_KEY", "test_token_123"}, {"API_KEY", "fake-api-key-for-tests"}, {"SECRET", "my-super-secret-token"}, {"SECRET", "secret"}, {"PASSWORD", "password"},
		{"API_KEY", "xxxx"}, {"API_KEY", "XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX"}, {"API_KEY", "****************"}, {"API_KEY", "00000000-0000-0000-0000-000000000000"}, {"API_KEY", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa"}, {"API_KEY", "........"}, {"API_KEY", "..."}, {"API_KEY", "••••••••"}, {"API_KEY", "---"},
		{"API_KEY", "none"}, {"API_KEY", "null"}, {"API_KEY", "undefined"}, {"API_KEY", "TODO"}, {"API_KEY", "REDACTED"}, {"API_KEY", "[REDACTED]"}, {"API_KEY", "<redacted>"}, {"API_KEY", "optional"}, {"API_KEY", "not-needed"}, {"API_KEY", "N/A"}, {"GITHUB_TOKEN", "ghp_<your_token>"}, {"KEY", "prefix-<KEY>-suffix"},
		{"AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}, {"AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"},
		{"API_KEY", "你的API密钥"}, {"API_KEY", "ваш_токен"}, {"API_KEY", "VOTRE_CLE_API"}, {"API_KEY", "TU_API_KEY"}, {"API_KEY", "COLE_SUA_CHAVE_AQUI"},
		{"Authorization", "Bearer YOUR_TOKEN"}, {"Authorization", "Bearer <token>"}, {"API_KEY", `"YOUR_KEY"`}, {"API_KEY", " your key here "}, {"KEY", "<secret: github-pat>"}, {"KEY", "%s"},
		{"JWT_SECRET", "your-256-bit-secret"}, {"SECRET_KEY", "development-secret-key-change-in-production"}, {"SLACK_TEAM_TOKEN", "your_slack_team_token_123"},
	} {
		if !IsPlaceholder(c.key, c.value) {
			t.Errorf("%s=%q is not taken for a placeholder", c.key, c.value)
		}
		if hits := Value(c.key, c.value); len(hits) != 0 {
			t.Errorf("%s=%q: got %+v", c.key, c.value, hits)
		}
	}
}

// Words around a random part do not excuse it, and neither does the word of a placeholder inside a random run.
func TestRandomPartsAreNoPlaceholders(t *testing.T) {
	for _, tpl := range []string{"my-prod-key-{x:32}", "{w:40}", "{x:32}", uuid, "test_{w:32}", "{w:10}your{w:20}", "<{w:32}>", "<b>{w:24}", "[{w:32}]", "{{w:32}}", "the-{a:24}-key", "hunter2", "postgres", "{A:32}", "", "Summer2024!", "vbd-{x:20}"} {
		if v := fake(tpl); IsPlaceholder("API_KEY", v) {
			t.Errorf("%q is taken for a placeholder", tpl)
		}
	}
}

func TestReferencesOfEveryGrammar(t *testing.T) {
	for _, v := range []string{
		"${V}", "${V:-}", "${V:-${W}}", "${V-${W:-}}", "${V:=}", "${V:?is needed}", "${V:+${W}}", "${env:API_KEY}", "${env:API_KEY:-}", "${input:api-key}", "${config:a.b}", "${command:x.y}", "${workspaceFolder}", "${user_config.api_key}", "${file:~/x}", "${secret:x}",
		"{env:API_KEY}", "{file:~/.secrets/key}", "${{ secrets.API_KEY }}", "${{secrets.X}}", "$API_KEY", "$api_key", "$env:API_KEY", "%API_KEY%", "{{api_key}}", "{{ api.key }}", "$(pass show x)", "`pass show x`",
		"op://vault/item/field", "vault:secret/data/x#key", "vault://secret/x", "keyring:service/user", "keychain:x", "awssm://x", "arn:aws:secretsmanager:eu-west-1:1:secret:x", "projects/p/secrets/s/versions/latest", "env:API_KEY", "file:/run/secrets/key", "mcpm:keychain:a/B",
		"Bearer ${TOKEN}", "Token $TOKEN", "Basic {{ auth }}", "${A}:${B}", "${A}_${B}", `"${A}"`, "${V:-your-key-here}", "Bearer {env:TOKEN}", "$(curl -s https://x.test/token | jq -r .token)",
	} {
		if !IsReference(v) {
			t.Errorf("%q is not taken for a reference", v)
		}
		for _, key := range []string{"API_KEY", "PASSWORD", "Authorization"} {
			if hits := Value(key, v); len(hits) != 0 {
				t.Errorf("%s=%q: got %+v", key, v, hits)
			}
		}
	}
}

func TestLiteralsAreNoReferences(t *testing.T) {
	for _, v := range []string{"", "abc", "$", "${", "${V", "{{x", "$(", "%", "%%", "50%", "pa$word1", "pa$$word", "$2b$12$abc", "${V}abcdefgh12", "https://${HOST}/mcp", "{env:", "{x}", "%20abc%20", "vault", "op:/x", "$1", "${V:-hunter22}"} {
		if IsReference(v) {
			t.Errorf("%q is taken for a reference", v)
		}
	}
}

// ${T:-literal} hides a literal: ctxlint deletes it with the reference (config-lint facts 6.26).
func TestTheLiteralDefaultOfAReferenceIsJudged(t *testing.T) {
	for _, c := range []struct {
		key, before, literal, after string
		kind                        Kind
	}{
		{"API_KEY", "${API_KEY:-", "{w:32}", "}", NameGated},
		{"API_KEY", "${API_KEY-", "{x:32}", "}", NameGated},
		{"API_KEY", "${env:API_KEY:-", "{x:32}", "}", NameGated},
		{"API_KEY", "${A:-${B:-", "{w:32}", "}}", NameGated},
		{"X", "${X:-", "ghp_{w:36}", "}", "github-pat"},
		{"API_KEY", "Bearer ${T:-", "{w:32}", "}", Bearer},
		{"X", "$(echo ", "sk-ant-api03-{_:40}", ")", "anthropic"},
		{"DATABASE_URL", "postgres://app:${PW:-", "{w:16}", "}@h.test/db", UserInfo},
	} {
		literal := fake(c.literal)
		hits := Value(c.key, c.before+literal+c.after)
		if len(hits) != 1 || hits[0].Kind != c.kind || hits[0].Start != len(c.before) || hits[0].End != len(c.before)+len(literal) {
			t.Errorf("%s=%s%s%s: got %+v", c.key, c.before, c.literal, c.after, hits)
		}
	}
}
