package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/flow/eval"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/text"
)

func (a *app) eval() *cobra.Command {
	var format func() (bool, error)
	var o struct {
		precision, recall float64
		verbose           bool
	}
	cmd := &cobra.Command{
		Use: "eval [CORPUS...]", Short: "Score the rules on labelled cards", GroupID: "know",
		Long: "Score the rules on labelled cards: how many hostile ones they find, and on how\n" +
			"many honest ones they raise a false alarm. A CORPUS is a file of JSON lines\n" +
			"(- is standard input), or a folder of *.jsonl files. Without one it is the\n" +
			"corpus inside the program. Each line is\n\n" +
			"  {\"id\": \"…\", \"label\": \"hostile\", \"class\": \"…\", \"server\": \"…\", \"tool\": {…}}\n\n" +
			"label: hostile or benign. Instead of \"tool\" may stand \"prompt\", \"resource\",\n" +
			"\"template\", \"surface\" (lists and instructions of one server) or \"servers\"\n" +
			"(several by name). Benign cards of one server are judged together.\n\n" +
			"A case is found when a rule about poisoning, hidden characters or secrets has a\n" +
			"finding at warning or above; where a class is about what a tool does, rules\n" +
			"about behaviour count too. It is a score to compare versions with: it does not\n" +
			"say how common attacks are, nor what the rules find of an author they have\n" +
			"not seen.",
		Example: "  mcpassay eval\n  mcpassay eval corpus.jsonl --min-recall 0.9 --min-precision 0.98\n  mcpassay eval corpora/ --format json",
		Annotations: map[string]string{touches: "the files named: no process, no network",
			exits: "0 scored, 1 below --min-precision or --min-recall, 2 incomplete or refused"},
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := format()
			if err != nil {
				return err
			}
			for _, min := range []struct {
				flag  string
				value float64
			}{{"min-precision", o.precision}, {"min-recall", o.recall}} {
				if !(min.value >= 0 && min.value <= 1) {
					return usage("write 0.95 for 95 %", "--%s must be from 0 to 1", min.flag)
				}
			}
			corpora, err := a.corpora(args)
			if err != nil {
				return err
			}
			res, err := eval.Judge(corpora, lintRules(policy.Default()), demoFacts{}, a.limits)
			if err != nil {
				return err
			}
			if asJSON {
				err = a.printJSON(res)
			} else {
				err = a.printScore(res, o.verbose)
			}
			if err != nil {
				return err
			}
			return a.holds(res, o.precision, o.recall)
		},
	}
	format = listFormat(cmd)
	f := cmd.Flags()
	f.Float64Var(&o.precision, "min-precision", 0, "exit 1 when precision at warning is below `SHARE`, from 0 to 1")
	f.Float64Var(&o.recall, "min-recall", 0, "exit 1 when recall at warning is below `SHARE`, from 0 to 1")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "a line for each case that was missed or is a false alarm")
	return cmd
}

// holds sets the exit code.
func (a *app) holds(res *eval.Result, precision, recall float64) error {
	if len(res.Incomplete) > 0 {
		a.code = exitIncomplete
		return nil
	}
	at := res.At(eval.Warning)
	for _, min := range []struct {
		name string
		want float64
		got  eval.Share
	}{{"precision", precision, at.Precision}, {"recall", recall, at.Recall}} {
		switch {
		case min.want == 0:
		case !min.got.Known():
			a.code = exitFindings
			fmt.Fprintf(a.io.Err, "%s is unknown, which is not %g: there is nothing that it could be a share of\n", min.name, min.want)
		case float64(min.got) < min.want:
			a.code = exitFindings
			fmt.Fprintf(a.io.Err, "%s is %.4f, below %g\n", min.name, float64(min.got), min.want)
		}
	}
	return nil
}

// corpora reads what was named: files, folders, standard input; the embedded corpus where nothing was.
func (a *app) corpora(args []string) ([]*eval.Corpus, error) {
	if len(args) == 0 {
		c, err := eval.Embedded(a.limits)
		return []*eval.Corpus{c}, err
	}
	var all []*eval.Corpus
	read := func(name, base string) error {
		raw, err := a.readNamed("corpus", name, base, a.limits.EvalBytes)
		if err != nil {
			return err
		}
		c, err := eval.Read(filepath.ToSlash(name), raw, a.limits)
		var faults eval.Faults
		if errors.As(err, &faults) {
			return &problem{what: "the corpus can not be read", faults: faults, hint: "mcpassay help eval shows the form of a line", code: exitIncomplete}
		}
		all = append(all, c)
		return err
	}
	for _, name := range args {
		abs := absolute(a.io.Cwd, name)
		info, err := os.Stat(abs)
		if name == "-" || err != nil || !info.IsDir() {
			if err := read(name, ""); err != nil {
				return nil, err
			}
			continue
		}
		entries, err := os.ReadDir(abs)
		if err != nil {
			return nil, &problem{what: "the folder can not be read", at: name, code: exitIncomplete}
		}
		found := false
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".jsonl") && !e.IsDir() {
				found = true
				if err := read(filepath.Join(name, e.Name()), abs); err != nil {
					return nil, err
				}
			}
		}
		if !found {
			return nil, &problem{what: "the folder holds no corpus", at: name, hint: "its corpora are the files whose name ends in .jsonl", code: exitIncomplete}
		}
	}
	return all, nil
}

