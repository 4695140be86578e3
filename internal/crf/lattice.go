// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"math"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf/kernel"
	"hide/internal/crf/sampling"
)

// lattice computes sums over all paths of one sequence (Lafferty et al. 2001; Rabiner
// 1989). It sums logarithms, so no score is too large: slow, exact, and used when
// [kernel.Chain] gives up. It is sized once and used for many sequences by one goroutine.
//
//	alpha[0][j] = score[0][j]                               for j < K+1
//	alpha[t][j] = score[t][j] + lse_i(alpha[t-1][i] + w[i][j])
//	beta[T-1][i] = 0
//	beta[t-1][i] = lse_j(w[i][j] + score[t][j] + beta[t][j])
//	P(y_t = j)  = exp(alpha[t][j] + beta[t][j] - log Z)
//
// where lse is the logarithm of the sum of exponentials.
type lattice struct {
	l     int       // states
	e, k  int       // states that can follow any, and labels whose I can follow only B and I
	w     []float64 // transition weights, laid out as [states] says
	alpha []float64 // [T][L]
	terms []float64 // [L] of one sum

	stopped func() bool // nil, or reports whether the result is no longer needed: it is then undefined
}

func (x *lattice) stops() bool { return x.stopped != nil && x.stopped() }

func newLattice(s states) *lattice {
	l := s.count()
	return &lattice{
		l: l, e: s.entries(), k: s.continuations(), w: make([]float64, s.transitions()),
		terms: make([]float64, l),
	}
}

// setTransitions copies the weights.
func (x *lattice) setTransitions(w []float64) { copy(x.w, w) }

