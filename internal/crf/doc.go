// SPDX-License-Identifier: Apache-2.0

// Package crf finds sensitive spans with a linear-chain conditional random field
// (Lafferty, McCallum and Pereira 2001; chapter 4 of the HIDE dissertation).
//
//	notes := annotate.NewNotes(annotated)
//	model, stats, err := crf.Train(ctx, annotate.Views(notes), crf.Options{})
//	suggestions := model.Tag(note.View())
//
// # Which functions are there?
//
// [Train] maximises the penalised likelihood of the BIO labels with L-BFGS.
// [Model.Tag] gives the spans of the most probable path. [Model.Sensitive] gives the
// probability that a token is sensitive, which thresholds and attackers need.
// [Model.Encode] and [Decode] keep a model in a checksummed file with its [Card].
// [CrossValidate] tags each document with a model that was trained without it; package
// score counts the errors. A [Trainer] trains again after a few changes, a [Library]
// trains on many subsets of the same documents; both save work.
//
// [Options] can choose another [Learner], naive Bayes. [Sampling] leaves words out of
// training, for more recall and less precision.
//
// # What is a sequence?
//
// One whole document. No span crosses documents. Line breaks are features and not
// borders, because notes wrap anywhere.
//
// # Which features are there?
//
// Features are attributes in families ([Families]). [HIDE] has those of the original
// program. [Default] adds the families that helped in English and Spanish: lower case,
// shapes, layout, patterns, and the program's own lists in four languages. A caller can
// add dictionaries.
//
// # What is shared?
//
// Models and fact readers with the same lists share what they see of a document: its
// words, places and forms, and the names of its features. A document that several of them
// read, one after another, is analysed once. Models that come from files share lists too,
// if these are equal.
//
// # Caveats
//
// Words and the last few documents stay in memory for the next ones, within limits,
// whoever's notes come next. They change no result and are in no file. Go frees them some
// time after their last use, and overwrites nothing.
//
// A model contains words of its training text: it is PHI. Results have the same bits for
// any number of workers on one machine type; the last bits can differ between processor
// architectures. An interrupted training returns the context's error and no model; a
// training that reaches its limit of iterations returns a usable model.
package crf
