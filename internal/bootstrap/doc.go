// SPDX-License-Identifier: Apache-2.0

// Package bootstrap is about the time when few notes are annotated: which note a
// person should read next, and how much sooner a model is good when they read in
// that order (dissertation, section 3.6: label, train, label more).
//
//	looks := []bootstrap.Look{bootstrap.LookAt(model, doc), ...} // of notes that nobody has finished
//	next := bootstrap.MostUseful(looks, since)                   // an index of looks
//	result, err := bootstrap.Replay(ctx, pool, test, bootstrap.Options{})
//
// [Replay] plays annotation again on notes whose spans are known: an oracle gives
// them, as an annotator would, in the order in which the notes are handed out. The
// queue of a project and the replay choose by the same functions, so what the
// replay says holds for the queue.
//
// # Choosing
//
// One choice in [RandomShare] is drawn at random, and so are those before there is a
// model: only what was drawn at random says anything about the notes that nobody
// reads. The others go to the note that the model is least sure of. A word's doubt is
// what its most probable reading, a label or none, leaves of 1 (least confidence), so
// that a label taken for another counts as a miss does. A thing that the model is unsure
// of counts once in a note, and less when notes that people have just read hold it as
// well: asked for doubt alone, a model asks for the same thing again and again.
//
// # Caveats
//
// An oracle makes no mistakes, does not tire, and marks what the file has marked.
// The package keeps no clock: latencies are 0 without one.
package bootstrap
