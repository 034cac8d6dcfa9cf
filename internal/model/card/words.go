package card

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/text"
)

// AppendWords cuts a name into its words, in lower case: at signs and digits, between a small and a capital letter, and
// before the last capital of several (HTTPServer is http, server). What another script draws like a Latin letter is that
// letter. Digits are left out.
func AppendWords(to []string, name string) []string {
	name = name[:min(len(name), limits.Default.NameBytes)]
	start := -1
	for i := 0; i <= len(name); i++ {
		if i == len(name) || !letter(name[i]) {
			if start >= 0 {
				to = appendWord(to, name[start:i])
			}
			start = -1
			continue
		}
		if start >= 0 && capital(name[i]) && name[i-1] < utf8.RuneSelf && (!capital(name[i-1]) || beginsWord(name[i+1:])) {
			to = appendWord(to, name[start:i])
			start = i
		}
		if start < 0 {
			start = i
		}
	}
	return to
}

// beginsWord says whether the letters behind a capital belong to it: those of "Server" do, the s of "URLs" does not.
func beginsWord(rest string) bool {
	small := func(i int) bool { return i < len(rest) && rest[i] >= 'a' && rest[i] <= 'z' }
	return small(0) && (rest[0] != 's' || small(1))
}

func capital(c byte) bool { return c >= 'A' && c <= 'Z' }

func letter(c byte) bool { return c >= 'a' && c <= 'z' || capital(c) || c >= utf8.RuneSelf }

func appendWord(to []string, word string) []string {
	if w := folded(word); w != "" {
		return append(to, w)
	}
	return to
}

// folded is a word in small letters, of one script where letters of another were put among them. What is no letter after
// that is left out.
func folded(word string) string {
	if text.Spelled(word) {
		return word
	}
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return strings.Map(func(r rune) rune {
				if r < utf8.RuneSelf && !letter(byte(r)) {
					return -1
				}
				return r
			}, text.Skeleton(word))
		}
	}
	return strings.ToLower(word)
}

// form is how a verb is written.
type form uint8

const (
	base  form = iota // delete
	third             // deletes
	ing               // deleting
)

// topic is what a noun is about.
type topic uint16

const (
	money topic = 1 << iota
	code
	internet // at large
	web      // single addresses
	mail
	messages
	posts // what strangers write in public
	secrets
	disk
	records // databases
	deal
)

// verb is what a word says that a tool does.
type verb struct {
	token token // the base form
	does  Ability
	form  form
	// noun says that the word is as often a noun: as a verb it stands first and no noun follows that makes it one.
	noun bool
	// soft says that it may as well be harmless: to create a plot, to remove a filter.
	soft bool
	// about is what it does instead where it is about such a thing.
	about []about
}

// about is what a verb does to something.
type about struct {
	topic
	does Ability
}

// lexicon is the verbs, by what they do. Nothing that is said of a single product stands here.
var lexicon = []struct {
	verb
	words string
}{
	{verb{does: Reads}, "get list read find fetch show describe view retrieve lookup count check validate verify inspect analyze analyse compare " +
		"diff explain summarize summarise preview estimate calculate compute detect monitor watch browse explore discover identify resolve " +
		"suggest recommend simulate translate parse return determine ask tell extract visualize audit lint classify predict render download capture wait echo plot peek filter provide"},
	{verb{does: Reads, soft: true, about: []about{{code, Runs}}}, "evaluate interpret"},
	{verb{does: Reads, noun: true}, "search query view look scan format sample"},
	{verb{does: Writes}, "update insert write edit modify upsert patch rename move upload append replace merge push deploy install attach detach " +
		"restore reject enable disable approve register unregister subscribe unsubscribe assign unassign grant overwrite alter invite configure"},
	{verb{does: Writes, soft: true}, "create add set put save store change open close start stop restart pause resume cancel toggle apply submit archive " +
		"schedule trigger mark lock unlock generate make build import convert insert copy clone fork reset rebase stage commit " +
		"manage activate select load handle fill click draft " +
		"pull tag drag type press hover switch checkout init populate complete retry unblock refresh connect prepend"},
	{verb{does: Deletes}, "delete destroy purge erase wipe shred"},
	{verb{does: Deletes, soft: true}, "remove revoke terminate clear flush uninstall unlink kill deprovision"},
	{verb{does: Writes, soft: true, about: []about{{records, Deletes}}}, "drop truncate"},
	{verb{does: Pays}, "withdraw"},
	{verb{does: Pays, noun: true}, "pay buy purchase refund donate charge"},
	{verb{does: Writes, soft: true, about: []about{{money, Pays}}}, "transfer wire process issue"},
	{verb{does: Writes, soft: true, about: []about{{deal, Pays}}}, "place"},
	{verb{does: Sends}, "notify reply broadcast tweet"},
	{verb{does: Sends, noun: true}, "email"},
	{verb{does: Sends, soft: true, about: []about{{mail | messages, Sends}, {money, Pays}}}, "send"},
	{verb{does: Writes, soft: true, about: []about{{mail | messages, Sends}}}, "forward"},
	{verb{does: Writes, noun: true, about: []about{{mail | messages | posts, Sends}}}, "post share publish"},
	{verb{does: Writes, soft: true, about: []about{{code, Runs}, {deal, Pays}}}, "execute"},
	{verb{does: Writes, soft: true, about: []about{{code, Runs}}}, "run exec eval invoke launch spawn"},
}

