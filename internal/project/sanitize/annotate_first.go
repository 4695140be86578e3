// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy/audit"
	"hide/internal/greedy/drift"
)

// After a drift warning some of the differing notes must be annotated: a few of them help
// more than many others.

// The number of notes advised is between fewLocal and mostLocal.
const (
	fewLocal  = 10
	mostLocal = 30
)

// Gains estimates which share of the remaining PHI is left after annotating 10 or 30 of
// the differing notes; nil without a warning.
func (r *Run) Gains() []audit.Gain {
	if r.Drift == nil || !r.Drift.Warns() {
		return nil
	}
	return []audit.Gain{audit.Advise(r.Documents, fewLocal, true), audit.Advise(r.Documents, mostLocal, true)}
}

// localNotes picks open documents from sources with hardly any annotated note. If there
// are none, it picks from sources that raise the warning, and otherwise from any source.
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
