// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"hide/internal/annotate"
)

// Fit trains l on views of which some may have no tokens, and all tokens may be
// of one kind: then the classifier says that kind of every token, without asking
// l. Learners that train others call it.
func Fit(ctx context.Context, l Learner, views []annotate.View) (Classifier, error) {
	return train(ctx, l, views)
}
