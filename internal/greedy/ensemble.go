// SPDX-License-Identifier: Apache-2.0

package greedy

import "hide/internal/annotate"

// Accepted is one classifier of H and how its scores become marks.
type Accepted struct {
	Learner    string     // name of the learner it came from
	Classifier Classifier // [*Model] when the learner was [CRF]
	Threshold  float64    // marks tokens with P(sensitive) >= Threshold
	Prices     Prices     // by which the odds of P(sensitive) are divided first; nil for none
	Hard       bool       // marks by hard labels instead, as in the papers
	Whole      bool       // reads the document as it is, not what those before it left
}

// marks are the tokens of views that are published together that the classifier
// marks, hidden ones excluded.
func (a Accepted) marks(all []annotate.View) [][]bool {
	out := make([][]bool, len(all))
	if a.Hard {
		for i, hard := range HardAll(a.Classifier, all) {
			out[i] = visible(all[i], hard)
		}
		return out
	}
	for i, scores := range ScoreAll(a.Classifier, all) {
		out[i] = visible(all[i], atLeast(a.Prices.priced(all[i].Words, scores), a.Threshold))
	}
	return out
}

func atLeast(scores []float64, threshold float64) []bool {
	out := make([]bool, len(scores))
	for i, s := range scores {
		out[i] = s >= threshold
	}
	return out
}

func visible(v annotate.View, marks []bool) []bool {
	for i := range marks {
		marks[i] = marks[i] && !v.Hidden(i)
	}
	return marks
}

// Ensemble is H = h_1..h_D in the order in which they were trained.
type Ensemble []Accepted

// Redact returns which tokens of d are not published. Each classifier that is not
// [Accepted.Whole] reads what those before it left, with [Placeholder] in place of
// the rest, exactly as it did when it was trained. Annotation of d is not looked at.
func (e Ensemble) Redact(d annotate.Note) []bool { return e.RedactAll([]annotate.Note{d})[0] }

// RedactAll is [Ensemble.Redact] of documents that are published together: what a
// [BatchClassifier] trains on one of them counts in the others.
func (e Ensemble) RedactAll(docs []annotate.Note) [][]bool {
	masks := nothing(docs)
	for _, a := range e {
		all := views(docs, masks)
		if a.Whole {
			all = views(docs, make([][]bool, len(docs)))
		}
		for i, marks := range a.marks(all) {
			masks[i] = union(masks[i], marks)
		}
	}
	return masks
}
