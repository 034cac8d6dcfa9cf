package schema

import (
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/source"
)

func (v *run) check(a *assertion, n source.Node, own *marks) Verdict {
	ok := true
	switch a.id {
	case kwEnum:
		ok = false
		for c := range a.node.Children() {
			if equal(c, n, v.spend) {
				ok = true
				break
			}
		}
		if v.steps < 0 {
			return Incomplete
		}
	case kwConst:
		ok = equal(a.node, n, v.spend)
		if v.steps < 0 {
			return Incomplete
		}
	case kwMultipleOf:
		if d, number := decimalOf(n); number {
			yes, known := d.multipleOf(a.number, v.s.c.o.Limits.NumberDigits)
			if !known || !v.spend(int64(len(d.digits)+len(a.number.digits))/bytesOfStep) {
				return v.unsure("a number has too many digits")
			}
			ok = yes
		}
	case kwMinimum, kwMaximum, kwExclusiveMinimum, kwExclusiveMaximum:
		if d, number := decimalOf(n); number {
			yes, known := a.bound(d)
			if !known {
				return v.unsure("a number has too large an exponent")
			}
			ok = yes
		}
	case kwMinLength, kwMaxLength:
		if text, is := n.Str(); is {
			v.spend(int64(len(text)) / bytesOfStep)
			size := int64(utf8.RuneCountInString(text))
			ok = size >= a.count && a.id == kwMinLength || size <= a.count && a.id == kwMaxLength
		}
	case kwMinItems, kwMaxItems:
		if n.Kind() == source.Array {
			size := int64(n.Len())
			v.spend(size / bytesOfStep)
			ok = size >= a.count && a.id == kwMinItems || size <= a.count && a.id == kwMaxItems
		}
	case kwMinProperties, kwMaxProperties:
		if n.Kind() == source.Object {
			size := int64(len(v.object(n).list))
			ok = size >= a.count && a.id == kwMinProperties || size <= a.count && a.id == kwMaxProperties
		}
	case kwPattern:
		if text, is := n.Str(); is {
			yes, problem := a.pattern.match(text, v.spend, &v.left)
			if problem != "" {
				return v.unsure(problem)
			}
			ok = yes
		}
	case kwFormat:
		if text, is := n.Str(); is {
			v.spend(int64(len(text)) / bytesOfStep)
			yes, known := format(a.node.Text(), text, v.s.c.o.Limits)
			if !known {
				return Valid
			}
			ok = yes
		}
	case kwUniqueItems:
		if n.Kind() == source.Array {
			again, _ := duplicate(n, v.spend)
			if v.steps < 0 {
				return Incomplete
			}
			ok = !again.Valid()
		}
	case kwRequired:
		return v.required(a, n, a.names)
	case kwDependentRequired, kwDependencies, kwDependentSchemas:
		return v.dependencies(a, n, own)
	case kwPropertyNames:
		return v.names(a, n)
	case kwAllOf:
		verdict := Valid
		for _, k := range a.kids {
			verdict = verdict.and(v.schema(k, n, own))
		}
		return verdict
	case kwAnyOf:
		return v.anyOf(a, n, own)
	case kwOneOf:
		return v.oneOf(a, n, own)
	case kwNot:
		switch v.try(a.kids[0], n, nil) {
		case Incomplete:
			return Incomplete
		case Valid:
			ok = false
		}
	}
	if !ok {
		return v.fail(n, a.node, "")
	}
	return Valid
}

func (v *run) required(a *assertion, n source.Node, names []string) Verdict {
	verdict := Valid
	if n.Kind() != source.Object || !v.spend(int64(len(names))) {
		return verdict
	}
	o := v.object(n)
	for _, name := range names {
		if !o.has(name) {
			verdict = v.fail(n, a.node, name)
		}
	}
	return verdict
}

func (v *run) dependencies(a *assertion, n source.Node, own *marks) Verdict {
	verdict := Valid
	if n.Kind() != source.Object {
		return verdict
	}
	for _, m := range v.object(n).list {
		if !v.step() {
			return verdict.and(Incomplete)
		}
		if list, ok := a.lists[m.key]; ok {
			verdict = verdict.and(v.required(a, n, list))
		}
		if i, ok := a.byName[m.key]; ok {
			verdict = verdict.and(v.schema(a.kids[i], n, own))
		}
	}
	return verdict
}

// names judges the name of each member as if it were a string.
func (v *run) names(a *assertion, n source.Node) Verdict {
	verdict := Valid
	if n.Kind() != source.Object {
		return verdict
	}
	for _, m := range v.object(n).list {
		v.spend(int64(len(m.key))/bytesOfStep + 1)
		name := v.name(m.value)
		switch v.try(a.kids[0], name, nil) {
		case Invalid:
			verdict = v.fail(m.value, a.node, m.key)
		case Incomplete:
			verdict = verdict.and(Incomplete)
		}
	}
	return verdict
}

