// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// How much of what leaks and what is lost a run keeps, and how much text around
// each.
const (
	leaksKept      = 200
	contextLetters = 40
)

// choices puts a finished run's results into the words of the notes.
func choices(c corpus, result *greedy.Result) []LCResult {
	var out []LCResult
	for _, r := range result.Choices {
		out = append(out, LCResult{
			LC: r.LC, Done: true, Rounds: r.Rounds, Outcome: r.Outcome,
			Leaks: leakViews(c, r.Leaks), Lost: leakViews(c, r.Lost),
		})
	}
	return out
}

// leakViews keeps those that a model is surest of, since an attacker finds them
// first.
func leakViews(c corpus, leaks []greedy.Leak) []LeakView {
	worst := slices.Clone(leaks)
	slices.SortStableFunc(worst, func(a, b greedy.Leak) int { return cmp.Compare(b.Score, a.Score) })
	worst = worst[:min(len(worst), leaksKept)]
	views := make([]LeakView, 0, len(worst))
	for _, l := range worst {
		views = append(views, leakView(c.docs[l.Document], l))
	}
	return views
}

func leakView(d numbered, l greedy.Leak) LeakView {
	tokens := annotate.Tokenize(d.Text)
	span := annotate.Span{Start: tokens[l.From].Start, End: tokens[l.To-1].End}
	for _, s := range d.Spans {
		if s.Overlaps(span) {
			span.Label = s.Label
			break
		}
	}
	start, end := annotate.NewOffsets(d.Text).Range(span)
	return LeakView{
		Document: d.id, Start: start, End: end, Label: span.Label, Text: span.Surface(d.Text), Score: l.Score,
		Before: lastLetters(d.Text[:span.Start], contextLetters), After: firstLetters(d.Text[span.End:], contextLetters),
	}
}

func firstLetters(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func lastLetters(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}
