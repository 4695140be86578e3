// SPDX-License-Identifier: Apache-2.0

// Package idview makes one row per patient of what notes tell of them: the
// identifier view (HIDE dissertation, 3.1), from the structured fields that came
// with the notes and from what people marked in them.
//
// [People] gathers: give it each note with its spans, and ask it what there is.
// [Propose] says what role each attribute should play as long as nobody has
// decided. [People.View] then makes a [table.Table] of the attributes as they were
// decided, for the packages that publish tables.
//
//	people := idview.NewPeople()
//	for each note: people.Add(note, spans)
//	view, err := people.View(idview.Propose(people.Found()))
//
// Notes of one patient are joined by the key that came with them. A note without
// one counts as a person of its own, which [View.Alone] counts: if two of them are
// one patient, this patient counts twice towards k.
//
// # Caveats
//
// Nothing here finds what nobody marked: an attribute that is missing in a note is
// missing in the view. A value that cannot be read as the number or the date that
// its attribute should be is missing as well, and counted.
//
// Errors name fields and labels, and never a value.
package idview
