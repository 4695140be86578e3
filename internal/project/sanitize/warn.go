// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"fmt"

	"hide/internal/greedy"
	"hide/internal/greedy/audit"
	"hide/internal/greedy/drift"
	"hide/internal/words"
)

// fewDocuments is how many finished documents figures need to be taken at their
// word.
const fewDocuments = 50

// EnoughDocuments is how many of the finished documents are enough to be measured
// on.
func EnoughDocuments(documents int) int { return min(fewDocuments, documents) }

// tellAttuned is from which factor on raised odds are told: below 1.05 a probability of
// a half becomes less than 0.513, which redacts next to nothing more.
const tellAttuned = 1.05

// Warnings are the reasons not to take the run's figures as they stand, in
// words. Pages, the command line and releases give the same ones.
func (r *Run) Warnings() []string {
	out := r.countedWarnings()
	if r.Changed {
		out = append(out, "Documents have changed since this run: the figures are of an earlier state. Start a new run before you publish.")
	}
	if r.Params.Mode == greedy.Paper {
		out = append(out, "These counts come from documents that the classifiers have seen. In text they have not seen, many more names stay: hide's default mode measures that.")
	}
	if r.Documents < fewDocuments {
		out = append(out, fmt.Sprintf("Only %s: the intervals are wide, and rare kinds of names may not occur at all. Finish at least %d.", words.Count(r.Documents, "finished note", "finished notes"), fewDocuments))
	}
	switch {
	case r.Random == r.Documents:
	case r.Measured == r.Random:
		out = append(out, fmt.Sprintf("%d of the %d finished notes are a random sample, and the figures are of these alone. The others were picked for what they hold: models learn from them, but figures from them would be several times too high or too low.", r.Random, r.Documents))
	default:
		out = append(out, r.fewRandom()+" Figures from notes chosen in another way do not carry over to the rest of the project: they may be several times too high or too low. "+
			"Annotate notes in the order in which the queue hands them out, or import notes that were drawn at random as such (with --random-sample, or its tick on the page).")
	}
	if r.Attuned >= tellAttuned {
		out = append(out, fmt.Sprintf("Notes to be published seem to have more that is sensitive than those annotated: odds were raised %.3g times. More is redacted than was measured, so fewer words stay; the figures and the certificate are without it.", r.Attuned))
	}
	return append(out, r.driftWarnings()...)
}

// fewRandom says how few of the notes were drawn at random.
func (r *Run) fewRandom() string {
	if r.Random == 0 {
		return fmt.Sprintf("None of the %d finished notes is from a random sample.", r.Documents)
	}
	return fmt.Sprintf("%d of the %d finished notes are a random sample, too few for figures of their own.", r.Random, r.Documents)
}

// driftWarnings say how the other documents differ from those measured. A release
// carries them along, so they name no institution.
func (r *Run) driftWarnings() []string {
	if r.Drift == nil {
		return nil
	}
	var out []string
	if r.Drift.Warns() {
		out = append(out, "The notes to be published are not like those that the figures are from: the figures do not hold for them. "+adviceWords(r.Gains()))
		out = append(out, r.Drift.All.Sentences()...)
	}
	return append(out, sourceWarnings(r.Drift.Sources)...)
}

// sourceWarnings tell the institutions that annotated notes are from, whose notes may
// differ from those annotated there, from the others, which may differ from all.
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
		out = append(out, fmt.Sprintf("The notes to be published of %d of the %s that annotated notes are from differ from those annotated there.", differ, words.Count(own, "institution", "institutions")))
	}
	if others > 0 {
		out = append(out, fmt.Sprintf("Hardly any annotated note is from %s whose notes are to be published: %s of the notes compared.", words.Count(others, "institution", "institutions"), words.Number(foreign)))
	}
	return out
}

// adviceWords say what annotating notes like those to be published is expected to
// do.
func adviceWords(gains []audit.Gain) string {
	ten, thirty := gains[0], gains[1]
	return fmt.Sprintf("Annotate 10 to 30 of them: 10 are expected to leave %.0f to %.0f %% of what would stay readable now, 30 to leave %.0f to %.0f %%.",
		100*ten.Low, 100*ten.High, 100*thirty.Low, 100*thirty.High)
}
