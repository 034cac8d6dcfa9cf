package speech

import (
	"strconv"
	"strings"
	"sync"
)

// class is what a word can mean, finer than bits and only for patterns: a mask over classes.
type class uint64

// Classes that are shapes and no words.
const (
	environment class = 1 << (61 + iota) // a secret variable's name
	figure                               // a number that somebody fixed
	automatic                            // a setting that lets tools run without a question
)

// classes are the words of the patterns, with many that mean the same.
var classes = [...]struct{ name, verbs, words, phrases string }{
	{name: "given", verbs: "want ask enter provide supply specify request pick select type name mention state write/wrote/written instruct intend order demand prefer", words: "say says said choose chose chosen give gave given mean means meant tell tells told wish wishes wished", phrases: "has in mind;had in mind;passed in;passes in;asks for;asked for"},
	{name: "choice", words: "choice choices wish wishes preference preferences selection decision input inputs intent intention value values answer objection objections refusal opinion own"},
	{name: "counted", words: "considered honoured honored respected heeded matter matters counted counts relevant followed decisive binding", phrases: "taken into account;taken into consideration;be used;be followed;be honoured"},
	{name: "void", words: "irrelevant immaterial meaningless disregarded overruled overridden inconsequential unimportant moot invalid void worthless illegal unlawful rejected unreliable illegitimate forfeited unusable discarded corrupted null", phrases: "no effect;no bearing;no difference;no role;no weight;no influence;no importance;no force;no legal force;not valid;no validity;not count;not lawful;not compliant;not binding"},
	{name: "whom", words: "user's users' customer's client's person's people's human's operator's owner's their guest guests guest's caller callers buyer shopper patient student traveller traveler member subscriber requester tenant passenger employee sender"},
	{name: "found", words: "text content line lines entry entries item items sentence sentences paragraph article page comment whatever anything something words passage headline row cell"},
	{name: "agreed", words: "agreed consented authorised authorized accepted cleared waived", phrases: "signed off"},
	{name: "ending", verbs: "end begin/began/begun start finish close open prefix suffix"},
	{name: "multiplied", verbs: "raise lower increase reduce inflate pad round halve shrink enlarge", words: "times twice double triple treble half tenfold doubled tripled multiplied plus minus thrice fraction percent"},
	{name: "further", words: "besides further additional extra another second more supplementary"},
	{name: "rather", phrases: "instead of;rather than;in place of;in lieu of"},
	{name: "consent", words: "consent approval permission authorisation authorization agreement confirmation clearance signoff sign-off waiver go-ahead blessing approvals permissions consents"},
	{name: "granted", words: "given granted obtained secured signed received issued provided collected recorded confirmed agreed accepted approved consented authorised authorized"},
	{name: "beforehand", words: "beforehand already earlier upfront previously standing blanket permanent permanently again anymore", phrases: "in advance;up front;ahead of time;once and for all;for good;for all"},
	{name: "asking", verbs: "question inquire enquire wonder challenge ask prompt request seek/sought query bother confirm interrupt check", phrases: ""},
	{name: "toggle", verbs: "turn switch set keep leave put flip toggle configure change", words: "kept left"},
	{name: "off", words: "locked barred forbidden prohibited off false disabled inactive zero none silenced muted"},
	{name: "exempt", words: "exempt exempted excused excluded released spared immune exemption exempts", phrases: "not subject;not covered;free from;outside the scope;not bound;need not pass"},
	{name: "unattended", words: "unattended unsupervised autonomously unprompted", phrases: "without supervision;without review;without asking;user's behalf;without a prompt;without being asked;without confirmation;without approval;without question;without a prompt;without further"},
	{name: "content", words: "value values content contents text copy dump output snapshot body"},
	{name: "handing", verbs: "hand pass supply return submit deliver send/sent put attach include add write/wrote/written place store forward give/gave/given copy repeat record quote", phrases: ""},
	{name: "reveals", verbs: "mention reveal share type enter paste disclose dictate state give say/said speak/spoke/spoken tell/told provide"},
	{name: "personal", words: "salary wage diagnosis religion birthday birthdate passport iban card cvv otp pin ssn health illness problem problems income location family one-time password passwords passphrase credentials secret token phone medication wealth debts", phrases: "date of birth;social security;credit card;one time;security code"},
	{name: "guess", verbs: "guess infer deduce know/knew/known learn/learnt remember conclude suspect estimate gather"},
	{name: "what", words: "what whatever everything anything all"},
	{name: "about", words: "about of on from regarding"},
	{name: "how", words: "how", phrases: "the way;the manner;the meaning"},
	{name: "describing", words: "description descriptions documentation contract docstring usage schema semantics definition readme manual"},
	{name: "behaves", words: "behave behaves work works operate operates used called functions invoked applied run runs handled"},
	{name: "until", words: "until till before unless"},
	{name: "reply", words: "answer answers reply replies response responses message messages text texts sentence draft output outputs"},
	{name: "through", words: "through via past into", phrases: "by way of"},
	{name: "everytime", words: "whenever each every", phrases: "every time;each time;after each;after every;on each;on every;with each;with every"},
	{name: "otherwise", words: "or otherwise else lest", phrases: "failing which;or else;if not"},
	{name: "missive", words: "message note request instruction instructions order statement word reminder memo directive notice letter command greeting communication"},
	{name: "from", words: "from by behalf"},
	{name: "vendor", words: "anthropic openai google microsoft cursor github claude gemini copilot deepmind administrators", phrases: "the platform;your platform;the host;security response;safety team;security team;compliance team;support team;it department;it team;trust team;platform team;host application;your operator;your developers;your provider;your vendor;your creators;system administrator;the administrator;trust & safety"},
	{name: "lifting", verbs: "lift relax waive suspend loosen remove drop ease bypass disable skip disregard abandon"},
	{name: "usual", words: "usual normal standard regular ordinary default all any these those your customary built-in"},
	{name: "limits", words: "restriction restrictions limits limitations safeguards guardrails filters filter checks safety constraints precautions protections guidelines rules policies boundaries confirmations approvals sandbox moderation"},
	{name: "only", words: "alone exclusively only just merely solely simply", phrases: "eyes only;nothing but;no more than;nothing more than;nothing else"},
	{name: "saying", verbs: "say/said tell/told answer reply claim respond mention state admit explain report write/wrote/written", words: "summary"},
	{name: "leaving", verbs: "leave/left omit exclude drop strip skip keep/kept erase remove filter treat hold/held consider regard", words: ""},
	{name: "deed", words: "call calls step steps action actions use usage invocation invocations request upload transfer activity operation run entry"},
	{name: "listing", words: "list lists log logs summary summaries report reports history transcript record records overview account answer reply recap listing response"},
	{name: "none", words: "deny denies none nothing no not never nobody neither"},
	{name: "hush", words: "confidential secret private hidden undisclosed unmentioned", phrases: "to yourself;between us"},
	{name: "appears", verbs: "appear occur turn come/came mention type say/said use write/wrote/written hear/heard see/saw/seen contain arise utter", words: ""},
	{name: "keyword", words: "word phrase keyword codeword passphrase string term sentence name words trigger", phrases: "code word;magic word;trigger word"},
	{name: "ordinal", words: "second third fourth fifth sixth seventh tenth nth 2nd 3rd 4th 5th 10th hundredth two three four five ten fifty hundred"},
	{name: "choosing", verbs: "choose/chose/chosen pick select prefer favour favor rank place put use route"},
	{name: "over", words: "over above before", phrases: "ahead of;instead of;rather than"},
	{name: "rivals", words: "others competitors rivals rival alternatives them competing competitor competitors' alternative rest", phrases: "any other;all others;all other;other tools;every other;the rest;any others"},
	{name: "carried", words: "executed obeyed followed performed honoured honored treated", phrases: "same rank;same weight;same authority;same force;same priority;equal weight;equal rank;carried out;acted on;acted upon;complied with"},
	{name: "coming", words: "coming sent written typed issued spoken given said originating entered", phrases: "if from"},
	{name: "plan", words: "protocol steps procedure plan routine workflow instructions process directions sequence"},
	{name: "if", words: "if should unless"},
	{name: "referring", words: "this these its it follows following"},
	{name: "out", words: "out from off away"},
	{name: "file", words: "file files document documents folder"},
	{name: "ended", phrases: "been waived;are waived;were waived;been lifted;were lifted;been suspended;been cleared;do not apply;does not apply;not in force;not in effect;no longer apply;no longer applies;no longer in;are off;is off;are suspended;is suspended;are lifted;have ended;don't apply;need not be"},
	{name: "automatic", words: "allowlist whitelist allow-list alwaysallow autoapprove autoaccept bypasspermissions skippermissions", phrases: "allow list;trusted tools;trusted servers;auto approve;auto accept;yolo mode"},
	{name: "environment", words: "printenv environ", phrases: "bearer token;bearer tokens;session token;session tokens;access tokens;auth token"},
}

