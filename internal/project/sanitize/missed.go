// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"cmp"
	"fmt"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/words"
)

// Limits on the stored examples of missed PHI and over-redacted text, and on the context
// of each.
const (
	leaksKept      = 200
	contextLetters = 40
)

// lcResult converts the findings for one L/C into excerpts of the notes. Missed PHI keeps
// the order of greedy: what a model is surest of comes first, because an attacker finds
// it first. Over-redacted text is sorted by frequency.
func lcResult(c project.Corpus, r greedy.Choice) Result {
	lost := byFrequency(missedExcerpts(c, r.OverRedacted))
	leaks := atMost(missedExcerpts(c, r.Leaks))
	for i := range leaks {
		leaks[i].Label = cmp.Or(leaks[i].Label, greedy.ContextLabel) // sensitive without a span
	}
	return Result{
		LC: r.LC, At: r.At, Done: true, Rounds: r.Rounds, Outcome: r.Outcome,
		Leaks: leaks, Lost: atMost(lost), Certificate: r.Certificate, Bounds: r.Bounds,
	}
}

// byFrequency merges equal texts, most frequent first, and sets how often each occurs; it
// sorts in place.
func byFrequency(views []project.Excerpt) []project.Excerpt {
	often, first := map[string]int{}, map[string]int{}
	for i, v := range views {
		if often[v.Text]++; often[v.Text] == 1 {
			first[v.Text] = i
		}
	}
	for i := range views {
		views[i].Often = often[views[i].Text]
	}
	slices.SortStableFunc(views, func(a, b project.Excerpt) int {
		return cmp.Or(cmp.Compare(b.Often, a.Often), cmp.Compare(first[a.Text], first[b.Text]))
	})
	return views
}

func atMost(views []project.Excerpt) []project.Excerpt {
	return slices.Clip(views[:min(len(views), leaksKept)])
}

func missedExcerpts(c project.Corpus, leaks []greedy.Leak) []project.Excerpt {
	views, read := make([]project.Excerpt, len(leaks)), map[int]readable{}
	for i, l := range leaks {
		d, known := read[l.Document]
		if !known {
			d = newReadable(c.Docs[l.Document])
			read[l.Document] = d
		}
		views[i] = d.view(l)
	}
	return views
}

// readable is a document with its tokens and spans.
type readable struct {
	project.StoredNote
	tokens  []annotate.Token
	offsets *annotate.Offsets
}

func newReadable(d project.StoredNote) readable {
	return readable{d, annotate.Tokenize(d.Text), annotate.NewOffsets(d.Text)}
}

func (d readable) view(l greedy.Leak) project.Excerpt {
	span := annotate.Span{Start: d.tokens[l.From].Start, End: d.tokens[l.To-1].End}
	for _, s := range d.Spans {
		if s.Overlaps(span) {
			span.Label = s.Label
			break
		}
	}
	at := project.ExcerptOf(d.ID, d.Text, d.offsets, span)
	at.Score = l.Score
	return at
}

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
