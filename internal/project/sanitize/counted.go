// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"fmt"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/words"
)

// FewKinds is how many kinds a sentence names; more it counts.
const FewKinds = 3

// Counted are the kinds that the figures of a run are of, nil for all.
func (p Params) Counted() []annotate.Label {
	out := slices.Clone(p.Labels)
	if out != nil && p.Context != nil && p.Context.Redact {
		out = append(out, greedy.ContextLabel)
	}
	return out
}

// CountedWords name them: "FAX and PHONE", "5 kinds" where they are many, "" for all.
func (p Params) CountedWords() string {
	all := p.Counted()
	if len(all) > FewKinds {
		return words.Count(len(all), "kind", "kinds")
	}
	return words.List(all)
}

// countedWarnings say what a run that was told to count only some kinds leaves as it is.
func (r *Run) countedWarnings() []string {
	what, stays := words.Count(r.Uncounted, "marked passage", "marked passages")+" of other kinds", "stay as they are"
	switch {
	case r.Params.Labels == nil:
		return nil
	case r.Uncounted == 0: // or it is of a version that did not count them
		what, stays = "whatever is of another kind, marked or not,", "stays as it is"
	case r.Uncounted == 1:
		stays = "stays as it is"
	}
	return []string{fmt.Sprintf("The run was told to count only %s, and no figure is of anything else: %s %s.", r.Params.CountedWords(), what, stays)}
}

// uncounted is how many spans of the corpus have another label than these; nil are all.
func uncounted(c project.Corpus, labels []annotate.Label) int {
	n := 0
	for _, d := range c.Docs {
		for _, s := range d.Spans {
			if labels != nil && !slices.Contains(labels, s.Label) {
				n++
			}
		}
	}
	return n
}