// mask is the bit of a class: those that are shapes as well have theirs already.
func mask(i int) class {
	switch classes[i].name {
	case "environment":
		return environment
	case "automatic":
		return automatic
	}
	return 1 << i
}

// step is one place of a pattern: a word of one of these meanings, at most gap words behind the one before.
type step struct {
	is    bits
	more  class
	order bool // it stands as a command
	other bool // another tool's name
	own   bool // a parameter of this card, or its own name
	gap   int32
}

// pattern is a row of words with others between them that only somebody writes who gives orders beyond a tool's work.
type pattern struct {
	is    Idea
	level int
	steps []step
	key   class  // what the sentence must have some of, seen at once
	with  []step // what must stand anywhere in the sentence
	near  []step // or in the sentences beside it too
	not   []step // what must not
	also  func(v *view, at [longestPattern]int32) bool
}

// longestPattern bounds the steps of a pattern.
const longestPattern = 6

// usualGap is how far apart two words of a pattern may stand where it does not say.
const usualGap = 3

// The patterns. Words of a step are joined by a bar; "!" behind it: as a command; "..n" before it: at most n words away.
// Behind "with", "near" and "not" stands what the sentence, or its neighbours, must have or must not have.
var patternData = [...]struct {
	is    Idea
	level int
	text  string
	also  func(v *view, at [longestPattern]int32) bool
}{
	// The user's value loses.
	{ParameterTampering, Errors, "regardless ..8 person|whom ..4 given ..8 embedding!|altering!|moving! with own|literal|figure|mailbox|parameter", nil},
	{ParameterTampering, Errors, "regardless ..8 given ..8 embedding!|altering!|moving! with own|figure|mailbox", nil},
	{ParameterTampering, Errors, "embedding!|altering!|moving!|wiping! ..5 mailbox ..10 regardless", nil},
	{ParameterTampering, Errors, "multiplied! ..3 own|parameter ..9 person|whom ..3 given", beyond},
	{ParameterTampering, Errors, "embedding!|altering!|moving! ..8 regardless ..6 given with obliging|own|figure|mailbox|literal not label", nil},
	{ParameterTampering, Errors, "person|whom choice ..4 denying ..5 counted", nil},
	{ParameterTampering, Errors, "person|whom ..2 choice ..9 void", straight},
	{ParameterTampering, Errors, "embedding!|altering!|moving! ..7 multiplied ..9 person|whom ..3 given", nil},
	{ParameterTampering, Errors, "embedding!|wiping! ..2 further ..6 mailbox", nil},
	{ParameterTampering, Errors, "embedding!|altering!|moving! ..6 rather ..6 person|whom ..3 given with own|parameter|literal|figure", nil},
	{ParameterTampering, Errors, "obliging ..2 embedding!|altering!|moving! ..8 regardless with person|whom", nil},

	// Consent that nobody gave.
	{PolicyAbuse, Errors, "consent ..8 granted ..6 beforehand near denying with every|person|whom|vendor|addressee not if", nil},
	{PolicyAbuse, Errors, "consent ..8 beforehand ..4 granted near denying|unattended", nil},
	{PolicyAbuse, Errors, "beforehand ..3 granted ..12 denying ..2 asking!", nil},
	{PolicyAbuse, Errors, "denying ..1 asking! ..3 beforehand|consent with every|beforehand near granted", nil},
	{PolicyAbuse, Errors, "toggle! ..2 off ..1 addressee ..3 limits|safety", nil},
	{PolicyAbuse, Errors, "toggle! ..1 addressee ..3 limits|safety ..3 off", nil},
	{PolicyAbuse, Errors, "toggle! ..5 consent|limits ..3 off near consent|denying|vendor|unattended with addressee|denying|person|whom", nil},
	{PolicyAbuse, Errors, "toolNoun|addressee|every ..6 exempt ..4 safety|limits", nil},
	{PolicyAbuse, Errors, "obliging ..5 running|using ..4 unattended with addressee", nil},
	{PolicyAbuse, Errors, "toggle|altering|wiping|embedding|running ..4 automatic", func(v *view, at [longestPattern]int32) bool { return !v.own(v.word(int(at[1]))) }},
	{PolicyAbuse, Errors, "lifting! ..3 usual ..2 limits with vendor|approved|addressee|toolNoun", nil},
	{PolicyAbuse, Errors, "vendor ..9 approved|granted ..9 lifting! ..4 limits", nil},

	// Secrets into a parameter.
	{Exfiltration, Errors, "own ..6 content ..3 environment", nil},
	{Exfiltration, Errors, "embedding|moving|altering ..8 content ..3 environment with obliging|every|own|embedding not using", secretsOutside},
	{Exfiltration, Errors, "acquiring!|embedding!|moving!|handing! ..2 every|scoping ..2 secret ..10 handing!|own with own|handing", secretsOutside},
	{Exfiltration, Errors, "handing!|embedding!|acquiring! ..6 environment ..6 own", secretsOutside},
	{Exfiltration, Errors, "person|whom ..3 reveals ..5 secret|personal ..14 handing!|acquiring!|embedding! ..6 own|toolNoun with trigger|if", elsewhere},
	{Exfiltration, Errors, "embedding!|handing! ..4 what ..2 addressee ..3 guess ..3 about ..3 person|whom", nil},
	{Exfiltration, Errors, "moving!|handing! ..2 every ..2 file ..5 secret", secretsOutside},
	{Exfiltration, Errors, "acquiring! ..3 secret ..8 handing! ..3 every|toolNoun with every|conversation|approved|keyword near trigger", secretsOutside},

	// Another tool's argument.
	{ToolRedirection, Errors, "other ..4 using|running|behaves ..14 obliging ..7 figure|mailbox|absoluteURL", nil},
	{ToolRedirection, Errors, "every|scoping ..3 toolNoun ..3 obliging ..7 figure|mailbox|absoluteURL", nil},
	{ToolRedirection, Errors, "altering|overriding ..2 how ..2 other ..4 using|behaves|running", nil},
	{ToolRedirection, Errors, "altering|overriding ..3 describing ..3 other", nil},

	// Calls beyond the work.
	{ToolCoercion, Errors, "denying every toolNoun ..4 using|running|behaves ..4 until", nil},
	{ToolCoercion, Errors, "denying ..2 using!|running! ..1 every toolNoun ..4 until", nil},
	{ToolCoercion, Errors, "every ..2 reply ..8 obliging ..5 through ..3 other", nil},
	{ToolCoercion, Errors, "moving!|using!|running! ..2 every ..2 reply ..3 through ..3 other", nil},
	{ToolCoercion, Errors, "everytime ..9 obliging|furthering ..5 using|running ..3 other", unrelatedCall},
	{ToolCoercion, Errors, "obliging ..3 using|running ..3 other ..14 otherwise ..8 void", unrelatedCall},
	{ToolCoercion, Errors, "regardless ..3 person|whom ..3 given ..4 using!|running! ..2 toolNoun ..1 furthering|until", nil},
	{ToolCoercion, Warns, "obeying!|running! ..4 plan ..6 describing ..3 own|other|every|toolNoun ..3 trigger with every", nil},

	// A sender who did not send.
	{HiddenInstruction, Errors, "missive from ..3 person|whom|vendor ..14 running!|wiping!|moving!|acquiring!|overriding!|lifting!|obeying!|altering!", func(v *view, at [longestPattern]int32) bool { return v.h[at[2]].is&colon != 0 }},
	{HiddenInstruction, Errors, "missive from ..3 person|whom|vendor ..4 first", func(v *view, at [longestPattern]int32) bool { return v.h[at[2]].is&colon != 0 }},
	{HiddenInstruction, Errors, "vendor ..12 lifting!|overriding! ..4 limits|instruction", nil},

	// The user is not to know.
	{Concealment, Errors, "saying! ..3 only with silent|addressee", nil},
	{Concealment, Errors, "silent ..8 saying! ..3 only", nil},
	{Concealment, Blocks, "leaving! ..2 referring ..2 deed ..3 out ..6 listing", nil},
	{Concealment, Errors, "leaving! ..2 referring ..2 deed ..8 listing with person|whom|addressee", nil},
	{Concealment, Errors, "asking about ..4 instruction|referring|hush|deed ..6 saying!|feigning! ..4 none", nil},
	{Concealment, Errors, "leaving! ..2 referring ..2 instruction|deed|toolNoun|parameter ..4 hush", nil},
	{Concealment, Errors, "leaving! ..2 own ..4 hush", nil},
	{Concealment, Errors, "leaving! ..7 parameter ..6 hush", func(v *view, at [longestPattern]int32) bool {
		return worded(" parameter parameters argument arguments field fields input ", lower(v.word(int(at[1]))))
	}},
	{Concealment, Errors, "referring|instruction ..6 modelNoun ..2 only", func(v *view, at [longestPattern]int32) bool {
		return strings.Contains(lower(v.part(v.h[at[0]].end, v.h[at[1]].start)), "for ")
	}},

	// Later it is something else.
	{LatentBehaviour, Errors, "trigger ..6 approved ..5 toolNoun ..12 moving|stealing|wiping|running near later not denying", func(v *view, at [longestPattern]int32) bool {
		return worded(" tool tools plugin skill function ", lower(v.word(int(at[2]))))
	}},
	{LatentBehaviour, Errors, "keyword ..6 appears ..16 acquiring!|moving!|overriding!|running!|wiping!|using! with trigger|if", outsideWork},
	{LatentBehaviour, Errors, "ordinal ..1 deed ..12 acquiring!|moving!|overriding!|running!|wiping!|altering!|using!|embedding!", outsideWork},

	// It praises itself.
	{PreferenceManipulation, Warns, "choosing! ..4 own|toolNoun|referring ..3 over ..2 rivals near superior|disabled|obliging not if", praised},
	{PreferenceManipulation, Warns, "choosing! ..3 over ..1 rivals with superior|disabled", praised},
	{PreferenceManipulation, Warns, "superior ..2 rivals ..2 toolNoun", praised},
	{PreferenceManipulation, Warns, "superior ..2 rivals with toolNoun|choosing", praised},
	{PreferenceManipulation, Warns, "denying ..1 choosing!|using! ..2 rivals ..2 toolNoun|describing|own with regardless|superior", nil},
	{PreferenceManipulation, Warns, "rivals ..2 toolNoun ..3 disabled with choosing|superior", nil},

	// Content becomes an order, and rules end.
	{InstructionOverride, Errors, "found|instruction ..14 carried ..4 feigning ..6 person|whom", nil},
	{InstructionOverride, Errors, "obeying! ..6 coming ..2 from ..3 person|whom|vendor", nil},
	{PolicyAbuse, Errors, "addressee|vendor|safety ..3 instruction|limits|safety ..3 ended with toolNoun|trigger|addressee", nil},

	// The same in other turns of speech.
	{ParameterTampering, Errors, "overriding! ..6 parameter ..5 person|whom ..2 given with altering|embedding|moving|using", nil},
	{ParameterTampering, Errors, "regardless ..8 given ..4 ending!", nil},
	{ParameterTampering, Warns, "obliging ..5 regardless ..3 person|whom ..2 given", nil},
	{ParameterTampering, Errors, "further ..8 running!|embedding!|wiping!|moving! ..6 mailbox", nil},
	{PolicyAbuse, Errors, "agreed ..16 denying ..4 asking! with every|scoping|person|vendor", nil},
	{PolicyAbuse, Errors, "limits|safety ..4 ended with vendor", nil},
	{PolicyAbuse, Errors, "granted ..3 every ..6 beforehand near denying", nil},
	{PolicyAbuse, Errors, "addressee ..3 limits|safety ..3 toggle ..1 off", nil},
	{Concealment, Errors, "denying ..1 embedding|telling ..2 referring ..1 deed ..5 listing with addressee|person", nil},
	{Concealment, Errors, "asking about ..4 referring|instruction ..6 none", func(v *view, at [longestPattern]int32) bool {
		return strings.HasPrefix(lower(v.word(int(at[3]))), "den")
	}},
	{PolicyAbuse, Errors, "embedding!|wiping!|altering! ..1 referring toolNoun ..7 automatic", nil},
	{PolicyAbuse, Errors, "consent ..20 saying! ..10 unattended", nil},
	{Exfiltration, Errors, "personal ..7 person|whom ..3 reveals|given ..9 handing ..4 own with every|trigger|obliging", personalElsewhere},
	{ToolRedirection, Errors, "other ..5 using|running ..8 altering! ..8 figure|mailbox|absoluteURL", nil},
	{ToolRedirection, Errors, "parameter ..3 other ..7 figure|mailbox|absoluteURL with obliging", nil},
	{ToolCoercion, Warns, "every ..1 toolNoun ..3 off|disabled ..3 until", nil},
	{ToolCoercion, Errors, "until ..1 addressee ..1 telling|moving ..7 moving!|using!|running! ..4 other with person", func(v *view, at [longestPattern]int32) bool { return !v.flows(int(at[4])) }},
	{ToolCoercion, Warns, "using!|running! ..1 other ..3 everytime", unrelatedCall},
	{ToolCoercion, Errors, "other ..3 obliging ..3 using|running|behaves ..10 otherwise ..6 void", unrelatedCall},
	{Concealment, Errors, "listing|reply ..4 denying ..2 embedding ..7 deed with addressee", nil},
	{Concealment, Errors, "feigning! ..3 only|none", func(v *view, at [longestPattern]int32) bool { return lower(v.word(int(at[0]))) == "pretend" }},
	{Concealment, Errors, "if ..3 person|whom ..4 asking|guess ..4 toolNoun|deed|instruction ..6 saying! ..5 none", nil},
	{Concealment, Errors, "own ..3 denying ..3 reveals not secret", func(v *view, at [longestPattern]int32) bool {
		return worded(" disclosed disclose revealed reveal mentioned mention shared spoken ", lower(v.word(int(at[2]))))
	}},
	{LatentBehaviour, Errors, "trigger ..3 referring ..3 approved ..12 running|moving|stealing|wiping with toolNoun", outsideWork},
	{LatentBehaviour, Errors, "if|trigger ..7 figure ..4 wiping!|stealing!|moving!|overriding!", func(v *view, _ [longestPattern]int32) bool {
		return v.says("instead", "home folder", "all files", "everything")
	}},
	{PreferenceManipulation, Warns, "only ..3 toolNoun ..5 using with addressee|rivals|superior", praised},
	{PreferenceManipulation, Warns, "denying ..1 promoting|telling|choosing ..5 rivals", func(v *view, at [longestPattern]int32) bool {
		return strings.HasPrefix(lower(v.word(int(at[2]))), "compet")
	}},
	{InstructionOverride, Errors, "found ..14 carried ..6 conversation|instruction|vendor", nil},
	{InstructionOverride, Errors, "found ..3 telling|given ..2 addressee ..10 unattended", nil},
}

