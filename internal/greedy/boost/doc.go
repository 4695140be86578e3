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
package boost
