// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"math"
	"slices"

	"hide/internal/annotate"
	"hide/internal/publish/table"
)

// leastLoss cuts a class where the two sides together have the least information loss:
//
//	lambda * NCP_A + (1 - lambda) * NCP_X
//
// among the cuts that it tries: each axis at up to triedCuts places, and up to triedTerms
// terms by presence. Ties go to the smaller sum of both losses, then to the first. No cut
// increases the loss, so that each class is cut as long as k allows it.
func (c *cutter) leastLoss(people []int) (axis int, left, right []int) {
	axis = -1
	var best [2]float64
	try := func(i int, l, r []int) {
		if len(l) < c.s.K || len(r) < c.s.K {
			return
		}
		a1, x1 := c.view.lossOf(l)
		a2, x2 := c.view.lossOf(r)
		loss := [2]float64{c.s.Lambda*(a1+a2) + (1-c.s.Lambda)*(x1+x2), a1 + a2 + x1 + x2}
		if axis < 0 || slices.Compare(loss[:], best[:]) < 0 {
			axis, left, right, best = i, l, r, loss
		}
	}
	for i, a := range c.axes {
		if a.textual {
			t := c.view.types[a.text]
			for _, term := range c.view.cuttable(people, c.s.K, t.from, t.to) {
				l, r := part(people, func(p int) bool { return c.view.people[p].has(term) })
				try(i, l, r)
			}
			continue
		}
		for _, at := range cutPlaces(a, people, c.s.K) {
			l, r := part(people, func(p int) bool { return a.keys[p] <= at })
			try(i, l, r)
		}
	}
	return axis, left, right
}

// How much [leastLoss] tries.
const (
	triedCuts  = 7
	triedTerms = 8
)

// cutPlaces gives keys after which k allows a cut, spread evenly over the ranks.
func cutPlaces(a axis, people []int, k int) []float64 {
	keys := make([]float64, len(people))
	for i, p := range people {
		keys[i] = a.keys[p]
	}
	slices.Sort(keys)
	var places []float64
	for i := k; i <= len(keys)-k; i++ {
		if keys[i-1] != keys[i] {
			places = append(places, keys[i-1])
		}
	}
	if len(places) <= triedCuts {
		return places
	}
	var some []float64
	for i := range triedCuts {
		some = append(some, places[i*(len(places)-1)/(triedCuts-1)])
	}
	return some
}

// cuttable gives the terms that k persons have and k lack, most frequent first.
func (v *View) cuttable(people []int, k int, from, to int32) []int32 {
	count := v.frequencies(people, from, to)
	var terms []int32
	for i, n := range count {
		if k <= n && n <= len(people)-k {
			terms = append(terms, from+int32(i))
		}
	}
	slices.SortStableFunc(terms, func(a, b int32) int { return count[b-from] - count[a-from] })
	return terms[:min(len(terms), triedTerms)]
}

// frequencies counts how many of some persons have each term from from to before
// to.
func (v *View) frequencies(people []int, from, to int32) []int {
	count := make([]int, to-from)
	for _, p := range people {
		for _, term := range v.people[p].terms {
			if from <= term && term < to {
				count[term-from]++
			}
		}
	}
	return count
}

// lossOf is the sum over the persons of a class of NCP_A and of NCP_X.
func (v *View) lossOf(people []int) (relational, textual float64) {
	for i, c := range v.columns {
		relational += c.GeneralizeSorted(v.unionOf(i, people)).Loss
	}
	relational *= float64(len(people)) / float64(max(1, len(v.columns)))
	common := v.common(people)
	texts := len(v.Config.with(table.Text))
	stays := make([]int, texts)
	for _, term := range common {
		stays[v.terms[term].Text]++
	}
	all := make([]int, texts)
	for _, who := range people {
		clear(all)
		for _, term := range v.people[who].terms {
			all[v.terms[term].Text]++
		}
		for x, n := range all {
			if n > 0 {
				textual += float64(n-stays[x]) / float64(n) / float64(texts)
			}
		}
	}
	return relational, textual
}

// unionOf is the sorted distinct values of some persons in a column, or only the least and
// the greatest of a column that is generalized to a range.
func (v *View) unionOf(column int, people []int) []int32 {
	c, cells := v.columns[column], v.cells[column]
	if c.Tree == nil && c.Kind != table.Nominal {
		lo, hi := cells[people[0]][0], cells[people[0]][0]
		for _, who := range people {
			lo, hi = min(lo, cells[who][0]), max(hi, cells[who][len(cells[who])-1])
		}
		return []int32{lo, hi}
	}
	var union []int32
	for _, who := range people {
		union = append(union, cells[who]...)
	}
	slices.Sort(union)
	return slices.Compact(union)
}

// Loss is the information loss of a recoding: the normalized certainty penalty (rx-anon,
// section 5.3), from 0 to 1:
//
//	NCP_A(r) = mean over the quasi-identifiers of NCP_Ai(r)
//	NCP_X(r) = suppressed terms of X' / |X'|
//	NCP(r)   = (NCP_A(r) + NCP_X(r)) / 2
//
// and the mean over persons for a dataset. With several text attributes NCP_X is the mean
// over them. For a person without terms NCP_X is 0; the paper does not define it.
type Loss struct {
	Total      float64         `json:"total"`
	Relational float64         `json:"relational"`
	Textual    float64         `json:"textual"`
	WithTerms  float64         `json:"textual_of_persons_with_terms"` // mean over these only, as in rx-anon's program
	Attributes []AttributeLoss `json:"attributes"`
	Types      []TypeLoss      `json:"types"`
}

