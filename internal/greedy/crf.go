// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"bytes"
	"context"
	"fmt"

	"hide/internal/annotate"
	"hide/internal/crf"
)

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
