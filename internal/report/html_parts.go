package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/score"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// scoreView is a score card: the gauge, then the lanes with their sections.
type scoreView struct {
	*score.Card
	Tone   string
	Graded bool
	Lanes  []laneView
}

type laneView struct {
	*score.Lane
	Sections []sectionView
	// Several says that there are other lanes. Wrong and Right count the rows.
	Several      bool
	Wrong, Right int
}

type sectionView struct {
	Title string
	*score.Section
	Filled string // per cent of the bar
	Tone   string
	// Wrong and Right are its rows, by whether there is anything to do.
	Wrong, Right []score.Row
}

func newScore(c *score.Card) *scoreView {
	if c == nil {
		return nil
	}
	v := &scoreView{Card: c, Tone: gradeTone(c.Grade), Graded: c.Grade != "" && !c.Gated}
	for i := range c.Lanes {
		l := &c.Lanes[i]
		lane := laneView{Lane: l, Several: len(c.Lanes) > 1}
		for _, s := range []sectionView{{Title: "Handshake", Section: &l.Sections.Handshake}, {Title: "Tools", Section: &l.Sections.Tools},
			{Title: "Errors", Section: &l.Sections.Errors}, {Title: "Discovery", Section: &l.Sections.Discovery}} {
			if s.Applies && s.Max > 0 {
				share := min(max(s.Score/s.Max, 0), 1)
				s.Filled, s.Tone = points(100*share), shareTone(share)
			}
			for _, r := range s.Rows {
				if rowTone(r) == good {
					s.Right = append(s.Right, r)
				} else {
					s.Wrong = append(s.Wrong, r)
				}
			}
			lane.Wrong, lane.Right = lane.Wrong+len(s.Wrong), lane.Right+len(s.Right)
			lane.Sections = append(lane.Sections, s)
		}
		v.Lanes = append(v.Lanes, lane)
	}
	return v
}

// The tones in which a score is shown. The word or the number stands beside each.
const (
	good = "good"
	fair = "fair"
	poor = "poor"
	none = "none"
)

func gradeTone(grade string) string {
	switch grade {
	case "A", "B":
		return good
	case "C":
		return fair
	case "":
		return none
	}
	return poor
}

func shareTone(share float64) string {
	const most, half = 0.8, 0.5
	switch {
	case share >= most:
		return good
	case share >= half:
		return fair
	}
	return poor
}

// rowTone is how good the verdict of a row is. What is neither right nor wrong and costs nothing has no tone.
func rowTone(r score.Row) string {
	switch r.Verdict {
	case "ok", "served":
		return good
	case "wrong", "html", "silent", "died", "invalid":
		return poor
	}
	if r.Max == 0 {
		return none
	}
	return fair
}

// points is a number of points with one digit behind the point at most.
func points(x float64) string {
	const tenths = 10
	return strconv.FormatFloat(math.Round(x*tenths)/tenths, 'f', -1, 64)
}

// matrix is the tools, server by server, and what each can do.
type matrix struct {
	Columns []string
	Span    int // of a row over all columns
	Servers []matrixServer
	Counts  []tallied // by decision, of all tools
	More    int
}

type matrixServer struct {
	*group
	Tools []matrixTool
}

type matrixTool struct {
	*finding.Subject
	Can []bool // by column
}

// decisions are the words of a decision, the gravest first.
var decisions = []string{"block", "approve", "include"}

// newMatrix lists the tools that were decided on, the gravest first where there are too many.
func newMatrix(rep *Report, groups *grouping) *matrix {
	m := &matrix{}
	for _, d := range decisions {
		m.Counts = append(m.Counts, tallied{Word: d})
	}
	var tools []*finding.Subject
	for i := range rep.Subjects {
		s := &rep.Subjects[i]
		if s.Decision == "" || s.Risk == nil {
			continue
		}
		tools = append(tools, s)
		if at := slices.Index(decisions, s.Decision); at >= 0 {
			m.Counts[at].N++
		}
	}
	if len(tools) == 0 {
		return nil
	}
	for _, a := range card.Abilities() {
		m.Columns = append(m.Columns, a.String())
	}
	m.Span = 3 + len(m.Columns) // after tool, decision and risk
	slices.SortStableFunc(tools, func(a, b *finding.Subject) int {
		return cmp.Compare(slices.Index(decisions, a.Decision), slices.Index(decisions, b.Decision))
	})
	tools, m.More = cut(tools, limits.Default.ShownItems)
	place := map[*group]int{}
	for _, s := range tools {
		g := groups.subjects[s.ID]
		if g == nil {
			g = &group{}
		}
		i, ok := place[g]
		if !ok {
			i = len(m.Servers)
			place[g] = i
			m.Servers = append(m.Servers, matrixServer{group: g})
		}
		one := matrixTool{Subject: s}
		for _, c := range m.Columns {
			one.Can = append(one.Can, slices.Contains(s.Risk.Capabilities, c))
		}
		m.Servers[i].Tools = append(m.Servers[i].Tools, one)
	}
	return m
}