// logSum is lse over terms.
func logSum(terms []float64) float64 {
	top := slices.Max(terms)
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for _, v := range terms {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}

// forward fills alpha from scores, [T][L], and returns log Z.
func (x *lattice) forward(scores []float64) float64 {
	x.alpha = append(x.alpha[:0], scores...)
	for j := x.e; j < x.l; j++ {
		x.alpha[j] = math.Inf(-1)
	}
	for at := x.l; at < len(scores) && !x.stops(); at += x.l {
		x.step(x.alpha[at:at+x.l], x.alpha[at-x.l:at])
	}
	return logSum(x.alpha[len(x.alpha)-x.l:])
}

// step adds to next, a row of scores, the sums over its predecessors.
func (x *lattice) step(next, prev []float64) {
	e := x.e
	for j := range e {
		for i, a := range prev {
			x.terms[i] = a + x.w[i*e+j]
		}
		next[j] += logSum(x.terms)
	}
	cont := x.w[x.l*e:]
	for k := range x.k {
		x.terms[0], x.terms[1] = prev[1+k]+cont[2*k], prev[e+k]+cont[2*k+1]
		next[e+k] += logSum(x.terms[:2])
	}
}

// backward turns scores, after forward has given logZ, into marginals in place. If expect
// is not nil it adds the expected number of every transition to it.
func (x *lattice) backward(scores []float64, logZ float64, expect []float64) {
	beta := make([]float64, x.l)
	for at := len(scores) - x.l; at >= 0 && !x.stops(); at -= x.l {
		row, alpha := scores[at:at+x.l], x.alpha[at:at+x.l]
		for j, b := range beta {
			row[j], beta[j] = math.Exp(alpha[j]+b-logZ), row[j]+b
		}
		if at > 0 {
			x.expect(expect, x.alpha[at-x.l:at], beta, logZ)
			x.stepBack(beta)
		}
	}
}

// stepBack turns score + beta of one token into the beta of the token before.
func (x *lattice) stepBack(beta []float64) {
	e := x.e
	next := append([]float64(nil), beta...)
	for i := range beta {
		terms := x.terms[:e]
		for j := range terms {
			terms[j] = x.w[i*e+j] + next[j]
		}
		beta[i] = logSum(terms)
	}
	cont := x.w[x.l*e:]
	for k := range x.k {
		beta[1+k] = logSum([]float64{beta[1+k], cont[2*k] + next[e+k]})
		beta[e+k] = logSum([]float64{beta[e+k], cont[2*k+1] + next[e+k]})
	}
}

// expect adds P(i at t-1, j at t) of one edge to each transition.
func (x *lattice) expect(into, alpha, next []float64, logZ float64) {
	if into == nil {
		return
	}
	e := x.e
	for i, a := range alpha {
		for j := range e {
			into[i*e+j] += math.Exp(a + x.w[i*e+j] + next[j] - logZ)
		}
	}
	cont := x.l * e
	for k := range x.k {
		into[cont+2*k] += math.Exp(alpha[1+k] + x.w[cont+2*k] + next[e+k] - logZ)
		into[cont+2*k+1] += math.Exp(alpha[e+k] + x.w[cont+2*k+1] + next[e+k] - logZ)
	}
}

// viterbi finds the best path of one sequence (Rabiner 1989, section III.B):
//
//	best[0][j] = score[0][j]                                  for j < K+1
//	best[t][j] = max_i(best[t-1][i] + w[i][j]) + score[t][j]
//
// It is sized once and used for many sequences by one goroutine.
type viterbi struct {
	l    int       // states
	e, k int       // states that can follow any, and labels whose I can follow only B and I
	w    []float64 // transition weights, laid out as [states] says
	gain []float64 // [L] the most that a transition from a state weighs more than the same from O

	best, next []float64 // [L]
	rivals     []int     // states other than O, ascending, that may be a best predecessor
	back       []uint16  // [T][L] best predecessor
}

// newViterbi takes the weights of the transitions, which nobody may change afterwards.
func newViterbi(s states, w []float64) *viterbi {
	l, e := s.count(), s.entries()
	x := &viterbi{l: l, e: e, k: s.continuations(), w: w, gain: make([]float64, l), best: make([]float64, l), next: make([]float64, l)}
	for i := range x.gain {
		x.gain[i] = math.Inf(-1)
		for j := range e {
			x.gain[i] = max(x.gain[i], w[i*e+j]-w[j])
		}
	}
	return x
}

// bestPath returns the best allowed path and its score. The score of state j of token t
// is scores[t*stride+j], plus shift for states that only continue a span. On a tie the
// lowest state wins.
func bestPath[F kernel.Float](x *viterbi, scores []F, stride, shift int) ([]uint16, float64) {
	n := len(scores) / stride
	if n == 0 {
		return nil, 0
	}
	if len(x.back) < n*x.l {
		x.back = make([]uint16, n*x.l)
	}
	for j := range x.next {
		if x.next[j] = math.Inf(-1); j < x.e {
			x.next[j] = 0
		}
	}
	for t := range n {
		if t > 0 {
			x.advance(x.back[t*x.l : (t+1)*x.l])
		}
		row := scores[t*stride : (t+1)*stride]
		x.next[0] += float64(row[0])
		x.rivals = x.rivals[:0]
		addScores(x, 1, row[1:x.e])
		addScores(x, x.e, row[x.e+shift:][:x.k])
		x.best, x.next = x.next, x.best
	}
	return x.trace(n)
}

// addScores adds the scores of the states from the first one on. Almost always most of
// them are too far behind O to be a best predecessor; gain decides.
func addScores[F kernel.Float](x *viterbi, first int, scores []F) {
	next, gain, top := x.next[first:][:len(scores)], x.gain[first:][:len(scores)], x.next[0]
	for j, s := range scores {
		v := next[j] + float64(s)
		if next[j] = v; v+gain[j] >= top {
			x.rivals = append(x.rivals, first+j)
		}
	}
}

// advance is next[j] = max_i best[i] + w[i][j], with the maximising i in back.
func (x *viterbi) advance(back []uint16) {
	e := x.e
	best, next, top := x.best, x.next[:e], x.best[0]
	for j, w := range x.w[:len(next)] {
		next[j] = top + w
	}
	clear(back[:e])
	for _, i := range x.rivals {
		b, row := best[i], x.w[i*e:(i+1)*e]
		for j, w := range row {
			if v := b + w; v > next[j] {
				next[j], back[j] = v, uint16(i)
			}
		}
	}
	cont, begun, inside, to := x.w[x.l*e:], best[1:][:x.k], best[e:][:x.k], x.next[e:][:x.k]
	for k, b := range begun {
		pair := cont[2*k:][:2]
		v, from := b+pair[0], 1+k
		if i := inside[k] + pair[1]; i > v {
			v, from = i, e+k
		}
		to[k], back[e+k] = v, uint16(from)
	}
}

func (x *viterbi) trace(n int) ([]uint16, float64) {
	at := 0
	for j, v := range x.best {
		if v > x.best[at] {
			at = j
		}
	}
	top, path := x.best[at], make([]uint16, n)
	for t := n - 1; t > 0; t-- {
		path[t] = uint16(at)
		at = int(x.back[t*x.l+at])
	}
	path[0] = uint16(at)
	return path, top
}

// sequence is the algorithm's view of a document: redacted words replaced, labels of the
// visible ones, folded or not, and the first pass's evidence. It is a type of its own
// because training rewrites labels and marks, which a shared note must not change. No
// redacted word reaches it: of the text, features read only the white space between
// tokens.
type sequence struct {
	text   string
	tokens []annotate.Token // nil, or one per word; without them one space separates words
	words  []string
	labels []annotate.Label    // nil, or one per word; "" is not sensitive
	begins []bool              // nil, or whether the word opens a span; a change of label always does
	group  string              // "", or the patient: what a patient's documents share counts once
	known  []string            // identifiers of the patient from structured fields
	people []annotate.Identity // what structured data says of people, by label
	skip   []bool              // nil, or which words training leaves out; features still see them
	again  [][]bool            // nil, or what further copies of it in training leave out

	firstPass []firstPassEvidence // nil, or per word what the first pass says of it elsewhere
}

// unlabelled reads a view for tagging.
func unlabelled(v annotate.View) sequence {
	return sequence{text: v.Text, tokens: v.Tokens, words: v.VisibleWords(), group: v.Group, known: v.Known, people: v.Identities, skip: v.Skip}
}

// labelled reads a view for training. A span that a redacted token splits becomes two.
func labelled(v annotate.View) sequence {
	d, s := unlabelled(v), sampling.Of(v)
	d.labels, d.begins = s.Labels, s.Begins
	return d
}

func labelledAll(views []annotate.View) []sequence {
	out := make([]sequence, len(views))
	for i, v := range views {
		out[i] = labelled(v)
	}
	return out
}

// opens reports whether labelled token i is the first of its span.
func (d sequence) opens(i int) bool {
	return i == 0 || d.labels[i-1] != d.labels[i] || d.begins != nil && d.begins[i]
}

// skips reports whether training leaves token i out.
func (d sequence) skips(i int) bool { return d.skip != nil && d.skip[i] }

// folded is d with every label replaced by [Folded]. Adjacent spans stay separate.
func (d sequence) folded() sequence {
	f := d
	f.labels = make([]annotate.Label, len(d.labels))
	f.begins = make([]bool, len(d.labels))
	for i, label := range d.labels {
		if label != "" {
			f.labels[i], f.begins[i] = Folded, d.opens(i)
		}
	}
	return f
}

// labelsOf lists the labels that the documents use, sorted.
func labelsOf(docs []sequence) []annotate.Label {
	seen := map[annotate.Label]bool{}
	for _, d := range docs {
		for _, l := range d.labels {
			if l != "" {
				seen[l] = true
			}
		}
	}
	labels := make([]annotate.Label, 0, len(seen))
	for l := range seen {
		labels = append(labels, l)
	}
	slices.Sort(labels)
	return labels
}