// AttributeLoss is the mean NCP of one quasi-identifier.
type AttributeLoss struct {
	Name string  `json:"name"`
	Loss float64 `json:"loss"`
}

// TypeLoss is the information loss of the terms of one type (rx-anon, section 6.3).
type TypeLoss struct {
	Text       string         `json:"text"`
	Type       annotate.Label `json:"type"`
	Persons    int            `json:"persons"`    // who have such terms
	Terms      int            `json:"terms"`      // summed over persons, each counted once a person
	Suppressed int            `json:"suppressed"` // of those
	Loss       float64        `json:"loss"`       // mean over those persons of the share suppressed
}

// Loss measures a recoding.
func (r *Recoding) Loss() Loss {
	var l Loss
	v := r.view
	l.Attributes = make([]AttributeLoss, len(v.columns))
	for i, c := range v.columns {
		l.Attributes[i].Name = c.Name
	}
	for class, people := range r.classes {
		for i, cell := range r.Cells[class] {
			l.Attributes[i].Loss += cell.Loss * float64(len(people))
		}
	}
	for i := range l.Attributes {
		l.Attributes[i].Loss /= float64(len(v.people))
		l.Relational += l.Attributes[i].Loss / float64(len(v.columns))
	}
	r.textual(&l)
	l.Total = (l.Relational + l.Textual) / 2
	return l
}

// textual fills in NCP_X and the loss by type.
func (r *Recoding) textual(l *Loss) {
	v := r.view
	texts := len(v.Config.with(table.Text))
	for _, t := range v.types {
		l.Types = append(l.Types, TypeLoss{Text: v.Config.TextAttributes()[t.text], Type: t.label})
	}
	sum, with := make([]float64, texts), make([]int, texts)
	for who := range v.people {
		all, lost := make([]int, texts), make([]int, texts)
		for i, t := range v.types {
			n, gone := r.lostOf(who, t)
			all[t.text], lost[t.text] = all[t.text]+n, lost[t.text]+gone
			l.Types[i].add(n, gone)
		}
		for x := range texts {
			if all[x] > 0 {
				sum[x] += float64(lost[x]) / float64(all[x])
				with[x]++
			}
		}
	}
	for x := range texts {
		l.Textual += sum[x] / float64(len(v.people)) / float64(texts)
		if with[x] > 0 {
			l.WithTerms += sum[x] / float64(with[x]) / float64(texts)
		}
	}
	for i := range l.Types {
		if t := &l.Types[i]; t.Persons > 0 {
			t.Loss /= float64(t.Persons)
		}
	}
}

// lostOf counts a person's terms of a type, and those that are not kept.
func (r *Recoding) lostOf(who int, t termType) (all, lost int) {
	for _, term := range r.view.people[who].terms {
		if t.from <= term && term < t.to {
			all++
			if !contains(r.kept[r.of[who]], term) {
				lost++
			}
		}
	}
	return all, lost
}

func (t *TypeLoss) add(all, lost int) {
	if all == 0 {
		return
	}
	t.Persons++
	t.Terms += all
	t.Suppressed += lost
	t.Loss += float64(lost) / float64(all)
}

// PublishedLoss is the loss of the same recoding in rx-anon's program
// (information_loss.py): it counts whole numbers, both ends included; a shortened code has
// no loss; terms count as often as they occur in the texts; and in a class of three or
// more only the first and the last person keep any term.
func (r *Recoding) PublishedLoss() (relational, textual float64) {
	v := r.view
	for class, people := range r.classes {
		for i, c := range v.columns {
			relational += r.publishedCell(class, i, c, people) * float64(len(people)) / float64(len(v.people)) / float64(len(v.columns))
		}
	}
	texts := len(v.Config.with(table.Text))
	for x := range texts {
		sum, with := 0.0, 0
		for class, people := range r.classes {
			for i, who := range people {
				all, kept := r.spansOf(class, who, x)
				if all == 0 {
					continue
				}
				if with++; i > 0 && i < len(people)-1 {
					kept = 0
				}
				sum += 1 - float64(kept)/float64(all)
			}
		}
		if with > 0 {
			textual += sum / float64(with) / float64(texts)
		}
	}
	return relational, textual
}

func (r *Recoding) publishedCell(class, i int, c *table.Column, people []int) float64 {
	loss := r.Cells[class][i].Loss
	switch {
	case loss == 0 || c.Kind == table.Code:
		return 0
	case c.Kind != table.Number || c.Tree != nil || c.Missing:
		return loss
	}
	lo, hi := missing, -missing
	for _, who := range people {
		for _, code := range r.view.cells[i][who] {
			lo, hi = min(lo, c.Numbers[code]), max(hi, c.Numbers[code])
		}
	}
	least, greatest := math.Floor(c.Numbers[0]), math.Ceil(c.Numbers[len(c.Numbers)-1])
	return (math.Ceil(hi) - math.Floor(lo) + 1) / (greatest - least + 1)
}

// spansOf counts the plain mentions in a person's texts, and the kept ones.
func (r *Recoding) spansOf(class, who, text int) (all, kept int) {
	for _, row := range r.view.people[who].rows {
		for _, m := range r.view.mentions[row][text] {
			if m.kind != plain {
				continue
			}
			all++
			if contains(r.kept[class], m.term) {
				kept++
			}
		}
	}
	return all, kept
}
