// SPDX-License-Identifier: Apache-2.0

package retrieve

import (
	"math"
	"slices"
)

// Constants of BM25 as Robertson and Zaragoza (2009) recommend them.
const (
	saturation = 1.2  // k1
	normalizer = 0.75 // b
)

// rankers and knowledges are what a ranking has, in this order.
var (
	rankers    = [...]Ranker{BM25, Bayes}
	knowledges = [...]Knowledge{Table, Siblings, Both}
)

// ranking is the credit of one note, by knowledge and ranker, and whether the attacker has
// the knowledge of the true patient.
type ranking struct {
	credits [3][2]credit
	known   [3]bool
	chance  credit // of guessing
}

// credit is the probability that the true patient is ranked first, and among the first ten.
type credit struct{ top1, top10 float64 }

// scratch is the memory of one worker: scores by knowledge and ranker.
type scratch struct {
	scores [3][2][]float64
	norm   []float64
}

func (c *collection) newScratch() *scratch {
	s := &scratch{norm: make([]float64, c.known)}
	for k := range s.scores {
		for r := range s.scores[k] {
			s.scores[k][r] = make([]float64, c.known)
		}
	}
	return s
}

// rank ranks all patients for a note.
func (c *collection) rank(r Released, s *scratch) ranking {
	query := c.query(r.Words)
	own := c.number[r.Patient]
	var left []count
	if own < c.known && r.Note != "" {
		left = c.left[own][r.Note]
	}
	c.table.score(query, own, nil, s, &s.scores[0])
	c.notes.score(query, own, left, s, &s.scores[1])
	for k := range rankers {
		fuse(s.scores[2][k], s.scores[0][k], s.scores[1][k])
	}
	among := c.among(r)
	out := ranking{chance: guess(c.patients())}
	if among != nil {
		out.chance = credit{}
		if slices.Contains(among, own) {
			out.chance = guess(len(among))
		}
	}
	if own >= c.known { // she cannot name a patient whom she does not know
		return out
	}
	for k := range knowledges {
		for r := range rankers {
			out.credits[k][r] = creditOf(s.scores[k][r], own, among)
		}
		out.known[k] = !math.IsInf(s.scores[k][0][own], -1)
	}
	return out
}

// score fills in the scores of all patients, of whom own has the profile without the text
// left. A patient without words gets minus infinity.
//
// With c the mean number of times of word w in the profile, q that in the note, d the
// length of the profile, n the number of profiles, and n_w those with w:
//
//	BM25:  sum over words w of the note of q * ln(1 + (n - n_w + 1/2)/(n_w + 1/2)) * c*(k1+1) / (c + k1*(1 - b + b*d/mean d))
//	Bayes: sum over words w of the note of q * ln((c + 1) / (d + V)), with V the number of distinct words in profiles
//
// Bayes has equal priors.
func (x *index) score(query []count, own int, left []count, s *scratch, out *[2][]float64) {
	v := x.view(own, left)
	known := 0
	for _, q := range query {
		if v.having(q.word) > 0 {
			known += int(q.times)
		}
	}
	v.begin(known, s.norm, out)
	for _, q := range query {
		if having := v.having(q.word); having > 0 {
			v.add(q, having, s.norm, out)
		}
	}
}

// begin sets the scores before any word, and BM25's factor of the length of each profile.
// known are the words of the note that some profile has.
func (v view) begin(known int, norm []float64, out *[2][]float64) {
	for p := range v.profiles {
		profile := v.profiles[p]
		if p == v.own {
			profile = v.mine
		}
		norm[p] = saturation * (1 - normalizer + normalizer*profile.length()/v.meanLength)
		out[0][p], out[1][p] = 0, -float64(known)*math.Log(profile.length()+float64(v.words))
		if profile.texts == 0 {
			out[0][p], out[1][p] = math.Inf(-1), math.Inf(-1)
		}
	}
}

