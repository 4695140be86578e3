// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/drift"
	"hide/internal/greedy/local"
	"hide/internal/project"
	"hide/internal/store"
	"hide/internal/words"
)

// Foretold is what the annotated notes of the kind to be published bring at one L/C, measured
// on these notes, and what more of them would bring.
type Foretold struct {
	LC float64            `json:"lc"`
	At []local.Prediction `json:"at"` // by number of notes; the first is as many as there are
}

// moreLocal are the numbers of local notes for which a run says what they would bring.
var moreLocal = []int{30, 100}

// foretell measures what the local notes annotated so far bring, after a drift warning. These
// are the notes that an earlier run advised to annotate, and those of the institutions whose
// notes differ.
func (s *Service) foretell(ctx context.Context, ws *workspace, c project.Corpus, p Params, params greedy.Params) error {
	r, _ := ws.run.State()
	if !r.Drift.Warns() {
		return nil
	}
	advised, err := s.advised(ws)
	if err != nil {
		return err
	}
	d := divideLocal(c, toSanitize(c, p.Labels), advised, strangeSources(r.Drift))
	if len(d.elsewhere) == 0 {
		return nil
	}
	learner := params.First
	if learner == nil {
		learner = params.Learners[0]
	}
	tell := func(done, total int) {
		s.sanitizeEvent(ws, c, greedy.Event{Doing: "measuring what local notes bring", Share: shareComparing, Step: done, Steps: total}, foundAt{})
	}
	curve, err := local.Measure(ctx, d.elsewhere, d.notes, d.random, local.Options{Learner: learner, Workers: params.Workers, Seed: params.Seed, Progress: tell})
	if errors.Is(err, local.ErrFew) {
		return nil
	}
	if err != nil {
		return err
	}
	ws.run.Change(func(r *Run) { r.Foretold = foretold(curve, r.Choices, len(d.notes)) })
	return nil
}

func foretold(curve *local.Curve, choices []Result, notes int) (out []Foretold) {
	at := []int{notes}
	for _, n := range moreLocal {
		if n > notes {
			at = append(at, n)
		}
	}
	for _, c := range choices {
		out = append(out, Foretold{c.LC, curve.Predict(c.LC, at...)})
	}
	return out
}

// advised are the notes that runs advised to annotate; true for those drawn at random.
func (s *Service) advised(ws *workspace) (map[annotate.DocumentID]bool, error) {
	out := map[annotate.DocumentID]bool{}
	err := s.projects.View(ws.ID, func(tx *store.Tx) error {
		runs, err := store.ListJSON[Run](tx, bucketRuns)
		for _, r := range runs {
			for _, doc := range r.Local {
				out[doc] = out[doc] || slices.Contains(r.Drawn, doc)
			}
		}
		return err
	})
	return out, err
}

// divided are the notes of the kind to be published, with whether they were drawn at random,
// and the others.
type divided struct {
	notes, elsewhere []annotate.Note
	random           []bool
}

func divideLocal(c project.Corpus, docs []annotate.Note, advised map[annotate.DocumentID]bool, strange map[string]bool) (out divided) {
	for i, d := range docs {
		drawn, listed := advised[d.ID]
		if listed || strange[drift.SourceOf(d.Attributes)] {
			out.notes, out.random = append(out.notes, d), append(out.random, drawn || c.Random[i])
		} else {
			out.elsewhere = append(out.elsewhere, d)
		}
	}
	return out
}

// strangeSources are those with hardly any annotated note. If there are none, they are those
// that raise the warning.
func strangeSources(r *drift.Report) map[string]bool {
	strange := sourcesThat(r.Sources, func(s drift.Side) bool { return !s.Annotated })
	if len(strange) == 0 {
		strange = sourcesThat(r.Sources, drift.Side.Warns)
	}
	return strange
}

// adviceWords say what annotating some of the differing notes brings, as far as it is known.
func (r *Run) adviceWords() string {
	if len(r.Foretold) == 0 {
		return fmt.Sprintf("Annotate 10 to 30 of them, then start another run. How much this helps here is unknown: a run measures it once %d random ones, of at least %d patients, are annotated.", local.Least, local.LeastGroups)
	}
	f := r.Foretold[len(r.Foretold)-1]
	out := fmt.Sprintf("Measured after %s like them, at L/C %s: %s of the sensitive words are missed and %s of the others kept", words.Count(f.At[0].Notes, "annotated note", "annotated notes"), ratio(f.LC), RangeWords(f.At[0].Missed), RangeWords(f.At[0].Kept))
	for _, p := range f.At[1:] {
		out += fmt.Sprintf("; with %d such notes %s missed and %s kept", p.Notes, RangeWords(p.Missed), RangeWords(p.Kept))
	}
	return out + ". More of these notes narrow that down."
}

// RangeWords: "1.2 to 3.4 %".
func RangeWords(r local.Range) string {
	decimals := 1
	if r.High < 0.01 {
		decimals = 2
	}
	return words.PercentDigits(r.Low, decimals) + " to " + words.PercentDigits(r.High, decimals) + " %"
}
