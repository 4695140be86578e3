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
	"slices"
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
	forms   []dense.Pattern
	words   []string // the different words, in lower case
	wordOf  []int32  // of each token, an index of words
	tallies []tally  // of the mean, by word; of visible tokens
}

// newEvidence copies the columns of x that the second stage reads.
func newEvidence(v annotate.View, said [][]float64, x boost.Matrix) *evidence {
	tokens, flags := len(v.Words), dense.Flags()
	w := &evidence{View: v, logOdds: append(said, mean(said, tokens)), forms: make([]dense.Pattern, tokens), flags: make(boost.Matrix, len(flags))}
	all := make([]float32, len(flags)*tokens)
	for i, c := range flags {
		w.flags[i] = all[i*tokens : (i+1)*tokens]
		copy(w.flags[i], x[c])
	}
	for t := range v.Words {
		w.forms[t] = dense.PatternOf(x, t)
	}
	w.count()
	return w
}

// count numbers the words and tallies their visible tokens.
func (w *evidence) count() {
	tokens, scores := len(w.Words), w.mean()
	known := make(map[string]int32, tokens/2)
	w.words, w.tallies, w.wordOf = make([]string, 0, tokens/2), make([]tally, 0, tokens/2), make([]int32, tokens)
	for t := range w.Words {
		word := strings.ToLower(w.Word(t))
		id, is := known[word]
		if !is {
			id = int32(len(w.words))
			known[word] = id
			w.words, w.tallies = append(w.words, word), append(w.tallies, tally{})
		}
		if w.wordOf[t] = id; !w.Hidden(t) {
			w.tallies[id].add(t, 1, scores[t], scores[t])
		}
	}
}

// tallyOf is the tally of the word of a token.
func (w *evidence) tallyOf(t int) *tally { return &w.tallies[w.wordOf[t]] }

// word is the lower case of a token.
func (w *evidence) word(t int) string { return w.words[w.wordOf[t]] }

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

// around is f for the tokens, with reach more before and after them. A hidden neighbour was
// found already; outside the document the value is empty.
func (w *evidence) around(f []float64) []float32 {
	out := make([]float32, len(f)+2*reach)
	for o := range reach {
		out[o], out[len(out)-1-o] = float32(math.NaN()), float32(math.NaN())
	}
	for t, v := range f {
		if w.Hidden(t) {
			v = mostOdds
		}
		out[reach+t] = float32(v)
	}
	return out
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
		for k, t := range d.tallies {
			if t.n > 0 {
				tallyOf(b.groups, wordOf{g, d.words[k]}).add(i, t.n, t.sum, t.best)
			}
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

// columns describes the visible tokens of document i for the second stage. Columns share
// memory with each other and with the evidence.
func (b *batch) columns(i int) boost.Matrix {
	d := b.docs[i]
	v := newVisible(d.View)
	x := make(boost.Matrix, 0, secondColumns(b.parts))
	for _, f := range d.logOdds {
		around := d.around(f)
		for o := -reach; o <= reach; o++ {
			if o == 0 || b.parts.has(Neighbours) {
				x = append(x, v.of(around[reach+o:]))
			}
		}
	}
	for _, of := range b.elsewhere(i) {
		var c [3][]float32
		for k := range c {
			c[k] = make([]float32, v.rows())
		}
		for row := range v.rows() {
			for k, value := range of(v.token(row)) {
				c[k][row] = float32(value)
			}
		}
		x = append(x, c[:]...)
	}
	for _, c := range d.flags {
		x = append(x, v.of(c))
	}
	return x
}

// visible are the visible tokens of a document.
type visible struct {
	size   int
	tokens []int // nil for all tokens
}

func newVisible(d annotate.View) visible {
	v := visible{size: len(d.Words)}
	if !slices.Contains(d.Redacted, true) {
		return v
	}
	v.tokens = make([]int, 0, v.size)
	for t := range d.Words {
		if !d.Hidden(t) {
			v.tokens = append(v.tokens, t)
		}
	}
	return v
}

func (v visible) rows() int {
	if v.tokens == nil {
		return v.size
	}
	return len(v.tokens)
}

func (v visible) token(row int) int {
	if v.tokens == nil {
		return row
	}
	return v.tokens[row]
}

// of are the values of the visible tokens, given those of all.
func (v visible) of(all []float32) []float32 {
	if v.tokens == nil {
		return all[:v.size]
	}
	out := make([]float32, len(v.tokens))
	for row, t := range v.tokens {
		out[row] = all[t]
	}
	return out
}

// elsewhere lists the sources of scores of a visible token's word in other places.
func (b *batch) elsewhere(i int) []func(t int) [3]float64 {
	d, g := b.docs[i], b.group[i]
	var out []func(t int) [3]float64
	if b.parts.has(Document) {
		out = append(out, func(t int) [3]float64 { return d.tallyOf(t).others(t, 1, d.mean()[t]) })
	}
	if b.parts.has(Group) {
		out = append(out, func(t int) [3]float64 {
			own := d.tallyOf(t)
			return b.groups[wordOf{g, d.word(t)}].others(i, own.n, own.sum)
		})
	}
	if b.parts.has(Corpus) {
		out = append(out, func(t int) [3]float64 {
			own := b.groups[wordOf{g, d.word(t)}]
			return b.corpus[d.word(t)].others(g, own.n, own.sum)
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
