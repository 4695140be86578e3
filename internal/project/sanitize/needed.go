// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"hide/internal/greedy/drift"
	"hide/internal/words"
	"slices"
)

// AuditNeeded says why an audit has to come before a release by the run: its prediction
// will not do. It is "" when it will, and when people have finished every note.
func (r *Run) AuditNeeded() string {
	switch {
	case r.AllFinished:
		return ""
	case r.Drift != nil && r.Drift.Warns():
		return "the notes to be published are not like those annotated"
	case r.Later > 0:
		return words.Count(r.Later, "note was", "notes were") + " imported after the run, and nothing has compared what came with the annotated notes; a new run does"
	case r.Drift != nil && !r.Drift.Known():
		return "too few notes can be compared to tell whether those to be published are like those annotated"
	case r.Drift != nil && slices.ContainsFunc(r.Drift.Sources, func(s drift.Side) bool { return !s.Annotated }):
		return "notes to be published are from an institution of which hardly any is annotated"
	case r.Random < r.Documents && r.Measured != r.Random:
		return "the annotated notes are not a random sample"
	}
	return ""
}
