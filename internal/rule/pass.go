package rule

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Scene is what is looked at: all rules of a run share one.
type Scene struct {
	// File is the file at hand; nil for a Project function. Server is nil for a File function too.
	File   *client.File
	Server *client.Server
	// Surface and Card are the server and the card at hand; nil for a Cards function. Client is the client that cards are
	// judged for, nil for none in particular.
	Surface *card.Server
	Card    *card.Card
	Client  *client.Client
	// Locked is the lock at hand; nil for every function but Lock.
	Locked *Locked
	// Manifest is the server.json at hand; nil for every function but Manifest.
	Manifest *manifest.File
	// Message is the message at hand; nil for every function but Traffic.
	Message *traffic.Message
	// Clients are those that cards are judged for: Client alone, or where the profile asks for it every one of the table;
	// none where nobody named one.
	Clients []*client.Client

	shared []any           // of Share
	made   finding.Finding // the finding at hand, for the options to change
}

// Share gives what the rules of one room share about the scene: made by the first that asks, dropped when the scene
// changes to another server. The type of what is shared is its name.
func Share[T any](s *Scene, make func() T) T {
	for _, one := range s.shared {
		if t, ok := one.(T); ok {
			return t
		}
	}
	t := make()
	s.shared = append(s.shared, t)
	return t
}

// Pass is one rule looking at one file, server, group or card.
type Pass struct {
	Rule  *Rule
	Facts Facts
	*Scene
	// Limits bounds what a rule may spend.
	Limits *limits.Set
	// Emit takes the findings. Enough says that one of a severity is counted and need not be made; it may be nil.
	Emit   func(finding.Finding)
	Enough func(finding.Severity) bool
}

// Place is where a finding points. Make one with At, Key, Part or Where.
type Place struct {
	node source.Node
	span finding.Span
	loc  *finding.Location
}

// At points at a value.
func At(n source.Node) Place { return Place{node: n, span: n.Span()} }

// Key points at the name of a member.
func Key(n source.Node) Place { return Place{node: n, span: n.KeySpan()} }

// Part points at bytes start to end of a string's text; at the whole value where escapes make the text differ
// from the bytes.
func Part(n source.Node, start, end int) Place {
	if in, ok := n.Inner(); ok && start >= 0 && start < end && end <= in.Len() {
		return Place{node: n, span: finding.Span{Start: in.Start + start, End: in.Start + end}}
	}
	return At(n)
}

// In points at a span of a document, with the node it belongs to.
func In(n source.Node, s finding.Span) Place { return Place{node: n, span: s} }

// Where points at a place that is resolved already: the only way for a file without a tree.
func Where(l finding.Location) Place { return Place{loc: &l} }

func (p Place) location() finding.Location {
	if p.loc != nil {
		return *p.loc
	}
	return p.node.Doc().Locate(p.span, p.node.Pointer())
}

// Args fills the placeholders of a message. The values are a stranger's: Report neutralises them.
type Args map[string]string

// Option changes one finding.
type Option func(*finding.Finding)

// WithSeverity gives one finding another severity than its rule's; the rule's page says when.
func WithSeverity(s finding.Severity) Option { return func(f *finding.Finding) { f.Severity = s } }

// WithConfidence gives one finding another confidence.
func WithConfidence(c finding.Confidence) Option {
	return func(f *finding.Finding) { f.Confidence = c }
}

// WithBlast says what the client loses.
func WithBlast(b finding.Blast) Option { return func(f *finding.Finding) { f.Blast = b } }

// WithKind tells findings of one rule at one pointer apart.
func WithKind(kind string) Option { return func(f *finding.Finding) { f.Kind = kind } }

// WithAction gives one finding another action than its rule's.
func WithAction(a Action) Option { return func(f *finding.Finding) { f.Action = string(a) } }

// AsAdvice makes a finding one that doctor shows and does not count, as those of a rule of advice are.
func AsAdvice() Option { return func(f *finding.Finding) { f.Advice = true } }

// WithFix offers a fix. Edits must be on the document of the place.
func WithFix(safety finding.Safety, title string, edits ...finding.Edit) Option {
	return func(f *finding.Finding) { f.Fix = &finding.Fix{Safety: safety, Title: title, Edits: edits} }
}

// Also adds a second place.
func Also(at Place, message string) Option {
	return func(f *finding.Finding) {
		l := at.location()
		f.Related = append(f.Related, finding.Related{Message: message, Location: &l})
	}
}

// ForServer names the server that a finding of a File or Project function is about.
func ForServer(s *client.Server) Option {
	return func(f *finding.Finding) { f.Subject, f.Server = s.Subject(), s.Name }
}

