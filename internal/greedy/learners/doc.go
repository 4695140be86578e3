// SPDX-License-Identifier: Apache-2.0

// Package learners gives every learner a name, and has the learners that combine others
// (tkde section 5).
//
//	l, err := learners.New("ensemble", learners.Options{Seed: 1})
//
// [Ensemble] lets a support vector machine judge the tokens that a CRF marks or finds
// probable. [Selection] takes the learner with the fewest errors on held-out documents;
// as GreedySanitize trains anew in each round, it can take another one each time.
//
// Both train on predictions for documents that the other learners did not see. Results
// are deterministic, and everything is safe for concurrent use.
package learners
