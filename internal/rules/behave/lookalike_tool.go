package behave

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/text"
)

// LookalikeTool is card/lookalike-tool.
var LookalikeTool = &rule.Rule{
	ID:      "card/lookalike-tool",
	Title:   "a tool that passes for another server's",
	Trigger: "A tool of one server is written like one of another with other letters, has its description under another name, or its name with fillers and a description alike.",
	Message: "{count} tools of {server} pass for tools of {other}: {names}",
	One:     "The tool {names} of {server} passes for {twin} of {other}",

	Severity:   finding.Warning,
	Confidence: finding.Medium,
	Tags:       []string{rule.Behaviour},
	OWASP:      "MCP09",
	CWE:        []int{451},
	Since:      "0.1.0",
	Cards:      lookalikeTool,
}

// pair is a server with one that it has look-alikes of, and what they have in common.
type pair struct {
	server, other *card.Server
	letters       bool
}

func lookalikeTool(p *rule.Pass, f *card.File) {
	if len(f.Servers) < 2 {
		return
	}
	var found rule.Gathers[pair]
	twins := map[pair]string{}
	note := func(c, o *card.Card, letters bool) {
		k := pair{c.Server, o.Server, letters}
		if twins[k] == "" {
			twins[k] = o.Label()
		}
		found.Of(k).AddCard(c, rule.At(c.NameNode))
	}
	faces := map[string]*card.Card{}
	cores := map[string][]*worded{}
	var all []*worded
	words := map[string]int{}
	for _, s := range f.Servers {
		for c := range s.Of(card.Tool) {
			if c.Name == "" {
				continue
			}
			face := text.Skeleton(c.Name)
			if o := faces[face]; o == nil {
				faces[face] = c
			} else if o.Server != s && !strings.EqualFold(o.Name, c.Name) {
				note(c, o, true)
				continue
			}
			w := &worded{Card: c, words: describe(p, c, words)}
			all = append(all, w)
			key := core(c.Name)
			for _, o := range cores[key] {
				if key != "" && o.Server != s && o.Name != c.Name && 2*o.shares(w) >= len(o.words)+len(w.words)-o.shares(w) && len(w.words) >= fewWords {
					note(c, o.Card, false)
					w.told = true
					break
				}
			}
			if len(cores[key]) < p.Limits.ShownNames {
				cores[key] = append(cores[key], w)
			}
		}
	}
	described(p, all, len(words), note)
	for _, k := range found.Kinds {
		severity, kind := finding.Warning, "text"
		if k.letters {
			severity, kind = finding.Error, "letters"
		}
		found.Of(k).Report(p, p.Rule.Message, rule.Args{"server": serverName(k.server), "other": serverName(k.other), "twin": twins[k]},
			rule.WithSeverity(severity), rule.WithKind(kind))
	}
}

// fewWords is how many different words a description has at least that is compared.
const fewWords = 4

// worded is a card with the different words of its description, as sorted numbers.
type worded struct {
	*card.Card
	words []int
	told  bool
}

func describe(p *rule.Pass, c *card.Card, numbers map[string]int) []int {
	var all []int
	for w := range strings.FieldsFuncSeq(lower(head(p, c)), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r < 0x80 }) {
		n, ok := numbers[w]
		if !ok {
			n = len(numbers)
			numbers[w] = n
		}
		all = append(all, n)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// shares is how many words two descriptions have in common.
func (w *worded) shares(o *worded) (n int) {
	a, b := w.words, o.words
	for len(a) > 0 && len(b) > 0 {
		switch c := cmp.Compare(a[0], b[0]); {
		case c < 0:
			a = a[1:]
		case c > 0:
			b = b[1:]
		default:
			n++
			a, b = a[1:], b[1:]
		}
	}
	return n
}

// described finds descriptions that share nine of ten words, under other names on other servers. Two such have one of
// their rarest words in common: of n words one of the first n/10 + 1, rarest first. So only those are looked up
// (prefix filtering: Chaudhuri, Ganti, Kaushik, ICDE 2006). What a hostile file makes of it is bounded, and said.
func described(p *rule.Pass, all []*worded, numbers int, note func(c, o *card.Card, letters bool)) {
	common := make([]int, numbers)
	for _, w := range all {
		for _, n := range w.words {
			common[n]++
		}
	}
	index := map[int][]*worded{}
	steps := p.Limits.LookalikeSteps
	for _, w := range all {
		if len(w.words) < fewWords {
			continue
		}
		rare := slices.Clone(w.words)
		slices.SortFunc(rare, func(a, b int) int { return cmp.Or(cmp.Compare(common[a], common[b]), cmp.Compare(a, b)) })
		rare = rare[:len(rare)/10+1]
		twin := w.twin(rare, index, &steps)
		if twin != nil && !w.told {
			note(w.Card, twin.Card, false)
		}
		if steps < 0 {
			p.ReportAs("More tools of these servers have descriptions alike than are compared: this one and later ones were not", rule.At(w.Node), nil,
				rule.WithKind("too many"), rule.WithSeverity(finding.Info))
			return
		}
		for _, n := range rare {
			index[n] = append(index[n], w)
		}
	}
}

func (w *worded) twin(rare []int, index map[int][]*worded, steps *int) *worded {
	for _, n := range rare {
		for _, o := range index[n] {
			if o.Server == w.Server || o.Name == w.Name || 10*min(len(o.words), len(w.words)) < 9*max(len(o.words), len(w.words)) {
				*steps--
				continue
			}
			*steps -= len(o.words) + len(w.words)
			if *steps < 0 {
				return nil
			}
			if both := o.shares(w); 10*both >= 9*(len(o.words)+len(w.words)-both) {
				return o
			}
		}
	}
	return nil
}

// core is a name without fillers, in the singular: "the_secure_read_files_v2" is read file.
func core(name string) string {
	const fillers = " the a an v my new old secure safe better best fast official enhanced improved advanced pro plus super real trusted tool mcp x "
	var room [8]string
	var out []string
	for _, w := range card.AppendWords(room[:0], name) {
		if !strings.Contains(fillers, " "+w+" ") {
			if len(w) > 3 {
				w = strings.TrimSuffix(w, "s")
			}
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}
