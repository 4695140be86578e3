// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"fmt"

	"hide/internal/greedy"
	"hide/internal/greedy/audit"
	"hide/internal/greedy/drift"
	"hide/internal/words"
)

// fewDocuments is how many finished documents are needed for reliable figures.
const fewDocuments = 50

// EnoughDocuments reports how many of the finished documents are enough for reliable
// figures.
func EnoughDocuments(documents int) int { return min(fewDocuments, documents) }

// leastOdds is the factor of raised odds from which on a warning appears. Below 1.05 a
// probability of a half becomes less than 0.513, which redacts almost nothing more.
const leastOdds = 1.05

// Warnings are the reasons for caution about the run's figures, in words. Pages, the
// command line and releases give the same ones.
func (r *Run) Warnings() []string {
	out := r.countedWarnings()
	if r.Changed {
		out = append(out, "Documents have changed since this run, so its figures are out of date. Start a new run before you publish.")
	}
	if r.Params.Mode == greedy.Paper {
		out = append(out, "These counts come from the training documents. In other text, much more PHI remains: hide's default mode measures that.")
	}
	if r.Documents < fewDocuments {
		out = append(out, fmt.Sprintf("Only %s: the intervals are wide, and rare labels may be missing. Finish at least %d.", words.Count(r.Documents, "finished note", "finished notes"), fewDocuments))
	}
	switch {
	case r.Random == r.Documents:
	case r.Measured == r.Random:
		out = append(out, fmt.Sprintf("%d of the %d finished notes are a random sample, and the figures come from these alone. The others were chosen for their content: models are trained on them, but figures from them would be several times too high or too low.", r.Random, r.Documents))
	default:
		out = append(out, r.fewRandom()+" Figures from other notes do not carry over to the rest of the project: they may be several times too high or too low. "+
			"Annotate notes in the order of the queue, or mark imported random notes as a random sample (--random-sample, or the checkbox on the page).")
	}
	if r.Attuned >= leastOdds {
		out = append(out, fmt.Sprintf("The notes to be published seem to hold more PHI than the annotated notes, so odds were raised by a factor of %.3g (prior-shift correction). More words are redacted than was measured. The figures and the no-profitable-attack check do not include this.", r.Attuned))
	}
	return append(out, r.driftWarnings()...)
}

// fewRandom states how few of the notes were drawn at random.
func (r *Run) fewRandom() string {
	if r.Random == 0 {
		return fmt.Sprintf("None of the %d finished notes is from a random sample.", r.Documents)
	}
	return fmt.Sprintf("The random sample has %d of the %d finished notes, too few for reliable figures.", r.Random, r.Documents)
}

// driftWarnings state how the other documents differ from the measured ones. Releases
// repeat them, so they name no institution.
func (r *Run) driftWarnings() []string {
	if r.Drift == nil {
		return nil
	}
	var out []string
	if r.Drift.Warns() {
		out = append(out, "The notes to be published differ from the measured notes, so the figures do not hold for them. "+adviceWords(r.Gains()))
		out = append(out, r.Drift.All.Sentences()...)
	}
	return append(out, sourceWarnings(r.Drift.Sources)...)
}

// sourceWarnings distinguish institutions with annotated notes, whose other notes may
// differ, from institutions with hardly any annotated note.
func sourceWarnings(sides []drift.Side) (out []string) {
	own, differ, others, foreign := 0, 0, 0, 0
	for _, s := range sides {
		if !s.Annotated {
			others, foreign = others+1, foreign+s.Target
			continue
		}
		own++
		if s.Warns() {
			differ++
		}
	}
	if differ > 0 {
		out = append(out, fmt.Sprintf("At %d of %s with annotated notes, the notes to be published differ from the annotated ones.", differ, words.Count(own, "institution", "institutions")))
	}
	if others > 0 {
		out = append(out, fmt.Sprintf("Hardly any note is annotated from %s with notes to be published: %s of the compared notes.", words.Count(others, "institution", "institutions"), words.Number(foreign)))
	}
	return out
}

// adviceWords state the expected effect of annotating some of the differing notes.
func adviceWords(gains []audit.Gain) string {
	ten, thirty := gains[0], gains[1]
	return fmt.Sprintf("Annotate 10 to 30 of them. 10 are expected to leave %.0f to %.0f %% of the residual PHI, 30 to leave %.0f to %.0f %%.",
		100*ten.Low, 100*ten.High, 100*thirty.Low, 100*thirty.High)
}
