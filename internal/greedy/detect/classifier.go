// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/dense"
)

// Classifier is a trained detector. It is immutable and safe for concurrent use.
type Classifier struct {
	parts   Parts
	bases   bases
	encoder *dense.Encoder
	second  *stage // nil if the part is off
	bonus   bonus
}

var _ greedy.BatchClassifier = (*Classifier)(nil)

// Parts are the parts that the detector was trained with.
func (c *Classifier) Parts() Parts { return c.parts }

// Scores implements [greedy.Classifier].
func (c *Classifier) Scores(v annotate.View) []float64 { return c.ScoreAll([]annotate.View{v})[0] }

// Hard implements [greedy.Classifier]: sensitive if the probability is above one half.
func (c *Classifier) Hard(v annotate.View) []bool { return likely(c.Scores(v)) }

// ScoreAll implements [greedy.BatchClassifier]: documents of one group are evidence for
// each other; with [Corpus] all are. Hidden tokens get 0.
func (c *Classifier) ScoreAll(views []annotate.View) [][]float64 {
	docs := make([]*evidence, len(views))
	for i, v := range views {
		x := c.encoder.Columns(v)
		c.parts.blind(x)
		var chain []float64
		if c.bases.crf != nil {
			chain = c.bases.crf.Scores(v)
		}
		docs[i] = newEvidence(v, c.bases.logOdds(chain, x), x)
	}
	b, out := newBatch(c.parts, docs), make([][]float64, len(views))
	for i := range docs {
		out[i] = b.scores(i, c.second, c.bonus)
	}
	return out
}

// HardAll is Hard of each view, given the others.
func (c *Classifier) HardAll(views []annotate.View) [][]bool {
	out := make([][]bool, len(views))
	for i, scores := range c.ScoreAll(views) {
		out[i] = likely(scores)
	}
	return out
}

// scores are the probabilities of document i's tokens by a second stage, or by the mean
// of the base learners without one.
func (b *batch) scores(i int, second *stage, more bonus) []float64 {
	d := b.docs[i]
	var corrections []float64
	if second != nil {
		corrections = second.trees.LogOdds(b.columns(i))
	}
	out, row := make([]float64, len(d.words)), 0
	for t := range out {
		if d.Hidden(t) {
			continue
		}
		f := d.mean()[t]
		if second != nil {
			f = blended(d.bases(), second.blend, t) + corrections[row]
		}
		out[t] = greedy.Logistic(bounded(f + more[d.forms[t]]))
		row++
	}
	return out
}

func likely(scores []float64) []bool {
	out := make([]bool, len(scores))
	for t, p := range scores {
		out[t] = p >= 0.5
	}
	return out
}

// bonus is added to the log-odds of a pattern's tokens.
type bonus [dense.Patterns]float64

// certainlySensitive is the sensitive share of a pattern's training tokens that is
// required for a bonus. In a project that redacts only names, dates get none.
const certainlySensitive = 0.9

// learnBonus gives the bonus to patterns of which (s+1)/(n+2) of n training tokens,
// s of them sensitive, reach the share.
func learnBonus(docs []*evidence, points float64) bonus {
	var n, s [dense.Patterns]float64
	for _, d := range docs {
		for t, form := range d.forms {
			if !d.InTraining(t) {
				continue
			}
			n[form]++
			if d.Sensitive[t] {
				s[form]++
			}
		}
	}
	var out bonus
	for form := dense.NoPattern + 1; form < dense.Patterns; form++ {
		if (s[form]+1)/(n[form]+2) >= certainlySensitive {
			out[form] = points
		}
	}
	return out
}
