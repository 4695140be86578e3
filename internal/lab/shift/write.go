// SPDX-License-Identifier: Apache-2.0

package shift

import (
	"fmt"
	"io"
	"strings"

	"hide/internal/lab"
	"hide/internal/words"
)

// Write prints the result as tables.
func (r *Result) Write(w io.Writer) {
	fmt.Fprintf(w, "trained on %s, %s sensitive tokens of %s; published %s, %s of %s\n", words.Count(r.Trained.Documents, "note", "notes"), words.Number(r.Trained.Sensitive), words.Number(r.Trained.Tokens),
		words.Count(r.Published.Documents, "note", "notes"), words.Number(r.Published.Sensitive), words.Number(r.Published.Tokens))
	fmt.Fprintln(w, driftWords(r))
	if len(r.Local) > 0 {
		fmt.Fprintln(w)
		lab.WriteRows(w, r.localRows())
		return
	}
	rows := [][]string{{"method", "L/C", "missed: forecast", "published", "kept: forecast", "published", "T(H)", "to best of crf, stack", "classifiers", "trust", "odds times", "more redacted"}}
	for _, l := range r.Lines {
		rows = append(rows, r.row(l))
	}
	fmt.Fprintln(w)
	lab.WriteRows(w, rows)
	if len(r.Held) == 0 {
		return
	}
	rows = [][]string{{"L/C", "draws", "forecast withdrawn", "interval held", "upper bound held", "withdrawn or held"}}
	for _, h := range r.Held {
		rows = append(rows, []string{fmt.Sprintf("%g", h.LC), fmt.Sprint(h.Draws), fmt.Sprint(h.Withdrawn), fmt.Sprint(h.Covered), fmt.Sprint(h.AtMost), words.Percent(h.Honest)})
	}
	fmt.Fprintln(w)
	lab.WriteRows(w, rows)
}

func (r *Result) row(l Line) []string {
	row := []string{l.Method, fmt.Sprintf("%g", l.LC), "-", share(l.Published.Missed), "-", share(l.Published.Kept), fmt.Sprintf("%.0f", l.Loss), "-", "-", "-", "-", "-"}
	if best := r.reference(l.LC); best > 0 {
		row[7] = fmt.Sprintf("%.3f", l.Loss/best)
	}
	if l.Method == methodBest {
		return row
	}
	row[2], row[4], row[8] = share(l.Forecast.Missed), share(l.Forecast.Kept), fmt.Sprint(l.Rounds)
	if l.Method == methodDefault {
		row[9], row[10], row[11] = fmt.Sprintf("%.2f", l.Trust), fmt.Sprintf("%.2f", l.Raised), words.Percent(l.More)
	}
	return row
}

// reference is the lower T(H) of the CRF and the stack, each with one threshold; 0 if they
// were not measured.
func (r *Result) reference(lc float64) float64 {
	least := 0.0
	for _, l := range r.Lines {
		if (l.Method == methodCRF || l.Method == methodStack) && l.LC == lc && (least == 0 || l.Loss < least) {
			least = l.Loss
		}
	}
	return least
}

func (r *Result) localRows() [][]string {
	rows := [][]string{{"local notes", "choice", "tokens", "L/C", "drift", "missed: forecast", "published", "kept: forecast", "published", "T(H)", "missed, of without", "missed: predicted", "kept: predicted"}}
	for _, l := range r.Local {
		choice, warning := fmt.Sprintf("random %d", l.Draw), "no warning"
		switch {
		case l.Notes == 0:
			choice = "-"
		case l.Draw == 0:
			choice = "advised"
		}
		missed, kept := "-", "-"
		for _, f := range l.Foretold {
			missed, kept = fmt.Sprintf("%.4f to %.4f", f.Missed.Low, f.Missed.High), fmt.Sprintf("%.4f to %.4f", f.Kept.Low, f.Kept.High)
		}
		if l.Warns {
			warning = "warning"
		}
		rows = append(rows, []string{fmt.Sprint(l.Notes), choice, words.Number(l.Tokens), fmt.Sprintf("%g", l.LC), warning, share(l.Forecast.Missed), share(l.Shares.Missed),
			share(l.Forecast.Kept), share(l.Shares.Kept), fmt.Sprintf("%.0f", l.Loss), words.Percent(l.Left), missed, kept})
	}
	return rows
}

func share(x float64) string { return fmt.Sprintf("%.4f", x) }

func driftWords(r *Result) string {
	switch {
	case !r.Drift.Known():
		return "drift: too few notes to compare"
	case !r.Drift.Warns():
		return "drift: no warning"
	}
	var names []string
	for _, t := range r.Drift.All.Tests {
		if t.Warns() {
			names = append(names, string(t.Name))
		}
	}
	return "drift: warning, by " + strings.Join(names, ", ")
}
