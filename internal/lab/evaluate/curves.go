// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"
	"io"

	"hide/internal/bootstrap"
	"hide/internal/crf/trade"
	"hide/internal/lab"
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
