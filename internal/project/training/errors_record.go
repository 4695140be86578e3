// SPDX-License-Identifier: Apache-2.0

package training

import (
	"cmp"
	"slices"
	"time"

	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/crf/score"
	"hide/internal/project"
)

// modelCheckKey is the key of the last check, next to the newest model.
var modelCheckKey = []byte("check")

// errorsKept limits the stored errors of a check. If there are more, those with the most
// missed words stay.
const errorsKept = 5_000

// checkRecord is the last check of a model. It holds places, never text.
type checkRecord struct {
	At        time.Time         `json:"at"`
	Model     int               `json:"model"`     // the newest one at the time of the check
	Documents int               `json:"documents"` // number of tagged documents; Report may cover only the random ones
	Folds     int               `json:"folds"`
	Random    bool              `json:"random"` // Report covers only random documents
	Report    score.Report      `json:"report"`
	Bias      bootstrap.Bias    `json:"bias"`
	Wrong     int               `json:"wrong"`  // errors found; Errors may hold only some of them
	Errors    []checkedError    `json:"errors"` // by document and place
	Read      []checkedDocument `json:"read"`   // the documents of Errors
}

type checkedDocument struct {
	ID       annotate.DocumentID `json:"id"`
	Revision int                 `json:"revision"` // of its layer when it was checked
}

// checkedError is a [score.Error]; Document is an index of checkRecord.Read.
type checkedError struct {
	Document int              `json:"document"`
	Kind     score.Kind       `json:"kind"`
	Start    annotate.ByteOff `json:"start"`
	End      annotate.ByteOff `json:"end"`
	Label    annotate.Label   `json:"label"`
	Reason   score.Reason     `json:"reason"`
	Leaks    int              `json:"leaks"`
	Score    float64          `json:"score"`
}

// keep stores where the errors in the documents of c are.
func (r *checkRecord) keep(c project.Corpus, wrong []score.Error) {
	r.Wrong = len(wrong)
	read := map[int]int{}
	for _, e := range worst(wrong) {
		at, known := read[e.Document]
		if !known {
			at = len(r.Read)
			read[e.Document] = at
			r.Read = append(r.Read, checkedDocument{c.Docs[e.Document].ID, c.Docs[e.Document].Revision})
		}
		r.Errors = append(r.Errors, checkedError{at, e.Kind, e.Span.Start, e.Span.End, e.Span.Label, e.Reason, e.Leaks, e.Score})
	}
}

// worst selects the errors with the most missed words, as many as are kept, in the given
// order.
func worst(all []score.Error) []score.Error {
	if len(all) <= errorsKept {
		return all
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[b].Leaks, all[a].Leaks) })
	order = order[:errorsKept]
	slices.Sort(order)
	out := make([]score.Error, errorsKept)
	for i, at := range order {
		out[i] = all[at]
	}
	return out
}

func (e checkedError) error() score.Error {
	return score.Error{
		Document: e.Document, Kind: e.Kind, Span: annotate.Span{Start: e.Start, End: e.End, Label: e.Label},
		Reason: e.Reason, Leaks: e.Leaks, Score: e.Score,
	}
}
