// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"

	"hide/internal/crf"
)

// Bayes learns multinomial naive Bayes over the features of the CRF: the attacker
// who decides word by word, and is trained in one pass. The zero value is ready to
// use.
type Bayes struct {
	Options crf.Options // Binary and Learner are implied
}

var _ Learner = Bayes{}

// Name is "bayes".
func (Bayes) Name() string { return "bayes" }

// Train implements [Learner].
func (l Bayes) Train(ctx context.Context, all []View) (Classifier, error) {
	l.Options.Learner = crf.Bayes
	return CRF(l).Train(ctx, all)
}
