package poison

import (
	"strings"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	secrets "github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// evidence is one thing that a card says and an honest one would not.
type evidence struct {
	idea  idea
	level int
	// node holds the string, or with key it is the value whose name was judged.
	node source.Node
	key  bool
	role card.Role
	// from is the string that a split payload begins in.
	from source.Node
	// start and end are offsets in the string's text; -1 where it is the whole string.
	start, end int
	// text is what a finding quotes where the bytes of the document say something else.
	text string
}

// verdict is what all evidence of a card comes to.
type verdict struct {
	card *card.Card // nil for what a server says of itself
	list []evidence
	main int // the gravest
	// blocks says that one piece of evidence blocks by itself, or that two families agree.
	blocks  bool
	secrets []leaked
	// level is the level of each idea: what its rule reports.
	level [ideas]int
}

// said is a string at hand.
type said = card.Said

// judge gathers the evidence of one card after the other. Its buffers are used again.
type judge struct {
	scanned           scanned
	other             scanned // for decoded text and seams
	decodable, places int     // limits
	joinable          int     // a limit, and
	joined            int     // how much of it is used
	list              []evidence
	said              said
	// card and what is known of it
	name      string
	card      *card.Card
	purpose   bits
	defends   bool // the card is a detector's, or a sample's
	listed    bool // members holds the names of the parts of the card
	members   map[string]bool
	required  map[string]bool // the parameters that are, once somebody asked
	watches   bool            // its name says that it looks for faults
	offensive bool            // it is said openly
	folded    text.Folded
	// layer says that the text at hand was decoded: offsets mean nothing.
	layer        bool
	changed      bool // the text at hand is no longer the bytes of the document
	tail         seam // the end of the string before
	described    seam // the beginning of the description
	tails, heads []seam
	decoded      int
	at           *scanned // the text that is looked at
	secrets      []leaked
}

// verdicts are those of all cards of a server that have evidence, and of what the server says of itself.
func verdicts(p *rule.Pass, s *card.Server) []*verdict {
	type key struct{}
	v, _ := s.Noted(key{}, func() any {
		j := newJudge(p)
		var all []*verdict
		for _, c := range s.Cards {
			if v := j.judge(c); v != nil {
				all = append(all, v)
			}
		}
		if v := j.server(s); v != nil {
			all = append(all, v)
		}
		return all
	}).([]*verdict)
	return v
}

func newJudge(p *rule.Pass) *judge {
	return &judge{members: map[string]bool{}, decodable: p.Limits.DecodedBytes, joinable: p.Limits.SeamBytes, places: p.Limits.RelatedPlaces}
}

func (j *judge) judge(c *card.Card) *verdict {
	j.begin(c.Name, c)
	for one := range c.Said() {
		j.string(one)
	}
	j.parameters()
	return j.settle(c)
}

// server judges the instructions and the names that a server gives itself.
func (j *judge) server(s *card.Server) *verdict {
	j.begin(s.Name, nil)
	for one := range s.Said() {
		j.string(one)
	}
	return j.settle(nil)
}

func (j *judge) begin(name string, c *card.Card) {
	j.list, j.secrets, j.name, j.card = j.list[:0], j.secrets[:0], name, c
	if j.listed {
		clear(j.members)
		j.listed = false
	}
	j.purpose, j.defends, j.watches, j.offensive, j.decoded, j.joined, j.required = 0, false, false, false, 0, 0, nil
	j.carry()
	j.heads, j.described = j.heads[:0], seam{}
	j.names()
}

// names reads the name of the card: what it is for.
func (j *judge) names() {
	points := 0
	v := words()
	j.scanned.vocabulary = v
	for part := range parts(j.name) {
		if e := v.known(part); e != nil {
			j.purpose |= e.is
			if e.is&attack != 0 {
				points++
			}
		}
		switch lower(part) {
		case "ssh", "key", "keys", "env", "vault", "cloud", "credential", "aws", "kube", "dotenv", "config":
			j.purpose |= secret | secretPath
		case "scan", "check", "checker", "checks", "lint", "moderate", "classify", "validate", "review":
			j.watches = true
		}
		switch lower(part) {
		case "audit", "auditor", "guard", "guardrail", "scanner", "detect", "detector", "linter", "sample", "mock", "corpus", "moderation":
			j.defends = true
		}
	}
	j.offensive = points > 0
}

// string judges one string.
func (j *judge) string(one said) {
	j.said = one
	t := one.Text
	if j.credentials(one); j.settled() {
		return
	}
	if (one.Role == card.Naming || one.Role == card.Keying || one.Role == card.Unknown) && strings.IndexByte(t, ' ') < 0 {
		t = strings.ReplaceAll(t, "_", " ") // as many bytes
	}
	j.layer, j.changed = false, false
	j.folded = text.Fold(t)
	if j.folded.Signs.Any() {
		j.signs()
	}
	if j.folded.Cut { // the rest is not looked at
		j.note(deceptiveUnicode, warns, -1, -1)
	}
	s := &j.scanned
	raw, escapes := j.read(s, t, j.folded.Text)
	if escapes >= escapesInProse {
		j.note(encodedPayload, warns, -1, -1)
	}
	j.look(s)
	j.place(s)
	for _, hidden := range j.folded.Smuggled {
		j.deeper(hidden, hiddenUnicode, -1, -1)
	}
	if s.codes >= codeRun {
		for _, p := range text.Encoded(raw) {
			if raw != t {
				p.Start, p.End = -1, -1
			}
			j.deeper(p.Text, encodedPayload, p.Start, p.End)
		}
	}
	j.seams(s)
}

// read takes a text apart once what lies over its letters is off: escapes, blanks between letters, digits for them. plain is
// the text without escapes and blanks, as it was before folding; escapes counts those that stand for letters.
func (j *judge) read(s *scanned, source, folded string) (plain string, escapes int) {
	plain = source
	t := folded
	for range layers {
		if plainEscapes(t) {
			if out, n := text.Unescape(t); out != t {
				escapes += n
				plain, _ = text.Unescape(plain)
				t, j.changed = text.Fold(out).Text, true
			}
		}
		if s.scan(t); s.spaced < lettersInARow {
			break
		}
		closed := closeUp(plain) // whole words are folded otherwise than letters
		if closed == plain {
			closed = closeUp(t)
		}
		if closed == t {
			break
		}
		plain, t, j.changed = closed, text.Fold(closed).Text, true
		s.scan(t)
	}
	if s.leet >= leetWords {
		if letters := unleet(t); letters != t {
			s.scan(letters)
		}
	}
	return plain, escapes
}

// layers is how often escapes and blanks may lie over each other.
const layers = 2

// place judges what a string is where it stands: a pipe into a shell as a default, a sentence as a key, turns of a
// conversation in a description.
func (j *judge) place(s *scanned) {
	j.injected(s.text)
	if at := turns(s.text); at >= 0 && (j.card == nil || j.card.Kind != card.Prompt) && !j.about() {
		j.note(hiddenInstruction, errors, at, at+1)
	}
	if j.said.Role != card.Keying {
		return
	}
	if lookalike(j.said.Text) {
		j.note(deceptiveUnicode, errors, -1, -1)
	}
	if s.words < sentenceWords {
		return
	}
	for i := range s.sentences {
		one := &s.sentences[i]
		if one.is&(obliging|trigger) == 0 || one.is&(addressee|person|toolNoun|overriding) == 0 {
			continue
		}
		for _, h := range s.hits[one.first:one.last] {
			if h.is&base != 0 && h.is&(acquiring|moving|embedding|running|overriding|wiping) != 0 {
				j.note(hiddenInstruction, errors, -1, -1)
				j.note(misplacedText, errors, -1, -1)
				return
			}
		}
	}
}

// injected judges a text that a shell would run, and that is no prose. An example of a tool that runs commands may be one.
func (j *judge) injected(t string) {
	if len(t) > quotation {
		return
	}
	t = strings.TrimLeft(single(t), " ")
	if j.said.Role != card.Defaulting && !program(t) || !pipeline(t) {
		return
	}
	if j.said.Role == card.Exemplifying && j.card != nil && j.card.Kind == card.Tool && j.card.Does().Has(card.Runs) {
		return
	}
	j.note(commandInjection, errors, -1, -1)
	if !j.said.Role.Prose() {
		j.note(misplacedText, errors, -1, -1)
	}
}

// program says whether a text begins with the name of a program, or with a substitution: no prose does.
func program(t string) bool {
	if strings.HasPrefix(t, "$(") || strings.HasPrefix(t, "`$(") {
		return true
	}
	first, rest, _ := strings.Cut(t, " ")
	e := words().find(hash(first), first)
	return e != nil && e.is&command != 0 && rest != "" && !capital(rest[0])
}

// lookalike says whether a name has Greek letters among Latin ones: prose has words like that, names that code uses have not.
func lookalike(name string) bool {
	latin, greek := false, false
	for _, r := range name {
		switch {
		case r < utf8.RuneSelf:
			latin = latin || kinds[byte(r)] == kLetter && r != '_'
		case r >= 0x370 && r < 0x400:
			greek = true
		}
	}
	return latin && greek
}

// sentenceWords is from how many words on a key reads as a sentence.
const sentenceWords = 6

// pipeline says whether a text is a command line that hands what it loads to an interpreter, in whatever language its
// surroundings are.
func pipeline(t string) bool {
	if len(t) > quotation {
		return false
	}
	t = lower(t)
	load := false
	for _, w := range [...]string{"curl ", "wget ", "base64 ", "fetch ", "iwr ", "invoke-webrequest", "downloadstring", "/dev/tcp/", "nc -", "ncat ", "certutil", "bitsadmin"} {
		load = load || strings.Contains(t, w)
	}
	if !load {
		return strings.Contains(t, "rm -rf ") && strings.ContainsAny(t, "~/*") || strings.Contains(t, "powershell") && strings.Contains(t, " -e")
	}
	if strings.Contains(t, "/dev/tcp/") || strings.Contains(t, " -e /bin") {
		return true
	}
	for at := strings.IndexAny(t, "|;&"); at >= 0; {
		rest := strings.TrimLeft(t[at:], "|;& ")
		rest = strings.TrimPrefix(rest, "sudo ")
		for _, w := range [...]string{"sh", "bash", "zsh", "python", "python3", "perl", "node", "ruby", "iex", "powershell", "cmd", "source", "chmod", "./"} {
			if next, ok := strings.CutPrefix(rest, w); ok && (w == "./" || next == "" || kinds[next[0]] != kLetter && kinds[next[0]] != kDigit) {
				return true
			}
		}
		next := strings.IndexAny(rest, "|;&")
		if next < 0 {
			break
		}
		t, at = rest, next
	}
	return strings.Contains(t, "$(") && (strings.Contains(t, "bash") || strings.Contains(t, " -c") || strings.Contains(t, "eval"))
}

// turns finds a conversation that is made up: lines that begin with who speaks, a person's and a model's. -1: none.
func turns(t string) int {
	person, model, first := 0, 0, -1
	if strings.Count(t, ":") < 2 || strings.IndexByte(t, '\n') < 0 {
		return -1
	}
	from := 0
	for line := range strings.SplitSeq(t, "\n") {
		who, said, ok := strings.Cut(line, ":")
		if ok && len(who) < 16 && len(strings.TrimSpace(said)) > 3 {
			switch lower(strings.Trim(who, " *#-<>[]")) {
			case "human", "user", "h", "operator", "customer":
				person++
				if first < 0 {
					first = from
				}
			case "assistant", "ai", "model", "claude", "gpt", "chatgpt", "agent", "bot", "system", "a":
				model++
			}
		}
		from += len(line) + 1
	}
	if person == 0 || model == 0 {
		return -1
	}
	for _, w := range [...]string{"example", "e.g", "sample", "dialog", "scenario", "format", "transcript", "usage"} {
		if strings.Contains(lower(t[:first]), w) {
			return -1
		}
	}
	return first
}

// escapesInProse is how many escapes of letters are a fault by themselves; lettersInARow how many single letters are spaced
// out writing; leetWords how many words must be meant by a change of digits.
const escapesInProse, lettersInARow, leetWords = 6, 6, 2

// credentials looks for those that are known wherever they stand, and in a default for those that a name gives away.
func (j *judge) credentials(one said) {
	var hits []secrets.Hit
	if one.Role == card.Defaulting && one.Node.IsMember() {
		hits = secrets.Value(one.Node.Parent().Key(), one.Text)
	} else if len(one.Text) >= shortestSecret {
		hits = secrets.Text(one.Text)
	}
	for _, h := range hits {
		if len(j.secrets) < j.places {
			j.secrets = append(j.secrets, leaked{one.Node, h.Start, h.End, h.Title, string(h.Kind)})
		}
	}
}

// shortestSecret is what no vendor's credential is shorter than.
const shortestSecret = 16

// shortestHidden is the length of hidden text that can say something.
const shortestHidden = 4

// plainEscapes says whether a text holds what looks like an escape.
func plainEscapes(t string) bool {
	return strings.IndexByte(t, '\\') >= 0 || strings.IndexByte(t, '%') >= 0 || strings.IndexByte(t, '&') >= 0
}

// deeper judges text that was hidden in the string at hand. What it holds is evidence of hiding as well.
func (j *judge) deeper(t string, how idea, start, end int) {
	if j.decoded += len(t); j.decoded > j.decodable { // what is not looked at is no clean text
		j.note(how, warns, start, end)
		return
	}
	if len(strings.TrimSpace(t)) < shortestHidden {
		return
	}
	before := len(j.list)
	layer, changed := j.layer, j.changed
	j.layer = true
	plain, escapes := j.read(&j.other, t, text.Fold(t).Text)
	if escapes >= escapesInProse {
		j.note(encodedPayload, warns, -1, -1)
	}
	j.look(&j.other)
	j.place(&j.other)
	if len(j.list) == before {
		j.seams(&j.other)
	}
	for _, p := range text.Encoded(plain) { // once more, and no deeper
		j.read(&j.other, p.Text, text.Fold(p.Text).Text)
		j.look(&j.other)
	}
	found := len(j.list) > before
	if found {
		j.add(evidence{idea: how, level: blocks, node: j.said.Node, key: j.said.Role == card.Keying, role: j.said.Role, start: start, end: end})
	}
	j.layer, j.changed = layer, changed
}

// look asks every family about every sentence that has what it needs.
func (j *judge) look(s *scanned) {
	if len(s.sentences) == 0 && len(s.marks) == 0 || j.settled() {
		return
	}
	var v *view // most texts need none
	j.at = s
	for i := range s.sentences {
		one := &s.sentences[i]
		if one.is&detecting != 0 && one.is&codeish != 0 && j.said.Role == card.Describing {
			j.defends = true
		}
		if one.is&candidates == 0 && one.more == 0 {
			continue
		}
		if v == nil {
			v = &view{judge: j, scan: s}
		}
		v.sentence, v.at, v.h, v.lowered = *one, i, s.hits[one.first:one.last], ""
		v.reason = 0
		v.wide, v.wideMore = one.is, one.more
		if i > 0 && s.sentences[i-1].after+1 >= one.after {
			v.wide |= s.sentences[i-1].is
			v.wideMore |= s.sentences[i-1].more
		}
		if i+1 < len(s.sentences) {
			v.wide |= s.sentences[i+1].is
			v.wideMore |= s.sentences[i+1].more
		}
		before := len(j.list)
		if one.is&candidates != 0 {
			v.ask()
		}
		if v.match(); len(j.list) == before {
			continue
		}
		if j.settled() {
			return
		}
		if len(j.list) > before && !j.said.Role.Prose() && !j.layer && j.said.Role != card.Naming {
			j.odd(before)
		}
	}
	j.markup(s)
}

// settled says that the card will be blocked whatever else it says, and that a finding has enough to show.
func (j *judge) settled() bool {
	if len(j.list) < 2*listed {
		return false
	}
	var grave uint32
	for _, e := range j.list {
		if e.level == blocks {
			grave |= e.idea.family()
		}
	}
	return grave&(grave-1) != 0 && !j.defends
}

// candidates are the meanings of which a sentence needs one to be looked at.
const candidates = overriding | telling | stealing | secret | secretPath | systemPath | absoluteURL | foreignHost | mailbox | conversation | command |
	identifier | role | obeying | safety | noticing | promoting | person | silent | feigning | regardless | superior | approved | disabled | obliging | first | placeholder | colon | toolNoun

func (v *view) ask() {
	is := v.is
	if is&overriding != 0 {
		v.override()
	}
	if is&(instruction|conversation|addressee) != 0 && is&(overriding|disabled|obeying|feigning) != 0 {
		v.lifted()
	}
	if is&(safety|role|obeying|approved) != 0 {
		v.policy()
	}
	if is&(colon|addressee) != 0 {
		v.addressed()
	}
	if is&first != 0 {
		v.ordered()
	}
	if is&(denying|silent|feigning|person|addressee) != 0 {
		v.conceal()
	}
	if is&(secret|secretPath|conversation|foreignHost|mailbox|absoluteURL|stealing|person) != 0 {
		v.exfil()
	}
	if is&(command|systemPath|anyPath|altering|overriding|obliging|regardless) != 0 {
		v.tamper()
	}
	if is&(obliging|identifier) != 0 {
		v.coerce()
	}
	if is&(identifier|toolNoun|disabled|trigger) != 0 {
		v.shadow()
	}
	if is&approved != 0 {
		v.latent()
	}
	if is&superior != 0 {
		v.prefer()
	}
	if is&denying != 0 {
		v.sleeper()
	}
}

// odd notes that the evidence stands where people do not look for text.
func (j *judge) odd(from int) {
	for _, e := range j.list[from:] {
		if e.level >= errors {
			j.note(misplacedText, errors, e.start, e.end)
			return
		}
	}
}

// note adds evidence at a stretch of the text at hand.
func (j *judge) note(i idea, level, start, end int) {
	e := evidence{idea: i, level: level, node: j.said.Node, key: j.said.Role == card.Keying, role: j.said.Role, start: -1, end: -1}
	if start >= 0 && !j.layer && !j.changed {
		e.start = j.folded.At(start)
		e.end = min(j.folded.At(max(end-1, start))+1, len(j.said.Text))
	} else if start >= 0 && j.at != nil && end <= len(j.at.text) {
		e.text = j.at.text[start:min(end, start+excerpt)]
	}
	j.add(e)
}

// add keeps evidence, as much of one idea as a finding shows.
func (j *judge) add(e evidence) {
	same := 0
	for k := range j.list {
		if has := &j.list[k]; has.idea == e.idea && has.level >= e.level {
			same++
		}
	}
	if same < listed {
		e.text = strings.Clone(e.text)
		j.list = append(j.list, e)
	}
}

// own says whether a name is the card's own, or that of a part of it.
func (j *judge) own(name string) bool {
	name = strings.Trim(lower(name), "`'\" ")
	if name == "" || name == lower(j.name) {
		return true
	}
	if j.card == nil {
		return false
	}
	if !j.listed {
		j.listed = true
		for p := range j.card.Parameters() {
			j.members[lower(p.Key())] = true
		}
		for p := range j.card.Output.Get("properties").Children() {
			j.members[lower(p.Key())] = true
		}
	}
	return j.members[name]
}

// signs judges what is not seen.
func (j *judge) signs() {
	g := &j.folded.Signs
	at := func(k text.Sign) (int, int) { return g.First[k], g.First[k] + 1 }
	raw := func(i idea, level int, k text.Sign) {
		a, b := at(k)
		j.add(evidence{idea: i, level: level, node: j.said.Node, key: j.said.Role == card.Keying, role: j.said.Role, start: a, end: b})
	}
	switch {
	case g.Count[text.TagBlock] > 0:
		raw(hiddenUnicode, blocks, text.TagBlock)
	case g.Count[text.Selectors] > 0:
		raw(hiddenUnicode, blocks, text.Selectors)
	case g.Count[text.ZeroWidth] > 0:
		level := errors
		if n := g.Count[text.ZeroWidth]; n == 1 && edge(j.said.Text, g.First[text.ZeroWidth]) {
			level = warns // left over from a copy
		} else if n >= 8 {
			level = blocks
		}
		raw(hiddenUnicode, level, text.ZeroWidth)
	}
	if g.Count[text.BidiOverride] > 0 {
		raw(deceptiveUnicode, blocks, text.BidiOverride)
	} else if g.Count[text.BidiMark] > 0 {
		raw(deceptiveUnicode, errors, text.BidiMark)
	}
	if n := g.Count[text.MixedScript]; n > 0 {
		level := errors
		if n > 1 {
			level = blocks
		}
		raw(deceptiveUnicode, level, text.MixedScript)
	}
	if g.Count[text.Escape] > 0 {
		raw(escapeSequence, errors, text.Escape)
	}
	if g.Count[text.Padding] > 0 {
		raw(hiddenUnicode, errors, text.Padding)
	}
}

// edge says whether the character at i stands beside a blank or an end.
func edge(s string, i int) bool {
	rest := strings.TrimLeft(s[i:], "\u200b\ufeff\u00ad\u2060\u200d\u200c")
	return i == 0 || kinds[s[i-1]] == kBlank || kinds[s[i-1]] == kLine || rest == "" || kinds[rest[0]] == kBlank || kinds[rest[0]] == kLine
}

// settle makes the verdict of a card. nil: there is no evidence.
func (j *judge) settle(c *card.Card) *verdict {
	if len(j.list) == 0 && len(j.secrets) == 0 {
		return nil
	}
	v := &verdict{card: c, list: append([]evidence(nil), j.list...), secrets: append([]leaked(nil), j.secrets...)}
	var strong, any uint32
	alone := false
	for i, e := range v.list {
		f := e.idea.family()
		if e.idea == offensiveTool {
			f = 0
		}
		if e.level >= errors {
			strong |= f
		}
		any |= f
		alone = alone || e.level == blocks
		if e.level > v.list[v.main].level {
			v.main = i
		}
	}
	one := any&(any-1) == 0
	if j.defends && one && any&(hiddenUnicode.family()|concealment.family()|hiddenInstruction.family()) == 0 {
		for i := range v.list {
			v.list[i].level = min(v.list[i].level, warns)
		}
		alone, strong = false, 0
	}
	n := 0
	for f := any; f != 0; f &= f - 1 {
		n++
	}
	if len(v.list) == 0 {
		return v
	}
	v.blocks = alone || strong&(strong-1) != 0 || strong != 0 && n >= 3
	for _, e := range v.list {
		level := e.level
		if n >= 2 && level == warns && e.idea != offensiveTool && e.idea != callerParameter {
			level = errors
		}
		v.level[e.idea] = max(v.level[e.idea], level)
	}
	return v
}

// seam is the end of a string that may go on in another, or the beginning of one.
type seam struct {
	text string // whole sentences, as far as a quotation reaches
	is   bits   // what the sentence at the seam means
	node source.Node
	// describes says that it is of the description of the card, which begins with no small letter.
	describes bool
	// broken says that it ends with a word that ends nothing, or is the beginning of a command.
	broken bool
	// open says that it holds a sentence and the beginning of another one.
	open bool
	// carried says that it is of the card before.
	carried bool
}

// seams judges what begins in one string and ends in another, in whichever order the document has them.
func (j *judge) seams(s *scanned) {
	if j.said.Role == card.Naming || len(s.sentences) == 0 || len(j.list) > 0 && j.list[len(j.list)-1].node == j.said.Node {
		return
	}
	t := strings.TrimRight(s.text, " \n\t")
	first, last := s.sentences[0], s.sentences[len(s.sentences)-1]
	head := seam{text: strings.TrimLeft(t[min(int(first.start), len(t)):min(len(t), int(first.start)+quotation)], " \n\t"), is: first.is, node: j.said.Node, describes: j.said.Role == card.Describing}
	tail := seam{text: s.ending(t), is: last.is, node: j.said.Node}
	tail.open = j.said.Role <= card.Explaining && int(last.end) >= len(t) && (s.count > 1 || strings.Contains(t, ". ")) && !ended(t)
	tail.broken = dangling(tail.text[strings.LastIndexAny(tail.text, " \n\t")+1:]) || strings.HasSuffix(tail.text, ",") || program(t)
	finished := int(last.end) < len(t)
	if j.tail.text != "" {
		j.join(j.tail, head, true)
	}
	for _, t := range j.tails {
		j.join(t, head, false)
	}
	if j.tail = tail; finished {
		j.tail = seam{}
	} else {
		if j.said.Role == card.Titling && j.described.text != "" { // clients show the title first
			j.join(tail, j.described, true)
		}
		if tail.broken || tail.is&overriding != 0 {
			for _, h := range j.heads {
				j.join(tail, h, false)
			}
			j.tails = keep(j.tails, tail)
		}
	}
	if j.said.Role == card.Describing {
		j.described = head
	}
	j.heads = keep(j.heads, head)
}

// ending is the last sentences of t, with a mark that stands before them: as much as a quotation holds.
func (s *scanned) ending(t string) string {
	n := len(s.sentences) - 1
	from := max(int(s.sentences[n].start), len(t)-quotation)
	for n > 0 && int(s.sentences[n-1].start) >= len(t)-quotation {
		n--
		from = int(s.sentences[n].start)
	}
	for k := len(s.marks) - 1; k >= 0 && int(s.marks[k].sentence) >= n; k-- {
		if at := int(s.marks[k].start); at < from && at >= len(t)-quotation {
			from = at
		}
	}
	return strings.TrimLeft(t[min(from, len(t)):], " \n\t")
}

// ended says whether a text ends as sentences do.
func ended(t string) bool {
	return t != "" && strings.IndexByte(".!?", t[len(t)-1]) >= 0
}

// keep adds a piece; the oldest gives way.
func keep(list []seam, one seam) []seam {
	if one.is&^forms == 0 {
		return list
	}
	if len(list) == seamsKept {
		copy(list, list[1:])
		list = list[:seamsKept-1]
	}
	return append(list, one)
}

// carry keeps what the card before left open, for the one card that follows it in the list.
func (j *judge) carry() {
	kept := j.tails[:0]
	for _, t := range j.tails {
		if !t.carried {
			t.carried = true
			kept = append(kept, t)
		}
	}
	if j.tails = kept; j.tail.text != "" && !j.tail.carried {
		j.tail.carried = true
	} else {
		j.tail = seam{}
	}
}

// seamsKept bounds the pieces that are tried with each other.
const seamsKept = 8

// join judges two pieces as one sentence. A piece that breaks off within a phrase is worth more than two that could follow
// each other.
func (j *judge) join(a, b seam, next bool) {
	if a.node == b.node {
		return
	}
	broken := a.broken
	cut := next && (b.describes && begins(b.text) || a.open) // no description begins so
	if broken && !next && (a.is|b.is)&(anchors|obliging|disabled|safety|obeying|approved|regardless) == 0 {
		return
	}
	if !broken && !cut && !divided(a.is, b.is) && (!next || !begins(b.text) || (a.is|b.is)&anchors == 0 && !b.describes) {
		return
	}
	before, layer := len(j.list), j.layer
	j.layer = true
	if j.joined += len(a.text) + len(b.text); j.joined > j.joinable { // what is not looked at is not clean
		j.note(splitPayload, warns, -1, -1)
		j.layer = layer
		return
	}
	j.other.scan(a.text + " " + b.text)
	j.look(&j.other)
	j.injected(j.other.text)
	grave := -1
	for k := before; k < len(j.list); k++ {
		e := &j.list[k]
		if !cut && (!broken && !(b.describes && begins(b.text)) && e.level < errors || e.idea.family() == instructionOverride.family() && e.level < blocks) {
			continue // two strings say as much by chance
		}
		if grave < 0 || e.level > j.list[grave].level {
			grave = k
		}
	}
	var found evidence
	if grave >= 0 {
		found = j.list[grave]
	}
	if j.list = j.list[:before]; grave >= 0 {
		j.add(evidence{idea: splitPayload, level: errors, node: j.said.Node, from: a.node, key: j.said.Role == card.Keying, role: j.said.Role, start: -1, end: -1})
		j.list = append(j.list, found)
	}
	j.layer = layer
}

// anchors are meanings that carry a sentence over the end of a string.
const anchors = secretPath | foreignHost | mailbox | secret | conversation | command | silent | overriding | stealing

// begins says whether a text begins as the middle of a sentence does.
func begins(t string) bool {
	if t == "" {
		return false
	}
	switch kinds[t[0]] {
	case kLetter:
		return t[0] >= 'a' && t[0] <= 'z'
	case kPath, kOther, kStop: // "- item" begins a list
		return len(t) > 1 && kinds[t[1]] != kBlank || t[0] == '|' || t[0] == '&'
	}
	return t[0] == '`'
}

// divided says whether two sentences hold together what neither of them holds alone.
func divided(a, b bits) bool {
	both := a | b
	for _, need := range [...][3]bits{
		{overriding, instruction, scoping}, {denying, telling, person}, {secretPath, acquiring | moving | embedding, ^bits(0)},
		{obliging, command | systemPath | absoluteURL | foreignHost, ^bits(0)}, {altering, regardless, parameter},
	} {
		has := func(is bits) bool { return is&need[0] != 0 && is&need[1] != 0 && is&need[2] != 0 }
		if has(both) && !has(a) && !has(b) {
			return true
		}
	}
	return false
}
