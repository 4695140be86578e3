// SPDX-License-Identifier: Apache-2.0

// Package crf finds sensitive spans with a linear-chain conditional random field
// (Lafferty, McCallum and Pereira 2001; chapter 4 of the HIDE dissertation).
//
//	notes := annotate.NewNotes(annotated)
//	model, stats, err := crf.Train(ctx, annotate.Views(notes), crf.Options{})
//	for _, s := range model.Tag(note.View()) { ... }
//
// [Train] maximises the penalised likelihood of the BIO labels with L-BFGS;
// [Model.Tag] gives the spans of the best path, [Model.Sensitive] the probability
// that a token is sensitive at all, which is what thresholds and attackers need.
// [Model.Encode] and [Decode] keep a model in a checksummed file with its [Card].
// [CrossValidate] tags each document with a model that has not seen it, and package
// score counts what is right.
//
// [Options] can choose another [Learner], naive Bayes, which counts once where the
// chain iterates; its models are used alike. [Sampling] leaves words out of
// training, for more recall and less precision, whatever learns.
//
// A sequence is one whole document. No span crosses documents; within one, line
// breaks are layout and not borders (notes wrap anywhere), so cutting at them
// would only take context away, and the cost is linear in the length.
//
// Features are sets of attributes in families ([Families]). [HIDE] is what the
// original program used, [Default] adds what was measured to help in English and
// in Spanish: lower case, shapes, layout, patterns, and the program's own lists of
// names, titles and everyday words in four languages. Dictionaries that a caller
// gives add to these.
//
// # Caveats
//
// A model contains words of its training text. Results are the same bits for any
// number of workers on one machine type, but may differ in the last bits between
// processor architectures. An interrupted training returns the context's error
// and no model; one that reached its limit of iterations returns a usable model.
package crf
