// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"hide/internal/chart"
	"hide/internal/crf/trade"
)

// drawCurves writes the drawing that was asked for.
func drawCurves(c curves) error {
	if c.SVG == "" {
		return nil
	}
	title := fmt.Sprintf("Precision against recall by sampling: %s, %d documents, %d folds", c.Learner, c.Documents, c.Folds)
	_, err := writeFile(c.SVG, func(w io.Writer) error { return chart.WriteTrade(w, title, chart.CurvePanels(c.Curves, nil)) })
	if err != nil {
		return fmt.Errorf("write the drawing: %w", err)
	}
	return nil
}

func writeCurves(w io.Writer, c curves) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
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
		fmt.Fprintln(w, "spans are runs of neighbouring sensitive words, whatever their labels: this learner tells none from another")
	}
}