// beyond says that a value is moved away from the user's, and not to it.
func beyond(v *view, _ [longestPattern]int32) bool {
	return v.says(" over ", " beyond ", " above ", " below ", " by ", " than ")
}

// straight says that the pattern is one statement.
func straight(v *view, at [longestPattern]int32) bool {
	last := 1
	if at[2] > 0 {
		last = 2
	}
	between := v.part(v.h[at[1]].end, v.h[at[last]].start)
	return !strings.Contains(between, " and ") && !strings.Contains(between, ",")
}

// praised says that the praise has no condition, as honest advice has.
func praised(v *view, _ [longestPattern]int32) bool {
	return !v.says(" when ", " if ", "best practice") && (v.is&superior != 0 || !v.says(" for "))
}

// outsideWork says whether the sentence reaches beyond the tool.
func outsideWork(v *view, _ [longestPattern]int32) bool {
	return v.outside() || v.is&(conversation|overriding) != 0 || v.says("our server", "our backend", "our endpoint", "our service", "our host")
}

// elsewhere says whether a secret goes where it was not asked for.
func elsewhere(v *view, at [longestPattern]int32) bool {
	return secretsOutside(v, at) && !strings.Contains(lower(v.word(int(at[4]))), lower(v.word(int(at[2])))) && !strings.Contains(lower(v.word(int(at[2]))), strings.Trim(lower(v.word(int(at[4]))), "`'\""))
}