// ForSurface names the server that a finding of a Cards function is about.
func ForSurface(s *card.Server) Option {
	return func(f *finding.Finding) { f.Subject, f.Server = s.Subject, s.Name }
}

// ForLocked names the server of a lock, and of its tools the one, that a finding is about.
func ForLocked(f *lock.File, server, tool string) Option {
	return func(one *finding.Finding) { one.Subject, one.Server, one.Tool = f.SubjectOf(server), server, tool }
}

// ForCard names the card that a finding of a Surface or Cards function is about.
func ForCard(c *card.Card) Option {
	return func(f *finding.Finding) { f.Subject, f.Server, f.Tool = c.Subject, c.Server.Name, c.Name }
}

// Report makes a finding with the rule's own message.
func (p *Pass) Report(at Place, args Args, opts ...Option) {
	p.ReportAs(p.Rule.Message, at, args, opts...)
}

// Counted says that a finding of a severity is counted and need not be made. A rule that many entries fail asks before it
// takes the trouble; Report asks in any case.
func (p *Pass) Counted(s finding.Severity) bool { return p.Enough != nil && p.Enough(s) }

// ReportAs makes a finding with another message template of the same rule.
func (p *Pass) ReportAs(message string, at Place, args Args, opts ...Option) {
	if at.loc == nil && !at.node.Valid() {
		panic(fmt.Sprintf("rule %s reported without a place", p.Rule.ID))
	}
	f := &p.made
	if p.Enough != nil {
		*f = finding.Finding{Severity: p.Rule.Severity}
		for _, o := range opts {
			o(f)
		}
		if p.Counted(f.Severity) {
			return
		}
	}
	*f = finding.Finding{
		Rule: p.Rule.ID, Aliases: p.Rule.Aliases, Severity: p.Rule.Severity, Confidence: p.Rule.Confidence,
		Message: fill(message, args, p.Limits.ShownRunes), Location: at.location(),
		Status: finding.Active, Advice: p.Rule.Advice, Action: string(p.Rule.Action),
	}
	switch {
	case p.Card != nil:
		f.Subject, f.Server, f.Tool = p.Card.Subject, p.Card.Server.Name, p.Card.Name
	case p.Surface != nil:
		f.Subject, f.Server = p.Surface.Subject, p.Surface.Name
	case p.Server != nil:
		f.Subject, f.Server = p.Server.Subject(), p.Server.Name
	case p.File != nil:
		f.Subject = p.File.Subject()
	case p.Locked != nil:
		f.Subject = p.Locked.File.Subject
	case p.Manifest != nil:
		f.Subject = p.Manifest.Subject
	case p.Message != nil:
		f.Tool = strings.Clone(p.Message.Tool) // the bytes of a frame are used again
	}
	f.Shape = at.node.Shape()
	f.Fix = p.Rule.byHand()
	for _, o := range opts {
		o(f)
	}
	p.Emit(*f)
}

// shown is a stranger's text as a message shows it. A secret is masked before the text is cut, since half of one would
// not be known for what it is. What lies so far behind the cut that nobody will see it is not looked at.
func shown(s string, max int) string {
	if room := max * utf8.UTFMax; len(s) > room+limits.Default.TokenWindow {
		masked := secret.Mask(s[:room+limits.Default.TokenWindow])
		s = strings.ToValidUTF8(masked[:len(masked)-min(len(masked), limits.Default.TokenWindow)], "") + "…"
	} else {
		s = secret.Mask(s)
	}
	return text.Safe(s, max)
}

// fill puts neutralised values into a template. A value can not bring a placeholder of its own.
func fill(template string, args Args, max int) string {
	var b strings.Builder
	size := len(template)
	for _, v := range args {
		size += min(len(v), max)
	}
	b.Grow(size)
	for {
		open := strings.IndexByte(template, '{')
		if open < 0 {
			break
		}
		length := strings.IndexByte(template[open:], '}')
		if length < 0 {
			break
		}
		value, ok := args[template[open+1:open+length]]
		b.WriteString(template[:open])
		if ok {
			b.WriteString(shown(value, max))
		} else {
			b.WriteString(template[open : open+length+1])
		}
		template = template[open+length+1:]
	}
	b.WriteString(template)
	return b.String()
}

// byHand is the fix of a rule that offers none but words, nil for another: what its description says.
func (r *Rule) byHand() *finding.Fix {
	if r.Fix != finding.Manual {
		return nil
	}
	title := strings.TrimSuffix(r.FixDescription, ".")
	first, size := utf8.DecodeRuneInString(title)
	return &finding.Fix{Safety: finding.Manual, Title: string(unicode.ToLower(first)) + title[size:]}
}
