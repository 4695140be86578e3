// SPDX-License-Identifier: Apache-2.0

// Package bootstrap is about the time when few notes are annotated: which note a
// person should read next, and how much sooner a model is good when they read in
// that order (dissertation, section 3.2: the iterative extraction loop).
//
//	looks := []bootstrap.Look{bootstrap.LookAt(model, doc), ...} // of notes that nobody has finished
//	next := bootstrap.MostUseful(looks, recent)                  // an index of looks
//	result, err := bootstrap.Replay(ctx, pool, test, bootstrap.Options{})
//
// [Replay] plays annotation again on notes whose spans are known: an oracle gives
// them, as an annotator would, in the order in which the notes are handed out. The
// queue of a project and the replay choose by the same functions, so what the
// replay says holds for the queue.
//
// # Choosing
//
// Every choice in [RandomShare] is drawn at random, and so are the first
// [FirstAtRandom]: only what was drawn at random says anything about the notes that
// nobody reads. The others go to the note of which the model is least sure, per
// token, for reading costs by the token; discounted by how like the note is to one
// that was done of late, for a model asked for what it is unsure of asks for the
// same thing again and again.
//
// # Caveats
//
// An oracle makes no mistakes, does not tire, and marks what the file has marked.
// The package keeps no clock: latencies are 0 without one.
package bootstrap
