// SPDX-License-Identifier: Apache-2.0

package training

import (
	"slices"

	"hide/internal/annotate"
	"hide/internal/annotate/entities"
	"hide/internal/annotate/labels"
	"hide/internal/crf/score"
	"hide/internal/greedy/audit"
	"hide/internal/publish/policy"
)

// protection measures direct and quasi-identifiers of checked notes. The notes have no
// entities of their own, so equal words of a patient count as one. It is nil without any.
func protection(checked []score.Prediction) *Protection {
	notes := make([]annotate.Note, len(checked))
	seen := map[annotate.Label]bool{}
	var all []annotate.Label
	for i, d := range checked {
		notes[i] = *d.Note
		for _, s := range d.Spans {
			if !seen[s.Label] {
				seen[s.Label] = true
				all = append(all, s.Label)
			}
		}
	}
	list := entities.FromSpans(notes, identifierOf(all))
	if len(list) == 0 {
		return nil
	}
	p := score.Protect(checked, list).WithIntervals(func(of, count int) (low, high float64) {
		return audit.ShareInterval(of, count, 0.05)
	})
	return &p
}

// identifierOf gives a label of a project the type of the label of the default set that
// corresponds to it. A label without such a one is quasi, as OTHER is.
func identifierOf(project []annotate.Label) func(annotate.Label) entities.Identifier {
	set := annotate.I2B2()
	mapping, known := labels.Suggest(project, set), set.Labels()
	return func(l annotate.Label) entities.Identifier {
		if as := mapping.Of(l); slices.Contains(known, as) && !policy.Quasi(as) {
			return entities.Direct
		}
		return entities.Quasi
	}
}
