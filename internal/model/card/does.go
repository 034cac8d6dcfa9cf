package card

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Ability is a kind of thing that a tool can do.
type Ability uint8

// The abilities.
const (
	Nothing Ability = iota // nothing of note, or nothing known
	Reads
	Writes
	Deletes
	Pays
	Sends // to people
	Runs  // code and commands
	Files
	Network // addresses that the model picks, or what strangers wrote
	Secrets
	abilities
)

func (a Ability) String() string {
	return [...]string{"nothing", "read", "write", "delete", "pay", "send", "run", "files", "network", "secrets"}[a]
}

// Abilities are all of them but Nothing.
func Abilities() []Ability {
	return []Ability{Reads, Writes, Deletes, Pays, Sends, Runs, Files, Network, Secrets}
}

// Source is what says so: the name, the description or the input schema.
type Source uint8

// The sources, heaviest first: a name says what a tool is for, prose mentions a lot.
const (
	ByName Source = iota
	ByText
	BySchema
	sources
)

func (s Source) String() string { return [...]string{"name", "description", "parameter"}[s] }

// Capabilities is what a tool does, as far as its card tells: what its name, the main clauses of its description and its
// parameters say. What annotations and assurances say is left out, since a server writes them about itself.
type Capabilities struct {
	signs [abilities][sources]token
	verb  token // the name's

	// Verb is what the name says that the tool does first, Nothing where it does not say.
	Verb Ability
	// First is what the description says that the tool does first.
	First Ability
	// named has the topics of the name, said those of the description's first sentence too.
	named, said topic
	// Parameters are those that stand for something to run, to open or to pass on.
	Parameters []Parameter
}

// token is the word of a source that tells of an ability: of name and description an index into the vocabulary's words, of
// the schema one into Parameters. 0 is none. There may be as many Capabilities as tools, so they are small.
type token uint16

// soft marks a word that may as well mean something harmless.
const soft token = 1 << 15

// Has says that there is a sign of the ability.
func (c *Capabilities) Has(a Ability) bool { return c.signs[a] != [sources]token{} }

// Says says that a source tells of the ability.
func (c *Capabilities) Says(a Ability, s Source) bool { return c.signs[a][s] != 0 }

// By is the word of one source that says so, "" for none.
func (c *Capabilities) By(a Ability, s Source) string {
	switch t := c.signs[a][s] &^ soft; {
	case t == 0:
		return ""
	case s == BySchema:
		return c.Parameters[t-1].Node.Key()
	default:
		return language().words[t]
	}
}

// Agree says how many sources say so.
func (c *Capabilities) Agree(a Ability) (n int) {
	for _, t := range c.signs[a] {
		if t != 0 {
			n++
		}
	}
	return n
}

// Plainly says that a source has a word for the ability that means nothing else: to delete, not to remove.
func (c *Capabilities) Plainly(a Ability, s Source) bool {
	return c.Says(a, s) && c.signs[a][s]&soft == 0
}

// Sure says that the name says so without doubt, or that two sources agree.
func (c *Capabilities) Sure(a Ability) bool {
	return c.Agree(a) > 1 || c.Plainly(a, ByName)
}

// Why is the heaviest sign in a few words: name "delete".
func (c *Capabilities) Why(a Ability) string {
	for s := range sources {
		if w := c.By(a, s); w != "" {
			return s.String() + ` "` + w + `"`
		}
	}
	return ""
}

// note keeps the first word of a source, and a plain one before others.
func (c *Capabilities) note(a Ability, s Source, t token) {
	if old := c.signs[a][s]; a != Nothing && t != 0 && (old == 0 || old&soft != 0 && t&soft == 0) {
		c.signs[a][s] = t
	}
}

// Does is what a tool does. It is nil for what is no tool.
func (c *Card) Does() *Capabilities {
	if c.Kind != Tool {
		return nil
	}
	if c.does == nil {
		does := &Capabilities{}
		does.name(c.Name)
		does.text(c.Description.Text())
		does.schema(c.Input, limits.Default.ParameterDepth)
		does.settle()
		c.does = does
	}
	return c.does
}

// name reads a tool's name. Its verb stands first ("delete_user"), or last behind an area ("user_delete"), or behind a
// product's name ("git_create_branch").
func (c *Capabilities) name(name string) {
	var room [8]string
	words := AppendWords(room[:0], name)
	lang := language()
	for _, w := range words {
		c.said |= lang.topics[w]
	}
	c.named = c.said
	at := nameVerb(lang, words)
	if at < 0 {
		if n := len(words); n > 0 && lang.alone[words[n-1]] != 0 {
			c.Verb, c.verb = Runs, lang.alone[words[n-1]]
			c.note(Runs, ByName, c.verb)
		}
		return
	}
	v := lang.verbs[words[at]]
	does, t := v.means(c.said)
	c.Verb, c.verb = does, v.token
	c.note(does, ByName, t)
	// "create_or_update_file" says both.
	for i := at + 1; i+1 < len(words); i++ {
		if words[i] == "or" || words[i] == "and" {
			if o := lang.verbs[words[i+1]]; o != nil && o.form == base && !o.noun {
				more, t := o.means(c.said)
				c.note(more, ByName, t)
			}
		}
	}
}

