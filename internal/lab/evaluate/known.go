// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"slices"

	"hide/internal/annotate"
	"hide/internal/annotate/known"
)

// AddKnown counts what structured data gives of the people in a note as found, wherever the
// note has it and the tagger found nothing: as releases redact it. The labels are those of
// the notes.
func (p *Predictions) AddKnown() {
	seen := map[annotate.Label]bool{}
	var labels []annotate.Label
	for _, d := range p.docs {
		for _, s := range d.Note.Spans {
			if !seen[s.Label] {
				seen[s.Label] = true
				labels = append(labels, s.Label)
			}
		}
	}
	slices.Sort(labels)
	for i := range p.docs {
		d := &p.docs[i]
		if len(d.Note.Identities) > 0 {
			d.Predicted = withKnown(d.Note, d.Predicted, labels)
		}
	}
}

// withKnown adds the tokens of known identifiers that no prediction covers.
func withKnown(n *annotate.Note, predicted []annotate.Suggestion, labels []annotate.Label) []annotate.Suggestion {
	all := make([]annotate.Label, len(n.Tokens))
	begins := make([]bool, len(n.Tokens))
	for _, m := range known.New(n.Identities).FindIn(n.Text, n.Tokens) {
		label, ok := known.LabelIn(labels, m.Span.Label)
		if !ok {
			continue
		}
		from, to := annotate.Covered(n.Tokens, m.Span)
		for t := from; t < to; t++ {
			all[t], begins[t] = label, t == from
		}
	}
	return withUncovered(n, predicted, all, begins, func(s annotate.Span) annotate.Suggestion {
		return annotate.Suggestion{Span: s, Score: 1, Known: true}
	})
}

// withUncovered adds the tokens with a label that no prediction covers. It changes labels.
func withUncovered(n *annotate.Note, predicted []annotate.Suggestion, labels []annotate.Label, begins []bool, suggest func(annotate.Span) annotate.Suggestion) []annotate.Suggestion {
	for _, s := range predicted {
		from, to := annotate.Covered(n.Tokens, s.Span)
		for t := from; t < to; t++ {
			labels[t] = ""
		}
	}
	out := slices.Clone(predicted)
	for _, s := range annotate.SpansOf(n.Tokens, labels, begins) {
		out = append(out, suggest(s))
	}
	slices.SortFunc(out, func(a, b annotate.Suggestion) int { return annotate.CompareSpans(a.Span, b.Span) })
	return out
}
