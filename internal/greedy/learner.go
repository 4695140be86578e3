// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"bytes"
	"context"
	"fmt"

	"hide/internal/annotate"
	"hide/internal/crf"
)

// Learner is an algorithm that chooses a classifier from its hypothesis class.
// Implementations are deterministic and safe for concurrent use.
type Learner interface {
	Name() string
	// Train trains a classifier for the tokens that are sensitive and visible,
	// [View.Remaining]. Both classes occur among the views. It returns ctx's error soon
	// after ctx ends.
	Train(ctx context.Context, views []annotate.View) (Classifier, error)
}

// Classifier is one h. It is immutable and safe for concurrent use.
type Classifier interface {
	// Scores returns P(sensitive) in [0, 1] for each token. It must not read Sensitive or
	// Span, nor the words that v hides.
	Scores(v annotate.View) []float64
	// Hard returns the most accurate labels, which need not be Scores >= 1/2.
	Hard(v annotate.View) []bool
}

// always is the classifier for a training set with only one class.
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

// train calls l, unless there is only one class. Documents without tokens are left out.
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

// countRemaining counts the tokens that a learner is to find, and all tokens: redacted
// ones are among the others, as placeholders.
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

// Accepted is one classifier of H and the rule that turns its scores into marks.
type Accepted struct {
	Learner    string     // name of its learner
	Classifier Classifier // [*Model] if the learner was [CRF]
	Threshold  float64    // marks tokens with P(sensitive) >= Threshold
	Prices     Prices     // the odds of P(sensitive) are divided by these first; nil for none
	Hard       bool       // marks by hard labels instead, as in the papers
	Whole      bool       // reads the original document, not the text left by earlier classifiers
}

// marks are the visible tokens that the classifier marks in views that are published
// together.
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

// Likely marks the tokens that are sensitive with a probability of at least one half.
func Likely(scores []float64) []bool { return atLeast(scores, 0.5) }

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

// Redact returns which tokens of d are redacted. Each classifier that is not
// [Accepted.Whole] reads the text left by the ones before it, with [Placeholder] for the
// rest, exactly as in training. It does not read the annotation of d.
func (e Ensemble) Redact(d annotate.Note) []bool { return e.RedactAll([]annotate.Note{d})[0] }

// RedactAll is [Ensemble.Redact] of documents that are published together: evidence of a
// [BatchClassifier] in one of them counts in the others.
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

// CRF learns a linear-chain CRF over whole documents. All labels are folded into
// one: labels make no difference to which tokens are sensitive. The zero
// value is ready to use.
type CRF struct {
	Options crf.Options // Binary is implied; Sampling is by the categories of tokens, as [Sample] does it
}

var (
	_ Keeper = CRF{}
	_ Sharer = CRF{}
)

// Name is "crf".
func (CRF) Name() string { return "crf" }

// Train implements [Learner].
func (l CRF) Train(ctx context.Context, all []annotate.View) (Classifier, error) {
	m, _, err := crf.Train(ctx, Sample(all, l.Options.Sampling), l.binary())
	if err != nil {
		return nil, err
	}
	return &Model{m}, nil
}

func (l CRF) binary() crf.Options {
	o := l.Options
	o.Binary, o.Sampling = true, crf.Sampling{} // tokens are left out before labels are folded
	return o
}

// Share implements [Sharer].
func (l CRF) Share() (SharedTraining, error) {
	known, err := crf.NewLibrary(l.binary())
	if err != nil {
		return nil, err
	}
	return crfShared{known, l.Options.Sampling}, nil
}

// crfShared is the [SharedTraining] of [CRF].
type crfShared struct {
	known    *crf.Library
	sampling crf.Sampling
}

func (s crfShared) Train(ctx context.Context, all []annotate.View) (Classifier, error) {
	m, _, err := s.known.Train(ctx, Sample(all, s.sampling))
	if err != nil {
		return nil, err
	}
	return &Model{m}, nil
}

func (s crfShared) Predict(ctx context.Context, h Classifier, all []annotate.View) ([][]float64, [][]bool, error) {
	m, is := h.(*Model)
	if !is {
		return nil, nil, errForeignClassifier
	}
	return s.known.Label(ctx, m.CRF, all)
}

func (s crfShared) Close() { s.known.Close() }

// EncodeClassifier implements [Keeper].
func (CRF) EncodeClassifier(h Classifier) ([]byte, error) {
	m, is := h.(*Model)
	if !is {
		return nil, fmt.Errorf("a %T is not a model", h)
	}
	var out bytes.Buffer
	err := m.CRF.Encode(&out)
	return out.Bytes(), err
}

// DecodeClassifier implements [Keeper].
func (CRF) DecodeClassifier(value []byte) (Classifier, error) {
	m, err := crf.Decode(bytes.NewReader(value))
	if err != nil {
		return nil, err
	}
	return &Model{m}, nil
}

// Model is a CRF as a [Classifier]: scores are marginals, hard labels the most
// probable path.
type Model struct{ CRF *crf.Model }

var _ Classifier = (*Model)(nil)

// Scores implements [Classifier].
func (m *Model) Scores(v annotate.View) []float64 { return m.CRF.Sensitive(v) }

// Weights is how many weights training set.
func (m *Model) Weights() int { return m.CRF.Weights() }

// Hard implements [Classifier].
func (m *Model) Hard(v annotate.View) []bool { return m.CRF.Inside(v) }

// Bayes learns multinomial naive Bayes over the features of the CRF: the attacker
// who decides word by word, and is trained in one pass. The zero value is ready to
// use.
type Bayes struct {
	Options crf.Options // Binary and Learner are implied
}

var (
	_ Keeper = Bayes{}
	_ Sharer = Bayes{}
)

// Name is "bayes".
func (Bayes) Name() string { return "bayes" }

// EncodeClassifier implements [Keeper].
func (l Bayes) EncodeClassifier(h Classifier) ([]byte, error) { return CRF(l).EncodeClassifier(h) }

// DecodeClassifier implements [Keeper].
func (l Bayes) DecodeClassifier(value []byte) (Classifier, error) {
	return CRF(l).DecodeClassifier(value)
}

// Train implements [Learner].
func (l Bayes) Train(ctx context.Context, all []annotate.View) (Classifier, error) {
	l.Options.Learner = crf.Bayes
	return CRF(l).Train(ctx, all)
}

// Share implements [Sharer].
func (l Bayes) Share() (SharedTraining, error) {
	l.Options.Learner = crf.Bayes
	return CRF(l).Share()
}
