package client

import (
	"fmt"
	"strings"
	"testing"
)

func TestSecretsAreFoundWhereverAnEntryHoldsThem(t *testing.T) {
	f := load(t, ".mcp.json", `{"mcpServers":{"a":{
		"command": "acme --token Zp8Yt3Gw6Bn1Xk9Qv4Mc7Re2Lf5Hs",
		"args": ["--api-key", "Ud2Sj7Ah4Ek9Wo1Ip6Tn3Vb8Xy5", "plain"],
		"env": {"A_KEY": "q7Rk2Vx9Lm4Tz8Wc3Nf6Hs1Jd5", "DEEP": {"apiKey": "Mf6Gh2Jk8Pl4Qw9Er1Ty7Ui3Op5"}},
		"url": "https://h.dev/?token=Bq4Nz7Kd2Xv9Lr5Ts1Gm8",
		"headers": {"X-Api-Key": "Wc3Ty8Fh5Jn1Rv6Pk2Zs9"},
		"headersHelper": "curl -H 'Authorization: Bearer Ka5Lp9Xe2Rm7Qz4Vt8Yc'",
		"oauth": {"clientId": "acme", "clientSecret": "Ny3Gd8Ws5Hb1Jf6Tk9Rx2"},
		"list": [{"secret": "Ve4Cm7Ub2Oz9Pi5Ay8Dg1Ql"}],
		"autoApprove": ["get_token", "list_keys"]}}}`)
	var got []string
	for _, x := range f.Servers[0].Secrets() {
		got = append(got, fmt.Sprintf("%s %s %s", x.Field, x.Key, x.Value.Value[x.Start:x.Start+3]))
	}
	want := "env A_KEY q7R|headers X-Api-Key Wc3|url url Bq4|args  Ud2|command  Zp8|run headersHelper Ka5|" +
		"other apiKey Mf6|other clientSecret Ny3|other secret Ve4"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}

func TestATokenWhereTheNameOfAVariableBelongsIsASecret(t *testing.T) {
	f := load(t, ".codex/config.toml", "[mcp_servers.a]\nurl = \"https://h.dev/\"\nbearer_token_env_var = \"sk-proj-Zp8Yt3Gw6Bn1Xk9Qv4Mc7Re2Lf5\"\n"+
		"env_http_headers = { \"X-Api-Key\" = \"ACME_API_KEY\" }\n")
	if got := f.Servers[0].Secrets(); len(got) != 1 || got[0].Key != "bearer_token_env_var" {
		t.Errorf("got %+v", got)
	}
}
