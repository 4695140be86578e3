// SPDX-License-Identifier: Apache-2.0

package greedy

// Accepted is one classifier of H and how its scores become marks.
type Accepted struct {
	Learner    string     // name of the learner it came from
	Classifier Classifier // [*Model] when the learner was [CRF]
	Threshold  float64    // marks tokens with P(sensitive) >= Threshold
	Hard       bool       // marks by hard labels instead, as in the papers
	Whole      bool       // reads the document as it is, not what those before it left
}

// marks are the tokens of v that the classifier marks, hidden ones excluded.
func (a Accepted) marks(v View) []bool {
	if a.Hard {
		return visible(v, a.Classifier.Hard(v))
	}
	return visible(v, atLeast(a.Classifier.Scores(v), a.Threshold))
}

func atLeast(scores []float64, threshold float64) []bool {
	out := make([]bool, len(scores))
	for i, s := range scores {
		out[i] = s >= threshold
	}
	return out
}

func visible(v View, marks []bool) []bool {
	for i := range marks {
		marks[i] = marks[i] && !v.Hidden(i)
	}
	return marks
}

// Ensemble is H = h_1..h_D in the order in which they were learnt.
type Ensemble []Accepted

// Redact returns which tokens of d are not published. Each classifier that is not
// [Accepted.Whole] reads what those before it left, with [Placeholder] in place of
// the rest, exactly as it did when it was learnt. Only Text, Tokens and Words of d are used.
func (e Ensemble) Redact(d Doc) []bool {
	mask := make([]bool, len(d.Words))
	for _, a := range e {
		v := View{&d, mask}
		if a.Whole {
			v.Redacted = nil
		}
		mask = union(mask, a.marks(v))
	}
	return mask
}