// name is the name of a member as a value of its own.
func (v *run) name(m source.Node) source.Node {
	raw := []byte(source.Quote(m.Key()))
	if m.Doc().Format == source.JSON {
		k := m.KeySpan()
		raw = m.Doc().Raw[k.Start:k.End]
	}
	d, err := source.Parse(m.Doc().Path, raw, source.JSON, v.s.c.o.Limits)
	if err != nil {
		return source.Node{}
	}
	return d.Root()
}

func (v *run) anyOf(a *assertion, n source.Node, own *marks) Verdict {
	best := Invalid
	for _, k := range a.kids {
		best = min(best, v.try(k, n, own))
		if best == Valid && !v.s.collect {
			break
		}
	}
	if best == Invalid {
		return v.fail(n, a.node, "")
	}
	return best
}

func (v *run) oneOf(a *assertion, n source.Node, own *marks) Verdict {
	valid, unknown := 0, false
	for _, k := range a.kids {
		switch v.try(k, n, own) {
		case Valid:
			valid++
		case Incomplete:
			unknown = true
		}
		if valid > 1 {
			break
		}
	}
	switch {
	case valid > 1, valid == 0 && !unknown:
		return v.fail(n, a.node, "")
	case unknown:
		return Incomplete
	}
	return Valid
}

func (v *run) condition(c *condition, n source.Node, own *marks) Verdict {
	test := v.try(c.test, n, own)
	then, other := Valid, Valid
	if c.then >= 0 && test == Valid {
		return v.schema(c.then, n, own)
	}
	if c.other >= 0 && test == Invalid {
		return v.schema(c.other, n, own)
	}
	if test == Incomplete {
		if c.then >= 0 {
			then = v.try(c.then, n, own)
		}
		if c.other >= 0 {
			other = v.try(c.other, n, own)
		}
		if then == Invalid && other == Invalid {
			return v.fail(n, v.s.c.records[c.test].node, "")
		}
		if then.and(other) != Valid {
			return Incomplete
		}
	}
	return Valid
}

func (v *run) properties(o *objectRule, n source.Node, own *marks) Verdict {
	verdict := Valid
	for i, m := range v.object(n).list {
		if !v.step() {
			return verdict.and(Incomplete)
		}
		known := false
		if k, ok := o.named[m.key]; ok {
			known = true
			verdict = verdict.and(v.schema(k, m.value, nil))
			own.add(i)
		}
		vague := ""
		for j := range o.patterns {
			yes, problem := o.patterns[j].match(m.key, v.spend, &v.left)
			if problem != "" {
				vague = problem
				continue
			}
			if yes {
				known = true
				verdict = verdict.and(v.schema(o.patterns[j].kid, m.value, nil))
				own.add(i)
			}
		}
		if vague != "" {
			verdict = verdict.and(v.unsure(vague))
			if own != nil {
				own.vague = true
			}
			continue
		}
		if !known && o.additional >= 0 {
			verdict = verdict.and(v.schema(o.additional, m.value, nil))
			own.add(i)
		}
	}
	return verdict
}

func (v *run) items(a *arrayRule, n source.Node, own *marks) Verdict {
	verdict := Valid
	i, found, maybe := 0, int64(0), int64(0)
	for c := range n.Children() {
		if !v.step() {
			return verdict.and(Incomplete)
		}
		switch {
		case i < len(a.prefix):
			verdict = verdict.and(v.schema(a.prefix[i], c, nil))
			own.add(i)
		case a.rest >= 0:
			verdict = verdict.and(v.schema(a.rest, c, nil))
			own.add(i)
		}
		if a.contains >= 0 {
			switch v.try(a.contains, c, nil) {
			case Valid:
				found++
				if a.containsCounts {
					own.add(i)
				}
			case Incomplete:
				maybe++
			}
		}
		i++
	}
	if a.contains < 0 {
		return verdict
	}
	if own != nil && maybe > 0 {
		own.vague = true
	}
	atLeast := a.containsNode
	if a.leastAt.Valid() {
		atLeast = a.leastAt
	}
	switch {
	case found+maybe < a.least:
		verdict = v.fail(n, atLeast, "")
	case a.most >= 0 && found > a.most:
		verdict = v.fail(n, a.mostAt, "")
	case found < a.least || a.most >= 0 && found+maybe > a.most:
		verdict = verdict.and(Incomplete)
	}
	return verdict
}

// leftover judges the members or items that no other schema has judged.
func (v *run) leftover(kid int32, n source.Node, own *marks) Verdict {
	verdict := Valid
	judge := func(i int, c source.Node) bool {
		if !v.step() {
			verdict = verdict.and(Incomplete)
			return false
		}
		if own.has(i) {
			return true
		}
		if own.vague {
			if v.try(kid, c, nil) != Valid {
				verdict = verdict.and(Incomplete)
			}
			return v.steps >= 0
		}
		verdict = verdict.and(v.schema(kid, c, nil))
		return v.steps >= 0
	}
	if n.Kind() == source.Object {
		for i, m := range v.object(n).list {
			if !judge(i, m.value) {
				break
			}
		}
	} else {
		i := 0
		for c := range n.Children() {
			if !judge(i, c) {
				break
			}
			i++
		}
	}
	own.all = true
	return verdict
}
