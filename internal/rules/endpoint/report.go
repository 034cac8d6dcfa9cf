package endpoint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// grouped are trials by what they have in common, in the order in which it was met. The zero value is ready.
type grouped[K comparable] struct {
	keys []K
	by   map[K][]*trial
}

func (g *grouped[K]) add(key K, t *trial) {
	if g.by == nil {
		g.by = map[K][]*trial{}
	}
	if g.by[key] == nil {
		g.keys = append(g.keys, key)
	}
	g.by[key] = append(g.by[key], t)
}

// reportAll makes one finding of trials that share a fault, at the first of them with the others beside it. The message
// may name {what}, which lists what was sent.
func reportAll(p *rule.Pass, all []*trial, args rule.Args, opts ...rule.Option) {
	reportAllAs(p, p.Rule.Message, all, args, opts...)
}

func reportAllAs(p *rule.Pass, message string, all []*trial, args rule.Args, opts ...rule.Option) {
	if len(all) == 0 {
		return
	}
	var names []string
	for i, t := range all {
		if !slices.Contains(names, t.words()) {
			names = append(names, t.words())
		}
		if i > 0 && i <= p.Limits.RelatedPlaces {
			opts = append(opts, rule.Also(rule.At(t.at), t.words()))
		}
	}
	if args == nil {
		args = rule.Args{}
	}
	args["what"] = list(names, p.Limits.ShownNames)
	p.ReportAs(message, rule.At(all[0].at), args, opts...)
}

// list is a list within a sentence: "a, b and c", or "a, b and 4 more".
func list(names []string, max int) string {
	if last := len(names) - 1; last > 0 && last < max {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return rule.List(names, max)
}

// want is the refusal that is due: on stdio there is no status.
func (p *probed) want(status, code int) string {
	if p.stdio {
		return "error " + strconv.Itoa(code)
	}
	return "HTTP " + strconv.Itoa(status) + " and error " + strconv.Itoa(code)
}

// refusals reports the trials of the modern era that are not refused with a status and one of the codes: with the rule's
// message those that were carried out, and as a warning those that were refused in another way.
func refusals(p *rule.Pass, in *probed, status int, codes []int, names ...wire.Trial) {
	var carried []*trial
	var others grouped[string]
	for t := range in.of(names...) {
		code, _ := t.Code()
		switch {
		case !in.modern || t.broken() || t.gated() || slices.Contains(codes, code) && !t.badStatus(status):
		case t.accepted():
			carried = append(carried, t)
		default:
			others.add(t.answer(), t)
		}
	}
	reportAll(p, carried, nil)
	for _, got := range others.keys {
		reportAllAs(p, "The server refuses {what} with {got} instead of {want}: a client does not learn what is wrong", others.by[got],
			rule.Args{"got": got, "want": in.want(status, codes[0])}, rule.WithKind(got), rule.WithSeverity(finding.Warning))
	}
}