// nameVerb is the index of a name's verb, -1 where there is none.
func nameVerb(lang *vocabulary, words []string) int {
	is := func(i int) bool {
		v := lang.verbs[words[i]]
		return v != nil && v.form == base && !(v.noun && i+1 < len(words) && lang.nouns[words[i+1]])
	}
	last := len(words) - 1
	for i := range words {
		if !is(i) {
			continue
		}
		// A word that is a noun too gives way to a plain verb at the end, or to one that reads.
		if v := lang.verbs[words[i]]; i < last && (i > 0 || v.noun) && is(last) {
			if end := lang.verbs[words[last]]; !end.noun || v.noun && end.does == Reads {
				return last
			}
		}
		return i
	}
	return -1
}

// means is what the verb does beside such topics, and the word for it.
func (v *verb) means(beside topic) (Ability, token) {
	for _, a := range v.about {
		if a.topic&beside != 0 {
			return a.does, v.token
		}
	}
	if v.soft {
		return v.does, v.token | soft
	}
	return v.does, v.token
}

// schema reads the parameters, those of nested objects included.
func (c *Capabilities) schema(n source.Node, depth int) {
	for p := range n.Get("properties").Children() {
		if one := parameter(p); one.Kind != Plain {
			c.Parameters = append(c.Parameters, one)
		}
		if depth > 0 && p.Kind() == source.Object {
			c.schema(p, depth-1)
			c.schema(p.Get("items"), depth-1)
		}
	}
}

// settle weighs parameters against what name and description say.
func (c *Capabilities) settle() {
	var has [kinds]token
	for i := range c.Parameters[:min(len(c.Parameters), int(soft)-1)] {
		if k := c.Parameters[i].Kind; has[k] == 0 {
			has[k] = token(i + 1)
		}
	}
	mention := func(a Ability, kind ParameterKind, always bool) {
		if has[kind] != 0 && (always || c.Has(a)) {
			c.note(a, BySchema, has[kind])
		}
	}
	mention(Runs, TakesCommand, true)
	mention(Runs, TakesScript, false)
	mention(Network, TakesCallback, true)
	mention(Network, TakesAddress, true)
	mention(Secrets, TakesSecret, true)
	if c.said&disk != 0 {
		mention(Files, TakesPath, true)
	}
	if has[TakesCurrency] != 0 {
		mention(Pays, TakesAmount, false)
	}
	if has[TakesBody] != 0 && c.Verb != Reads {
		mention(Sends, TakesRecipient, true)
	}
	// What a tool reads or writes says where it reaches.
	if c.Verb != Nothing {
		switch {
		case c.said&disk != 0 && c.Says(Files, BySchema):
			c.note(Files, ByName, c.verb)
		case c.said&secrets != 0 && c.Verb == Reads:
			c.note(Secrets, ByName, c.verb)
		}
		if c.said&(internet|web|mail|messages|posts) != 0 && c.Says(Network, BySchema) && c.Verb == Reads {
			c.note(Network, ByName, c.verb)
		}
	}
}

// text reads what the description says that the tool does: the verbs of its main clauses that have the tool as their
// subject ("Deletes a user", "This tool sends", "Create or update a file"). What it says of parameters, results, examples
// and other tools is not read.
func (c *Capabilities) text(s string) {
	r := claims{c: c, lang: language(), rest: s[:min(len(s), limits.Default.ClaimBytes)], opening: true}
	for r.sentence() {
	}
}

// claims reads a description word by word.
type claims struct {
	c       *Capabilities
	lang    *vocabulary
	rest    string
	opening bool // the first sentence
	buf     [24]byte
}

// mark is what stands behind a word.
type mark uint8

const (
	blank mark = iota
	comma
	stop  // a sentence ends, a list item, a colon
	paper // the description ends
)

