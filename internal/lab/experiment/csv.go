// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"io"
	"slices"
	"strconv"

	"hide/internal/lab"
	"hide/internal/tabular"
)

// csvHead names the columns of --csv. Each line has one figure; a column that does not
// apply is empty.
var csvHead = []string{"part", "mode", "learner", "lc", "attacker", "attack_learner", "budget", "kept", "documents", "label", "figure", "value", "low", "high", "at_most"}

// csvLine is one figure.
type csvLine struct {
	part, mode, learner, lc, attacker, attackLearner, budget, kept, documents, label, figure string
	value                                                                                    float64
	interval                                                                                 *[2]float64
	atMost                                                                                   *float64
}

func (l csvLine) fields() []string {
	out := []string{l.part, l.mode, l.learner, l.lc, l.attacker, l.attackLearner, l.budget, l.kept, l.documents, l.label, l.figure, csvNumber(l.value), "", "", ""}
	if l.interval != nil {
		out[12], out[13] = csvNumber(l.interval[0]), csvNumber(l.interval[1])
	}
	if l.atMost != nil {
		out[14] = csvNumber(*l.atMost)
	}
	return out
}

func csvNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// WriteCSV writes one figure a line.
func (r Report) WriteCSV(w io.Writer) error {
	c := tabular.NewWriter(w)
	if err := c.Write(csvHead); err != nil {
		return err
	}
	for _, l := range r.csvLines() {
		if err := c.Write(l.fields()); err != nil {
			return err
		}
	}
	return c.Flush()
}

func (r Report) csvLines() []csvLine {
	var lines []csvLine
	if r.Partial {
		lines = append(lines, csvLine{part: "run", figure: "partial", value: 1})
	}
	lines = append(lines, corpusLines("published", r.published)...)
	if r.TrainedOn != nil {
		lines = append(lines, corpusLines("learnt", *r.TrainedOn)...)
	}
	for _, row := range r.Results {
		lines = append(lines, row.csvLines()...)
	}
	return slices.Concat(lines, r.Frontier.csvLines("frontier"), r.csvMore())
}

func corpusLines(which string, c lab.Corpus) []csvLine {
	var lines []csvLine
	add := func(label, figure string, n int) {
		lines = append(lines, csvLine{part: "corpus " + which, label: label, figure: figure, value: float64(n)})
	}
	add("", "documents", c.Documents)
	add("", "patients", c.Patients)
	add("", "tokens", c.Tokens)
	add("", "sensitive", c.Sensitive)
	add("", "informative", c.Informative)
	add("", "spans", c.Names)
	for _, l := range c.ByLabel {
		add(string(l.Label), "sensitive", l.Sensitive)
		add(string(l.Label), "spans", l.Spans)
	}
	return lines
}

func (r Row) csvLines() []csvLine {
	base := csvLine{part: "result", mode: string(r.Mode), learner: r.Learner, lc: csvNumber(r.LC)}
	lines := []csvLine{base.with("rounds", r.Rounds)}
	add := func(figure string, value float64, interval [2]float64, atMost *float64) {
		l := base.with(figure, value)
		l.interval, l.atMost = &interval, atMost
		lines = append(lines, l)
	}
	add("residual", r.Residual, r.Interval.Residual, &r.AtMost.Residual)
	add("informative_left", r.InformativeLeft, r.Interval.InformativeLeft, &r.AtMost.InformativeLeft)
	add("names_left", r.NamesLeft, r.Interval.NamesLeft, &r.AtMost.NamesLeft)
	add("documents_with_leak", r.DocumentsWithLeak, r.Interval.DocumentsWithLeak, &r.AtMost.DocumentsWithLeak)
	add("patients_with_leak", r.PatientsWithLeak, r.Interval.PatientsWithLeak, &r.AtMost.PatientsWithLeak)
	add("false_positives", r.FalsePositives, r.Interval.FalsePositives, nil)
	add("nonsensitive_kept", r.NonsensitiveKept, r.Interval.NonsensitiveKept, nil)
	add("published_ratio", r.PublishedRatio, r.Interval.PublishedRatio, nil)
	add("loss", r.Loss, r.Interval.Loss, nil)
	add("tp_a", r.Attack.Classifier, r.Interval.Attack.Classifier, nil)
	lines = append(lines, base.with("fp_a", float64(r.Attacker.FP)))
	return slices.Concat(lines, r.csvByLabel(base), r.csvByKind(base), r.csvAttacks(base), r.csvBounds(base))
}

func (l csvLine) with(figure string, value float64) csvLine {
	l.figure, l.value = figure, value
	return l
}

func (r Row) csvByLabel(base csvLine) []csvLine {
	var lines []csvLine
	for _, c := range r.ByLabel {
		base.label = string(c.Label)
		left := base.with("residual", c.Left)
		left.interval, left.atMost = &c.LeftInterval, &c.LeftAtMost
		lines = append(lines, left, base.with("names_left", c.SpansLeft))
	}
	return lines
}

