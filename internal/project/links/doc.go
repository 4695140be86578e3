// SPDX-License-Identifier: Apache-2.0

// Package links finds the records of a project that are about one patient. A record is what
// [annotate.Document.Record] names: the notes of a patient's key, or a note without a key.
//
//	err := service.StartLinking(ctx, broker, id, links.Options{})
//	queue, err := service.LinkQueue(ctx, broker, id, 0, 1)
//	err = service.DecideLink(ctx, broker, id, queue.Pairs[0].Pair, true, false)
//	figures, err := links.FiguresOf(ws) // what releases count with
//
// A run has two passes. The first compares what structured data, people and the model say of
// each record's patient. What linked records say of a patient becomes known of all of them, and
// all notes are searched for it. The second pass compares again with what was found.
//
// A run stores the pairs that may be one person. Links are made of these pairs, of the
// thresholds and of what people decided. A decision or a new threshold makes them anew without
// another run.
//
// # Caveats
//
// The types with values of patients do not print them.
package links
