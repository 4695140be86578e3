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

// Protection is [score.Protect] with the intervals of Clopper and Pearson at 95 %. They take
// entities as independent; several of one note are not, so the truth may lie outside more
// often.
func Protection(docs []score.Prediction, list []entities.Entity) *score.Protection {
	p := score.Protect(docs, list)
	for _, s := range []*score.Share{&p.Direct.Entities, &p.Direct.Mentions, &p.Quasi.Entities, &p.Quasi.Mentions, &p.Documents, &p.Precision.Words} {
		*s = withInterval(*s)
	}
	for _, labels := range []map[annotate.Label]score.Share{p.Direct.Labels, p.Quasi.Labels} {
		for l, s := range labels {
			labels[l] = withInterval(s)
		}
	}
	return &p
}

func withInterval(s score.Share) score.Share {
	if s.Of > 0 {
		low, high := audit.ShareInterval(s.Of, s.Count, 0.05)
		s.Interval = &score.Interval{Low: low, High: high}
	}
	return s
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