// printScore prints a score for people.
func (a *app) printScore(res *eval.Result, verbose bool) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %d hostile, %d benign on %s\n", text.Count(res.Cases(), "case"), res.Hostile, res.Benign, text.Count(res.Servers, "server"))
	for _, f := range res.Files {
		fmt.Fprintf(&b, "%s  %s  %s\n", safe(f.Path), text.Count(f.Cases, "case"), f.Digest)
	}
	fmt.Fprintf(&b, "%s about poisoning, hidden characters, secrets or behaviour\n\n", text.Count(res.Rules, "rule"))
	table(&b, tierTable(res))
	for _, label := range []eval.Label{eval.Hostile, eval.Benign, eval.Other} {
		if rows := classTable(res, label); len(rows) > 1 {
			b.WriteByte('\n')
			table(&b, rows)
		}
	}
	fmt.Fprintf(&b, "\nAny rule at warning or above: %d of %s. A default run fails on %d of %s.\n",
		res.Warned, text.Count(res.Benign, "benign case"), res.Failed, text.Count(res.Servers, "benign server"))
	a.named(&b, "missed", res.Missed, verbose)
	a.named(&b, "false alarms", res.Alarms, verbose)
	for i, what := range res.Incomplete {
		if i == 0 {
			b.WriteString("\nNot judged to the end:\n")
		}
		fmt.Fprintf(&b, "  %s  %s\n", safe(what.Path), safe(what.Detail))
	}
	_, err := a.io.Out.Write(b.Bytes())
	return err
}

// named lists cases: their ids, and with -v a line for each.
func (a *app) named(b *bytes.Buffer, title string, list []eval.Named, verbose bool) {
	if len(list) == 0 {
		return
	}
	if verbose {
		fmt.Fprintf(b, "\n%s (%d)\n", title, len(list))
		for _, n := range list {
			fmt.Fprintf(b, "  %s:%d  %s\n", safe(n.Path), n.Line, safe(strings.Join(slices.DeleteFunc([]string{
				caseName(n), n.Class, strings.Join(n.Rules, ", ")}, func(s string) bool { return s == "" }), "  ")))
		}
		return
	}
	var ids []string
	for _, n := range list[:min(len(list), a.limits.ShownFaults)] {
		ids = append(ids, safe(caseName(n)))
	}
	line := strings.Join(ids, ", ")
	if more := len(list) - len(ids); more > 0 {
		line += fmt.Sprintf(" and %d more (-v)", more)
	}
	head := fmt.Sprintf("%s (%d): ", title, len(list))
	wrapped, _ := text.Wrap(line, 2, len(head), a.io.Width)
	fmt.Fprintf(b, "\n%s%s\n", head, wrapped)
}

func caseName(n eval.Named) string {
	if n.ID == "" {
		return "server " + n.Server
	}
	return n.ID
}

// percent is a share for people, which is never rounded up to all or down to nothing.
func percent(s eval.Share) string {
	switch v := float64(s) * 100; {
	case !s.Known():
		return "–"
	case v > 99.9 && v < 100:
		return "99.9 %"
	case v > 0 && v < 0.1:
		return "0.1 %"
	default:
		return fmt.Sprintf("%.1f %%", v)
	}
}

func decimal(s eval.Share) string {
	if !s.Known() {
		return "–"
	}
	return fmt.Sprintf("%.3f", float64(s))
}

// tierTable is the rates of every tier, with a head.
func tierTable(res *eval.Result) [][]string {
	rows := [][]string{{"tier", "recall", "precision", "F1", "found", "false alarms", "on servers"}}
	names := map[eval.Tier]string{eval.Warning: "warning or above", eval.Error: "error", eval.Block: "block", eval.Ten: "ten substrings"}
	for _, r := range res.Tiers {
		rows = append(rows, []string{names[r.Tier], percent(r.Recall), percent(r.Precision), decimal(r.F1), fmt.Sprint(r.Found), fmt.Sprint(r.Cards), fmt.Sprint(r.Servers)})
	}
	return rows
}