// csvByKind writes the kind of word in the label column.
func (r Row) csvByKind(base csvLine) []csvLine {
	var lines []csvLine
	for _, k := range r.ByKind {
		base.label = string(k.Kind)
		gone := base.with("kind_gone", k.Redacted.Value)
		gone.interval = new(intervalOf(k.Redacted))
		lines = append(lines, gone, base.with("kind_words", float64(k.Words)))
	}
	return lines
}

// csvAttacks writes what attackers find, by budget.
func (r Row) csvAttacks(base csvLine) []csvLine {
	var lines []csvLine
	for _, b := range sortedBudgets(r.Attack.Ranked) {
		base.budget, base.attacker = strconv.Itoa(b), "ranked"
		interval := r.Interval.Attack.Ranked[base.budget]
		found := base.with("tp_a", r.Attack.Ranked[base.budget])
		found.interval = &interval
		base.attacker = ""
		lines = append(lines, found, base.with("u_a", r.UA[base.budget]), base.with("u_a_star", r.UAStar[base.budget]))
	}
	for _, a := range r.Attackers {
		base.attacker, base.attackLearner, base.budget = "other "+string(a.Kind), a.Learner, ""
		lines = append(lines, base.with("tp_a", float64(a.Marked.TP)), base.with("fp_a", float64(a.Marked.FP)))
		for _, p := range a.Points {
			base.budget = strconv.Itoa(p.Budget)
			lines = append(lines, base.with("found", p.Found), base.with("documents", p.Documents), base.with("patients", p.Groups))
		}
	}
	return lines
}

// sortedBudgets lists the budgets of a map, ascending.
func sortedBudgets(byBudget map[string]float64) []int {
	var out []int
	for b := range byBudget {
		if n, err := strconv.Atoi(b); err == nil {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

func (f *frontierJSON) csvLines(part string) []csvLine {
	if f == nil {
		return nil
	}
	var lines []csvLine
	for _, line := range f.Learners {
		for _, p := range line.Points {
			base := csvLine{part: part, learner: line.Learner, kept: csvNumber(p.Kept)}
			lines = append(lines, base.with("residual", float64(p.Left)), base.with("informative_left", float64(p.Informative)), base.with("names_left", float64(p.Spans)),
				base.with("documents_with_leak", float64(p.Documents)), base.with("false_positives", float64(p.Redacted)), base.with("more", p.More))
			if p.StandardError != nil {
				lines = append(lines, base.with("standard_error", *p.StandardError))
			}
			if p.Ratio != nil {
				lines = append(lines, base.with("ratio", *p.Ratio))
			}
		}
	}
	return lines
}

func (r Report) csvMore() []csvLine {
	lines := r.Ablation.csvLines("ablation")
	for _, c := range r.Curve {
		for _, p := range c.Points {
			base := csvLine{part: "curve", learner: c.Learner, kept: csvNumber(p.Kept), documents: csvNumber(c.Documents)}
			lines = append(lines, base.with("residual", float64(p.Left)), base.with("informative_left", float64(p.Informative)))
		}
	}
	for _, c := range r.Coverage {
		base := csvLine{part: "coverage", mode: string(c.Mode), learner: c.Learner, lc: csvNumber(c.LC)}
		lines = append(lines, base.with("draws", float64(c.Draws)), base.with("covered", float64(c.Covered)), base.with("at_most_held", float64(c.AtMost)),
			base.with("expected", c.Expected), base.with("residual", c.Missed), base.with("width", c.Width))
	}
	return append(lines, r.csvAlarms()...)
}

func (r Report) csvAlarms() []csvLine {
	var lines []csvLine
	for _, a := range r.Alarms {
		base := csvLine{part: "alarms " + string(a.TrainedOn), mode: string(a.Mode), learner: a.Learner, lc: csvNumber(a.LC)}
		lines = append(lines, base.with("draws", float64(a.Draws)), base.with("rang", float64(a.Drift)), base.with("warned", float64(a.Warned)), base.with("residual", a.Left),
			base.with("expected", a.Expected), base.with("covered", float64(a.Predicted.Covered)), base.with("at_most_held", float64(a.Predicted.AtMost)),
			base.with("audit_expected", a.Found), base.with("audit_covered", float64(a.Audited.Covered)), base.with("audit_at_most_held", float64(a.Audited.AtMost)))
	}
	return lines
}

func (r Row) csvBounds(base csvLine) []csvLine {
	var lines []csvLine
	for _, b := range r.Bounds {
		lines = append(lines, base.with(b.Theorem+" at most", b.Value), base.with(b.Theorem+" got", b.Observed))
		if c := b.Constants; c != nil {
			lines = append(lines, base.with(b.Theorem+" p", c.P), base.with(b.Theorem+" q", c.Q), base.with(b.Theorem+" r", c.R),
				base.with(b.Theorem+" s", c.S), base.with(b.Theorem+" lambda", c.Lambda), base.with(b.Theorem+" lemma 4", c.ErrorRatio))
		}
	}
	return lines
}