// add adds the terms of one word, which some profiles have.
func (v view) add(q count, having int, norm []float64, out *[2][]float64) {
	times := float64(q.times)
	idf := math.Log1p((float64(v.left-having) + 0.5) / (float64(having) + 0.5))
	term := func(p int, w value) {
		out[0][p] += times * idf * w.mean * (saturation + 1) / (w.mean + norm[p])
		out[1][p] += times * w.log
	}
	for _, h := range v.postings[q.word] {
		if int(h.patient) != v.own {
			term(int(h.patient), v.values[h.value])
		}
	}
	if mine := v.mine.times(q.word); mine > 0 {
		term(v.own, newValue(mine, v.mine.texts))
	}
}

// view is an index as if one patient had never had one text.
type view struct {
	*index
	own        int     // the patient; beyond all profiles if there is no profile
	mine       profile // of the patient, without the text
	left       int     // profiles with a word
	meanLength float64 // of these
	words      int     // distinct words in them
}

func (x *index) view(own int, text []count) view {
	v := view{index: x, own: own, left: x.filled, words: x.vocabulary}
	sum := x.length
	if own < len(x.profiles) {
		v.mine = x.profiles[own].without(text)
		sum += v.mine.length() - x.profiles[own].length()
	}
	if len(text) > 0 && v.mine.texts == 0 {
		v.left--
	}
	for _, w := range text {
		if v.having(w.word) == 0 {
			v.words--
		}
	}
	v.meanLength = 1
	if v.left > 0 {
		v.meanLength = sum / float64(v.left)
	}
	return v
}

// having is the number of profiles with a word.
func (v view) having(word uint32) int {
	n := len(v.postings[word])
	if v.own < len(v.profiles) && v.profiles[v.own].times(word) > 0 && v.mine.times(word) == 0 {
		n--
	}
	return n
}

// fuse adds the standard scores of two kinds of knowledge, so that neither outvotes the
// other by its scale. A patient without one of them has the mean there, which speaks
// neither for nor against.
func fuse(out, table, notes []float64) {
	mean1, sd1 := moments(table)
	mean2, sd2 := moments(notes)
	for p := range out {
		if math.IsInf(table[p], -1) && math.IsInf(notes[p], -1) {
			out[p] = math.Inf(-1)
			continue
		}
		out[p] = standard(table[p], mean1, sd1) + standard(notes[p], mean2, sd2)
	}
}

// moments are mean and standard deviation of the finite scores.
func moments(scores []float64) (mean, sd float64) {
	n, sum := 0.0, 0.0
	for _, s := range scores {
		if !math.IsInf(s, -1) {
			n, sum = n+1, sum+s
		}
	}
	if n == 0 {
		return 0, 0
	}
	mean, sum = sum/n, 0
	for _, s := range scores {
		if !math.IsInf(s, -1) {
			sum += (s - mean) * (s - mean)
		}
	}
	return mean, math.Sqrt(sum / n)
}

// same reports whether two scores are equal but for rounding. Scores without any word known
// are minus infinity.
func same(a, b float64) bool {
	return a == b || !math.IsInf(b, 0) && math.Abs(a-b) <= 1e-9*(1+math.Abs(b))
}

func standard(score, mean, sd float64) float64 {
	if math.IsInf(score, -1) || same(mean+sd, mean) {
		return 0
	}
	return (score - mean) / sd
}

// creditOf is the probability that own is first, and among the first ten, if equal scores
// come in random order; among are the patients who count, nil for all.
func creditOf(scores []float64, own int, among []int) credit {
	above, equal := 0, 0
	compare := func(s float64) {
		switch {
		case same(s, scores[own]):
			equal++
		case s > scores[own]:
			above++
		}
	}
	if among == nil {
		for _, s := range scores {
			compare(s)
		}
	} else if !slices.Contains(among, own) {
		return credit{}
	}
	for _, p := range among {
		if p < len(scores) {
			compare(scores[p])
		}
	}
	within := func(k int) float64 { return min(1, max(0, float64(k-above)/float64(equal))) }
	return credit{within(1), within(guesses)}
}

// among numbers the patients who fit a note, each once; nil means all.
func (c *collection) among(r Released) []int {
	if r.Among == nil {
		return nil
	}
	out := make([]int, 0, len(r.Among))
	for _, name := range r.Among {
		if p, is := c.number[name]; is {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// guess is the credit of one who guesses among n patients.
func guess(n int) credit {
	if n == 0 {
		return credit{}
	}
	return credit{1 / float64(n), float64(min(guesses, n)) / float64(n)}
}