// classTable is the classes of a label, with a head.
func classTable(res *eval.Result, label eval.Label) [][]string {
	head := []string{label.String(), "cases", "warning", "error", "block", "ten"}
	if label == eval.Hostile {
		head = append(head, "recall", "precision", "F1")
	}
	rows := [][]string{head}
	for _, r := range res.Rows {
		if r.Label != label {
			continue
		}
		row := []string{safe(r.Class), fmt.Sprint(r.Cases)}
		for _, t := range []eval.Tier{eval.Warning, eval.Error, eval.Block, eval.Ten} {
			row = append(row, fmt.Sprint(*r.Found.At(t)))
		}
		if label == eval.Hostile {
			row = append(row, percent(r.Recall), percent(r.Precision), decimal(r.F1))
		}
		rows = append(rows, row)
	}
	return rows
}

// table writes rows in columns, the first to the left and the others to the right.
func table(b *bytes.Buffer, rows [][]string) {
	wide := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			wide[i] = max(wide[i], text.Width(cell))
		}
	}
	for _, row := range rows {
		for i, cell := range row {
			pad := strings.Repeat(" ", wide[i]-text.Width(cell))
			if i == 0 {
				b.WriteString(cell + pad)
			} else {
				b.WriteString("  " + pad + cell)
			}
		}
		b.WriteByte('\n')
	}
}

// accuracyPage is docs/accuracy.md: the score on the embedded corpus.
func accuracyPage() string {
	a := &app{limits: limits.Default}
	corpora, err := a.corpora(nil)
	if err != nil {
		return err.Error()
	}
	res, err := eval.Judge(corpora, lintRules(policy.Default()), demoFacts{}, a.limits)
	if err != nil {
		return err.Error()
	}
	return markdownScore(res)
}

func markdownScore(res *eval.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Accuracy\n\nGenerated: what `mcpassay eval` says of the corpus inside the program, %s: %d hostile, %d benign on %s.\n"+
		"Its digest is `%s`.\n\n", text.Count(res.Cases(), "case"), res.Hostile, res.Benign, text.Count(res.Servers, "server"), res.Digest)
	b.WriteString("This is a regression score: it compares versions of the rules on the same cards, and CI fails when it falls.\n\n" +
		"- It says nothing about how common attacks are. Most cards here are hostile, few out there are, and precision depends on it.\n" +
		"- It does not say what the rules find of the next author. When the rules first met these cards, which were written without\n" +
		"  a look at them, they found 62 % of the hostile ones and took 5 of the 100 benign ones for hostile. They were changed after\n" +
		"  what they missed was read, so the figures below are no test of them any more. Expect the first ones.\n" +
		"- That nothing was found on a card never means that nothing is wrong with its server.\n\n")
	b.WriteString("A case is found when a rule about poisoning, hidden characters or secrets has a finding at that tier; for `offensive_tool`\n" +
		"and `annotation_lie` rules about behaviour count too. *Ten substrings* is the floor: what ten obvious substrings find.\n\n")
	markdownTable(&b, tierTable(res))
	fmt.Fprintf(&b, "\nAny rule, of any kind, at warning or above: %d of %s. A default run fails on %d of %s.\n",
		res.Warned, text.Count(res.Benign, "benign case"), res.Failed, text.Count(res.Servers, "benign server"))
	titles := map[string]string{}
	for _, c := range eval.Classes() {
		titles[c.Name] = c.Title
	}
	for _, part := range []struct {
		label eval.Label
		text  string
	}{{eval.Hostile, "Hostile cases found, by class. Precision is held against all benign cases."}, {eval.Benign, "Benign cases with a false alarm."}} {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", strings.ToUpper(part.label.String()[:1])+part.label.String()[1:], part.text)
		rows := classTable(res, part.label)
		for i, row := range rows {
			title := "what it is"
			if i > 0 {
				title = titles[row[0]]
				row[0] = "`" + row[0] + "`"
			}
			rows[i] = slices.Insert(row, 1, title)
		}
		markdownTable(&b, rows)
	}
	for _, part := range []struct {
		title string
		list  []eval.Named
	}{{"Missed", res.Missed}, {"False alarms", res.Alarms}} {
		fmt.Fprintf(&b, "\n## %s\n\n", part.title)
		if len(part.list) == 0 {
			b.WriteString("None.\n")
		}
		for _, n := range part.list {
			fmt.Fprintf(&b, "- `%s`", caseName(n))
			if len(n.Rules) > 0 {
				fmt.Fprintf(&b, ": %s", strings.Join(n.Rules, ", "))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func markdownTable(b *strings.Builder, rows [][]string) {
	for i, row := range rows {
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString("|---" + strings.Repeat("|---", len(row)-1) + "|\n")
		}
	}
}