// trustView is audit's table.
type trustView struct {
	Level   string
	Servers []trustRow
	More    int
	Guards  []string // what each guarded server is held to
	Unsaid  int      // more of those
}

// trustRow is one server: what it comes to, the checks that failed, and the others.
type trustRow struct {
	Name, Who, Level, Tone, Score string
	Failed, Rest                  []trust.Evidence
	Passed, NotRun                int
}

// newTrust lists the servers of an audit, the gravest first.
func newTrust(rep *Report) *trustView {
	if rep.Trust == nil {
		return nil
	}
	v := &trustView{Level: rep.Trust.Level}
	for _, a := range rep.audited() {
		one := trustRow{Name: secret.Mask(a.Name), Who: secret.Mask(a.who()), Level: a.TrustScore.Level, Score: a.verdict(), NotRun: notRun(a.Checks),
			Tone: map[string]string{trust.Safe: good, trust.Caution: fair}[a.TrustScore.Level]}
		one.Tone = cmp.Or(one.Tone, poor)
		if a.Error != nil {
			one.Level, one.Score, one.Tone = "not assessed", secret.Mask(*a.Error), poor
		}
		for _, c := range a.Checks {
			switch c.Detail = secret.Mask(c.Detail); c.State {
			case trust.Fail:
				one.Failed = append(one.Failed, c)
				continue
			case trust.Pass:
				one.Passed++
			}
			one.Rest = append(one.Rest, c)
		}
		v.Servers = append(v.Servers, one)
	}
	rank := []string{poor, fair, good}
	slices.SortStableFunc(v.Servers, func(a, b trustRow) int { return cmp.Compare(slices.Index(rank, a.Tone), slices.Index(rank, b.Tone)) })
	v.Servers, v.More = cut(v.Servers, limits.Default.ShownItems)
	for i := range rep.Guards {
		v.Guards = append(v.Guards, guardLine(&rep.Guards[i]))
	}
	v.Guards, v.Unsaid = cut(v.Guards, limits.Default.ShownItems)
	return v
}

// postureView is doctor's table.
type postureView struct {
	Clients   []clientView
	Installed []string // clients without a file
	Looked    []string
	Next      []engine.NextStep
	Locked    bool // a lock holds one of the servers
}

type clientView struct {
	Name  string
	Files []fileView
}

type fileView struct {
	engine.FilePosture
	Servers []engine.ServerPosture
	N, More int
	Read    bool
	Found   string
}

func newPosture(rep *Report) *postureView {
	if rep.Posture == nil {
		return nil
	}
	v := &postureView{Next: rep.Posture.Next, Looked: rep.Posture.Looked, Locked: rep.locked()}
	found := rep.perFile()
	for i := range rep.Posture.Clients {
		c := &rep.Posture.Clients[i]
		one := clientView{Name: c.Name}
		for _, f := range c.Files {
			if f.State == "missing" {
				continue
			}
			file := fileView{FilePosture: f}
			for _, s := range c.Servers {
				if s.Path == f.Path {
					file.Servers = append(file.Servers, s)
				}
			}
			file.N = len(file.Servers)
			if file.N > limits.Default.ShownServers {
				slices.SortStableFunc(file.Servers, graver)
			}
			file.Servers, file.More = cut(file.Servers, limits.Default.ShownServers)
			if file.Read = f.State == "read" || f.State == "not read"; file.Read {
				n := found[f.Path]
				file.Found = tally(n.Error, n.Warning, n.Info)
			}
			one.Files = append(one.Files, file)
		}
		switch {
		case len(one.Files) > 0:
			v.Clients = append(v.Clients, one)
		case c.Installed:
			v.Installed = append(v.Installed, c.Name)
		}
	}
	return v
}

// graver orders servers by how much was found on them.
func graver(a, b engine.ServerPosture) int {
	return cmp.Or(cmp.Compare(b.Error, a.Error), cmp.Compare(b.Warning, a.Warning), cmp.Compare(b.Info, a.Info))
}
