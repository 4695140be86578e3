// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy/audit"
	"hide/internal/greedy/drift"
)

// After a drift warning some of the differing notes have to be
// annotated: a few of them do more than many of the others.

// fewLocal and mostLocal are between how many notes are advised.
const (
	fewLocal  = 10
	mostLocal = 30
)

// Gains are what annotating 10 and 30 of the notes that rang the alarm is expected
// to leave of what would stay readable now; nil without an alarm.
func (r *Run) Gains() []audit.Gain {
	if r.Drift == nil || !r.Drift.Warns() {
		return nil
	}
	return []audit.Gain{audit.Advise(r.Documents, fewLocal, true), audit.Advise(r.Documents, mostLocal, true)}
}

// localNotes are those of docs that are open and from a source with hardly any
// annotated note; from one that rings where there is none such, and from any where
// none does by itself.
func (ws *workspace) localNotes(r *drift.Report, docs []annotate.DocumentID, profiles []drift.Profile) []annotate.DocumentID {
	if !r.Warns() {
		return nil
	}
	strange := sourcesThat(r.Sources, func(s drift.Side) bool { return !s.Annotated })
	if len(strange) == 0 {
		strange = sourcesThat(r.Sources, drift.Side.Warns)
	}
	var out []annotate.DocumentID
	for i, doc := range docs {
		if len(strange) == 0 || strange[profiles[i].Source] {
			out = append(out, doc)
		}
	}
	out = ws.Unfinished(out)
	return slices.Clip(out[:min(len(out), mostLocal)])
}

func sourcesThat(sides []drift.Side, holds func(drift.Side) bool) map[string]bool {
	out := map[string]bool{}
	for _, s := range sides {
		if holds(s) {
			out[s.Source] = true
		}
	}
	return out
}
