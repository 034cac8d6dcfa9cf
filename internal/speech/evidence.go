package speech

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Evidence is one thing that a card says and an honest one would not.
type Evidence struct {
	Idea  Idea
	Level int
	// Node holds the string, or with Key it is the value whose name was judged.
	Node source.Node
	Key  bool
	Role card.Role
	// From is the string that a split payload begins in.
	From source.Node
	// Start and End are offsets in the string's text; -1 where it is the whole string.
	Start, End int
	// Text is what a finding quotes where the bytes of the document say something else.
	Text string
}

// Verdict is what all evidence of a card comes to.
type Verdict struct {
	Card *card.Card // nil for what a server says of itself
	List []Evidence
	Main int // the gravest
	// Blocks says that one piece of evidence blocks by itself, or that two families agree.
	Blocks  bool
	Secrets []Leaked
	// Level is the level of each idea: what its rule reports.
	Level [Ideas]int

	served *Evidence
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
	list              []Evidence
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
	heard     bool            // the texts are no part of a card
	near      [4]Evidence     // what was found of late in such texts
	served    *Evidence       // what makes them orders
	folded    text.Folded
	// layer says that the text at hand was decoded: offsets mean nothing.
	layer        bool
	changed      bool // the text at hand is no longer the bytes of the document
	tail         seam // the end of the string before
	described    seam // the beginning of the description
	tails, heads []seam
	decoded      int
	at           *scanned // the text that is looked at
	secrets      []Leaked
}

// Verdicts are those of all cards of a server that have evidence, and of what the server says of itself.
func Verdicts(s *card.Server, lim *limits.Set) []*Verdict {
	type key struct{}
	v, _ := s.Noted(key{}, func() any {
		j := newJudge(lim)
		var all []*Verdict
		for _, c := range s.Cards {
			if v := j.judge(c); v != nil {
				all = append(all, v)
			}
		}
		if v := j.server(s); v != nil {
			all = append(all, v)
		}
		return all
	}).([]*Verdict)
	return v
}

func newJudge(lim *limits.Set) *judge {
	return &judge{members: map[string]bool{}, decodable: lim.DecodedBytes, joinable: lim.SeamBytes, places: lim.RelatedPlaces}
}

func (j *judge) judge(c *card.Card) *Verdict {
	j.begin(c.Name, c)
	for one := range c.Said() {
		j.string(one)
	}
	j.parameters()
	return j.settle(c)
}

// server judges the instructions and the names that a server gives itself.
func (j *judge) server(s *card.Server) *Verdict {
	j.begin(s.Name, nil)
	for one := range s.Said() {
		j.string(one)
	}
	return j.settle(nil)
}

func (j *judge) begin(name string, c *card.Card) {
	j.near, j.served = [4]Evidence{}, nil
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

// note adds evidence at a stretch of the text at hand.
func (j *judge) note(i Idea, level, start, end int) {
	e := j.whole(i, level)
	if start >= 0 && !j.layer && !j.changed {
		e.Start = j.folded.At(start)
		e.End = min(j.folded.At(max(end-1, start))+1, len(j.said.Text))
	} else if start >= 0 && j.at != nil && end <= len(j.at.text) {
		e.Text = j.at.text[start:min(end, start+excerpt)]
	}
	j.add(e)
}

// whole is evidence that the string at hand is as a whole.
func (j *judge) whole(i Idea, level int) Evidence {
	return Evidence{Idea: i, Level: level, Node: j.said.Node, Key: j.said.Role == card.Keying, Role: j.said.Role, Start: -1, End: -1}
}

// add keeps evidence, as much of one idea as a finding shows.
func (j *judge) add(e Evidence) {
	if j.heard {
		j.weigh(&e)
	}
	same := 0
	for k := range j.list {
		if has := &j.list[k]; has.Idea == e.Idea && has.Level >= e.Level {
			same++
		}
	}
	if same < listed {
		e.Text = strings.Clone(e.Text)
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

// settle makes the verdict of a card. nil: there is no evidence.
func (j *judge) settle(c *card.Card) *Verdict {
	if len(j.list) == 0 && len(j.secrets) == 0 {
		return nil
	}
	v := &Verdict{Card: c, served: j.served, List: append([]Evidence(nil), j.list...), Secrets: append([]Leaked(nil), j.secrets...)}
	var strong, any uint32
	alone := false
	for i, e := range v.List {
		f := e.Idea.Family()
		if e.Idea == OffensiveTool {
			f = 0
		}
		if e.Level >= Errors {
			strong |= f
		}
		any |= f
		alone = alone || e.Level == Blocks
		if e.Level > v.List[v.Main].Level {
			v.Main = i
		}
	}
	one := any&(any-1) == 0
	if j.defends && one && any&(HiddenUnicode.Family()|Concealment.Family()|HiddenInstruction.Family()) == 0 {
		for i := range v.List {
			v.List[i].Level = min(v.List[i].Level, Warns)
		}
		alone, strong = false, 0
	}
	n := 0
	for f := any; f != 0; f &= f - 1 {
		n++
	}
	if len(v.List) == 0 {
		return v
	}
	v.Blocks = alone || strong&(strong-1) != 0 || strong != 0 && n >= 3
	for _, e := range v.List {
		level := e.Level
		if n >= 2 && level == Warns && e.Idea != OffensiveTool && e.Idea != CallerParameter {
			level = Errors
		}
		v.Level[e.Idea] = max(v.Level[e.Idea], level)
	}
	return v
}

// excerpt is how much of a text is quoted, in bytes: enough to know it again.
const excerpt = 96

// Quoted is the text of evidence for a message.
func (e *Evidence) Quoted() string {
	t := e.Text
	if t == "" {
		t = e.Node.Text()
		if e.Key {
			t = e.Node.Key()
		}
		if e.Start >= 0 && e.End <= len(t) {
			t = t[e.Start:e.End]
		}
	}
	if len(t) > excerpt {
		t = strings.ToValidUTF8(t[:excerpt], "") + "…"
	}
	return `"` + t + `"`
}

// Leaked is a credential in a card.
type Leaked struct {
	Node        source.Node
	Start, End  int
	Title, Kind string
}

// listed is how many pieces of evidence of one idea are kept.
const listed = 3
