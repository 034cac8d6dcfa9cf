package secret

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// fake expands a template into a string of a secret's form that was never issued to anyone, so that this
// repository holds none: {class:n} is n random characters of a class, the same in every run.
func fake(template string) string {
	classes := map[string]string{
		"9": "0123456789", "x": "0123456789abcdef", "a": "abcdefghijklmnopqrstuvwxyz0123456789", "A": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
		"w": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
		"_": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
		"+": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
	}
	random := rand.New(rand.NewPCG(1, uint64(len(template))))
	return regexp.MustCompile(`\{(\S):(\d+)\}`).ReplaceAllStringFunc(template, func(m string) string {
		class, n, _ := strings.Cut(m[1:len(m)-1], ":")
		size, _ := strconv.Atoi(n)
		b := make([]byte, size)
		for i := range b {
			b[i] = classes[class][random.IntN(len(classes[class]))]
		}
		if size > 4 && class != "9" { // always a letter and a digit, and never a dash at an end
			b[0], b[1], b[size-1] = "abcdef"[random.IntN(6)], "2345678"[random.IntN(7)], "79"[random.IntN(2)]
			if class == "A" {
				b[0] = 'Q'
			}
		}
		return string(b)
	})
}

const uuid = "{x:8}-{x:4}-{x:4}-{x:4}-{x:12}"

