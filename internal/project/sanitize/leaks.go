// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"cmp"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project"
)

// How much of what leaks and what is lost a run keeps, and how much text around
// each.
const (
	leaksKept      = 200
	contextLetters = 40
)

// lcResult puts what was found for one L/C into the words of the notes. Leaks
// come as greedy orders them: what a model is surest of first, since an attacker
// finds it first. What is lost comes by how often it is.
func lcResult(c project.Corpus, r greedy.Choice) Result {
	lost := mostOften(leakViews(c, r.OverRedacted))
	leaks := atMost(leakViews(c, r.Leaks))
	for i := range leaks {
		leaks[i].Label = cmp.Or(leaks[i].Label, greedy.ContextLabel) // sensitive without a span
	}
	return Result{
		LC: r.LC, At: r.At, Done: true, Rounds: r.Rounds, Outcome: r.Outcome,
		Leaks: leaks, Lost: atMost(lost), Certificate: r.Certificate, Bounds: r.Bounds,
	}
}

// mostOften puts equal texts together, those that are there most often first, and says of
// each how often that is; it sorts in place.
func mostOften(views []project.Excerpt) []project.Excerpt {
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

func leakViews(c project.Corpus, leaks []greedy.Leak) []project.Excerpt {
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

// readable is a document whose tokens and places are at hand.
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
