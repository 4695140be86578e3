// SPDX-License-Identifier: Apache-2.0

// Package bootstrap chooses the next note to annotate while few notes are annotated,
// and measures how much sooner a model is good with that order (dissertation, section
// 3.6: label, train, label more).
//
//	looks := []bootstrap.Look{bootstrap.LookAt(model, view), ...} // unfinished notes
//	next := bootstrap.MostUseful(looks, since)                    // index of the next note
//	result, err := bootstrap.Replay(ctx, pool, test, bootstrap.Options{})
//
// [Replay] repeats annotation on annotated notes: their gold spans replace the annotator.
// The queue of a project and the replay call the same functions, so the replay measures the
// queue.
//
// # How is a note chosen?
//
// One choice in [RandomShare] is random, and so are the choices before the first model:
// only a random sample says something about unread notes. The other choices take the
// note with the greatest uncertainty of the model. The uncertainty of a word is 1 minus
// the probability of its most probable label or of no label (least confidence). Each
// context counts once in a note, and less when recently read notes have it as well;
// otherwise the model would ask for the same context again and again.
//
// # Caveats
//
// The replayed annotator makes no mistakes and does not tire. The package reads no
// clock: durations are 0 unless the caller gives one.
package bootstrap
