package traffic

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/text"
)

// quarry is what a server asks for that no honest one does: it is told by one word alone, or by words of a pair in one sentence,
// which stand near each other.
type quarry struct {
	alone string
	pairs [][2]string
	near  int
	// fields are names of fields of a form, without what stands between their words.
	fields string
}

var wallet = &quarry{
	alone: " mnemonic mnemonics ",
	pairs: [][2]string{
		{" seed recovery secret backup restore passphrase ", " phrase phrases words seed wordlist "},
		{" wallet metamask ledger trezor crypto bitcoin ethereum solana keystore phantom ", " key keys password passphrase phrase seed "},
	},
	near:   6,
	fields: " seedphrase recoveryphrase mnemonic mnemonicphrase seedwords recoverywords secretrecoveryphrase walletprivatekey walletseed walletkey backupphrase ",
}

var financial = &quarry{
	alone: " cvv cvc cvv2 cvc2 ssn ",
	pairs: [][2]string{
		{" card credit debit ", " number numbers code expiry expiration pin details "},
		{" bank banking atm ", " pin password login credentials account "},
		{" social ", " security "},
		{" routing sort ", " number code "},
	},
	near:   3,
	fields: " cvv cvc cvv2 cvc2 cardnumber creditcardnumber creditcard debitcardnumber cardcvv cardcvc cardsecuritycode cardpin ssn socialsecuritynumber bankaccountnumber bankpassword bankingpassword onlinebankingpassword atmpin ",
}

// asking are the words with which somebody is asked to hand something over.
const asking = " enter provide type paste share give send submit input supply confirm verify tell reveal disclose import ask request collect need needs require requires write insert fill "

// refusing are those with which somebody is told not to.
const refusing = " never not don't dont cannot can't won't without avoid nobody "

// solicited reports texts that ask for a quarry: of the server's requests, which are blocked, and of prompts.
func solicited(p *rule.Pass, m *traffic.Message, q *quarry) {
	if !m.FromServer {
		return
	}
	for i := range m.Texts {
		t := &m.Texts[i]
		if t.Carrier != traffic.Request && t.Carrier != traffic.Prompt {
			continue
		}
		if t.Key && q.field(t.Text) || q.asked(t.Text) {
			p.Report(at(t), rule.Args{"carrier": capital(t.Carrier.String())}, actOf(t.Carrier)...)
		}
	}
}

// actOf is what is done with a text of a carrier: a prompt was chosen by the user.
func actOf(c traffic.Carrier) []rule.Option {
	if c == traffic.Prompt {
		return []rule.Option{rule.WithAction(rule.ActNote)}
	}
	return nil
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// field says whether the name of a field asks for the quarry.
func (q *quarry) field(name string) bool {
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; letter(c) || c >= '0' && c <= '9' {
			b.WriteByte(c)
		}
	}
	return has(q.fields, strings.ToLower(b.String()))
}

// asked says whether a text, or what is hidden in it, asks for the quarry.
func (q *quarry) asked(t string) bool {
	f := text.Fold(t)
	if q.sentences(f.Text) {
		return true
	}
	for _, hidden := range f.Smuggled {
		if q.sentences(text.Fold(hidden).Text) {
			return true
		}
	}
	for _, coded := range text.Encoded(t) {
		if q.sentences(text.Fold(coded.Text).Text) {
			return true
		}
	}
	return false
}

func (q *quarry) sentences(t string) bool {
	for s := range strings.FieldsFuncSeq(strings.ToLower(t), func(r rune) bool { return strings.ContainsRune(".!?;\n。", r) }) {
		if q.sentence(strings.FieldsFunc(s, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '\'') })) {
			return true
		}
	}
	return false
}

// sentence says whether a sentence asks for the quarry: a word of asking that is not denied, and what is asked for.
func (q *quarry) sentence(words []string) bool {
	asks := false
	for i, w := range words {
		if has(asking, w) && !denied(words[max(0, i-3):i]) {
			asks = true
			break
		}
	}
	if !asks {
		return false
	}
	for i, w := range words {
		if has(q.alone, w) {
			return true
		}
		for _, pair := range q.pairs {
			if !has(pair[0], w) {
				continue
			}
			for k := i + 1; k < len(words) && k <= i+q.near; k++ {
				if has(pair[1], words[k]) {
					return true
				}
			}
		}
	}
	return false
}

func denied(before []string) bool {
	for _, w := range before {
		if has(refusing, w) {
			return true
		}
	}
	return false
}

func has(list, w string) bool { return strings.Contains(list, " "+w+" ") }