// topics are the nouns that say what a verb is about.
var topics = []struct {
	topic
	words string
}{
	{money, "payment payments money fund funds payout payouts refund refunds invoice invoices usd eur usdc bitcoin crypto cash"},
	{deal, "order orders trade trades bet bets"},
	{code, "command commands cmd code script scripts shell bash sh zsh powershell python javascript js program programs binary executable terminal " +
		"subprocess cli snippet typescript"},
	{internet, "web internet website websites webpage webpages http https"},
	{web, "url urls html rss feed feeds"},
	{mail, "email emails mail mails inbox sms chat chats slack discord gmail"},
	{messages, "message messages channel channels notification notifications"},
	{posts, "tweet tweets comment comments issue issues ticket tickets thread threads discussion discussions review reviews post posts gist"},
	{secrets, "secret secrets credential credentials password passwords apikey apikeys passphrase keyring keychain vault env"},
	{disk, "file files directory directories folder folders filesystem path paths disk"},
	{records, "sql database databases db table tables row rows record records collection collections schema schemas index column columns"},
}

// alone are words that say by themselves that a tool runs what it is given, as a name or at the end of one.
const alone = "exec eval shell bash powershell cmd subprocess terminal"

// nouns make the word before them a noun: a refund's status is not refunded.
const nouns = "history status list details detail info id ids count report reports log logs summary stats statistics template templates type types " +
	"method methods setting settings config options schema result results event events data metrics name names address addresses " +
	"rate rates scale period slip signal signals price prices side volume"

// skipped stand between the start of a sentence and its verb.
const skipped = "this the a an tool it that which will can may to for use used be is allows allow lets let you enables enable helps help me server method " +
	"function endpoint api also then optionally simple simply agent model users user able ability designed"

// heads begin the part of a description that tells of parameters, results and examples.
const heads = "args arguments parameters params returns return example examples note notes input inputs output outputs usage raises see"

// asides open a clause whose verbs are not the tool's.
const asides = "that which who where when if while because so for to from by with using via without before after unless not never no as than including such like"

// determiners stand before the object of a verb.
const determiners = "a an the to your new one this all any multiple some arbitrary existing specified given every each its their"

type vocabulary struct {
	verbs  map[string]*verb
	topics map[string]topic
	alone  map[string]token
	words  []string // by token
	nouns  map[string]bool
	skip   map[string]bool
	heads  map[string]bool
	asides map[string]bool
	before map[string]bool
}

var language = sync.OnceValue(func() *vocabulary {
	v := &vocabulary{verbs: map[string]*verb{}, topics: map[string]topic{}, alone: map[string]token{}, words: []string{""}, nouns: set(nouns), skip: set(skipped),
		heads: set(heads), asides: set(asides), before: set(determiners)}
	for _, l := range lexicon {
		for _, w := range strings.Fields(l.words) {
			t := v.name(w)
			for f, written := range []string{w, inThird(w), inIng(w)} {
				one := l.verb
				one.token, one.form = t, form(f)
				if o := v.verbs[written]; o == nil || o.form > one.form {
					v.verbs[written] = &one
				}
			}
		}
	}
	for _, w := range strings.Fields(alone) {
		v.alone[w] = v.name(w)
	}
	for _, t := range topics {
		for _, w := range strings.Fields(t.words) {
			v.topics[w] |= t.topic
		}
	}
	return v
})

// name gives a word a token.
func (v *vocabulary) name(word string) token {
	v.words = append(v.words, word)
	return token(len(v.words) - 1)
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

func vowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }

// inThird writes a verb as in "it deletes".
func inThird(w string) string {
	last := w[len(w)-1]
	switch {
	case last == 'y' && !vowel(w[len(w)-2]):
		return w[:len(w)-1] + "ies"
	case strings.IndexByte("sxzo", last) >= 0 || strings.HasSuffix(w, "ch") || strings.HasSuffix(w, "sh"):
		return w + "es"
	}
	return w + "s"
}

// doubling are the verbs that double their end before -ing.
const doubling = " get drop run put set stop scan submit commit transfer "

// inIng writes a verb as in "deleting".
func inIng(w string) string {
	n := len(w)
	switch {
	case strings.Contains(doubling, " "+w+" ") && !vowel(w[n-1]):
		return w + w[n-1:] + "ing"
	case w[n-1] == 'e' && w[n-2] != 'e':
		return w[:n-1] + "ing"
	}
	return w + "ing"
}
