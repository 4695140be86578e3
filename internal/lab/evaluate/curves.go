// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"hide/internal/bootstrap"
	"hide/internal/crf"
	"hide/internal/crf/score"
	"hide/internal/crf/trade"
	"hide/internal/lab"
	"hide/internal/option"
)

// WriteCurves prints what sampling trades, for people.
func WriteCurves(w io.Writer, c trade.Curves) {
	t := lab.Table(w)
	fmt.Fprint(t, "\t\tspans\t\t\twords\t\t\tnotes that\t\t\n")
	fmt.Fprint(t, "sampling\twords kept\tprecision\trecall\tF1\tprecision\trecall\tF1\tleak\tseconds\t\n")
	for _, s := range c.Settings {
		name := s.Sampling
		name.Seed = 0
		text := name.String()
		if text == "" {
			text = trade.AllWords
		}
		fmt.Fprintf(t, "%s\t%.1f %%\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%d\t%.1f\t\n", text, 100*s.WordsKept,
			s.Entity.Precision, s.Entity.Recall, s.Entity.F1, s.Token.Precision, s.Token.Recall, s.Token.F1, s.DocumentsWithLeak, s.Seconds)
	}
	_ = t.Flush() // a table that cannot be written shows in the next write
	fmt.Fprintf(w, "%s on %d documents, %d folds, seed %d\n", c.Learner, c.Documents, c.Folds, c.Seed)
	if c.Folded {
		fmt.Fprintln(w, "spans are runs of neighbouring PHI words: this learner does not distinguish labels")
	}
}

// WriteReplay prints a replay of annotation, for people.
func WriteReplay(w io.Writer, r *bootstrap.Result) {
	fmt.Fprintf(w, "%d notes to read, %d to test on; all of them give F1 %.4f, token recall %.4f, %.0f notes with a leak\n",
		r.Pool.Documents, r.Test.Documents, r.Full.F1, r.Full.TokenRecall, r.Full.Leaking)
	for _, c := range r.Curves {
		fmt.Fprintln(w)
		writeCurve(w, c)
	}
	fmt.Fprintln(w)
	for _, c := range r.Curves {
		fmt.Fprintf(w, "%.0f %% of that F1: %s\n", 100*r.Goal, neededLine(c))
	}
	if r.Saved != nil {
		fmt.Fprintf(w, "random order takes %.2f times the notes and %.2f times the tokens\n", r.Saved.Documents, r.Saved.Tokens)
	}
}

func writeCurve(w io.Writer, c bootstrap.Curve) {
	t := lab.Table(w)
	fmt.Fprintf(t, "%s\ttokens\tF1\ttoken recall\twith a leak\tspans\tby hand\trefused\ttraining\t\n", c.Order)
	for _, p := range c.Points {
		fmt.Fprintf(t, "%.0f\t%.0f\t%.4f\t%.4f\t%.1f\t%.0f\t%.0f\t%.0f\t%.2f s\t\n",
			p.Documents, p.Tokens, p.F1, p.TokenRecall, p.Leaking, p.Spans, p.ByHand, p.Refused, p.Seconds)
	}
	_ = t.Flush() // a table that cannot be written shows in the next write
}

func neededLine(c bootstrap.Curve) string {
	n := c.Needed
	if !n.Reached {
		return fmt.Sprintf("not reached in %s order", c.Order)
	}
	line := fmt.Sprintf("%.1f notes and %.0f tokens in %s order", n.Documents, n.Tokens, c.Order)
	if n.AtStart {
		line += ", or fewer: it was reached at --start"
	}
	if n.Never == 0 && n.Least < n.Most {
		line += fmt.Sprintf(" (%.1f to %.1f notes over the repeats)", n.Least, n.Most)
	}
	return line
}

// Ablation is how good a tagger is with fewer feature families; the first row has all.
type Ablation struct {
	Preset string        `json:"preset"`
	Rows   []ablationRow `json:"ablation"`
}

// ablationRow is one choice of feature families and how well it does, by entities.
type ablationRow struct {
	Features []string    `json:"features"`
	Without  []string    `json:"without,omitempty"`
	Entity   score.Tally `json:"entity"`
	F1Less   float64     `json:"f1_less"` // F1 of the first row minus this one's
	Train    training    `json:"train"`
}

