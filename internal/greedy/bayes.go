// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"

	"hide/internal/annotate"
	"hide/internal/crf"
)

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
func (l Bayes) Share() (Workshop, error) {
	l.Options.Learner = crf.Bayes
	return CRF(l).Share()
}