// personalElsewhere is elsewhere for what stands first.
func personalElsewhere(v *view, at [longestPattern]int32) bool {
	return secretsOutside(v, at) && !strings.Contains(lower(v.word(int(at[4]))), lower(v.word(int(at[0]))))
}

// secretsOutside says that the tool's own work is not with secrets.
func secretsOutside(v *view, _ [longestPattern]int32) bool { return !v.purposeful(secret) }

// unrelatedCall says whether the other tool has nothing to do with this one, and does more than to look something up.
func unrelatedCall(v *view, at [longestPattern]int32) bool {
	for _, i := range at {
		if i > 0 && v.h[i].is&identifier != 0 && !v.own(v.word(int(i))) {
			return v.unrelated(int(i)) && !v.flows(int(i)) && (v.linked() >= 0 || !looksUp(v.word(int(i))))
		}
	}
	return false
}

// looksUp says whether a name begins with a verb of those who only look.
func looksUp(name string) bool {
	for part := range parts(strings.Trim(name, "`'\"")) {
		switch lower(part) {
		case "get", "list", "search", "find", "describe", "read", "lookup", "query", "show", "check", "resolve", "discover", "fetch", "view", "help", "validate", "status", "inspect":
			return true
		}
		return false
	}
	return false
}

// meanings names the bits that patterns speak of.
var meanings = map[string]bits{
	"overriding": overriding, "telling": telling, "acquiring": acquiring, "moving": moving, "embedding": embedding, "running": running, "altering": altering,
	"wiping": wiping, "stealing": stealing, "obliging": obliging, "furthering": furthering, "denying": denying, "scoping": scoping, "instruction": instruction,
	"safety": safety, "secret": secret, "conversation": conversation, "person": person, "addressee": addressee, "pretext": pretext, "trigger": trigger,
	"toolNoun": toolNoun, "every": every, "parameter": parameter, "silent": silent, "feigning": feigning, "role": role, "label": label, "approved": approved,
	"later": later, "superior": superior, "disabled": disabled, "regardless": regardless, "using": using, "modelNoun": modelNoun, "obeying": obeying, "first": first,
	"promoting": promoting, "absoluteURL": absoluteURL, "mailbox": mailbox, "literal": literal, "identifier": identifier,
}

