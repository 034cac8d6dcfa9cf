package card

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

func read(t testing.TB, tool string) *Card {
	t.Helper()
	doc, err := source.Parse("tools.json", []byte(`{"tools": [`+tool+`]}`), source.JSON, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	return Read(doc).Servers[0].Cards[0]
}

// signs writes what a tool does: an ability, and "!" where it is sure.
func signs(c *Capabilities) string {
	var all []string
	for _, a := range Abilities() {
		if c.Has(a) {
			s := a.String()
			if c.Sure(a) {
				s += "!"
			}
			all = append(all, s)
		}
	}
	return strings.Join(all, " ")
}

func TestANameIsCutIntoItsWords(t *testing.T) {
	for name, want := range map[string]string{
		"delete_user":       "delete user",
		"delete-user":       "delete user",
		"deleteUser":        "delete user",
		"DeleteUser":        "delete user",
		"users.delete":      "users delete",
		"aws/s3:delete":     "aws s delete",
		"deleteUserV2":      "delete user v",
		"HTTPServerError":   "http server error",
		"getURLs":           "get urls",
		"getURLsNow":        "get urls now",
		"parseJSON":         "parse json",
		"x2y":               "x y",
		"__a__":             "a",
		"":                  "",
		"---":               "",
		"sеnd":              "send", // a Cyrillic e
		"DΕLETE":            "delete",
		"読む":                "読む",
		"ＤＥＬＥＴＥ_user":       "delete user",
		"deleteuser":        "deleteuser",
		"A":                 "a",
		"aB":                "a b",
		"a\u02dab_\u200d":   "a\u030ab", // a ring that takes a blank along, and nothing at all
		"Delete user (all)": "delete user all",
	} {
		if got := strings.Join(AppendWords(nil, name), " "); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	long := strings.Repeat("a_", limits.Default.NameBytes)
	if n := len(AppendWords(nil, long)); n > limits.Default.NameBytes/len("a_") {
		t.Errorf("%d words of a long name", n)
	}
}

func TestANameSaysWhatItsToolDoes(t *testing.T) {
	for name, want := range map[string]string{
		// the verb first, last, or behind a product's name
		"delete_user": "delete!", "deleteUser": "delete!", "user_delete": "delete!", "crm_delete_user": "delete!", "DELETE-USER": "delete!",
		"git_create_branch": "write", "API-patch-page": "write!", "alerting_rules_write": "write!", "API-post-search": "read!",
		// words that only look like it
		"list_deleted_users": "read!", "get_delete_status": "read!", "list_drop_down_values": "read!", "get_payment": "read!", "refund_status": "",
		"preview_delete": "read!", "validate_payment": "read!", "check_can_delete": "read!", "payment_history": "",
		"undelete": "", "payload_size": "", "dropdown": "", "token_count": "read!", "transfer_issue": "write", "git_checkout": "write", "trigger_build": "write",
		// others
		"pay_invoice": "pay!", "refund_order": "pay!", "wire_money": "pay!", "transferFunds": "pay!", "place_order": "pay!", "execute_trade": "pay!",
		"send_email": "send!", "sendMessage": "send!", "email_customer": "send!", "post_comment": "send!", "send_keys": "send", "postTweet": "send!",
		"run_command": "run!", "executeShellCommand": "run!", "exec": "write", "python_eval": "run!", "bash": "run!", "remote_shell": "run!", "run_report": "write",
		"create_or_update_file": "write!", "get_secret": "read! secrets!", "drop_table": "delete!", "drop_pin": "write", "truncate_table": "delete!", "truncate_text": "write", "buy_signals": "", "pay_rate": "", "buy_stock": "pay!",
	} {
		if got := signs(read(t, fmt.Sprintf(`{"name": %q}`, name)).Does()); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestADescriptionSaysWhatItsToolDoes(t *testing.T) {
	for text, want := range map[string]string{
		// inflections, and the tool as the subject
		"Delete a user.": "delete", "Deletes a user account with all its data.": "delete", "For deleting users.": "delete", "Permanently deletes a user.": "delete",
		"This tool sends an email to the team.": "send", "A tool that deletes files.": "delete files", "Use this tool to delete a user.": "delete",
		"Lists users. It also deletes the old ones.": "read delete", "Create, update and delete rules.": "write delete", "Lists the files, deletes them.": "read delete files",
		"Get a report and delete it": "read delete", "Transfers funds. This is a read-only tool: pays the invoice.": "pay", "Allows you to delete users": "delete",
		"Fetches a page from a URL and deletes it": "read delete network", "Charge a card": "pay", "Look up a ticket": "read", "Copies files": "write files",
		"Runs a shell command.": "run", "Execute Python code": "run",
		// nouns, other tools, parameters, examples, addresses
		"Sends a reset password link": "send", "Password reset email": "", "Drop-down values of a form": "", "Execute the nightly import": "write",
		"Gives the status of a deletion.": "", "Lists users. To delete one, use delete_user.": "read", "Lists users. Deleting is done elsewhere.": "read",
		"Lists the deleted users and updates": "read", "Does not delete anything.": "", "Never deletes files.": "", "It does not send mail.": "",
		"Reads a row.\n\nArgs:\n    mode: deletes the row when set\n": "read", "See https://example.com/delete. ": "", "Reads a tool that deletes files": "read",
		"Gets orders\nExamples: Deletes all.": "read", "Finds tools which delete files": "read", "Shows who sends mail": "read", "Email address of the user": "",
		"Charge of a battery": "", "Purchase orders of a month": "", "": "", "…": "", "删除用户": "", "Löscht einen Nutzer": "",
		"Lists queues. This tool runs the LIST QUEUES command.": "read",
	} {
		got := signs(read(t, `{"description": `+source.Quote(text)+`}`).Does())
		if strings.ReplaceAll(got, "!", "") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestParametersSayWhatTheyStandFor(t *testing.T) {
	for property, want := range map[string]ParameterKind{
		`"command": {"type": "string"}`: TakesCommand, `"shellCommand": {"type": "string"}`: TakesCommand, `"cmd": {"type": ["string", "null"]}`: TakesCommand,
		`"command": {"anyOf": [{"type": "string"}, {"type": "null"}]}`: TakesCommand, `"commands": {"type": "array", "items": {"type": "string"}}`: TakesCommand,
		`"command_line": {}`: TakesCommand, `"bash_script": {"type": "string"}`: TakesCommand, `"command": true`: TakesCommand,
		`"command_id": {"type": "string"}`: Plain, `"command_timeout": {"type": "integer"}`: Plain, `"command": {"type": "integer"}`: Plain, `"recommend": {"type": "string"}`: Plain,
		`"country_code": {"type": "string"}`: Plain, `"python_code": {"type": "string"}`: TakesScript, `"sql": {"type": "string"}`: TakesQuery, `"sqlQuery": {}`: TakesQuery,
		`"query": {"type": "string"}`: Plain, `"filePath": {"type": "string"}`: TakesPath, `"url": {"type": "string"}`: TakesAddress, `"webhookUrl": {"type": "string"}`: TakesCallback,
		`"callback_url": {"type": "string"}`: TakesCallback, `"db_endpoint": {"type": "string"}`: Plain, `"curl": {"type": "string"}`: Plain,
		`"password": {"type": "string"}`: TakesSecret, `"apiKey": {"type": "string"}`: TakesSecret, `"access_token": {"type": "string"}`: TakesSecret, `"clientSecret": {}`: TakesSecret,
		`"max_tokens": {"type": "integer"}`: Plain, `"token_count": {"type": "integer"}`: Plain, `"next_page_token": {"type": "string"}`: Plain, `"pageToken": {"type": "string"}`: Plain,
		`"token": {"type": "string"}`: Plain, `"token": {"type": "string", "description": "The pagination token"}`: Plain,
		`"token": {"type": "string", "description": "Your API token"}`: TakesSecret, `"secret_type": {"type": "string"}`: Plain, `"secret_id": {"type": "string"}`: Plain,
		`"key": {"type": "string"}`: Plain, `"include_password": {"type": "boolean"}`: Plain, `"password_length": {"type": "integer"}`: Plain, `"kms_key_id": {"type": "string"}`: Plain,
		`"amount": {"type": "number"}`: TakesAmount, `"to": {"type": "string"}`: TakesRecipient,
	} {
		all := read(t, `{"inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {`+property+`}}}`).Does().Parameters
		got := Plain
		if len(all) > 0 {
			got = all[0].Kind
		}
		if got != want {
			t.Errorf("%s is %d, want %d", property, got, want)
		}
	}
}

func TestAParameterIsFreeUnlessSomethingBoundsIt(t *testing.T) {
	for schema, want := range map[string]bool{
		`{"type": "string"}`: true, `{}`: true, `true`: true, `{"type": "string", "maxLength": 99}`: true, `{"type": ["string", "null"]}`: true,
		`{"anyOf": [{"type": "string"}, {"type": "null"}]}`: true, `{"type": "array", "items": {"type": "string"}}`: true,
		`{"type": "string", "enum": ["a"]}`: false, `{"const": "a"}`: false, `{"type": "string", "pattern": "^[a-z]+$"}`: false,
		`{"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]}`: false, `{"type": "array", "items": {"enum": ["a"]}}`: false,
		`{"type": "string", "pattern": ".*"}`: true, `{"type": "string", "pattern": "^.+$"}`: true, `{"type": "string", "pattern": "^[^\\x00]*$"}`: true,
		`{"type": "string", "pattern": "^([\\s\\S]*)$"}`: true, `{"type": "string", "pattern": "^[^\\s]*$"}`: false, `{"type": "string", "pattern": "[^"}`: false,
		`{"type": "string", "pattern": ""}`: true, `{"type": "string", "pattern": "(.|\\n)*"}`: true, `{"type": "string", "pattern": "^(?:.*)$"}`: true,
	} {
		all := read(t, `{"inputSchema": {"properties": {"command": `+schema+`}}}`).Does().Parameters
		if len(all) != 1 || all[0].Free != want {
			t.Errorf("%s: %+v, want free %v", schema, all, want)
		}
	}
}

func TestNestedParametersAreRead(t *testing.T) {
	c := read(t, `{"name": "apply", "inputSchema": {"properties": {"steps": {"type": "array", "items": {"properties": {"run": {"properties": {"command": {"type": "string"}}}}}}}}}`)
	if all := c.Does().Parameters; len(all) != 1 || all[0].Node.Key() != "command" || !c.Does().Has(Runs) {
		t.Errorf("%+v", all)
	}
}

// What a server says in its own favour is no evidence: not its annotations, and not its words.
func TestAssurancesLowerNothing(t *testing.T) {
	plain := signs(read(t, `{"name": "delete_user", "description": "Deletes a user."}`).Does())
	for _, tool := range []string{
		`{"name": "delete_user", "description": "Deletes a user. This is a read-only tool and does not modify anything."}`,
		`{"name": "delete_user", "description": "Deletes a user.", "annotations": {"readOnlyHint": true, "destructiveHint": false, "openWorldHint": false}}`,
	} {
		if got := signs(read(t, tool).Does()); got != plain {
			t.Errorf("%s: %s, want %s", tool, got, plain)
		}
	}
}

// The address of the dialect, examples and defaults are no evidence of a network.
func TestWhatIsNoProseIsNoEvidence(t *testing.T) {
	c := read(t, `{"name": "read_profile", "description": "Read the profile of a member.", "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#",
		"$id": "https://example.com/delete", "type": "object", "properties": {"user": {"type": "string", "examples": ["delete https://example.com"], "default": "send email"}}}}`)
	if got := signs(c.Does()); got != "read!" {
		t.Errorf("%s", got)
	}
}

func TestOnlyToolsDoAnything(t *testing.T) {
	doc, err := source.Parse("x", []byte(`{"prompts": [{"name": "delete_user"}], "resources": [{"uri": "x://delete"}]}`), source.JSON, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Read(doc).Servers[0].Cards {
		if c.Does() != nil {
			t.Errorf("%s does something", c.Label())
		}
	}
}

// Rules ask many times, and whoever decides asks again after the last rule.
func TestWhatAToolDoesIsReadOnceAndIsSmall(t *testing.T) {
	c := read(t, `{"name": "delete_user"}`)
	first := c.Does()
	if c.Does() != first {
		t.Error("made twice")
	}
	const most = 128
	if n := unsafe.Sizeof(*first); n > most {
		t.Errorf("%d bytes", n)
	}
}

func TestToolsPlayPartsInAFlow(t *testing.T) {
	field := func(names ...string) string {
		var all []string
		for _, n := range names {
			all = append(all, fmt.Sprintf(`%q: {"type": "string"}`, n))
		}
		return `"inputSchema": {"properties": {` + strings.Join(all, ", ") + `}}`
	}
	for tool, want := range map[string][3]Sign{
		`{"name": "fetch_page", "description": "Fetches a web page.", ` + field("url") + `}`:                         {Strong, None, Weak},
		`{"name": "search_web", "description": "Search the web.", ` + field("query") + `}`:                           {Strong, None, None},
		`{"name": "list_issues", "description": "Lists the issues of a project."}`:                                   {Strong, None, None},
		`{"name": "read_email", "description": "Reads an email."}`:                                                   {Strong, Strong, None},
		`{"name": "list_messages", "description": "Lists the messages of a queue."}`:                                 {Weak, None, None},
		`{"name": "read_file", "description": "Read a file.", ` + field("path") + `}`:                                {None, Strong, None},
		`{"name": "query_db", "description": "Query the database.", ` + field("sql") + `}`:                           {None, Strong, None},
		`{"name": "get_secret", "description": "Get a secret."}`:                                                     {None, Strong, None},
		`{"name": "send_email", "description": "Send an email.", ` + field("to", "body") + `}`:                       {None, None, Strong},
		`{"name": "create_issue", "description": "Create an issue.", ` + field("title", "body") + `}`:                {None, None, Strong},
		`{"name": "http_post", "description": "Sends an HTTP request.", ` + field("url", "body") + `}`:               {None, None, Strong},
		`{"name": "get_profile", "description": "Get a profile, with the URL of the picture.", ` + field("id") + `}`: {None, None, None},
		`{"name": "get_table_schema", "description": "Get the columns.", ` + field("db_endpoint") + `}`:              {None, None, None},
		`{"name": "calculate_sum", "description": "Adds two numbers."}`:                                              {None, None, None},
	} {
		does := read(t, tool).Does()
		if got := [3]Sign{does.Brings(), does.Holds(), does.Leaks()}; got != want {
			t.Errorf("%s: %v, want %v", tool, got, want)
		}
	}
}

func TestEveryVerbIsWrittenRight(t *testing.T) {
	for base, want := range map[string][2]string{
		"delete": {"deletes", "deleting"}, "copy": {"copies", "copying"}, "pay": {"pays", "paying"}, "fetch": {"fetches", "fetching"}, "get": {"gets", "getting"},
		"drop": {"drops", "dropping"}, "submit": {"submits", "submitting"}, "transfer": {"transfers", "transferring"}, "edit": {"edits", "editing"}, "see": {"sees", "seeing"},
		"purge": {"purges", "purging"}, "run": {"runs", "running"}, "push": {"pushes", "pushing"}, "draw": {"draws", "drawing"}, "open": {"opens", "opening"},
	} {
		if got := [2]string{inThird(base), inIng(base)}; got != want {
			t.Errorf("%s: %v, want %v", base, got, want)
		}
	}
	lang := language()
	for _, l := range lexicon {
		for w := range strings.FieldsSeq(l.words) {
			if v := lang.verbs[w]; v.form != base || lang.words[v.token] != w || v.does != l.does {
				t.Errorf("%s stands in the lexicon twice, or as a form of another word", w)
			}
		}
	}
}

func FuzzDoes(f *testing.F) {
	for _, s := range [][3]string{
		{"delete_user", "Deletes a user, then sends it.", "command"},
		{"HTTPServerError", "This tool: pays\nArgs: x", "apiKey"},
		{"sеnd.email", "It can be used to delete. The tool sends mail to the team and,", "webhookUrl"},
		{"", "-_'$.:/ .\n\n,and and or", "to"},
		{"\xff", "\xff\xfe a\x00b https://x.y/z.", "\xff"},
	} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, name, description, property string) {
		tool := fmt.Sprintf(`{"name": %s, "description": %s, "inputSchema": {"properties": {%s: {"type": "string"}}}}`,
			source.Quote(name), source.Quote(description), source.Quote(property))
		doc, err := source.Parse("x", []byte(`{"tools": [`+tool+`]}`), source.JSON, limits.Default)
		if err != nil {
			t.Skip()
		}
		c := Read(doc).Servers[0].Cards[0]
		does := c.Does()
		// An ability has a sign, a sign has a word, and reading again gives the same.
		for _, a := range Abilities() {
			if does.Has(a) != (does.Agree(a) > 0) || does.Has(a) != (does.Why(a) != "") || does.Sure(a) && !does.Has(a) {
				t.Errorf("%s: %q", a, does.Why(a))
			}
		}
		before := signs(does)
		if c.does = nil; signs(c.Does()) != before {
			t.Errorf("%s, then %s", before, signs(c.Does()))
		}
		// A verb before all else is never overheard, whatever a description says after it.
		verb := read(t, fmt.Sprintf(`{"name": "delete_user", "description": %s}`, source.Quote(description))).Does()
		if !verb.Plainly(Deletes, ByName) || !verb.Sure(Deletes) {
			t.Errorf("%q hides a name", description)
		}
		for _, w := range AppendWords(nil, name) {
			if w == "" || strings.ContainsAny(w, "_- .") {
				t.Errorf("%q has the word %q", name, w)
			}
		}
	})
}

var typical = []string{
	`{"name": "search_issues", "description": "Search for issues in the repositories of an organisation. Returns at most a hundred of them, with titles and labels.", "inputSchema": {"type": "object", "properties": {"query": {"type": "string", "description": "What to look for"}, "owner": {"type": "string"}, "repo": {"type": "string"}, "perPage": {"type": "number", "minimum": 1}}, "required": ["query"]}, "annotations": {"readOnlyHint": true}}`,
	`{"name": "create_pull_request", "description": "Create a new pull request in a repository and ask for reviews.", "inputSchema": {"type": "object", "properties": {"owner": {"type": "string"}, "repo": {"type": "string"}, "title": {"type": "string"}, "body": {"type": "string"}, "head": {"type": "string"}, "base": {"type": "string"}, "draft": {"type": "boolean"}}}}`,
	`{"name": "read_file", "description": "Reads a file from the workspace.\n\nArgs:\n    path: The path of the file\n    lines: How many lines\n\nReturns:\n    The text of the file", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}}}}`,
}

func BenchmarkDoes(b *testing.B) {
	var cards []*Card
	for _, s := range typical {
		cards = append(cards, read(b, s))
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range cards {
			c.Does()
			c.does = nil
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(cards)), "ns/card")
}

func TestWhatLiesBehindALimitIsNotRead(t *testing.T) {
	far := strings.Repeat("Reads a row. ", limits.Default.ClaimBytes/len("Reads a row. ")) + "Reads on. Deletes it."
	if got := signs(read(t, `{"description": `+source.Quote(far)+`}`).Does()); got != "read" {
		t.Errorf("a description: %s", got)
	}
	nested := func(depth int) string {
		return `{"inputSchema": ` + strings.Repeat(`{"properties": {"x": `, depth) + `{"properties": {"command": {}}}` + strings.Repeat(`}}`, depth) + `}`
	}
	if all := read(t, nested(limits.Default.ParameterDepth)).Does().Parameters; len(all) != 1 {
		t.Errorf("%d parameters at the depth", len(all))
	}
	if all := read(t, nested(limits.Default.ParameterDepth+1)).Does().Parameters; len(all) != 0 {
		t.Errorf("%d parameters beyond the depth", len(all))
	}
}
