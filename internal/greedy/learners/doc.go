// SPDX-License-Identifier: Apache-2.0

// Package learners names the learners that there are, and has those that are made
// of others (tkde section 5):
//
//	l, err := learners.New("ensemble", learners.Options{Seed: 1})
//
// [Ensemble] lets a support vector machine judge what a CRF marks or finds probable.
// [Selection] is whichever of several learners errs least on documents held out; as
// GreedySanitize trains anew in each round, it may choose another one each time.
//
// What either learns from what other learners say was said of documents that those
// had not seen. Everything here is deterministic and safe for concurrent use.
package learners
