// SPDX-License-Identifier: Apache-2.0

// Package incognito finds full-domain generalizations: one level of the hierarchy of each
// quasi-identifier, the same for all rows, so that the equivalence classes satisfy the
// requirements (LeFevre, DeWitt, Ramakrishnan, SIGMOD 2005; HIDE dissertation, 5.1.1, with
// l-diversity added).
//
//	result, err := incognito.Search(ctx, t, incognito.Options{K: 5})
//	result.Minimal // all nodes in which no attribute can be generalized less
//	result.Best    // the one with the least information loss
//	result.Losses  // the information loss of each, to choose another by Options.Levels
//
// A node is a vector of levels, 0 for unchanged values. The search goes through sets of
// attributes from small to large and keeps the nodes that satisfy the requirements. A node
// that fails for some attributes fails for more of them (the subset property), and a node
// that satisfies them does so when it is generalized further, so that most nodes need not
// be evaluated.
//
// With suppression, rows of classes that fail may be suppressed up to a share. Then
// generalizing can break entropy and recursive l-diversity and t-closeness, when a class
// is merged with suppressed rows. With such a model the search evaluates every node.
package incognito
