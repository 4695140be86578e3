// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
)

// csvHead names the columns of --csv: a figure a line, empty where a column does
// not apply.
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

func (r experimentJSON) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(csvHead); err != nil {
		return err
	}
	for _, l := range r.csvLines() {
		if err := c.Write(l.fields()); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

func (r experimentJSON) csvLines() []csvLine {
	var lines []csvLine
	if r.Partial {
		lines = append(lines, csvLine{part: "run", figure: "partial", value: 1})
	}
	lines = append(lines, r.published.csvLines("published")...)
	if r.Learnt != nil {
		lines = append(lines, r.Learnt.csvLines("learnt")...)
	}
	for _, row := range r.Results {
		lines = append(lines, row.csvLines()...)
	}
	return slices.Concat(lines, r.Frontier.csvLines("frontier"), r.csvMore())
}

func (c corpusJSON) csvLines(which string) []csvLine {
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

func (r experimentRow) csvLines() []csvLine {
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

func (r experimentRow) csvByLabel(base csvLine) []csvLine {
	var lines []csvLine
	for _, c := range r.ByLabel {
		base.label = string(c.Label)
		left := base.with("residual", c.Left)
		left.interval, left.atMost = &c.LeftInterval, &c.LeftAtMost
		lines = append(lines, left, base.with("names_left", c.SpansLeft))
	}
	return lines
}

// csvByKind has kinds of words in the column of labels.
func (r experimentRow) csvByKind(base csvLine) []csvLine {
	var lines []csvLine
	for _, k := range r.ByKind {
		base.label = string(k.Kind)
		gone := base.with("kind_gone", k.Gone.Value)
		gone.interval = new(intervalOf(k.Gone))
		lines = append(lines, gone, base.with("kind_words", float64(k.Words)))
	}
	return lines
}

// csvAttacks are what attackers find, by budget.
func (r experimentRow) csvAttacks(base csvLine) []csvLine {
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
			lines = append(lines, base.with("found", p.Found), base.with("documents", p.Documents), base.with("patients", p.Patients))
		}
	}
	return lines
}

// sortedBudgets are the keys of what is by budget, ascending.
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
