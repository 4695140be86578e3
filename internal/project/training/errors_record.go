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

// modelCheckKey is where the last check stands, beside the newest model.
var modelCheckKey = []byte("check")

// errorsKept bounds what a check remembers. Of more, those that leak most stay.
const errorsKept = 5_000

// checkRecord is the last check of a model. It holds places, never text.
type checkRecord struct {
	At        time.Time         `json:"at"`
	Model     int               `json:"model"`     // the newest when the check was made
	Documents int               `json:"documents"` // that were tagged; Report may be of the random ones alone
	Folds     int               `json:"folds"`
	Random    bool              `json:"random"` // Report is of randomly chosen documents only
	Report    score.Report      `json:"report"`
	Bias      bootstrap.Bias    `json:"bias"`
	Wrong     int               `json:"wrong"`  // errors found, of which Errors may be a part
	Errors    []checkedError    `json:"errors"` // by document and place
	Read      []checkedDocument `json:"read"`   // the documents that Errors are in
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

// keep remembers where errors are in the documents of c.
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

// worst are those that leak most, as many as are kept, in the order given.
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
