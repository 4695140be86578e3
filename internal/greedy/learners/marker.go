// SPDX-License-Identifier: Apache-2.0

package learners

import (
	"context"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/crf/trade"
)

// PredictsLabels reports whether the learner of a name tells labels from each other in the
// curves of what sampling trades. All others need a [Marker] there.
func PredictsLabels(name string) bool { return name == string(crf.Chain) || name == string(crf.Bayes) }

// Markers are the names of those others, in the order of the table.
func Markers() []string { return slices.DeleteFunc(Names(), PredictsLabels) }

// Marker is the learner of a name, trained on notes with one sampling after the other.
func Marker(name string, notes []annotate.Annotated, o Options) (*trade.Marker, error) {
	if _, err := New(name, o); err != nil {
		return nil, err
	}
	docs := make([]annotate.Note, len(notes))
	for i, n := range notes {
		docs[i] = annotate.NewNote(n)
	}
	return &trade.Marker{Name: name, Marks: func(ctx context.Context, s crf.Sampling, fold []int, folds int) ([][]bool, error) {
		o := o
		o.CRF.Sampling = s
		l, err := New(name, o)
		if err != nil {
			return nil, err
		}
		return Marks(ctx, l, docs, fold, folds)
	}}, nil
}
