// SPDX-License-Identifier: Apache-2.0

// Package project is the core of hide's use cases: projects, imports, notes and their
// annotations, the queue, settings and the audit trail.
//
// The other use cases are packages below it, each with a Service of its own:
//
//	training  trains and checks the model that suggests spans
//	sanitize  runs GreedySanitize and freezes bundles
//	audit     draws random samples for people to read
//	release   publishes text, tables and joint releases
//	dp        publishes under differential privacy and keeps the budgets
//
// They build on this package, which knows none of them. Package services opens all of
// them over one store. Pages, and commands with a data folder, read and change projects
// through these services only.
//
// Every method of a [Service] takes the acting person and checks the role first, so a
// page cannot forget the check. Every change is one transaction with its audit row: when
// a method returns without error, the change is on disk.
//
//	s, err := project.New(st, project.Options{Releases: dir})
//	p, err := s.Create(ctx, broker, "Ward 7", nil)
//	report, err := s.Import(ctx, broker, p.ID, files, project.ImportOptions{})
//	note, err := s.Note(ctx, annotator, p.ID, 1)
//	note, err = s.Edit(ctx, annotator, p.ID, 1, note.Layer.Revision, edit)
//
// Long work runs as a [Task], one at a time per project and kind. Pages read its whole
// state; [Service.Watch] says when to read it again.
//
// Audit rows, errors and events hold numbers, labels and offsets. They never hold text of
// a note, nor the name that a document had outside.
//
// # Caveats
//
// The index of a project's documents is kept in memory, about 200 bytes each.
package project
