// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"hide/internal/greedy/drift"
	"hide/internal/words"
	"slices"
)

// AuditNeeded states why a release by the run needs an audit first: its forecast is not
// reliable. It is "" if it is, or if people have finished every note.
func (r *Run) AuditNeeded() string {
	switch {
	case r.AllFinished:
		return ""
	case r.Drift != nil && r.Drift.Warns():
		return "the notes to be published differ from the annotated notes"
	case r.Later > 0:
		return words.Count(r.Later, "note was", "notes were") + " imported after the run and not compared with the annotated notes; a new run compares them"
	case r.Drift != nil && !r.Drift.Known():
		return "there are too few notes to compare those to be published with the annotated notes"
	case r.Drift != nil && slices.ContainsFunc(r.Drift.Sources, func(s drift.Side) bool { return !s.Annotated }):
		return "some notes to be published are from an institution with hardly any annotated notes"
	case r.Random < r.Documents && r.Measured != r.Random:
		return "the annotated notes are not a random sample"
	}
	return ""
}