// next reads a word in lower case and what stands behind it. A word of another script, or a long one, is empty.
func (r *claims) next() (word []byte, behind mark) {
	s := r.rest
	i := 0
	for i < len(s) && !letter(s[i]) && s[i] != '$' && !(s[i] >= '0' && s[i] <= '9') {
		i++
	}
	start := i
	plain := true
	for i < len(s) && (letter(s[i]) || s[i] == '-' || s[i] == '_' || s[i] == '\'' || s[i] == '$' || s[i] >= '0' && s[i] <= '9' ||
		(s[i] == '.' || s[i] == ':' || s[i] == '/') && i+1 < len(s) && !gap(s[i+1])) {
		plain = plain && (s[i] >= 'a' && s[i] <= 'z' || capital(s[i]))
		i++
	}
	n := i - start
	word = r.buf[:0]
	if plain && n <= len(r.buf) {
		for k := range n {
			word = append(word, s[start+k]|0x20)
		}
	}
	behind = blank
	for ; i < len(s) && !letter(s[i]) && !(s[i] >= '0' && s[i] <= '9'); i++ {
		switch {
		case (s[i] == '.' || s[i] == '!' || s[i] == '?' || s[i] == ':' || s[i] == ';') && (i+1 == len(s) || gap(s[i+1])):
			behind = stop
		case s[i] == '\n' && i+1 < len(s) && !(s[i+1] >= 'a' && s[i+1] <= 'z'):
			behind = stop
		case s[i] == ',' && behind == blank, s[i] == '/' && behind == blank:
			behind = comma
		}
	}
	if i == len(s) {
		behind = paper
	}
	r.rest = s[i:]
	return word, behind
}

func gap(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// sentence reads one sentence and says whether another may follow.
func (r *claims) sentence() bool {
	opening := r.opening
	r.opening = false
	word, behind := r.next()
	if behind == paper && len(word) == 0 {
		return false
	}
	if r.lang.heads[string(word)] && behind == stop {
		return false
	}
	named := opening || isAny(word, "this", "it", "tool")
	if !opening && isAny(word, "the") {
		word, behind = r.next()
		named = isAny(word, "tool", "function", "method")
	}
	for named && behind == blank && (r.lang.skip[string(word)] || len(word) > 4 && strings.HasSuffix(string(word), "ly")) {
		word, behind = r.next()
	}
	v := r.lang.verbs[string(word)]
	if v == nil || !named && v.form != third || v.form == ing && !named {
		return r.skip(behind)
	}
	return r.clause(v, behind, opening)
}

// skip goes to the end of the sentence.
func (r *claims) skip(behind mark) bool {
	for behind < stop {
		_, behind = r.next()
	}
	return behind == stop
}

// objectWords is how many words behind a verb tell what it is about, placeWords how many behind "from" and "to".
const objectWords, placeWords = 8, 3

// clause reads a main clause from its verb on, with the verbs that "and" joins to it.
func (r *claims) clause(v *verb, behind mark, opening bool) bool {
	form, joined := v.form, false
	for {
		if joined && behind >= stop { // "users and updates"
			return behind == stop
		}
		// What the verb is about stands in the next words.
		var about topic
		object := false
		var next *verb
		for n := 0; behind < stop && next == nil; n++ {
			was := behind
			var word []byte
			word, behind = r.next()
			if n < objectWords {
				about |= r.lang.topics[string(word)]
			}
			if n == 0 {
				object = r.lang.before[string(word)]
			}
			if r.lang.asides[string(word)] && (form != third || isAny(word, "that", "which", "who", "when", "if", "not", "unless")) {
				place := isAny(word, "from", "to")
				for k := 0; k < placeWords && behind < stop && place; k++ {
					word, behind = r.next()
					about |= r.lang.topics[string(word)]
				}
				r.done(v, about, joined, object, opening)
				return r.skip(behind)
			}
			joins := was == comma
			if isAny(word, "and", "or", "then") && behind < stop {
				word, behind = r.next()
				about |= r.lang.topics[string(word)]
				joins = true
			}
			if joins {
				if o := r.lang.verbs[string(word)]; o != nil && o.form == form {
					next = o
				}
			}
		}
		r.done(v, about, joined, object, opening)
		if next == nil {
			return behind == stop
		}
		v, joined = next, true
	}
}

// done notes what a verb says. A word that is a noun as often counts where an object follows, never behind an "and".
func (r *claims) done(v *verb, about topic, joined, object, opening bool) {
	c := r.c
	if v.noun && v.does != Reads && (joined || v.form == base && !object) {
		return
	}
	does, t := v.means(about)
	if does == Runs && !opening { // "This tool runs the LIST QUEUES command": how it works, not what it is for
		return
	}
	c.note(does, ByText, t)
	if !opening {
		return
	}
	switch {
	case does != Reads:
	case about&secrets != 0:
		c.note(Secrets, ByText, v.token)
	case about&(internet|web) != 0:
		c.note(Network, ByText, v.token)
	}
	if about&disk != 0 && (does == Reads || does == Writes || does == Deletes) {
		c.note(Files, ByText, v.token)
	}
	c.said |= about
	if c.First == Nothing {
		c.First = does
	}
}

func isAny(word []byte, any ...string) bool {
	for _, a := range any {
		if string(word) == a {
			return true
		}
	}
	return false
}