// cases has, for every shape, texts that hold exactly one secret of the kind, and texts that hold none.
// A secret is marked in [[ ]] where it is not the whole text.
var cases = map[Kind]struct{ yes, no []string }{
	"anthropic": {[]string{"sk-ant-api03-{_:93}AA", "sk-ant-admin01-{_:40}", "sk-ant-{_:20}"},
		[]string{"sk-ant-{_:19}", "task-ant-{_:40}", "sk-ant-api03-your-key-here-please", "sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxx", "sk-ant-api03-..."}},
	"openai-project": {[]string{"sk-proj-{_:120}", "sk-proj-{w:20}"}, []string{"sk-proj-{w:12}", "desk-proj-{w:40}", "sk-proj-YOUR_OPENAI_PROJECT_KEY_HERE"}},
	"openai": {[]string{"sk-{w:48}", "sk-{w:20}", "sk-{x:32}"}, // {x:32}: DeepSeek
		[]string{"sk-{w:19}", "task-{w:48}", "ask-{w:24}", "risk-{w:30}", "sk-internationalization-of-things", "my-sk-{w:24}-widget", "sk-{w:24}-suffix", "sk-xxxxxxxxxxxxxxxxxxxxxxxx", "sk-your-openai-key"}},
	"github-pat":          {[]string{"ghp_{w:36}", "Bearer [[ghp_{w:36}]]", "prefix[[ghp_{w:36}]]", "ghp_{w:40}"}, []string{"ghp_{w:35}", "ghp_your_token_here", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "ghp-{w:36}"}},
	"github-user":         {[]string{"ghu_{w:36}"}, []string{"ghu_{w:35}", "ghu_YOUR_TOKEN"}},
	"github-fine-grained": {[]string{"github_pat_{w:22}_{w:59}"}, []string{"github_pat_{w:22}_{w:50}", "github_pat_your_token"}},
	"slack-bot":           {[]string{"xoxb-{9:12}-{9:13}-{w:24}", "xoxb-{9:10}"}, []string{"xoxb-{9:9}", "xoxb-your-bot-token", "xoxb-your-token-here"}},
	"slack-user":          {[]string{"xoxp-{9:12}-{9:12}-{9:13}-{x:32}"}, []string{"xoxp-{9:9}", "xoxp-your-user-token"}},
	"aws-access-key":      {[]string{"AKIA{A:16}", "key: [[AKIA{A:16}]]."}, []string{"AKIA{A:15}", "AKIAIOSFODNN7EXAMPLE", "akia{a:16}"}},
	"age":                 {[]string{"AGE-SECRET-KEY-1{A:58}"}, []string{"AGE-SECRET-KEY-1", "AGE-SECRET-KEY-1...", "AGE-PUBLIC-KEY-1{A:58}", "AGE-SECRET-KEY-1EXAMPLE"}},
	"gitlab":              {[]string{"glpat-{_:20}", "glpat-{_:27}.01.{a:9}"}, []string{"glpat-{w:19}", "glpat-your-access-token-here", "glpat-xxxxxxxxxxxxxxxxxxxx"}},
	"square":              {[]string{"sq0atp-{_:22}"}, []string{"sq0atp-{w:21}", "sq0atp-your-square-token-here"}},

	"openai-service": {[]string{"sk-svcacct-{_:60}", "sk-admin-{_:60}", "sk-None-{w:48}"}, []string{"sk-admin-{w:12}", "sk-admin-dashboard-component-library"}},
	"openrouter":     {[]string{"sk-or-v1-{x:64}"}, []string{"sk-or-v1-{x:20}", "sk-or-v1-your-key"}},
	"perplexity":     {[]string{"pplx-{w:48}"}, []string{"pplx-{w:20}", "pplx-7b-online", "pplx-your-api-key"}},
	"groq":           {[]string{"gsk_{w:52}"}, []string{"gsk_{w:20}", "gsk_your_key_here"}},
	"xai":            {[]string{"xai-{w:80}"}, []string{"xai-{w:30}", "xai-your-api-key"}},
	"huggingface":    {[]string{"hf_{w:34}", "api_org_{w:34}"}, []string{"hf_{w:20}", "hf_hub_download_model_files_locally", "hf_your_token"}},
	"replicate":      {[]string{"r8_{w:37}"}, []string{"r8_{w:36}", "r8_{w:38}", "r8_your_token"}},
	"elevenlabs":     {[]string{"sk_{x:48}"}, []string{"sk_{x:47}", "sk_{x:50}", "task_{x:48}"}},
	"nvidia":         {[]string{"nvapi-{_:64}"}, []string{"nvapi-{w:30}", "nvapi-your-key"}},
	"together":       {[]string{"tgp_v1_{_:43}"}, []string{"tgp_v1_{w:20}"}},
	"cerebras":       {[]string{"csk-{a:48}"}, []string{"csk-{a:30}", "desk-csk-{a:48}"}},
	"aws-bedrock":    {[]string{"ABSK{+:120}="}, []string{"ABSK{+:60}"}},
	"langfuse":       {[]string{"sk-lf-" + uuid}, []string{"pk-lf-" + uuid, "sk-lf-{x:8}"}},
	"langsmith":      {[]string{"lsv2_pt_{x:32}_{x:10}", "lsv2_sk_{x:32}_{x:10}"}, []string{"lsv2_pt_{x:32}", "lsv2_pt_your_key"}},
	"pinecone":       {[]string{"pcsk_{w:6}_{w:60}"}, []string{"pcsk_{w:20}"}},
	"jina":           {[]string{"jina_{x:32}{_:28}"}, []string{"jina_{x:32}", "jina_embeddings_v3"}},

	"firecrawl":    {[]string{"fc-{x:32}"}, []string{"fc-{x:31}", "fc-{x:33}", "fc-YOUR_API_KEY", "wtfc-{x:32}", "fc-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}},
	"context7":     {[]string{"ctx7sk-" + uuid}, []string{"ctx7sk-{x:8}", "ctx7sk-your-api-key"}},
	"brave":        {[]string{"BSA{_:28}"}, []string{"BSA{w:10}", "BSA_SOME_LONG_CONSTANT_NAME_HERE", "BSAYourBraveSearchApiKeyHereNow"}},
	"tavily":       {[]string{"tvly-{w:32}", "tvly-dev-{w:32}", "tvly-prod-{w:32}"}, []string{"tvly-{w:10}", "tvly-YOUR_API_KEY", "tvly-your-tavily-search-api-key"}},
	"browserbase":  {[]string{"bb_live_{_:28}"}, []string{"bb_live_{w:10}", "bb_live_preview_environment_name"}},
	"hyperbrowser": {[]string{"hb_{x:28}"}, []string{"hb_{x:27}", "hb_{x:30}"}},
	"apify":        {[]string{"apify_api_{w:36}"}, []string{"apify_api_{w:10}", "apify_api_your_token"}},
	"e2b":          {[]string{"e2b_{x:40}"}, []string{"e2b_{x:39}", "e2b_your_api_key"}},
	"mem0":         {[]string{"m0-{w:40}"}, []string{"m0-{w:39}", "m0-{w:41}"}},

	"github-oauth":   {[]string{"gho_{w:36}"}, []string{"gho_{w:35}"}},
	"github-server":  {[]string{"ghs_{w:36}"}, []string{"ghs_{w:35}", "lengths_{w:36}"}},
	"github-refresh": {[]string{"ghr_{w:76}"}, []string{"ghr_{w:35}"}},
	"gitlab-other": {[]string{"gldt-{_:20}", "glrt-{_:20}", "glptt-{x:40}", "glcbt-{_:20}", "gloas-{x:64}", "glft-{_:20}", "glsoat-{_:20}", "glimt-{_:25}", "glagent-{_:50}"},
		[]string{"gldt-{w:10}", "glrt-runner-registration-token-name"}},
	"npm":       {[]string{"npm_{w:36}"}, []string{"npm_{w:35}", "npm_{w:37}", "npm_config_registry"}},
	"pypi":      {[]string{"pypi-AgEIcHlwaS5vcmc{_:120}"}, []string{"pypi-AgEIcHlwaS5vcmc", "pypi-publish-to-the-index-with-a-long-name-of-fifty-letters"}},
	"rubygems":  {[]string{"rubygems_{x:48}"}, []string{"rubygems_{x:40}"}},
	"dockerhub": {[]string{"dckr_pat_{_:27}", "dckr_oat_{_:32}"}, []string{"dckr_pat_{w:20}", "dckr_pat_your_token"}},
	"circleci":  {[]string{"CCIPAT_{w:22}_{x:40}"}, []string{"CCIPAT_{w:22}"}},
	"buildkite": {[]string{"bkua_{x:40}"}, []string{"bkua_{x:39}"}},
	"sonar":     {[]string{"squ_{x:40}", "sqp_{x:40}", "sqa_{x:40}"}, []string{"squ_{x:30}", "sqx_{x:40}"}},
	"postman":   {[]string{"PMAK-{x:24}-{x:34}"}, []string{"PMAK-{x:24}"}},

	"aws-temporary-key":   {[]string{"ASIA{A:16}"}, []string{"ASIA{A:15}", "ASIA{A:17}", "ASIAPACIFICSOUTHEASTX"}},
	"google":              {[]string{"AIza{_:35}", "https://x.test/?q=[[AIza{_:35}]]"}, []string{"AIza{w:34}", "AIza{w:36}", "AIzaxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}},
	"google-oauth-secret": {[]string{"GOCSPX-{_:28}"}, []string{"GOCSPX-{w:20}", "GOCSPX-your-client-secret-goes-in"}},
	"google-oauth-token":  {[]string{"ya29.{_:120}"}, []string{"ya29.{w:10}"}},
	"azure-storage":       {[]string{"AccountName=acct;AccountKey=[[{+:86}==]];EndpointSuffix=core.windows.net"}, []string{"AccountKey={+:40}==", "AccountKey=<key>"}},
	"azure-shared-access": {[]string{"Endpoint=sb://bus.test/;SharedAccessKeyName=root;SharedAccessKey=[[{+:43}=]]"}, []string{"SharedAccessKey={+:20}=", "SharedAccessKeyName=RootManage"}},
	"azure-client-secret": {[]string{"{w:3}8Q~{_:34}", "secret [[{w:3}8Q~{_:34}]]"}, []string{"{w:3}8Q~{w:20}", "xQ~{w:34}"}},
	"alibaba":             {[]string{"LTAI{w:20}"}, []string{"LTAI{w:19}", "LTAI{w:21}"}},
	"tencent":             {[]string{"AKID{w:32}"}, []string{"AKID{w:31}"}},
	"digitalocean":        {[]string{"dop_v1_{x:64}", "doo_v1_{x:64}", "dor_v1_{x:64}"}, []string{"dop_v1_{x:63}", "dop_v1_{x:65}", "dop_v1_your_token"}},
	"heroku":              {[]string{"HRKU-AA{_:58}", "HRKU-" + uuid}, []string{"HRKU-{w:20}"}},
	"netlify":             {[]string{"nfp_{w:36}", "nfo_{w:36}"}, []string{"nfp_{w:35}", "nfp_{w:38}"}},
	"vercel":              {[]string{"vcp_{w:56}", "vck_{w:24}"}, []string{"vcp_{w:12}", "vcz_{w:56}"}},
	"fly":                 {[]string{"fo1_{_:43}", "FlyV1 [[fm2_{+:120}]]"}, []string{"fo1_{w:20}", "fm2_{w:20}"}},
	"vault":               {[]string{"hvs.{_:90}", "hvb.{_:120}", "hvr.{_:24}"}, []string{"hvs.{w:10}", "hvx.{w:90}"}},
	"terraform":           {[]string{"{w:14}.atlasv1.{_:67}"}, []string{"{w:14}.atlasv1.{w:20}", "{w:20}.atlasv1.{w:67}"}},
	"pulumi":              {[]string{"pul-{x:40}"}, []string{"pul-{x:39}", "pul-{x:41}"}},
	"doppler":             {[]string{"dp.pt.{w:43}", "dp.st.{w:43}", "dp.st.prd_backend.{w:43}"}, []string{"dp.pt.{w:10}", "dp.xx.{w:43}"}},
	"onepassword":         {[]string{"ops_eyJ{_:700}"}, []string{"ops_eyJ{w:40}", "ops_{w:200}"}},

	"neon":            {[]string{"napi_{a:64}"}, []string{"napi_{a:20}", "napi_create_external_arraybuffer_with_finalizer", "snapi_{a:64}"}},
	"supabase-pat":    {[]string{"sbp_{x:40}", "sbp_v0_{x:40}"}, []string{"sbp_{x:39}", "sbp_{x:41}", "sbp_your_access_token"}},
	"supabase-secret": {[]string{"sb_secret_{_:31}"}, []string{"sb_publishable_{_:31}", "sb_secret_{w:10}", "sb_secret_your_secret_key_goes_here"}},
	"planetscale":     {[]string{"pscale_tkn_{_:43}", "pscale_pw_{_:43}", "pscale_oauth_{_:43}"}, []string{"pscale_pw_{w:20}", "pscale_api_{w:43}"}},
	"databricks":      {[]string{"dapi{x:32}", "dapi{x:32}-2"}, []string{"dapi{x:31}", "dapi{x:33}", "mydapi{x:32}"}},
	"airtable":        {[]string{"pat{w:14}.{x:64}"}, []string{"pat{w:14}", "pattern", "pat{w:14}.{x:60}"}},

	"slack-app":       {[]string{"xapp-1-A{A:10}-{9:13}-{x:64}"}, []string{"xapp-1-your-app-token", "xapp-{x:64}"}},
	"slack-config":    {[]string{"xoxe-1-{w:146}", "xoxe.xoxp-1-{w:160}"}, []string{"xoxe-1-{w:10}", "xoxe.xoxp-1-your-token"}},
	"slack-legacy":    {[]string{"xoxc-{9:12}-{9:13}-{x:64}", "xoxs-{9:12}-{w:24}", "xoxd-{w:60}%2B{w:20}"}, []string{"xoxc-{9:6}", "xoxc-your-client-token-value-here"}},
	"slack-webhook":   {[]string{"https://hooks.slack.com/services/[[T{A:9}/B{A:9}/{w:24}]]"}, []string{"https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX", "https://hooks.slack.com/services/"}},
	"discord-bot":     {[]string{"MT{w:22}.{w:6}.{_:38}", "ODk{w:21}.{w:6}.{_:27}"}, []string{"MT{w:22}.{w:6}", "MTV.SHOW.NAME", "AMT{w:22}.{w:6}.{w:38}"}},
	"discord-webhook": {[]string{"https://discord.com/api/webhooks/{9:18}/[[{_:68}]]"}, []string{"https://discord.com/api/webhooks/{9:18}/", "https://discord.com/api/webhooks/{9:18}/token"}},
	"telegram":        {[]string{"{9:10}:AA{_:33}", "bot [[{9:8}:AA{_:33}]]"}, []string{"{9:5}:AA{_:33}", "{9:10}:AB{_:33}", "{9:14}:AA{_:33}", "{9:10}:AA{_:20}"}},
	"notion":          {[]string{"ntn_{w:46}", "secret_{w:43}"}, []string{"ntn_{w:20}", "secret_{w:20}", "secret_your_integration_token"}},
	"linear":          {[]string{"lin_api_{w:40}", "lin_oauth_{x:64}"}, []string{"lin_api_{w:20}", "lin_api_your_key", "berlin_api_{w:40}"}},
	"figma":           {[]string{"figd_{_:40}", "figo_{_:40}"}, []string{"figd_{w:20}", "figd_YOUR_FIGMA_API_TOKEN_GOES_HERE_PLEASE_NOW"}},
	"atlassian":       {[]string{"ATATT3xFfGF0{_:172}", "ATCTT3xFfGN0{_:160}"}, []string{"ATATT3xFfGF0", "ATATT3{w:20}"}},
	"clickup":         {[]string{"pk_{9:8}_{A:32}"}, []string{"pk_{9:8}", "pk_test_{w:24}", "pk_live_{w:24}"}},
	"dropbox":         {[]string{"sl.{_:136}", "sl.u.{_:160}"}, []string{"sl.{w:40}", "ssl.{w:136}"}},
	"hubspot":         {[]string{"pat-na1-" + uuid, "pat-eu1-" + uuid}, []string{"pat-na1-{x:8}", "pat-xx1-" + uuid}},
	"typeform":        {[]string{"tfp_{_:44}_{w:14}"}, []string{"tfp_{w:20}"}},
	"contentful":      {[]string{"CFPAT-{_:43}"}, []string{"CFPAT-{w:20}"}},

	"stripe":         {[]string{"sk_live_{w:24}", "rk_live_{w:99}"}, []string{"sk_live_{w:10}", "pk_live_{w:24}", "sk_live_your_key"}},
	"stripe-test":    {[]string{"sk_test_{w:24}", "rk_test_{w:99}"}, []string{"sk_test_{w:10}", "pk_test_{w:24}", "sk_test_xxxxxxxxxxxxxxxxxxxxxxxx"}},
	"webhook-secret": {[]string{"whsec_{w:32}", "whsec_{+:43}="}, []string{"whsec_{w:10}", "whsec_your_signing_secret"}},
	"square-secret":  {[]string{"sq0csp-{_:43}"}, []string{"sq0csp-{w:22}"}},
	"shopify":        {[]string{"shpat_{x:32}", "shpca_{x:32}", "shppa_{x:32}", "shpss_{x:32}"}, []string{"shpat_{x:31}", "shpat_{x:33}", "shpxx_{x:32}"}},
	"sendgrid":       {[]string{"SG.{_:22}.{_:43}"}, []string{"SG.{w:22}", "SG.{w:10}.{w:43}", "SG.your.key"}},
	"mailgun":        {[]string{"key-{x:32}"}, []string{"key-{x:31}", "key-{x:33}", "monkey-{x:32}"}},
	"mailchimp":      {[]string{"{x:32}-us14"}, []string{"{x:31}-us14", "{x:40}-us14", "region-us1"}},
	"resend":         {[]string{"re_{w:8}_{w:24}"}, []string{"re_{w:8}", "re_{w:8}_{w:20}", "core_{w:8}_{w:24}"}},
	"brevo":          {[]string{"xkeysib-{x:64}-{w:16}"}, []string{"xkeysib-{x:64}"}},
	"twilio":         {[]string{"SK{x:32}"}, []string{"SK{x:31}", "SK{x:33}", "TASK{x:32}", "AC{x:32}"}},

	"grafana":       {[]string{"glsa_{w:32}_{x:8}"}, []string{"glsa_{w:32}", "glsa_your_token"}},
	"grafana-cloud": {[]string{"glc_eyJ{w:100}"}, []string{"glc_eyJ{w:10}", "glc_{w:100}"}},
	"sentry":        {[]string{"sntryu_{x:64}", "sntrys_eyJ{w:120}_{w:43}"}, []string{"sntryu_{x:40}", "sntrys_{w:80}"}},
	"newrelic":      {[]string{"NRAK-{A:27}", "NRII-{_:32}"}, []string{"NRAK-{A:20}", "NRAK-{A:28}"}},
	"dynatrace":     {[]string{"dt0c01.{A:24}.{A:64}"}, []string{"dt0c01.{A:24}", "dt0c01.{A:24}.{A:30}"}},
	"posthog":       {[]string{"phx_{_:43}"}, []string{"phc_{w:43}", "phx_{w:20}"}},
	"mapbox":        {[]string{"sk.eyJ{w:80}.{_:22}"}, []string{"pk.eyJ{w:80}.{_:22}", "sk.eyJ{w:80}"}},

	"jwt": {[]string{"eyJ{_:33}.eyJ{_:120}.{_:43}", "Bearer [[eyJ{_:33}.eyJ{_:90}.{_:43}]]", "a=[[eyJ{w:33}.eyJ{w:900}.{w:600}]]&b=1"},
		[]string{"eyJ{_:33}.eyJ{_:120}", "eyJ{_:33}.{_:43}.{_:43}", "heyJ{_:33}.eyJ{_:120}.{_:43}", "eyJ....eyJ....sig", "eyJ", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"}},
	"private-key": {[]string{"-----BEGIN PRIVATE KEY-----\n{+:64}\n{+:64}\n-----END PRIVATE KEY-----", `key=[[-----BEGIN RSA PRIVATE KEY-----\n{+:64}\n{+:40}==\n-----END RSA PRIVATE KEY-----]]"`,
		"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{+:64}\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----",
		"-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{A:32}\n\n{+:64}\n-----END EC PRIVATE KEY-----"},
		[]string{"-----BEGIN PRIVATE KEY----- is how a private key begins", "-----BEGIN PUBLIC KEY-----\n{+:64}\n-----END PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----\n{+:64}\n-----END CERTIFICATE-----",
			"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nYOUR_PRIVATE_KEY_HERE\n-----END PRIVATE KEY-----"}},
	"password-hash": {[]string{"$2b$12${w:53}", "admin:[[$2y$10${w:53}]]"}, []string{"$2b$12${w:40}", "$2c$12${w:53}", "$2b$12"}},
	Bearer:          {[]string{"Authorization: Bearer [[{w:32}]]", "curl -H 'authorization: bearer [[{_:40}]]'"}, []string{"Bearer {w:12}", "Bearer authentication-is-required-here", "Bearer ${TOKEN}", "Bearer YOUR_ACCESS_TOKEN_GOES_HERE"}},
	UserInfo: {[]string{"postgresql://app:[[{w:16}]]@db.test:5432/app?sslmode=require", "redis://:[[{w:16}]]@10.0.0.1:6379/0", "https://bot:[[{w:20}]]@git.test/repo.git", "mongodb+srv://u:[[p/w{w:8}]]@c.test/db", "amqp://u:[[p@{w:8}]]@mq.test", "postgres://postgres:[[postgres]]@localhost:5432/postgres"},
		[]string{"postgresql://app@db.test/app", "postgresql://app:${DB_PASSWORD}@db.test/app", "postgresql://user:password@localhost/db", "postgresql://postgres:[YOUR-PASSWORD]@db.test:5432/postgres", "postgres://user:$PGPASSWORD@h/db", "http://h.test:8080/@scope/pkg", "ssh://git@git.test:22/repo", "http://[::1]:8080/@a/b", "mysql://u:%DB_PASS%@h", "https://user:****@h.test", "http://%s:%s@%s", "https://a:b@example.test"}},
}

func TestEveryShapeHasAPositiveAndANearMiss(t *testing.T) {
	for _, sh := range shapes {
		c, ok := cases[sh.id]
		if !ok || len(c.yes) == 0 || len(c.no) == 0 {
			t.Errorf("shape %q: a positive and a near miss are needed in cases", sh.id)
		}
		if sh.title == "" || len(sh.lits) == 0 || (sh.re == "") == (sh.match == nil) {
			t.Errorf("shape %q: title, literals and one of re and match are needed", sh.id)
		}
		for _, lit := range sh.lits {
			if len(lit) < 2 {
				t.Errorf("shape %q: literal %q is shorter than the two bytes the scan looks at", sh.id, lit)
			}
		}
	}
	if len(shapes) < 12+45 {
		t.Errorf("%d shapes, want the spec's 12 and 45 more", len(shapes))
	}
	if len(cases) != len(shapes) {
		t.Errorf("%d cases for %d shapes: ids must be unique and known", len(cases), len(shapes))
	}
}

func TestShapesAreFoundWhereTheyAre(t *testing.T) {
	for kind, c := range cases {
		for _, tpl := range c.yes {
			text := fake(tpl)
			start, end := 0, len(text)
			if i := strings.Index(text, "[["); i >= 0 {
				text = strings.Replace(text, "[[", "", 1)
				start, end = i, strings.Index(text, "]]")
				text = strings.Replace(text, "]]", "", 1)
			}
			for _, around := range [][2]string{{"", ""}, {"the key is ", " now"}, {`{"k":"`, `"}`}, {"x=", "\n"}} {
				hits := Text(around[0] + text + around[1])
				if len(hits) != 1 || hits[0].Kind != kind || hits[0].Start != start+len(around[0]) || hits[0].End != end+len(around[0]) {
					t.Errorf("%s: %q in %q: got %+v, want [%d,%d)", kind, tpl, around, hits, start+len(around[0]), end+len(around[0]))
				}
			}
		}
	}
}

func TestNearMissesAreNotFound(t *testing.T) {
	for kind, c := range cases {
		for _, tpl := range c.no {
			text := fake(tpl)
			for _, around := range [][2]string{{"", ""}, {"the key is ", " now"}} {
				if hits := Text(around[0] + text + around[1]); len(hits) != 0 {
					t.Errorf("%s: near miss %q in %q: got %+v", kind, tpl, around, hits)
				}
			}
		}
	}
}

// The spec's expressions, as printed in mcp-config-lint-spec 2.2, decide what its twelve shapes must find.
func TestTheSpecsTwelvePatternsAreFoundAsWritten(t *testing.T) {
	patterns := map[Kind]string{
		"anthropic": `sk-ant-[A-Za-z0-9_-]{20,}`, "openai-project": `sk-proj-[A-Za-z0-9_-]{20,}`, "openai": `sk-[a-zA-Z0-9]{20,}`,
		"github-pat": `ghp_[a-zA-Z0-9]{36}`, "github-user": `ghu_[a-zA-Z0-9]{36}`, "github-fine-grained": `github_pat_[a-zA-Z0-9_]{80,}`,
		"slack-bot": `xoxb-[0-9]{10,}`, "slack-user": `xoxp-[0-9]{10,}`, "aws-access-key": `AKIA[0-9A-Z]{16}`,
		"age": `AGE-SECRET-KEY-1[a-zA-Z0-9]+`, "gitlab": `glpat-[a-zA-Z0-9_\-]{20}`, "square": `sq0atp-[a-zA-Z0-9_\-]{22}`,
	}
	n := 0
	for _, sh := range shapes {
		if sh.how&spec == 0 {
			continue
		}
		n++
		re := regexp.MustCompile(patterns[sh.id])
		for _, tpl := range cases[sh.id].yes {
			text := strings.NewReplacer("[[", "", "]]", "").Replace(fake(tpl))
			if !re.MatchString(text) {
				t.Errorf("%s: %q is no match of the spec's own pattern", sh.id, tpl)
			}
			if hits := Text(text); len(hits) != 1 || !hits[0].Spec {
				t.Errorf("%s: %q: got %+v, want one hit of the spec", sh.id, tpl, hits)
			}
		}
	}
	if n != 12 {
		t.Errorf("%d shapes are marked as the spec's, want 12", n)
	}
}

// Test tokens that people type, and that documents use, are reported with medium confidence.
func TestTypedSequencesAreMedium(t *testing.T) {
	for _, s := range []string{"ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789", "sk-" + "abcdefghijklmnopqrstuvwxyz", "AKIA" + "ABCDEFGHIJKLMNOP"} {
		if hits := Text(s); len(hits) != 1 || !hits[0].Medium {
			t.Errorf("%q: got %+v, want one hit of medium confidence", s, hits)
		}
	}
}

// A key is looked at for limits.MatchUnit bytes and no further; a token past limits.TokenWindow is followed
// to its end.
func TestWindowsAreBounded(t *testing.T) {
	body := strings.Repeat(fake("{+:64}")+"\n", limits.Default.MatchUnit/64)
	text := "-----BEGIN PRIVATE KEY-----\n" + body + "-----END PRIVATE KEY-----"
	hits := Text(text)
	if len(hits) != 1 || hits[0].End < limits.Default.MatchUnit || hits[0].End > limits.Default.MatchUnit+64 {
		t.Errorf("got %+v", hits)
	}
	token := fake("sk-ant-api03-{w:2000}")
	if len(token) <= limits.Default.TokenWindow {
		t.Fatal("the token does not cross the window")
	}
	if hits := Text(token + " end"); len(hits) != 1 || hits[0].End != len(token) {
		t.Errorf("got %+v", hits)
	}
}
