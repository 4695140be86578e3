// SPDX-License-Identifier: Apache-2.0

// Package project is the use cases of hide: what a person does to a project,
// from importing notes to releasing them. It is the one room that knows all the
// others; the web pages and the command line call it and nothing below it.
//
// A [Service] works over an open [store.Store]. Every method takes the person
// who acts and checks the role first, so a page that forgot to cannot give
// anything away. Every change is one transaction with its audit row: when a
// method returns without error, what it did is on disk.
//
//	s, err := project.New(st, project.Options{Releases: dir})
//	p, err := s.Create(ctx, broker, "Ward 7", nil)
//	report, err := s.Import(ctx, broker, p.ID, files, project.ImportOptions{})
//	note, err := s.Note(ctx, annotator, p.ID, 1)
//	note, err = s.Edit(ctx, annotator, p.ID, 1, note.Layer.Revision, edit)
//
// Long work (training, sanitizing, publishing) runs as jobs, one at a time per
// project and kind. Its state is asked for, whole, by [Service.Training],
// [Service.Run] and [Service.Publishing]; [Service.Watch] says when to ask again.
//
// Audit rows, errors and events carry numbers, labels and offsets. They never
// hold text of a note, nor the name that a document had outside.
//
// # Caveats
//
// The index of a project's documents is kept in memory, about 200 bytes each.
// A server that stops while a sanitizing run is under way loses that run: it is
// marked interrupted and can be started again.
package project
