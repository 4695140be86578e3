// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"hide/internal/annotate"
	"hide/internal/chart"
	"hide/internal/crf"
	"hide/internal/crf/trade"
	"hide/internal/greedy/learners"
	"hide/internal/lab"
	"hide/internal/outfile"
)

// Sampling says which precision and recall are measured: of a tagger cross-validated with
// every setting of every line.
type Sampling struct {
	Training Training
	Options  crf.Options // of the training
	Folds    int
	Seed     uint64 // deals the folds
	Lines    []trade.Line
}

// Sampled is precision and recall by sampling of training words.
type Sampled struct {
	trade.Curves
	Preset string `json:"preset,omitempty"` // empty if the learner has no such features
	SVG    string `json:"svg,omitempty"`    // the file drawn
}

// MeasureSampling cross-validates. An error that is an [option.Problem] is about its options.
func MeasureSampling(ctx context.Context, notes []annotate.Annotated, s Sampling, progress lab.Progress) (out Sampled, err error) {
	for _, l := range s.Lines {
		if err := CheckCosts(notes, l.Samplings...); err != nil {
			return out, err
		}
		if err := s.Training.checkDraws(l.Samplings...); err != nil {
			return out, err
		}
	}
	bar := progress.Start("cross-validating with sampling")
	defer bar.End()
	o := trade.Options{
		Options: s.Options, Folds: s.Folds, Seed: s.Seed,
		Begin: func(done, of int, s crf.Sampling) { bar.Step(done, of, s.String()) },
	}
	if s.Training.Marks() {
		if o.Marker, err = learners.Marker(s.Training.Learner, notes, learners.Options{CRF: s.Options, Seed: s.Seed}); err != nil {
			return out, err
		}
	}
	if s.Training.HasFamilies() {
		out.Preset = s.Training.Name()
	}
	out.Curves, err = trade.Measure(ctx, notes, s.Lines, o)
	return out, err
}

// Draw draws the curves into a file; "" draws nothing.
func (s *Sampled) Draw(svg string) error {
	s.SVG = svg
	title := fmt.Sprintf("Precision against recall by sampling: %s, %d documents, %d folds", s.Learner, s.Documents, s.Folds)
	_, err := outfile.Write(svg, func(w io.Writer) error { return chart.WriteLines(w, title, chart.CurvePanels(s.Curves, nil)) })
	if err != nil {
		return fmt.Errorf("write the drawing: %w", err)
	}
	return nil
}

// Write prints recall and precision by sampling setting as text tables.
func (s Sampled) Write(w io.Writer) {
	t := lab.Table(w)
	fmt.Fprint(t, "\t\tspans\t\t\twords\t\t\tnotes that\t\t\n")
	fmt.Fprint(t, "sampling\twords kept\tprecision\trecall\tF1\tprecision\trecall\tF1\tleak\tseconds\t\n")
	for _, row := range s.Settings {
		name := row.Sampling
		name.Seed = 0
		fmt.Fprintf(t, "%s\t%.1f %%\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%d\t%.1f\t\n", cmp.Or(name.String(), trade.AllWords), 100*row.WordsKept,
			row.Entity.Precision, row.Entity.Recall, row.Entity.F1, row.Token.Precision, row.Token.Recall, row.Token.F1, row.DocumentsWithLeak, row.Seconds)
	}
	_ = t.Flush() // a write error shows in the next write
	fmt.Fprintf(w, "%s on %d documents, %d folds, seed %d\n", s.Learner, s.Documents, s.Folds, s.Seed)
	if s.Folded {
		fmt.Fprintln(w, "spans are runs of neighbouring PHI words: this learner does not distinguish labels")
	}
}
