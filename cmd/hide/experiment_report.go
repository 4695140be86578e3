// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/words"
)

// experimentJSON is what hide experiment prints. Counts are summed over the
// folds; every document is published once.
type experimentJSON struct {
	Command     string                     `json:"command"`
	Version     string                     `json:"version"`
	Tokens      int                        `json:"tokens"`
	Sensitive   int                        `json:"sensitive"`
	Names       int                        `json:"names"` // sensitive spans
	Documents   int                        `json:"documents"`
	Patients    int                        `json:"patients"`           // groups: patients, or documents of nobody known
	Learnt      *corpusJSON                `json:"learnt,omitempty"`   // what was learnt from, when it is another file
	ByLabel     []corpusLabel              `json:"by_label,omitempty"` // of what was published
	Folds       int                        `json:"folds"`
	Seed        uint64                     `json:"seed"`
	VC          float64                    `json:"vc,omitempty"`
	Share       float64                    `json:"share"`                   // of what is published that attackers label
	Without     string                     `json:"without_parts,omitempty"` // of the detector
	LossByLabel map[annotate.Label]float64 `json:"loss_by_label,omitempty"` // in times L
	CostByKind  greedy.Prices              `json:"cost_by_kind,omitempty"`  // in times C
	Context     *contextJSON               `json:"context,omitempty"`
	Partial     bool                       `json:"partial,omitempty"` // it was interrupted: some results, or studies, are not there
	Warnings    []string                   `json:"warnings,omitempty"`
	Results     []experimentRow            `json:"results,omitempty"`
	studies

	published corpusJSON
	budgets   []int
}

// experimentRow is one mode, learner and L/C.
type experimentRow struct {
	Mode          greedy.Mode `json:"mode"`
	Learner       string      `json:"learner"`
	LC            float64     `json:"lc"`
	Rounds        float64     `json:"rounds"` // classifiers in H, mean over the folds
	RoundsPerFold []int       `json:"rounds_per_fold"`
	RedactsAs     []float64   `json:"redacts_as,omitempty"` // the L/C that each fold redacts for, where --ceiling raised it
	figures[float64]
	Interval  figures[[2]float64] `json:"interval"` // 95 %, from resampling documents
	AtMost    bounds              `json:"at_most"`
	ByLabel   []labelRow          `json:"by_label,omitempty"`
	ByKind    []greedy.Lost       `json:"by_kind"`  // other words that go, by kind
	Attacker  greedy.Counts       `json:"attacker"` // of the papers' attacker on what is published: TP_A, FP_A and the rest
	UA        map[string]float64  `json:"u_a"`      // L times what inspecting B tokens at random finds, with C = 1
	UAStar    map[string]float64  `json:"u_a_star"` // and what inspecting first those that the papers' attacker marks
	Attackers []attackerRow       `json:"attackers,omitempty"`
	Bounds    []greedy.Bound      `json:"bounds,omitempty"` // what the theorems promise of the papers' attacker
}

// figures are the measurements, as values or as intervals.
type figures[T any] struct {
	Residual          T                `json:"residual"`
	InformativeLeft   T                `json:"informative_left"`
	NamesLeft         T                `json:"names_left"`
	DocumentsWithLeak T                `json:"documents_with_leak"`
	PatientsWithLeak  T                `json:"patients_with_leak"`
	FalsePositives    T                `json:"false_positives"`
	NonsensitiveKept  T                `json:"nonsensitive_kept"`
	PublishedRatio    T                `json:"published_ratio"`
	Loss              T                `json:"loss"`
	Attack            attackFigures[T] `json:"tp_a"`
}

// attackFigures are what the papers' attacker finds and, by budget, the ranked one.
type attackFigures[T any] struct {
	Classifier T            `json:"classifier"`
	Ranked     map[string]T `json:"ranked"`
}

// bounds are what 95 % of publications of as many further documents do not exceed.
type bounds struct {
	Residual          float64 `json:"residual"`
	InformativeLeft   float64 `json:"informative_left"`
	NamesLeft         float64 `json:"names_left"`
	DocumentsWithLeak float64 `json:"documents_with_leak"`
	PatientsWithLeak  float64 `json:"patients_with_leak"`
}

