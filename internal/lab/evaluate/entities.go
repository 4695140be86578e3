// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"hide/internal/annotate"
	"hide/internal/annotate/entities"
	"hide/internal/crf/score"
	"hide/internal/greedy/audit"
	"hide/internal/lab"
)

// protection measures entities with the intervals of Clopper and Pearson at 95 %.
func protection(docs []score.Prediction, list []entities.Entity) *score.Protection {
	p := score.Protect(docs, list).WithIntervals(func(of, count int) (low, high float64) { return audit.ShareInterval(of, count, 0.05) })
	return &p
}

func writeProtection(w io.Writer, p *score.Protection) {
	t := lab.Table(w)
	fmt.Fprint(t, "\nentities\tmasked\tall\trecall\t95 % interval\t\n")
	for _, kind := range []struct {
		name string
		score.Recall
	}{{"direct", p.Direct}, {"quasi", p.Quasi}} {
		writeShare(t, kind.name, kind.Entities)
		for _, l := range byNumber(kind.Labels) {
			writeShare(t, kind.name+" "+string(l), kind.Labels[l])
		}
		writeShare(t, "mentions of "+kind.name, kind.Mentions)
	}
	writeShare(t, "notes with all direct", p.Documents)
	_ = t.Flush() // a write error shows in the next write
	words := p.Precision.Words
	fmt.Fprintf(w, "%d of %d masked words had to be hidden%s: precision %.4f, weighted by information %.4f\n\n",
		words.Count, words.Of, percents(words), words.Share, p.Precision.Weighted)
}

func writeShare(w io.Writer, name string, s score.Share) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%.4f\t%s\t\n", name, s.Count, s.Of, s.Share, interval(s.Interval))
}

// byNumber lists labels, the most frequent first.
func byNumber(shares map[annotate.Label]score.Share) []annotate.Label {
	return slices.SortedFunc(maps.Keys(shares), func(a, b annotate.Label) int {
		return cmp.Or(cmp.Compare(shares[b].Of, shares[a].Of), cmp.Compare(a, b))
	})
}
