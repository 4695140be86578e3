// SPDX-License-Identifier: Apache-2.0

// Package detect is the default detector of sensitive tokens: a CRF and boosted trees,
// stacked.
//
//	h, err := detect.Detector{}.Train(ctx, views)
//	p := h.Scores(view)
//
// # How are the scores made?
//
// The CRF and the trees over the columns of package dense each give every token
// log-odds. The second stage blends them by logistic regression, and boosted trees
// correct the blend. These trees read the log-odds of the token and of three tokens on
// each side; the highest, the mean and the number of those of the word's other
// occurrences in the document (and in the other documents of its group or batch, when
// these are scored together); and some flags. The second stage trains on out-of-fold
// log-odds, so probabilities are calibrated for notes like the training notes. Tokens of
// patterns that identify by themselves get a bonus. [Options.Parts] switches each part
// on and off.
//
// # Caveats
//
// A [Classifier] and its bytes hold information about the words of the training notes:
// treat them as PHI.
package detect

import (
	"math"
	"strings"

	"hide/internal/annotate"
	"hide/internal/greedy/boost"
	"hide/internal/greedy/dense"
)

// tally summarizes the occurrences of a word: their number, the sum of their log-odds,
// and the two highest from different sources.
type tally struct {
	n            int
	sum          float64
	best, second float64
	from         int // source of best
}

// add adds n occurrences of a source with this sum and highest value of log-odds.
func (t *tally) add(from, n int, sum, highest float64) {
	switch {
	case t.n == 0:
		t.best, t.second, t.from = highest, math.Inf(-1), from
	case from == t.from:
		t.best = max(t.best, highest)
	case highest > t.best:
		t.best, t.second, t.from = highest, t.best, from
	default:
		t.second = max(t.second, highest)
	}
	t.n += n
	t.sum += sum
}

// others returns the highest, the mean and the number of occurrences in other sources
// than one, which has n occurrences with this sum. Without any, the first two are NaN.
func (t *tally) others(from, n int, sum float64) [3]float64 {
	if t.n == n {
		return [3]float64{math.NaN(), math.NaN(), 0}
	}
	highest := t.best
	if from == t.from {
		highest = t.second
	}
	return [3]float64{highest, (t.sum - sum) / float64(t.n-n), float64(t.n - n)}
}

func tallyOf[K comparable](m map[K]*tally, key K) *tally {
	t := m[key]
	if t == nil {
		t = &tally{}
		m[key] = t
	}
	return t
}

// evidence is a view as evidence.
type evidence struct {
	annotate.View
	logOdds [][]float64 // log-odds by base learner and token, their mean last
	flags   boost.Matrix
	words   []string // lower case
	forms   []dense.Pattern
	tally   map[string]*tally // of the mean, by word
}

// newEvidence keeps the columns of x that the second stage reads.
func newEvidence(v annotate.View, said [][]float64, x boost.Matrix) *evidence {
	w := &evidence{View: v, logOdds: append(said, mean(said, len(v.Words))), words: make([]string, len(v.Words)),
		forms: make([]dense.Pattern, len(v.Words)), tally: map[string]*tally{}}
	for _, c := range dense.Flags() {
		w.flags = append(w.flags, x[c])
	}
	for t := range v.Words {
		w.words[t], w.forms[t] = strings.ToLower(v.Word(t)), dense.PatternOf(x, t)
		if !v.Hidden(t) {
			tallyOf(w.tally, w.words[t]).add(t, 1, w.mean()[t], w.mean()[t])
		}
	}
	return w
}

func mean(said [][]float64, tokens int) []float64 {
	out := make([]float64, tokens)
	for _, f := range said {
		for t, v := range f {
			out[t] += v / float64(len(said))
		}
	}
	return out
}

func (w *evidence) mean() []float64 { return w.logOdds[len(w.logOdds)-1] }

// bases returns the base learners' scores.
func (w *evidence) bases() [][]float64 { return w.logOdds[:len(w.logOdds)-1] }

