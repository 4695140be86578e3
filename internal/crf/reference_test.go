// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"math"
	"testing"

	"hide/internal/annotate"
	"hide/internal/hospital"
)

// invented are the notes of `hide generate --patients 3 --seed SEED`, with all labels,
// or with only the names, as one label.
func invented(seed uint64, names bool) []sequence {
	var docs []sequence
	for a := range hospital.Generate(hospital.Options{Patients: 3, Seed: seed}) {
		if names {
			var kept []annotate.Span
			for _, s := range a.Spans {
				if s.Label == "PATIENT" || s.Label == "DOCTOR" {
					s.Label = "NAME"
					kept = append(kept, s)
				}
			}
			a.Spans = kept
		}
		docs = append(docs, noteSequence(a))
	}
	return docs
}

// TestTheObjectiveIsCRFsuites: CRFsuite 0.12.2 reaches these values without early
// stopping. If the generator changes, compute them again with
//
//	hide generate --patients 3 --out train.jsonl
//	hide bench crf --in train.jsonl --labels all --dump-attributes train.crf
//	crfsuite learn -m model -a lbfgs -p c2=1 -p max_iterations=10000 -p epsilon=1e-7 -p delta=1e-10 -p period=20 train.crf
//
// and with --labels names.
func TestTheObjectiveIsCRFsuites(t *testing.T) {
	for _, c := range []struct {
		labels string
		want   float64
	}{{"all", 794.976463}, {"names", 190.581511}} {
		_, stats := train(t, invented(1, c.labels == "names"), Options{
			Features: HIDE, Pairs: Observed, AnyTransition: true, MinCount: 1, MinDocuments: 1, C2: 1, Tolerance: 1e-7, MaxIterations: 1000,
		})
		if math.Abs(stats.Objective-c.want) > 1e-4*c.want {
			t.Errorf("%s: objective %.6f after %d iterations, want %.6f", c.labels, stats.Objective, stats.Number, c.want)
		}
	}
}

// TestBayesIsScikitLearns compares with scikit-learn's MultinomialNB on the same
// attributes, as computed by tools/reference/learners.py with our prior.
func TestBayesIsScikitLearns(t *testing.T) {
	for _, c := range []struct {
		alpha, loss float64
		wrong       int
	}{{0.01, 1.19725, 746}, {1, 1.95966, 781}} {
		m, _ := train(t, invented(1, false), Options{Learner: Bayes, Features: HIDE, MinCount: 1, MinDocuments: 1, Alpha: c.alpha})
		loss, wrong, n := 0.0, 0, 0
		for _, d := range invented(2, false) {
			p, labels := m.Marginals(d.view())
			for w := range p {
				right, most := judge(p[w], labels, d.labels[w])
				loss -= math.Log(max(right, 1e-6))
				if n++; !most {
					wrong++
				}
			}
		}
		if loss /= float64(n); math.Abs(loss-c.loss) > 1e-4*c.loss || wrong != c.wrong {
			t.Errorf("alpha %g: log loss %.5f, wrong %d of %d; want %.5f and %d", c.alpha, loss, wrong, n, c.loss, c.wrong)
		}
	}
}

// judge returns the probability of a word's label, "" for none, and whether no other
// label has more.
func judge(p []float64, labels []annotate.Label, truth annotate.Label) (right float64, most bool) {
	none, top := 1.0, 0.0
	for k, v := range p {
		none -= v
		top = max(top, v)
		if labels[k] == truth {
			right = v
		}
	}
	if truth == "" {
		right = none
	}
	return right, right >= max(top, none)
}
