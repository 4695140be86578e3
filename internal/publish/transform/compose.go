// SPDX-License-Identifier: Apache-2.0

package transform

import (
	"cmp"
	"slices"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
)

// stretch is what the decision about a site covers: its words, or its sentence.
type stretch struct {
	from, to annotate.ByteOff
	site     *site
}

// compose puts the decisions about a note in order. Stretches that share a byte become one
// dropped stretch, so that no identifier is cut: only a dropped sentence can reach over others.
func (w *work) compose(note int, sites []*site) []Decision {
	text := w.patient.Notes[note].Text
	all := make([]stretch, len(sites))
	for i, s := range sites {
		all[i] = stretch{s.span.Start, s.span.End, s}
		if s.d.Action == policy.DropSentence {
			all[i].from, all[i].to = Sentence(text, s.span.Start, s.span.End)
		}
	}
	slices.SortFunc(all, func(a, b stretch) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.site.span.Start, b.site.span.Start))
	})
	var out []Decision
	for i := 0; i < len(all); {
		n, to := 1, all[i].to
		for i+n < len(all) && all[i+n].from < to {
			to = max(to, all[i+n].to)
			n++
		}
		out = append(out, decisionAbout(all[i:i+n], to))
		i += n
	}
	w.separate(text, out)
	return out
}

// decisionAbout is the decision about stretches that share bytes and end at to.
func decisionAbout(all []stretch, to annotate.ByteOff) Decision {
	first := slices.IndexFunc(all, func(s stretch) bool { return s.site.d.Action == policy.DropSentence })
	if first < 0 {
		return all[0].site.d
	}
	d := all[first].site.d
	d.Start, d.End, d.Person = all[0].from, to, 0
	for _, s := range all {
		if s.site.d.Action == policy.DropSentence {
			d.Dropped = append(d.Dropped, s.site.span)
			d.Chosen = d.Chosen || s.site.d.Chosen
			d.Problem = cmp.Or(d.Problem, s.site.d.Problem)
		}
	}
	return d
}

// separate writes a placeholder for each replacement that would make one word with the text
// beside it where the note has two.
func (w *work) separate(text string, ds []Decision) {
	for i := range ds {
		d := &ds[i]
		if d.Action == policy.Keep {
			continue
		}
		left, right := text[:d.Start], text[d.End:]
		merges := endsInWord(left) && startsInWord(d.Replacement) && !startsInWord(text[d.Start:]) ||
			startsInWord(right) && endsInWord(d.Replacement) && !endsInWord(text[:d.End])
		if i > 0 && ds[i-1].End == d.Start && ds[i-1].Action != policy.Keep {
			merges = merges || endsInWord(ds[i-1].Replacement) && startsInWord(d.Replacement)
		}
		if merges {
			d.Replacement, d.Problem = w.placeholder(d.Label, 0), cmp.Or(d.Problem, TouchesAnother)
		}
	}
}
