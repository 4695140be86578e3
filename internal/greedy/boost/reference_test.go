// SPDX-License-Identifier: Apache-2.0

package boost

import (
	"math"
	"testing"
)

// fiftieths are the rows of tools/reference/learners.py, which says what
// scikit-learn 1.2.1 comes to on them.
func fiftieths(n int, state uint32) (Matrix, []bool) {
	x, y := make(Matrix, 6), make([]bool, n)
	for c := range x {
		x[c] = make([]float32, n)
	}
	for r := range n {
		u := [6]float64{}
		for c := range u {
			state = 1664525*state + 1013904223
			u[c] = float64((state>>16)*50>>16) / 50
			x[c][r] = float32(u[c])
		}
		y[r] = (u[0]+u[1]*u[2] > 0.8) != (u[3] > 0.9)
	}
	return x, y
}

// errorsOf are the mean log loss and how many rows are taken for the other kind.
func errorsOf(m *Model, x Matrix, y []bool) (loss float64, wrong int) {
	for r, z := range m.LogOdds(x) {
		if (z > 0) != y[r] {
			wrong++
		}
		if !y[r] {
			z = -z
		}
		loss += math.Log1p(math.Exp(-z)) / float64(len(y))
	}
	return loss, wrong
}

// TestBoostedTreesAreAsGoodAsScikitLearns: its HistGradientBoostingClassifier with the
// same trees, leaves, rate and penalty has a log loss of .1270 and 53 wrong of 1,000.
func TestBoostedTreesAreAsGoodAsScikitLearns(t *testing.T) {
	x, y := fiftieths(1000, 1)
	test, truth := fiftieths(1000, 2)
	m := mustTrain(t, x, y, Options{Trees: 100, Leaves: 8, Rate: 0.1, L2: 1, MinHessian: 1e-3})
	if loss, wrong := errorsOf(m, test, truth); math.Abs(loss-0.1270) > 0.005 || wrong > 53+7 {
		t.Errorf("log loss %.4f, wrong %d of %d", loss, wrong, len(truth))
	}
}

// TestAdaBoostIsAsGoodAsScikitLearns: its AdaBoostClassifier has, with 100 stumps, 135
// wrong of what it trained on and 187 of as many others; with trees of four leaves 9
// and 75.
func TestAdaBoostIsAsGoodAsScikitLearns(t *testing.T) {
	x, y := fiftieths(1000, 1)
	test, truth := fiftieths(1000, 2)
	for _, c := range []struct{ leaves, learnt, others int }{{2, 135, 187}, {4, 9, 75}} {
		m, err := AdaBoost(t.Context(), x, y, AdaOptions{Rounds: 100, Leaves: c.leaves})
		if err != nil {
			t.Fatal(err)
		}
		_, learnt := errorsOf(m, x, y)
		_, others := errorsOf(m, test, truth)
		if learnt > c.learnt+10 || others > c.others+10 || learnt < c.learnt-10 {
			t.Errorf("%d leaves: wrong %d of those learnt from, %d of the others", c.leaves, learnt, others)
		}
	}
}