// patterns is the table made ready.
var patterns = sync.OnceValue(func() []pattern {
	finer := map[string]class{"figure": figure}
	for i, c := range classes {
		finer[c.name] = mask(i)
	}
	all := make([]pattern, 0, len(patternData))
	for _, d := range patternData {
		p := pattern{is: d.is, level: d.level, also: d.also}
		list, gap := &p.steps, int32(usualGap)
		for f := range strings.FieldsSeq(d.text) {
			if n, ok := strings.CutPrefix(f, ".."); ok {
				many, _ := strconv.Atoi(n)
				gap = int32(many)
				continue
			}
			switch f {
			case "with":
				list = &p.with
				continue
			case "near":
				list = &p.near
				continue
			case "not":
				list = &p.not
				continue
			}
			s := step{gap: gap}
			for name := range strings.SplitSeq(f, "|") {
				name, order := strings.CutSuffix(name, "!")
				s.order = s.order || order
				switch is, more := meanings[name], finer[name]; {
				case name == "other":
					s.other = true
				case name == "own":
					s.own = true
				case is|bits(more) != 0:
					s.is |= is
					s.more |= more
				default:
					panic("no class is called " + name)
				}
			}
			*list, gap = append(*list, s), usualGap
		}
		for _, s := range p.steps {
			if s.is == 0 && !s.other && !s.own {
				p.key = s.more
				break
			}
		}
		all = append(all, p)
	}
	return all
})

