// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"fmt"

	"hide/internal/annotate"
)

// Learner is an algorithm that picks a classifier from its hypothesis class.
// Implementations are deterministic and safe for concurrent use.
type Learner interface {
	Name() string
	// Train learns which tokens are sensitive and still there, [View.Missed].
	// Both kinds occur among the views. It returns ctx's error soon after ctx
	// ends.
	Train(ctx context.Context, views []annotate.View) (Classifier, error)
}

// Classifier is one h. It is immutable and safe for concurrent use.
type Classifier interface {
	// Scores gives P(sensitive) in [0, 1] for each token. It must not look at
	// Sensitive or Span, nor at the words that v hides.
	Scores(v annotate.View) []float64
	// Hard gives the most accurate labels the classifier knows, which need not
	// be Scores >= 1/2.
	Hard(v annotate.View) []bool
}

// always is the classifier of a training set with only one kind of token.
type always bool

func (a always) Scores(v annotate.View) []float64 {
	out := make([]float64, len(v.Words))
	if a {
		for i := range out {
			out[i] = 1
		}
	}
	return out
}

func (a always) Hard(v annotate.View) []bool {
	out := make([]bool, len(v.Words))
	for i := range out {
		out[i] = bool(a)
	}
	return out
}

// train asks l, unless there is nothing to tell apart. Documents without tokens
// are left out.
func train(ctx context.Context, l Learner, all []annotate.View) (Classifier, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	kept := make([]annotate.View, 0, len(all))
	for _, v := range all {
		if len(v.Words) > 0 {
			kept = append(kept, v)
		}
	}
	if left, tokens := countRemaining(kept); left == 0 || left == tokens {
		return always(left > 0), nil
	}
	h, err := l.Train(ctx, kept)
	if err != nil {
		return nil, fmt.Errorf("train %s on %d documents: %w", l.Name(), len(kept), err)
	}
	return h, nil
}

// countRemaining counts the tokens that a learner is to find, and all: a redacted one is
// there to be told from them, as what it reads as.
func countRemaining(all []annotate.View) (left, tokens int) {
	for _, v := range all {
		tokens += len(v.Words)
		for i := range v.Words {
			if v.Remaining(i) {
				left++
			}
		}
	}
	return left, tokens
}

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
