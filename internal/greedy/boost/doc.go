// SPDX-License-Identifier: Apache-2.0

// Package boost learns to tell two kinds of rows apart by adding up small
// decision trees over a table of numbers.
//
//	model, err := boost.Train(ctx, columns, sensitive, boost.Options{})
//	logOdds := model.LogOdds(columns)
//
// [Train] is gradient boosting of the logistic loss with Newton steps (Friedman
// 2001; Chen and Guestrin 2016) on histograms: each column is cut into at most
// 256 bins, and trees grow leaf by leaf, the one whose split gains most first.
// [AdaBoost] is the discrete and the real algorithm (Freund and Schapire 1997;
// Friedman, Hastie and Tibshirani 2000) over the same trees.
//
// Columns of few bins share a histogram, by the numbers that their bins make
// together; its marginals are theirs.
//
// With the logistic loss, g = w (p - y) and h = w p (1-p) are a row's first and
// second derivative. A leaf with the sums G and H is worth -G/(H + L2), and a
// split of it into two gains
//
//	G1^2/(H1 + L2) + G2^2/(H2 + L2) - G^2/(H + L2).
//
// The sums of histograms are sums of integers: each g and h is rounded to 2^-18
// of the largest. So they are the same in any order, a sibling's histogram is its
// parent's minus its own, and results do not depend on the number of workers.
// What leaves are worth is summed in floating point, by row.
package boost