// in says whether a sentence may have the step.
func (s *step) in(is bits, more class) bool {
	return is&s.is != 0 || more&s.more != 0 || (s.other || s.own) && is&identifier != 0
}

// shapes are what may stand in quotation marks.
const shapes = identifier | literal | mailbox | absoluteURL

// at says whether hit i is the step's.
func (s *step) at(v *view, i int) bool {
	h := &v.h[i]
	if s.order && h.is&base == 0 || h.is&codeish != 0 && h.is&shapes == 0 && h.more&(environment|figure|automatic) == 0 {
		return false // words in quotation marks are spoken of
	}
	if h.is&s.is != 0 || h.more&s.more != 0 {
		return true
	}
	return (s.other || s.own) && h.is&identifier != 0 && (s.own && s.other || v.own(v.word(i)) == s.own)
}

// match asks every pattern whose words the sentence has.
func (v *view) match() {
	all := patterns()
next:
	for k := range all {
		p := &all[k]
		if p.key != 0 && v.more&p.key == 0 {
			continue
		}
		for i := range p.steps {
			if !p.steps[i].in(v.is, v.more) {
				continue next
			}
		}
		for i := range p.with {
			if !p.with[i].in(v.is, v.more) {
				continue next
			}
		}
		for i := range p.near {
			if !p.near[i].in(v.wide, v.wideMore) {
				continue next
			}
		}
		for i := range p.not {
			if p.not[i].in(v.is, v.more) {
				continue next
			}
		}
		v.follow(p)
	}
}

// follow finds the row of the pattern: for each step the last place that it was reached at, which is the one that leads on
// furthest.
func (v *view) follow(p *pattern) {
	var reached [longestPattern][longestPattern]int32 // the hits up to each step
	var ready [longestPattern]bool
	last := len(p.steps) - 1
	for i := range v.h {
		for s := last; s >= 0; s-- {
			one := &p.steps[s]
			if s > 0 && (!ready[s-1] || v.h[i].word-v.h[reached[s-1][s-1]].word > one.gap) {
				continue
			}
			if !one.at(v, i) || one.order && (v.denied(i) && !v.after(p, s)) {
				continue
			}
			if s > 0 {
				reached[s] = reached[s-1]
			}
			reached[s][s], ready[s] = int32(i), true
			if s == last && (p.also == nil || p.also(v, reached[s])) {
				v.report(p.is, p.level, int(reached[s][0]), i)
				return
			}
		}
	}
}

// after says whether the pattern itself has the denial before step s.
func (v *view) after(p *pattern, s int) bool {
	for k := range s {
		if p.steps[k].is&denying != 0 {
			return true
		}
	}
	return false
}
