// SPDX-License-Identifier: Apache-2.0

// Package boost trains a two-class classifier: a sum of small decision trees over a
// table of numbers.
//
//	model, err := boost.Train(ctx, columns, sensitive, boost.Options{})
//	logOdds := model.LogOdds(columns)
//
// [Train] is gradient boosting of the logistic loss with Newton steps (Friedman 2001;
// Chen and Guestrin 2016) on histograms: each column is cut into at most 256 bins, and
// trees grow leaf by leaf, best gain first. [AdaBoost] is the discrete and the real
// algorithm (Freund and Schapire 1997; Friedman, Hastie and Tibshirani 2000) over the
// same trees.
//
// With the logistic loss, g = w (p - y) and h = w p (1-p) are the first and second
// derivative of a row. A leaf with the sums G and H has the value -G/(H + L2), and a
// split of it into two gains
//
//	G1^2/(H1 + L2) + G2^2/(H2 + L2) - G^2/(H + L2).
//
// # Why are results independent of the number of workers?
//
// Each g and h is rounded to 2^-18 of the largest, so histograms are sums of integers,
// equal in any order, and a sibling's histogram is its parent's minus its own. Columns
// of few bins share one histogram. Values of leaves are summed in floating point, row by
// row.
//
// # How are rows scored?
//
// Without walking: see leafSets. On amd64 with AVX2 assembly compares 32 rows with a
// threshold at once; elsewhere Go does. Trees of many leaves are walked. Each way gives the
// same bits, because values are summed in the order of the trees.
package boost

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// AdaOptions say how [AdaBoost] boosts. The zero value of each field stands for
// its default.
type AdaOptions struct {
	Rounds  int  // 0 means 150
	Leaves  int  // of a tree; 0 means 2: stumps
	Bins    int  // of a column, from 2 to 256; 0 means 256
	Real    bool // trees say how sure they are (Real AdaBoost); otherwise they vote (SAMME)
	Workers int  // 0 means GOMAXPROCS; the result does not depend on it

	// Weight is the first weight of a row that is true, relative to the others; 0 means 1.
	// With it the loss is sum c exp(-y F), where c is Weight for rows that are true: the
	// cost-generalized AdaBoost of Landesa-Vazquez and Alba-Castro (2012).
	Weight float64
}

// AdaBoost boosts the exponential loss sum w exp(-y F), y = +1 for rows that are
// true and -1 for the rest. Each round fits a tree to the rows' present weights by
// least squares, which for two kinds is the Gini criterion. With e the weight of
// the rows that it gets wrong, of 1, a tree h that votes -1 or +1 has the weight
//
//	alpha = log((1-e)/e)/2,
//
// and a leaf of Real AdaBoost, of which the share p is true, has log(p/(1-p))/2.
// F is half the log-odds (Friedman, Hastie and Tibshirani 2000, result 1), so that
// the model's values are twice those above. It ends early when a tree is no better
// than chance, or never wrong; without any tree the model says what all rows say.
func AdaBoost(ctx context.Context, x Matrix, y []bool, o AdaOptions) (*Model, error) {
	common := Options{Trees: o.Rounds, Leaves: orElse(o.Leaves, 2), Bins: o.Bins, Workers: o.Workers, Weight: o.Weight}.withDefaults()
	if err := errors.Join(common.check(), checkRows(x, y)); err != nil {
		return nil, fmt.Errorf("adaboost: %w", err)
	}
	prior, err := priorOf(y)
	if err != nil {
		return nil, fmt.Errorf("adaboost: %w", err)
	}
	bins, err := x.bin(ctx, common.Bins, common.Workers)
	if err != nil {
		return nil, err
	}
	a := &ada{newGrower(bins, common.Workers, common.Leaves, 0, 0), y, costs(y, common.Weight), make([]float64, len(y)), o.Real}
	var trees []Tree
	for len(trees) < common.Trees {
		tree, more, err := a.round(ctx)
		if err != nil {
			return nil, err
		}
		if len(tree.Nodes) > 0 {
			trees = append(trees, tree)
		}
		if !more {
			break
		}
	}
	if prior += math.Log(common.Weight); len(trees) > 0 {
		prior = 0
	}
	return newModel(len(x), prior, trees), nil
}

// costs are the first weights of the rows.
func costs(y []bool, weight float64) []float64 {
	w := filled(len(y), 1)
	for r, is := range y {
		if is {
			w[r] = weight
		}
	}
	return w
}

// ada is the state between rounds: w and, for growing, -w y by row.
type ada struct {
	*grower
	y    []bool
	w    []float64
	g    []float64
	real bool
}

// surest bounds the error, and a leaf's share, from 0 and 1: what a tree that is
// never wrong would say is infinite.
const surest = 1e-6

// round fits one tree and weighs the rows anew: w exp(-y h), of sum 1. More is
// false when there is nothing to gain from another.
func (a *ada) round(ctx context.Context) (tree Tree, more bool, err error) {
	a.normalise()
	for r, w := range a.w {
		a.g[r] = w
		if a.y[r] {
			a.g[r] = -w
		}
	}
	tree, leaves, err := a.grow(ctx, a.g, a.w)
	if err != nil || len(tree.Nodes) == 0 {
		return Tree{}, false, err
	}
	wrong := 0.0
	for i, rows := range leaves {
		yes, no := a.masses(rows)
		wrong += min(yes, no)
		tree.Values[i] = a.value(yes, no)
	}
	if wrong >= 0.5*(1-surest) {
		return Tree{}, false, nil
	}
	if !a.real {
		e := max(wrong, surest)
		for i, vote := range tree.Values {
			tree.Values[i] = vote * math.Log((1-e)/e)
		}
	}
	a.reweigh(&tree, leaves)
	return tree, wrong > surest, nil
}

func (a *ada) normalise() {
	sum := 0.0
	for _, w := range a.w {
		sum += w
	}
	for r := range a.w {
		a.w[r] /= sum
	}
}

// masses are the weights of the rows that are true and of the rest.
func (a *ada) masses(rows []int32) (yes, no float64) {
	for _, r := range rows {
		if a.y[r] {
			yes += a.w[r]
		} else {
			no += a.w[r]
		}
	}
	return yes, no
}

// value is a leaf's vote, or in the real algorithm its log-odds.
func (a *ada) value(yes, no float64) float64 {
	switch {
	case a.real:
		p := min(max(yes/(yes+no), surest), 1-surest)
		return math.Log(p / (1 - p))
	case yes > no:
		return 1
	}
	return -1
}

// reweigh multiplies by exp(-y F), F being half of a tree's value.
func (a *ada) reweigh(tree *Tree, leaves [][]int32) {
	for i, rows := range leaves {
		up := math.Exp(tree.Values[i] / 2)
		for _, r := range rows {
			if a.y[r] {
				a.w[r] /= up
			} else {
				a.w[r] *= up
			}
		}
	}
}