// labelRow is what stays of one category.
type labelRow struct {
	Label        annotate.Label `json:"label"`
	Sensitive    int            `json:"sensitive"`
	Spans        int            `json:"spans"`
	Left         float64        `json:"left"`
	LeftInterval [2]float64     `json:"left_interval"`
	LeftAtMost   float64        `json:"left_at_most"`
	SpansLeft    float64        `json:"spans_left"`
}

func figuresOf[T any](o greedy.Outcome, of func(greedy.Estimate) T) figures[T] {
	f := figures[T]{
		of(o.Residual), of(o.InformativeLeft), of(o.NamesLeft), of(o.DocumentsWithLeak), of(o.PatientsWithLeak),
		of(o.FalsePositives), of(o.NonsensitiveKept), of(o.PublishedRatio), of(o.Loss),
		attackFigures[T]{of(o.Attack.Classifier), map[string]T{}},
	}
	for b, e := range o.Attack.Ranked {
		f.Attack.Ranked[strconv.Itoa(b)] = of(e)
	}
	return f
}

func valueOf(e greedy.Estimate) float64       { return e.Value }
func intervalOf(e greedy.Estimate) [2]float64 { return [2]float64{e.Low, e.High} }

func rowOf(m greedy.Measured, budgets []int) experimentRow {
	o := m.Outcome
	row := experimentRow{
		Mode: m.Mode, Learner: m.Learner, LC: o.LC, Rounds: mean(m.Rounds), RoundsPerFold: m.Rounds,
		figures: figuresOf(o, valueOf), Interval: figuresOf(o, intervalOf),
		AtMost:   bounds{o.Residual.AtMost, o.InformativeLeft.AtMost, o.NamesLeft.AtMost, o.DocumentsWithLeak.AtMost, o.PatientsWithLeak.AtMost},
		Attacker: m.Attacker, Bounds: m.Bounds, UA: map[string]float64{}, UAStar: map[string]float64{},
	}
	if slices.ContainsFunc(m.At, func(lc float64) bool { return lc > o.LC }) {
		row.RedactsAs = m.At
	}
	for _, c := range o.ByLabel {
		row.ByLabel = append(row.ByLabel, labelRow{c.Label, c.Sensitive, c.Spans, c.Left.Value, intervalOf(c.Left), c.Left.AtMost, c.SpansLeft.Value})
	}
	row.ByKind = o.ByKind
	for _, b := range budgets {
		row.UA[strconv.Itoa(b)] = o.LC * m.Attacker.Uniform(b)
		row.UAStar[strconv.Itoa(b)] = o.LC * m.Attacker.Prioritized(b)
	}
	return row
}

func (x *experiment) report() experimentJSON {
	c := corpusOf(x.published)
	r := experimentJSON{
		Command: x.out.command, Version: toolVersion(), published: c, budgets: x.trial.Budgets,
		Tokens: c.Tokens, Sensitive: c.Sensitive, Names: c.Names, Documents: c.Documents, Patients: c.Patients, ByLabel: c.ByLabel,
		Folds: x.parts(), Seed: x.trial.Seed, VC: x.trial.VC, Share: x.trial.Share, Without: x.without, LossByLabel: x.trial.LossByLabel, CostByKind: x.trial.CostByKind, Context: x.near, Warnings: x.notes(), Results: x.results(), studies: x.made,
	}
	if x.test != "" {
		learnt := corpusOf(x.docs)
		r.Learnt = &learnt
	}
	return r
}

// parts is in how many folds documents are published.
func (x *experiment) parts() int {
	if x.test != "" {
		return 1
	}
	_, folds := greedy.PublishFolds(x.docs, x.trial.Folds, x.trial.Seed)
	return folds
}

func mean(counts []int) float64 {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return float64(sum) / float64(len(counts))
}

// write prints the table for people: left, names and documents with what they
// are out of, and what the ranked attacker finds with each budget.
// partialWords head what an interrupted run prints and draws.
const partialWords = "PARTIAL: the run was interrupted, and results or studies are missing"