// neighbour is the value of f for token t. A hidden neighbour was found already; outside
// the document the value is empty.
func (w *evidence) neighbour(f []float64, t int) float64 {
	switch {
	case t < 0 || t >= len(f):
		return math.NaN()
	case w.Hidden(t):
		return mostOdds
	}
	return f[t]
}

// batch is evidence from documents that are published together.
type batch struct {
	parts  Parts
	docs   []*evidence
	group  []int             // of each document
	groups map[wordOf]*tally // a group's documents are the sources
	corpus map[string]*tally // the groups are the sources
}

type wordOf struct {
	group int
	word  string
}

func newBatch(parts Parts, docs []*evidence) *batch {
	b := &batch{parts, docs, make([]int, len(docs)), map[wordOf]*tally{}, map[string]*tally{}}
	number := map[string]int{}
	for i, d := range docs {
		g, known := number[d.Group]
		if !known {
			g = len(number)
			number[d.Group] = g
		}
		b.group[i] = g
		if !parts.has(Group | Corpus) {
			continue
		}
		for word, t := range d.tally {
			tallyOf(b.groups, wordOf{g, word}).add(i, t.n, t.sum, t.best)
		}
	}
	if parts.has(Corpus) {
		b.addGroups()
	}
	return b
}

func (b *batch) addGroups() {
	seen := map[wordOf]bool{}
	for i, d := range b.docs {
		for _, word := range d.words {
			key := wordOf{b.group[i], word}
			t := b.groups[key]
			if t == nil || seen[key] {
				continue
			}
			seen[key] = true
			tallyOf(b.corpus, word).add(key.group, t.n, t.sum, t.best)
		}
	}
}

// reach is how many neighbours on each side the second stage uses.
const reach = 3

// columns describes the visible tokens of document i for the second stage.
func (b *batch) columns(i int) boost.Matrix {
	d := b.docs[i]
	var tokens []int
	for t := range d.words {
		if !d.Hidden(t) {
			tokens = append(tokens, t)
		}
	}
	var x boost.Matrix
	column := func(value func(t int) float64) {
		c := make([]float32, len(tokens))
		for row, t := range tokens {
			c[row] = float32(value(t))
		}
		x = append(x, c)
	}
	for _, f := range d.logOdds {
		for o := -reach; o <= reach; o++ {
			if o == 0 || b.parts.has(Neighbours) {
				column(func(t int) float64 { return d.neighbour(f, t+o) })
			}
		}
	}
	for _, of := range b.elsewhere(i) {
		for k := range 3 {
			column(func(t int) float64 { return of(t)[k] })
		}
	}
	for _, c := range d.flags {
		column(func(t int) float64 { return float64(c[t]) })
	}
	return x
}

// elsewhere lists the sources of scores of a visible token's word in other places.
func (b *batch) elsewhere(i int) []func(t int) [3]float64 {
	d, g := b.docs[i], b.group[i]
	var out []func(t int) [3]float64
	if b.parts.has(Document) {
		out = append(out, func(t int) [3]float64 { return d.tally[d.words[t]].others(t, 1, d.mean()[t]) })
	}
	if b.parts.has(Group) {
		out = append(out, func(t int) [3]float64 {
			own := d.tally[d.words[t]]
			return b.groups[wordOf{g, d.words[t]}].others(i, own.n, own.sum)
		})
	}
	if b.parts.has(Corpus) {
		out = append(out, func(t int) [3]float64 {
			own := b.groups[wordOf{g, d.words[t]}]
			return b.corpus[d.words[t]].others(g, own.n, own.sum)
		})
	}
	return out
}

// secondColumns is how many columns the second stage has.
func secondColumns(p Parts) int {
	each := 1
	if p.has(Neighbours) {
		each += 2 * reach
	}
	n := each*(p.bases()+1) + len(dense.Flags())
	for _, part := range []Parts{Document, Group, Corpus} {
		if p.has(part) {
			n += 3
		}
	}
	return n
}
