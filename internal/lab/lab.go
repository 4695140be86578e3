// SPDX-License-Identifier: Apache-2.0

// Package lab has what experiments and benchmarks share: learners by name, programs of
// one's own among them, corpora with what is sensitive in them, progress, and tables.
//
//	learners, programs, err := lab.Learners([]string{"crf", "outside:tagger --fast"}, options)
//	ctx, stop := lab.Within(ctx, programs)
//	defer stop()
//
// The experiments are in packages below: experiment measures GreedySanitize, bench
// measures speed and published tables, evaluate scores taggers. They take notes in memory
// and return results that write themselves as text, CSV or a page.
package lab

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"hide/internal/annotate"
	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
)

// Bar shows how far one piece of work is.
type Bar interface {
	Step(done, total int, detail string) // total 0 means that it is not known
	End()
}

// Progress starts a bar that says what is being done; nil shows nothing.
type Progress func(doing string) Bar

// Start is a bar in any case.
func (p Progress) Start(doing string) Bar {
	if p == nil {
		return silent{}
	}
	return p(doing)
}

type silent struct{}

func (silent) Step(int, int, string) {}
func (silent) End()                  {}

// Table is a writer that aligns columns, which end with tabs, to the right.
func Table(w io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// WriteRows prints a table.
func WriteRows(w io.Writer, rows [][]string) {
	t := Table(w)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t")+"\t")
	}
	t.Flush() // cannot fail but as w does
}

// CostWords: "missed PHI in times L: NAME=3; an over-redacted word in times C: number=2";
// "" where all cost the same.
func CostWords(byLabel map[annotate.Label]float64, byKind greedy.Prices) string {
	var words []string
	if len(byLabel) > 0 {
		words = append(words, "a missed token in times L: "+timesWords(byLabel))
	}
	if len(byKind) > 0 {
		words = append(words, "an over-redacted word in times C: "+timesWords(byKind))
	}
	return strings.Join(words, "; ")
}

func timesWords[M ~map[K]float64, K ~string](times M) string {
	var words []string
	for k, v := range times {
		words = append(words, fmt.Sprintf("%s=%g", k, v))
	}
	slices.Sort(words)
	return strings.Join(words, ",")
}

// OverRedacted is what goes with one result, by kind of word.
type OverRedacted struct {
	Of   []string // cells that name the result
	Lost []greedy.OverRedacted
}

// WriteOverRedacted prints what would be redacted of the words that are not sensitive,
// under the heads of what the results are of.
func WriteOverRedacted(w io.Writer, heads []string, results []OverRedacted) {
	fmt.Fprint(w, "\nover-redacted words, of all words of their kind that are not sensitive\n\n")
	rows := [][]string{slices.Clone(heads)}
	for _, k := range greedy.WordKinds() {
		rows[0] = append(rows[0], string(k))
	}
	for _, r := range results {
		row := slices.Clone(r.Of)
		for _, k := range greedy.WordKinds() {
			cell := "-"
			if i := slices.IndexFunc(r.Lost, func(l greedy.OverRedacted) bool { return l.Kind == k }); i >= 0 {
				cell = fmt.Sprintf("%.0f of %d", r.Lost[i].Redacted.Value, r.Lost[i].Words)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	WriteRows(w, rows)
}

// Attacked is what attackers find in one result.
type Attacked struct {
	Of []string // cells that name the result
	By []attack.Result
}

// WriteAttackers prints what attackers find, under the heads of what the results are of.
func WriteAttackers(w io.Writer, heads []string, results []Attacked) {
	var rows [][]string
	for _, r := range results {
		for _, a := range r.By {
			if rows == nil {
				rows = [][]string{append(slices.Clone(heads), "attacker", "with", "TP_A", "FP_A", "documents")}
				for _, p := range a.Points {
					rows[0] = append(rows[0], fmt.Sprintf("B=%d", p.Budget))
				}
			}
			row := append(slices.Clone(r.Of), string(a.Kind), a.Learner, fmt.Sprint(a.Marked.TP), fmt.Sprint(a.Marked.FP), fmt.Sprint(a.Documents))
			for _, p := range a.Points {
				row = append(row, fmt.Sprintf("%.1f", p.Found))
			}
			rows = append(rows, row)
		}
	}
	if rows == nil {
		return
	}
	fmt.Fprintln(w)
	WriteRows(w, rows)
	fmt.Fprintln(w, "TP_A, FP_A, documents: tokens that each marks rightly and wrongly; B: PHI among the first B tokens that each inspects")
}

// BoundHead are the columns of a table of bounds after what they are of, and BoundCells
// what one has in them.
var BoundHead = []string{"theorem", "at most", "observed", "what that means", "with"}

// BoundCells are the cells of one bound, for a class of dimension vc.
func BoundCells(b greedy.Bound, vc float64) []string {
	return []string{b.Theorem, chart.BoundNumber(b.Value), chart.BoundNumber(b.Observed), chart.BoundWords(b, vc), chart.BoundConstants(b)}
}

// BoundsAbout explains a table of bounds.
const BoundsAbout = "theorems 3 and 5: sensitive tokens that the papers' attacker finds; 4 and 6: how many times as many as by reading at random; p, q, r, s and lambda: what lemma 4 and theorems 5 and 6 are made of, estimated"