func (r experimentJSON) write(w io.Writer) {
	fmt.Fprintf(w, "%d documents, %d tokens, %d of them sensitive in %d spans; %s\n", r.Documents, r.Tokens, r.Sensitive, r.Names, words.Count(r.Folds, "fold", "folds"))
	if costs := costWords(r.LossByLabel, r.CostByKind); costs != "" {
		fmt.Fprintln(w, costs)
	}
	r.Context.write(w)
	if r.Partial {
		fmt.Fprintln(w, partialWords)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintln(w, "warning:", warning)
	}
	if len(r.Results) > 0 {
		r.writeResults(w)
	}
	r.Frontier.write(w)
	r.writeMore(w)
}

func (r experimentJSON) writeResults(w io.Writer) {
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "mode\tlearner\tL/C\trounds\tleft\t95 %\tat most\tsay something\tspans\tdocuments\tkept\tpublished\tloss\tTP_A\tFP_A\t")
	for _, b := range r.budgets {
		fmt.Fprintf(t, "B=%d\t", b)
	}
	fmt.Fprintln(t)
	for _, row := range r.Results {
		row.write(t, r.budgets)
	}
	t.Flush() // cannot fail but as w does
	fmt.Fprintln(w, "\nleft: sensitive tokens published, and at most how many of as many further documents; say something: of those, no common words or signs;")
	fmt.Fprintln(w, "spans, documents: with a token left; kept: share of the other tokens; TP_A, FP_A: what the papers' attacker marks; B: found by one who inspects the B tokens ranked first")
	if len(r.CostByKind) > 0 {
		r.writeLost(w)
	}
	r.writeAttackers(w)
	r.writeBounds(w)
}

func (r experimentRow) write(w io.Writer, budgets []int) {
	fmt.Fprintf(w, "%s\t%s\t%g\t%.2f\t%.0f\t%.0f-%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.2f %%\t%.2f %%\t%.0f\t%.0f\t%d\t", r.Mode, r.Learner, r.LC, r.Rounds,
		r.Residual, r.Interval.Residual[0], r.Interval.Residual[1], r.AtMost.Residual, r.InformativeLeft, r.NamesLeft, r.DocumentsWithLeak,
		100*r.NonsensitiveKept, 100*r.PublishedRatio, r.Loss, r.Attack.Classifier, r.Attacker.FP)
	for _, b := range budgets {
		fmt.Fprintf(w, "%.0f\t", r.Attack.Ranked[strconv.Itoa(b)])
	}
	fmt.Fprintln(w)
}

// writeLost prints what goes by kind of word.
func (r experimentJSON) writeLost(w io.Writer) {
	var rows []lostRow
	for _, row := range r.Results {
		rows = append(rows, lostRow{[]string{string(row.Mode), row.Learner, csvNumber(row.LC)}, row.ByKind})
	}
	writeLost(w, []string{"mode", "learner", "L/C"}, rows)
}

// writeAttackers prints what the attackers of --attackers find.
func (r experimentJSON) writeAttackers(w io.Writer) {
	if !slices.ContainsFunc(r.Results, func(row experimentRow) bool { return row.Attackers != nil }) {
		return
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "mode\tlearner\tL/C\tattacker\twith\tTP_A\tFP_A\tdocuments\t")
	for _, b := range r.budgets {
		fmt.Fprintf(t, "B=%d\t", b)
	}
	fmt.Fprintln(t)
	for _, row := range r.Results {
		for _, a := range row.Attackers {
			fmt.Fprintf(t, "%s\t%s\t%g\t%s\t%s\t%d\t%d\t%d\t", row.Mode, row.Learner, row.LC, a.Kind, a.Learner, a.Marked.TP, a.Marked.FP, a.Documents)
			for _, p := range a.Points {
				fmt.Fprintf(t, "%.1f\t", p.Found)
			}
			fmt.Fprintln(t)
		}
	}
	t.Flush() // cannot fail but as w does
}
