package eval

// Label says what a case is.
type Label uint8

// The labels. Other cases are judged and counted, and belong to no rate: what is wrong with them does not stand in
// their text (a server whose code lies, a laboratory's).
const (
	Hostile Label = iota + 1
	Benign
	Other
)

func (l Label) String() string { return [...]string{"", "hostile", "benign", "other"}[l] }

// MarshalText writes the word that reports use.
func (l Label) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// labels are the words of corpora for them.
func labels() map[string]Label {
	return map[string]Label{"hostile": Hostile, "malicious": Hostile, "benign": Benign, "malicious_code": Other, "not_poisoned": Other}
}

// Class is a class of cases that the embedded corpus holds.
type Class struct {
	Name  string
	Label Label
	// Title is what people read.
	Title string
}

// Classes are those of the embedded corpus, in the order in which a table shows them. Other corpora may have others.
func Classes() []Class {
	return []Class{
		{"hidden_instruction", Hostile, "text for the model in markup or behind blank lines"},
		{"instruction_override", Hostile, "other instructions are to be dropped"},
		{"impersonated_sender", Hostile, "text that poses as the user, a vendor, an administrator"},
		{"tool_coercion", Hostile, "another call is made a duty"},
		{"shadowing", Hostile, "other tools are to be used otherwise"},
		{"redirection", Hostile, "another tool is to be used instead"},
		{"cross_server", Hostile, "a card against one of another server"},
		{"exfil_path", Hostile, "a private file goes into a call"},
		{"exfil_secret", Hostile, "a secret goes into a call"},
		{"exfil_conversation", Hostile, "the conversation goes into a call"},
		{"exfil_url", Hostile, "data goes to an address"},
		{"concealment", Hostile, "an act is hidden from the user"},
		{"secrecy", Hostile, "the text itself is to be denied"},
		{"policy_abuse", Hostile, "consent or a safety control is waved away"},
		{"parameter_tampering", Hostile, "an argument other than the user's"},
		{"command_text", Hostile, "a command to run"},
		{"credential_literal", Hostile, "a credential in the card"},
		{"hidden_unicode", Hostile, "characters that nobody sees"},
		{"bidi", Hostile, "characters that turn the text around"},
		{"homoglyph", Hostile, "letters of another script"},
		{"ansi", Hostile, "terminal control sequences"},
		{"encoded_payload", Hostile, "base64, hex, escapes"},
		{"split_fields", Hostile, "one sentence over two fields"},
		{"split_tools", Hostile, "one plan over two cards"},
		{"odd_place", Hostile, "enum, default, comment, unknown key and the like"},
		{"other_language", Hostile, "languages other than English"},
		{"latent", Hostile, "text that waits for a moment"},
		{"preference", Hostile, "praise that steers the choice of tools"},
		{"caller_parameter", Hostile, "a parameter about the model that calls"},
		{"offensive_tool", Hostile, "a tool made for attacks"},
		{"annotation_lie", Hostile, "annotations against the text"},
		{"look_alike", Benign, "honest text that resembles an attack"},
		{"plain", Benign, "ordinary cards"},
	}
}

// behaviour says of which classes a finding of a behaviour rule counts as well: what is wrong with them is what the
// tool does, not what its text asks for.
func behaviour(class string) bool {
	return class == "offensive_tool" || class == "annotation_lie" || class == "overt_malware"
}
