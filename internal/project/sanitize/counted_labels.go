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

// FewKinds is how many labels a sentence lists before it gives only their number.
const FewKinds = 3

// Counted lists the labels that the figures of a run cover, nil for all.
func (p Params) Counted() []annotate.Label {
	out := slices.Clone(p.Labels)
	if out != nil && p.Context != nil && p.Context.Redact {
		out = append(out, greedy.ContextLabel)
	}
	return out
}

// CountedWords names them: "FAX and PHONE", "5 labels" if they are many, "" for all.
func (p Params) CountedWords() string {
	all := p.Counted()
	if len(all) > FewKinds {
		return words.Count(len(all), "label", "labels")
	}
	return words.List(all)
}

// countedWarnings state what a run that counts only some labels does not redact.
func (r *Run) countedWarnings() []string {
	what, stays := words.Count(r.Uncounted, "marked passage", "marked passages")+" with other labels", "stay readable"
	switch {
	case r.Params.Labels == nil:
		return nil
	case r.Uncounted == 0: // no such passages, or a version that did not count them
		what, stays = "text with any other label, marked or not,", "stays readable"
	case r.Uncounted == 1:
		stays = "stays readable"
	}
	return []string{fmt.Sprintf("The run counts only %s, and its figures cover nothing else: %s %s.", r.Params.CountedWords(), what, stays)}
}

// uncounted counts the spans of the corpus with another label than these; nil means all.
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
