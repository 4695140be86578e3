// SPDX-License-Identifier: Apache-2.0

package learn

import (
	"context"

	"hide/internal/greedy"
)

// marksOutOfFold are the hard labels of l for each view by a classifier that was
// trained on other folds; redacted tokens are never marked. Groups are kept whole.
// It returns nil when there is one group only.
func marksOutOfFold(ctx context.Context, l greedy.Learner, views []greedy.View, folds int, seed uint64) ([][]bool, error) {
	fold, n := greedy.Deal(groups(views), folds, seed)
	if n < 2 {
		return nil, nil
	}
	marks := make([][]bool, len(views))
	for f := range n {
		var others []greedy.View
		for i, v := range views {
			if fold[i] != f {
				others = append(others, v)
			}
		}
		h, err := greedy.Fit(ctx, l, others)
		if err != nil {
			return nil, err
		}
		for i, v := range views {
			if fold[i] == f {
				marks[i] = visible(v, h.Hard(v))
			}
		}
	}
	return marks, ctx.Err()
}

func groups(views []greedy.View) []string {
	out := make([]string, len(views))
	for i, v := range views {
		out[i] = v.Group
	}
	return out
}

func visible(v greedy.View, marks []bool) []bool {
	for x := range marks {
		marks[x] = marks[x] && !v.Hidden(x)
	}
	return marks
}
