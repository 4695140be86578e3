// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"math"
	"slices"

	"hide/internal/crf/kernel"
)

// Learner is a training algorithm.
type Learner string

// The learners. Bayes is HIDE's fast comparison (dissertation, Tables 4.7 and 4.8):
// multinomial naive Bayes over the same attributes, one count over the documents without
// iteration. Each word is decided separately, among the states of BIO.
const (
	Chain Learner = "crf"
	Bayes Learner = "bayes"
)

// bayes replaces the transitions in a naive Bayes model. With N_as the sum of the values
// of attribute a over the words of state s, N_s its sum over all V attributes and n_s the
// number of words,
//
//	P(s) ~ n_s + alpha    P(a|s) = (N_as + alpha) / (N_s + alpha V)
//	log P(s, x) = log P(s) + sum_a x_a log P(a|s)
//
// A state without words has probability 0, because its attributes could never count
// against it. log P(a|s) is a constant of state s plus the weight of the pair. The
// constant log(alpha / (N_s + alpha V)) is that of an attribute never seen with s. The
// weight is log(1 + N_as/alpha), or 0 without a pair. An attribute that training did
// not keep has no effect.
type bayes struct {
	prior  []float32 // [L] log P(s), minus that of O
	unseen []float32 // [L] log(alpha / (N_s + alpha V)), minus that of O
}

// counting is one training of naive Bayes on numbered data.
type counting struct {
	data  *dataset
	alpha float64
}

// fit counts, and sets the weights of the pairs.
func (c *counting) fit(ctx context.Context, w []float32) (*bayes, error) {
	d, l := c.data, c.data.states.count()
	sums, perState := c.count(), make([]float64, l)
	spread := c.spread(sums)
	for k := d.states.transitions(); k < len(w); k++ {
		if k%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		n := sumTerms(&d.termsOf, k, sums) + spread[k] + float64(len(d.directOf.row(k))) // direct ones are seen with O only
		perState[d.pairs[k]] += n
		w[k] = float32(math.Log1p(n / c.alpha))
	}
	prior, smooth := c.prior(), c.alpha*float64(len(d.attributes))
	b := &bayes{make([]float32, l), make([]float32, l)}
	for s := range l {
		b.prior[s] = float32(prior[s] - prior[0])
		if smooth > 0 {
			b.unseen[s] = float32(math.Log((perState[0] + smooth) / (perState[s] + smooth)))
		}
	}
	return b, nil
}

// count is the number of words of each state per bundle, laid out like the bundles' sums:
// rows of the wide ones, then one number for each narrow one, whose words are all O.
func (c *counting) count() []float64 {
	d, stride := c.data, c.data.layout.Stride
	narrow := d.wideOf.len() * stride
	sums := make([]float64, narrow+d.narrowOf.len())
	for t, s := range d.gold {
		place := d.layout.Place(int(s))
		for _, b := range d.wide.row(t) {
			sums[int(b)*stride+place]++
		}
		for _, b := range d.narrow.row(t) {
			sums[narrow+int(b)]++
		}
	}
	return sums
}

// spread returns, for each weight of a spread attribute, the sum over its bundles.
func (c *counting) spread(sums []float64) []float64 {
	d := c.data
	counts := make([]float64, d.weights())
	for a := range d.spreadIn.len() {
		into := spreadPart(d, a, counts)
		for _, b := range d.spreadIn.row(a) {
			row := sums[int(b)*d.layout.Stride:]
			for i, place := range d.spreadPlaces(a) {
				into[i] += row[place]
			}
		}
	}
	return counts
}

// noChance replaces the logarithm of 0.
const noChance = -1e5

// prior is log P(s) up to a constant.
func (c *counting) prior() []float64 {
	p := make([]float64, c.data.states.count())
	for _, s := range c.data.gold {
		p[s]++
	}
	for s, n := range p {
		p[s] = noChance
		if n > 0 {
			p[s] = math.Log(n + c.alpha)
		}
	}
	return p
}

// count trains naive Bayes on a dataset of observed pairs.
func (f *fitting) count(ctx context.Context) (*Model, Stats, error) {
	w := make([]float32, f.data.weights())
	b, err := (&counting{f.data, f.options.Alpha}).fit(ctx, w)
	if err != nil {
		return nil, Stats{}, err
	}
	m := f.model(w)
	m.bayes = b
	return m, Stats{
		Iteration:  Iteration{Seconds: f.took().Seconds()},
		Status:     Counted,
		States:     f.data.states.present(),
		Attributes: len(f.data.attributes),
		Weights:    len(w),
	}, nil
}

// startRow puts the prior into the row that every word's scores begin with.
func (b *bayes) startRow(row []float32, layout kernel.Layout) {
	for s, v := range b.prior {
		row[layout.Place(s)] += v
	}
}

// add adds the weights of a known attribute to a row, for every state.
func (b *bayes) add(row []float32, layout kernel.Layout, value float32) {
	for s, v := range b.unseen {
		row[layout.Place(s)] += value * v
	}
}

// posterior turns scores, [T][L], into P(state | word).
func posterior(psi []float64, l int) {
	for ; len(psi) > 0; psi = psi[l:] {
		row, sum := psi[:l], 0.0
		top := slices.Max(row)
		for s, v := range row {
			row[s] = math.Exp(v - top)
			sum += row[s]
		}
		for s := range row {
			row[s] /= sum
		}
	}
}

// best is each word's most probable state. An I that does not continue the label before
// it begins a span, as B.
func (s states) best(psi []float64) []uint16 {
	l := s.count()
	path := make([]uint16, len(psi)/l)
	for t := range path {
		row, at := psi[t*l:(t+1)*l], 0
		for state, v := range row {
			if v > row[at] {
				at = state
			}
		}
		k := s.label(at)
		if at == s.inside(max(k, 0)) && (t == 0 || s.label(int(path[t-1])) != k) {
			at = 1 + k
		}
		path[t] = uint16(at)
	}
	return path
}