// Ablate evaluates with fewer and fewer families of o: for HIDE's, every choice of the four
// (dissertation, section 4.4.5); for any other, all but one. run trains with given options.
func Ablate(o crf.Options, preset string, run func(crf.Options) (*Predictions, error)) (Ablation, error) {
	result, whole := Ablation{Preset: preset}, o.Features
	for _, f := range ablations(whole) {
		o.Features = f
		found, err := run(o)
		if err != nil {
			return result, fmt.Errorf("with %s: %w", f, err)
		}
		row := ablationRow{Features: f.Names(), Without: (whole &^ f).Names(), Train: found.train}
		row.Entity = score.Of(found.docs, score.Options{}).Entity.Micro
		if len(result.Rows) > 0 {
			row.F1Less = result.Rows[0].Entity.F1 - row.Entity.F1
		}
		result.Rows = append(result.Rows, row)
	}
	return result, nil
}

// ablations lists the choices of families to compare, the whole first.
func ablations(whole crf.Families) []crf.Families {
	if whole&^crf.HIDE == 0 {
		return subsets(whole, whole&(crf.Regex|crf.Affix|crf.Context|crf.Dictionary))
	}
	list := []crf.Families{whole}
	for _, row := range crf.FamilyTable() {
		if whole&row.Families != 0 {
			list = append(list, whole&^row.Families)
		}
	}
	return list
}

// subsets takes every choice of some families away from the whole.
func subsets(whole, some crf.Families) []crf.Families {
	var list []crf.Families
	for out := crf.Families(0); ; out = (out - some) & some {
		if whole&^out != 0 {
			list = append(list, whole&^out)
		}
		if out == some {
			return list
		}
	}
}

// Write prints an ablation for people.
func (a Ablation) Write(w io.Writer) {
	t := lab.Table(w)
	fmt.Fprint(t, "without\tprecision\trecall\tF1\tF1 less\tright\tfalse alarms\tmissed\tseconds\t\n")
	for _, row := range a.Rows {
		without := strings.Join(row.Without, ", ")
		if without == "" {
			without = "nothing"
		}
		m := row.Entity
		fmt.Fprintf(t, "%s\t%.4f\t%.4f\t%.4f\t%+.4f\t%d\t%d\t%d\t%.1f\t\n", without, m.Precision, m.Recall, m.F1, -row.F1Less, m.TP, m.FP, m.FN, row.Train.Seconds)
	}
	_ = t.Flush() // a table that cannot be written shows in the next write
}

// Replay says how annotation is replayed, and on which notes.
type Replay struct {
	bootstrap.Options
	Holdout  float64 // share of the notes
	Schedule string
}

// ReplayOptions declare how annotation is replayed.
var ReplayOptions = option.Table[Replay]{
	option.Number(option.About{Name: "holdout", Default: "0.2", Value: "SHARE", Help: "The share of the notes to hold out where there is no --test; a patient is never split."},
		option.Above(0).Below(1), func(v *Replay) *float64 { return &v.Holdout }),
	option.Some(option.About{Name: "order", Default: "active,random", Value: "ORDERS", Help: "Orders to compare."},
		[]option.Choice{{Value: string(bootstrap.Active), Help: "that of a project's queue"}, {Value: string(bootstrap.AtRandom)}}, func(v *Replay) *[]bootstrap.Order { return &v.Orders }),
	option.Whole(option.About{Name: "start", Default: strconv.Itoa(bootstrap.BeforeModel), Value: "N", Help: "Train first when N notes are read."},
		option.AtLeast(1), func(v *Replay) *int { return &v.Start }),
	option.One(option.About{Name: "schedule", Default: "geometric", Value: "WHEN", Help: "When to train."},
		[]option.Choice{{Value: "geometric", Help: "when an eighth more notes are read"}, {Value: "even", Help: "with --step"}}, func(v *Replay) *string { return &v.Schedule }),
	option.Whole(option.About{Name: "step", Value: "N", Help: "Train whenever N more notes are read."}, option.AtLeast(0), func(v *Replay) *int { return &v.Step }),
	option.Whole(option.About{Name: "most", Value: "N", Help: "Stop when N notes are read; 0 means all."}, option.AtLeast(0), func(v *Replay) *int { return &v.Most }),
	option.Whole(option.About{Name: "repeats", Default: "1", Value: "N", Help: "Replay each order N times, drawn anew."}, option.AtLeast(1), func(v *Replay) *int { return &v.Repeats }),
	option.Number(option.About{Name: "goal", Default: "0.95", Value: "SHARE", Help: "The share of the F1 of all notes that is to be reached."}, option.Above(0).AtMost(1), func(v *Replay) *float64 { return &v.Goal }),
	option.Seed(option.About{Name: "seed", Default: "1", Value: "SEED", Help: "The seed decides orders and which notes are held out."}, func(v *Replay) *uint64 { return &v.Seed }),
}
