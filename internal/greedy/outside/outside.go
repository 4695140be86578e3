// SPDX-License-Identifier: Apache-2.0

// Package outside makes learners of taggers that were trained elsewhere: a program that
// answers line by line, an LLM server, an ONNX model. Such a tagger is fixed, but its scores
// are seldom probabilities: many say 0 or 1 only. Training fits a sigmoid to its scores of the
// training notes.
//
//	h, err := outside.Calibrate(ctx, tagger, views)
//	p := h.Scores(view) // P(sensitive) of each token
//
// In a cross-fit the sigmoid of a note comes from the notes of other folds, so that two
// numbers at most depend on a note, and neither on its own labels. If the tagger itself was
// trained on the notes, no calibration tells what it misses in others.
package outside

import (
	"context"
	"math"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/linear"
)

// surest is the least probability of either class that a raw score stands for: with 0 and
// 1 as infinite log-odds no other score would count in the fit.
const surest = 1e-4

// Calibrated is a tagger whose scores are probabilities. It is as safe for concurrent use
// as its tagger.
type Calibrated struct {
	raw     greedy.Classifier
	sigmoid linear.Sigmoid
}

var _ greedy.Classifier = (*Calibrated)(nil)

// Calibrate fits P(sensitive) = 1/(1 + exp(-(a f + b))) to the log-odds f of the tagger's
// scores of the training tokens, with Platt's targets (1999). If higher scores do not mean
// more sensitive tokens, every token gets about the share of sensitive ones; with one class
// alone scores stay as they are.
func Calibrate(ctx context.Context, raw greedy.Classifier, views []annotate.View) (*Calibrated, error) {
	var odds []float64
	var sensitive []bool
	for _, v := range views {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for x, p := range raw.Scores(v) {
			if v.InTraining(x) {
				odds, sensitive = append(odds, greedy.LogOdds(p, surest)), append(sensitive, v.Remaining(x))
			}
		}
	}
	return &Calibrated{raw, fit(odds, sensitive)}, ctx.Err()
}

// flat is the slope for scores that tell nothing: it keeps their order.
const flat = 1e-3

func fit(odds []float64, sensitive []bool) linear.Sigmoid {
	left := 0
	for _, s := range sensitive {
		if s {
			left++
		}
	}
	if left == 0 || left == len(sensitive) {
		return linear.Sigmoid{Slope: 1}
	}
	s := linear.FitSigmoid(odds, sensitive)
	if s == linear.FitSigmoid(nil, nil) { // nothing could be fitted
		return linear.Sigmoid{Slope: flat, Shift: math.Log(float64(left) / float64(len(sensitive)-left))}
	}
	return s
}

// Weights is how many numbers training set.
func (c *Calibrated) Weights() int { return 2 }

// Scores implements [greedy.Classifier]. Hidden tokens get 0.
func (c *Calibrated) Scores(v annotate.View) []float64 {
	raw := c.raw.Scores(v)
	out := make([]float64, len(raw))
	for x, p := range raw {
		if !v.Hidden(x) {
			out[x] = c.sigmoid.Probability(greedy.LogOdds(p, surest))
		}
	}
	return out
}

// Hard implements [greedy.Classifier]: probabilities of at least one half.
func (c *Calibrated) Hard(v annotate.View) []bool { return greedy.Likely(c.Scores(v)) }
