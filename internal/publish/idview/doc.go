// SPDX-License-Identifier: Apache-2.0

// Package idview makes one row per patient from the notes: the identifier view (HIDE
// dissertation, 3.1), from the structured fields of the notes and from their annotations.
//
// [People] collects notes with their spans and lists the attributes found. [Propose]
// proposes a role for each undecided attribute. [People.View] then makes a [table.Table]
// of the decided attributes, for the packages that publish tables.
//
//	people := idview.NewPeople()
//	for each note: people.Add(note, spans)
//	view, err := people.View(idview.Propose(people.Found()))
//
// Notes of one patient are joined by the patient's key. A note without a key counts as a
// person of its own, which [View.Alone] counts: if two of them are one patient, this
// patient counts twice towards k.
//
// # Caveats
//
// A value that nobody annotated in a note is missing in the view. A value that is not a
// number or date, as its attribute requires, is missing as well, and counted.
//
// Errors name fields and labels, and never a value.
package idview
