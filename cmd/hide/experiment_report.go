// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"text/tabwriter"

	"hide/internal/greedy"
)

// experimentJSON is what hide experiment prints. Counts are summed over the
// folds; every document is published once.
type experimentJSON struct {
	Tokens    int             `json:"tokens"`
	Sensitive int             `json:"sensitive"`
	Names     int             `json:"names"` // sensitive spans
	Documents int             `json:"documents"`
	Folds     int             `json:"folds"`
	Seed      uint64          `json:"seed"`
	Results   []experimentRow `json:"results"`
}

// experimentRow is one mode, learner and L/C.
type experimentRow struct {
	Mode          greedy.Mode `json:"mode"`
	Learner       string      `json:"learner"`
	LC            float64     `json:"lc"`
	Rounds        float64     `json:"rounds"` // classifiers in H, mean over the folds
	RoundsPerFold []int       `json:"rounds_per_fold"`
	figures[float64]
	Interval figures[[2]float64] `json:"interval"` // 95 %, from resampling documents
}

// figures are the measurements, as values or as intervals.
type figures[T any] struct {
	Residual          T         `json:"residual"`
	NamesLeft         T         `json:"names_left"`
	DocumentsWithLeak T         `json:"documents_with_leak"`
	FalsePositives    T         `json:"false_positives"`
	NonsensitiveKept  T         `json:"nonsensitive_kept"`
	PublishedRatio    T         `json:"published_ratio"`
	Loss              T         `json:"loss"`
	Attack            attack[T] `json:"tp_a"`
}

// attack is what attackers find: the papers' one and, by budget, the ranked one.
type attack[T any] struct {
	Classifier T            `json:"classifier"`
	Ranked     map[string]T `json:"ranked"`
}

func figuresOf[T any](o greedy.Outcome, of func(greedy.Estimate) T) figures[T] {
	f := figures[T]{
		of(o.Residual), of(o.NamesLeft), of(o.DocumentsWithLeak), of(o.FalsePositives), of(o.NonsensitiveKept), of(o.PublishedRatio), of(o.Loss),
		attack[T]{of(o.Attack.Classifier), map[string]T{}},
	}
	for b, e := range o.Attack.Ranked {
		f.Attack.Ranked[strconv.Itoa(b)] = of(e)
	}
	return f
}

func experimentReport(o experimentOptions, results []greedy.Measured) experimentJSON {
	first := results[0].Outcome
	r := experimentJSON{Tokens: first.Tokens, Sensitive: first.Sensitive, Names: first.Names, Documents: first.Documents,
		Folds: len(results[0].Rounds), Seed: o.trial.Seed}
	for _, m := range results {
		r.Results = append(r.Results, experimentRow{
			Mode: m.Mode, Learner: m.Learner, LC: m.Outcome.LC, Rounds: mean(m.Rounds), RoundsPerFold: m.Rounds,
			figures:  figuresOf(m.Outcome, func(e greedy.Estimate) float64 { return e.Value }),
			Interval: figuresOf(m.Outcome, func(e greedy.Estimate) [2]float64 { return [2]float64{e.Low, e.High} }),
		})
	}
	return r
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
func (r experimentJSON) write(w io.Writer) {
	fmt.Fprintf(w, "%d documents, %d tokens, %d of them sensitive in %d spans; %d folds\n\n", r.Documents, r.Tokens, r.Sensitive, r.Names, r.Folds)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	budgets := r.budgets()
	fmt.Fprint(t, "mode\tlearner\tL/C\trounds\tleft\t95 %\tspans left\tdocuments\tkept\tpublished\tloss\tTP_A\t")
	for _, b := range budgets {
		fmt.Fprintf(t, "B=%d\t", b)
	}
	fmt.Fprintln(t)
	for _, row := range r.Results {
		row.write(t, budgets)
	}
	t.Flush() // cannot fail but as w does
	fmt.Fprintln(w, "\nleft: sensitive tokens published; kept: share of the other tokens; TP_A, B: found by the papers' attacker and by one who inspects B tokens")
}

func (r experimentRow) write(w io.Writer, budgets []int) {
	fmt.Fprintf(w, "%s\t%s\t%g\t%.2f\t%.0f\t%.0f-%.0f\t%.0f\t%.0f\t%.2f %%\t%.2f %%\t%.0f\t%.0f\t", r.Mode, r.Learner, r.LC, r.Rounds,
		r.Residual, r.Interval.Residual[0], r.Interval.Residual[1], r.NamesLeft, r.DocumentsWithLeak,
		100*r.NonsensitiveKept, 100*r.PublishedRatio, r.Loss, r.Attack.Classifier)
	for _, b := range budgets {
		fmt.Fprintf(w, "%.0f\t", r.Attack.Ranked[strconv.Itoa(b)])
	}
	fmt.Fprintln(w)
}

func (r experimentJSON) budgets() []int {
	var out []int
	for b := range maps.Keys(r.Results[0].Attack.Ranked) {
		n, err := strconv.Atoi(b)
		if err == nil {
			out = append(out, n)
		}
	}
	return slices.Sorted(slices.Values(out))
}
