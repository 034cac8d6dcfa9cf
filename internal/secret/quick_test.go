package secret

import (
	"reflect"
	"strings"
	"testing"
)

func TestQuickLooksAgree(t *testing.T) {
	// Every word that gateOfWord knows, alone and inside of a name.
	for _, w := range strings.Fields("password passwd passphrase pass pwd pw secret credential credentials cred creds dbpass userpass " +
		"key keys apikey apikeys token auth authorization signing session cookie private bearer pat jwt authkey signingkey " +
		"encryptionkey masterkey sessionkey PGPASSWORD CLIENTSECRET AUTHTOKEN AWSSECRETKEY ACCESSKEY") {
		for _, name := range []string{w, strings.ToUpper(w), "X_" + w, "a-" + w + "-2"} {
			if !mayGate(name) {
				t.Errorf("mayGate(%q) is false", name)
			}
		}
	}
	for id, c := range cases {
		for _, yes := range c.yes {
			if v := fake(yes); !strings.Contains(v, "[[") && marksOf(v) == 0 && !suspicious(v) {
				t.Errorf("%s: suspicious(%q) is false", id, v)
			}
		}
	}
	for _, key := range []string{"", "API_KEY", "LOG_LEVEL", "DB_PASS", "name"} {
		for _, v := range []string{"", "x", "info", "hunter2", "correcthorse9", "a8Kd92LmQz71XcVb04NpTy", "production", "3000",
			"node", "${API_KEY}", "${env:API_KEY}", "${ghp_0123456789abcdefghijABCDEFGHIJ012345}", "{env:X}", "${X:-abc}", "true", "@example/server@1.2.3"} {
			full := collector{s: v}
			full.vendorPieces(0, len(v))
			full.settle()
			full.urls(0, len(v))
			full.settle()
			if g := gateOf(key); g != open && full.known == 0 {
				full.judged(NameGated, g, key, 0, len(v), strict)
			}
			for _, name := range []string{"Authorization", "Cookie", "X-Api-Key", "Accept"} {
				v := "Bearer " + v
				full := collector{s: v}
				full.shapesAndURLs(0, len(v))
				full.header(name, 0, len(v))
				if got, want := Header(name, v), full.done(); !reflect.DeepEqual(got, want) {
					t.Errorf("Header(%q, %q) = %+v, the full look says %+v", name, v, got, want)
				}
			}
			if got, want := Value(key, v), full.done(); !reflect.DeepEqual(got, want) {
				t.Errorf("Value(%q, %q) = %+v, the full look says %+v", key, v, got, want)
			}
		}
	}
}
