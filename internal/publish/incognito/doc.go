// SPDX-License-Identifier: Apache-2.0

// Package incognito finds full-domain generalizations: of each quasi-identifier
// one level of its hierarchy, the same for all rows, so that classes are as asked
// for (LeFevre, DeWitt, Ramakrishnan, SIGMOD 2005; HIDE dissertation, 5.1.1, with
// l-diversity added).
//
//	result, err := incognito.Search(ctx, t, incognito.Options{K: 5})
//	result.Minimal // all nodes of which no attribute can be less general
//	result.Best    // the one that loses least
//	result.Losses  // what each loses, to choose another by Options.Levels
//
// A node is a vector of levels, 0 for values as they are. The search goes through
// sets of attributes from small to large and keeps the nodes that are as asked for.
// Whatever fails for some attributes fails for more of them (the subset property),
// and whatever holds does so when it is generalized further, so most nodes are
// never looked at.
//
// With suppression, rows of classes that are not as asked for may be left out up
// to a share. Then generalizing can break entropy and recursive l-diversity and
// t-closeness: a class that held is merged with rows that were left out. The search
// looks at every node when such a model is asked for.
package incognito
